/** A call under way as handlers see it, and the types of handlers. */
import { checkAddress } from '../../actors/model/address.ts';
import { BosunError } from '../../errors.ts';
import { type Caller, checkAddressed } from '../callers/callers.ts';
import { type ReadingCall } from '../callers/looks.ts';
import { type NumberedSend, type Repeatable } from './repeats.ts';

export interface Call extends ReadingCall {
  /** Session and number of an `actor.send`. */
  readonly session: NumberedSend | undefined;
  readonly key: string | undefined;
  /** Returns the milliseconds until the deadline. */
  readonly leftMs: number;
}

/** The handler of any method, without its types. */
export type Handler = (params: unknown, call: Call) => unknown;

/** An answer that states whether it was replayed. */
export class Marked implements Repeatable<unknown> {
  readonly result: unknown;
  readonly replayed: boolean;

  constructor({ result, replayed }: Repeatable<unknown>) {
    this.result = result;
    this.replayed = replayed;
  }
}

/** Checks that the caller may reach every address, as calls about all actors require. Throws BOSUN_FORBIDDEN. */
export function reachAll(caller: Caller): void {
  if (!caller.addresses.includes('**'))
    throw new BosunError('BOSUN_FORBIDDEN', 'only callers that may reach every address may call this');
}

/**
 * Checks that the caller may reach an address, and returns the address. Throws BOSUN_ADDRESS_INVALID, BOSUN_FORBIDDEN.
 */
export function reach(caller: Caller, address: string): string {
  checkAddressed(caller, checkAddress(address));
  return address;
}
