/**
 * How often a call counts that a client may repeat. Sends count once by the sequence of a session or by a key, both
 * kept in the store for 24 hours of kernel time, so restarts change nothing. Asks count once by a key, kept as long. Of
 * other calls see keyed-answers.ts.
 */
import { createHash } from 'node:crypto';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { BosunError } from '../../errors.ts';
import { type System } from '../../system.ts';
import { type Caller } from '../client/callers.ts';

/** A send of a session. */
export interface NumberedSend extends Session {
  /** Of a system over workers: up to here, all have been accepted, by one or another of them. */
  readonly accepted?: number;
}

export interface Repeatable<T> {
  readonly result: T;
  /** It had been done before. */
  readonly replayed: boolean;
}

/**
 * Bits of a request's digest that fit into a sequence: two requests of one key are taken for the same with a chance of
 * 2^-48.
 */
const DIGEST_HEX_CHARS = 12;

export class Repeats {
  readonly #system: System;
  /** By the id of a session in the store: the highest sequence on its way. Only while it is. */
  readonly #onTheWay = new Map<string, number>();

  constructor(system: System) {
    this.#system = system;
  }

  /** Of the last send of a session that was accepted; 0 for one that is new or forgotten. */
  lastSequence(caller: Caller, session: string): number {
    return this.#last(sessionOf(caller, session));
  }

  /**
   * A send in a session. Throws BOSUN_SEQUENCE_GAP, and at once what `deliver` throws: then the sequence is free for
   * the next send.
   */
  async sequenced<T>(
    caller: Caller,
    { id, sequence, accepted = 0 }: NumberedSend,
    deliver: (session: Session) => Promise<T>,
  ): Promise<Repeatable<T | null>> {
    const stored = sessionOf(caller, id);
    const own = this.#last(stored);
    const last = Math.max(own, accepted);
    // Its number was used for an event to somebody on another worker.
    if (sequence > own && sequence <= accepted) return { result: null, replayed: true };
    if (sequence > last + 1)
      throw new BosunError('BOSUN_SEQUENCE_GAP', `the next send of this session is number ${last + 1}`, {
        details: { expected: last + 1 },
      });
    return { result: await this.#deliver({ id: stored, sequence }, last, deliver), replayed: sequence <= last };
  }

  /**
   * A send with a key. Its row is a session of its own, whose sequence is a digest of the request. Throws
   * BOSUN_KEY_CONFLICT.
   */
  async keyedSend<T>(
    caller: Caller,
    key: string,
    request: unknown,
    deliver: (session: Session) => Promise<T>,
  ): Promise<Repeatable<T>> {
    const stored = keyOf(caller, key);
    const sequence = parseInt(digestOf(request).slice(0, DIGEST_HEX_CHARS), 16) + 1;
    const last = this.#last(stored);
    if (last !== 0 && last !== sequence) throw conflict();
    return { result: await this.#deliver({ id: stored, sequence }, last, deliver), replayed: last !== 0 };
  }

  #last(stored: string): number {
    return Math.max(this.#system.lastSequence(stored), this.#onTheWay.get(stored) ?? 0);
  }

  async #deliver<T>(session: Session, last: number, deliver: (session: Session) => Promise<T>): Promise<T> {
    const { id, sequence } = session;
    // What throws here was not taken, and its number stays free.
    const delivery = deliver(session);
    if (sequence > last) this.#onTheWay.set(id, sequence);
    try {
      return await delivery;
    } finally {
      if (this.#onTheWay.get(id) === sequence) this.#onTheWay.delete(id);
    }
  }
}

function sessionOf(caller: Caller, session: string): string {
  return `gw.s.${hex(`${caller.id}\0${session}`)}`;
}

/** What a caller's key is called in the store: nobody else's key has this name. */
export function keyOf(caller: Caller, key: string): string {
  return `gw.k.${hex(`${caller.id}\0${key}`)}`;
}

export function digestOf(request: unknown): string {
  return hex(textOf(request));
}

export function conflict(): BosunError {
  return new BosunError('BOSUN_KEY_CONFLICT', 'this key was used for another request');
}

function hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The same for equal values, in whatever order their keys are. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
