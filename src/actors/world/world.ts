/**
 * The population and its primitive operations: births, deaths, changes and messages, each entered into the epoch in the
 * making. Timers are in agenda.ts. No policy: who may do what, and when, is decided in turn.ts, bosses.ts and
 * effects.ts.
 */
import { type EventObject } from 'xstate';
import { childAddress } from '../model/address.ts';
import { assert } from '../../assert.ts';
import { type Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import { type ResolveHandle } from '../model/value-check.ts';
import { TimerService } from './time/timer-service.ts';
import { type InboundRequest } from './mailbox/inbound.ts';
import { Asks } from './talk/asks.ts';
import { Audit } from './audit.ts';
import { Cell, type Held, type EffectCheckpoint, type Observer } from './cell.ts';
import { Backpressure } from './mailbox/backpressure.ts';
import { DeadLetters } from './mailbox/dead-letters.ts';
import { type Definition, type Snapshot, type StepEngine } from '../model/step-engine.ts';
import { EpochDraft } from './epoch-draft.ts';
import { Groups } from './talk/groups.ts';
import { type KernelTime } from './time/kernel-time.ts';
import { Message, type MessageKind } from './mailbox/message.ts';
import { Monitors } from './talk/monitors.ts';
import { type Surroundings } from './surroundings.ts';
import { type Residents } from './residency/residents.ts';
import { isEnrolled } from './residency/rest.ts';
import { CellIndex } from './residency/cell-index.ts';
import { type Codec, type Counters, type RowKey, KEYSPACE } from '../model/ports.ts';
import { Queue } from '../model/queue.ts';
import { type OtherShards } from './shards/other-shards.ts';
import { type Ref } from '../model/ref.ts';
import { childKey, keptKey, keyText, rowKey } from '../model/row-keys.ts';
import { type ChildRow } from '../model/supervision.ts';
import { Tracing } from './tracing/tracing.ts';
import { UnreadableActors } from './unreadable-actors.ts';
import {
  type ActorState,
  applyChange,
  Change,
  concealedChange,
  type Identity,
  identityOf,
  type StateChange,
  storedChange,
  UNBORN,
} from '../model/state.ts';

export class World implements Surroundings {
  /** By life. */
  readonly cells = new CellIndex<number>();
  readonly addresses = new CellIndex<string>();
  /** By system id. */
  readonly names = new CellIndex<string>();
  /** Who is in memory; undefined where everybody is. */
  residency: Residents | undefined;
  readonly unreadable = new UnreadableActors(this);
  readonly timers = new TimerService(this);
  readonly letters = new DeadLetters(this);
  readonly asks = new Asks(this);
  readonly monitors = new Monitors(this);
  readonly groups = new Groups(this);
  readonly backpressure = new Backpressure(this);
  readonly audit = new Audit(this);
  readonly tracing = new Tracing(this);
  /** What goes to other shards, and comes from them; undefined where there is one kernel. */
  shards: OtherShards | undefined;
  readonly draft: EpochDraft;
  readonly engine: StepEngine;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly time: KernelTime;
  /** Cells that may take a turn, in order. */
  readonly runnable = new Queue<Cell>();
  /** Told of every event that any actor emits. */
  readonly watchers: Set<(address: string, event: EventObject) => void>;
  /** Told when there is something to do. */
  readonly wake: () => void;
  /** Where reports to people go. */
  readonly log: (...args: unknown[]) => void;
  /** The one reference to a life. */
  readonly refOf: (life: number, address: string) => Ref;
  /** The reference of this system that an object stands for. */
  readonly own: ResolveHandle;
  #counters: { -readonly [K in keyof Counters]: Counters[K] };
  /** Between two lives: shards take turns. */
  readonly #lifeStride: number;

  constructor(parts: {
    engine: StepEngine;
    codec: Codec;
    clock: Clock;
    time: KernelTime;
    counters: Counters;
    lifeStride: number;
    refOf: (life: number, address: string) => Ref;
    own: ResolveHandle;
    wake: () => void;
    watchers: Set<(address: string, event: EventObject) => void>;
    log: (...args: unknown[]) => void;
  }) {
    this.engine = parts.engine;
    this.codec = parts.codec;
    const { conceal } = parts.codec;
    this.draft = new EpochDraft(parts.codec.deltas(), conceal && { conceal, isSecret: (life) => this.isSecret(life) });
    this.clock = parts.clock;
    this.time = parts.time;
    this.wake = parts.wake;
    this.watchers = parts.watchers;
    this.log = parts.log;
    this.refOf = parts.refOf;
    this.own = parts.own;
    this.#counters = { ...parts.counters };
    this.#lifeStride = parts.lifeStride;
  }

  get counters(): Counters {
    return { ...this.#counters };
  }

  /** What `next` would give. */
  nextNumber(counter: keyof Counters): number {
    return this.#counters[counter];
  }

  next(counter: keyof Counters): number {
    const number = this.#counters[counter];
    this.#counters[counter] += counter === 'life' ? this.#lifeStride : 1;
    return number;
  }

  /** Has `next` give nothing below `to`. */
  skip(counter: keyof Counters, to: number): void {
    this.#counters[counter] = Math.max(this.#counters[counter], to);
  }

  /** Enters a birth. The caller has made sure that the address and the system id are free. */
  spawn(
    parts: Identity,
    definition: Definition,
    parent: Cell | undefined,
    ref = this.refOf(parts.life, parts.address),
  ): Cell {
    const identity = identityOf(parts);
    assert(!this.addresses.has(identity.address), `two actors at ${identity.address}`);
    const cell = new Cell({ identity, definition, ref, parent, state: UNBORN });
    this.adopt(cell);
    this.#putIdentity(cell);
    this.draft.put(`${KEYSPACE.addresses}!${identity.address}`, identity.life);
    if (identity.systemId !== null) this.#name(cell, identity.systemId);
    if (cell.isBoss) this.residency?.attach(cell, true);
    this.#enrol(cell);
    this.draft.touch(cell);
    this.schedule(cell);
    return cell;
  }

  /** Takes a cell into the indexes; for births and recovery. */
  adopt(cell: Cell): void {
    const { life, address } = cell.identity;
    this.cells.set(life, cell);
    this.addresses.set(address, cell);
    cell.parent?.addChild(cell);
  }

  /** Living children by birth; wakes those of a Boss. Throws BOSUN_CHILDREN_UNREAD where its table is not whole. */
  family(cell: Cell): Cell[] {
    if (this.residency === undefined || !cell.isBoss) return [...cell.children.values()];
    for (const id of cell.table.keys()) this.child(cell, id);
    return [...cell.children.values()].sort((a, b) => a.life - b.life);
  }

  /** A living child; wakes one of a Boss that is not in memory. */
  child(cell: Cell, id: string): Cell | undefined {
    const child = cell.children.get(id);
    return child === undefined && this.residency !== undefined && cell.isBoss
      ? this.addresses.get(childAddress(cell.address, id))
      : child;
  }

  /** Of everybody who has one. */
  *systemIds(): Generator<readonly [systemId: string, cell: Cell]> {
    for (const name of [...(this.residency?.names ?? [])]) this.names.get(name);
    yield* this.names;
  }

  /** An actor as of the last durable epoch; undefined for the dead, and for those who are not in memory. */
  durableState(life: number): { readonly address: string; readonly state: ActorState } | undefined {
    const cell = this.cells.resident(life);
    return cell?.durable && { address: cell.address, state: cell.durable.state };
  }

  /** Removes a cell without children from the population and from disk. Unread events become dead letters. */
  remove(cell: Cell): void {
    assert(cell.children.size === 0, `burial of ${cell.address} before its children`);
    this.tracing.buried(cell);
    const { life, address } = cell.identity;
    this.silence(cell);
    for (const id of [...cell.table.keys()]) this.removeChildRow(cell, id);
    this.forget(cell);
    cell.gone = true;
    this.ended(cell);
    this.cells.delete(life);
    if (this.addresses.get(address) === cell) {
      this.addresses.delete(address);
      this.draft.remove(`${KEYSPACE.addresses}!${address}`);
    }
    cell.parent?.removeChild(cell);
    this.draft.remove(rowKey(KEYSPACE.identities, life));
    if (isEnrolled(cell)) this.draft.remove(rowKey(KEYSPACE.roll, life));
    this.residency?.departed(cell);
    if (cell.held !== undefined) this.hold(cell, undefined);
    this.draft.touch(cell);
  }

  /**
   * The cell's state belongs to this definition from now on. The caller changes the state with it, where it has one.
   */
  redefine(cell: Cell, definition: Definition): void {
    const { hash, version } = definition;
    cell.definition = definition;
    if (cell.identity.definition === hash && cell.identity.version === version) return;
    cell.identity = identityOf({ ...cell.identity, definition: hash, version });
    this.#putIdentity(cell);
    this.draft.touch(cell);
  }

  /** What a Boss starts a child with is in the Boss's record too, and so no secret. */
  #putIdentity({ life, identity }: Cell): void {
    const key = rowKey(KEYSPACE.identities, life);
    if (identity.bond === 'supervised') this.draft.put(key, identity);
    else this.draft.putOf(life, key, identity, (conceal) => ({ ...identity, input: conceal(identity.input) }));
  }

  /** Whether what an actor holds is stored encrypted. Of one that is gone nobody knows what it was. */
  isSecret(life: number): boolean {
    const cell = this.cells.get(life);
    return (
      this.codec.conceal !== undefined &&
      (cell === undefined || cell.definition.isSecret || cell.state.isSecret !== undefined)
    );
  }

  /** Holds something against a cell, or lets it go. */
  hold(cell: Cell, held: Held | undefined): void {
    const key = rowKey(KEYSPACE.held, cell.life);
    cell.held = held;
    if (held === undefined) this.draft.remove(key);
    else this.draft.put(key, held);
    this.draft.touch(cell);
  }

  /** Takes from a cell all that could make it act: messages, timers, its system id. */
  silence(cell: Cell): void {
    // Timers first: those that are due are in the mailbox.
    for (const timer of [...cell.timers.values()]) this.timers.disarm(cell, timer);
    for (const message of cell.mailbox.drain()) {
      this.draft.read(message);
      if (message.kind !== 'event' || message.timer !== null) continue;
      this.letters.undeliverable(cell.identity, message.event, message.from);
      this.shards?.unanswered(message.event, cell.address);
    }
    this.backpressure.eased(cell);
    const { systemId, life } = cell.identity;
    if (systemId !== null && this.names.get(systemId) === cell) {
      this.names.delete(systemId);
      this.draft.remove(nameKey(systemId));
      this.shards?.tellName('nameless', systemId, cell.identity);
    }
    // It does nothing any more, and is in memory with whom it belongs to.
    if (cell.definition.isEffect) this.draft.put(rowKey(KEYSPACE.roll, life), 0);
  }

  /** Enters who has to be in memory from the start of each run. */
  #enrol(cell: Cell): void {
    if (isEnrolled(cell)) this.draft.put(rowKey(KEYSPACE.roll, cell.life), cell.definition.isEffect ? 1 : 0);
  }

  /** A life is over: whoever watches it, asked it or shares a group with it learns of that. */
  ended(cell: Cell): void {
    this.asks.ended(cell);
    this.groups.ended(cell);
    this.monitors.ended(cell);
    this.backpressure.eased(cell);
  }

  /**
   * Gives back to a cell that starts again the system id that `silence` took, if it is still free. It is in no group
   * and watches nobody yet.
   */
  revive(cell: Cell): void {
    this.groups.ended(cell);
    this.monitors.release(cell);
    const { systemId } = cell;
    if (systemId === null || this.names.has(systemId)) return;
    this.#name(cell, systemId);
  }

  #name(cell: Cell, systemId: string): void {
    this.names.set(systemId, cell);
    this.draft.put(nameKey(systemId), cell.life);
    this.shards?.tellName('named', systemId, cell.identity);
  }

  /**
   * Changes the durable state of a cell. `change` has been admitted; nothing here throws.
   *
   * @param always Count it as a change even if nothing is said to be different.
   */
  change(cell: Cell, change: StateChange, snapshot: Snapshot | undefined = cell.snapshot, always = false): void {
    const whole = Change.of(change);
    if (!always && whole.isEmpty) {
      if (snapshot !== cell.snapshot) this.draft.touch(cell);
      cell.snapshot = snapshot;
      return;
    }
    // All of it is worked out before any of it counts: a state without its delta would break the chain on disk.
    const { conceal } = this.codec;
    const isSecret = conceal !== undefined && (cell.definition.isSecret || cell.state.isSecret !== undefined);
    if (isSecret && cell.state.isSecret === undefined) whole.isSecret = true;
    const stored = storedChange(whole);
    const hash = this.draft.deltas.add(cell.life, cell.state, isSecret ? concealedChange(stored, conceal) : stored);
    const state = applyChange(cell.state, whole, hash);
    const adopted = snapshot && this.engine.adopt(cell.definition, snapshot, state);
    cell.state = state;
    cell.snapshot = adopted;
    this.draft.touch(cell);
  }

  /**
   * Puts a message into a mailbox. The event has been admitted. Events for the dead become dead letters; what else is
   * for them is dropped.
   */
  enqueue(
    to: Cell,
    event: EventObject,
    kind: MessageKind,
    from: number,
    attempt = 0,
    order: InboundRequest | null = null,
  ): void {
    if (to.gone || (isOver(to) && to.bond === 'invoked')) {
      if (order !== null) this.draft.settle(order);
      if (kind === 'event') this.letters.undeliverable(to.identity, event, from);
      return;
    }
    const message = new Message(this.#counters.message++, to.life, kind, event, from, attempt, null, order);
    if (order !== null && order.ifSequence !== undefined) message.ifSequence = order.ifSequence;
    to.receive(message);
    this.draft.unread(message);
    // A Boss decides at once: behind ten thousand children that fail together it would leave all of them and their
    // exits to be written as they wait. One that has more to read after a visit waits in line like others.
    this.schedule(to, kind === 'exit');
    // Also where nobody can read it now: it has to become durable.
    this.wake();
  }

  /**
   * An event to somebody who is not here: of another shard, or ended, or stopped before it was born. A dead letter
   * where it is known whose.
   */
  postAway(to: object, event: EventObject, from: number): void {
    const ref = this.own(to);
    if (ref !== undefined && this.shards?.send(ref, event, from) !== true) this.letters.undeliverable(ref, event, from);
  }

  /** Puts an event that an actor or a host sends into a mailbox. The event has been admitted. */
  post(to: Cell, event: EventObject, from: number, order: InboundRequest | null = null): void {
    if (to.isFull && !this.backpressure.admits(to, event, from)) return;
    const isCommand = to.isBoss && event.type.startsWith('child.');
    if (isCommand && order === null && this.shards?.order(to, event, from) === true) return;
    this.enqueue(to, event, isCommand ? 'command' : 'event', from, 0, order);
  }

  schedule(cell: Cell, isFirst = false): void {
    if (cell.queued || !cell.isRunnable) return;
    cell.queued = true;
    if (isFirst) this.runnable.unshift(cell);
    else this.runnable.push(cell);
    this.wake();
  }

  /** Tells whoever watches the actor, or all actors, of an emitted event. */
  tellEmitted(cell: Cell, event: EventObject): void {
    for (const watcher of [...this.watchers]) this.guarded(() => watcher(cell.address, event));
    this.tell(cell, (observer) => observer.emitted?.(event));
  }

  /** Tells whoever watches the actor. */
  tell(cell: Cell, what: (observer: Observer) => void): void {
    for (const observer of [...(cell.observers ?? [])]) this.guarded(() => what(observer));
  }

  /** Runs code of the host: what it throws is its own affair and must not keep others from being told. */
  guarded(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.log(`an observer threw: ${messageOf(error)}`);
    }
  }

  /** Writes what an effect keeps for its later starts. The value has been admitted. */
  putCheckpoint(cell: Cell, name: string, keepsake: EffectCheckpoint): void {
    (cell.kept ??= new Map()).set(name, keepsake);
    const { bytes, value } = keepsake;
    this.draft.putOf(cell.life, keptKey(cell.life, name), Object.freeze([name, bytes, value]), (conceal) => [
      name,
      bytes,
      conceal(value),
    ]);
  }

  /** The effect has ended for good: there will be no later start. */
  forget(cell: Cell): void {
    if (cell.asked !== undefined) this.asks.forget(cell);
    if (cell.kept === undefined) return;
    for (const name of cell.kept.keys()) this.draft.remove(keptKey(cell.life, name));
    cell.kept = undefined;
  }

  /** Writes a Boss's record of a child. */
  putChildRow(boss: Cell, childId: string, row: ChildRow): void {
    boss.putRow(childId, row);
    this.draft.put(childKey(boss.life, childId), row);
  }

  removeChildRow(boss: Cell, childId: string): void {
    boss.removeRow(childId);
    this.draft.remove(childKey(boss.life, childId));
  }
}

function nameKey(systemId: string): RowKey {
  return rowKey(KEYSPACE.systemIds, keyText(systemId));
}

function isOver({ state }: Cell): boolean {
  return state.status === 'done' || state.status === 'error' || state.status === 'stopped';
}
