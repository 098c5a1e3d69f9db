/** The view of readers: everything as of the last durable epoch, even where memory is ahead of it (design P2). */
import { childAddress } from '../model/address.ts';
import { AddressIndex } from './address-index.ts';
import { type Cell } from '../world/cell.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Recovered, type RowKey, KEYSPACE, keyspaceOf, keyWithin } from '../model/ports.ts';
import { childKey, keyText, rowKey } from '../model/row-keys.ts';
import { type ActorState } from '../model/state.ts';
import { type SessionRow } from './inbound/sessions.ts';
import { type ChildRow } from '../model/supervision.ts';
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
  /** The population. */
  readonly #byAddress = new AddressIndex();
  /** Rows by key. */
  readonly #rows = new Map<string, unknown>();
  readonly #quarantine = new Map<RowKey, unknown>();
  /** Records of children whose durable state differs from memory. Undefined before `load`. */
  #unsettled: UnsettledRows | undefined;
  /** Number of the last durable epoch of this run; 0 before the first. */
  epoch = 0;
  #shelves: Shelves | undefined;

  /** Gives access to actors that are not in memory. Must precede `load`. */
  shelve(shelves: Shelves): void {
    this.#shelves = shelves;
  }

  /** Adds an actor that has woken. */
  arrive(cell: Cell): void {
    this.#reveal(cell);
  }

  /** Removes an actor that leaves memory. */
  leave(cell: Cell): void {
    this.#hide(cell);
  }

  /** Initialises the view with what was recovered. */
  load(recovered: Recovered, { cells, unsettled }: Pick<World, 'cells' | 'unsettled'>): void {
    this.#unsettled = unsettled;
    // Addresses are stored in order, and to sort what is in order is cheap.
    const ordered = [...(recovered.rows.get(KEYSPACE.addresses)?.values() ?? [])] as number[];
    this.#byAddress.load(new Set([...ordered.flatMap((life) => cells.resident(life) ?? []), ...cells.values()]));
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
      cell.durable = image;
      if (image.isGone) this.#hide(cell);
      else if (isNew) this.#reveal(cell);
    }
  }

  /** The actor at an address, woken if necessary. */
  at(address: string): Cell | undefined {
    const cell = this.#byAddress.at(address) ?? this.#shelves?.cellAt(address);
    return cell?.durable && cell;
  }

  /** The actors in memory, in order of addresses. */
  cells(): Iterable<Cell> {
    return this.#byAddress.cells();
  }

  /** Whether a Boss has children on disk that `childrenOf` and `families` leave out. */
  isPartial({ childTable, children }: Cell): boolean {
    if (childTable === undefined) return false;
    if (!childTable.isWhole) return true;
    for (const [id, row] of childTable) if ((row as ChildRow).status !== 'ended' && !children.has(id)) return true;
    return false;
  }

  /**
   * The children of an actor, in order of birth. Resting children of a Boss are woken where there is room for all of
   * them, and left out otherwise. Takes time linear in the population.
   */
  childrenOf(parent: Cell): readonly Cell[] {
    this.#wakeChildren(parent);
    return [...this.cells()].filter((cell) => cell.parent === parent).sort((a, b) => a.life - b.life);
  }

  /**
   * Yields an actor and everybody below it in order of addresses; only those after an address. Resting actors are woken
   * as by `childrenOf`. Costs only the actors taken.
   */
  below(top: Cell, after: string): Generator<Cell> {
    if (this.#shelves !== undefined) this.#wakeBelow(top);
    return this.#byAddress.below(top, after);
  }

  /** All states, with their lives. */
  *states(): Generator<readonly [life: number, state: ActorState]> {
    for (const { life, durable } of this.cells()) if (durable !== undefined) yield [life, durable.state];
  }

  /** The children of an actor and of everybody below it, in order of birth, as by `childrenOf`. */
  families(top: Cell): ReadonlyMap<Cell, readonly Cell[]> {
    const families = new Map<Cell, Cell[]>();
    const byAge = [...this.below(top, '')].sort((a, b) => a.life - b.life);
    for (const cell of byAge) {
      if (cell.parent === undefined) continue;
      const siblings = families.get(cell.parent);
      if (siblings === undefined) families.set(cell.parent, [cell]);
      else siblings.push(cell);
    }
    return families;
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

  /** Addresses of a group's members, in order of birth. Takes time linear in the population. */
  members(group: string): readonly string[] {
    const prefix = `${KEYSPACE.groups}!${keyText(group)}!`;
    const keys = [...this.#rows.keys()].filter((key) => key.startsWith(prefix) && key.length === prefix.length + 14);
    return this.#addressesOf(new Set(keys.map((key) => parseInt(key.slice(-14), 16))));
  }

  #wakeBelow(cell: Cell): void {
    this.#wakeChildren(cell);
    for (const child of cell.children.values()) if (child.isBoss) this.#wakeBelow(child);
  }

  #wakeChildren({ childTable, children, identity }: Cell): void {
    // Waking more than fit would only evict others, at every read.
    if (childTable?.isWhole !== true || childTable.size - children.size > this.#shelves!.room()) return;
    for (const id of childTable.keys()) if (!children.has(id)) this.at(childAddress(identity.address, id));
  }

  #addressesOf(lives: ReadonlySet<number>): string[] {
    const shelves = this.#shelves;
    if (shelves !== undefined) return [...lives].sort((a, b) => a - b).flatMap((life) => shelves.addressOf(life) ?? []);
    const found = [...this.cells()].filter(({ life }) => lives.has(life));
    return found.sort((a, b) => a.life - b.life).map(({ identity }) => identity.address);
  }

  /** Removes an actor, unless another one lives at its address by now. */
  #hide(cell: Cell): void {
    const { address } = cell;
    if (this.#byAddress.at(address) === cell) this.#byAddress.delete(address);
  }

  #reveal(cell: Cell): void {
    this.#byAddress.set(cell);
  }

  #showRow(key: string, row: unknown): void {
    const keyspace = keyspaceOf(key);
    if (keyspace === KEYSPACE.children) this.#unsettled?.settled(key as RowKey, row);
    if (!SHOWN.includes(keyspace)) return;
    const rows: Map<string, unknown> = keyspace === KEYSPACE.deadLetters ? this.#quarantine : this.#rows;
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
}
