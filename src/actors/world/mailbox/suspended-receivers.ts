/**
 * How a suspended actor answers its senders. Pure. Events between actors never ask: they wait in its mailbox, so that
 * none is lost. What comes from outside may be told the reason, and go elsewhere.
 */
import { type BosunError } from '../../../errors.ts';
import type { Cell } from '../cell.ts';

/**
 * The reason why an event from outside is refused. A person who suspends an actor means to resume it: its mailbox then
 * holds plain events, as that of OTP's sys:suspend. Under any other reason nobody knows whether it will run again.
 */
export function refusalOfEvent({ suspension }: Pick<Cell, 'suspension'>): BosunError | undefined {
  return suspension?.code === 'BOSUN_ACTOR_SUSPENDED' ? undefined : suspension;
}

/** The reason why something is refused whose sender waits for the turn: it would wait for an unknown time. */
export function refusalOfAwaited({ suspension }: Pick<Cell, 'suspension'>): BosunError | undefined {
  return suspension;
}
