/**
 * A connection of a Stately Inspector (`@statelyai/inspect`): receives every actor that its caller may reach, then
 * their turns. One-way. For a client that does not read only a position is kept: when it reads again it goes on from
 * the remembered turns, or receives all actors anew if those are gone.
 */
import { ROOT } from '../../actors/model/address.ts';
import type { TraceRecord } from '../../actors/model/trace-record.ts';
import { type Cancel } from '../../clock.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import {
  CLOSE_MS,
  EVENTS_PER_TURN,
  HELLO_MS,
  LISTED_MAX,
  OUT_BYTES_HIGH,
  OUT_BYTES_LOW,
  SLOW_MS_MAX,
} from '../limits.ts';
import { type TreeNode } from '../../system-options.ts';
import { type Caller, checkScope, mayReach } from '../callers/callers.ts';
import { checkGranted } from '../callers/grants.ts';
import { type Entrance, type Hub, type Peer } from '../client/hub.ts';
import { PeerTimers } from '../client/peer-timers.ts';
import { type ClientWire } from '../client/send-buffer.ts';
import { type CloseName, CLOSES } from '../protocol/protocol.ts';
import { actorEvent, endEvent, type StatelyEvent, turnEvents } from './stately-events.ts';
import { type TurnView } from '../protocol/views.ts';
import { shownTurn, type TurnViews } from '../topics/turn-views.ts';
import { WholeTurns } from '../topics/whole-turns.ts';

export class StatelyPeer implements Peer {
  readonly session = undefined;
  readonly inFlight = 0;
  readonly #hub: Hub;
  readonly #source: TurnViews;
  readonly #wire: ClientWire;
  readonly #timers: PeerTimers;
  #caller: Caller | undefined;
  #stops: (() => void)[] = [];
  readonly #whole = new WholeTurns();
  /** The last context sent of each actor, redacted, by address. */
  readonly #contexts = new Map<string, unknown>();
  /** Number of the last turn sent. */
  #told = 0;
  #isAwake = false;
  #slow: Cancel | undefined;
  #isOver = false;

  constructor(hub: Hub, source: TurnViews, wire: ClientWire) {
    this.#hub = hub;
    this.#source = source;
    this.#wire = wire;
    this.#timers = new PeerTimers(hub.clock);
    this.#timers.later(HELLO_MS, () => this.#caller === undefined && this.close('hello_timeout'));
  }

  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** Authenticates the client and begins, or closes. */
  async begin({ token, pass }: Pick<Entrance, 'token' | 'pass'>): Promise<void> {
    try {
      const caller = await this.#hub.identify(token, pass);
      checkGranted(caller, 'subscribe');
      checkScope(caller, 'actor:read');
      if (this.#isOver) return;
      if (!this.#hub.admits(caller)) return this.close('rate_limited');
      this.#caller = caller;
      this.#hub.met(this);
      this.#timers.watchExpiry(caller, () => this.close('token_expired'));
      const { clientApi } = this.#source.system;
      this.#stops = [
        clientApi.onTurn(ROOT, (record) => this.#whole.keep(record)),
        this.#source.epochs.watch(() => this.#wake()),
      ];
      this.#introduce();
    } catch (error) {
      this.#hub.count(error);
      this.close(
        isBosunError(error, 'BOSUN_UNAUTHENTICATED') || isBosunError(error, 'BOSUN_FORBIDDEN')
          ? 'unauthenticated'
          : 'internal',
      );
    }
  }

  /** Clients of the inspector may not send. */
  receive(): void {
    this.close('bad_frame');
  }

  /** Called when some of the waiting bytes have left. */
  drained(): void {
    if (this.#slow === undefined || this.#wire.bufferedBytes >= OUT_BYTES_LOW) return;
    this.#slow();
    this.#slow = undefined;
    this.#wake();
  }

  gone(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const stop of this.#stops) stop();
    this.#timers.end();
    this.#slow?.();
    this.#whole.clear();
    this.#contexts.clear();
    this.#hub.left(this);
  }

  /** Ignores the gateway's own frames, which an inspector does not understand; closes count. */
  send(): void {}

  close(name: CloseName): void {
    if (this.#isOver) return;
    this.#hub.counters.add(`closed.${name}`);
    this.#wire.close(CLOSES[name].code, name);
    this.gone();
    this.#hub.clock.setTimeout(() => this.#wire.terminate(), CLOSE_MS, { isBackground: true });
  }

  cut(): void {
    this.#wire.terminate();
    this.gone();
  }

  /** Sends every actor, parents before children. */
  #introduce(): void {
    const { system } = this.#source;
    const { clock } = this.#hub;
    this.#told = system.clientApi.turns.end;
    this.#contexts.clear();
    let left = LISTED_MAX;
    const tell = (node: TreeNode, parent: string | undefined): void => {
      const isSeen = mayReach(this.#caller!, node.address);
      if (isSeen && left-- <= 0)
        throw new BosunError('BOSUN_GATEWAY_FULL', `at most ${LISTED_MAX} actors can be inspected at a time`);
      if (isSeen) this.#skipping(() => this.#introduceOne(node.address, parent, clock.wallMs()));
      for (const child of node.children) tell(child, isSeen ? node.address : undefined);
    };
    try {
      tell(system.tree(), undefined);
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_GATEWAY_FULL')) throw error;
      this.close('overloaded');
    }
  }

  #introduceOne(address: string, parent: string | undefined, atMs: number): void {
    const { views, system } = this.#source;
    const view = views.actor(address);
    this.#contexts.set(address, view.context);
    this.#say(actorEvent(view, { machine: system.clientApi.machineAt(address), parent, atMs }));
  }

  #pump(): void {
    if (this.#isOver || this.#slow !== undefined) return;
    const { clientApi } = this.#source.system;
    if (this.#told < clientApi.turns.oldest - 1) this.#introduce();
    const { records, through } = clientApi.turnsBehind(this.#told, ROOT, EVENTS_PER_TURN);
    for (const record of records) if (mayReach(this.#caller!, record.address)) this.#tell(this.#whole.of(record));
    this.#told = through;
    this.#whole.forgetThrough(through);
    if (through < clientApi.turns.end) this.#wake();
  }

  #tell(record: TraceRecord): void {
    const { address, kind, atMs } = record;
    if (kind === 'stopped') {
      this.#contexts.delete(address);
      return this.#say(endEvent(address, atMs));
    }
    this.#skipping(() => {
      if (!this.#contexts.has(address)) this.#introduceOne(address, this.#parentOf(address), atMs);
      const turn = shownTurn(this.#source.views, this.#caller!, record);
      this.#contexts.set(address, this.#contextAfter(address, turn.change, record));
      for (const event of turnEvents(turn, this.#contexts.get(address))) this.#say(event);
    });
  }

  /** Skips an actor that has ended, whose end event follows, or whose record is damaged. */
  #skipping(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_ACTOR_UNKNOWN') && !isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
    }
  }

  /** The context after a turn; the present one if only names were recorded or rows of tables have changed. */
  #contextAfter(address: string, change: TurnView['change'], { kind, number }: TraceRecord): unknown {
    if ((!this.#whole.has(number) && kind !== 'failed') || change?.rows !== undefined)
      return this.#source.views.actor(address).context;
    const before = this.#contexts.get(address);
    if (change?.context !== undefined) return change.context;
    if (change === null || (change.set === undefined && change.unset === undefined)) return before;
    if (typeof before !== 'object' || before === null) return before;
    const next = { ...(before as Record<string, unknown>), ...change.set };
    for (const key of change.unset ?? []) delete next[key];
    return next;
  }

  #parentOf(address: string): string | undefined {
    const { parent } = this.#source.system.admin.getState(address);
    return parent !== null && mayReach(this.#caller!, parent) ? parent : undefined;
  }

  #say(event: StatelyEvent): void {
    if (this.#isOver) return;
    this.#wire.send(JSON.stringify(event));
    if (this.#wire.bufferedBytes <= OUT_BYTES_HIGH || this.#slow !== undefined) return;
    this.#hub.counters.add('slow');
    this.#slow = this.#hub.clock.setTimeout(() => this.close('slow_consumer'), SLOW_MS_MAX, { isBackground: true });
  }

  #wake(): void {
    if (this.#isAwake || this.#isOver) return;
    this.#isAwake = true;
    this.#hub.clock.defer(() => {
      this.#isAwake = false;
      this.#pump();
    });
  }
}
