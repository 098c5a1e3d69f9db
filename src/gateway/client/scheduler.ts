/**
 * The line in which connections wait that have something to send. Worked off in slices, so that ten thousand
 * subscribers of one actor do not hold up what comes in meanwhile.
 */
import { type Clock } from '../../clock.ts';
import { PUMP_SLICE_MS } from '../../limits.ts';

export class Scheduler {
  readonly #clock: Clock;
  #waiting: (() => void)[] = [];
  #isAwake = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls it soon, behind those that wait. It must not throw. */
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
      // The rest goes before those that have come meanwhile.
      this.#waiting = [...due.slice(index + 1), ...this.#waiting];
      break;
    }
    if (this.#waiting.length > 0) this.#wake();
  }
}
