/**
 * A clock whose time moves only when told to. Timers come up in order of deadline, then of arming, each at its own
 * time, also those armed on the way. What is ready to run still runs by itself: only time is virtual.
 */
import { type Cancel, type Clock, systemClock } from '../clock.ts';

interface Alarm {
  /** Monotonic time; a machine that sleeps puts it off. */
  atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** 2026-01-01T00:00:00Z: a round origin that no rule depends on. */
const ORIGIN_MS = Date.UTC(2026, 0, 1);

export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  #alarms: Alarm[] = [];

  constructor(originMs: number = ORIGIN_MS) {
    this.#wallOffsetMs = originMs;
  }

  wallMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  setTimeout(callback: () => void, delayMs: number): Cancel {
    const alarm: Alarm = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#alarms.push(alarm);
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  defer(callback: () => void): void {
    systemClock.defer(callback);
  }

  /** Moves the wall clock forward or back; monotonic time and timers do not notice. */
  jumpWallMs(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Sets the wall clock to a time, milliseconds since 1970; monotonic time and timers do not notice. */
  setWall(wallMs: number): void {
    this.#wallOffsetMs = wallMs - this.#nowMs;
  }

  /**
   * The machine sleeps for `forMs`: both clocks go on, but timeouts do not come up; once it is awake those that are
   * overdue come up no later than `noticedMs` after, as those of a real clock do, the others at their time. Nothing
   * comes up before the next `advance`.
   */
  suspend(forMs: number, noticedMs = 0): void {
    this.#nowMs += forMs;
    for (const alarm of this.#alarms)
      if (alarm.atMs < this.#nowMs) alarm.atMs = Math.min(alarm.atMs + forMs, this.#nowMs + noticedMs);
  }

  /**
   * Moves time on by `byMs`. Before each alarm and at the end, `settle` is awaited, so that what it caused has
   * happened.
   */
  async advance(byMs: number, settle: () => Promise<void>): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settle();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.#alarms = this.#alarms.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
      await settle();
    }
    this.#nowMs = untilMs;
    await settle();
  }

  #next(untilMs: number): Alarm | undefined {
    return this.#alarms.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
  }
}
