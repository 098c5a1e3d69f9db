/**
 * Pages of records, and what is computed from pages alone: the tail of one actor's records, and one page out of several
 * shards' pages. Nothing is read here.
 */
import { type BosunError, isBosunError } from '../../errors.ts';
import { type MergedOrder, mergedPages } from './merged-pages.ts';

/** A record as readers get it. */
export interface RecordView {
  /** The number of the record, counted from 1 without gaps, in the order in which turns recorded values. */
  readonly number: number;
  /** Kernel time of the turn that recorded the value. */
  readonly atMs: number;
  /** Number of changes of the actor up to that turn. */
  readonly sequence: number;
  readonly value: unknown;
}

/** A page of the records of one actor. */
export interface RecordPage {
  readonly records: readonly RecordView[];
  /** `after`, or with `newestFirst` `before`, for the next page; null if there is none. */
  readonly next: number | null;
  /** Number of the oldest kept record; that of the next one where there is none. */
  readonly first: number;
  /** Number of the newest record, on this page or not; 0 if there has been none. */
  readonly last: number;
  /** The life of the actor. A later actor at its address numbers its records from 1 again. */
  readonly life: number;
  /** Number of records within the page that cannot be read, because the store is damaged. */
  readonly missing: number;
}

/** The selection of an actor's records. */
export interface RecordsOptions {
  /** A number: only later records are returned. */
  readonly after?: number | undefined;
  /** A number: only earlier records are returned. */
  readonly before?: number | undefined;
  /** Most records of the page, 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  readonly newestFirst?: boolean | undefined;
  /**
   * Fields that a value must have, each equal to this string, number, boolean or null. At most 10,000 records are
   * checked per call.
   */
  readonly where?: Readonly<Record<string, string | number | boolean | null>>;
}

/** A record found by a key. */
export interface FoundRecord extends RecordView {
  /** The address of its actor. */
  readonly address: string;
  /** The value for `from` to continue after this record. Sorts by time, over all shards of a system. */
  readonly cursor: string;
}

/** A page of records found by a key. */
export interface FoundRecords {
  readonly records: readonly FoundRecord[];
  /** `from` for the next page; null if there is none. */
  readonly next: string | null;
}

/** The name and value of an index key. */
export type RecordKey = readonly [key: string, value: string | number | boolean];

/** Which page of the found records to return. */
export interface FindRecordsOptions {
  /** The start of the page: `next` of the page before. */
  readonly from?: string | undefined;
  /** Most records of the page, 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  readonly newestFirst?: boolean | undefined;
}

/** The start of a tail. */
export interface TailOptions {
  /** The last number seen. Default: that of the newest record. */
  readonly after?: number | undefined;
}

/** Records that a tail reads at a time, so that few records with large values are in memory. */
export const READ_AT_ONCE = 100;

/** The source of a tail. */
export interface RecordSource {
  page(options: RecordsOptions): Promise<RecordPage>;
  /** Watches the actor's changes and its end; `failure` says why, where it is not an ordinary end. */
  watch(observer: { changed(): void; over(failure?: BosunError): void }): () => void;
}

/** Yields the records of a source from now on, or after a number, each once and in order, until the actor has ended. */
export async function* followed(source: RecordSource, { after: from }: TailOptions): AsyncGenerator<RecordView> {
  let isOver = false;
  let failure: BosunError | undefined;
  let ring = () => {};
  const stop = source.watch({
    changed: () => ring(),
    over: (why) => {
      isOver = true;
      failure = why;
      ring();
    },
  });
  try {
    const begun = await source.page({ after: from ?? Infinity, limit: READ_AT_ONCE });
    let after = from ?? begun.last;
    for (let page = begun; page.life === begun.life; ) {
      for (const record of page.records) {
        after = record.number;
        yield record;
      }
      if (page.next !== null) after = Math.max(after, page.next);
      const changed = new Promise<void>((resolve) => (ring = resolve));
      const wasOver = isOver;
      page = await source.page({ after, limit: READ_AT_ONCE }).catch((error: unknown) => {
        // Where no result of an ended actor is kept, neither are its records.
        if (wasOver && isBosunError(error)) return begun;
        throw error;
      });
      if (page === begun) break;
      if (page.records.length > 0 || page.next !== null) continue;
      if (wasOver) break;
      if (!isOver) await changed;
    }
  } finally {
    stop();
  }
  if (failure !== undefined) throw failure;
}

/** Merges pages of several shards. A life belongs to one shard, so cursors are unique. */
export function mergedFound(pages: readonly FoundRecords[], order: MergedOrder): FoundRecords {
  const { rows, next } = mergedPages(
    pages.map((page) => ({ rows: page.records, next: page.next })),
    order,
  );
  return { records: rows, next };
}
