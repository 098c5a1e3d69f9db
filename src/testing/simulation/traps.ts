/**
 * Traps for what a machine tells user code by chance: the wall clock, random numbers and timers. While a run lasts they
 * are answered from the virtual world, and where they were asked is named. They are set for the whole thread, so
 * whatever else runs in it meanwhile is answered likewise.
 */
import { type Cancel } from '../../clock.ts';
import { type SeededRandom } from '../seeded-random.ts';
import { type VirtualClock } from '../virtual-clock.ts';
import { chanceOf } from './keyed-chance.ts';

/** Most places of user code that are reported. Finding one costs a stack trace. */
const PLACES_MAX = 8;

const INSIDE = /node:|node_modules|\/bosun\/(src|dist)\/|src\/(testing|actors|persistence|gateway|supervisor)\//;

type Global = typeof globalThis;

export class Traps {
  /** Places as `Date.now at charge.ts:12`. */
  readonly asked = new Set<string>();
  readonly #clock: VirtualClock;
  readonly #chance: SeededRandom;
  readonly #timers = new Set<Cancel>();
  readonly #restore: (() => void)[] = [];
  #looks = 0;

  constructor(clock: VirtualClock, seed: number) {
    this.#clock = clock;
    this.#chance = chanceOf(seed, 'user code');
    this.#setDate();
    this.#set(Math, 'random', () => (this.#note('Math.random'), this.#chance.next()));
    this.#setTimers();
  }

  /** Drops the timers of a process that has died. */
  died(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  restore(): void {
    this.died();
    for (const restore of this.#restore.splice(0).reverse()) restore();
  }

  #setDate(): void {
    const Real = Date;
    const now = () => (this.#note('Date'), Math.floor(this.#clock.wallMs()));
    const trapped = new Proxy(Real, {
      construct: (target, given, as) =>
        Reflect.construct(target, given.length === 0 ? [now()] : given, as as new () => object) as object,
      apply: () => new Real(now()).toString(),
      get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
    });
    this.#set(globalThis, 'Date', trapped);
  }

  #setTimers(): void {
    const arm = (callback: (...args: unknown[]) => void, ms: number | undefined, args: unknown[], every: boolean) => {
      this.#note(every ? 'setInterval' : 'setTimeout');
      let cancel: Cancel = () => {};
      const stop = () => {
        cancel();
        this.#timers.delete(stop);
      };
      const fire = () => {
        if (every) cancel = this.#clock.setTimeout(fire, Math.max(1, ms ?? 1));
        else this.#timers.delete(stop);
        callback(...args);
      };
      cancel = this.#clock.setTimeout(fire, Math.max(1, ms ?? 1));
      this.#timers.add(stop);
      const timer = { stop, ref: () => timer, unref: () => timer, hasRef: () => true };
      return timer;
    };
    // A timer of before the simulation is Node's, such as that of an open connection, and fires if it is not cleared.
    const { clearTimeout: clearReal } = globalThis;
    const clear = (timer: { stop?: () => void } | undefined) =>
      timer?.stop === undefined ? clearReal(timer as NodeJS.Timeout | undefined) : timer.stop();
    const once = (callback: () => void, ms?: number, ...args: unknown[]) => arm(callback, ms, args, false);
    const often = (callback: () => void, ms?: number, ...args: unknown[]) => arm(callback, ms, args, true);
    this.#set(globalThis, 'setTimeout', once as unknown as Global['setTimeout']);
    this.#set(globalThis, 'setInterval', often as unknown as Global['setInterval']);
    this.#set(globalThis, 'clearTimeout', clear as unknown as Global['clearTimeout']);
    this.#set(globalThis, 'clearInterval', clear as unknown as Global['clearInterval']);
  }

  #set<T extends object, K extends keyof T>(on: T, key: K, value: T[K]): void {
    const before = on[key];
    on[key] = value;
    this.#restore.push(() => (on[key] = before));
  }

  /** Records the first line of the stack that is outside of Bosun, Node and packages. */
  #note(what: string): void {
    if (this.#looks >= PLACES_MAX) return;
    this.#looks += 1;
    const lines = (new Error('place').stack ?? '').split('\n').slice(1);
    const line = lines.find((text) => !INSIDE.test(text));
    const place = line && /([^/\\(]+:\d+):\d+\)?$/.exec(line)?.[1];
    this.asked.add(place === undefined ? what : `${what} at ${place}`);
  }
}
