/** Backoff between restarts of one child: exponential, capped, with jitter. Pure; chance comes in as a number. */

export interface Backoff {
  /** Delay before the first restart in a row, milliseconds. */
  readonly minMs: number;
  /** Cap before jitter, milliseconds. */
  readonly maxMs: number;
  readonly factor: number;
  /** Added after the cap: up to this share of the delay, so that many children do not come back at once. */
  readonly jitter: number;
}

export const DEFAULT_BACKOFF: Backoff = { minMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2 };

/**
 * @param consecutive Restarts in a row so far: 0 before the first.
 * @param random In [0, 1).
 * @returns Whole milliseconds.
 * @see Pekko BackoffSupervisor: the same formula, jitter after the cap.
 */
export function backoffMs(consecutive: number, { minMs, maxMs, factor, jitter }: Backoff, random: number): number {
  // The power may be infinite after a long row, and no delay at all stays none.
  const grown = minMs === 0 ? 0 : minMs * factor ** consecutive;
  return Math.round(Math.min(maxMs, grown) * (1 + random * jitter));
}

/** A child that ran this long is well again: its count of restarts in a row starts anew. Pekko's default. */
export function resetAfterMs({ minMs, maxMs }: Backoff): number {
  return (minMs + maxMs) / 2;
}
