/**
 * The session data that survives a page or a process: the session's name, and the unacknowledged sends with their
 * numbers, written before they are transmitted. A client started on the same storage goes on with them.
 */
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
  #current: (() => readonly KeptSend[]) | undefined;

  constructor(storage: ClientStorage | undefined, name: string) {
    this.#storage = storage;
    this.#key = `bosun.${name}`;
    const { session, sends } = recordFrom(storage?.getItem(this.#key) ?? null);
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
    this.#storage.setItem(this.#key, JSON.stringify(kept));
  }
}

/** Parses the record. One that cannot be read is foreign: a new session begins. */
function recordFrom(text: string | null): StoredSession {
  try {
    const { session, sends } = JSON.parse(text ?? '') as StoredSession;
    if (typeof session === 'string' && Array.isArray(sends)) return { session, sends };
  } catch {
    // Not JSON, or not written by this client.
  }
  return { session: secretName(), sends: [] };
}
