/**
 * Answers of calls with a key, except those that the store remembers (repeats.ts). They are kept in memory only,
 * because repeating these calls does no harm.
 */
import { FairShares } from '../../fair-shares.ts';
import { KEYED_ANSWERS_MAX } from '../limits.ts';
import { type Caller } from '../callers/callers.ts';
import { conflict, digestOf, keyOf, type Repeatable } from './repeats.ts';

interface Remembered {
  readonly digest: string;
  readonly answer: Promise<unknown>;
}

export class KeyedAnswers {
  readonly #answers = new Map<string, Remembered>();
  readonly #shares = new FairShares<string>();

  /**
   * Runs a call once per key: a repeat gets the same answer while that is remembered. A failed call is forgotten.
   * Throws BOSUN_KEY_CONFLICT.
   */
  async once<T>(caller: Caller, key: string, request: unknown, call: () => Promise<T>): Promise<Repeatable<T>> {
    const name = keyOf(caller, key);
    const digest = digestOf(request);
    const before = this.#answers.get(name);
    if (before !== undefined) {
      if (before.digest !== digest) throw conflict();
      return { result: (await before.answer) as T, replayed: true };
    }
    const answer = call();
    this.#answers.set(name, { digest, answer });
    this.#shares.enter(name, caller.id);
    if (this.#shares.size > KEYED_ANSWERS_MAX) this.#forget(this.#shares.firstToGo().next().value!);
    try {
      return { result: await answer, replayed: false };
    } catch (error) {
      this.#forget(name);
      throw error;
    }
  }

  #forget(name: string): void {
    this.#answers.delete(name);
    this.#shares.leave(name);
  }
}
