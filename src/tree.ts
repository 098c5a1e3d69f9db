/**
 * The nodes of a persistent B+ tree in key order (UTF-16 code units): a change copies the nodes on the path to the
 * changed row and shares all others. Pure functions over immutable nodes; table.ts is the public side.
 */

/** The most children or rows of one node. Widths from 16 to 64 differ by less than a fifth in speed. */
const WIDTH = 32;

/** Rows of a leaf, or children of a node, in a table that is built at once. They leave room for a few more. */
const FILLED = (WIDTH * 3) >> 2;

export interface Leaf<Row> {
  readonly keys: readonly string[];
  readonly rows: readonly Row[];
  readonly size: number;
}

export interface Inner<Row> {
  /** The lowest key of each of `nodes`. */
  readonly keys: readonly string[];
  readonly nodes: readonly Node<Row>[];
  readonly size: number;
}

export type Node<Row> = Leaf<Row> | Inner<Row>;

/** A tree: its root, and the number of levels above its leaves. */
export interface Rooted<Row> {
  readonly root: Node<Row>;
  readonly height: number;
}

/** One difference between two trees. `row` is undefined if the second tree does not have the key. */
export type RowChange<Row> = readonly [key: string, row: Row | undefined];

/** The rows that differ by identity, in key order. The cost depends on the differences, not on the sizes. */
export function differences<Row>(a: Rooted<Row>, b: Rooted<Row>): RowChange<Row>[] {
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

function childrenOf<Row>(nodes: readonly Node<Row>[]): readonly Node<Row>[] {
  return nodes.length === 1 ? (nodes[0] as Inner<Row>).nodes : nodes.flatMap((node) => (node as Inner<Row>).nodes);
}

/** Returns both lists without their common items. */
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

/**
 * Returns the node with the row, split in two where it has become too wide; the same node where it holds the row
 * already.
 */
export function withRow<Row>(node: Node<Row>, key: string, row: Row): readonly [Node<Row>, Node<Row>?] {
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

/** Returns the node without the row: the same node where the row is not there, undefined if nothing is left. */
export function withoutRow<Row>(node: Node<Row>, key: string): Node<Row> | undefined {
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

/** Joins a small child to its neighbour where there is room, so that a shrinking table stays flat. */
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

/** Builds the tree above the given leaves, which are in key order. */
export function rootedAbove<Row>(leaves: readonly Leaf<Row>[]): Rooted<Row> {
  let nodes: readonly Node<Row>[] = leaves;
  let height = 0;
  for (; nodes.length > 1; height++) nodes = parts(nodes).map(innerOf);
  return { root: nodes[0] ?? leafOf<Row>([], []), height };
}

export function parts<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / FILLED) }, (_, n) => items.slice(n * FILLED, (n + 1) * FILLED));
}

export function leafOf<Row>(keys: readonly string[], rows: readonly Row[]): Leaf<Row> {
  return { keys, rows, size: keys.length };
}

export function innerOf<Row>(nodes: readonly Node<Row>[]): Inner<Row> {
  let size = 0;
  const keys = new Array<string>(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    size += nodes[at]!.size;
    keys[at] = nodes[at]!.keys[0]!;
  }
  return { keys, nodes, size };
}

export function leafFor<Row>(root: Node<Row>, key: string): Leaf<Row> {
  let node = root;
  while ('nodes' in node) node = node.nodes[childAt(node.keys, key)]!;
  return node;
}

export function* leavesFrom<Row>(node: Node<Row>, from: string): Generator<Leaf<Row>> {
  if ('nodes' in node) {
    for (let at = childAt(node.keys, from); at < node.nodes.length; at++) yield* leavesFrom(node.nodes[at]!, from);
  } else if (node.size > 0) yield node;
}

/** Yields the leaves with keys below a key, or all leaves, in descending order. */
export function* leavesBelow<Row>(node: Node<Row>, below: string | undefined): Generator<Leaf<Row>> {
  const end = below === undefined ? node.keys.length : lowerBound(node.keys, below);
  if ('nodes' in node) {
    for (let at = end - 1; at >= 0; at--) yield* leavesBelow(node.nodes[at]!, at === end - 1 ? below : undefined);
  } else if (end > 0) yield node;
}

/** The number of rows with keys below a key. */
export function rowsBelow<Row>(root: Node<Row>, key: string): number {
  let [node, count] = [root, 0];
  while ('nodes' in node) {
    const at = childAt(node.keys, key);
    for (let before = 0; before < at; before++) count += node.nodes[before]!.size;
    node = node.nodes[at]!;
  }
  return count + lowerBound(node.keys, key);
}

/** The index of the first key that is not below `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
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
