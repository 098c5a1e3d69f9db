/**
 * Tables as clients see them: the first rows in order of keys, bounded by number and by length; the others by page. A
 * page of 10,000 rows would be larger than a frame.
 */
import { TABLE_CHARS_SHOWN, TABLE_ROWS_SHOWN } from '../../limits.ts';
import { type KeyRange, type Table, type TableView } from '../../table.ts';

export interface TablePage extends KeyRange {
  /** Default, and at most: TABLE_ROWS_SHOWN. */
  readonly limit?: number | undefined;
}

/** Characters of rows as JSON. A row stays in many versions of its table. */
const lengths = new WeakMap<object, number>();

/**
 * Rows from a key on. Ends where there are enough of them, by number or by length; there is at least one.
 *
 * @param shown How clients see a row.
 */
export function tableView<Row>(of: Table<Row>, shown: (row: Row) => unknown, page: TablePage = {}): TableView {
  const { limit = TABLE_ROWS_SHOWN, ...range } = page;
  const rows: Record<string, unknown> = {};
  let count = 0;
  let chars = 0;
  for (const [key, row] of of.entries(range)) {
    const value = shown(row) ?? null;
    chars += key.length + lengthOf(value);
    if (count === limit || (count > 0 && chars > TABLE_CHARS_SHOWN)) return { size: of.size, rows, next: key };
    rows[key] = value;
    count += 1;
  }
  return { size: of.size, rows, next: null };
}

function lengthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
  const known = lengths.get(value) ?? JSON.stringify(value).length;
  lengths.set(value, known);
  return known;
}
