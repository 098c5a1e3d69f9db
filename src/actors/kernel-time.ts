/**
 * Kernel time: the only time that timers, restart windows and records know. Milliseconds since 1970, anchored to the wall
 * clock when a run begins, monotonic within it, and never before the last time written by an earlier run.
 */
import { type Cancel, type Clock, TIMEOUT_MS_MAX } from '../clock.ts';

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

/** Calls back at one kernel time, however far away. */
export class Alarm {
  readonly #clock: Clock;
  readonly #time: KernelTime;
  readonly #ring: () => void;
  #atMs: number | undefined;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, time: KernelTime, ring: () => void) {
    this.#clock = clock;
    this.#time = time;
    this.#ring = ring;
  }

  /** Replaces what was set before. It may ring early, where the time is beyond what a timeout can wait; set it again then. */
  set(atMs: number | undefined): void {
    if (atMs === this.#atMs) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#atMs = atMs;
    if (atMs === undefined || atMs === Infinity) return;
    // Rounded up: late by less than a millisecond, never early.
    const delayMs = Math.min(Math.max(0, Math.ceil(atMs - this.#time.nowMs())), TIMEOUT_MS_MAX);
    this.#cancel = this.#clock.setTimeout(() => {
      this.#atMs = undefined;
      this.#ring();
    }, delayMs);
  }
}
