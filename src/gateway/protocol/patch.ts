/**
 * JSON patches of add, remove and replace (RFC 6902): the difference between two versions of a view. Both sides of a
 * connection use this file. List items are compared by index: an item inserted at the front of a long list costs the
 * whole list.
 */

export interface PatchOp {
  readonly op: 'add' | 'remove' | 'replace';
  /** A JSON pointer; empty for the whole value. */
  readonly path: string;
  readonly value?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** A part that may have changed: its path, old and new value; undefined if absent. */
export type Difference = readonly [place: readonly string[], was: unknown, is: unknown];

/** Returns the parts that may differ between two objects; undefined if it does not know. */
export type KnownDifferences = (before: object, after: object) => readonly Difference[] | undefined;

/** A comparison under way. */
interface Comparison {
  readonly ops: PatchOp[];
  readonly known: KnownDifferences;
}

/** The patch from one value to another. Identical objects are skipped, which makes shared structure cheap. */
export function diff(before: unknown, after: unknown, known: KnownDifferences = () => undefined): PatchOp[] {
  const ops: PatchOp[] = [];
  compare(before, after, '', { ops, known });
  return ops;
}

function compare(before: unknown, after: unknown, path: string, to: Comparison): void {
  if (Object.is(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) compareArrays(before, after, path, to);
  else if (isRecord(before) && isRecord(after)) compareRecords(before, after, path, to);
  else to.ops.push({ op: 'replace', path, value: after });
}

function compareRecords(before: Json, after: Json, path: string, to: Comparison): void {
  const known = to.known(before, after);
  if (known !== undefined) {
    for (const [place, was, is] of known) comparePart(was, is, place.reduce(below, path), to);
    return;
  }
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) to.ops.push({ op: 'remove', path: below(path, key) });
  for (const key of Object.keys(after)) {
    // Most parts are equal, and a path costs more than to see that.
    if (Object.hasOwn(before, key)) {
      if (!Object.is(before[key], after[key])) compare(before[key], after[key], below(path, key), to);
    } else to.ops.push({ op: 'add', path: below(path, key), value: after[key] });
  }
}

function comparePart(was: unknown, is: unknown, path: string, to: Comparison): void {
  if (is === undefined) to.ops.push(...(was === undefined ? [] : [{ op: 'remove', path } as const]));
  else if (was === undefined) to.ops.push({ op: 'add', path, value: is });
  else compare(was, is, path, to);
}

function compareArrays(before: readonly unknown[], after: readonly unknown[], path: string, to: Comparison): void {
  const common = Math.min(before.length, after.length);
  for (let index = 0; index < common; index++)
    if (!Object.is(before[index], after[index])) compare(before[index], after[index], `${path}/${index}`, to);
  for (let index = before.length - 1; index >= common; index--) to.ops.push({ op: 'remove', path: `${path}/${index}` });
  for (let index = common; index < after.length; index++)
    to.ops.push({ op: 'add', path: `${path}/${index}`, value: after[index] });
}

/**
 * The view after the operations; untouched parts are shared with the old view. Throws RangeError for a path that does
 * not exist.
 */
export function patched(view: unknown, ops: readonly PatchOp[]): unknown {
  return ops.reduce((at: unknown, op) => applied(at, partsOf(op.path), op), view);
}

function applied(view: unknown, [key, ...rest]: readonly string[], op: PatchOp): unknown {
  if (key === undefined) return op.op === 'remove' ? undefined : op.value;
  if (Array.isArray(view)) return appliedToArray(view, key, rest, op);
  if (!isRecord(view)) throw new RangeError(`no place for ${op.path}`);
  const isThere = Object.hasOwn(view, key);
  if (!isThere && (rest.length > 0 || op.op !== 'add')) throw new RangeError(`nothing at ${op.path}`);
  const next: Record<string, unknown> = { ...view };
  if (rest.length === 0 && op.op === 'remove') delete next[key];
  // Define the property, so that a key such as `__proto__` becomes a plain field.
  else
    Object.defineProperty(next, key, {
      value: applied(view[key], rest, op),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  return next;
}

function appliedToArray(view: readonly unknown[], key: string, rest: readonly string[], op: PatchOp): unknown {
  const index = key === '-' ? view.length : Number(key);
  const end = rest.length === 0 && op.op === 'add' ? view.length : view.length - 1;
  if (!Number.isInteger(index) || index < 0 || index > end) throw new RangeError(`nothing at ${op.path}`);
  if (rest.length > 0 || op.op === 'replace') return view.with(index, applied(view[index], rest, op));
  return op.op === 'add' ? view.toSpliced(index, 0, op.value) : view.toSpliced(index, 1);
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function partsOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
