/**
 * Backoff between tries: exponential, capped, with jitter. For restarts by a Boss and for effects. Pure; the random
 * number is a parameter.
 */

export interface Backoff {
  /** Delay before the second try, milliseconds. */
  readonly minMs: number;
  /** Cap before jitter, milliseconds. */
  readonly maxMs: number;
  readonly factor: number;
  /**
   * Jitter, added after the cap: up to this share of the delay, so that many that failed together do not retry at once.
   */
  readonly jitter: number;
}

export const DEFAULT_BACKOFF: Backoff = { minMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2 };

/**
 * Computes the next delay.
 *
 * @param consecutive Delays in a row so far: 0 before the first.
 * @param random A number in [0, 1).
 * @returns Whole milliseconds.
 * @see Pekko BackoffSupervisor: the same formula, jitter after the cap.
 */
export function backoffMs(consecutive: number, { minMs, maxMs, factor, jitter }: Backoff, random: number): number {
  // The power may become infinite, and infinity times zero is not a number.
  const grown = minMs === 0 ? 0 : minMs * factor ** consecutive;
  return Math.round(Math.min(maxMs, grown) * (1 + random * jitter));
}
