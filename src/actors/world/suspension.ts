/** The suspensions that the stored strikes, failures and orders against an actor give, and what else these say. */
import { BosunError, messageOf } from '../../errors.ts';
import { QUARANTINES_IN_A_ROW_MAX } from '../../limits.ts';
import { type RestartMode } from '../model/supervision.ts';
import { type Cell } from './cell.ts';
import { type Held } from './held.ts';

interface Holds {
  /** Sets or clears the strikes and orders against a cell. */
  hold(cell: Cell, held: Held): void;
}

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

type Order = NonNullable<Held['order']>;

/** The order by which an actor is suspended. */
export function orderAgainst({ held }: Cell): Order | undefined {
  return held?.order;
}

/** The restart that an actor owes its Boss: it failed again and again and has not been restarted since. */
export function owedRestart({ held }: Cell): RestartMode | null {
  return held?.restart ?? null;
}

/**
 * Suspends an actor by an order, beside the strikes against it.
 *
 * @returns The error for which it is suspended; undefined if an order has suspended it before.
 */
export function suspendByOrder(world: Holds, cell: Cell, order: Order): BosunError | undefined {
  if (orderAgainst(cell) !== undefined) return undefined;
  const held: Held = { strikes: 0, error: undefined, restart: null, ...cell.held, order };
  world.hold(cell, held);
  return (cell.suspension = suspicion(cell, held));
}

/** Sets the stored strikes and orders against an actor. Returns the error that they give. */
export function loadHeld(cell: Cell, held: Held): BosunError | undefined {
  cell.held = held;
  return suspicion(cell, held);
}

/** Lets a suspended actor act once: then it is suspended again, if its strikes and orders still suffice. */
export function exempt(cell: Cell, act: () => void): void {
  cell.suspension = undefined;
  act();
  if (!cell.gone && cell.held !== undefined) cell.suspension = suspicion(cell, cell.held);
}
