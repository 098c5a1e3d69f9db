/**
 * Tables: a keyed collection as one immutable value, a persistent B+ tree in order of keys (UTF-16 code units). A
 * change makes a new table that shares all nodes but those on the path to the changed row, so older versions stay as
 * they were, and {@link changesBetween} finds what differs without visiting what is shared. An ordinary value: it knows
 * neither the kernel nor a store, and behaves the same under XState's `createActor`.
 */
import { BosunError } from './errors.ts';
import { TABLE_KEY_CHARS_MAX } from './limits.ts';
import {
  differences,
  innerOf,
  leafFor,
  leafOf,
  type Leaf,
  leavesFrom,
  lowerBound,
  type Node,
  parts,
  rootedAbove,
  type Rooted,
  type RowChange,
  withoutRow,
  withRow,
} from './tree.ts';

/** The form of the tree. A second copy of this package with another form is refused by {@link treeOf}. */
const FORM = 1;

/** Tables are told by this property: two copies of the package in one process recognise each other's. */
const TREE = Symbol.for('bosun.table');

interface Tree<Row> extends Rooted<Row> {
  readonly form: typeof FORM;
}

/** A part of the keys, in order. */
export interface KeyRange {
  /** The first key, where there is one. */
  readonly from?: string | undefined;
  /** Ends before this key. */
  readonly below?: string | undefined;
}

/** A table, or a part of one, as clients see it: on every wire a table of a context has this form. */
export interface TableView<Row = unknown> {
  /** Rows of the whole table. */
  readonly size: number;
  readonly rows: Readonly<Record<string, Row>>;
  /** The first key behind those of `rows`; null where there is none. `table.read` goes on from it. */
  readonly next: string | null;
}

/**
 * An immutable map from text keys to rows, iterated in order of keys. Rows are any data but `undefined`; they are
 * frozen when the turn that sets them is admitted. Two tables are equal where they are the same object.
 */
export class Table<Row> implements Iterable<[key: string, row: Row]> {
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

  get size(): number {
    return this[TREE].root.size;
  }

  get(key: string): Row | undefined {
    const { keys, rows } = leafFor(this[TREE].root, key);
    const at = lowerBound(keys, key);
    return keys[at] === key ? rows[at] : undefined;
  }

  has(key: string): boolean {
    const { keys } = leafFor(this[TREE].root, key);
    return keys[lowerBound(keys, key)] === key;
  }

  /**
   * The table with this row. The same table where that very row stands there already.
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

  /** The table with what `change` makes of the row under the key, which may be undefined. */
  update(key: string, change: (row: Row | undefined) => Row): Table<Row> {
    return this.set(key, change(this.get(key)));
  }

  /** The table without this row. The same table where there is none. */
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

  *entries({ from = '', below }: KeyRange = {}): Generator<[key: string, row: Row]> {
    for (const { keys, rows } of leavesFrom(this[TREE].root, from)) {
      for (let at = keys[0]! < from ? lowerBound(keys, from) : 0; at < keys.length; at++) {
        if (below !== undefined && keys[at]! >= below) return;
        yield [keys[at]!, rows[at]!];
      }
    }
  }

  *keys(range?: KeyRange): Generator<string> {
    for (const [key] of this.entries(range)) yield key;
  }

  *values(range?: KeyRange): Generator<Row> {
    for (const [, row] of this.entries(range)) yield row;
  }

  [Symbol.iterator](): Generator<[key: string, row: Row]> {
    return this.entries();
  }

  /** Visits all rows in order of keys; several times as fast as an iterator. */
  forEach(visit: (row: Row, key: string) => void): void {
    for (const { keys, rows } of leavesFrom(this[TREE].root, ''))
      for (let at = 0; at < keys.length; at++) visit(rows[at]!, keys[at]!);
  }

  /** The row of the lowest key. */
  first(): [key: string, row: Row] | undefined {
    for (const entry of this.entries()) return entry;
    return undefined;
  }

  /** A table of the same keys. Costs all rows. */
  map<Other>(change: (row: Row, key: string) => Other): Table<Other> {
    const rows: Other[] = [];
    this.forEach((row, key) => rows.push(change(row, key)));
    return tableOfRows([...this.keys()], rows);
  }

  toJSON(): Record<string, Row> {
    return Object.fromEntries(this.entries());
  }
}

/** A table, or what a wire shows of it. */
export type ShownTable<Row> = Table<Row> | TableView<Row>;

/** A context as it is read in the process or from a wire. */
export type Shown<Context> = {
  readonly [Key in keyof Context]: Context[Key] extends Table<infer Row> ? ShownTable<Row> : Context[Key];
};

const EMPTY: Table<never> = new (Table as unknown as new (root: Node<never>, height: number) => Table<never>)(
  { keys: [], rows: [], size: 0 },
  0,
);

/**
 * A table of these rows; the last of two with one key counts.
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
  return typeof value === 'object' && value !== null && TREE in value;
}

/** The rows that are there to be read. Costs all of them. */
export function rowsOf<Row>(shown: ShownTable<Row>): Row[] {
  return isTable(shown) ? [...shown.values()] : Object.values(shown.rows);
}

export function rowIn<Row>(shown: ShownTable<Row>, key: string): Row | undefined {
  if (isTable(shown)) return shown.get(key);
  return Object.hasOwn(shown.rows, key) ? shown.rows[key] : undefined;
}

/** The leaves in order of keys. Versions of a table share those that are the same. */
export function leavesOf<Row>(of: Table<Row>): Leaf<Row>[] {
  return [...eachLeaf(of)];
}

/** The same one by one, for a look at the first. */
export function eachLeaf<Row>(of: Table<Row>): Generator<Leaf<Row>> {
  return leavesFrom(treeOf(of).root, '');
}

/** The table of these rows, whose keys stand in order. */
export function tableOfRows<Row>(keys: readonly string[], rows: readonly Row[]): Table<Row> {
  const [inKeys, inRows] = [parts(keys), parts(rows)];
  return Table.above(inKeys.map((part, index) => leafOf(part, inRows[index]!)));
}

/** The table that has these leaves, which stand in order of keys. */
export function tableOfLeaves<Row>(
  leaves: readonly { readonly keys: readonly string[]; readonly rows: readonly Row[] }[],
): Table<Row> {
  return Table.above(leaves.map(({ keys, rows }) => leafOf(keys, rows)));
}

/** Rows that differ by identity, in order of keys. Costs what differs, not what both tables hold. */
export function changesBetween<Row>(before: Table<Row>, after: Table<Row>): RowChange<Row>[] {
  return before === after ? [] : differences(treeOf(before), treeOf(after));
}

/** @throws BOSUN_VALUE_REFUSED for a table of another copy of this package whose trees have another form. */
function treeOf<Row>(of: Table<Row>): Tree<Row> {
  const tree = of[TREE];
  if (tree.form === FORM) return tree;
  throw new BosunError(
    'BOSUN_VALUE_REFUSED',
    `a table of another version of bosun, form ${String(tree.form)} instead of ${FORM}: install one version`,
  );
}

function checkEntry(key: unknown, row: unknown): void {
  const isKey =
    typeof key === 'string' &&
    key.length > 0 &&
    key.length <= TABLE_KEY_CHARS_MAX &&
    key !== '__proto__' &&
    key.isWellFormed();
  if (!isKey) {
    const shown = typeof key === 'string' ? JSON.stringify(key.slice(0, 40)) : `a ${typeof key}`;
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${shown} is no key of a table: keys are texts of 1 to ${TABLE_KEY_CHARS_MAX} characters`,
    );
  }
  if (row === undefined)
    throw new BosunError('BOSUN_VALUE_REFUSED', `the row ${JSON.stringify(key)} of a table is undefined: delete it`);
}
