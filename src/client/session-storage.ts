/**
 * The session data that survives a page or a process: the session's name, and the unacknowledged sends with their
 * numbers, written before they are transmitted. A client started on the same storage goes on with them.
 */
import { messageOf } from '../errors.ts';
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

  constructor(storage: ClientStorage | undefined, name: string, log: (...args: unknown[]) => void) {
    this.#storage = storage;
    this.#key = `bosun.${name}`;
    this.#log = log;
    const { session, sends } = recordFrom(this.#access(() => storage?.getItem(this.#key)));
    this.session = session;
    this.sends = sends;
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

/** Parses the record. One that cannot be read is foreign: a new session begins. */
function recordFrom({ value: text }: { readonly value?: string | null | undefined }): StoredSession {
  try {
    const { session, sends } = JSON.parse(text ?? '') as StoredSession;
    if (typeof session === 'string' && Array.isArray(sends)) return { session, sends };
  } catch {
    // Not JSON, or not written by this client.
  }
  return { session: secretName(), sends: [] };
}
