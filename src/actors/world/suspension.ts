/** The reasons for which an actor is suspended that its stored strikes, failures and orders give. Pure. */
import { BosunError, messageOf } from '../../errors.ts';
import { QUARANTINES_IN_A_ROW_MAX } from '../../limits.ts';
import { type Cell, type Held } from './cell.ts';

/** The error for which an actor with these strikes, failures or this order is suspended; undefined if none suffices. */
export function suspicion({ address, agent }: Cell, held: Held): BosunError | undefined {
  const { strikes, failures, error, order } = held;
  const details = { address, agent };
  if (strikes >= QUARANTINES_IN_A_ROW_MAX) {
    const what = `${address}: crashed by messages until they were quarantined; last error: ${messageOf(error)}`;
    return new BosunError('BOSUN_STATE_SUSPECT', what, { cause: error, details });
  }
  if (failures !== undefined) {
    const last = error === undefined ? 'it ended each time without an error' : `last error: ${messageOf(error)}`;
    const what =
      `${address}: failed ${failures} times and was suspended, so that others go on; ${last}. ` +
      `Mend the cause, then resume it: bosun resume ${address}, or system.resume('${address}')`;
    return new BosunError('BOSUN_ACTOR_FAILING', what, { cause: error, details: { ...details, failures } });
  }
  if (order === undefined) return undefined;
  const { by, reason } = order;
  const why = `${address}: suspended by ${by}${reason === null ? '' : `: ${reason}`}`;
  return new BosunError('BOSUN_ACTOR_SUSPENDED', why, { details: { ...details, ...order } });
}
