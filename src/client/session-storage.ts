/**
 * What outlives a page or a process: the name of the session, and the sends that were not acknowledged, each with its
 * number, written before it goes out. Whoever starts on the same storage goes on with them.
 */
import { secretName } from './platform.ts';

/**
 * As `localStorage` and `sessionStorage` of browsers. One client at a time: the gateway lets a session have one line.
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
  /** Of the run before. */
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

  /** To be written soon. @param sends As they are then. */
  later(sends: () => readonly KeptSend[]): void {
    if (this.#storage === undefined) return;
    if (this.#current === undefined) queueMicrotask(() => this.#current !== undefined && this.now(this.#current));
    this.#current = sends;
  }

  now(sends: () => readonly KeptSend[]): void {
    this.#current = undefined;
    const kept: StoredSession = { session: this.session, sends: sends().map(({ p, seq }) => ({ p, seq })) };
    this.#storage?.setItem(this.#key, JSON.stringify(kept));
  }
}

/** What cannot be read is not ours: a new session begins. */
function recordFrom(text: string | null): StoredSession {
  try {
    const { session, sends } = JSON.parse(text ?? '') as StoredSession;
    if (typeof session === 'string' && Array.isArray(sends)) return { session, sends };
  } catch {
    // No text, or somebody else's.
  }
  return { session: secretName(), sends: [] };
}
