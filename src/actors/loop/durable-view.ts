/** The view of readers: everything as of the last durable epoch, even where memory is ahead of it (design P2). */
import { childAddress } from '../model/address.ts';
import { type ListedPart } from './address-index.ts';
import { familiesAmong, ShownMembers, ShownPopulation } from './shown-population.ts';
import { type Chain, chainOf } from '../world/actor-view.ts';
import { type Cell } from '../world/cell.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Recovered, type RowKey, KEYSPACE, keyspaceOf, keyWithin } from '../model/ports.ts';
import { childKey, keyText, rowKey } from '../model/row-keys.ts';
import { type SessionRow } from './inbound/sessions.ts';
import { BOSS_AGENT, type ChildRow } from '../model/supervision.ts';
import type { UnsettledRows } from '../world/unsettled-rows.ts';
import type { World } from '../world/world.ts';

/** Keyspaces that readers use, besides the records of children. */
const SHOWN = (['sessions', 'deadLetters', 'groups', 'names', 'systemIds'] as const).map((name) => KEYSPACE[name]);

/** Access to actors that are not in memory. */
interface Shelves {
  /** Wakes the actor at an address. */
  cellAt(address: string): Cell | undefined;
  addressOf(life: number): string | undefined;
  row(key: RowKey): unknown;
  /** The number of actors that can wake before others have to be evicted. */
  room(): number;
}

export class DurableView {
  readonly #population = new ShownPopulation();
  readonly #members = new ShownMembers();
  /** Rows by key, without members of groups. */
  readonly #rows = new Map<string, unknown>();
  readonly #quarantine = new Map<RowKey, unknown>();
  /** Records of children whose durable state differs from memory. Undefined before `load`. */
  #unsettled: UnsettledRows | undefined;
  /** Number of the last durable epoch of this run; 0 before the first. */
  epoch = 0;
  #shelves: Shelves | undefined;
  /** Number of actors that have left memory without an end. */
  #left = 0;
  /** That number when everybody below an actor was in memory: nobody there rests while it is the same. */
  readonly #awake = new WeakMap<Cell, number>();

  /** Gives access to actors that are not in memory. Must precede `load`. */
  shelve(shelves: Shelves): void {
    this.#shelves = shelves;
  }

  /** Adds an actor that has woken. */
  arrive(cell: Cell): void {
    this.#population.add(cell);
  }

  /** Removes an actor that leaves memory. */
  leave(cell: Cell): void {
    this.#left += 1;
    this.#population.remove(cell);
  }

  /** Initialises the view with what was recovered. */
  load(recovered: Recovered, { cells, unsettled }: Pick<World, 'cells' | 'unsettled'>): void {
    this.#unsettled = unsettled;
    // Addresses are stored in order, and to sort what is in order is cheap.
    const ordered = [...(recovered.rows.get(KEYSPACE.addresses)?.values() ?? [])] as number[];
    this.#population.load(
      new Set([...ordered.flatMap((life) => cells.resident(life) ?? []), ...cells.values()]),
      cells,
    );
    for (const keyspace of SHOWN) {
      for (const [key, row] of recovered.rows.get(keyspace) ?? []) this.#showRow(`${keyspace}!${key}`, row);
    }
  }

  /** Shows a durable epoch. */
  show({ images, epoch }: Frozen): void {
    this.epoch = epoch.number;
    for (const [key, row] of epoch.rows) this.#showRow(key, row);
    for (const image of images) {
      const { cell } = image;
      const isNew = cell.durable === undefined;
      cell.showAs(image);
      if (image.isGone) this.#population.remove(cell);
      else if (isNew) this.#population.add(cell);
    }
  }

  /** The actor at an address, woken if necessary. */
  at(address: string): Cell | undefined {
    const cell = this.#population.at(address) ?? this.#shelves?.cellAt(address);
    return cell?.durable && cell;
  }

  /** The actors in memory, in order of addresses; between two steps of a reader actors may come and go. */
  cells(): Iterable<Cell> {
    return this.#population.inTurn();
  }

  /** Whether a Boss has children on disk that `childrenOf` and `families` leave out. */
  isPartial({ childTable, children }: Cell): boolean {
    if (childTable === undefined) return false;
    if (!childTable.isWhole) return true;
    // Each child in memory has a row.
    if (childTable.size === children.size) return false;
    for (const [id, row] of childTable) if ((row as ChildRow).status !== 'ended' && !children.has(id)) return true;
    return false;
  }

  /**
   * The children of an actor, in order of birth. Resting children of a Boss are woken where there is room for all of
   * them, and left out otherwise. Takes time linear in the number of actors below it.
   */
  childrenOf(parent: Cell): readonly Cell[] {
    if (this.#shelves !== undefined) this.#wakeChildren(parent);
    return this.#population.childrenOf(parent);
  }

  /**
   * Yields an actor and everybody below it in order of addresses, or a part of them; undefined for each that was looked
   * at in vain. Resting actors are woken as by `childrenOf`. Costs only what is yielded.
   *
   * @param agent Only actors of this agent. Default: all.
   */
  below(top: Cell, part: ListedPart = {}, agent?: string): Iterable<Cell | undefined> {
    if (this.#shelves !== undefined) this.#wakeBelow(top);
    return this.#population.below(top, part, agent);
  }

  /** The chains of all actors in memory, with their lives. */
  *chains(): Generator<readonly [life: number, chain: Chain]> {
    for (const cell of this.cells()) {
      const chain = chainOf(cell);
      if (chain !== undefined) yield [cell.life, chain];
    }
  }

  /** The children of an actor and of everybody below it, in order of birth, as by `childrenOf`. */
  families(top: Cell): ReadonlyMap<Cell, readonly Cell[]> {
    return familiesAmong(this.below(top));
  }

  /** A Boss's record of a child. */
  childRow({ life, table }: Cell, childId: string): ChildRow | undefined {
    const key = childKey(life, childId);
    if (this.#shelves !== undefined) return this.#shelves.row(key) as ChildRow | undefined;
    const row = this.#unsettled?.durable(key);
    return row === undefined ? table.get(childId) : (row ?? undefined);
  }

  lastSequence(session: string): number {
    const row = this.#rows.get(rowKey(KEYSPACE.sessions, keyText(session))) as SessionRow | undefined;
    return row?.[0] ?? 0;
  }

  /** Dead letters by number, oldest first. */
  quarantined(): (readonly [number: number, row: unknown])[] {
    return [...this.#quarantine].map(([key, row]) => [parseInt(keyWithin(key), 16), row] as const);
  }

  /** The holder of a system id or registered name, and its value. */
  named(name: string): { readonly address: string; readonly value: unknown } | undefined {
    const key = keyText(name);
    const row = this.#rows.get(rowKey(KEYSPACE.names, key)) ?? this.#rows.get(rowKey(KEYSPACE.systemIds, key));
    const [life, value] =
      typeof row === 'number' ? [row, undefined] : ((row ?? []) as [life?: number, value?: unknown]);
    const [holder] = life === undefined ? [] : this.#addressesOf(new Set([life]));
    return holder === undefined ? undefined : { address: holder, value };
  }

  /** Addresses of a group's members, in order of birth. */
  members(group: string): readonly string[] {
    return this.#addressesOf(this.#members.of(group));
  }

  #wakeBelow(top: Cell): void {
    if (!top.role.supervises || this.#awake.get(top) === this.#left) return;
    const bosses = [...this.#population.below(top, {}, BOSS_AGENT)].filter((cell) => cell !== undefined);
    let isWhole = true;
    // Bosses that wake are added, and their children woken in turn.
    for (const boss of bosses) {
      const woken = this.#wakeChildren(boss);
      isWhole &&= woken !== undefined && !this.isPartial(boss);
      for (const child of woken ?? []) if (child.role.supervises) bosses.push(child);
    }
    if (isWhole) this.#awake.set(top, this.#left);
  }

  /** Wakes the resting children of a Boss, and returns them; undefined if there is no room for them. */
  #wakeChildren({ childTable, children, address }: Cell): readonly Cell[] | undefined {
    if (childTable === undefined) return [];
    // Waking more than fit would only evict others, at every read.
    if (!childTable.isWhole || childTable.size - children.size > this.#shelves!.room()) return undefined;
    const resting = [...childTable.keys()].filter((id) => !children.has(id));
    return resting.flatMap((id) => this.at(childAddress(address, id)) ?? []);
  }

  #addressesOf(lives: ReadonlySet<number>): string[] {
    const shelves = this.#shelves;
    if (shelves === undefined) return this.#population.addressesOf(lives);
    return [...lives].sort((a, b) => a - b).flatMap((life) => shelves.addressOf(life) ?? []);
  }

  #showRow(key: string, row: unknown): void {
    const keyspace = keyspaceOf(key);
    if (keyspace === KEYSPACE.children) this.#unsettled?.settled(key as RowKey, row);
    if (!SHOWN.includes(keyspace)) return;
    if (keyspace === KEYSPACE.groups) return this.#members.show(key, row);
    const rows: Map<string, unknown> = keyspace === KEYSPACE.deadLetters ? this.#quarantine : this.#rows;
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
}
