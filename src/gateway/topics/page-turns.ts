/**
 * The queue of pages being read: all of them share one slice per round of the event loop, and callers take turns. A
 * page of a caller is finished before its next one begins, so that the cost of the first is charged by then.
 */
import { type Clock } from '../../clock.ts';
import { PAGE_SLICE } from '../limits.ts';

/** A page under way. */
interface Reading {
  /** Reads as much as a slice may cost. Returns the cost, and whether the page is done. */
  readonly look: () => { readonly cost: number; readonly isDone: boolean };
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export class PageTurns {
  readonly #clock: Pick<Clock, 'defer'>;
  /** Readings by caller, the next caller first; those of one caller in order of arrival. */
  readonly #readings = new Map<string, Reading[]>();
  /** Cost that is left in this round. */
  #left = PAGE_SLICE;
  #isAwake = false;

  constructor(clock: Pick<Clock, 'defer'>) {
    this.#clock = clock;
  }

  /** Reads until the page is done; at once if no other caller waits. Rejects with the error of `look`. */
  read(caller: string, look: Reading['look']): Promise<void> {
    return new Promise((done, failed) => {
      const own = this.#readings.get(caller);
      if (own !== undefined) own.push({ look, done, failed });
      else this.#readings.set(caller, [{ look, done, failed }]);
      this.#work();
    });
  }

  #work(): void {
    for (const [caller, own] of this.#readings) {
      if (this.#left <= 0) break;
      // Move the caller to the end of the map, where the same iteration reaches it again.
      this.#readings.delete(caller);
      if (this.#isOver(own[0]!)) own.shift();
      if (own.length > 0) this.#readings.set(caller, own);
    }
    this.#wake();
  }

  #isOver({ look, done, failed }: Reading): boolean {
    try {
      const { cost, isDone } = look();
      this.#left -= cost;
      if (isDone) done();
      return isDone;
    } catch (error) {
      failed(error);
      return true;
    }
  }

  /** Schedules the next round, with a full slice, if this round has used some of its slice. */
  #wake(): void {
    if (this.#isAwake || this.#left === PAGE_SLICE) return;
    this.#isAwake = true;
    this.#clock.defer(() => {
      this.#isAwake = false;
      this.#left = PAGE_SLICE;
      this.#work();
    });
  }
}
