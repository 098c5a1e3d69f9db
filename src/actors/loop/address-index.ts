/**
 * Actors in order of their addresses, for pages: the beginning of a page is found without visiting earlier actors, and
 * a reader who continues while actors come and go sees every other actor once. Actors below another one sort under its
 * address and a slash; but an id may contain slashes, so not everything there is below it.
 *
 * A list of short sorted lists, changed in place: a tree of immutable nodes took a quarter of what a birth allocates.
 */
import { type AddressSpan } from '../model/address.ts';
import { type Cell } from '../world/cell.ts';
import { isBelow } from './residency/dry-run.ts';

/** The maximum number of actors in one list. Moving some hundred references costs less than the search for a place. */
const LIST_MAX = 512;

/** Actors that a reader takes at a time, before it looks for its place again. */
export const STEP = 64;

const EVERYWHERE: readonly AddressSpan[] = [{ from: '', end: undefined }];

/** Which actors are listed. */
export interface ListedPart {
  /** Only actors after this address; the root comes before all others. */
  readonly after?: string | undefined;
  /** Only these parts of the order, in order and without overlaps. Default: all of it. The topmost actor always is. */
  readonly spans?: readonly AddressSpan[] | undefined;
}

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

  /**
   * Adds an actor.
   *
   * @returns The actor at its address that it replaces, if there is one.
   */
  set(cell: Cell): Cell | undefined {
    const { address } = cell;
    const index = this.#listFor(address);
    const list = this.#lists[index];
    if (list === undefined) {
      this.#lists.push([cell]);
      return undefined;
    }
    const at = placeIn(list, address);
    const there = list[at];
    if (there?.address === address) {
      list[at] = cell;
      return there;
    }
    if (at === list.length) list.push(cell);
    else list.splice(at, 0, cell);
    if (list.length > LIST_MAX) this.#lists.splice(index + 1, 0, list.splice(LIST_MAX / 2));
    return undefined;
  }

  delete(address: string): void {
    const index = this.#listFor(address);
    const list = this.#lists[index];
    const at = list === undefined ? -1 : placeIn(list, address);
    if (list?.[at]?.address !== address) return;
    list.splice(at, 1);
    if (list.length === 0) this.#lists.splice(index, 1);
  }

  /** Whether there is no actor. */
  get isEmpty(): boolean {
    return this.#lists.length === 0;
  }

  /**
   * Yields an actor, if it is in the index, and then all below it, in order of addresses: so the root comes first.
   * Yields undefined for each actor that it had to look at and that is not below it, so that readers know the cost.
   */
  *below(top: Cell, { after = '', spans = EVERYWHERE }: ListedPart = {}): Generator<Cell | undefined> {
    const { address, parent } = top;
    const isAll = parent === undefined;
    const behind = isAll && after === address ? '' : after;
    if ((after === '' || (!isAll && address > after)) && this.at(address) === top) yield top;
    // The character after the slash ends the range of addresses with this prefix.
    const [first, last] = isAll ? ['', undefined] : [`${address}/`, `${address}0`];
    for (const { from, end } of spans) {
      const begin = [first, behind === '' ? '' : behindOf(behind), from].reduce((a, b) => (a > b ? a : b));
      for (const cell of this.#between(begin, earlier(last, end))) {
        if (cell === top) continue;
        yield isAll || isBelow(cell, top) ? cell : undefined;
      }
    }
  }

  /** All actors, in order of their addresses, while others may come and go. */
  inTurn(): Iterable<Cell> {
    return this.#between('', undefined);
  }

  /** Yields the actors from an address on and before another one. */
  *#between(from: string, end: string | undefined): Generator<Cell> {
    for (let next = from; end === undefined || next < end; ) {
      const some = this.#some(next);
      for (const cell of some) {
        if (end !== undefined && cell.address >= end) return;
        yield cell;
      }
      if (some.length === 0) return;
      next = behindOf(some.at(-1)!.address);
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

/** The first text behind an address: none sorts between it and the same with this character behind it. */
function behindOf(address: string): string {
  return `${address}\0`;
}

function earlier(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
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
