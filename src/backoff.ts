/**
 * Backoff between tries: exponential, capped, with jitter. For restarts by a Boss and for effects. Pure; chance comes
 * in as a number.
 */

export interface Backoff {
  /** Delay before the second try, milliseconds. */
  readonly minMs: number;
  /** Cap before jitter, milliseconds. */
  readonly maxMs: number;
  readonly factor: number;
  /** Added after the cap: up to this share of the delay, so that many who failed together do not come back at once. */
  readonly jitter: number;
}

export const DEFAULT_BACKOFF: Backoff = { minMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2 };

/**
 * @param consecutive Delays in a row so far: 0 before the first.
 * @param random In [0, 1).
 * @returns Whole milliseconds.
 * @see Pekko BackoffSupervisor: the same formula, jitter after the cap.
 */
export function backoffMs(consecutive: number, { minMs, maxMs, factor, jitter }: Backoff, random: number): number {
  // The power may be infinite after a long row, and no delay at all stays none.
  const grown = minMs === 0 ? 0 : minMs * factor ** consecutive;
  return Math.round(Math.min(maxMs, grown) * (1 + random * jitter));
}
