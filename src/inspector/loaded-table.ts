/**
 * A table of an actor as far as the page has it: the first rows, which its topic keeps current, and the pages behind
 * them, which are read. The page says of a key that it has no row only where it has loaded that part of the table.
 */
import type { TableView } from '../gateway/protocol/actor-view.ts';

/** Least time between the beginnings of two readings. */
export const READ_EVERY_MS = 1_000;

/** Share of the time that readings may take, so that a large table that always changes is not read all the time. */
const READING_SHARE = 1 / 4;

/** The rows of a table from a key on, up to the first one that is not loaded. */
export interface RestOfTable<Row> {
  readonly from: string;
  readonly rows: Readonly<Record<string, Row>>;
  readonly next: string | null;
}

/** A table as far as it is loaded. */
export interface LoadedTable<Row> {
  /** Number of rows of the whole table. */
  readonly size: number;
  /** Whether the part of the table with this key is loaded. */
  isLoaded(key: string): boolean;
  /** The row of a key; undefined if the table has none, or if it is not loaded. */
  get(key: string): Row | undefined;
}

/** Joins the first rows of a table, and the rows that were read behind them. */
export function loadedTable<Row>(first: TableView<Row>, rest: RestOfTable<Row> | undefined): LoadedTable<Row> {
  const { size, next, rows } = first;
  const isFirst = (key: string) => next === null || key < next;
  const isRest = (key: string) => rest !== undefined && key >= rest.from && (rest.next === null || key < rest.next);
  const rowOf = (of: Readonly<Record<string, Row>>, key: string) => (Object.hasOwn(of, key) ? of[key] : undefined);
  return {
    size,
    isLoaded: (key) => isFirst(key) || isRest(key),
    get: (key) => (isFirst(key) ? rowOf(rows, key) : isRest(key) ? rowOf(rest!.rows, key) : undefined),
  };
}

interface Surroundings<Row> {
  /** Reads the page of the table that begins at a key. */
  readonly read: (from: string) => Promise<TableView<Row>>;
  /** Takes the rest of the table as far as it is loaded. */
  readonly take: (rest: RestOfTable<Row>) => void;
  readonly nowMs: () => number;
  /** Calls a function later; returns one that cancels it. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

/** Reads the pages behind the first rows of a table, and again when the table may have changed. */
export class RestReader<Row> {
  readonly #around: Surroundings<Row>;
  #known: RestOfTable<Row> | undefined;
  /** The key with which a reading begins, and the version that it reads; undefined if nothing is to be read. */
  #wanted: { readonly from: string; readonly version: string } | undefined;
  #isReading = false;
  #isStopped = false;
  #notBeforeMs = 0;
  #readVersion: string | undefined;
  #cancel: (() => void) | undefined;

  constructor(around: Surroundings<Row>) {
    this.#around = around;
  }

  /**
   * Says how the table stands.
   *
   * @param next The first key behind the first rows; null if they are all.
   * @param version A text that differs when the table may have changed.
   */
  see(next: string | null, version: string): void {
    const isKnown = version === this.#readVersion && this.#known !== undefined && this.#known.from <= (next ?? '');
    this.#wanted = next === null || isKnown ? undefined : { from: next, version };
    this.#begin();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #begin(): void {
    if (this.#wanted === undefined || this.#isReading || this.#isStopped || this.#cancel !== undefined) return;
    const { nowMs, after } = this.#around;
    const waitMs = this.#notBeforeMs - nowMs();
    if (waitMs <= 0) return void this.#readAll();
    this.#cancel = after(waitMs, () => {
      this.#cancel = undefined;
      this.#begin();
    });
  }

  async #readAll(): Promise<void> {
    const { from, version } = this.#wanted!;
    const { nowMs } = this.#around;
    this.#wanted = undefined;
    this.#isReading = true;
    const beganMs = nowMs();
    try {
      await this.#pages(from);
      this.#readVersion = version;
    } catch {
      // Read again later: a broken connection is shown by the page, and the table says what is loaded.
      this.#wanted ??= { from, version };
    }
    this.#isReading = false;
    this.#notBeforeMs = Math.max(beganMs + READ_EVERY_MS, nowMs() + (nowMs() - beganMs) / READING_SHARE);
    this.#begin();
  }

  /** Reads page after page. Pages of the reading before stay until they are replaced. */
  async #pages(from: string): Promise<void> {
    const rows: Record<string, Row> = {};
    for (let next: string | null = from; next !== null && !this.#isStopped; ) {
      const page: TableView<Row> = await this.#around.read(next);
      Object.assign(rows, page.rows);
      next = page.next;
      this.#known = withRest({ from, rows: { ...rows }, next }, this.#known);
      if (!this.#isStopped) this.#around.take(this.#known);
    }
  }
}

/** The rows that were read now, and behind them those of the reading before. */
function withRest<Row>(read: RestOfTable<Row>, before: RestOfTable<Row> | undefined): RestOfTable<Row> {
  const { from, rows, next } = read;
  if (next === null || before === undefined || before.from > next) return read;
  const behind = Object.entries(before.rows).filter(([key]) => key >= next);
  if (before.next !== null && before.next <= next) return read;
  return { from, rows: { ...rows, ...Object.fromEntries(behind) }, next: before.next };
}
