/**
 * Which turn a message or a timer comes from: they are numbered in the order in which they are made, so the numbers
 * that were next when a turn began are enough. The last 10,000 turns are remembered, in an array that nothing is
 * allocated for.
 */
import { TRACE_TURNS_MAX } from '../../../limits.ts';

/** In place of the sequence of a turn that is not known. */
const UNKNOWN = -1;

/** What one turn has in the array, side by side, so that it is one line of the processor's cache. */
const LIFE = 0;
const SEQUENCE = 1;
const MESSAGE = 2;
const TIMER = 3;
const WIDTH = 4;

export class Causes {
  readonly #turns = new Float64Array(TRACE_TURNS_MAX * WIDTH);
  #size = 0;

  /**
   * Messages and timers from these numbers on are this turn's. @returns By what its sequence is told, once it is known.
   */
  begin(life: number, message: number, timer: number): number {
    const place = this.#size++;
    const at = (place % TRACE_TURNS_MAX) * WIDTH;
    this.#turns[at + LIFE] = life;
    this.#turns[at + SEQUENCE] = UNKNOWN;
    this.#turns[at + MESSAGE] = message;
    this.#turns[at + TIMER] = timer;
    return place;
  }

  end(place: number, sequence: number | null): void {
    this.#turns[(place % TRACE_TURNS_MAX) * WIDTH + SEQUENCE] = sequence ?? UNKNOWN;
  }

  /** Sequence of the turn of a life that made a message; null where it is not remembered. */
  ofMessage(number: number, life: number): number | null {
    return this.#find(MESSAGE, number, life);
  }

  ofTimer(number: number, life: number): number | null {
    return this.#find(TIMER, number, life);
  }

  /** The last turn that began before the number was given out. */
  #find(which: number, number: number, life: number): number | null {
    const oldest = Math.max(0, this.#size - TRACE_TURNS_MAX);
    let low = oldest;
    let high = this.#size;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#turns[(middle % TRACE_TURNS_MAX) * WIDTH + which]! <= number) low = middle + 1;
      else high = middle;
    }
    if (low === oldest) return null;
    const at = ((low - 1) % TRACE_TURNS_MAX) * WIDTH;
    const sequence = this.#turns[at + SEQUENCE]!;
    return this.#turns[at + LIFE] === life && sequence !== UNKNOWN ? sequence : null;
  }
}
