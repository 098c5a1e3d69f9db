/**
 * An agent's records of things that end: all open records, and the latest ended ones. They are spread over three tables
 * of the agent's context, so that a change costs one record, however many there are. Pure.
 */
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
}

export interface RecordKind<Row> {
  /** The key of a record. */
  readonly keyOf: (row: Row) => string;
  readonly isOver: (row: Row) => boolean;
  /** How many ended records are kept, the latest ones. Default: all. */
  readonly endedMax?: number;
}

/** The tables of an agent that has no records yet. */
export function noRecords<Row>(): RecordTables<Row> {
  return { open: table(), ended: table(), endedOrder: table() };
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
    return open.get(key) ?? ended.get(key);
  }

  /**
   * Adds a record, or replaces the one with the same key. When the ended records exceed their maximum, the oldest is
   * dropped.
   */
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
