/**
 * Actors in order of their addresses, for pages: the beginning of a page is found without visiting earlier actors, and
 * a reader who continues while actors come and go sees every other actor once. Actors below another one sort under its
 * address and a slash; but an id may contain slashes, so not everything there is below it.
 *
 * A list of short sorted lists, changed in place: a tree of immutable nodes took a quarter of what a birth allocates.
 */
import { type Cell } from '../world/cell.ts';
import { isBelow } from './residency/dry-run.ts';

/** The maximum number of actors in one list. Moving some hundred references costs less than the search for a place. */
const LIST_MAX = 512;

/** Actors that a reader takes at a time, before it looks for its place again. */
const STEP = 64;

export class AddressIndex {
  /** The actors in order of their addresses, in lists of which none is empty. */
  #lists: Cell[][] = [];

  /** Initialises the index with these, in any order. */
  load(cells: Iterable<Cell>): void {
    const sorted = [...cells].sort((a, b) => (a.address < b.address ? -1 : 1));
    this.#lists = [];
    for (let at = 0; at < sorted.length; at += LIST_MAX / 2) this.#lists.push(sorted.slice(at, at + LIST_MAX / 2));
  }

  at(address: string): Cell | undefined {
    const list = this.#lists[this.#listFor(address)];
    const cell = list?.[placeIn(list, address)];
    return cell?.address === address ? cell : undefined;
  }

  /** All actors, in order of their addresses. */
  *cells(): Generator<Cell> {
    for (const list of this.#lists) yield* list;
  }

  /** Adds an actor, in place of one at its address. */
  set(cell: Cell): void {
    const { address } = cell;
    const index = this.#listFor(address);
    const list = this.#lists[index];
    if (list === undefined) {
      this.#lists.push([cell]);
      return;
    }
    const at = placeIn(list, address);
    if (list[at]?.address === address) list[at] = cell;
    else if (at === list.length) list.push(cell);
    else list.splice(at, 0, cell);
    if (list.length > LIST_MAX) this.#lists.splice(index + 1, 0, list.splice(LIST_MAX / 2));
  }

  delete(address: string): void {
    const index = this.#listFor(address);
    const list = this.#lists[index];
    const at = list === undefined ? -1 : placeIn(list, address);
    if (list?.[at]?.address !== address) return;
    list.splice(at, 1);
    if (list.length === 0) this.#lists.splice(index, 1);
  }

  /** Yields an actor, and then all below it; only those after an address. So the root comes first. */
  *below(top: Cell, after = ''): Generator<Cell> {
    const { address, parent } = top;
    const isAll = parent === undefined;
    const behind = isAll && after === address ? '' : after;
    if (after === '' || (!isAll && address > after)) yield top;
    // The character after the slash ends the range of addresses with this prefix.
    const [from, end] = isAll ? ['', undefined] : [`${address}/`, `${address}0`];
    let next = behind > from ? behind : from;
    for (;;) {
      const some = this.#some(next);
      for (const cell of some) {
        const key = cell.address;
        if (end !== undefined && key >= end) return;
        if (key > behind && cell !== top && (isAll || isBelow(cell, top))) yield cell;
      }
      if (some.length === 0) return;
      // No address sorts between one and the same with this character behind it.
      next = `${some.at(-1)!.address}\0`;
    }
  }

  /** The next few actors whose address is not before the given one. */
  #some(from: string): Cell[] {
    const index = this.#listFor(from);
    const list = this.#lists[index];
    if (list === undefined) return [];
    const at = placeIn(list, from);
    return at < list.length ? list.slice(at, at + STEP) : (this.#lists[index + 1] ?? []).slice(0, STEP);
  }

  /** The index of the last list that begins at or before an address; of the first one where none does. */
  #listFor(address: string): number {
    let [low, high] = [0, this.#lists.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#lists[middle]![0]!.address <= address) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The index of the first actor in a sorted list whose address is not before the given one. */
function placeIn(list: readonly Cell[], address: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.address < address) low = middle + 1;
    else high = middle;
  }
  return low;
}
