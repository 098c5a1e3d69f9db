/**
 * The watchers of a window that is read once for all of them. Each reading is a call of one watcher, on whose budget of
 * reads it counts: a watcher that joins pays for the reading that it asks for, and the others take turns. So no caller
 * pays more than it would alone, and no reading is free. Rules only.
 */
import { type Caller } from '../callers/callers.ts';
import { type Looks } from '../callers/looks.ts';

/** A watcher, with its budget. */
export interface WindowReader {
  readonly caller: Caller;
  readonly looks: Looks;
}

export class WindowReaders {
  /** Watchers in the order of their turns. */
  readonly #watching = new Set<WindowReader>();
  /** Watchers that wait for a reading before they watch. */
  readonly #joining: WindowReader[] = [];
  /** The reader of the last reading: it pays too if all have left meanwhile. */
  #last: WindowReader | undefined;

  join(reader: WindowReader): void {
    this.#joining.push(reader);
  }

  /**
   * Adds a watcher, which then takes turns.
   *
   * @returns A function that removes it.
   */
  watch(reader: WindowReader): () => void {
    this.#watching.add(reader);
    return () => this.#watching.delete(reader);
  }

  /** Returns 0, or the ms after which one of the watchers may read again. */
  owesMs(): number {
    if (this.#joining.length > 0) return 0;
    let leastMs = Infinity;
    for (const { looks } of this.#watching) {
      leastMs = Math.min(leastMs, looks.owesMs());
      if (leastMs === 0) break;
    }
    return leastMs === Infinity ? 0 : leastMs;
  }

  /**
   * The watcher that reads next: the first of those that wait, all of which the reading serves, or else the next one in
   * turn that has not overdrawn its budget.
   */
  next(): WindowReader {
    const [joining] = this.#joining.splice(0);
    const reader = joining ?? this.#inTurn() ?? this.#last!;
    if (this.#watching.delete(reader)) this.#watching.add(reader);
    return (this.#last = reader);
  }

  #inTurn(): WindowReader | undefined {
    let [least, leastMs] = [undefined as WindowReader | undefined, Infinity];
    for (const reader of this.#watching) {
      const owesMs = reader.looks.owesMs();
      if (owesMs >= leastMs) continue;
      [least, leastMs] = [reader, owesMs];
      if (owesMs === 0) break;
    }
    return least;
  }
}
