/** The time limit of one attempt of a task. The time in which the attempt waits for a person does not count. */
import { type Cancel, type Clock } from './clock.ts';
import { BosunError } from './errors.ts';

/** A time limit, as the work under it sees it. */
export interface TimeLimit {
  /** Aborted when the work is no longer wanted, or has taken too long. */
  readonly signal: AbortSignal;
  /** Runs a part of the work whose time does not count. */
  readonly hold: <T>(part: () => Promise<T>) => Promise<T>;
  /** Calls off the limit, for work that is done and only takes its result. */
  readonly succeeded: () => void;
}

/**
 * Runs work under a time limit. When the limit is over, the result is a rejection with BOSUN_TIMEOUT, whatever the work
 * does.
 *
 * @param limitMs Milliseconds; null for no limit.
 */
export async function withinTime<T>(
  { limitMs, outer, clock }: { readonly limitMs: number | null; readonly outer: AbortSignal; readonly clock: Clock },
  run: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  if (limitMs === null) return run({ signal: outer, hold: (part) => part(), succeeded: () => {} });
  const controller = new AbortController();
  const forward = () => controller.abort(outer.reason);
  outer.addEventListener('abort', forward, { once: true });
  let refuse: (late: BosunError) => void;
  const timedOut = new Promise<never>((_, reject) => (refuse = reject));
  const watch = new Stopwatch(clock, limitMs, () => {
    const late = new BosunError('BOSUN_TIMEOUT', `took longer than ${limitMs} ms`);
    controller.abort(late);
    refuse(late);
  });
  const limit = {
    signal: controller.signal,
    hold: <Part>(part: () => Promise<Part>) => watch.held(part),
    succeeded: () => watch.end(),
  };
  try {
    return await Promise.race([run(limit), timedOut]);
  } finally {
    watch.end();
    outer.removeEventListener('abort', forward);
  }
}

/** Counts the time of work, except for the parts in which it is held. */
class Stopwatch {
  readonly #clock: Clock;
  readonly #isOver: () => void;
  #leftMs: number;
  #sinceMs = 0;
  #held = 0;
  #isEnded = false;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, limitMs: number, isOver: () => void) {
    this.#clock = clock;
    this.#isOver = isOver;
    this.#leftMs = limitMs;
    this.#count();
  }

  /** Runs a part whose time does not count. Parts may overlap. */
  async held<Part>(part: () => Promise<Part>): Promise<Part> {
    if (this.#held++ === 0) {
      this.#cancel();
      this.#leftMs -= this.#clock.monotonicMs() - this.#sinceMs;
    }
    try {
      return await part();
    } finally {
      if (--this.#held === 0 && !this.#isEnded) this.#count();
    }
  }

  end(): void {
    this.#isEnded = true;
    this.#cancel();
  }

  #count(): void {
    this.#sinceMs = this.#clock.monotonicMs();
    this.#cancel = this.#clock.setTimeout(this.#isOver, Math.max(0, this.#leftMs));
  }
}
