/**
 * Tables: a keyed collection as one immutable value, a persistent B+ tree in order of keys (UTF-16 code units). A
 * change makes a new table that shares all nodes but those on the path to the changed row, so older versions stay as
 * they were, and {@link changesBetween} finds what differs without visiting what is shared. An ordinary value: it knows
 * neither the kernel nor a store, and behaves the same under XState's `createActor`.
 */
import { BosunError } from './errors.ts';
import { TABLE_KEY_CHARS_MAX } from './limits.ts';

/** Children or rows of one node. Widths from 16 to 64 differ by less than a fifth in speed. */
const WIDTH = 32;

/** Rows of a leaf, or children of a node, of a table that is built at once: room for a few more. */
const FILLED = (WIDTH * 3) >> 2;

/** The form of the tree. A second copy of this package with another form is refused by {@link treeOf}. */
const FORM = 1;

/** Tables are told by this property: two copies of the package in one process recognise each other's. */
const TREE = Symbol.for('bosun.table');

export interface Leaf<Row> {
  readonly keys: readonly string[];
  readonly rows: readonly Row[];
  readonly size: number;
}

interface Inner<Row> {
  /** The lowest key of each of `nodes`. */
  readonly keys: readonly string[];
  readonly nodes: readonly Node<Row>[];
  readonly size: number;
}

type Node<Row> = Leaf<Row> | Inner<Row>;

interface Tree<Row> {
  readonly form: typeof FORM;
  readonly root: Node<Row>;
  /** 0 where the root is a leaf. */
  readonly height: number;
}

/** A part of the keys, in order. */
export interface KeyRange {
  /** The first key, where there is one. */
  readonly from?: string | undefined;
  /** Ends before this key. */
  readonly below?: string | undefined;
}

/** One difference between two tables. `row` is undefined where the second table has none under the key. */
export type RowChange<Row> = readonly [key: string, row: Row | undefined];

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

/** The leaves in order of keys. Versions of a table share those that are the same. */
export function leavesOf<Row>(of: Table<Row>): Leaf<Row>[] {
  return [...leavesFrom(treeOf(of).root, '')];
}

/** The table of these rows, whose keys stand in order. */
export function tableOfRows<Row>(keys: readonly string[], rows: readonly Row[]): Table<Row> {
  const [inKeys, inRows] = [parts(keys), parts(rows)];
  return above(inKeys.map((part, index) => leafOf(part, inRows[index]!)));
}

/** The table that has these leaves, which stand in order of keys. */
export function tableOfLeaves<Row>(
  leaves: readonly { readonly keys: readonly string[]; readonly rows: readonly Row[] }[],
): Table<Row> {
  return above(leaves.map(({ keys, rows }) => leafOf(keys, rows)));
}

/** Rows that differ by identity, in order of keys. Costs what differs, not what both tables hold. */
export function changesBetween<Row>(before: Table<Row>, after: Table<Row>): RowChange<Row>[] {
  if (before === after) return [];
  const [a, b] = [treeOf(before), treeOf(after)];
  let [old, young]: readonly [readonly Node<Row>[], readonly Node<Row>[]] = [[a.root], [b.root]];
  let [oldHeight, youngHeight] = [a.height, b.height];
  for (;;) {
    if (oldHeight > youngHeight) [old, oldHeight] = [childrenOf(old), oldHeight - 1];
    else if (youngHeight > oldHeight) [young, youngHeight] = [childrenOf(young), youngHeight - 1];
    else {
      [old, young] = unshared(old, young);
      if (oldHeight === 0) return compared(old as readonly Leaf<Row>[], young as readonly Leaf<Row>[]);
      [old, young, oldHeight, youngHeight] = [childrenOf(old), childrenOf(young), oldHeight - 1, youngHeight - 1];
    }
  }
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

function childrenOf<Row>(nodes: readonly Node<Row>[]): readonly Node<Row>[] {
  return nodes.length === 1 ? (nodes[0] as Inner<Row>).nodes : nodes.flatMap((node) => (node as Inner<Row>).nodes);
}

/** Both lists without what stands in both. */
function unshared<Item>(old: readonly Item[], young: readonly Item[]): [readonly Item[], readonly Item[]] {
  const least = Math.min(old.length, young.length);
  let start = 0;
  while (start < least && old[start] === young[start]) start += 1;
  let tail = 0;
  while (tail < least - start && old[old.length - 1 - tail] === young[young.length - 1 - tail]) tail += 1;
  const [a, b] = [old.slice(start, old.length - tail), young.slice(start, young.length - tail)];
  if (a.length <= 1 || b.length <= 1) return [a, b];
  const [inOld, inYoung] = [new Set(a), new Set(b)];
  return [a.filter((item) => !inYoung.has(item)), b.filter((item) => !inOld.has(item))];
}

function compared<Row>(before: readonly Leaf<Row>[], after: readonly Leaf<Row>[]): RowChange<Row>[] {
  const changes: RowChange<Row>[] = [];
  const [a, b] = [joinedLeaves(before), joinedLeaves(after)];
  let i = 0;
  let j = 0;
  while (i < a.keys.length || j < b.keys.length) {
    const [old, young] = [a.keys[i], b.keys[j]];
    if (old === young) {
      if (!Object.is(a.rows[i], b.rows[j])) changes.push([young!, b.rows[j]]);
      i += 1;
      j += 1;
    } else if (young === undefined || (old !== undefined && old < young)) {
      changes.push([old!, undefined]);
      i += 1;
    } else {
      changes.push([young, b.rows[j]]);
      j += 1;
    }
  }
  return changes;
}

function joinedLeaves<Row>(leaves: readonly Leaf<Row>[]): Leaf<Row> {
  return leaves.length === 1
    ? leaves[0]!
    : leafOf(
        leaves.flatMap(({ keys }) => keys),
        leaves.flatMap(({ rows }) => rows),
      );
}

/** The node with the row, in two where it has become too wide. The same node where the row stands there already. */
function withRow<Row>(node: Node<Row>, key: string, row: Row): readonly [Node<Row>, Node<Row>?] {
  if (!('nodes' in node)) {
    const at = lowerBound(node.keys, key);
    if (node.keys[at] !== key) return halves(leafOf(node.keys.toSpliced(at, 0, key), node.rows.toSpliced(at, 0, row)));
    return [Object.is(node.rows[at], row) ? node : leafOf(node.keys, node.rows.with(at, row))];
  }
  const at = childAt(node.keys, key);
  const child = node.nodes[at]!;
  const parts = withRow(child, key, row);
  return parts[0] === child ? [node] : halves(innerOf(node.nodes.toSpliced(at, 1, ...(parts as readonly Node<Row>[]))));
}

/** The node without the row: the same where it is not there, undefined where nothing is left. */
function withoutRow<Row>(node: Node<Row>, key: string): Node<Row> | undefined {
  if (!('nodes' in node)) {
    const at = lowerBound(node.keys, key);
    if (node.keys[at] !== key) return node;
    return node.size === 1 ? undefined : leafOf(node.keys.toSpliced(at, 1), node.rows.toSpliced(at, 1));
  }
  const at = childAt(node.keys, key);
  const child = node.nodes[at]!;
  const left = withoutRow(child, key);
  if (left === child) return node;
  if (left === undefined) return node.nodes.length === 1 ? undefined : innerOf(node.nodes.toSpliced(at, 1));
  return innerOf(withoutSmall(node.nodes.with(at, left), at));
}

/** Joins a child that has become small to its neighbour, where there is room: a table that shrinks stays flat. */
function withoutSmall<Row>(nodes: readonly Node<Row>[], at: number): readonly Node<Row>[] {
  const other = at > 0 ? at - 1 : at + 1;
  const [small, neighbour] = [nodes[at]!, nodes[other]];
  if (neighbour === undefined || small.keys.length >= WIDTH / 4) return nodes;
  if (neighbour.keys.length + small.keys.length > WIDTH) return nodes;
  const first = Math.min(at, other);
  return nodes.toSpliced(first, 2, joined(nodes[first]!, nodes[first + 1]!));
}

function joined<Row>(a: Node<Row>, b: Node<Row>): Node<Row> {
  return 'nodes' in a ? innerOf([...a.nodes, ...(b as Inner<Row>).nodes]) : joinedLeaves([a, b as Leaf<Row>]);
}

function halves<Row>(node: Node<Row>): readonly [Node<Row>, Node<Row>?] {
  const { length } = node.keys;
  if (length <= WIDTH) return [node];
  const half = length >> 1;
  if ('nodes' in node) return [innerOf(node.nodes.slice(0, half)), innerOf(node.nodes.slice(half))];
  return [
    leafOf(node.keys.slice(0, half), node.rows.slice(0, half)),
    leafOf(node.keys.slice(half), node.rows.slice(half)),
  ];
}

function above<Row>(leaves: readonly Leaf<Row>[]): Table<Row> {
  let nodes: readonly Node<Row>[] = leaves;
  let height = 0;
  for (; nodes.length > 1; height++) nodes = parts(nodes).map(innerOf);
  return Table.of(nodes[0], height);
}

function parts<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / FILLED) }, (_, n) => items.slice(n * FILLED, (n + 1) * FILLED));
}

function leafOf<Row>(keys: readonly string[], rows: readonly Row[]): Leaf<Row> {
  return { keys, rows, size: keys.length };
}

function innerOf<Row>(nodes: readonly Node<Row>[]): Inner<Row> {
  let size = 0;
  const keys = new Array<string>(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    size += nodes[at]!.size;
    keys[at] = nodes[at]!.keys[0]!;
  }
  return { keys, nodes, size };
}

function leafFor<Row>(root: Node<Row>, key: string): Leaf<Row> {
  let node = root;
  while ('nodes' in node) node = node.nodes[childAt(node.keys, key)]!;
  return node;
}

function* leavesFrom<Row>(node: Node<Row>, from: string): Generator<Leaf<Row>> {
  if ('nodes' in node) {
    for (let at = childAt(node.keys, from); at < node.nodes.length; at++) yield* leavesFrom(node.nodes[at]!, from);
  } else if (node.size > 0) yield node;
}

/** Where the first key stands that is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function childAt(keys: readonly string[], key: string): number {
  const at = lowerBound(keys, key);
  return keys[at] === key ? at : Math.max(0, at - 1);
}
