/** What readers may see: everything as of the last durable epoch, also where memory is ahead of it (design P2). */
import { childAddress } from '../model/address.ts';
import { type Cell } from '../world/cell.ts';
import { type Frozen } from '../world/epoch-draft.ts';
import { type Recovered, type RowKey, KEYSPACE, keyspaceOf, keyWithin } from '../model/ports.ts';
import { childKey, keyText, rowKey, childIn } from '../model/row-keys.ts';
import { type ActorState } from '../model/state.ts';
import { type SessionRow } from './inbound/sessions.ts';
import { type ChildRow } from '../model/supervision.ts';

/** What readers ask for. */
const SHOWN = (['children', 'sessions', 'deadLetters', 'groups', 'names', 'systemIds'] as const).map(
  (name) => KEYSPACE[name],
);

/** Where readers find what is not in memory. */
interface Shelves {
  /** Wakes who rests. */
  cellAt(address: string): Cell | undefined;
  addressOf(life: number): string | undefined;
  row(key: RowKey): unknown;
  /** How many more may wake before others would have to leave. */
  room(): number;
}

export class DurableView {
  readonly #population = new Map<string, Cell>();
  /** By row key. */
  readonly #rows = new Map<string, unknown>();
  readonly #quarantine = new Map<RowKey, unknown>();
  /** Records of children, by life of their Boss and child id; none where not everybody is in memory. */
  readonly #children = new Map<number, Map<string, unknown>>();
  /** Number of the last durable epoch of this run; 0 before the first. */
  epoch = 0;
  #shelves: Shelves | undefined;

  /** Not everybody is in memory. Before `load`. */
  shelve(shelves: Shelves): void {
    this.#shelves = shelves;
  }

  /** One that rested is in memory. */
  arrive(cell: Cell): void {
    this.#population.set(cell.address, cell);
  }

  /** One leaves memory. */
  leave(cell: Cell): void {
    this.#hide(cell);
  }

  /** Begins with what was recovered. */
  load(recovered: Recovered, cells: Iterable<Cell>): void {
    for (const cell of cells) this.#population.set(cell.address, cell);
    for (const keyspace of SHOWN) {
      for (const [key, row] of recovered.rows.get(keyspace) ?? []) this.#showRow(`${keyspace}!${key}`, row);
    }
  }

  /** An epoch is durable. */
  show({ images, epoch }: Frozen): void {
    this.epoch = epoch.number;
    for (const [key, row] of epoch.rows) this.#showRow(key, row);
    for (const image of images) {
      const { cell } = image;
      const isNew = cell.durable === undefined;
      cell.durable = image;
      if (image.isGone) this.#hide(cell);
      else if (isNew) this.#population.set(cell.address, cell);
    }
  }

  /** Wakes one that rests. */
  at(address: string): Cell | undefined {
    const cell = this.#population.get(address) ?? this.#shelves?.cellAt(address);
    return cell?.durable && cell;
  }

  /** Those in memory. */
  cells(): Iterable<Cell> {
    return this.#population.values();
  }

  /** Whether there are children of a Boss on disk that `childrenOf` and `families` do not give. */
  isPartial({ childTable, children }: Cell): boolean {
    if (childTable === undefined) return false;
    if (!childTable.isWhole) return true;
    for (const [id, row] of childTable) if ((row as ChildRow).status !== 'ended' && !children.has(id)) return true;
    return false;
  }

  /**
   * In the order of their births. Those of a Boss that rest are woken where there is room for all of them, and left out
   * otherwise. Linear in the population.
   */
  childrenOf(parent: Cell): readonly Cell[] {
    this.#wakeChildren(parent);
    return [...this.#population.values()].filter((cell) => cell.parent === parent).sort((a, b) => a.life - b.life);
  }

  /** By life. */
  *states(): Generator<readonly [life: number, state: ActorState]> {
    for (const { life, durable } of this.#population.values()) if (durable !== undefined) yield [life, durable.state];
  }

  /** Of an actor and everybody below it: the children, in the order of their births. As `childrenOf`. */
  families(top: Cell): ReadonlyMap<Cell, readonly Cell[]> {
    if (this.#shelves !== undefined) this.#wakeBelow(top);
    const families = new Map<Cell, Cell[]>();
    const byAge = [...this.#population.values()].sort((a, b) => a.life - b.life);
    for (const cell of byAge) {
      if (cell.parent === undefined) continue;
      const siblings = families.get(cell.parent);
      if (siblings === undefined) families.set(cell.parent, [cell]);
      else siblings.push(cell);
    }
    return families;
  }

  /** A Boss's record of a child. */
  childRow({ life }: Cell, childId: string): ChildRow | undefined {
    const row =
      this.#shelves === undefined ? this.#children.get(life)?.get(childId) : this.#shelves.row(childKey(life, childId));
    return row as ChildRow | undefined;
  }

  lastSequence(session: string): number {
    const row = this.#rows.get(rowKey(KEYSPACE.sessions, keyText(session))) as SessionRow | undefined;
    return row?.[0] ?? 0;
  }

  /** Dead letters by number, oldest first. */
  quarantined(): (readonly [number: number, row: unknown])[] {
    return [...this.#quarantine].map(([key, row]) => [parseInt(keyWithin(key), 16), row] as const);
  }

  /** Who has a system id or a registered name, and the value beside it. */
  named(name: string): { readonly address: string; readonly value: unknown } | undefined {
    const key = keyText(name);
    const row = this.#rows.get(rowKey(KEYSPACE.names, key)) ?? this.#rows.get(rowKey(KEYSPACE.systemIds, key));
    const [life, value] =
      typeof row === 'number' ? [row, undefined] : ((row ?? []) as [life?: number, value?: unknown]);
    const [holder] = life === undefined ? [] : this.#addressesOf(new Set([life]));
    return holder === undefined ? undefined : { address: holder, value };
  }

  /** Addresses of a group's members, in the order of their births. Linear in the population. */
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
    // More than there is room for would only push out others, every time somebody looks.
    if (childTable?.isWhole !== true || childTable.size - children.size > this.#shelves!.room()) return;
    for (const id of childTable.keys()) if (!children.has(id)) this.at(childAddress(identity.address, id));
  }

  #addressesOf(lives: ReadonlySet<number>): string[] {
    const shelves = this.#shelves;
    if (shelves !== undefined) return [...lives].sort((a, b) => a - b).flatMap((life) => shelves.addressOf(life) ?? []);
    const found = [...this.#population.values()].filter(({ life }) => lives.has(life));
    return found.sort((a, b) => a.life - b.life).map(({ identity }) => identity.address);
  }

  /** Somebody else may live there by now. */
  #hide(cell: Cell): void {
    const { address } = cell;
    if (this.#population.get(address) === cell) this.#population.delete(address);
  }

  #showRow(key: string, row: unknown): void {
    const keyspace = keyspaceOf(key);
    if (!SHOWN.includes(keyspace)) return;
    if (keyspace === KEYSPACE.children) {
      this.#showChild(key, row);
      return;
    }
    const rows: Map<string, unknown> = keyspace === KEYSPACE.deadLetters ? this.#quarantine : this.#rows;
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }

  #showChild(key: string, row: unknown): void {
    if (this.#shelves !== undefined) return;
    const [life, childId] = childIn(keyWithin(key));
    const records = this.#children.get(life) ?? new Map<string, unknown>();
    this.#children.set(life, records);
    // The text of the record itself, where it is there: a slice would keep the whole key.
    if (row !== null) records.set((row as { spec?: { id?: string } }).spec?.id ?? childId, row);
    else if (records.delete(childId) && records.size === 0) this.#children.delete(life);
  }
}
