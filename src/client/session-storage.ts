/**
 * The session data that survives a page or a process: the session's name, and the unacknowledged sends with their
 * numbers, written before they are transmitted. A client started on the same storage goes on with them.
 */
import { messageOf } from '../errors.ts';
import { SENDS_KEPT_MAX } from './bounds.ts';
import { copied } from './outgoing.ts';
import { disown, isThenable } from '../user-code.ts';
import { secretName } from './platform.ts';

/**
 * A storage like `localStorage` and `sessionStorage` of browsers. One client at a time: the gateway allows a session
 * one connection.
 */
export interface ClientStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface KeptSend {
  readonly p: Readonly<Record<string, unknown>>;
  readonly seq: number | undefined;
}

interface StoredSession {
  readonly session: string;
  readonly sends: readonly KeptSend[];
}

export class SessionStorage {
  readonly session: string;
  /** Sends of the previous run. */
  readonly sends: readonly KeptSend[];
  readonly #storage: ClientStorage | undefined;
  readonly #key: string;
  readonly #log: (...args: unknown[]) => void;
  /** Whether the last access has failed, which is said once. */
  #isFailing = false;
  #current: (() => readonly KeptSend[]) | undefined;

  /**
   * Reads the record.
   *
   * @param sendsMax Sends beyond which a record is foreign.
   */
  constructor(
    storage: ClientStorage | undefined,
    name: string,
    log: (...args: unknown[]) => void,
    sendsMax: number = SENDS_KEPT_MAX,
  ) {
    this.#storage = storage;
    this.#key = `bosun.${name}`;
    this.#log = log;
    const { value: text } = this.#access(() => storage?.getItem(this.#key));
    // Empty is what a storage is given that could not take a record.
    const isEmpty = text === undefined || text === null || text === '';
    const record = isEmpty ? undefined : recordFrom(text, sendsMax);
    if (!isEmpty && record === undefined)
      log(`the storage of the client holds something else under ${this.#key}, so a new session begins`);
    this.session = record?.session ?? secretName();
    this.sends = record?.sends ?? [];
  }

  /**
   * Schedules a write.
   *
   * @param sends Called at the time of the write.
   */
  later(sends: () => readonly KeptSend[]): void {
    if (this.#storage === undefined) return;
    if (this.#current === undefined) queueMicrotask(() => this.#current !== undefined && this.now(this.#current));
    this.#current = sends;
  }

  now(sends: () => readonly KeptSend[]): void {
    this.#current = undefined;
    if (this.#storage === undefined) return;
    const kept: StoredSession = { session: this.session, sends: sends().map(({ p, seq }) => ({ p, seq })) };
    const { failed } = this.#access(() => this.#storage!.setItem(this.#key, JSON.stringify(kept)));
    // What was written before is out of date: the next client would send again what has been sent meanwhile.
    if (failed) this.#access(() => this.#storage!.setItem(this.#key, ''));
  }

  /**
   * Calls the storage, which may be full, forbidden, or asynchronous, which is no use here. A failure is logged; the
   * client goes on without the storage, and tries it again at the next change.
   */
  #access<T>(call: () => T): { readonly failed: boolean; readonly value?: T } {
    const wasFailing = this.#isFailing;
    try {
      const value = call();
      if (isThenable(value)) {
        disown(value);
        throw new TypeError('it gives promises, and the client does not wait for a storage');
      }
      this.#isFailing = false;
      return { failed: false, value };
    } catch (thrown) {
      this.#isFailing = true;
      const why = `the storage of the client fails, so sends are not kept: ${messageOf(thrown)}`;
      if (!wasFailing) this.#log(why, thrown);
      return { failed: true };
    }
  }
}

/** Pattern of a session name that the gateway takes. Another name would end each connection. */
const SESSION = /^[\w-]{22,64}$/;

/** Highest number of a send: those of later ones must fit into a frame, too. */
const SEQ_MAX = 2 ** 52;

/** Parses the record; undefined if any of it was not written by a client. Half of it would be no session. */
function recordFrom(text: unknown, sendsMax: number): StoredSession | undefined {
  try {
    if (typeof text !== 'string') return undefined;
    const { session, sends } = JSON.parse(text) as Partial<Record<keyof StoredSession, unknown>>;
    if (typeof session !== 'string' || !SESSION.test(session)) return undefined;
    if (!Array.isArray(sends) || sends.length > sendsMax) return undefined;
    return { session, sends: sends.map(keptSend) };
  } catch {
    return undefined;
  }
}

/** A send as it was written. Throws for anything else. */
function keptSend(value: unknown): KeptSend {
  const { p, seq } = value as { readonly p?: unknown; readonly seq?: unknown };
  const isNumber =
    seq === undefined || (typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 1 && seq <= SEQ_MAX);
  if (!isNumber || typeof p !== 'object' || p === null || Array.isArray(p)) throw new TypeError('no send');
  // Checked as it was when it was sent.
  return { p: copied(p as KeptSend['p']), seq };
}
