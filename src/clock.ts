/**
 * The clock port, and the only place with Date.now, setTimeout and setImmediate; all other code is given a Clock. The
 * clock of this machine works around two traps: a timeout of Node longer than 2^31 - 1 ms fires at once, and while a
 * machine sleeps Node's monotonic clock stands still, and its timeouts with it.
 */
import { uptime } from 'node:os';

/** Cancels the timer that it was returned for; a second call does nothing. */
export interface Cancel {
  (): void;
}

/** The time of a system: the machine's by default, a `VirtualClock` in tests. */
export interface Clock {
  /** Wall clock, milliseconds since 1970. May jump. */
  wallMs(): number;
  /**
   * Milliseconds, with fractions, from an arbitrary origin. Never goes backwards within one process. It should include
   * the sleep of the machine; where it does not, timers are late by the sleep.
   */
  monotonicMs(): number;
  /**
   * Runs `callback` once, `delayMs` of monotonic time from now or slightly later, never early. Any delay is allowed,
   * even months; Infinity never ends. A background timer does not keep the process alive.
   */
  setTimeout(callback: () => void, delayMs: number, options?: { readonly isBackground?: boolean }): Cancel;
  /** Runs `callback` soon, after everything that is ready to run now. */
  defer(callback: () => void): void;
}

/** The sources of a clock. */
export interface Readings {
  wallMs(): number;
  /** Monotonic time, without the sleep of the machine. */
  runningMs(): number;
  /** Time since the machine was started, including its sleep; may be coarse. */
  uptimeMs(): number;
}

/** The longest step of a wait, in milliseconds. A wait during a sleep of the machine is late by at most one step. */
export const TIMEOUT_STEP_MS = 10_000;

/** How far uptime must run ahead of running time to count as sleep: macOS reports whole seconds only. */
export const SLEEP_MS_MIN = 5_000;

/** Reading the uptime opens a file on Linux, so it is done at most this often, and at every step of a wait. */
const SLEEP_CHECK_MS = 1_000;

const MACHINE: Readings = {
  wallMs: () => Date.now(),
  runningMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
};

/** The clock of this machine. Use {@link systemClock}; tests construct one with readings of their own. */
export class SystemClock implements Clock {
  readonly #readings: Readings;
  /** Uptime minus running time at construction, when no sleep has been counted yet. */
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

  /** Adds up sleep. It only ever increases: fluctuations from the coarseness of the readings do not count. */
  #countSleep(runningMs: number): void {
    this.#checkedAtMs = runningMs;
    const aheadMs = this.#readings.uptimeMs() - runningMs - this.#awakeMs;
    if (aheadMs - this.#sleptMs >= SLEEP_MS_MIN) this.#sleptMs = aheadMs;
  }
}

/** The clock of this machine. */
export const systemClock: Clock = new SystemClock();
