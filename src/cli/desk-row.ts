/** The description of a desk for its verbs: its records, how they are listed and shown, and its orders. Types only. */
import { type DeskOrder, type DeskView } from './desk-view.ts';
import { type Facts } from './table.ts';

/** The options of an order, except its author. */
export interface DeskOptions {
  readonly reason?: string | undefined;
  /** The new deadline in milliseconds. */
  readonly until?: number;
  readonly concurrency?: number;
  readonly side?: 'challenger' | 'challenged';
  readonly right?: string;
  readonly statement?: string;
  /** A value, as the user wrote it. */
  readonly value?: string;
  readonly evidence?: readonly object[];
  readonly asRecommended?: boolean;
  /** A ticket's option. */
  readonly option?: string;
}

export interface Given extends DeskOptions {
  readonly by: string;
  /** Fields of an answer, as `key=value`. */
  readonly fields: readonly string[];
}

/** An order, and the message printed when it is given. */
export interface Ordered {
  readonly desk: string;
  readonly event: DeskOrder;
  /** The `--json` output; default: the event. */
  readonly json?: object;
  readonly said: string;
}

export type Cell = string | number | null;

export interface DeskRow<Row> {
  /** The message for an empty list. */
  readonly none: string;
  /** The records in the order of the list; `all` includes those that are over. */
  records(view: DeskView, all: boolean): Promise<readonly Row[]>;
  /** The record of a key, including one that is over. Throws if there is none. */
  find(view: DeskView, key: string): Promise<Row>;
  /** A line above a list for people. */
  readonly banner?: (rows: readonly Row[]) => string | null;
  /** The columns of the list. */
  cells(row: Row): Readonly<Record<string, Cell>>;
  facts(row: Row): Facts;
  /** Further data to show: for programs, and for people. */
  readonly detail?: (view: DeskView, row: Row) => Promise<{ readonly json: object; readonly text: string }>;
  /** Orders by verb. They throw if an order can be refused before it is sent. */
  readonly orders: Readonly<Record<string, (row: Row, given: Given, view: DeskView) => Ordered | Promise<Ordered>>>;
}
