/**
 * An index of cells in memory that, given where to look, finds those on disk too: whoever asks for one of them wakes
 * it.
 */
import type { Cell } from '../cell.ts';

export class CellIndex<Key> {
  readonly #residents = new Map<Key, Cell>();
  /** Wakes who is not in memory; undefined where everybody is. */
  seek: ((key: Key) => Cell | undefined) | undefined;

  /** How many are in memory. */
  get size(): number {
    return this.#residents.size;
  }

  get(key: Key): Cell | undefined {
    return this.#residents.get(key) ?? this.seek?.(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  /** Whether somebody with this key may live. Wakes nobody. */
  mayHave(key: Key): boolean {
    return this.seek !== undefined || this.#residents.has(key);
  }

  /** Wakes nobody. */
  resident(key: Key): Cell | undefined {
    return this.#residents.get(key);
  }

  set(key: Key, cell: Cell): void {
    this.#residents.set(key, cell);
  }

  delete(key: Key): void {
    this.#residents.delete(key);
  }

  /** Those in memory. */
  values(): IterableIterator<Cell> {
    return this.#residents.values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Cell]> {
    return this.#residents[Symbol.iterator]();
  }
}
