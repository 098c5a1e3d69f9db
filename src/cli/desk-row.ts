/** What the verbs of a desk need of it: its records, how they are listed and shown, and its orders. No behaviour. */
import { type DeskOrder, type DeskView } from './desk-view.ts';
import { type Facts } from './table.ts';

/** The options of an order, beside who gives it. */
export interface DeskOptions {
  readonly reason?: string | undefined;
  /** Milliseconds. */
  readonly until?: number;
  readonly concurrency?: number;
  readonly side?: 'challenger' | 'challenged';
}

export interface Given extends DeskOptions {
  readonly by: string;
  /** Of an answer, as `key=value`. */
  readonly fields: readonly string[];
}

/** An order, and what is said when it is given. */
export interface Ordered {
  readonly desk: string;
  readonly event: DeskOrder;
  /** What `--json` has of it; default: the event. */
  readonly json?: object;
  readonly said: string;
}

export type Cell = string | number | null;

export interface DeskRow<Row> {
  /** Said where the list is empty. */
  readonly none: string;
  /** In the order of the list; `all`: also those that are over. */
  records(view: DeskView, all: boolean): Promise<readonly Row[]>;
  /** The record of a key, whether it is over or not. Throws where there is none. */
  find(view: DeskView, key: string): Promise<Row>;
  /** Above a list for people. */
  readonly banner?: (rows: readonly Row[]) => string | null;
  /** The columns of the list. */
  cells(row: Row): Readonly<Record<string, Cell>>;
  facts(row: Row): Facts;
  /** What else there is to show: for programs, and for people. */
  readonly detail?: (view: DeskView, row: Row) => Promise<{ readonly json: object; readonly text: string }>;
  /** By verb. Throw what is refused here already. */
  readonly orders: Readonly<Record<string, (row: Row, given: Given, view: DeskView) => Ordered | Promise<Ordered>>>;
}
