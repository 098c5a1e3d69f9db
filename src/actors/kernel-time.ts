/**
 * Kernel time: the only time that timers, restart windows and records know. Milliseconds since 1970, anchored to the wall
 * clock when a run begins, monotonic within it, and never before the last time written by an earlier run.
 */
import { type Clock } from '../clock.ts';

export class KernelTime {
  readonly #clock: Clock;
  #originMs: number;
  #startMs: number;

  constructor(clock: Clock, lastMs: number) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
    this.#originMs = Math.max(clock.wallMs(), lastMs);
  }

  nowMs(): number {
    return this.#originMs + (this.#clock.monotonicMs() - this.#startMs);
  }
}
