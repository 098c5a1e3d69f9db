/** The pace at which the gateway takes frames: a bucket that fills again. Who keeps it is not refused for it. */
import { type ClientClock } from './platform.ts';

export class Pace {
  readonly #clock: ClientClock;
  #perMs = 0;
  #burst = 0;
  #left = 0;
  #atMs = 0;

  constructor(clock: ClientClock) {
    this.#clock = clock;
  }

  begin({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }): void {
    this.#perMs = perSecond / 1_000;
    this.#burst = this.#left = burst;
    this.#atMs = this.#clock.monotonicMs();
  }

  /** @returns 0, or the milliseconds after which there is room for another one. */
  take(): number {
    const nowMs = this.#clock.monotonicMs();
    // It may lie ahead, after a refusal.
    if (nowMs > this.#atMs) {
      this.#left = Math.min(this.#burst, this.#left + (nowMs - this.#atMs) * this.#perMs);
      this.#atMs = nowMs;
    }
    if (this.#left < 1 || nowMs < this.#atMs)
      return Math.max(1, this.#atMs - nowMs + Math.max(0, 1 - this.#left) / this.#perMs);
    this.#left -= 1;
    return 0;
  }

  /** The gateway has said that it is too much. */
  refused(retryAfterMs: number): void {
    this.#left = 1;
    this.#atMs = Math.max(this.#atMs, this.#clock.monotonicMs() + retryAfterMs);
  }
}
