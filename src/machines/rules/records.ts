/**
 * An agent's records of things that end: all open records, and the latest ended ones. They are spread over tables of
 * the agent's context, so that a change costs one record, however many there are. The open ones stand by key, or in
 * the order in which people want to read them. Pure.
 */
import { assert } from '../../assert.ts';
import { rowsOf, table, type Table, type WholeTable } from '../../table.ts';
import { numberKey } from './table-keys.ts';

/** A record with its order of arrival. */
interface NumberedRecord {
  /** Sequence number of the record. */
  readonly number: number;
}

/** The part of a context that holds the records, by key. */
export interface RecordTables<Row> {
  readonly open: Table<Row>;
  readonly ended: Table<Row>;
  /** Keys of the ended records by sequence number, the oldest first. */
  readonly endedOrder: Table<string>;
  /** The place of each open record by its key, for a kind with `placeOf`. */
  readonly openPlaces?: Table<string>;
}

/** The tables of records whose open ones stand in an order of their own. */
export type PlacedTables<Row> = RecordTables<Row> & Required<Pick<RecordTables<Row>, 'openPlaces'>>;

export interface RecordKind<Row> {
  /** The key of a record. */
  readonly keyOf: (row: Row) => string;
  readonly isOver: (row: Row) => boolean;
  /**
   * The key in `open` of an open record, different for any two records: the table is in this order. Default: the key
   * of the record, and no table `openPlaces`.
   */
  readonly placeOf?: ((row: Row) => string) | undefined;
  /** How many ended records are kept, the latest ones. Default: all. */
  readonly endedMax?: number;
}

/** The tables of an agent that has no records yet. */
export function noRecords<Row>(): RecordTables<Row> {
  return { open: table(), ended: table(), endedOrder: table() };
}

/** The tables of an agent with open records by place, which has no others yet. */
export function placedRecords<Row>(
  open: Iterable<Row>,
  { keyOf, placeOf = keyOf }: RecordKind<Row>,
): PlacedTables<Row> {
  const rows = [...open];
  return {
    ...noRecords<Row>(),
    open: table(rows.map((row) => [placeOf(row), row])),
    openPlaces: table(rows.map((row) => [keyOf(row), placeOf(row)])),
  };
}

/** All records in the order of arrival. O(records). */
export function recordsIn<Row extends NumberedRecord>({
  open,
  ended,
}: {
  readonly open: WholeTable<Row>;
  readonly ended: WholeTable<Row>;
}): Row[] {
  return inArrivalOrder([...rowsOf(open), ...rowsOf(ended)]);
}

export function inArrivalOrder<Row extends NumberedRecord>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => a.number - b.number);
}

/** The part of a turn through which records are read and changed. */
interface RecordTurn<Row> {
  /** The context including the changes of this turn. */
  readonly context: RecordTables<Row>;
  assign(patch: Partial<RecordTables<Row>>): void;
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
    const { open, ended } = this.#turn.context;
    const place = this.#placed(key);
    return (place === undefined ? undefined : open.get(place)) ?? ended.get(key);
  }

  /**
   * Adds a record, or replaces the one with the same key. When the ended records exceed their maximum, the oldest is
   * dropped.
   */
  put(row: Row): void {
    const { ended, endedOrder } = this.#turn.context;
    const key = this.#of.keyOf(row);
    if (!this.#of.isOver(row)) return this.#turn.assign({ ...this.#withOpen(key, row), ...this.#withoutEnded(key) });
    const known = ended.get(key);
    const others = known === undefined ? endedOrder : endedOrder.delete(numberKey(known.number));
    this.#turn.assign({
      ...this.#withoutOpen(key),
      ended: ended.set(key, row),
      endedOrder: known?.number === row.number ? endedOrder : others.set(numberKey(row.number), key),
    });
    this.#dropEldest();
  }

  remove(key: string): void {
    this.#turn.assign({ ...this.#withoutOpen(key), ...this.#withoutEnded(key) });
  }

  /** The key in `open` of an open record; undefined if there is none. */
  #placed(key: string): string | undefined {
    return this.#of.placeOf === undefined ? key : this.#places.get(key);
  }

  get #places(): Table<string> {
    const { openPlaces } = this.#turn.context;
    assert(openPlaces !== undefined, 'records with an order of their own have a table of places');
    return openPlaces;
  }

  #withOpen(key: string, row: Row): Partial<RecordTables<Row>> {
    const { open } = this.#turn.context;
    const { placeOf } = this.#of;
    if (placeOf === undefined) return { open: open.set(key, row) };
    const [before, place] = [this.#placed(key), placeOf(row)];
    const others = before === undefined || before === place ? open : open.delete(before);
    return { open: others.set(place, row), openPlaces: this.#places.set(key, place) };
  }

  #withoutOpen(key: string): Partial<RecordTables<Row>> {
    const { open } = this.#turn.context;
    if (this.#of.placeOf === undefined) return { open: open.delete(key) };
    const place = this.#placed(key);
    return place === undefined ? {} : { open: open.delete(place), openPlaces: this.#places.delete(key) };
  }

  #dropEldest(): void {
    const { endedMax = Infinity } = this.#of;
    const { ended, endedOrder } = this.#turn.context;
    const eldest = ended.size > endedMax ? endedOrder.first() : undefined;
    if (eldest !== undefined) this.#turn.assign(this.#withoutEnded(eldest[1]));
  }

  #withoutEnded(key: string): Partial<RecordTables<Row>> {
    const { ended, endedOrder } = this.#turn.context;
    const row = ended.get(key);
    return row === undefined ? {} : { ended: ended.delete(key), endedOrder: endedOrder.delete(numberKey(row.number)) };
  }
}
