/**
 * How often something may happen: what the gateway allows and a client keeps to, counted the same on both sides. It
 * holds numbers only and reads no clock.
 */

export interface Rate {
  /** What may be saved up. */
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMs: number;

  /** @param tokens In it at `nowMs`. Default: it is full. */
  constructor(rate: Rate, nowMs: number, tokens = rate.burst) {
    this.#rate = rate;
    this.#tokens = tokens;
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
