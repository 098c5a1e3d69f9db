/**
 * An agent's records of things that end: all open records, and the latest ended ones. They are one table in the order
 * in which people read it, the open ones by place, then the ended ones, the latest first, and an index by key. A change
 * costs one row of the table, and one of the index where the record moves. Pure.
 */
import { isTable, type KeyRange, rowIn, rowsOf, table, type Table, type WholeTable } from '../../table.ts';
import { latestFirstKey, numberKey } from './table-keys.ts';

/** A record with its order of arrival. */
interface NumberedRecord {
  /** Sequence number of the record. */
  readonly number: number;
}

/** The part of a context that holds the records. */
export interface RecordTables<Row> {
  /** The open records by place, then the ended ones, the latest first. */
  readonly rows: Table<Row>;
  /** The key in `rows` of each record, by the record's own key. */
  readonly places: Table<string>;
}

export interface RecordKind<Row> {
  /** The key of a record. */
  readonly keyOf: (row: Row) => string;
  readonly isOver: (row: Row) => boolean;
  /** The place of an open record among the open ones, different for any two. Default: the order of arrival. */
  readonly placeOf?: ((row: Row) => string) | undefined;
  /** How many ended records are kept, the latest ones. Default: all. */
  readonly endedMax?: number;
}

const OPEN = '0 ';
const ENDED = '1 ';

/** The open records in `rows`. */
export const OPEN_ROWS = { below: '1' } as const satisfies KeyRange;

/** The ended records in `rows`. */
export const ENDED_ROWS = { from: '1' } as const satisfies KeyRange;

/** Whether the record with this key in `rows` is over. */
export function isEnded(place: string): boolean {
  return place >= ENDED_ROWS.from;
}

/** The tables of an agent that has no records yet. */
export function noRecords<Row>(): RecordTables<Row> {
  return { rows: table(), places: table() };
}

/** The records of a context, with all of them. */
interface WholeRows<Row> {
  readonly rows: WholeTable<Row>;
}

/** All records in the order of arrival. O(records). */
export function recordsIn<Row extends NumberedRecord>({ rows }: WholeRows<Row>): Row[] {
  return inArrivalOrder(rowsOf(rows));
}

/** The open records in the order of their places. */
export function openIn<Row>({ rows }: WholeRows<Row>): Row[] {
  return isTable(rows) ? [...rows.values(OPEN_ROWS)] : inView(rows.rows, (place) => !isEnded(place));
}

/** The ended records, the latest first. */
export function endedIn<Row>({ rows }: WholeRows<Row>): Row[] {
  return isTable(rows) ? [...rows.values(ENDED_ROWS)] : inView(rows.rows, isEnded);
}

function inView<Row>(rows: Readonly<Record<string, Row>>, isWanted: (place: string) => boolean): Row[] {
  return Object.keys(rows)
    .filter(isWanted)
    .sort()
    .map((place) => rows[place]!);
}

/** The record with a key; undefined if there is none. */
export function recordIn<Row>(
  { rows, places }: WholeRows<Row> & { readonly places: WholeTable<string> },
  key: string,
): Row | undefined {
  const place = rowIn(places, key);
  return place === undefined ? undefined : rowIn(rows, place);
}

export function inArrivalOrder<Row extends NumberedRecord>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => a.number - b.number);
}

/** The tables of an agent's records in earlier builds: open and ended ones apart, the ended ones with their order. */
export interface RecordsApart<Row> {
  readonly open: Table<Row>;
  readonly ended: Table<Row>;
  readonly endedOrder?: Table<string>;
  readonly openPlaces?: Table<string>;
}

/** Migrates a context of an earlier build to one table of records and its index. */
export function inOneTable<Row extends NumberedRecord, Before extends RecordsApart<Row>>(
  before: Before & RecordsApart<Row>,
  kind: RecordKind<Row>,
): Omit<Before, keyof RecordsApart<Row>> & RecordTables<Row> {
  const { open, ended, endedOrder: _, openPlaces: __, ...others } = before;
  const all = [...open.values(), ...ended.values()].map((row) => [placeIn(kind, row), row] as const);
  return { ...others, rows: table(all), places: table(all.map(([place, row]) => [kind.keyOf(row), place])) };
}

/** The key of a record in `rows`. */
function placeIn<Row extends NumberedRecord>({ isOver, placeOf }: RecordKind<Row>, row: Row): string {
  if (isOver(row)) return `${ENDED}${latestFirstKey(row.number)}`;
  return `${OPEN}${placeOf?.(row) ?? numberKey(row.number)}`;
}

/** The part of a turn through which records are read and changed. */
interface RecordTurn<Row> {
  /** The context including the changes of this turn. */
  readonly context: RecordTables<Row>;
  assign(patch: RecordTables<Row>): void;
}

/** The records of an agent during one turn. */
export class Records<Row extends NumberedRecord> {
  readonly #turn: RecordTurn<Row>;
  readonly #of: RecordKind<Row>;

  constructor(turn: RecordTurn<Row>, of: RecordKind<Row>) {
    this.#turn = turn;
    this.#of = of;
  }

  get(key: string): Row | undefined {
    return recordIn(this.#turn.context, key);
  }

  /**
   * Adds a record, or replaces the one with the same key. When the ended records exceed their maximum, the oldest is
   * dropped.
   */
  put(row: Row): void {
    const { rows, places } = this.#turn.context;
    const [key, place] = [this.#of.keyOf(row), placeIn(this.#of, row)];
    const before = places.get(key);
    const others = before === undefined || before === place ? rows : rows.delete(before);
    this.#turn.assign({ rows: others.set(place, row), places: before === place ? places : places.set(key, place) });
    if (this.#of.isOver(row)) this.#dropEldest();
  }

  remove(key: string): void {
    const { rows, places } = this.#turn.context;
    const place = places.get(key);
    if (place !== undefined) this.#turn.assign({ rows: rows.delete(place), places: places.delete(key) });
  }

  /** Drops the ended record that arrived first, if there is one too many. */
  #dropEldest(): void {
    const { endedMax = Infinity } = this.#of;
    const { rows } = this.#turn.context;
    const eldest = rows.count(ENDED_ROWS) > endedMax ? eldestEnded(this.#turn.context) : undefined;
    if (eldest !== undefined) this.remove(this.#of.keyOf(eldest));
  }
}

/** The ended record that arrived first; undefined if none has ended. */
export function eldestEnded<Row>({ rows }: Pick<RecordTables<Row>, 'rows'>): Row | undefined {
  for (const row of rows.values({ ...ENDED_ROWS, reverse: true })) return row;
  return undefined;
}
