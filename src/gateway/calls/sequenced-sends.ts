/**
 * The sends of one session that come in order on one connection: delivered without a promise each, and told together
 * once they are durable. Here beside one system; over workers see ordered-sends.ts.
 */
import { type EventObject } from 'xstate';
import { SendLine, type SendListener } from '../../actors/world/mailbox/inbound.ts';
import { type BosunError } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { type Caller } from '../callers/callers.ts';
import { reach } from './call.ts';
import { type ParamsOf } from './methods.ts';
import { spokenBy } from './spoken-by.ts';
import { type Repeats, sessionOf } from './repeats.ts';

/** The parameters of a send whose answer only confirms its durability. */
export type PlainSend = Pick<ParamsOf<'actor.send'>, 'address' | 'event'>;

/** Receives the outcomes of sends by number. Each outcome is reported once. */
export interface SequencedListener {
  /** The sends up to `last` whose outcome was still open are durable; `sends` is their number. */
  durable(last: number, sends: number): void;
  /** The send had been carried out before. */
  replayed(sequence: number): void;
  refused(sequence: number, error: unknown): void;
  /**
   * The sends from `first` to `last` whose outcome was still open are refused, because the system can store nothing
   * now; `sends` is their number.
   */
  lost(first: number, last: number, error: unknown, sends: number): void;
}

/** The sends of one session of a caller on one connection, and the listener for their outcomes. */
export interface SequencedLine {
  readonly caller: Caller;
  readonly session: string;
  readonly listener: SequencedListener;
}

export interface SequencedSends {
  /**
   * Delivers a send. Throws if it is refused at once.
   *
   * @returns False if it needs an answer of its own, because it is a repeat or leaves out a number.
   */
  deliver(sequence: number, send: PlainSend): boolean;
}

export class SystemSends implements SequencedSends, SendListener {
  readonly #system: Shard;
  readonly #repeats: Repeats;
  readonly #caller: Caller;
  /** Name of the session in the store. */
  readonly #stored: string;
  readonly #listener: SequencedListener;
  readonly #line = new SendLine(this);

  constructor(
    { system, repeats }: { readonly system: Shard; readonly repeats: Repeats },
    { caller, session, listener }: SequencedLine,
  ) {
    this.#system = system;
    this.#repeats = repeats;
    this.#caller = caller;
    this.#stored = sessionOf(caller, session);
    this.#listener = listener;
  }

  deliver(sequence: number, { address, event }: PlainSend): boolean {
    reach(this.#caller, address);
    const stored = this.#stored;
    if (sequence !== this.#repeats.last(stored) + 1) return false;
    const { clientApi } = this.#system;
    const said = spokenBy(this.#caller, event as EventObject, () => clientApi.agentAt(address));
    const request = { to: address, event: said, session: { id: stored, sequence } };
    clientApi.deliverOn(this.#line, sequence, request);
    this.#repeats.begins(stored, sequence);
    return true;
  }

  durable(last: number, sends: number): void {
    this.#repeats.durable(this.#stored, sends);
    this.#listener.durable(last, sends);
  }

  refused(sequence: number, error: BosunError): void {
    this.#repeats.refused(this.#stored, sequence);
    this.#listener.refused(sequence, error);
  }

  lost(first: number, last: number, error: BosunError, sends: number): void {
    this.#repeats.durable(this.#stored, sends);
    this.#listener.lost(first, last, error, sends);
  }
}
