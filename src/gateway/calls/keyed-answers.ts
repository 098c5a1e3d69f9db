/**
 * What calls with a key answered, but for those that the store knows (repeats.ts): remembered in memory only, because
 * they are harmless to repeat by what they do.
 */
import { KEYED_ANSWERS_MAX } from '../../limits.ts';
import { type Caller } from '../client/callers.ts';
import { conflict, digestOf, keyOf, type Repeatable } from './repeats.ts';

interface Remembered {
  readonly digest: string;
  readonly answer: Promise<unknown>;
}

export class KeyedAnswers {
  /** By key; the oldest comes first. */
  readonly #answers = new Map<string, Remembered>();

  /**
   * A repeat gets the same answer, as long as it is remembered. A call that failed is forgotten. Throws
   * BOSUN_KEY_CONFLICT.
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
    if (this.#answers.size > KEYED_ANSWERS_MAX) this.#answers.delete(this.#answers.keys().next().value!);
    try {
      return { result: await answer, replayed: false };
    } catch (error) {
      this.#answers.delete(name);
      throw error;
    }
  }
}
