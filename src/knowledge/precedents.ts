/**
 * A search over many short texts, such as precedents, in a thread of its own: `precedentsOf`. The texts live in memory
 * only; their owner puts them in again after a start. Many are sent to the thread in slices, so that the loop of the
 * host stays free.
 */
import { type Clock, systemClock } from '../clock.ts';
import { BosunError } from '../errors.ts';
import { RECORD_CHARS_MAX, RECORDS_SENT_MAX } from './limits.ts';
import { type PrecedentSearch, type TextRecord } from './precedent-index.ts';
import { ThreadHost } from './thread-host.ts';
import { type PrecedentsFound, type RecordChange } from './thread-messages.ts';

/** Most hits of one search: a person or a rule looks at the first few. */
const HITS_MAX = 100;

export interface PrecedentsOptions {
  readonly clock?: Clock;
  /** The script of the thread, for tests in which Node may not read TypeScript. */
  readonly entry?: URL;
}

/** A search over texts. Its creator closes it. */
export interface Precedents {
  /** Adds records, or replaces those with the same ids. A later `find` sees them, or returns `complete: false`. */
  put(records: readonly TextRecord[]): void;
  remove(ids: readonly string[]): void;
  /**
   * Finds the records that are most similar to a text. Rejects with `BOSUN_CONFIG_INVALID`, `BOSUN_KNOWLEDGE_FULL`,
   * `BOSUN_KNOWLEDGE_FAILED` or `BOSUN_KNOWLEDGE_CLOSED`, and with the reason of the signal.
   */
  find(search: PrecedentSearch, facts?: { readonly signal?: AbortSignal }): Promise<PrecedentsFound>;
  close(): Promise<void>;
}

/** Creates an empty search. */
export function precedentsOf(options: PrecedentsOptions = {}): Precedents {
  return new ThreadPrecedents(options);
}

class ThreadPrecedents implements Precedents {
  readonly #clock: Clock;
  readonly #thread: ThreadHost;
  /** Changes that have not been sent, beginning at the index of the next one. */
  #unsent: RecordChange[] = [];
  #next = 0;
  #isSending = false;

  constructor({ clock = systemClock, entry }: PrecedentsOptions) {
    this.#clock = clock;
    const none = () => {};
    this.#thread = new ThreadHost({ folders: [], isWatching: false }, { entry, completed: none, ended: none });
  }

  put(records: readonly TextRecord[]): void {
    // The beginning of a long text tells what it is about.
    for (const { id, scope, text } of records)
      this.#unsent.push({ put: { id, scope, text: text.slice(0, RECORD_CHARS_MAX) } });
    this.#send();
  }

  remove(ids: readonly string[]): void {
    for (const remove of ids) this.#unsent.push({ remove });
    this.#send();
  }

  async find(search: PrecedentSearch, { signal }: { readonly signal?: AbortSignal } = {}): Promise<PrecedentsFound> {
    const { limit } = search;
    if (!Number.isInteger(limit) || limit < 1 || limit > HITS_MAX) {
      throw new BosunError('BOSUN_CONFIG_INVALID', `find: limit: must be a whole number from 1 to ${HITS_MAX}`);
    }
    const isAllSent = !this.#isSending;
    const found = await this.#thread.request('find', search, signal);
    return { ...found, complete: found.complete && isAllSent };
  }

  async close(): Promise<void> {
    this.#unsent = [];
    await this.#thread.close(new BosunError('BOSUN_KNOWLEDGE_CLOSED', 'the precedents were closed'));
  }

  /** Sends a slice at once, and each further one after the host's event loop has turned once. */
  #send(): void {
    if (this.#isSending) return;
    const changes = this.#unsent.slice(this.#next, this.#next + RECORDS_SENT_MAX);
    this.#next += changes.length;
    if (changes.length > 0) this.#thread.post({ is: 'change', changes });
    this.#isSending = this.#next < this.#unsent.length;
    if (!this.#isSending) [this.#unsent, this.#next] = [[], 0];
    else
      this.#clock.defer(() => {
        this.#isSending = false;
        this.#send();
      });
  }
}
