/**
 * Finds the turn that made a message or a timer. Messages and timers are numbered in the order in which they are made,
 * so it is enough to remember the next free numbers at the beginning of each turn. The last 10,000 turns are
 * remembered, in one flat array, so that a turn allocates nothing.
 */
import { TRACE_TURNS_MAX } from '../../../limits.ts';

/** The initial capacity in turns: small systems never need more, and each start pays for it. */
const TURNS_AT_FIRST = 256;

/** Stands for an unknown sequence. */
const UNKNOWN = -1;

/** The fields of one turn, side by side in the array, so that they share a cache line. */
const LIFE = 0;
const SEQUENCE = 1;
const MESSAGE = 2;
const TIMER = 3;
const WIDTH = 4;

export class Causes {
  /** The fields of all turns. The array grows on demand. */
  #turns: Float64Array = new Float64Array(TURNS_AT_FIRST * WIDTH);
  #size = 0;

  /** Begins a turn: messages and timers from these numbers on belong to it. @returns The place for its sequence. */
  begin(life: number, message: number, timer: number): number {
    const place = this.#size++;
    const at = (place % TRACE_TURNS_MAX) * WIDTH;
    if (at >= this.#turns.length) this.#turns = grown(this.#turns, TRACE_TURNS_MAX * WIDTH);
    this.#turns[at + LIFE] = life;
    this.#turns[at + SEQUENCE] = UNKNOWN;
    this.#turns[at + MESSAGE] = message;
    this.#turns[at + TIMER] = timer;
    return place;
  }

  end(place: number, sequence: number | null): void {
    this.#turns[(place % TRACE_TURNS_MAX) * WIDTH + SEQUENCE] = sequence ?? UNKNOWN;
  }

  /** Sequence of the turn of a life that made a message; null if it is not remembered. */
  ofMessage(number: number, life: number): number | null {
    return this.#find(MESSAGE, number, life);
  }

  ofTimer(number: number, life: number): number | null {
    return this.#find(TIMER, number, life);
  }

  /** The last turn that began before the number was assigned. */
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

/** A copy of twice the length, or of the maximum. */
export function grown(numbers: Float64Array, lengthMax: number): Float64Array {
  const larger = new Float64Array(Math.min(lengthMax, numbers.length * 2));
  larger.set(numbers);
  return larger;
}
