/**
 * The cost of calls and frames that read many rows. A tree, a list, or all dead letters block the event loop in
 * proportion to their size, however seldom they are requested; so each caller has a number of rows per second, which it
 * may overdraw once and must then wait for. The operator is not limited.
 */
import { type Clock } from '../../clock.ts';
import { BosunError } from '../../errors.ts';
import { LOOKED_BURST, LOOKED_PER_SECOND, RATES_MAX } from '../limits.ts';
import { type Caller } from './callers.ts';
import { Rates } from './rates.ts';

/** The budget of one caller. */
export interface Looks {
  /** Returns 0, or the ms after which the caller may read again. */
  owesMs(): number;
  /** Charges rows that were read. */
  charge(rows: number): void;
}

/** A call that reads rows, as far as its readers know it. */
export interface ReadingCall {
  readonly caller: Caller;
  /** Counts the rows that the call reads. */
  readonly looks: Looks;
  /** Whether the call has ended, so that nobody receives its answer. */
  readonly isOver: boolean;
}

/** The budget of unlimited callers. */
export const UNCOUNTED: Looks = { owesMs: () => 0, charge: () => {} };

export class AllLooks {
  readonly #clock: Clock;
  readonly #rates = new Rates({ burst: LOOKED_BURST, perSecond: LOOKED_PER_SECOND }, RATES_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of({ id, isOperator }: Caller): Looks {
    if (isOperator === true) return UNCOUNTED;
    return {
      owesMs: () => this.#rates.owesMs(id, this.#clock.monotonicMs()),
      charge: (rows) => this.#rates.charge(id, rows, this.#clock.monotonicMs()),
    };
  }
}

/** Checks the budget of reads. Throws BOSUN_RATE_LIMITED if the caller has overdrawn it. */
export function checkLooks(looks: Looks): void {
  const retryAfterMs = looks.owesMs();
  if (retryAfterMs > 0) throw new BosunError('BOSUN_RATE_LIMITED', 'too many reads', { details: { retryAfterMs } });
}
