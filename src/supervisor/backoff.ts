/** When a restarted child is well again. The delay itself is the same for everything that is tried again: src/backoff.ts. */
import { type Backoff } from '../backoff.ts';

/** A child that ran this long is well again: its count of restarts in a row starts anew. Pekko's default. */
export function resetAfterMs({ minMs, maxMs }: Backoff): number {
  return (minMs + maxMs) / 2;
}
