/**
 * A clock whose time moves only when told to. Timers fire in order of deadline, then of arming, each at its own time,
 * including those armed meanwhile. Microtasks and deferred functions still run by themselves: only time is virtual. An
 * exact clock also keeps deferred functions until `drain`, which then knows when nothing is left to do.
 */
import { type Cancel, type Clock, systemClock } from '../clock.ts';

interface Alarm {
  /** Monotonic time at which the timeout fires. A sleep of the machine postpones it. */
  atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Limit for programs that are never idle, such as one whose promise is restarted whenever it ends. */
const ROUNDS_MAX = 10_000;

/** 2026-01-01T00:00:00Z: an arbitrary origin on which no rule depends. */
const ORIGIN_MS = Date.UTC(2026, 0, 1);

/** A clock that a test moves. */
export class VirtualClock implements Clock {
  #nowMs = 0;
  #wallOffsetMs: number;
  #order = 0;
  /** Timeouts in the order in which they fire. */
  #alarms: Alarm[] = [];
  /** Deferred functions of an exact clock; undefined if they run by themselves. */
  #deferred: (() => void)[] | undefined;

  constructor(originMs: number = ORIGIN_MS, { isExact = false }: { readonly isExact?: boolean } = {}) {
    this.#wallOffsetMs = originMs;
    if (isExact) this.#deferred = [];
  }

  /** Whether deferred functions wait for `drain`. */
  get isExact(): boolean {
    return this.#deferred !== undefined;
  }

  wallMs(): number {
    return this.#wallOffsetMs + this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  setTimeout(callback: () => void, delayMs: number): Cancel {
    const alarm: Alarm = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, callback };
    this.#insert(alarm);
    return () => {
      const at = this.#alarms.indexOf(alarm);
      if (at !== -1) this.#alarms.splice(at, 1);
    };
  }

  defer(callback: () => void): void {
    if (this.#deferred === undefined) systemClock.defer(callback);
    else this.#deferred.push(callback);
  }

  /**
   * Runs the deferred functions of an exact clock in rounds, each after all ready promises have settled.
   *
   * @returns Whether nothing is left to do until time passes; false if work is left after the given number of rounds.
   */
  async drain(rounds = ROUNDS_MAX): Promise<boolean> {
    for (let round = 0; round <= rounds; round++) {
      await new Promise<void>((resolve) => systemClock.defer(resolve));
      const ready = this.#deferred;
      if (ready === undefined || ready.length === 0) return true;
      if (round === rounds) return false;
      this.#deferred = [];
      for (const callback of ready) callback();
    }
    return false;
  }

  /** Moves the wall clock forward or back; monotonic time and timers are not affected. */
  jumpWallMs(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Sets the wall clock, in milliseconds since 1970; monotonic time and timers are not affected. */
  setWall(wallMs: number): void {
    this.#wallOffsetMs = wallMs - this.#nowMs;
  }

  /**
   * Simulates a sleep of the machine for `forMs`: both clocks go on, but timeouts do not fire. After waking, overdue
   * timeouts fire at most `noticedMs` later, as with a real clock; the others fire when due. Nothing fires before the
   * next `advance`.
   */
  suspend(forMs: number, noticedMs = 0): void {
    this.#nowMs += forMs;
    for (const alarm of this.#alarms)
      if (alarm.atMs < this.#nowMs) alarm.atMs = Math.min(alarm.atMs + forMs, this.#nowMs + noticedMs);
    this.#alarms.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
  }

  /**
   * Advances time by `byMs`. Awaits `settle` before each timeout and at the end, so that all consequences have
   * happened.
   */
  async advance(byMs: number, settle: () => Promise<void>): Promise<void> {
    const untilMs = this.#nowMs + byMs;
    await settle();
    for (let next = this.#alarms[0]; next !== undefined && next.atMs <= untilMs; next = this.#alarms[0]) {
      this.#alarms.shift();
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.callback();
      await settle();
    }
    this.#nowMs = untilMs;
    await settle();
  }

  #insert(alarm: Alarm): void {
    let low = 0;
    let high = this.#alarms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // A new timeout goes after all others of the same time.
      if (this.#alarms[middle]!.atMs <= alarm.atMs) low = middle + 1;
      else high = middle;
    }
    this.#alarms.splice(low, 0, alarm);
  }
}
