/**
 * Reading records for hosts: from the store, as of the last durable epoch, by actor and number or by a key over all
 * actors of an agent. Nothing is written here; a machine records with the action `record`.
 */
import { BosunError } from '../../errors.ts';
import { RECORDS_EXAMINED_MAX, RECORDS_LISTED, RECORDS_READ_MAX } from '../../limits.ts';
import { type Kernel } from '../loop/kernel.ts';
import { checkAddress } from '../model/address.ts';
import { Concealed, type RowKey, type Shelf } from '../model/ports.ts';
import { keyValue, recordIndexPrefix, recordKey, type RecordPolicies, type RecordRow } from '../model/records.ts';
import { endedLifeKey, lifeOfEnd, resultKey, type ResultPlace, type ResultRow } from '../model/results.ts';
import { observe } from '../world/actor-view.ts';
import { addressOf } from '../world/stored-actors.ts';
import { keyMissing } from '../world/missing-keys.ts';
import { type RecordNumbers, type Records, recordsOf, type RecordSource } from '../world/records.ts';
import {
  type FindRecordsOptions,
  followed,
  type FoundRecord,
  type FoundRecords,
  READ_AT_ONCE,
  type RecordKey,
  type RecordPage,
  type RecordsOptions,
  type RecordView,
  type TailOptions,
} from './record-pages.ts';

/** The records that an agent declares; `unread` where its code is missing and the store is only inspected. */
type DeclaredRecords = RecordPolicies | 'unread' | undefined;

/** The end of an index key: time, order and life, fourteen hexadecimal digits each. */
const PLACE = /^[0-9a-f]{42}$/;

/** An actor that records are read of, and its records as they are now. */
interface Recorder {
  readonly life: number;
  readonly address: string;
  now(): RecordSource;
}

/** The records of actors, for hosts: pages, counts, searches by key and a tail. */
export class ShardRecords {
  readonly #kernel: Kernel;
  readonly #policiesOf: (agent: string) => DeclaredRecords;

  /**
   * Makes the box.
   *
   * @param policiesOf Returns the records that an agent declares. Throws BOSUN_AGENT_UNKNOWN.
   */
  constructor(kernel: Kernel, policiesOf: (agent: string) => DeclaredRecords) {
    this.#kernel = kernel;
    this.#policiesOf = policiesOf;
  }

  /**
   * Lists the records of one name of one actor, oldest first by default. Rejects with BOSUN_ACTOR_UNKNOWN,
   * BOSUN_RECORDS_UNKNOWN if its agent declares no such name, BOSUN_VALUE_REFUSED for a limit out of bounds,
   * BOSUN_SYSTEM_CLOSED, BOSUN_STORE_FAILED, and BOSUN_SECRET_KEY if the key of its values is missing.
   */
  async list(address: string, name: string, options: RecordsOptions = {}): Promise<RecordPage> {
    const { after = 0, before = Infinity, newestFirst = false, where = {} } = options;
    const limit = checkLimit(options.limit);
    const { recorder, ...span } = this.spanAt(address, name);
    const { life } = recorder;
    const matches = matcherOf(where);
    const page = { records: [] as RecordView[], missing: 0 };
    let low = Math.max(span.first, after + 1);
    let high = Math.min(span.next, before);
    let left = RECORDS_EXAMINED_MAX;
    const isFull = () => page.records.length === limit;
    while (low < high && left > 0 && !isFull()) {
      // Reads no more than wanted, unless a filter may exclude most of them.
      const wanted = matches === undefined ? limit - page.records.length : READ_AT_ONCE;
      const count = Math.min(READ_AT_ONCE, wanted, high - low, left);
      const read = await this.#read(life, name, newestFirst ? high - count : low, count);
      for (const { number, row } of newestFirst ? read.reverse() : read) {
        if (row?.[2] instanceof Concealed) throw keyMissing(recorder, row[2]);
        if (isFull()) break;
        left -= 1;
        if (newestFirst) high = number;
        else low = number + 1;
        if (row === undefined) page.missing += 1;
        else if (row[0] >= span.sinceMs && matches?.(row[2]) !== false) page.records.push(viewOf(number, row));
      }
    }
    // Records that were dropped meanwhile to make room are not lost.
    const first = this.#records.spanOf(recorder.now(), name)?.first ?? span.next;
    if (first > span.first) page.missing = 0;
    return {
      ...page,
      first: Math.max(first, span.first),
      last: span.next - 1,
      life,
      next: low < high ? (newestFirst ? high : low - 1) : null,
    };
  }

  /**
   * Finds the records of one name of all actors of an agent whose key has this value, in order of time, oldest first by
   * default, also those of ended actors while their results are kept. Rejects with BOSUN_AGENT_UNKNOWN,
   * BOSUN_RECORDS_UNKNOWN if the agent declares no such name or key, BOSUN_VALUE_REFUSED, BOSUN_SYSTEM_CLOSED,
   * BOSUN_STORE_FAILED, BOSUN_SECRET_KEY.
   */
  async find(
    agent: string,
    name: string,
    [key, value]: RecordKey,
    options: FindRecordsOptions = {},
  ): Promise<FoundRecords> {
    const { newestFirst = false, from } = options;
    const limit = checkLimit(options.limit);
    const declared = this.#policiesOf(agent);
    const policy = declared === 'unread' ? undefined : declared?.get(name);
    if (declared !== 'unread' && policy?.keys.some(([declared]) => declared === key) !== true)
      throw unknown(`agent "${agent}" declares no key "${key}" for records named "${name}"`, { agent, name, key });
    if (from !== undefined && !PLACE.test(from))
      throw new BosunError('BOSUN_VALUE_REFUSED', 'from: pass the `next` of the previous page');
    const prefix = recordIndexPrefix(agent, name, key, keyValue(value, 'the value'));
    const range = rangeUnder(prefix, from, newestFirst);
    const entries = await this.#shelf.rowsIn({ ...range, limit: limit + 1, reverse: newestFirst });
    const sinceMs = this.#kernel.machinery.world.time.nowMs() - (policy?.keep.forMs ?? Infinity);
    const found = entries.slice(0, limit).map(([entry, row]) => {
      const [life, number] = row as readonly [life: number, number: number];
      return { life, number, cursor: entry.slice(prefix.length) };
    });
    const rows = await this.#shelf.rowsOf(found.map(({ life, number }) => recordKey(life, name, number)));
    const records = found.flatMap(({ life, number, cursor }, i): FoundRecord[] => {
      const [address, row] = [this.#addressOf(life), rows[i] as RecordRow | undefined];
      if (address === undefined || row === undefined || row[0] < sinceMs) return [];
      if (row[2] instanceof Concealed) throw keyMissing({ address }, row[2]);
      return [{ address, ...viewOf(number, row), cursor }];
    });
    return { records, next: entries.length > limit ? found.at(-1)!.cursor : null };
  }

  /**
   * Follows the records of one name of one actor from the first step of the loop on, each once and in order. With
   * `after` it begins after that number, so that a reader who was away loses none that is still kept. Ends when the
   * loop is left, the system closes, or the actor has ended and all its records have been read. Rejects as `list` does.
   */
  tail(address: string, name: string, options: TailOptions = {}): AsyncGenerator<RecordView> {
    const source = {
      page: (which: RecordsOptions) => this.list(address, name, which),
      watch: ({ changed, over }: { changed(): void; over(): void }) => {
        const cell = this.#kernel.shown.at(address);
        if (cell === undefined) {
          over();
          return () => {};
        }
        return observe(cell, { changed, ended: () => over(), closed: () => over() }).unsubscribe;
      },
    };
    return followed(source, options);
  }

  /**
   * The range of an actor's records of a name, and the maximum age of those shown; of the living actor at the address,
   * or else of the last that ended there. Throws BOSUN_ACTOR_UNKNOWN, BOSUN_RECORDS_UNKNOWN.
   */
  spanAt(address: string, name: string): RecordNumbers & { readonly recorder: Recorder } {
    const recorder = this.#recorderAt(address);
    const span = this.#records.spanOf(recorder.now(), name);
    if (span === undefined) throw unknown(`${address} keeps no records named "${name}"`, { address, name });
    return { recorder, ...span };
  }

  #recorderAt(address: string): Recorder {
    const { results } = this.#kernel.machinery.world;
    const place = this.#kernel.shown.at(address) === undefined ? results.at(checkAddress(address)) : undefined;
    const row = place && (this.#shelf.row(resultKey(place)) as ResultRow | undefined);
    if (place === undefined || row === undefined) {
      const cell = this.#kernel.directory.observed(address);
      return { life: cell.life, address, now: () => recordsOf(cell) };
    }
    const [agent, end] = place;
    const declared = this.#policiesOf(agent);
    const records = { policies: declared === 'unread' ? undefined : declared, spans: row[7] };
    return { life: lifeOfEnd(end), address, now: () => records };
  }

  async #read(
    life: number,
    name: string,
    from: number,
    count: number,
  ): Promise<{ number: number; row: RecordRow | undefined }[]> {
    const numbers = Array.from({ length: count }, (_, i) => from + i);
    const rows = await this.#shelf.rowsOf(numbers.map((number) => recordKey(life, name, number)));
    return numbers.map((number, i) => ({ number, row: rows[i] as RecordRow | undefined }));
  }

  /** The address of a life; undefined for an ended one whose result is not kept. */
  #addressOf(life: number): string | undefined {
    const { cells, records, results } = this.#kernel.machinery.world;
    if (records.isPurging(new Set([life]))) return undefined;
    const address = cells.resident(life)?.address ?? addressOf(this.#shelf.identity(life));
    if (address !== undefined) return address;
    const place = this.#shelf.row(endedLifeKey(life)) as ResultPlace | undefined;
    if (place === undefined || !results.isKept(place)) return undefined;
    return (this.#shelf.row(resultKey(place)) as ResultRow | undefined)?.[0];
  }

  get #records(): Records {
    return this.#kernel.machinery.world.records;
  }

  get #shelf(): Shelf {
    const { shelf } = this.#kernel.machinery.world.records;
    if (!this.#kernel.isRunning) throw new BosunError('BOSUN_SYSTEM_CLOSED', 'the system has stopped');
    if (shelf?.isOpen === true) return shelf;
    throw new BosunError('BOSUN_STORE_FAILED', 'records cannot be read: the store is closed, or has no getSync');
  }
}

function viewOf(number: number, [atMs, sequence, value]: RecordRow): RecordView {
  return Object.freeze({ number, atMs, sequence, value });
}

function rangeUnder(prefix: RowKey, from: string | undefined, newestFirst: boolean): { gte: string; lt: string } {
  // A double quote sorts right behind the exclamation mark.
  const range = { gte: prefix as string, lt: `${prefix.slice(0, -1)}"` };
  if (from === undefined) return range;
  return newestFirst ? { ...range, lt: `${prefix}${from}` } : { ...range, gte: `${prefix}${from}!` };
}

/** A predicate on values; undefined if every record matches. */
function matcherOf(where: NonNullable<RecordsOptions['where']>): ((value: unknown) => boolean) | undefined {
  const wanted = Object.entries(where);
  if (wanted.length === 0) return undefined;
  return (value) =>
    wanted.every(([field, want]) => Object.is((value as Record<string, unknown> | null | undefined)?.[field], want));
}

function checkLimit(limit = RECORDS_LISTED): number {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= RECORDS_READ_MAX) return limit;
  throw new BosunError('BOSUN_VALUE_REFUSED', `limit must be a whole number from 1 to ${RECORDS_READ_MAX}`);
}

function unknown(what: string, details: Record<string, unknown>): BosunError {
  return new BosunError('BOSUN_RECORDS_UNKNOWN', what, { details });
}
