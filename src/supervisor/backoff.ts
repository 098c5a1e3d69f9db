/** Backoff of restarts: what a Boss adds to the delays of src/backoff.ts. Pure. */
import { type Backoff } from '../backoff.ts';

export interface RestartBackoff extends Backoff {
  /** A child that ran this long is well again: its count of restarts in a row starts anew. */
  readonly resetAfterMs?: number | undefined;
  /** Delayed restarts in a row before the Boss gives up. */
  readonly maxConsecutive?: number | undefined;
}

/** Pekko's default where none is given. */
export function resetAfterMs({ minMs, maxMs, resetAfterMs }: RestartBackoff): number {
  return resetAfterMs ?? (minMs + maxMs) / 2;
}
