/** The pace at which the gateway takes frames. Who keeps it is not refused for it. */
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

  begin({ perSecond, burst }: Rate): void {
    this.#rate = { perSecond, burst };
    this.#bucket = new TokenBucket(this.#rate, this.#clock.monotonicMs());
    this.#notBeforeMs = -Infinity;
  }

  /** @returns 0, or the milliseconds after which there is room for another one. */
  take(): number {
    const nowMs = this.#clock.monotonicMs();
    return nowMs < this.#notBeforeMs ? Math.max(1, this.#notBeforeMs - nowMs) : this.#bucket.take(nowMs);
  }

  /** The gateway has said that it is too much: one goes out after that time, others at the pace. */
  refused(retryAfterMs: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, this.#clock.monotonicMs() + retryAfterMs);
    this.#bucket = new TokenBucket(this.#rate, this.#notBeforeMs, 1);
  }
}
