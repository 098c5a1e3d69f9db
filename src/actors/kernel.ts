/**
 * The kernel: runs turns back to back, freezes what they changed into an epoch, has the journal make it durable, and only
 * then releases what the epoch causes outside (design: the epoch). Owns the loop, the commit line and recovery; knows no
 * domain, no LevelDB, no sockets.
 */
import { type AnyActorLogic, type EventObject } from 'xstate';
import { type Clock, TIMEOUT_MS_MAX } from '../clock.ts';
import { BosunError, messageOf } from '../errors.ts';
import { MAILBOX_MESSAGES_MAX, MESSAGES_PER_VISIT, SLICE_MS, TURNS_PER_EPOCH } from '../limits.ts';
import { admit } from './admission.ts';
import { ROOT } from './address.ts';
import { Bosses } from './bosses.ts';
import { BOSS_AGENT, type Cell } from './cell.ts';
import { Effects } from './effects.ts';
import { type Frozen } from './epoch-draft.ts';
import { KernelTime } from './kernel-time.ts';
import { type Epoch, type Journal, type Random, type Recovered } from './ports.ts';
import { repopulate } from './recovery.ts';
import { EffectRef, Ref, type RefHost } from './ref.ts';
import { kindFor, Turns } from './turn.ts';
import { World } from './world.ts';
import { Definitions, type XstateDefinition } from './xstate-definition.ts';
import { refOf, XstateEngine } from './xstate-engine.ts';

export interface KernelParts {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** The logic of an agent, the Boss among them; undefined for an unknown name. */
  readonly logicOf: (agent: string) => { readonly logic: AnyActorLogic; readonly version: number } | undefined;
  /** Input of the root Boss, for the first start of a store. */
  readonly root: unknown;
  /** Take messages and answer reads, but run nothing: for looking at a store, and for orders to its next start. */
  readonly hold: boolean;
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
  readonly #engine: XstateEngine;
  readonly #refHost: RefHost;
  readonly #onFailure: (failure: Failure) => void;
  #world!: World;
  #turns!: Turns;
  #effects!: Effects;
  #bosses!: Bosses;
  #epoch = 0;
  #awake = false;
  #commit: Promise<void> | null = null;
  #alarm: (() => void) | undefined;
  #alarmAtMs = Infinity;
  #phase: 'new' | 'running' | 'draining' | 'closed' = 'new';
  #rootFailure: BosunError | undefined;
  #idle: (() => void)[] = [];

  constructor(parts: KernelParts, onFailure: (failure: Failure) => void) {
    this.#parts = parts;
    this.#onFailure = onFailure;
    this.#engine = new XstateEngine({
      nextLife: () => this.#world.next('life'),
      ref: (life, address) => this.#ref(life, address),
      named: (systemId) => this.#world.names.get(systemId)?.ref,
      allNamed: () => Object.fromEntries([...this.#world.names].map(([name, cell]) => [name, cell.ref])),
      namesUnder: (child) => namesUnder(this.#world.cells.get(child.life)),
      relay: (from, to, event) => this.#relay(from, to, event),
      log: parts.log,
    });
    this.#refHost = {
      system: this.#engine.system,
      relay: (from, to, event) => this.#relay(from, to, event),
      tellParent: (from, event) => this.#tellParent(from, event),
      snapshotOf: (life, attempt) => this.#snapshotOf(life, attempt),
      factsOf: (life) => this.#factsOf(life),
    };
  }

  /** Opens the journal, rebuilds the population, and goes on. Rejects with BOSUN_STORE_* or BOSUN_AGENT_*. */
  async start(): Promise<void> {
    const recovered = await this.#parts.journal.open({
      Class: Ref,
      encode: (ref) => ({ life: (ref as Ref).life, address: (ref as Ref).address }),
      decode: ({ life, address }) => this.#ref(life, address),
    });
    try {
      this.#rebuild(recovered);
    } catch (error) {
      await this.#parts.journal.close();
      throw error;
    }
    this.#phase = 'running';
    this.#wake();
  }

  /**
   * Stops after the epoch in the making is durable. Running effects are aborted and will be started again by the next
   * start. Never rejects for a store that has failed already.
   */
  async stop(): Promise<void> {
    if (!this.#isOpen) return;
    this.#phase = 'draining';
    this.#alarm?.();
    for (const cell of this.#world.cells.values()) this.#effects.stopNow(cell);
    while (this.#isOpen && (this.#commit !== null || !this.#world.draft.isEmpty)) {
      if (this.#commit === null) this.#beginCommit();
      await this.#commit;
    }
    if (this.#isOpen) await this.#close();
  }

  /** Resolves when nothing is running, waiting to run or being written. Effects and future timers do not count. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /**
   * Takes an event from outside. The event has passed its schema.
   * @returns A promise that resolves when it is durable (not: processed).
   * Rejects with BOSUN_ACTOR_UNKNOWN, BOSUN_MAILBOX_FULL, BOSUN_VALUE_REFUSED, BOSUN_SYSTEM_CLOSED or, after a failed
   * write, BOSUN_STORE_FAILED; then the event may or may not have become durable.
   */
  send(address: string, event: EventObject, session?: { readonly id: string; readonly sequence: number }): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#phase !== 'running') throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system is not running');
      const cell = this.cell(address);
      if (cell.mailbox.size >= MAILBOX_MESSAGES_MAX) {
        throw new BosunError('BOSUN_MAILBOX_FULL', `${address} has ${MAILBOX_MESSAGES_MAX} unread messages`);
      }
      const admitted = admit(event, `event ${event.type}`);
      if (session === undefined || this.#isFresh(session)) {
        this.#world.enqueue(cell, admitted, { kind: kindFor(cell, admitted), from: 0 });
      }
      // A repeated send is acknowledged with the epoch that is open now: the first one is in it or in an earlier one.
      this.#world.draft.output(resolve);
      this.#waiting.add(reject);
      this.#world.draft.output(() => this.#waiting.delete(reject));
      this.#wake();
    });
  }

  /** The living actor at an address. Throws BOSUN_ACTOR_UNKNOWN. */
  cell(address: string): Cell {
    const cell = this.#world.addresses.get(address);
    if (cell === undefined) throw new BosunError('BOSUN_ACTOR_UNKNOWN', `no actor at ${address}`, { details: { address } });
    return cell;
  }

  find(address: string): Cell | undefined {
    return this.#world.addresses.get(address);
  }

  /** Watches the emitted events of all actors. */
  onEmitted(handler: (address: string, event: EventObject) => void): { unsubscribe(): void } {
    this.#world.watchers.add(handler);
    return { unsubscribe: () => void this.#world.watchers.delete(handler) };
  }

  get epoch(): number {
    return this.#epoch;
  }

  get engine(): XstateEngine {
    return this.#engine;
  }

  nowMs(): number {
    return this.#world.time.nowMs();
  }

  /** The last sequence accepted from a session; 0 for an unknown one. */
  lastSequence(session: string): number {
    return this.#sequences.get(session) ?? 0;
  }

  /** Quarantined messages, oldest first. */
  quarantined(): readonly unknown[] {
    return [...this.#quarantine.values()];
  }

  readonly #waiting = new Set<(error: Error) => void>();
  readonly #sequences = new Map<string, number>();
  readonly #quarantine = new Map<string, unknown>();

  #isFresh({ id, sequence }: { id: string; sequence: number }): boolean {
    if (sequence <= this.lastSequence(id)) return false;
    this.#sequences.set(id, sequence);
    this.#world.draft.put(`d!${id}`, sequence);
    return true;
  }

  #rebuild(recovered: Recovered): void {
    const { journal, clock, random, log } = this.#parts;
    this.#epoch = recovered.epoch;
    this.#world = new World({
      engine: this.#engine,
      codec: journal.codec,
      clock,
      time: new KernelTime(clock, recovered.kernelTimeMs),
      counters: recovered.counters,
      refOf: (life, address) => this.#ref(life, address),
      wake: () => this.#wake(),
      log,
    });
    this.#effects = new Effects(this.#world, this.#engine, this.#refHost, log);
    this.#bosses = new Bosses({
      world: this.#world,
      effects: this.#effects,
      random,
      definitionOf: (agent) => this.#definitionOf(agent),
      onRootGone: (error) => this.#rootGone(error),
    });
    this.#turns = new Turns(this.#world, this.#effects, this.#bosses, log);
    for (const [hash, lists] of recovered.configurations) this.#definitions.table(hash).load(lists);
    for (const [session, sequence] of recovered.rows.get('d') ?? []) this.#sequences.set(session, sequence as number);
    for (const [number, record] of recovered.rows.get('q') ?? []) this.#quarantine.set(number, record);
    repopulate(this.#world, recovered, {
      definitionOf: (agent) => this.#definitionOf(agent),
      effects: this.#effects,
      hold: this.#parts.hold,
    });
    if (!this.#parts.hold) this.#bearRoot();
  }

  #definitionOf(agent: string): XstateDefinition | undefined {
    if (!this.#byAgent.has(agent)) {
      const found = this.#parts.logicOf(agent);
      this.#byAgent.set(agent, found && this.#definitions.prepare(agent, found.logic, found.version));
    }
    return this.#byAgent.get(agent);
  }

  #bearRoot(): void {
    const root = this.#world.addresses.get(ROOT);
    if (root !== undefined) {
      // It gave up in an earlier run: this start begins with a fresh window (design P5).
      if (root.state.status === 'error') this.#bosses.resume(root);
      this.#world.enqueue(root, admit({ type: 'child.declare', input: this.#parts.root }, 'tree'), { kind: 'command', from: 0 });
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
      if (!this.#parts.hold) {
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
      if (this.#world.runnable.size > 0 && this.#hasRoom) this.#wake();
      this.#setAlarm();
    }
    this.#tellIdle();
  }

  #runTurns(): void {
    const { clock } = this.#parts;
    const untilMs = clock.monotonicMs() + SLICE_MS;
    while (this.#hasRoom && this.#rootFailure === undefined) {
      const cell = this.#world.runnable.shift();
      if (cell === undefined) return;
      cell.queued = false;
      for (let n = 0; n < MESSAGES_PER_VISIT && cell.isRunnable && this.#rootFailure === undefined; n++) this.#turns.take(cell);
      this.#world.schedule(cell);
      if (clock.monotonicMs() > untilMs) return;
    }
  }

  get #hasRoom(): boolean {
    return this.#world.draft.turns < TURNS_PER_EPOCH;
  }

  #beginCommit(): void {
    const frozen = this.#world.draft.freeze({
      number: ++this.#epoch,
      kernelTimeMs: this.#world.time.nowMs(),
      counters: this.#world.counters,
      configurations: this.#newConfigurations(),
    });
    this.#commit = this.#write(frozen.epoch).then(
      () => this.#release(frozen),
      (error: unknown) => this.#fail(error),
    );
  }

  async #write(epoch: Epoch): Promise<void> {
    await this.#parts.journal.commit(epoch);
  }

  #newConfigurations(): Epoch['configurations'] {
    return [...this.#definitions.tables].flatMap(([definition, table]) =>
      table.takeNew().map(({ id, nodes }) => ({ definition, id, nodes })),
    );
  }

  /** The epoch is durable: show it to readers, then let out what it caused, in order. */
  #release({ images, outputs, epoch }: Frozen): void {
    this.#commit = null;
    for (const [key, row] of epoch.rows) if (key.startsWith('q!')) this.#keepQuarantined(key.slice(2), row);
    for (const [cell, image] of images) cell.durable = image ?? undefined;
    for (const output of outputs) this.#world.guarded(output);
    for (const cell of images.keys()) {
      for (const observer of [...(cell.observers ?? [])]) this.#world.guarded(() => observer.changed?.());
    }
    if (this.#rootFailure !== undefined && this.#world.draft.isEmpty) this.#fail(this.#rootFailure);
    else this.#afterRelease();
  }

  #afterRelease(): void {
    if (this.#phase !== 'running') return;
    if (this.#world.draft.isEmpty) this.#tellIdle();
    else this.#beginCommit();
    if (this.#world.runnable.size > 0 && !this.#parts.hold) this.#wake();
  }

  #keepQuarantined(number: string, row: unknown): void {
    if (row === null) this.#quarantine.delete(number);
    else this.#quarantine.set(number, row);
  }

  /** The root has given up: what led there is committed, then the system closes. */
  #rootGone(cause: unknown): void {
    const reason = `the root Boss gave up: ${messageOf(cause)}`;
    this.#rootFailure = new BosunError('BOSUN_INTENSITY_EXCEEDED', reason, { cause });
    const root = this.#world.addresses.get(ROOT)!;
    this.#world.change(root, { status: 'error', error: { value: admit(this.#rootFailure, 'error') } });
  }

  /** Memory may be ahead of disk now, so nothing further is released: the next start goes on from the last epoch. */
  #fail(cause: unknown): void {
    if (this.#phase === 'closed') return;
    const error =
      cause instanceof BosunError ? cause : new BosunError('BOSUN_INTERNAL', `the kernel failed: ${messageOf(cause)}`, { cause });
    this.#commit = null;
    for (const cell of this.#world.cells.values()) this.#effects.stopNow(cell);
    for (const reject of this.#waiting) reject(error);
    this.#close().then(
      () => this.#onFailure({ error }),
      () => this.#onFailure({ error }),
    );
  }

  async #close(): Promise<void> {
    this.#phase = 'closed';
    this.#alarm?.();
    for (const resolve of this.#idle.splice(0)) resolve();
    await this.#parts.journal.close();
  }

  #setAlarm(): void {
    const next = this.#world.timers.nextDeadlineMs() ?? Infinity;
    if (next === this.#alarmAtMs) return;
    this.#alarm?.();
    this.#alarm = undefined;
    this.#alarmAtMs = next;
    if (next === Infinity) return;
    // Rounded up: a timer may be late by less than a millisecond, never early.
    const delayMs = Math.min(Math.max(0, Math.ceil(next - this.#world.time.nowMs())), TIMEOUT_MS_MAX);
    this.#alarm = this.#parts.clock.setTimeout(() => {
      this.#alarmAtMs = Infinity;
      this.#wake();
    }, delayMs);
  }

  get #isOpen(): boolean {
    return this.#phase !== 'closed';
  }

  get #isIdle(): boolean {
    return this.#phase !== 'running' || (!this.#awake && this.#commit === null && (this.#parts.hold || this.#world.runnable.size === 0));
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #ref(life: number, address: string): Ref {
    return this.#world?.cells.get(life)?.ref ?? new Ref(this.#refHost, life, address);
  }

  /** A send that no step described: by an effect, by a reference in user code, or by a custom action. */
  #relay(from: object | undefined, to: object, event: EventObject): void {
    if (this.#turns.isStepping) {
      this.#turns.stray({ kind: 'send', to, event });
      return;
    }
    if (this.#phase !== 'running') return;
    if (from instanceof EffectRef) {
      const source = this.#effects.current(from);
      if (source === undefined) return;
      if (from === to) {
        this.#effects.complete(source, from, event);
        return;
      }
    }
    const target = this.#world.cells.get(refOf(to)?.life ?? 0);
    if (target === undefined) return;
    const admitted = admit(event, `event ${event.type}`, refOf);
    this.#world.enqueue(target, admitted, { kind: kindFor(target, admitted), from: from instanceof Ref ? from.life : 0 });
  }

  #tellParent(from: EffectRef, event: EventObject): Promise<void> {
    return new Promise((resolve) => {
      const parent = this.#effects.current(from)?.parent;
      if (parent === undefined || this.#phase !== 'running') return;
      this.#relay(from, parent.ref, event);
      this.#world.draft.output(resolve);
    });
  }

  #snapshotOf(life: number, attempt?: number): unknown {
    const cell = this.#world.cells.get(life);
    if (attempt !== undefined && (cell === undefined || cell.state.attempt !== attempt || cell.running === undefined)) {
      return { status: 'stopped' };
    }
    if (cell === undefined) return undefined;
    const seen = this.#turns.isStepping || attempt !== undefined ? cell : cell.durable;
    return seen?.snapshot ?? { status: 'active', output: undefined, error: undefined, context: undefined, children: {} };
  }

  #factsOf(life: number): ReturnType<RefHost['factsOf']> {
    const cell = this.#world.cells.get(life);
    if (cell === undefined) return undefined;
    const { childId, systemId, agent } = cell.identity;
    return { childId, parent: cell.parent?.ref, systemId: systemId ?? undefined, src: agent };
  }
}

function namesUnder(cell: Cell | undefined): string[] {
  if (cell === undefined) return [];
  const below = [...cell.children.values()].flatMap(namesUnder);
  return cell.identity.systemId === null ? below : [cell.identity.systemId, ...below];
}
