/**
 * The number of calls of each caller that wait for an actor, including calls that nobody waits for any more but whose
 * work still runs. Each of many events sent together counts as a call.
 */
import { BosunError } from '../../errors.ts';
import { type Caller } from '../callers/callers.ts';
import { CALLS_WAITING_MAX } from '../limits.ts';

export class CallsUnderWay {
  readonly #byCaller = new Map<string, number>();

  /** Counts a call. Throws BOSUN_GATEWAY_FULL if the caller has too many calls under way. */
  enter({ id }: Caller): void {
    const calls = this.#byCaller.get(id) ?? 0;
    if (calls >= CALLS_WAITING_MAX)
      throw new BosunError('BOSUN_GATEWAY_FULL', `${CALLS_WAITING_MAX} calls of this caller are in progress`);
    this.#byCaller.set(id, calls + 1);
  }

  leave({ id }: Caller, calls = 1): void {
    const left = (this.#byCaller.get(id) ?? calls) - calls;
    if (left === 0) this.#byCaller.delete(id);
    else this.#byCaller.set(id, left);
  }
}
