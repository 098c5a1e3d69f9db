/**
 * Converts cron expressions to points in time. The only importer of croner, of which the calendar is used and never a
 * timer. croner decides on daylight saving: a local time that does not exist is moved on by what the clock skips, one
 * that comes twice counts once, the first time (the second in zones that switch by half an hour). A search costs half a
 * millisecond, so answers are cached: actors share schedules.
 */
import { Cron } from 'croner';
import { messageOf } from '../../errors.ts';
import { SCHEDULE_MISSED_MAX } from '../../limits.ts';

const MINUTE_MS = 60_000;

/** Minutes of the longest stretch of local time that any zone has repeated: a day, at the date line. */
const REPEATED_MINUTES_MAX = 24 * 60;

/** The planned times between two moments. */
export interface Backlog {
  /** The latest planned times, oldest first, at most as many as requested. */
  readonly times: readonly number[];
  /** The number of all planned times, counted up to SCHEDULE_MISSED_MAX + 1. */
  readonly count: number;
}

export class Calendar {
  readonly #cron: Cron;
  /** The last answer of `after`: it is `nextMs` for every moment from `fromMs` until just before `nextMs`. */
  #next = { fromMs: 0, nextMs: 0 };
  /** Consecutive planned times of the backlog requested last. */
  #run: number[] = [];
  #latest = { keep: 0, untilMs: 0, beforeMs: 0, times: [] as number[] };

  /** Parses an expression. Throws an Error whose message says what is wrong with the expression or the zone. */
  constructor(expression: string, timezone: string) {
    // croner also takes one date instead of a pattern; a schedule comes again.
    if (expression.includes(':')) throw new Error(`"${expression}" is not a cron expression`);
    let first: number | null;
    try {
      this.#cron = new Cron(expression, { timezone, mode: '5-or-6-parts' });
      first = this.#first(0);
    } catch (error) {
      throw new Error(`"${expression}" in ${timezone} is not a schedule: ${messageOf(error)}`, { cause: error });
    }
    if (first === null) throw new Error(`"${expression}" matches no time`);
  }

  /**
   * The first planned time after a moment, in milliseconds since 1970; Infinity when there is none before the year
   * 10000.
   */
  after(ms: number): number {
    if (ms < this.#next.fromMs || ms >= this.#next.nextMs) this.#next = { fromMs: ms, nextMs: this.#search(ms) };
    return this.#next.nextMs;
  }

  /** The planned times from `fromMs`, which is itself a planned time, to `untilMs`, which is not before it. */
  backlog(fromMs: number, untilMs: number, keep: number): Backlog {
    if (this.after(fromMs) > untilMs) return { times: [fromMs], count: 1 };
    let start = this.#run.indexOf(fromMs);
    if (start < 0) {
      this.#run = [fromMs];
      start = 0;
    }
    const run = this.#run;
    let nextMs = this.after(run.at(-1)!);
    for (; nextMs <= untilMs && run.length - start <= SCHEDULE_MISSED_MAX; nextMs = this.after(nextMs))
      run.push(nextMs);
    if (nextMs > untilMs) {
      const times = run.slice(start).filter((ms) => ms <= untilMs);
      return { times: times.slice(-keep), count: Math.min(times.length, SCHEDULE_MISSED_MAX + 1) };
    }
    return { times: this.#latestUntil(untilMs, keep), count: SCHEDULE_MISSED_MAX + 1 };
  }

  /**
   * Finds the latest `keep` planned times by looking back in ever larger steps, because there are too many to walk
   * through.
   */
  #latestUntil(untilMs: number, keep: number): readonly number[] {
    const known = this.#latest;
    if (known.keep === keep && untilMs >= known.untilMs && untilMs < known.beforeMs) return known.times;
    const times: number[] = [];
    for (let backMs = MINUTE_MS; times.length < keep; backMs *= 2) {
      times.length = 0;
      for (let ms = this.#search(untilMs - backMs); ms <= untilMs; ms = this.#search(ms)) times.push(ms);
    }
    this.#latest = { keep, untilMs, beforeMs: this.after(untilMs), times: times.slice(-keep) };
    return this.#latest.times;
  }

  #search(ms: number): number {
    if (!Number.isFinite(ms)) return Infinity;
    let probeMs = ms;
    // In the second pass of a repeated hour croner answers with times of the first: look on from every following
    // minute.
    for (let n = 1; n <= REPEATED_MINUTES_MAX; n++) {
      const nextMs = this.#first(probeMs);
      if (nextMs === null) return Infinity;
      if (nextMs > ms) return nextMs;
      probeMs = (Math.floor(ms / MINUTE_MS) + n) * MINUTE_MS - 1;
    }
    return Infinity;
  }

  #first(ms: number): number | null {
    return this.#cron.nextRun(new Date(ms))?.getTime() ?? null;
  }
}
