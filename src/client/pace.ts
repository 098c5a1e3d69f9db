/** The rate at which the gateway accepts frames. A client that keeps to it is not refused. */
import { type Rate, TokenBucket } from '../gateway/protocol/token-bucket.ts';
import { type ClientClock } from './platform.ts';

export class Pace {
  readonly #clock: ClientClock;
  #rate: Rate = { burst: 0, perSecond: 0 };
  #bucket = new TokenBucket(this.#rate, 0);
  #notBeforeMs = -Infinity;

  constructor(clock: ClientClock) {
    this.#clock = clock;
  }

  /**
   * Begins a connection. What is left of the rate is the same as before: the gateway counts a caller's frames over all
   * its connections.
   */
  begin({ perSecond, burst }: Rate): void {
    if (perSecond === this.#rate.perSecond && burst === this.#rate.burst) return;
    this.#rate = { perSecond, burst };
    this.#bucket = new TokenBucket(this.#rate, this.#clock.monotonicMs());
    this.#notBeforeMs = -Infinity;
  }

  /**
   * Takes a frame from the rate.
   *
   * @returns 0 if it may be sent now, otherwise the ms until it may.
   */
  take(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs < this.#notBeforeMs ? Math.max(1, this.#notBeforeMs - nowMs) : this.#bucket.take(nowMs);
  }

  /** Counts a frame that could not wait. */
  charge(): void {
    this.#bucket.charge(1);
  }

  /** Handles a refusal: one frame may be sent after that time, others at the rate. */
  refused(retryAfterMs: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#clock.monotonicMs() + retryAfterMs);
    this.#bucket = new TokenBucket(this.#rate, this.#notBeforeMs, 1);
  }
}
