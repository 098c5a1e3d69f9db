/**
 * Stored values in the hands of user code. A step of a machine gets the values themselves: dates and bytes that it
 * changes in place are found when it ends, and are made as they were. All other code gets the value with copies of its
 * dates and bytes, which it may change as it likes.
 */
import { retold } from './errors.ts';
import { copyOf, fixed, isAnyKept, isAs, originalOf, type Original, type Part, restore } from './unfreezable.ts';

/** The kept dates and bytes within each stored value, and within each container in it that has any. */
const holders = new WeakMap<object, readonly Part[]>();

const NONE: readonly Part[] = [];

/** Notes that a container holds kept dates and bytes. Admission and decoding call this; the container never changes. */
export function holds(container: object, parts: readonly Part[]): void {
  holders.set(container, parts);
}

function partsIn(value: unknown): readonly Part[] {
  if (typeof value !== 'object' || value === null) return NONE;
  return originalOf(value) === undefined ? (holders.get(value) ?? NONE) : [value as Part];
}

/** The parts that the step in progress has been lent; undefined outside of steps. */
let lent: readonly Part[] | undefined;

/** Begins a step, which is lent this context and event. */
export function beginStep(context: unknown, event: unknown): void {
  lent = NONE;
  lendContext(context);
  if (isAnyKept()) lend(partsIn(event));
}

/** Lends the step in progress a further context. */
export function lendContext(context: unknown): void {
  if (isAnyKept()) lend(partsOfFields(context));
}

/**
 * Ends a step and undoes its changes in place.
 *
 * @returns A date or bytes that it has changed; undefined if it has changed none.
 */
export function endStep(): Part | undefined {
  const parts = lent ?? NONE;
  lent = undefined;
  return parts === NONE ? undefined : undone(parts);
}

/** The parts of a context, whose fields are stored values. */
function partsOfFields(context: unknown): readonly Part[] {
  if (typeof context !== 'object' || context === null || !isPlain(context)) return partsIn(context);
  const known = holders.get(context);
  if (known !== undefined) return known;
  let parts = NONE;
  for (const key in context) {
    const inner = partsIn((context as Record<string, unknown>)[key]);
    if (inner.length > 0) parts = [...parts, ...inner];
  }
  return parts;
}

function lend(parts: readonly Part[]): void {
  if (parts.length === 0) return;
  // Code of an earlier step may have kept them and changed them since.
  undone(parts);
  lent = lent === NONE ? parts : [...lent!, ...parts];
}

function undone(parts: readonly Part[]): Part | undefined {
  let changed: Part | undefined;
  for (const part of parts) {
    const original = originalOf(part)!;
    if (isAs(part, original)) continue;
    restore(part, original);
    changed ??= part;
  }
  return changed;
}

/** Hands out a stored value, such as a row of a table, to the code that runs: as it is to a step, else a copy. */
export function handed<T>(value: T): T {
  if (!isAnyKept()) return value;
  const parts = partsIn(value);
  if (lent === undefined) return parts.length === 0 ? value : (viewOf(value as object) as T);
  lend(parts);
  return value;
}

/** A value with copies of its parts. */
interface View {
  readonly value: object;
  readonly copies: readonly (readonly [copy: Part, original: Original])[];
}

/** The last views by value. All readers get one view until somebody changes it, so that it compares by identity. */
const views = new WeakMap<object, View>();

function viewOf(value: object): object {
  const known = views.get(value);
  if (known?.copies.every(([copy, original]) => isAs(copy, original)) === true) return known.value;
  const copies: [Part, Original][] = [];
  const view = { value: copied(value, copies) as object, copies };
  views.set(value, view);
  return view.value;
}

function copied(value: unknown, copies: [Part, Original][]): unknown {
  if (partsIn(value).length === 0) return value;
  const original = originalOf(value as object);
  if (original !== undefined) {
    const copy = copyOf(original);
    copies.push([copy, original]);
    return copy;
  }
  const inner = (item: unknown): unknown => copied(item, copies);
  if (value instanceof Map) return fixed(new Map([...value].map(([key, item]) => [inner(key), inner(item)])));
  if (value instanceof Set) return fixed(new Set([...value].map(inner)));
  if (value instanceof Error) return Object.freeze(errorWith(value, inner));
  return Object.freeze(mapped(value as object, inner));
}

function errorWith(error: Error & { readonly code?: unknown }, inner: (part: unknown) => unknown): Error {
  const { name, message, stack } = error;
  const parts: { code?: unknown; cause?: unknown } = {};
  for (const key of ['code', 'cause'] as const) if (key in error) parts[key] = inner(error[key]);
  return retold({ name, message, stack, ...parts });
}

/** The levels of containers of the runtime's own, such as a page of rows, above the stored values that are shown. */
const OWN_LEVELS = 6;

/** Values that custom logic keeps in its own hands. */
const foreign = new WeakSet<object>();

/** Notes that a value belongs to custom logic: it is shown as it is, because reading it may run code of the user. */
export function leaveToOwner(value: unknown): void {
  if (typeof value === 'object' && value !== null) foreign.add(value);
}

/** The last copies of frozen containers of the runtime's own, such as contexts. */
const copiesOfOwn = new WeakMap<object, object>();

/**
 * A value of the runtime for code outside of steps, such as a context or a page of rows: with copies of the dates and
 * bytes in the stored values that it consists of. The same value where there are none. Not for values of the user:
 * reading these may run code.
 */
export function shown<T>(value: T): T {
  return isAnyKept() ? (shownWithin(value, OWN_LEVELS) as T) : value;
}

function shownWithin(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || foreign.has(value)) return value;
  if (partsIn(value).length > 0) return viewOf(value);
  if (levels === 0 || !(Array.isArray(value) || isPlain(value))) return value;
  let isSame = true;
  const copy = mapped(value, (item) => {
    const shownItem = shownWithin(item, levels - 1);
    isSame &&= Object.is(shownItem, item);
    return shownItem;
  });
  if (isSame) return value;
  if (!Object.isFrozen(value)) return copy;
  const known = copiesOfOwn.get(value);
  if (known !== undefined && isSameWithin(known, copy)) return known;
  copiesOfOwn.set(value, Object.freeze(copy));
  return copy;
}

function isSameWithin(one: object, other: object): boolean {
  const others = Object.values(other) as unknown[];
  return Object.values(one).every((item, index) => Object.is(item, others[index]));
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** A list or object with changed items. */
function mapped(container: object, change: (item: unknown) => unknown): object {
  if (Array.isArray(container)) return container.map(change);
  return Object.fromEntries(Object.entries(container).map(([key, item]) => [key, change(item)]));
}
