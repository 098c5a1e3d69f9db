/**
 * Kernel time: the only time for timers, restart windows and records. Milliseconds since 1970, anchored to the wall
 * clock when a run begins, monotonic within it, and never before the last time written by an earlier run.
 */
import { type Cancel, type Clock } from '../../../clock.ts';
import { BosunError } from '../../../errors.ts';
import { CLOCK_AHEAD_MS_MAX, HEARTBEAT_MS } from '../../../limits.ts';

export interface AnchorOptions {
  /** Kernel time of the last epoch; 0 for a new store. */
  readonly lastMs: number;
  /** Whether nothing will run: time stands still, so that downtime does not count. */
  readonly hold: boolean;
  /** Whether kernel time begins at the wall clock unchecked, even if that is before the last written time. */
  readonly trustWallClock: boolean;
}

/** How far the wall clock may be behind kernel time without a report: synchronised clocks differ by less. */
const BEHIND_MS_MAX = 60_000;

/**
 * Computes where kernel time begins.
 *
 * @returns The time, and a report for people, if any.
 * @throws BOSUN_CLOCK_SUSPECT if the wall clock is so far ahead that it is probably wrong. Every timer of the store
 * would fire, which could not be undone.
 */
export function anchor(
  wallMs: number,
  { lastMs, hold, trustWallClock }: AnchorOptions,
): { originMs: number; report?: string } {
  if (hold) return { originMs: lastMs };
  if (trustWallClock || lastMs === 0) return { originMs: wallMs };
  if (wallMs - lastMs > CLOCK_AHEAD_MS_MAX) {
    const days = Math.floor((wallMs - lastMs) / 86_400_000);
    throw new BosunError(
      'BOSUN_CLOCK_SUSPECT',
      `the wall clock says ${isoOf(wallMs)}, ${days} days after the last epoch; start once with trustWallClock ` +
        '(--trust-wall-clock of bosun run and serve) if it is right',
      {
        details: { wallMs, lastMs },
      },
    );
  }
  if (lastMs - wallMs <= BEHIND_MS_MAX) return { originMs: Math.max(wallMs, lastMs) };
  const report =
    `the wall clock says ${isoOf(wallMs)}, before the last epoch at ${isoOf(lastMs)}; kernel time goes on from ` +
    'there. Start once with trustWallClock (--trust-wall-clock of bosun run and serve) to set it back';
  return { originMs: lastMs, report };
}

function isoOf(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}

export class KernelTime {
  readonly #clock: Clock;
  readonly #hold: boolean;
  readonly #originMs: number;
  readonly #startMs: number;
  #writtenMs: number;
  /** Kernel time of the last epoch of the previous run. */
  readonly lastMs: number;
  /** The report for people about how this run began, if any. */
  readonly report: string | undefined;

  /** Starts kernel time. Throws BOSUN_CLOCK_SUSPECT. */
  constructor(clock: Clock, options: AnchorOptions) {
    this.#clock = clock;
    this.#hold = options.hold;
    this.#startMs = clock.monotonicMs();
    const { originMs, report } = anchor(clock.wallMs(), options);
    this.#originMs = originMs;
    this.#writtenMs = originMs;
    this.lastMs = options.lastMs;
    this.report = report;
  }

  nowMs(): number {
    return this.at(this.#clock.monotonicMs());
  }

  /** Kernel time at a reading of the monotonic clock. */
  at(monotonicMs: number): number {
    return this.#hold ? this.#originMs : this.#originMs + (monotonicMs - this.#startMs);
  }

  /** The current time, for the epoch about to be written. */
  stamp(): number {
    return (this.#writtenMs = this.nowMs());
  }

  /** The time at which an epoch is due only to store the time. */
  get beatAtMs(): number {
    return this.#writtenMs + HEARTBEAT_MS;
  }

  /**
   * Milliseconds by which this run has set kernel time back; 0 except after a start that trusts a wall clock behind it.
   */
  get setBackMs(): number {
    return Math.max(0, this.lastMs - this.#originMs);
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

  /** Sets the time, replacing the one set before. */
  set(atMs: number | undefined): void {
    if (atMs === this.#atMs) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#atMs = atMs;
    if (atMs === undefined || atMs === Infinity) return;
    // Rounded up: late by less than a millisecond, never early.
    const delayMs = Math.max(0, Math.ceil(atMs - this.#time.nowMs()));
    this.#cancel = this.#clock.setTimeout(() => {
      this.#atMs = undefined;
      this.#ring();
    }, delayMs);
  }
}
