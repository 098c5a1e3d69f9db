/** Token buckets: how often something may happen, by whom. They hold numbers only and read no clock. */

export interface Rate {
  /** What may be saved up. */
  readonly burst: number;
  readonly perSecond: number;
}

export class Bucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMs: number;

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#atMs = nowMs;
  }

  /** @returns 0 when it may happen, and then it has; else after how many ms it may. */
  take(nowMs: number): number {
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, nowMs - this.#atMs) * perSecond) / 1_000);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * 1_000) / perSecond);
    this.#tokens -= 1;
    return 0;
  }
}

/**
 * A bucket each for many; the one that was used longest ago is forgotten when there are too many, and is full again
 * then.
 */
export class Rates {
  readonly #rate: Rate;
  readonly #countMax: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, countMax: number) {
    this.#rate = rate;
    this.#countMax = countMax;
  }

  take(who: string, nowMs: number): number {
    const bucket = this.#buckets.get(who) ?? new Bucket(this.#rate, nowMs);
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > this.#countMax) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest!);
    }
    return bucket.take(nowMs);
  }
}
