/**
 * The clock port and the one home of Date.now, setTimeout and setImmediate. Everything else is handed a Clock. Beside
 * it the clock of this machine, which hides two traps: a timeout of Node that is longer than 2^31 - 1 ms fires at once,
 * and while a machine sleeps Node's monotonic clock stands still, and its timeouts with it.
 */
import { uptime } from 'node:os';

export interface Cancel {
  (): void;
}

export interface Clock {
  /** Wall clock, milliseconds since 1970. May jump. */
  wallMs(): number;
  /**
   * Never goes backwards within one process; origin is arbitrary. Milliseconds, with fractions. It should go on while
   * the machine sleeps; where it does not, timers are late by the sleep.
   */
  monotonicMs(): number;
  /**
   * Runs `callback` once, `delayMs` of monotonic time from now or a little later, never early. Any delay: one of months
   * is waited for, one of Infinity never ends. A process does not stay alive for what is in the background.
   */
  setTimeout(callback: () => void, delayMs: number, options?: { readonly isBackground?: boolean }): Cancel;
  /** Runs `callback` soon, after what is ready to run now. */
  defer(callback: () => void): void;
}

/** What a clock is read from. */
export interface Readings {
  wallMs(): number;
  /** Monotonic; stands still while the machine sleeps. */
  runningMs(): number;
  /** Since the machine was started, its sleep included, however coarse. */
  uptimeMs(): number;
}

/** Waits are cut into steps of so much, so that one that slept with its machine is noticed this late at most. */
export const TIMEOUT_STEP_MS = 10_000;

/** How far uptime may run ahead of the running time before it counts as sleep: macOS tells whole seconds only. */
export const SLEEP_MS_MIN = 5_000;

/** Reading the uptime opens a file on Linux: done at most this often, and at every step of a wait. */
const SLEEP_CHECK_MS = 1_000;

const MACHINE: Readings = {
  wallMs: () => Date.now(),
  runningMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
};

/** The clock of this machine. Use {@link systemClock}; tests give it readings of their own. */
export class SystemClock implements Clock {
  readonly #readings: Readings;
  /** Uptime less running time, before any sleep. */
  readonly #awakeMs: number;
  #sleptMs = 0;
  #checkedAtMs: number;

  constructor(readings: Readings = MACHINE) {
    this.#readings = readings;
    this.#checkedAtMs = readings.runningMs();
    this.#awakeMs = readings.uptimeMs() - this.#checkedAtMs;
  }

  wallMs(): number {
    return this.#readings.wallMs();
  }

  monotonicMs(): number {
    const runningMs = this.#readings.runningMs();
    if (runningMs - this.#checkedAtMs >= SLEEP_CHECK_MS) this.#countSleep(runningMs);
    return runningMs + this.#sleptMs;
  }

  setTimeout(
    callback: () => void,
    delayMs: number,
    { isBackground = false }: { readonly isBackground?: boolean } = {},
  ): Cancel {
    const dueMs = this.monotonicMs() + delayMs;
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      timer = leftMs <= TIMEOUT_STEP_MS ? setTimeout(callback, leftMs) : setTimeout(step, TIMEOUT_STEP_MS);
      if (isBackground) timer.unref();
    };
    const step = () => {
      this.#countSleep(this.#readings.runningMs());
      wait(Math.max(0, dueMs - this.monotonicMs()));
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  /** Sleep only ever adds up: what the readings' coarseness gives and takes again is no sleep. */
  #countSleep(runningMs: number): void {
    this.#checkedAtMs = runningMs;
    const aheadMs = this.#readings.uptimeMs() - runningMs - this.#awakeMs;
    if (aheadMs - this.#sleptMs >= SLEEP_MS_MIN) this.#sleptMs = aheadMs;
  }
}

export const systemClock: Clock = new SystemClock();
