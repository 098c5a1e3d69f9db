/** A page of a window as its readers get it. Types only, without imports, so that clients need no package for it. */

/** A page of a window: rows by key, the number of rows of the whole window, and the cursor of the next page. */
export interface WindowPage<Row = unknown> {
  /** The rows by their keys. JSON keeps no order of keys: `rowsInOrder` gives the rows in the order of the window. */
  readonly rows: Readonly<Record<string, Row>>;
  /** Number of rows in the range of the window, before `shows` has left any out. */
  readonly size: number;
  /** The parameter `after` of the next page; null on the last page. */
  readonly next: string | null;
  /** Whether the window is in descending order of keys. */
  readonly isReverse: boolean;
}
