/**
 * Deduplication of sends and asks. A send counts once by its session's sequence or by its key; an ask counts once by
 * its key. Both are kept in the store for 24 hours of kernel time, so restarts change nothing. Other calls are
 * deduplicated in keyed-answers.ts.
 */
import { createHash } from 'node:crypto';
import { type Session } from '../../actors/world/mailbox/inbound.ts';
import { BosunError } from '../../errors.ts';
import { ownedName } from '../../fair-shares.ts';
import { type Shard } from '../../shard.ts';
import { type Caller } from '../callers/callers.ts';

/** A numbered send in a session. */
export interface NumberedSend extends Session {
  /** Highest number up to which all sends have been accepted, by any worker if there are several. */
  readonly accepted?: number;
}

export interface Repeatable<T> {
  readonly result: T;
  /** Whether the call had been carried out before. */
  readonly replayed: boolean;
}

/**
 * Hex digits of a request's digest that fit into a sequence number: two different requests with one key are taken for
 * the same with a probability of 2^-48.
 */
const DIGEST_HEX_CHARS = 12;

const CALLER_HEX_CHARS = 16;

export class Repeats {
  readonly #system: Shard;
  /** Sends under way by session id in the store; removed once none is under way. */
  readonly #onTheWay = new Map<string, SendsUnderWay>();

  constructor(system: Shard) {
    this.#system = system;
  }

  /** Number of a session's last accepted send; 0 for a new or forgotten session. */
  lastSequence(caller: Caller, session: string): number {
    return this.last(sessionOf(caller, session));
  }

  /** Number of the last accepted send of a session, by its name in the store. */
  last(stored: string): number {
    return Math.max(this.#system.lastSequence(stored), this.#onTheWay.get(stored)?.highest ?? 0);
  }

  /** Records that the send with the next number is under way. */
  begins(stored: string, sequence: number): void {
    const underWay = this.#onTheWay.get(stored);
    if (underWay === undefined) this.#onTheWay.set(stored, { highest: sequence, sends: 1 });
    else {
      underWay.highest = sequence;
      underWay.sends += 1;
    }
  }

  /** Records that sends are durable. */
  durable(stored: string, sends: number): void {
    const underWay = this.#onTheWay.get(stored);
    if (underWay === undefined) return;
    underWay.sends -= sends;
    if (underWay.sends === 0) this.#onTheWay.delete(stored);
  }

  /**
   * Records that a send was refused after all. The highest number becomes free again, unless it is known to be used.
   */
  refused(stored: string, sequence: number): void {
    const underWay = this.#onTheWay.get(stored);
    if (underWay?.highest === sequence) underWay.highest -= 1;
    this.durable(stored, 1);
  }

  /**
   * Delivers a send of a session once. Rejects with BOSUN_SEQUENCE_GAP. If `deliver` throws instead of returning a
   * promise, the number stays free for the next send.
   */
  async sequenced<T>(
    caller: Caller,
    { id, sequence, accepted = 0 }: NumberedSend,
    deliver: (session: Session) => Promise<T>,
  ): Promise<Repeatable<T | null>> {
    const stored = sessionOf(caller, id);
    const own = this.last(stored);
    const last = Math.max(own, accepted);
    // Another worker accepted this number, for an event to one of its actors.
    if (sequence > own && sequence <= accepted) return { result: null, replayed: true };
    if (sequence > last + 1)
      throw new BosunError('BOSUN_SEQUENCE_GAP', `the next send of this session is number ${last + 1}`, {
        details: { expected: last + 1 },
      });
    return { result: await this.#deliver({ id: stored, sequence }, last, deliver), replayed: sequence <= last };
  }

  /**
   * Delivers a send with a key once. Its row in the store is a session of its own, whose sequence is a digest of the
   * request. Throws BOSUN_KEY_CONFLICT.
   */
  async keyedSend<T>(
    caller: Caller,
    key: string,
    request: unknown,
    deliver: (session: Session) => Promise<T>,
  ): Promise<Repeatable<T>> {
    const stored = keyOf(caller, key);
    const sequence = parseInt(digestOf(request).slice(0, DIGEST_HEX_CHARS), 16) + 1;
    const last = this.last(stored);
    if (last !== 0 && last !== sequence) throw conflict();
    return { result: await this.#deliver({ id: stored, sequence }, last, deliver), replayed: last !== 0 };
  }

  async #deliver<T>(session: Session, last: number, deliver: (session: Session) => Promise<T>): Promise<T> {
    const { id, sequence } = session;
    // If this throws, nothing was accepted and the number stays free.
    const delivery = deliver(session);
    if (sequence <= last) return await delivery;
    this.begins(id, sequence);
    try {
      const result = await delivery;
      this.durable(id, 1);
      return result;
    } catch (error) {
      this.refused(id, sequence);
      throw error;
    }
  }
}

/** The sends of a session that are under way. */
interface SendsUnderWay {
  highest: number;
  sends: number;
}

/** The name of a caller's session in the store. */
export function sessionOf(caller: Caller, session: string): string {
  return ownedName(`gw.s.${callerIn(caller)}`, hex(`${caller.id}\0${session}`));
}

/** The name of a caller's key in the store. It is unique to the caller, and all keys of one caller share a prefix. */
export function keyOf(caller: Caller, key: string): string {
  return ownedName(`gw.k.${callerIn(caller)}`, hex(`${caller.id}\0${key}`));
}

/** The key of a single event in a call that sends many events under one key. */
export function keyAt(key: string, index: number): string {
  return `${key}\0${index}`;
}

/**
 * A short digest of the caller's id, used as a prefix. Callers may collide in it; the full digest in the name tells
 * their keys apart.
 */
function callerIn({ id }: Caller): string {
  return hex(id).slice(0, CALLER_HEX_CHARS);
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

/** JSON text that is equal for equal values, whatever the order of their keys. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
