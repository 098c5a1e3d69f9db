/**
 * Tables as clients see them: the first rows in order of keys, limited by number and by size, the others by page. A
 * page of 10,000 rows would be larger than a frame. Rows of a view are converted on demand: watchers receive the
 * difference, which follows from the two tables.
 */
import { TABLE_CHARS_SHOWN, TABLE_ROWS_SHOWN } from '../limits.ts';
import {
  changesBetween,
  eachLeaf,
  type KeyRange,
  type OrderedRange,
  type Table,
  type TablePage,
  type TableView,
} from '../../table.ts';
import { type Leaf } from '../../tree.ts';
import { type Difference } from '../protocol/patch.ts';

/** The page of a table that is asked for. */
export interface AskedPage extends OrderedRange {
  /** The `next` of the previous page, in either order. */
  readonly cursor?: string | undefined;
  /** Most rows of the page. Default and maximum: TABLE_ROWS_SHOWN. */
  readonly limit?: number | undefined;
}

/** Converts a row for clients. */
type ShownRow = (row: unknown) => unknown;

/** The source of a view. */
interface Origin {
  readonly table: Table<unknown>;
  readonly shown: ShownRow;
}

const origins = new WeakMap<object, Origin>();

/**
 * The first rows of a table.
 *
 * @param among Number of tables that share the budget of one view. Default: 1.
 */
export function tableView(of: Table<unknown>, shown: ShownRow, among = 1): TableView {
  const next = endOfView(of, shown, TABLE_CHARS_SHOWN / among);
  let rows: TableView['rows'] | undefined;
  const view: TableView = {
    size: of.size,
    get rows() {
      return (rows ??= rowsOf(of, shown, { below: next ?? undefined }));
    },
    next,
  };
  origins.set(view, { table: of, shown });
  return view;
}

/** Rows of a range in the requested order, limited by number and by size; at least one. */
export function tablePage(
  of: Table<unknown>,
  shown: ShownRow,
  { limit = TABLE_ROWS_SHOWN, cursor, ...range }: AskedPage,
): TablePage {
  const { size } = of;
  const count = of.count(range);
  const rows: Record<string, unknown> = {};
  let [taken, chars] = [0, 0];
  for (const [key, row] of of.entries(cursor === undefined ? range : continued(range, cursor))) {
    const given = shown(row) ?? null;
    chars += charsOfRow(key, given);
    if (taken === limit || (taken > 0 && chars > TABLE_CHARS_SHOWN)) return { size, count, rows, next: key };
    rows[key] = given;
    taken += 1;
  }
  return { size, count, rows, next: null };
}

/** The rest of a range from a key on, in the order of the range. The key itself belongs to it. */
function continued(range: OrderedRange, cursor: string): OrderedRange {
  const { from = '', below, reverse = false } = range;
  if (!reverse) return { ...range, from: cursor > from ? cursor : from };
  // The lowest text above a text is that text with the lowest character behind it.
  const end = `${cursor}\0`;
  return { ...range, below: below === undefined || end < below ? end : below };
}

/**
 * The differences between two views of a table, without converting all of their rows; undefined for other values.
 *
 * @returns Path, old and new value of each difference; undefined for an absent value.
 */
export function tableDifferences(before: object, after: object): readonly Difference[] | undefined {
  const [old, young] = [origins.get(before), origins.get(after)];
  if (old === undefined || young === undefined) return undefined;
  const [was, is] = [before as TableView, after as TableView];
  const keys = new Set(changesBetween(old.table, young.table).map(([key]) => key));
  for (const key of keysBetween(old.table, was.next, is.next)) keys.add(key);
  const rows = [...keys].map((key): Difference => [['rows', key], rowIn(was, old, key), rowIn(is, young, key)]);
  return [...rows, [['size'], was.size, is.size], [['next'], was.next, is.next]];
}

/** Keys of rows that only one of two views has because it ends later. */
function keysBetween(of: Table<unknown>, a: string | null, b: string | null): Iterable<string> {
  if (a === b) return [];
  const [from, below] = a === null || (b !== null && b < a) ? [b!, a] : [a, b];
  return of.keys({ from, below: below ?? undefined });
}

function rowIn({ next }: TableView, { table, shown }: Origin, key: string): unknown {
  if (next !== null && key >= next) return undefined;
  const row = table.get(key);
  return row === undefined ? undefined : (shown(row) ?? null);
}

/**
 * The first key that a view leaves out; null if it has all rows. A view ends between leaves, so that its end seldom
 * moves, but for a first leaf that does not fit.
 */
function endOfView(of: Table<unknown>, shown: ShownRow, charsMax: number): string | null {
  let count = 0;
  let chars = 0;
  for (const leaf of eachLeaf(of)) {
    const lengths = charsOfRows(leaf, shown);
    const length = lengths.reduce((sum, one) => sum + one, 0);
    if (count + leaf.size > TABLE_ROWS_SHOWN || chars + length > charsMax)
      return leaf.keys[count === 0 ? fitting(lengths, charsMax) : 0] ?? null;
    count += leaf.size;
    chars += length;
  }
  return null;
}

/** How many of some rows fit, by their lengths; at least one. */
function fitting(lengths: readonly number[], charsMax: number): number {
  let chars = 0;
  const unfit = lengths.findIndex((length) => (chars += length) > charsMax);
  return Math.max(1, unfit);
}

/** Characters of the rows of a leaf as JSON. Versions of a table share unchanged leaves. */
const known = new WeakMap<Leaf<unknown>, readonly number[]>();

function charsOfRows(leaf: Leaf<unknown>, shown: ShownRow): readonly number[] {
  const lengths = known.get(leaf) ?? leaf.rows.map((row, at) => charsOfRow(leaf.keys[at]!, shown(row)));
  known.set(leaf, lengths);
  return lengths;
}

function charsOfRow(key: string, value: unknown): number {
  return key.length + charsOf(value ?? null);
}

/** Characters of rows as JSON. A row that has not changed is converted once (wire-values.ts). */
const measured = new WeakMap<object, number>();

function charsOf(row: unknown): number {
  if (typeof row !== 'object' || row === null) return JSON.stringify(row)?.length ?? 0;
  const chars = measured.get(row) ?? JSON.stringify(row)?.length ?? 0;
  measured.set(row, chars);
  return chars;
}

function rowsOf(of: Table<unknown>, shown: ShownRow, range: KeyRange): TableView['rows'] {
  const rows: Record<string, unknown> = {};
  for (const [key, row] of of.entries(range)) rows[key] = shown(row) ?? null;
  return rows;
}
