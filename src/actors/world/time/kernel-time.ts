/**
 * Kernel time: the only time that timers, restart windows and records know. Milliseconds since 1970, anchored to the
 * wall clock when a run begins, monotonic within it, and never before the last time written by an earlier run.
 */
import { type Cancel, type Clock } from '../../../clock.ts';
import { BosunError } from '../../../errors.ts';
import { CLOCK_AHEAD_MS_MAX, HEARTBEAT_MS } from '../../../limits.ts';

export interface AnchorOptions {
  /** Kernel time of the last epoch; 0 for a new store. */
  readonly lastMs: number;
  /** Nothing will run: time stands still, so that what is down stays down. */
  readonly hold: boolean;
  /** Begin at the wall clock wherever it stands, also before the last time that was written. */
  readonly trustWallClock: boolean;
}

/**
 * How far behind kernel time the wall clock may be without a word about it: clocks that are kept set differ by less.
 */
const BEHIND_MS_MAX = 60_000;

/**
 * Where kernel time begins. Pure.
 *
 * @returns The time, and what to tell people about it, if anything.
 * @throws BOSUN_CLOCK_SUSPECT where the wall clock is so far ahead that it is more likely wrong than right: every
 *   timer of the store would come up, which nothing could undo.
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
  /** Kernel time of the last epoch of the run before. */
  readonly lastMs: number;
  /** What people should know about how this run began. */
  readonly report: string | undefined;

  /** Throws BOSUN_CLOCK_SUSPECT. */
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

  /** What `nowMs` gave when the clock stood there. */
  at(monotonicMs: number): number {
    return this.#hold ? this.#originMs : this.#originMs + (monotonicMs - this.#startMs);
  }

  /** Now, as the time that the epoch about to be written carries. */
  stamp(): number {
    return (this.#writtenMs = this.nowMs());
  }

  /** When an epoch is due for no other reason than that the time is written down. */
  get beatAtMs(): number {
    return this.#writtenMs + HEARTBEAT_MS;
  }

  /** By how much this run has set kernel time back; 0 but for a start that trusts a wall clock behind it. */
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

  /** Replaces what was set before. */
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
