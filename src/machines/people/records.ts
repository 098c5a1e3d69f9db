/**
 * Records of an agent that end: every open one, and the last that have ended. Three tables of its context, so that a
 * change costs the record that it is about, whatever else there is. Pure.
 */
import { rowsOf, type ShownTable, table, type Table } from '../../table.ts';
import { numberKey } from './table-keys.ts';

/** A record that stands in the order of its arrival. */
interface NumberedRecord {
  /** Rises with every record. */
  readonly number: number;
}

/** The part of a context that holds the records. */
export interface RecordTables<Row> {
  /** By key. */
  readonly open: Table<Row>;
  /** By key. */
  readonly ended: Table<Row>;
  /** Keys of those that have ended by their numbers: the eldest is the first. */
  readonly endedOrder: Table<string>;
}

export interface RecordKind<Row> {
  /** What tells one record from another. */
  readonly keyOf: (row: Row) => string;
  readonly isOver: (row: Row) => boolean;
  /** Records that have ended and are kept, the latest. Default: all. */
  readonly endedMax?: number;
}

/** The tables of an agent that has no records yet. */
export function noRecords<Row>(): RecordTables<Row> {
  return { open: table(), ended: table(), endedOrder: table() };
}

/** All that are kept, in the order of arrival. Costs all of them. */
export function recordsIn<Row extends NumberedRecord>({
  open,
  ended,
}: {
  readonly open: ShownTable<Row>;
  readonly ended: ShownTable<Row>;
}): Row[] {
  return inArrivalOrder([...rowsOf(open), ...rowsOf(ended)]);
}

export function inArrivalOrder<Row extends NumberedRecord>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((a, b) => a.number - b.number);
}

/** The part of a turn that records are read and changed through. */
interface RecordTurn<Row> {
  /** With what this turn has changed. */
  readonly context: RecordTables<Row>;
  assign(patch: Partial<RecordTables<Row>>): void;
}

/** The records of an agent in one turn of it. */
export class Records<Row extends NumberedRecord> {
  readonly #turn: RecordTurn<Row>;
  readonly #of: RecordKind<Row>;

  constructor(turn: RecordTurn<Row>, of: RecordKind<Row>) {
    this.#turn = turn;
    this.#of = of;
  }

  get(key: string): Row | undefined {
    const { open, ended } = this.#turn.context;
    return open.get(key) ?? ended.get(key);
  }

  /** Puts a record in the place of the one with its key. One more that has ended takes the eldest of those away. */
  put(row: Row): void {
    const { open, ended, endedOrder } = this.#turn.context;
    const key = this.#of.keyOf(row);
    if (!this.#of.isOver(row)) return this.#turn.assign({ open: open.set(key, row), ...this.#withoutEnded(key) });
    const known = ended.get(key);
    const others = known === undefined ? endedOrder : endedOrder.delete(numberKey(known.number));
    this.#turn.assign({
      open: open.delete(key),
      ended: ended.set(key, row),
      endedOrder: known?.number === row.number ? endedOrder : others.set(numberKey(row.number), key),
    });
    this.#dropEldest();
  }

  remove(key: string): void {
    this.#turn.assign({ open: this.#turn.context.open.delete(key), ...this.#withoutEnded(key) });
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
