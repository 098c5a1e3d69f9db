/** The clock port and the one home of Date.now, setTimeout and setImmediate. Everything else is handed a Clock. */

export interface Cancel {
  (): void;
}

export interface Clock {
  /** Wall clock, milliseconds since 1970. May jump. */
  wallMs(): number;
  /** Never goes backwards within one process; origin is arbitrary. Milliseconds, with fractions. */
  monotonicMs(): number;
  /**
   * Runs `callback` once, `delayMs` from now or a little later, never early. `delayMs` is at most {@link TIMEOUT_MS_MAX}.
   * A process does not stay alive for what is in the background.
   */
  setTimeout(callback: () => void, delayMs: number, options?: { readonly isBackground?: boolean }): Cancel;
  /** Runs `callback` soon, after what is ready to run now. */
  defer(callback: () => void): void;
}

/** Node turns a longer timeout into one millisecond; longer waits are armed again. */
export const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimeout(callback, delayMs, { isBackground = false } = {}) {
    const timer = setTimeout(callback, delayMs);
    if (isBackground) timer.unref();
    return () => clearTimeout(timer);
  },
  defer(callback) {
    setImmediate(callback);
  },
};
