/** Refused orders about children of a Boss, in OTP's words. Pure. */
import { BosunError } from '../../errors.ts';
import { type RefusalCode } from '../model/supervision.ts';

const REFUSALS: Readonly<Record<RefusalCode, string>> = {
  BOSUN_CHILD_RUNNING: 'is running (OTP: running, already_started)',
  BOSUN_CHILD_PRESENT: 'has ended and its spec is kept: restart it, or delete it first (OTP: already_present)',
  BOSUN_CHILD_RESTARTING: 'waits for its restart (OTP: restarting)',
  BOSUN_CHILD_UNKNOWN: 'is not a child of this Boss (OTP: not_found)',
  BOSUN_CHILD_DYNAMIC: 'is a child of a template, whose spec is not kept (OTP: simple_one_for_one)',
  BOSUN_STORE_DAMAGED: 'has ended, but its result is damaged; say that it shall begin anew',
  BOSUN_STORE_UNAVAILABLE: 'may have ended, and its result cannot be read at present',
  BOSUN_CHILDREN_FULL: 'would exceed maxChildren (Elixir: max_children)',
};

/** The error of a refused order about a child of the Boss at an address. */
export function refusalOf(address: string, id: string, code: RefusalCode): BosunError {
  return new BosunError(code, `${address}: "${id}" ${REFUSALS[code]}`, { details: { boss: address, id } });
}
