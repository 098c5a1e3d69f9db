/**
 * Decides which failures are stored with their stack frames. V8 formats a stack when it is first read, and it is stored
 * twice; in a storm the text is the same each time, so after some failures of one agent with one error name within a
 * period further ones are stored without frames, and say so.
 */
import { STACK_PERIOD_MS, STACKS_PER_PERIOD_MAX } from '../../limits.ts';
import { admitError, admitWithoutFrames } from '../model/thrown.ts';

export class FailureTexts {
  readonly #nowMs: () => number;
  #sinceMs = -Infinity;
  /** Counts of this period, by agent and name of the error. */
  readonly #counts = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** A thrown value of an agent in a form that can be stored. Never throws. */
  admit(agent: string, thrown: unknown): unknown {
    const name = newErrorNameOf(thrown);
    return name === null || this.#count(`${agent} ${name}`) <= STACKS_PER_PERIOD_MAX
      ? admitError(thrown)
      : admitWithoutFrames(thrown, `more than ${STACKS_PER_PERIOD_MAX} of ${agent} within ${STACK_PERIOD_MS} ms`);
  }

  #count(kind: string): number {
    const nowMs = this.#nowMs();
    // A clock that was set back begins a period too.
    if (nowMs < this.#sinceMs || nowMs - this.#sinceMs >= STACK_PERIOD_MS) {
      this.#sinceMs = nowMs;
      this.#counts.clear();
    }
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return count;
  }
}

/**
 * The name of a new error; null for a value that is not an error, throws when inspected, or is frozen, like a failure
 * stored before.
 */
function newErrorNameOf(thrown: unknown): string | null {
  try {
    return thrown instanceof Error && !Object.isFrozen(thrown) ? String(thrown.name) : null;
  } catch {
    return null;
  }
}
