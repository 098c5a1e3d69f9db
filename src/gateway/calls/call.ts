/** A call under way, as what carries it out sees it, and the shape of what does. */
import { checkAddress } from '../../actors/model/address.ts';
import { type Caller, checkAddressed } from '../client/callers.ts';
import { type MethodName, type ParamsOf } from './methods.ts';
import { type NumberedSend, type Repeatable } from './repeats.ts';

/** One call under way. */
export interface Call {
  readonly caller: Caller;
  /** Of `actor.send`: its session and number. */
  readonly session: NumberedSend | undefined;
  readonly key: string | undefined;
  /** What is left of its time. */
  readonly leftMs: number;
  /** Nobody waits for the answer any more. */
  readonly isOver: boolean;
}

/** Methods of what is behind the gateway: all but those that the gateway carries out itself. */
export type BackendHandlers = Omit<Handlers, 'actor.select'>;

/** What a method does, whichever it is. */
export type Handler = (params: unknown, call: Call) => unknown;

export type Handlers = {
  readonly [Name in MethodName]: (params: ParamsOf<Name>, call: Call) => unknown;
};

/** Answers that say themselves whether they are a repeat's. */
export class Marked implements Repeatable<unknown> {
  readonly result: unknown;
  readonly replayed: boolean;

  constructor({ result, replayed }: Repeatable<unknown>) {
    this.result = result;
    this.replayed = replayed;
  }
}

/** Throws BOSUN_ADDRESS_INVALID, BOSUN_FORBIDDEN. */
export function reach(caller: Caller, address: string): string {
  checkAddressed(caller, checkAddress(address));
  return address;
}
