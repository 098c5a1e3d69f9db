/**
 * The queue of connections with frames to send. It is worked off in slices, so that ten thousand subscribers of one
 * actor do not delay incoming frames.
 */
import { type Clock } from '../../clock.ts';
import { PUMP_SLICE_MS } from '../limits.ts';

export class Scheduler {
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];
  #isAwake = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Queues a function, which must not throw. */
  later(pump: () => void): void {
    this.#waiting.push(pump);
    this.#wake();
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#clock.defer(() => this.#work());
  }

  #work(): void {
    this.#isAwake = false;
    const due = this.#waiting;
    this.#waiting = [];
    const untilMs = this.#clock.monotonicMs() + PUMP_SLICE_MS;
    for (const [index, pump] of due.entries()) {
      pump();
      if (this.#clock.monotonicMs() < untilMs) continue;
      // The unfinished rest goes before what was queued meanwhile.
      this.#waiting = [...due.slice(index + 1), ...this.#waiting];
      break;
    }
    if (this.#waiting.length > 0) this.#wake();
  }
}
