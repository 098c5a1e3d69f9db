/** How often something may happen, by whom. */
import { type Rate, TokenBucket } from '../protocol/token-bucket.ts';

/**
 * A bucket each for many; the one that was used longest ago is forgotten when there are too many, and is full again
 * then.
 */
export class Rates {
  readonly #rate: Rate;
  readonly #countMax: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate, countMax: number) {
    this.#rate = rate;
    this.#countMax = countMax;
  }

  take(who: string, nowMs: number): number {
    const bucket = this.#buckets.get(who) ?? new TokenBucket(this.#rate, nowMs);
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > this.#countMax) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    return bucket.take(nowMs);
  }
}
