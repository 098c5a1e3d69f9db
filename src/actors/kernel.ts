/**
 * The kernel: runs turns back to back, freezes what they changed into an epoch, has the journal make it durable, and only
 * then releases what the epoch causes outside (design: the epoch). Owns the loop, the commit line and recovery; knows no
 * domain, no LevelDB, no sockets.
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import { type Clock } from '../clock.ts';
import { BosunError, messageOf } from '../errors.ts';
import { MESSAGES_PER_VISIT, SLICE_MS, TURNS_PER_EPOCH } from '../limits.ts';
import { admit } from './admission.ts';
import { checkAddress, ROOT } from './address.ts';
import { Bosses } from './bosses.ts';
import { BOSS_AGENT } from './agent.ts';
import { type Cell, stands } from './cell.ts';
import { CommitLine } from './commit-line.ts';
import { DurableView } from './durable-view.ts';
import { Effects } from './effects.ts';
import { type StepEngine } from './engine.ts';
import { type Frozen } from './epoch-draft.ts';
import { Ingress } from './ingress.ts';
import { Alarm, KernelTime } from './kernel-time.ts';
import { Outbox } from './outbox.ts';
import { type Journal, type Random, type Recovered } from './ports.ts';
import { repopulate } from './recovery.ts';
import { Sessions } from './sessions.ts';
import { Switchboard } from './switchboard.ts';
import { Turns } from './turn.ts';
import { World } from './world.ts';
import { Definitions, type Policies, type XstateDefinition } from './xstate-definition.ts';

/** Events of hosts taken in at a time: enough to keep a slice busy, few enough to be processed in the same epoch. */
const INTAKE = 64;

export interface KernelParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** The logic of an agent, the Boss among them; undefined for an unknown name. */
  readonly logicOf: (agent: string) => { readonly logic: AnyActorLogic; readonly version: number; readonly policies?: Policies } | undefined;
  /** Input of the root Boss, for the first start of a store. */
  readonly root: unknown;
  /** Take messages and answer reads, but run nothing: for looking at a store, and for orders to its next start. */
  readonly hold: boolean;
  /** How long to go on without a store that can be written. */
  readonly outageMs: number;
  /** Where `log` actions and reports of the kernel go. */
  readonly log: (...args: unknown[]) => void;
}

/** Why the kernel stopped by itself. */
export interface Failure {
  readonly error: BosunError;
}

export class Kernel {
  readonly #parts: KernelParts;
  readonly #definitions = new Definitions();
  readonly #byAgent = new Map<string, XstateDefinition | undefined>();
  readonly #switchboard: Switchboard;
  /** As of the last durable epoch: what readers see. */
  readonly shown = new DurableView();
  readonly #onFailure: (failure: Failure) => void;
  #world!: World;
  #turns!: Turns;
  #effects!: Effects;
  #bosses!: Bosses;
  #outbox!: Outbox;
  #epoch = 0;
  #awake = false;
  readonly #line: CommitLine;
  /** The write under way. */
  #commit: Promise<void> | null = null;
  #alarm!: Alarm;
  #phase: 'new' | 'running' | 'draining' | 'closed' = 'new';
  #rootFailure: BosunError | undefined;
  #idle: (() => void)[] = [];
  #stopping: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  readonly #watchers: World['watchers'] = new Set();
  #ingress: Ingress | undefined;
  /** Who waits for the next epoch to be durable. */
  #next: (() => void)[] = [];

  constructor(parts: KernelParts, onFailure: (failure: Failure) => void) {
    this.#parts = parts;
    this.#onFailure = onFailure;
    this.#line = new CommitLine(parts, () => this.#tellIdle());
    this.#switchboard = new Switchboard(parts.log, () => this.#phase === 'running');
  }

  /**
   * Opens the journal, rebuilds the population, and goes on. Resolves when every Boss has started its static children.
   * Rejects with BOSUN_STORE_* or BOSUN_AGENT_*.
   */
  async start(): Promise<void> {
    const recovered = await this.#parts.journal.open(this.#switchboard.coding);
    try {
      if (this.#phase !== 'new') throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system was stopped while it started');
      this.#rebuild(recovered);
    } catch (error) {
      this.#phase = 'closed';
      await this.#parts.journal.close();
      throw error;
    }
    this.#phase = 'running';
    this.#wake();
    while (this.#phase === 'running' && !this.#parts.hold && !stands(this.#world.addresses.get(ROOT))) {
      await new Promise<void>((resolve) => this.#next.push(resolve));
    }
  }

  /**
   * Stops after the epoch in the making is durable. Running effects are aborted and will be started again by the next
   * start. Never rejects for a store that has failed already.
   */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#drain());
  }

  /** Ends as the death of the process does: nothing further is written, released or run. The store is left as it is. */
  abandon(): void {
    this.#phase = 'closed';
    this.#line.giveUp(true);
    this.#alarm?.set(undefined);
    this.#outbox?.halt();
  }

  async #drain(): Promise<void> {
    if (this.#phase === 'running') {
      this.#phase = 'draining';
      this.#alarm?.set(undefined);
      this.#effects.close();
      this.#line.giveUp(false);
      this.#outbox.close();
      this.ingress.takeIn(Infinity);
      while (this.#isOpen && (this.#commit !== null || !this.#world.draft.isEmpty)) {
        if (this.#commit === null) this.#beginCommit();
        await this.#commit;
      }
    } else if (this.#phase === 'new') this.#phase = 'closed';
    if (this.#isOpen) await this.#close(new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has stopped'));
    await this.#closing;
  }

  /** Resolves when nothing is to be done before time passes: no turn is waiting, and no write is under way. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The way in for hosts. Throws BOSUN_SYSTEM_CLOSED before the start. */
  get ingress(): Ingress {
    if (this.#ingress === undefined) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has not been started');
    return this.#ingress;
  }

  /** The living actor at an address. Throws BOSUN_ACTOR_UNKNOWN or, where nobody could live there, BOSUN_ADDRESS_INVALID. */
  cell(address: string): Cell {
    return known(address, this.#world?.addresses.get(address));
  }

  /** The actor that readers see at an address, or the one whose birth is not durable yet. Throws BOSUN_ACTOR_UNKNOWN. */
  observed(address: string): Cell {
    return known(address, this.shown.at(address) ?? this.#world?.addresses.get(address));
  }

  find(address: string): Cell | undefined {
    return this.#world?.addresses.get(address);
  }

  /** Watches the emitted events of all actors. */
  onEmitted(handler: (address: string, event: EventObject) => void): { unsubscribe(): void } {
    this.#watchers.add(handler);
    return { unsubscribe: () => void this.#watchers.delete(handler) };
  }

  /** Why hosts are refused, while the store cannot be written. */
  get outage(): BosunError | undefined {
    return this.#line.outage;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get engine(): StepEngine {
    return this.#switchboard.engine;
  }

  #rebuild(recovered: Recovered): void {
    const { journal, clock, random, log } = this.#parts;
    this.#epoch = recovered.epoch;
    const time = new KernelTime(clock, recovered.kernelTimeMs);
    this.#alarm = new Alarm(clock, time, () => this.#wake());
    this.#world = new World({
      engine: this.#switchboard.engine,
      codec: journal.codec,
      clock,
      time,
      counters: recovered.counters,
      refOf: (life, address) => this.#switchboard.ref(life, address),
      own: this.#switchboard.own,
      wake: () => this.#wake(),
      watchers: this.#watchers,
      log,
    });
    const definitionOf = (agent: string) => this.#definitionOf(agent);
    const common = { world: this.#world, refHost: this.#switchboard, random, definitionOf };
    this.#effects = new Effects({ ...common, engine: this.#switchboard.engine });
    this.#outbox = new Outbox(common);
    this.#bosses = new Bosses({
      world: this.#world,
      effects: this.#effects,
      random,
      definitionOf,
      onRootGone: (error) => this.#rootGone(error),
    });
    this.#turns = new Turns({ world: this.#world, effects: this.#effects, bosses: this.#bosses, outbox: this.#outbox });
    this.#switchboard.connect(this.#world, this.#effects, this.#turns);
    for (const [hash, lists] of recovered.configurations) this.#definitions.table(hash).load(lists);
    this.#ingress = new Ingress({
      world: this.#world,
      sessions: new Sessions(this.#world.draft, recovered.rows.get('d')),
      hold: this.#parts.hold,
      refusal: () => (this.#phase === 'running' ? this.outage : new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running')),
      wake: () => this.#wake(),
    });
    repopulate(this.#world, recovered, {
      definitionOf,
      effects: this.#effects,
      outbox: this.#outbox,
      hold: this.#parts.hold,
    });
    this.#switchboard.recovered();
    this.shown.load(recovered, this.#world.cells.values());
    if (!this.#parts.hold) this.#bearRoot();
  }

  #definitionOf(agent: string): XstateDefinition | undefined {
    if (!this.#byAgent.has(agent)) {
      const found = this.#parts.logicOf(agent);
      this.#byAgent.set(agent, found && this.#definitions.prepare(agent, found.logic, found.version, found.policies));
    }
    return this.#byAgent.get(agent);
  }

  #bearRoot(): void {
    const root = this.#world.addresses.get(ROOT);
    if (root !== undefined) {
      // It gave up in an earlier run: this start begins with a fresh window (design P5).
      if (root.state.status === 'error') this.#bosses.resume(root);
      this.#world.enqueue(root, admit({ type: 'bosun.declare', input: this.#parts.root }, 'tree'), 'command', 0);
      return;
    }
    const definition = this.#definitionOf(BOSS_AGENT)!;
    const { hash, version } = definition;
    const identity = { life: this.#world.next('life'), address: ROOT, agent: BOSS_AGENT, definition: hash, version };
    const place = { parent: 0, bond: 'supervised' as const, childId: ROOT, systemId: null, syncSnapshot: false };
    this.#world.bear({ ...identity, ...place, effectId: '1', input: admit(this.#parts.root, 'tree') }, definition, undefined);
  }

  #wake(): void {
    if (this.#awake || this.#phase !== 'running') return;
    this.#awake = true;
    this.#parts.clock.defer(() => this.#pump());
  }

  /** One slice: due timers, turns, then the commit if none is under way. At most one epoch is written while one is made. */
  #pump(): void {
    this.#awake = false;
    if (this.#phase !== 'running') return;
    try {
      if (this.#parts.hold) this.ingress.takeIn(Infinity);
      else {
        this.#world.fireDue();
        this.#runTurns();
      }
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#commit === null && !this.#world.draft.isEmpty) this.#beginCommit();
    if (this.#rootFailure !== undefined) return;
    if (!this.#parts.hold) {
      if (this.#hasWork && this.#hasRoom) this.#wake();
      this.#alarm.set(this.#world.timers.nextDeadlineMs());
    }
    this.#tellIdle();
  }

  #runTurns(): void {
    const { clock } = this.#parts;
    const untilMs = clock.monotonicMs() + SLICE_MS;
    this.ingress.takeIn(INTAKE);
    while (this.#hasRoom && this.#rootFailure === undefined) {
      if (this.#world.runnable.size === 0) this.ingress.takeIn(INTAKE);
      const cell = this.#world.runnable.shift();
      if (cell === undefined) return;
      cell.queued = false;
      for (let n = 0; n < MESSAGES_PER_VISIT && cell.isRunnable && this.#rootFailure === undefined; n++) this.#turns.take(cell);
      this.#world.schedule(cell);
      if (clock.monotonicMs() > untilMs) return;
    }
  }

  /** Whether turns are waiting, or events that cause some. */
  get #hasWork(): boolean {
    return this.#world.runnable.size > 0 || this.ingress.size > 0;
  }

  get #hasRoom(): boolean {
    return this.#world.draft.turns < TURNS_PER_EPOCH;
  }

  #beginCommit(): void {
    const frozen = this.#world.draft.freeze({
      number: ++this.#epoch,
      kernelTimeMs: this.#world.time.nowMs(),
      counters: this.#world.counters,
      configurations: this.#definitions.takeNewConfigurations(),
    });
    this.#commit = this.#write(frozen).catch((error: unknown) => this.#fail(error));
  }

  async #write(frozen: Frozen): Promise<void> {
    await this.#line.write(frozen);
    this.#commit = null;
    // Whoever waited has been told of the failure already.
    if (this.#isOpen) this.#release(frozen);
  }

  /** The epoch is durable: show it to readers, then let out what it caused, in order. */
  #release(frozen: Frozen): void {
    this.shown.show(frozen);
    for (const resolve of this.#next.splice(0)) resolve();
    for (const output of frozen.outputs) this.#world.guarded(output);
    this.ingress.acknowledge(frozen.settled);
    for (const { cell, isGone } of frozen.images) {
      if (cell.observers === undefined) continue;
      this.#world.tell(cell, (observer) => observer.changed?.());
      if (isGone) this.#world.tell(cell, (observer) => observer.ended?.());
    }
    if (this.#rootFailure !== undefined && this.#world.draft.isEmpty) this.#fail(this.#rootFailure);
    else this.#afterRelease();
  }

  #afterRelease(): void {
    if (this.#phase !== 'running') return;
    const { draft } = this.#world;
    const isRunning = this.#hasWork && !this.#parts.hold;
    if (isRunning) this.#wake();
    if (draft.isEmpty) this.#tellIdle();
    // What only arrived is written together with the turns that it causes, unless it causes none.
    else if (draft.turns > 0 || !isRunning) this.#beginCommit();
  }

  /** The root has given up: what led there is committed, then the system closes. */
  #rootGone(cause: unknown): void {
    const reason = `the root Boss gave up: ${messageOf(cause)}`;
    this.#rootFailure = new BosunError('BOSUN_INTENSITY_EXCEEDED', reason, { cause });
    const root = this.#world.addresses.get(ROOT)!;
    this.#world.change(root, { status: 'error', error: { value: admit(this.#rootFailure, 'error') } });
  }

  /** Memory may be ahead of disk, so nothing further is released: the next start goes on from the last epoch. */
  #fail(cause: unknown): void {
    if (this.#phase === 'closed') return;
    const error =
      cause instanceof BosunError ? cause : new BosunError('BOSUN_INTERNAL', `the kernel failed: ${messageOf(cause)}`, { cause });
    this.#effects.close();
    this.#outbox.close();
    const tell = () => this.#onFailure({ error });
    this.#close(error).then(tell, tell);
  }

  #close(reason: BosunError): Promise<void> {
    this.#phase = 'closed';
    this.#alarm?.set(undefined);
    this.#ingress?.rejectAll(reason, [...(this.#line.writing?.settled ?? []), ...this.#world.draft.takeSettled()]);
    for (const cell of this.#world.cells.values()) this.#world.tell(cell, (observer) => observer.closed?.(reason));
    for (const resolve of [...this.#idle.splice(0), ...this.#next.splice(0)]) resolve();
    return (this.#closing = this.#closeJournal());
  }

  /** A store must not be closed under a write; whether that one succeeds does not matter any more. */
  async #closeJournal(): Promise<void> {
    await this.#commit?.catch(() => {});
    await this.#parts.journal.close();
  }

  get #isOpen(): boolean {
    return this.#phase !== 'closed';
  }

  get #isIdle(): boolean {
    if (this.#phase !== 'running') return true;
    return !this.#awake && (this.#line.isWaiting || (this.#commit === null && (this.#parts.hold || !this.#hasWork)));
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function known(address: string, cell: Cell | undefined): Cell {
  if (cell !== undefined) return cell;
  checkAddress(address);
  throw new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${address}`, { details: { address } });
}
