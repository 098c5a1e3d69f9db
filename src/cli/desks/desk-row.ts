/** The description of a desk for its verbs: its records, how they are listed and shown, and its orders. Types only. */
import { type DeskOrder, type DeskView } from './desk-view.ts';
import { type Facts } from '../table.ts';
import { type DeskOptions } from '../verb.ts';

export interface Given extends DeskOptions {
  readonly by: string;
  /** Fields of an answer, as `key=value`. */
  readonly fields: readonly string[];
}

/** An order, and the message printed when it is given. */
/** The words and options of a new record. */
export interface Opening {
  readonly by: string;
  readonly words: readonly string[];
  readonly detail?: string;
  readonly options?: readonly string[] | undefined;
  readonly priority?: number;
  readonly for?: string;
  readonly task?: string;
  readonly blocks?: boolean;
}

export interface Ordered {
  readonly desk: string;
  readonly event: DeskOrder;
  /** The `--json` output; default: the event. */
  readonly json?: object;
  readonly said: string;
}

export type Cell = string | number | null;

/** The records that a list has. */
export interface Wanted {
  /** Whether also those that are over. */
  readonly all: boolean;
  /** Only those that this person may answer. */
  readonly audience?: string | undefined;
}

/** A page of a list, in its order. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** Number of records behind this page; undefined if there may be more, and nobody has counted them. */
  readonly left: number | undefined;
}

/** A list that is read at once, or page by page. */
type Listing<Row> =
  | {
      /** The records in the order of the list; `all` includes those that are over. */
      readonly records: (view: DeskView, all: boolean) => Promise<readonly Row[]>;
      readonly pages?: never;
    }
  | {
      /** The records in the order of the list. Of several pages, people are shown the first one only, unless `all`. */
      readonly pages: (view: DeskView, wanted: Wanted) => AsyncIterable<ListPage<Row>>;
      readonly records?: never;
    };

export type DeskRow<Row> = Listing<Row> & DeskVerbsRow<Row>;

interface DeskVerbsRow<Row> {
  /** The message for an empty list. */
  readonly none: string;
  /** The record of a key, including one that is over. Throws if there is none. */
  find(view: DeskView, key: string): Promise<Row>;
  /** A line above a list for people. */
  readonly banner?: (rows: readonly Row[]) => string | null;
  /** The columns of the list. */
  cells(row: Row): Readonly<Record<string, Cell>>;
  facts(row: Row): Facts;
  /** Further data to show: for programs, and for people. */
  readonly detail?: (view: DeskView, row: Row) => Promise<{ readonly json: object; readonly text: string }>;
  /** The order that makes a new record. */
  readonly open?: (given: Opening) => Ordered;
  /** Orders by verb. They throw if an order can be refused before it is sent. */
  readonly orders: Readonly<Record<string, (row: Row, given: Given, view: DeskView) => Ordered | Promise<Ordered>>>;
}
