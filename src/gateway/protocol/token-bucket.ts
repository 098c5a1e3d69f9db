/**
 * A token bucket, used by the gateway to limit rates and by clients to stay within them. It holds numbers only and
 * reads no clock.
 */

/** A rate limit: the tokens that can be saved up, and the tokens added per second. */
export interface Rate {
  /** Tokens that can be saved up. */
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #atMs: number;

  /**
   * Makes a bucket.
   *
   * @param tokens Tokens in the bucket at `nowMs`. Default: full.
   */
  constructor(rate: Rate, nowMs: number, tokens = rate.burst) {
    this.#rate = rate;
    this.#tokens = tokens;
    this.#atMs = nowMs;
  }

  /**
   * Takes a token if there is one.
   *
   * @returns 0 if taken, otherwise the ms until there is one.
   */
  take(nowMs: number): number {
    const owesMs = this.owesMs(nowMs);
    if (owesMs === 0) this.#tokens -= 1;
    return owesMs;
  }

  /**
   * Returns the debt.
   *
   * @returns 0 if there is a token, otherwise the ms until there is one.
   */
  owesMs(nowMs: number): number {
    const { burst, perSecond } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, nowMs - this.#atMs) * perSecond) / 1_000);
    this.#atMs = nowMs;
    return this.#tokens < 1 ? Math.ceil(((1 - this.#tokens) * 1_000) / perSecond) : 0;
  }

  /** Takes tokens after the fact; may overdraw the bucket. */
  charge(tokens: number): void {
    this.#tokens -= tokens;
  }
}
