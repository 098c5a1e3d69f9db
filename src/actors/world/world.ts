/**
 * The population and its primitive operations: births, deaths, changes and messages, each entered into the epoch in the
 * making. Timers are in time/timer-service.ts. No policy: turn.ts, bosses.ts and effects.ts decide who may do what, and
 * when.
 */
import { type EventObject } from 'xstate';
import { childAddress } from '../model/address.ts';
import { assert } from '../../assert.ts';
import { type Clock } from '../../clock.ts';
import { type ResolveHandle } from '../model/value-check.ts';
import { TimerService } from './time/timer-service.ts';
import { type InboundRequest } from './mailbox/inbound.ts';
import { Asks } from './talk/asks.ts';
import { type Audience } from './audience.ts';
import { Audit } from './audit.ts';
import { Cell } from './cell.ts';
import { type Held } from './held.ts';
import { Backpressure } from './mailbox/backpressure.ts';
import { DeadLetters } from './mailbox/dead-letters.ts';
import { type Birth, type Definition, identityOfBirth, type Snapshot, type StepEngine } from '../model/step-engine.ts';
import { EpochDraft } from './epoch-draft.ts';
import { Groups } from './talk/groups.ts';
import { Incidents } from './incidents.ts';
import { type KernelTime } from './time/kernel-time.ts';
import { Leftovers } from './leftovers.ts';
import { Message, type MessageKind } from './mailbox/message.ts';
import { Monitors } from './talk/monitors.ts';
import { type Surroundings } from './surroundings.ts';
import { type Residents } from './residency/residents.ts';
import { CellIndex } from './residency/cell-index.ts';
import { type Codec, type Counters, type RowKey, KEYSPACE } from '../model/ports.ts';
import { RunQueue } from './run-queue.ts';
import { Records } from './records.ts';
import { Results } from './results.ts';
import { type OtherShards } from './shards/other-shards.ts';
import { type Ref } from '../model/ref.ts';
import { childKey, keptKey, keyText, rowKey } from '../model/row-keys.ts';
import { type ChildRow } from '../model/supervision.ts';
import { Tracing } from './tracing/tracing.ts';
import { UnreadableActors } from './unreadable-actors.ts';
import { UnsettledRows } from './unsettled-rows.ts';
import {
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
  /** Cells by life. */
  readonly cells = new CellIndex<number>();
  readonly addresses = new CellIndex<string>();
  /** Cells by system id. */
  readonly names = new CellIndex<string>();
  /** The residency; undefined if all actors are in memory. */
  residency: Residents | undefined;
  readonly unreadable = new UnreadableActors(this);
  /** Records of children that readers do not see yet; where all actors are in memory. */
  readonly unsettled = new UnsettledRows();
  readonly timers = new TimerService(this);
  readonly letters = new DeadLetters(this);
  readonly asks = new Asks(this);
  readonly monitors = new Monitors(this);
  readonly groups = new Groups(this);
  readonly backpressure = new Backpressure(this);
  readonly audit = new Audit(this);
  readonly records = new Records(this);
  readonly results: Results = new Results(this);
  readonly tracing = new Tracing(this);
  readonly leftovers: Leftovers = new Leftovers(this);
  readonly incidents = new Incidents(this);
  /** The channel to other shards; undefined if there is one kernel. */
  shards: OtherShards | undefined;
  readonly draft: EpochDraft;
  readonly engine: StepEngine;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly time: KernelTime;
  /** Cells that may take a turn, in order. */
  readonly runnable = new RunQueue<Cell>();
  /** The observers of actors. */
  readonly audience: Audience;
  /** Tells the loop that there is work. */
  readonly wake: () => void;
  /** Receives reports to people. */
  readonly log: (...args: unknown[]) => void;
  /** The one reference to a life. */
  readonly refOf: (life: number, address: string) => Ref;
  /** Resolves an object to a reference of this system. */
  readonly own: ResolveHandle;
  #counters: { -readonly [K in keyof Counters]: Counters[K] };
  /** Step between two successive life numbers of a shard; the numbers between belong to the other shards. */
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
    audience: Audience;
    log: (...args: unknown[]) => void;
  }) {
    this.engine = parts.engine;
    this.codec = parts.codec;
    const { conceal } = parts.codec;
    this.draft = new EpochDraft(parts.codec.deltas(), conceal && { conceal, isSecret: (life) => this.isSecret(life) });
    this.clock = parts.clock;
    this.time = parts.time;
    this.wake = parts.wake;
    this.audience = parts.audience;
    this.log = parts.log;
    this.refOf = parts.refOf;
    this.own = parts.own;
    this.#counters = { ...parts.counters };
    this.#lifeStride = parts.lifeStride;
  }

  get counters(): Counters {
    return { ...this.#counters };
  }

  /** Restores a machine's snapshot without children. */
  readonly restore = (cell: Cell): Snapshot => this.engine.restore(cell.definition, cell.ref, cell.state, {});

  /** The number that `next` would return. */
  nextNumber(counter: keyof Counters): number {
    return this.#counters[counter];
  }

  next(counter: keyof Counters): number {
    const number = this.#counters[counter];
    this.#counters[counter] += counter === 'life' ? this.#lifeStride : 1;
    return number;
  }

  /** Raises the next number to `to`, if it is lower. */
  skip(counter: keyof Counters, to: number): void {
    this.#counters[counter] = Math.max(this.#counters[counter], to);
  }

  /** Enters a birth. The caller has checked that the address and the system id are free. */
  spawn(identity: Identity, definition: Definition, parent?: Cell, born?: Ref): Cell {
    const ref = born ?? this.refOf(identity.life, identity.address);
    assert(!this.addresses.has(identity.address), `two actors at ${identity.address}`);
    const cell = new Cell({ identity, definition, ref, parent, state: UNBORN });
    this.adopt(cell);
    this.#putIdentity(cell);
    if (identity.bond === 'supervised') this.draft.put(`${KEYSPACE.addresses}!${identity.address}`, identity.life);
    if (identity.systemId !== null) this.#name(cell, identity.systemId);
    if (cell.role.supervises) this.residency?.attach(cell, true);
    if (definition.isEffect) this.draft.put(rowKey(KEYSPACE.roll, cell.life), 1);
    this.draft.touch(cell);
    this.schedule(cell);
    return cell;
  }

  /** Enters the birth of a machine's child. */
  bear(parent: Cell, birth: Birth, effectId: string): void {
    this.spawn(identityOfBirth(birth, parent.life, effectId), birth.definition, parent, birth.ref);
  }

  /** Takes a cell into the indexes; for births and recovery. */
  adopt(cell: Cell): void {
    const { life, address } = cell.identity;
    this.cells.set(life, cell);
    this.addresses.set(address, cell);
    cell.parent?.addChild(cell);
  }

  /** Living children in order of birth; wakes a Boss's. Throws BOSUN_CHILDREN_UNREAD if its table is not whole. */
  family(cell: Cell): Cell[] {
    if (this.residency === undefined || !cell.role.supervises) return [...cell.children.values()];
    for (const id of cell.table.keys()) this.child(cell, id);
    return [...cell.children.values()].sort((a, b) => a.life - b.life);
  }

  /** A living child; wakes one of a Boss that is not in memory. */
  child(cell: Cell, id: string): Cell | undefined {
    const child = cell.children.get(id);
    return child === undefined && this.residency !== undefined && cell.role.supervises
      ? this.addresses.get(childAddress(cell.address, id))
      : child;
  }

  /** All system ids with their cells. */
  *systemIds(): Generator<readonly [systemId: string, cell: Cell]> {
    for (const name of [...(this.residency?.names ?? [])]) this.names.get(name);
    yield* this.names;
  }

  /** Removes a cell without children from the population and from disk. Unread events become dead letters. */
  remove(cell: Cell): void {
    assert(cell.children.size === 0, `burial of ${cell.address} before its children`);
    this.tracing.buried(cell);
    if (!this.results.keep(cell)) this.leftovers.forget({ ...cell.identity, cell }, cell.state.records);
    const { life, address } = cell.identity;
    this.silence(cell);
    for (const id of [...cell.table.keys()]) this.setChildRow(cell, id, null);
    this.forget(cell);
    cell.gone = true;
    this.ended(cell);
    this.cells.delete(life);
    if (this.addresses.get(address) === cell) {
      this.addresses.delete(address);
      if (cell.bond === 'supervised') this.draft.remove(`${KEYSPACE.addresses}!${address}`);
    }
    cell.parent?.removeChild(cell);
    this.draft.remove(rowKey(KEYSPACE.identities, life));
    this.residency?.departed(cell);
    if (cell.held !== undefined) this.hold(cell, undefined);
    this.draft.touch(cell);
  }

  /** Assigns a cell to another definition. The caller changes the state with it, where it has one. */
  redefine(cell: Cell, definition: Definition): void {
    const { hash, version } = definition;
    // A snapshot is restored by the definition under which the state was stored.
    cell.restoreNow();
    cell.definition = definition;
    if (cell.identity.definition === hash && cell.identity.version === version) return;
    cell.identity = identityOf({ ...cell.identity, definition: hash, version });
    this.#putIdentity(cell);
    this.draft.touch(cell);
  }

  /** Writes the identity. The input of a Boss's child is in the Boss's record too, and so is not concealed. */
  #putIdentity({ life, identity }: Cell): void {
    const key = rowKey(KEYSPACE.identities, life);
    if (identity.bond === 'supervised') this.draft.put(key, identity);
    else this.draft.putOf(life, key, identity, (conceal) => ({ ...identity, input: conceal(identity.input) }));
  }

  /** Whether the values of an actor are stored encrypted. True for an actor that is gone. */
  isSecret(life: number): boolean {
    const cell = this.cells.get(life);
    return (
      this.codec.conceal !== undefined &&
      (cell === undefined || cell.definition.isSecret || cell.state.isSecret !== undefined)
    );
  }

  /** Sets or clears the strikes and orders against a cell. */
  hold(cell: Cell, held: Held | undefined): void {
    const key = rowKey(KEYSPACE.held, cell.life);
    cell.held = held;
    if (held === undefined) this.draft.remove(key);
    else this.draft.put(key, held);
    this.draft.touch(cell);
  }

  /** Removes everything that could make a cell act: messages, timers, its system id. */
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
    if (cell.definition.isEffect) this.draft.remove(rowKey(KEYSPACE.roll, life));
  }

  /** Tells everybody concerned that a life is over: watchers, askers, groups. */
  ended(cell: Cell): void {
    this.asks.ended(cell);
    this.groups.ended(cell);
    this.monitors.ended(cell);
    this.backpressure.eased(cell);
  }

  /**
   * Returns to a restarted cell the system id that `silence` took, if it is still free. It is in no group and watches
   * nobody yet.
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
   * @param always Count it as a change even if nothing differs.
   */
  change(cell: Cell, change: StateChange, snapshot: Snapshot | undefined = cell.snapshot, always = false): void {
    const whole = Change.of(change);
    if (!always && whole.isEmpty) {
      if (snapshot !== cell.snapshot) this.draft.touch(cell);
      cell.snapshot = snapshot && this.engine.adopt(cell.definition, snapshot, cell.state);
      return;
    }
    // Everything is computed before any of it takes effect: a state without its delta would break the chain on disk.
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
   * Puts a message into a mailbox. The event has been admitted. Events for ended actors become dead letters; other
   * messages for them are dropped.
   */
  enqueue(
    to: Cell,
    event: EventObject,
    kind: MessageKind,
    from: number,
    attempt = 0,
    order: InboundRequest | null = null,
  ): void {
    if (to.gone || (to.isOver && to.bond === 'invoked')) {
      if (order !== null) this.draft.settle(order);
      if (kind === 'event') this.letters.undeliverable(to.identity, event, from);
      return;
    }
    const message = new Message(this.#counters.message++, to.life, kind, event, from, attempt, null, order);
    if (order !== null && order.ifSequence !== undefined) message.ifSequence = order.ifSequence;
    to.receive(message);
    this.draft.unread(message);
    // A Boss decides at once: behind ten thousand children that fail together it would leave all of them and their
    // exits to be written while they wait. With more messages after a visit it waits in line like others.
    this.schedule(to, kind === 'exit');
    // Wakes the loop even if no actor can read the message now, because it has to become durable.
    this.wake();
  }

  /** Handles an event to an actor that has ended, was never born or is on another shard, if its receiver is known. */
  postAway(to: object, event: EventObject, from: number): void {
    const ref = this.own(to);
    if (ref !== undefined && this.shards?.send(ref, event, from) !== true) this.letters.undeliverable(ref, event, from);
  }

  /** Puts an event that an actor or a host sends into a mailbox. The event has been admitted. */
  post(to: Cell, event: EventObject, from: number, order: InboundRequest | null = null): void {
    if (to.isFull && !this.backpressure.admits(to, event, from)) return;
    const isCommand = to.role.supervises && event.type.startsWith('child.');
    if (isCommand && order === null && this.shards?.order(to, event, from) === true) return;
    this.enqueue(to, event, isCommand ? 'command' : 'event', from, 0, order);
  }

  schedule(cell: Cell, isFirst = false): void {
    if (cell.queued || !cell.isRunnable) return;
    if (isFirst) this.runnable.unshift(cell);
    else this.runnable.push(cell);
    this.wake();
  }

  /** Forgets what an ended effect kept, because there will be no later start. */
  forget(cell: Cell): void {
    if (cell.asked !== undefined) this.asks.forget(cell);
    if (cell.kept === undefined) return;
    for (const name of cell.kept.keys()) this.draft.remove(keptKey(cell.life, name));
    cell.kept = undefined;
  }

  /** Writes a Boss's record of a child; null removes it. */
  setChildRow(boss: Cell, childId: string, row: ChildRow | null): void {
    const key = childKey(boss.life, childId);
    if (this.residency === undefined) this.unsettled.changes(key, boss.table.get(childId) ?? null, row);
    if (row === null) boss.removeRow(childId);
    else boss.putRow(childId, row);
    this.draft.put(key, row);
  }
}

function nameKey(systemId: string): RowKey {
  return rowKey(KEYSPACE.systemIds, keyText(systemId));
}
