/** Rates by key. */
import { type Rate, TokenBucket } from '../protocol/token-bucket.ts';

/** A token bucket for each key. If there are too many, the least recently used is forgotten, which refills it. */
export class Rates {
  readonly #rate: Rate;
  readonly #countMax: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate, countMax: number) {
    this.#rate = rate;
    this.#countMax = countMax;
  }

  take(who: string, nowMs: number): number {
    return this.#of(who, nowMs).take(nowMs);
  }

  owesMs(who: string, nowMs: number): number {
    return this.#of(who, nowMs).owesMs(nowMs);
  }

  charge(who: string, tokens: number, nowMs: number): void {
    this.#of(who, nowMs).charge(tokens);
  }

  #of(who: string, nowMs: number): TokenBucket {
    const bucket = this.#buckets.get(who) ?? new TokenBucket(this.#rate, nowMs);
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > this.#countMax) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    return bucket;
  }
}
