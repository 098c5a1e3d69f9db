/**
 * Tables: a keyed collection as one immutable value, a persistent B+ tree in key order (UTF-16 code units). A change
 * creates a new table that shares all nodes except those on the path to the changed row, so older versions stay
 * unchanged, and {@link changesBetween} finds differences without visiting shared nodes. An ordinary value: it depends
 * on neither the kernel nor a store, and behaves the same under XState's `createActor`. The methods of a table hand out
 * its rows to user code (lending.ts); the functions for the kernel read them as they are.
 */
import { BosunError } from './errors.ts';
import { handed } from './lending.ts';
import { TABLE_KEY_CHARS_MAX } from './limits.ts';
import {
  differences,
  innerOf,
  leafFor,
  leafOf,
  type Leaf,
  leavesBelow,
  leavesFrom,
  lowerBound,
  type Node,
  parts,
  rootedAbove,
  type Rooted,
  type RowChange,
  rowsBelow,
  withoutRow,
  withRow,
} from './tree.ts';
import { disown } from './user-code.ts';

/**
 * The version of the tree's form. {@link treeOf} refuses a table of a second copy of this package with another form.
 */
const FORM = 1;

/** The property that identifies tables, so that two copies of the package in one process recognise each other's. */
const TREE = Symbol.for('bosun.table');

interface Tree<Row> extends Rooted<Row> {
  readonly form: typeof FORM;
}

/** A range of keys. */
export interface KeyRange {
  /** The first key; absent to begin with the lowest. */
  readonly from?: string | undefined;
  /** The exclusive upper end. */
  readonly below?: string | undefined;
}

/** A range of keys with the order in which its rows are read. */
export interface OrderedRange extends KeyRange {
  /** Whether the rows come in descending order of keys. The range itself is the same. */
  readonly reverse?: boolean | undefined;
}

/** A table, or a part of one, as clients see it: the form of every table on every wire. */
export interface TableView<Row = unknown> {
  /** Number of rows of the whole table. */
  readonly size: number;
  readonly rows: Readonly<Record<string, Row>>;
  /** The first key behind those in `rows`, with which `table.read` continues; null if there is none. */
  readonly next: string | null;
}

/** A view with every row of its table: of it alone can be said that a key has no row. */
export interface WholeView<Row = unknown> extends TableView<Row> {
  readonly next: null;
}

/** A page of the rows of a table, as the answer of `table.read`. */
export interface TablePage<Row = unknown> extends TableView<Row> {
  /** Number of rows in the requested range, whatever the page. */
  readonly count: number;
}

/**
 * An immutable map from string keys to rows, iterated in key order. Rows are any data except `undefined`; they are
 * frozen when the turn that sets them is admitted. Two tables are equal only if they are the same object.
 */
export class Table<Row> implements Iterable<[key: string, row: Row]> {
  /** Marks real tables: a lookalike, or a proxy of a table, lacks it. */
  readonly #isOurs = true;
  readonly [TREE]: Tree<Row>;

  /** Use {@link table}. */
  private constructor(root: Node<Row>, height: number) {
    this[TREE] = Object.freeze({ form: FORM, root, height });
    Object.freeze(this);
  }

  /** @internal */
  static of<Row>(root: Node<Row> | undefined, height: number): Table<Row> {
    return root === undefined || root.size === 0 ? EMPTY : new Table(root, height);
  }

  /** @internal */
  static above<Row>(leaves: readonly Leaf<Row>[]): Table<Row> {
    const { root, height } = rootedAbove(leaves);
    return Table.of(root, height);
  }

  /** @internal */
  static isOurs(value: object): boolean {
    return #isOurs in value;
  }

  get size(): number {
    return this[TREE].root.size;
  }

  get(key: string): Row | undefined {
    const { keys, rows } = leafFor(this[TREE].root, key);
    const at = lowerBound(keys, key);
    return keys[at] === key ? handed(rows[at]) : undefined;
  }

  has(key: string): boolean {
    const { keys } = leafFor(this[TREE].root, key);
    return keys[lowerBound(keys, key)] === key;
  }

  /**
   * Returns the table with this row; the same table where it holds this row object already.
   *
   * @param key 1 to 256 characters, well-formed, not `__proto__`. Pad numbers for their order: `000042`.
   * @throws BOSUN_VALUE_REFUSED for another key, or a row that is `undefined`.
   */
  set(key: string, row: Row): Table<Row> {
    checkEntry(key, row);
    const { root, height } = this[TREE];
    const [left, right] = withRow(root, key, row);
    if (left === root) return this;
    return right === undefined ? Table.of(left, height) : Table.of(innerOf([left, right]), height + 1);
  }

  /** Returns the table with the row that `change` computes from the row under the key, which may be undefined. */
  update(key: string, change: (row: Row | undefined) => Row): Table<Row> {
    return this.set(key, change(this.get(key)));
  }

  /** Returns the table without this row; the same table where there is none. */
  delete(key: string): Table<Row> {
    const tree = this[TREE];
    let root = withoutRow(tree.root, key);
    if (root === tree.root) return this;
    let { height } = tree;
    while (root !== undefined && 'nodes' in root && root.nodes.length === 1) {
      root = root.nodes[0];
      height -= 1;
    }
    return Table.of(root, height);
  }

  /** Yields the rows of a range in key order, or in descending order with `reverse`. */
  entries({ reverse = false, ...range }: OrderedRange = {}): Generator<[key: string, row: Row]> {
    const { root } = this[TREE];
    return reverse ? descending(root, range) : ascending(root, range);
  }

  /** Number of rows in a range. The cost depends on the height of the tree. */
  count({ from = '', below }: KeyRange = {}): number {
    const { root } = this[TREE];
    const end = below === undefined ? root.size : rowsBelow(root, below);
    return Math.max(0, end - rowsBelow(root, from));
  }

  *keys(range?: OrderedRange): Generator<string> {
    for (const [key] of this.entries(range)) yield key;
  }

  *values(range?: OrderedRange): Generator<Row> {
    for (const [, row] of this.entries(range)) yield row;
  }

  [Symbol.iterator](): Generator<[key: string, row: Row]> {
    return this.entries();
  }

  /** Visits all rows in key order; several times as fast as an iterator. */
  forEach(visit: (row: Row, key: string) => void): void {
    visitRows(this, (row, key) => visit(handed(row), key));
  }

  /** The row with the lowest key. */
  first(): [key: string, row: Row] | undefined {
    for (const entry of this.entries()) return entry;
    return undefined;
  }

  /** Returns a table of the same keys with converted rows. Visits all rows. */
  map<Other>(change: (row: Row, key: string) => Other): Table<Other> {
    const rows: Other[] = [];
    this.forEach((row, key) => rows.push(change(row, key)));
    return tableOfRows([...this.keys()], rows);
  }

  toJSON(): Record<string, Row> {
    return Object.fromEntries(this.entries());
  }
}

/** All rows of a table: the table itself, or a view that leaves out none. */
export type WholeTable<Row> = Table<Row> | WholeView<Row>;

/** A context with all rows of its tables, from the process or from a wire. */
export type Whole<Context> = {
  readonly [Key in keyof Context]: Context[Key] extends Table<infer Row> ? WholeTable<Row> : Context[Key];
};

/** A context from a wire, whose tables may be views of their first rows: it does not stand for a {@link Whole} one. */
export type Shown<Context> = {
  readonly [Key in keyof Context]: Context[Key] extends Table<infer Row> ? TableView<Row> : Context[Key];
};

const EMPTY: Table<never> = new (Table as unknown as new (root: Node<never>, height: number) => Table<never>)(
  { keys: [], rows: [], size: 0 },
  0,
);

/**
 * Creates a table of these rows; the last of two with one key counts.
 *
 * @throws BOSUN_VALUE_REFUSED as `Table.set` does.
 */
export function table<Row>(rows: Iterable<readonly [key: string, row: Row]> = []): Table<Row> {
  const entries = [...new Map(rows)];
  for (const [key, row] of entries) checkEntry(key, row);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return tableOfRows(
    entries.map(([key]) => key),
    entries.map(([, row]) => row),
  );
}

export function isTable(value: unknown): value is Table<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return TREE in value;
  } catch {
    // A proxy whose traps throw, which admission refuses.
    return false;
  }
}

/**
 * The table under a key of the context of the actor at an address.
 *
 * @throws BOSUN_TABLE_UNKNOWN
 */
export function tableIn(context: unknown, key: string, address: string): Table<unknown> {
  const held: unknown =
    typeof context === 'object' && context !== null && Object.hasOwn(context, key)
      ? (context as Readonly<Record<string, unknown>>)[key]
      : undefined;
  if (isTable(held)) return held;
  throw new BosunError('BOSUN_TABLE_UNKNOWN', `the context of ${address} has no table ${JSON.stringify(key)}`, {
    details: { address },
  });
}

/**
 * Returns the table itself if this copy of the package made it, otherwise a table of this copy with the same rows.
 *
 * @throws BOSUN_VALUE_REFUSED for a table of another copy whose trees have another form.
 */
export function ownTable<Row>(of: Table<Row>): Table<Row> {
  if (Table.isOurs(of)) return of;
  treeOf(of);
  return table(of.entries());
}

/** Whether a view has every row of its table. */
export function isWhole<Row>(shown: TableView<Row>): shown is WholeView<Row> {
  return shown.next === null;
}

/** All rows of a table. Visits all of them. */
export function rowsOf<Row>(whole: WholeTable<Row>): Row[] {
  return isTable(whole) ? [...whole.values()] : Object.values(whole.rows);
}

/** The row of a key; undefined if the table has none. */
export function rowIn<Row>(whole: WholeTable<Row>, key: string): Row | undefined {
  if (isTable(whole)) return whole.get(key);
  return Object.hasOwn(whole.rows, key) ? whole.rows[key] : undefined;
}

/** Visits all rows in key order, as they are kept. */
export function visitRows<Row>(of: Table<Row>, visit: (row: Row, key: string) => void): void {
  for (const { keys, rows } of eachLeaf(of)) for (let at = 0; at < keys.length; at++) visit(rows[at]!, keys[at]!);
}

/** The leaves in key order. Versions of a table share their unchanged leaves. */
export function leavesOf<Row>(of: Table<Row>): Leaf<Row>[] {
  return [...eachLeaf(of)];
}

/** Yields the leaves one by one, in key order. */
export function eachLeaf<Row>(of: Table<Row>): Generator<Leaf<Row>> {
  return leavesFrom(treeOf(of).root, '');
}

/** Creates a table from rows in key order. */
export function tableOfRows<Row>(keys: readonly string[], rows: readonly Row[]): Table<Row> {
  const [inKeys, inRows] = [parts(keys), parts(rows)];
  return Table.above(inKeys.map((part, index) => leafOf(part, inRows[index]!)));
}

/** Creates a table from leaves in key order. */
export function tableOfLeaves<Row>(
  leaves: readonly { readonly keys: readonly string[]; readonly rows: readonly Row[] }[],
): Table<Row> {
  return Table.above(leaves.map(({ keys, rows }) => leafOf(keys, rows)));
}

/** The rows that differ by identity, in key order. The cost depends on the differences, not on the sizes. */
export function changesBetween<Row>(before: Table<Row>, after: Table<Row>): RowChange<Row>[] {
  return before === after ? [] : differences(treeOf(before), treeOf(after));
}

/**
 * The tree of a table.
 *
 * @throws BOSUN_VALUE_REFUSED for a table of another copy of this package whose trees have another form.
 */
function treeOf<Row>(of: Table<Row>): Tree<Row> {
  const tree = of[TREE];
  if (tree.form === FORM) return tree;
  throw new BosunError(
    'BOSUN_VALUE_REFUSED',
    `a table of another version of bosun (form ${String(tree.form)}, not ${FORM}): install only one version`,
  );
}

function* ascending<Row>(root: Node<Row>, { from = '', below }: KeyRange): Generator<[key: string, row: Row]> {
  for (const { keys, rows } of leavesFrom(root, from)) {
    for (let at = keys[0]! < from ? lowerBound(keys, from) : 0; at < keys.length; at++) {
      if (below !== undefined && keys[at]! >= below) return;
      yield [keys[at]!, handed(rows[at]!)];
    }
  }
}

function* descending<Row>(root: Node<Row>, { from = '', below }: KeyRange): Generator<[key: string, row: Row]> {
  for (const { keys, rows } of leavesBelow(root, below)) {
    for (let at = (below === undefined ? keys.length : lowerBound(keys, below)) - 1; at >= 0; at--) {
      if (keys[at]! < from) return;
      yield [keys[at]!, handed(rows[at]!)];
    }
  }
}

function checkEntry(key: unknown, row: unknown): void {
  const isKey =
    typeof key === 'string' &&
    key.length > 0 &&
    key.length <= TABLE_KEY_CHARS_MAX &&
    key !== '__proto__' &&
    key.isWellFormed();
  if (!isKey) {
    disown(key);
    disown(row);
    const shown = typeof key === 'string' ? JSON.stringify(key.slice(0, 40)) : `a ${typeof key}`;
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${shown} is not a key of a table: keys are strings of 1 to ${TABLE_KEY_CHARS_MAX} characters`,
    );
  }
  if (row === undefined)
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `the table row ${JSON.stringify(key)} is undefined: delete the row instead`,
    );
}
