/**
 * Residency: which actors are in memory. A start reads only those that have something to do; any other wakes when it is
 * needed, within the turn or the call that needs it, and is read, migrated or suspended then as a start would have
 * done. When there are too many in memory, the least recently used are evicted as far as possible (rest.ts): always
 * between two writes, when nobody holds a cell that nothing keeps in memory.
 *
 * A resting actor keeps in memory its armed timers, its system id, and monitors, groups and names about it.
 */
import { BosunError, isBosunError } from '../../../errors.ts';
import { CHILD_TABLE_ROWS_AT_START, RESTING_LOOKS } from '../../../limits.ts';
import { type Bosses } from '../../world/bosses.ts';
import { type Cell } from '../../world/cell.ts';
import { ownerOf, recordKeyOf } from '../../world/stored-actors.ts';
import { headOf, ownershipTreeOf } from '../../world/residency/ownership-tree.ts';
import { type DurableView } from '../durable-view.ts';
import { type Frozen } from '../../world/epoch-draft.ts';
import { childKey, ordered, childIn } from '../../model/row-keys.ts';
import { type Message } from '../../world/mailbox/message.ts';
import { type Recovered, type RowKey, type Shelf, KEYSPACE, keyspaceOf, keyWithin } from '../../model/ports.ts';
import { type Ref } from '../../model/ref.ts';
import { UNBORN } from '../../model/state.ts';
import { type Timer } from '../../model/timers.ts';
import {
  bringForward,
  populate,
  rehydrate,
  type Stored,
  suspend,
  type Verdict,
  withhold,
} from '../versions/revival.ts';
import { type Roster } from '../versions/roster.ts';
import type { World } from '../../world/world.ts';
import { ChildTable } from '../../world/residency/child-table.ts';
import { isBelow, tablesNeeded } from './dry-run.ts';
import { type Residents } from '../../world/residency/residents.ts';
import { mayRest } from '../../world/residency/rest.ts';
import { addressesAbove, StoredAddresses } from './stored-addresses.ts';

export interface ResidencyParts {
  readonly world: World;
  readonly shelf: Shelf;
  readonly shown: DurableView;
  readonly roster: Roster;
  readonly bosses: Bosses;
  /** The number of actors to keep in memory. */
  readonly residentActors: number;
  /** Returns the reason why hosts are refused at present. */
  readonly refusal: () => BosunError | undefined;
  /** Called when a child table cannot be read. */
  readonly onFailure: (error: unknown) => void;
}

export class Residency implements Residents {
  readonly #parts: ResidencyParts;
  readonly #addresses: StoredAddresses;
  /** Heads of ownership trees in memory, least recently used first. */
  readonly #byUse = new Map<number, Cell>();
  /** Resting ownership trees of more than one actor: all of its lives in order of birth, for each of them. */
  readonly #ownershipTrees = new Map<number, readonly number[]>();
  /** Timers of resting actors. */
  readonly #timers = new Map<number, readonly Timer[]>();
  readonly #names = new Map<string, number>();
  /** References to resting actors that are still in use, so that there is one per life. */
  readonly #refs = new Map<number, WeakRef<Ref>>();
  readonly #collected = new FinalizationRegistry<number>((life) => {
    if (this.#refs.get(life)?.deref() === undefined) this.#refs.delete(life);
  });
  /**
   * Actors that took a turn in an epoch that is not durable, with its number, in order: outputs of that epoch hold the
   * cell.
   */
  readonly #engaged = new Map<Cell, number>();
  /** Lives that have ended in epochs that are not durable yet: the shelf still has them. */
  readonly #departed = new Set<number>();
  /** Tasks postponed until the store is open again. */
  #postponed: (() => void)[] = [];
  /** Bosses whose child tables are not whole. */
  readonly #partial = new Set<Cell>();
  /** Number of child tables that are being read. */
  #readings = 0;

  constructor(parts: ResidencyParts) {
    this.#parts = parts;
    const { world, shown, shelf } = parts;
    this.#addresses = new StoredAddresses({ world, shelf, departed: this.#departed, row: (key) => this.#row(key) });
    world.cells.seek = (life) => this.#wake(life);
    world.addresses.seek = (address) => this.#wake(this.lifeAt(address), address) ?? this.#wakeAbove(address);
    world.names.seek = (name) => this.#wake(this.#names.get(name) ?? 0);
    shown.shelve({
      cellAt: (address) => world.addresses.get(address),
      addressOf: (life) => world.cells.get(life)?.address,
      row: (key) => this.#row(key),
      room: () => parts.residentActors - world.cells.size,
    });
  }

  /** Initialises residency once the population exists. */
  load({ rows, part }: Recovered): void {
    const { world } = this.#parts;
    for (const cell of world.cells.values()) {
      if (cell.role.supervises) this.attach(cell, part === undefined || part.tables.has(cell.life));
      this.#use(cell);
    }
    for (const [key, row] of rows.get(KEYSPACE.children) ?? []) {
      const [boss, childId] = childIn(key);
      const table = world.cells.resident(boss)?.childTable;
      if (table?.isWhole === true) table.fill([[childId, row]]);
    }
    for (const [name, life] of rows.get(KEYSPACE.systemIds) ?? []) {
      if (world.cells.resident(life as number) === undefined) this.#names.set(decodeURIComponent(name), life as number);
    }
  }

  /** Gives a Boss a child table that need not be in memory as a whole. */
  attach(boss: Cell, isWhole: boolean): void {
    const table = new ChildTable((childId) => {
      const row = this.#childRow(childKey(boss.life, childId));
      return row instanceof BosunError ? undefined : row;
    });
    if (isWhole) table.fill([]);
    else this.#partial.add(boss);
    boss.keepTable(table);
  }

  /** Whether no actor can be woken at present: then no turn is taken. */
  get isBlind(): boolean {
    return !this.#parts.shelf.isOpen;
  }

  /** Whether a child table is being read. */
  get isReading(): boolean {
    return this.#readings > 0;
  }

  /** The life stored at an address; 0 if there is none. */
  lifeAt(address: string): number {
    return this.#addresses.lifeAt(address);
  }

  /**
   * Wakes the actors above an address. No row leads to a child of a machine: it is in memory with its parent. Actors
   * above wake even if there turns out to be nobody at the address.
   */
  #wakeAbove(address: string): Cell | undefined {
    const { addresses } = this.#parts.world;
    for (const above of addressesAbove(address)) {
      if (addresses.resident(above) !== undefined) return undefined;
      if (this.#wake(this.lifeAt(above), above) !== undefined) return addresses.resident(address);
    }
    return undefined;
  }

  /** System ids of resting actors. */
  get names(): Iterable<string> {
    return this.#names.keys();
  }

  /** Runs a task when actors can be woken again, in order. */
  postpone(task: () => void): void {
    this.#postponed.push(task);
  }

  /** The reference to a resting actor; undefined if it is not in use. */
  refTo(life: number): Ref | undefined {
    return this.#refs.get(life)?.deref();
  }

  /** Remembers a reference to an actor that is not in memory. */
  keepRef(ref: Ref): void {
    if (this.refTo(ref.life) === ref) return;
    this.#refs.set(ref.life, new WeakRef(ref));
    this.#collected.register(ref, ref.life);
  }

  /** Records that an actor takes a turn in the epoch in the making. */
  engage(cell: Cell): void {
    this.#engaged.delete(cell);
    this.#engaged.set(cell, this.#parts.world.tracing.epoch);
  }

  /** Records that a life has ended in the epoch in the making. */
  departed(cell: Cell): void {
    this.#departed.add(cell.life);
    this.#byUse.delete(cell.life);
    this.#partial.delete(cell);
  }

  /** Updates the notes after an epoch is durable and shown. No write is under way. */
  settle({ images, epoch }: Frozen): void {
    for (const { cell, isGone } of images) {
      if (isGone) this.#departed.delete(cell.life);
      else this.#use(cell);
    }
    for (const [cell, number] of this.#engaged) {
      if (number > epoch.number) break;
      this.#engaged.delete(cell);
      if (!cell.gone) this.#use(cell);
    }
    for (const [key, row] of epoch.rows) {
      if (keyspaceOf(key) !== KEYSPACE.children) continue;
      const [boss, childId] = childIn(keyWithin(key));
      this.#parts.world.cells.resident(boss)?.childTable?.settled(childId, row);
    }
    if (!this.isBlind) for (const task of this.#postponed.splice(0)) this.#parts.world.audience.guarded(task);
  }

  /** Evicts actors while there are too many. Only while no write is under way. */
  evict(): void {
    const { cells } = this.#parts.world;
    const { residentActors } = this.#parts;
    // Each actor once, and a bounded number where all are busy.
    let looks = Math.min(this.#byUse.size, Math.max(0, cells.size - residentActors) + RESTING_LOOKS);
    for (const [life, head] of this.#byUse) {
      if (cells.size <= residentActors || looks-- === 0) return;
      this.#byUse.delete(life);
      if (head.gone) continue;
      if (mayRest(head, (cell) => this.#engaged.has(cell))) this.#evictTree(ownershipTreeOf(head));
      else this.#byUse.set(life, head);
    }
  }

  /** Whether a Boss may take a message: child tables that the turn needs are read first. */
  mayTake(boss: Cell, message: Message): boolean {
    const partial = this.#partialBelow(boss);
    if (partial.length === 0) return true;
    const { world, bosses, onFailure } = this.#parts;
    const needed = tablesNeeded(world.engine, boss, partial, () => bosses.withFacts(boss, message.event));
    if (needed.length === 0) return true;
    boss.childTable!.isAwaited = true;
    const done = () => {
      boss.childTable!.isAwaited = false;
      world.schedule(boss);
      world.wake();
    };
    this.#readAll(needed).then(done, (error: unknown) => {
      // After a brief closing of the store the table is read again: until then no turn is taken.
      if (!isBosunError(error, 'BOSUN_STORE_FAILED') || !this.isBlind) onFailure(error);
      done();
    });
    return false;
  }

  /**
   * Reads all child tables at and below an actor, for an operation that ends them. Rejects with BOSUN_STORE_FAILED,
   * BOSUN_STORE_DAMAGED.
   */
  async readBelow(cell: Cell): Promise<void> {
    await this.#readAll(this.#partialBelow(cell));
  }

  #partialBelow(cell: Cell): Cell[] {
    return cell.role.supervises ? [...this.#partial].filter((boss) => isBelow(boss, cell)) : [];
  }

  async #readAll(bosses: readonly Cell[]): Promise<void> {
    this.#readings += 1;
    try {
      for (const boss of bosses) await this.#read(boss);
    } finally {
      this.#readings -= 1;
    }
  }

  async #read(boss: Cell): Promise<void> {
    const { life, childTable } = boss;
    if (childTable === undefined || childTable.isWhole) return;
    const prefix: RowKey = `${KEYSPACE.children}!${ordered(life)}!`;
    childTable.isBeingRead = true;
    try {
      const rows = await this.#parts.shelf.rowsUnder(prefix);
      childTable.fill(rows.map(([key, row]) => [key.slice(prefix.length), row] as const));
    } finally {
      childTable.isBeingRead = false;
    }
    this.#partial.delete(boss);
  }

  /** Wakes an actor. @param address Its address, where it is known already. */
  #wake(life: number, address?: string): Cell | undefined {
    const { world } = this.#parts;
    if (!(life > 0) || this.#departed.has(life) || world.unreadable.of(life) !== undefined) return undefined;
    // An index may lead to an actor in memory that no longer has the address.
    if (world.cells.resident(life) !== undefined) return undefined;
    this.#requireSight();
    const woken = (this.#ownershipTrees.get(life) ?? [life]).flatMap((member) => this.#fetch(member, address) ?? []);
    for (const { cell, verdict } of woken) this.#revive(cell, verdict);
    if (woken.length > 0) world.wake();
    return world.cells.resident(life);
  }

  /** Reads one actor and creates its cell. */
  #fetch(life: number, address: string | undefined): { cell: Cell; verdict: Verdict } | undefined {
    const { world, shelf, roster } = this.#parts;
    const found = shelf.actor(life, address);
    if (found === undefined) return undefined;
    if (found instanceof BosunError) {
      world.unreadable.add({ life, address }, found);
      world.incidents.unreadable(found);
      return undefined;
    }
    const { identity, state } = found;
    const parent = ownerOf(identity, (owner) => world.cells.get(owner)) ?? undefined;
    if (parent === undefined) {
      withhold(world, identity);
      world.incidents.unreadable(world.unreadable.of(life)!);
      return undefined;
    }
    const row = parent.childTable?.isWhole === false ? this.#childRow(recordKeyOf(identity)) : undefined;
    const damage = state instanceof BosunError ? state : row instanceof BosunError ? row : undefined;
    const stored: Stored = { identity, state: state instanceof BosunError ? UNBORN : state, damage, isEffect: false };
    const populated = populate(world, stored, roster, parent.isUnreadable ? parent.suspension : undefined);
    this.#ownershipTrees.delete(life);
    this.#adoptName(populated.cell);
    return populated;
  }

  /** Restores an actor with the present code, as a start does. Readers see the result for its durable state. */
  #revive(cell: Cell, read: Verdict): void {
    const { world, roster, bosses, shown } = this.#parts;
    const verdict = rehydrate(world, cell, read, roster);
    for (const timer of this.#timers.get(cell.life) ?? []) cell.addTimer(timer);
    this.#timers.delete(cell.life);
    if (verdict.kind === 'refused') suspend(cell, verdict.error);
    bringForward(world, cell, verdict, { roster, bosses });
    if (cell.isUnreadable) world.incidents.unreadable(cell.suspension!);
    else if (cell.hasSnapshot && cell.status === 'active') world.timers.plan(cell);
    cell.showAs(cell);
    shown.arrive(cell);
    this.#use(cell);
    world.schedule(cell);
  }

  #evictTree(tree: readonly Cell[]): void {
    const { world, shown } = this.#parts;
    const lives = tree.map(({ life }) => life);
    for (const cell of [...tree].reverse()) {
      const { address, systemId } = cell;
      world.cells.delete(cell.life);
      if (world.addresses.resident(address) === cell) world.addresses.delete(address);
      if (systemId !== null && world.names.resident(systemId) === cell) {
        world.names.delete(systemId);
        this.#names.set(systemId, cell.life);
      }
      if (cell.timers.size > 0) this.#timers.set(cell.life, [...cell.timers.values()]);
      if (lives.length > 1) this.#ownershipTrees.set(cell.life, lives);
      cell.parent?.removeChild(cell);
      this.keepRef(cell.ref);
      shown.leave(cell);
    }
    this.#shed(tree[0]!.parent!);
  }

  /** Releases a table that was read for one decision. */
  #shed(boss: Cell): void {
    const { childTable, mailbox } = boss;
    if (childTable?.isWhole !== true || mailbox.isHolding || childTable.size <= CHILD_TABLE_ROWS_AT_START) return;
    childTable.shed();
    this.#partial.add(boss);
  }

  #use(cell: Cell): void {
    const head = headOf(cell);
    if (!head.role.mayRest) return;
    this.#byUse.delete(head.life);
    this.#byUse.set(head.life, head);
  }

  #adoptName({ life, systemId }: Cell): void {
    const { names } = this.#parts.world;
    if (systemId === null || this.#names.get(systemId) !== life) return;
    this.#names.delete(systemId);
    names.set(systemId, this.#parts.world.cells.resident(life)!);
  }

  /** Reads a Boss's record of a child. A damaged one counts as missing, and stops the child when it wakes. */
  #childRow(key: RowKey): unknown {
    try {
      return this.#row(key);
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      this.#parts.shelf.tell(error);
      return error;
    }
  }

  #row(key: RowKey): unknown {
    this.#requireSight();
    return this.#parts.shelf.row(key);
  }

  #requireSight(): void {
    if (this.isBlind)
      throw this.#parts.refusal() ?? new BosunError('BOSUN_STORE_UNAVAILABLE', 'the store cannot be read at present');
  }
}
