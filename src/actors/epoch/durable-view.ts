/** What readers may see: everything as of the last durable epoch, also where memory is ahead of it (design P2). */
import { type Cell } from '../cell.ts';
import { type Frozen } from './epoch-draft.ts';
import { type Recovered, type RowKey, type Table } from '../ports.ts';
import { childKey, keyText, rowKey } from './rows.ts';
import { sessionFrom } from '../door/sessions.ts';
import { type ActorState } from '../state.ts';

/** Tables that readers ask for. */
const SHOWN: readonly Table[] = ['b', 'd', 'q', 'g', 'p', 'n'];

export class DurableView {
  readonly #population = new Map<string, Cell>();
  /** By row key. */
  readonly #rows = new Map<string, unknown>();
  readonly #quarantine = new Map<RowKey, unknown>();
  /** Number of the last durable epoch of this run; 0 before the first. */
  epoch = 0;

  /** Begins with what was recovered. */
  load(recovered: Recovered, cells: Iterable<Cell>): void {
    for (const cell of cells) this.#population.set(cell.identity.address, cell);
    for (const table of SHOWN) {
      for (const [key, row] of recovered.rows.get(table) ?? []) this.#showRow(`${table}!${key}`, row);
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
      else if (isNew) this.#population.set(cell.identity.address, cell);
    }
  }

  at(address: string): Cell | undefined {
    return this.#population.get(address);
  }

  cells(): Iterable<Cell> {
    return this.#population.values();
  }

  /** In the order of their births. Linear in the population. */
  childrenOf(parent: Cell): readonly Cell[] {
    return [...this.#population.values()].filter((cell) => cell.parent === parent).sort((a, b) => a.life - b.life);
  }

  /** By life. */
  *states(): Generator<readonly [life: number, state: ActorState]> {
    for (const { identity, durable } of this.#population.values()) if (durable !== undefined) yield [identity.life, durable.state];
  }

  /** Every actor's children, in the order of their births. */
  families(): ReadonlyMap<Cell, readonly Cell[]> {
    const families = new Map<Cell, Cell[]>();
    const byAge = [...this.#population.values()].sort((a, b) => a.identity.life - b.identity.life);
    for (const cell of byAge) {
      if (cell.parent === undefined) continue;
      const siblings = families.get(cell.parent);
      if (siblings === undefined) families.set(cell.parent, [cell]);
      else siblings.push(cell);
    }
    return families;
  }

  /** A Boss's record of a child. */
  childRow(boss: Cell, childId: string): unknown {
    return this.#rows.get(childKey(boss.identity.life, childId));
  }

  lastSequence(session: string): number {
    return sessionFrom(this.#rows.get(rowKey('d', keyText(session))) ?? 0, 0)[0];
  }

  /** Dead letters by number, oldest first. */
  quarantined(): (readonly [number: number, row: unknown])[] {
    return [...this.#quarantine].map(([key, row]) => [parseInt(key.slice(2), 16), row] as const);
  }

  /** Who has a system id or a registered name, and the value beside it. */
  named(name: string): { readonly address: string; readonly value: unknown } | undefined {
    const key = keyText(name);
    const row = this.#rows.get(rowKey('p', key)) ?? this.#rows.get(rowKey('n', key));
    const [life, value] = typeof row === 'number' ? [row, undefined] : ((row ?? []) as [life?: number, value?: unknown]);
    const [holder] = life === undefined ? [] : this.#addressesOf(new Set([life]));
    return holder === undefined ? undefined : { address: holder, value };
  }

  /** Addresses of a group's members, in the order of their births. Linear in the population. */
  members(group: string): readonly string[] {
    const prefix = `g!${keyText(group)}!`;
    const keys = [...this.#rows.keys()].filter((key) => key.startsWith(prefix) && key.length === prefix.length + 14);
    return this.#addressesOf(new Set(keys.map((key) => parseInt(key.slice(-14), 16))));
  }

  #addressesOf(lives: ReadonlySet<number>): string[] {
    const found = [...this.#population.values()].filter(({ life }) => lives.has(life));
    return found.sort((a, b) => a.life - b.life).map(({ identity }) => identity.address);
  }

  /** Somebody else may live there by now. */
  #hide(cell: Cell): void {
    const { address } = cell.identity;
    if (this.#population.get(address) === cell) this.#population.delete(address);
  }

  #showRow(key: string, row: unknown): void {
    if (!SHOWN.includes(key[0] as Table)) return;
    const rows: Map<string, unknown> = key.startsWith('q!') ? this.#quarantine : this.#rows;
    if (row === null) rows.delete(key);
    else rows.set(key, row);
  }
}
