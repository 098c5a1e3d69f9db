/** An index of cells in memory that can also find those on disk: finding one wakes it. */
import type { Cell } from '../cell.ts';

export class CellIndex<Key> {
  readonly #residents = new Map<Key, Cell>();
  /** Wakes an actor that is not in memory; undefined if all actors are in memory. */
  seek: ((key: Key) => Cell | undefined) | undefined;

  /** The number of cells in memory. */
  get size(): number {
    return this.#residents.size;
  }

  get(key: Key): Cell | undefined {
    return this.#residents.get(key) ?? this.seek?.(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  /** Whether a living actor may have this key. Wakes no actor. */
  mayHave(key: Key): boolean {
    return this.seek !== undefined || this.#residents.has(key);
  }

  /** The cell with this key, if it is in memory. Wakes no actor. */
  resident(key: Key): Cell | undefined {
    return this.#residents.get(key);
  }

  set(key: Key, cell: Cell): void {
    this.#residents.set(key, cell);
  }

  delete(key: Key): void {
    this.#residents.delete(key);
  }

  /** The cells in memory. */
  values(): IterableIterator<Cell> {
    return this.#residents.values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Cell]> {
    return this.#residents[Symbol.iterator]();
  }
}
