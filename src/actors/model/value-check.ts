/**
 * Admission: the one walk that every value takes before it may enter a context, a message, a timer or a record. It
 * refuses what is not data, bounds depth and size, freezes what it accepts, and replaces the provisional handles of
 * children born in this turn by their references. A refusal is a throw of the turn it happens in, so an agent with a
 * bad value hurts itself only (design: one agent can never spoil the epoch of all).
 */
import { BosunError, messageOf, retold } from '../../errors.ts';
import {
  TABLE_ROW_BYTES_MAX,
  TABLE_ROWS_MAX,
  TABLES_GIVEN_BYTES_MAX,
  TABLES_MAX,
  VALUE_BYTES_MAX,
  VALUE_DEPTH_MAX,
} from '../../limits.ts';
import { isTable, type Table } from '../../table.ts';
import { Ref } from './ref.ts';
import { type Change, type RowChanges } from './state.ts';

/**
 * The reference that an object stands for in this system: a reference, or the handle of a child; undefined for a
 * stranger.
 */
export type ResolveHandle = (object: object) => Ref | undefined;

/** Of the text kept of something thrown that cannot be stored itself. */
const TEXT_CHARS_MAX = 2_000;

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** State of the walk under way. A walk never yields, so one set serves all. */
let bytesLeft = 0;
/** The bytes that the value in hand may have; `bytesLeft` begins with them. */
let bound = 0;
let root = '';
/** Bytes admitted since {@link takeCount}. */
let counted = 0;
/** Keys from the root down to the value in hand; only the first `depth` count. Read when something is refused. */
const trail: (string | number)[] = [];

/**
 * @param place Where the value stands, for the message: `event order.place of shop`.
 * @returns The same value, frozen, or a copy where something in it had to be replaced: a handle, an error, a negative
 * zero, a hole in an array, a Map or Set.
 * @throws BOSUN_VALUE_REFUSED with details { place }.
 */
export function admit<T>(value: T, place: string, resolve?: ResolveHandle): T {
  root = place;
  return bounded(value, { depth: 0, bytes: VALUE_BYTES_MAX }, resolve) as T;
}

/** Bytes of all that was admitted since the last call, or little more. Whoever counts begins with a call. */
export function takeCount(): number {
  const count = counted;
  counted = 0;
  return count;
}

/**
 * Admits what a turn changes, in place. Every key of the context is a value of its own: for the bound, and in the
 * message.
 *
 * @param change Made for this, and so is its `set`.
 */
export function admitChange(change: Change, resolve?: ResolveHandle): Change {
  const { context, set, rows, output, error } = change;
  if (context !== undefined) {
    const { value } = context;
    change.context = { value: isRecord(value) ? admitFields(value, resolve) : admit(value, 'context', resolve) };
    checkTables(change.context.value);
  }
  // The context that the turn made has something else then.
  if (set !== undefined && !admitSet(set, resolve)) change.made = undefined;
  if (rows !== undefined) {
    checkTables(change.made);
    if (!admitRows(rows, resolve)) change.made = undefined;
  }
  if (output !== undefined) change.output = { value: admit(output.value, 'output', resolve) };
  if (error !== undefined) change.error = { value: admitError(error.value) };
  return change;
}

/** What was thrown, as something that can be stored; if it cannot be, what can be said of it. Never throws. */
export function admitError(thrown: unknown): unknown {
  try {
    return admit(thrown, 'error');
  } catch {
    return Object.freeze(new Error(textOf(thrown)));
  }
}

function textOf(thrown: unknown): string {
  try {
    return messageOf(thrown).slice(0, TEXT_CHARS_MAX).toWellFormed();
  } catch {
    return 'something was thrown that has no text';
  }
}

function admitFields(
  record: Readonly<Record<string, unknown>>,
  resolve: ResolveHandle | undefined,
): Record<string, unknown> {
  root = 'context';
  checkSymbols(record, 0);
  const isNew = !Object.isFrozen(record);
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    checkKey(key, 0);
    if (isNew) checkGetter(record, key, 0);
    fields[key] = admitField(key, record[key], resolve);
  }
  return Object.freeze(fields);
}

/** @returns Whether every value was admitted as it is. */
function admitSet(set: Record<string, unknown>, resolve: ResolveHandle | undefined): boolean {
  let isWhole = true;
  for (const key of Object.keys(set)) {
    checkKey(key, 0);
    const value = set[key];
    const admitted = admitField(key, value, resolve);
    if (Object.is(admitted, value)) continue;
    set[key] = admitted;
    isWhole = false;
  }
  return isWhole;
}

function admitField(key: string, value: unknown, resolve: ResolveHandle | undefined): unknown {
  root = 'context';
  trail[0] = key;
  if (isTable(value)) return admitTable(value, resolve);
  return bounded(value, { depth: 1, bytes: VALUE_BYTES_MAX }, resolve);
}

/** A table that enters a context whole: each row is a value of its own. */
function admitTable(given: Table<unknown>, resolve: ResolveHandle | undefined): Table<unknown> {
  let admitted = given;
  let left = TABLES_GIVEN_BYTES_MAX;
  checkSize(given.size);
  given.forEach((row, key) => {
    admitted = admitted.set(key, admitRow(key, row, resolve));
    left -= bound - bytesLeft;
    if (left < 0) refuse(1, `a table of more than ${TABLES_GIVEN_BYTES_MAX} bytes`);
  });
  return admitted;
}

/**
 * Rows that a turn has changed; the others of their tables were admitted before.
 *
 * @returns Whether every row was admitted as it is.
 */
function admitRows(rows: Record<string, RowChanges>, resolve: ResolveHandle | undefined): boolean {
  root = 'context';
  let isWhole = true;
  let left = VALUE_BYTES_MAX;
  for (const [field, { size, set, unset }] of Object.entries(rows)) {
    trail[0] = field;
    checkSize(size);
    for (const key of unset) left -= key.length;
    const admitted = set.map(([key, row]) => {
      const entry = [key, admitRow(key, row, resolve)] as const;
      left -= bound - bytesLeft;
      isWhole &&= Object.is(entry[1], row);
      return entry;
    });
    if (left < 0) refuse(1, `a table of which more than ${VALUE_BYTES_MAX} bytes change in one turn`);
    rows[field] = { size, set: admitted, unset };
  }
  return isWhole;
}

function admitRow(key: string, row: unknown, resolve: ResolveHandle | undefined): unknown {
  trail[1] = key;
  return bounded(row, { depth: 2, bytes: TABLE_ROW_BYTES_MAX }, resolve);
}

/** Walks a value that has a bound of its own. */
function bounded(
  value: unknown,
  { depth, bytes }: { readonly depth: number; readonly bytes: number },
  resolve: ResolveHandle | undefined,
): unknown {
  bytesLeft = bound = bytes;
  const admitted = walk(value, depth, resolve);
  counted += bytes - bytesLeft;
  return admitted;
}

function checkSize(rows: number): void {
  if (rows > TABLE_ROWS_MAX) refuse(1, `a table of more than ${TABLE_ROWS_MAX} rows`);
}

function checkTables(context: unknown): void {
  if (!isRecord(context)) return;
  let tables = 0;
  for (const value of Object.values(context)) if (isTable(value)) tables += 1;
  if (tables > TABLES_MAX) refuse(0, `a context of more than ${TABLES_MAX} tables`);
}

function walk(value: unknown, depth: number, resolve: ResolveHandle | undefined): unknown {
  switch (typeof value) {
    case 'string':
      return walkString(value, depth);
    case 'number':
      spend(9, depth);
      // msgpack has no negative zero; keep memory equal to disk.
      return value === 0 ? 0 : value;
    case 'boolean':
    case 'undefined':
      spend(1, depth);
      return value;
    case 'bigint':
      spend(9, depth);
      if (value < INT64_MIN || value > UINT64_MAX) refuse(depth, 'a bigint of more than 64 bits');
      return value;
    case 'object':
      if (value === null) {
        spend(1, depth);
        return null;
      }
      if (depth >= VALUE_DEPTH_MAX) refuse(depth, `nested deeper than ${VALUE_DEPTH_MAX} levels (or circular)`);
      return walkObject(value, depth + 1, resolve);
    default:
      return refuse(depth, `a ${typeof value}`);
  }
}

function walkString(value: string, depth: number): string {
  spend(value.length + 3, depth);
  // A lone surrogate would come back from disk as another character.
  if (!value.isWellFormed()) refuse(depth, 'a string with half a surrogate pair');
  return value;
}

function walkObject(value: object, depth: number, resolve: ResolveHandle | undefined): unknown {
  if (Array.isArray(value)) return walkArray(value, depth, resolve);
  if (isRecord(value)) return walkRecord(value, depth, resolve);
  if (value instanceof Ref) {
    spend(value.address.length + 16, depth);
    return (resolve === undefined ? value.ref : resolve(value)) ?? refuse(depth - 1, 'a reference of another system');
  }
  const reference = resolve?.(value);
  if (reference !== undefined) return reference;
  return walkBuiltin(value, depth, resolve);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function walkArray(value: unknown[], depth: number, resolve: ResolveHandle | undefined): unknown[] {
  spend(value.length + 5, depth);
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    trail[depth - 1] = index;
    const admitted = walk(item, depth, resolve);
    // A hole would come back from disk as undefined.
    if (!Object.is(admitted, item) || (item === undefined && !(index in value)))
      (copy ??= Array.from(value))[index] = admitted;
  }
  return Object.freeze(copy ?? value) as unknown[];
}

function walkRecord(
  value: Record<string, unknown>,
  depth: number,
  resolve: ResolveHandle | undefined,
): Record<string, unknown> {
  checkSymbols(value, depth - 1);
  const isNew = !Object.isFrozen(value);
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    checkKey(key, depth - 1);
    if (isNew) checkGetter(value, key, depth - 1);
    spend(key.length + 2, depth);
    const item = value[key];
    trail[depth - 1] = key;
    const admitted = walk(item, depth, resolve);
    if (!Object.is(admitted, item)) (copy ??= { ...value })[key] = admitted;
  }
  return Object.freeze(copy ?? value);
}

function checkSymbols(value: object, depth: number): void {
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(depth, 'an object with a symbol as key');
}

function checkKey(key: string, depth: number): void {
  // The first changes what an object is instead of what it holds, the second the codec cannot write.
  if (key === '__proto__' || key === '__keys__') refuse(depth, `an object with the key ${key}`);
  if (!key.isWellFormed()) refuse(depth, 'an object with half a surrogate pair in a key');
}

/**
 * What a getter gives now it need not give when the value is written. What is frozen was admitted before, or cannot
 * change by itself.
 */
function checkGetter(value: object, key: string, depth: number): void {
  if (Object.getOwnPropertyDescriptor(value, key)?.get !== undefined) refuse(depth, `an object with a getter, ${key}`);
}

function walkBuiltin(value: object, depth: number, resolve: ResolveHandle | undefined): unknown {
  if (value instanceof Date) {
    spend(12, depth);
    return value;
  }
  if (value instanceof Uint8Array) {
    spend(value.byteLength + 5, depth);
    return value;
  }
  if (value instanceof Error) return walkError(value, depth, resolve);
  if (value instanceof Map) {
    trail[depth - 1] = '(member)';
    return fixed(new Map([...value].map(([key, item]) => [walk(key, depth, resolve), walk(item, depth, resolve)])));
  }
  if (value instanceof Set) {
    trail[depth - 1] = '(member)';
    return fixed(new Set([...value].map((item) => walk(item, depth, resolve))));
  }
  if (isTable(value)) return walkTable(value, depth, resolve);
  return refuse(depth - 1, `an instance of ${nameOf(value)}`);
}

/** A table anywhere but at a top-level key of a context is a value like a Map: stored whole. */
function walkTable(given: Table<unknown>, depth: number, resolve: ResolveHandle | undefined): Table<unknown> {
  let admitted = given;
  given.forEach((row, key) => {
    trail[depth - 1] = key;
    spend(key.length + 3, depth);
    admitted = admitted.set(key, walk(row, depth, resolve));
  });
  return admitted;
}

/** Errors that were made here and hold nothing but text: one failure is quoted in several records. */
const admittedErrors = new WeakSet<Error>();

/** As the codec brings it back: a plain Error with name, message, stack, code and cause. So a crash changes nothing. */
function walkError(error: Error & { code?: unknown }, depth: number, resolve: ResolveHandle | undefined): Error {
  const name = text(error.name, 'Error');
  const message = text(error.message, '');
  const stack = error.stack === undefined ? undefined : text(error.stack, '');
  spend(name.length + message.length + (stack?.length ?? 0) + 20, depth);
  if (admittedErrors.has(error)) return error;
  const inner: { code?: unknown; cause?: unknown } = {};
  for (const key of ['code', 'cause'] as const) {
    if (!(key in error)) continue;
    trail[depth - 1] = key;
    inner[key] = walk(error[key], depth, resolve);
  }
  const copy = Object.freeze(retold({ name, message, stack, ...inner }));
  if (!('cause' in inner) && typeof inner.code !== 'object') admittedErrors.add(copy);
  return copy;
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.toWellFormed() : otherwise;
}

/** Freezing leaves the members of a Map or Set open to change; without the methods that change them it does not. */
export function fixed<T extends Map<unknown, unknown> | Set<unknown>>(collection: T): T {
  for (const method of collection instanceof Map ? ['set', 'delete', 'clear'] : ['add', 'delete', 'clear']) {
    Object.defineProperty(collection, method, { value: refuseMutation });
  }
  return Object.freeze(collection);
}

function refuseMutation(): never {
  throw new TypeError('what is stored cannot be changed in place; make a new Map or Set of it');
}

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  return (typeof constructor === 'function' && constructor.name) || 'an unnamed class';
}

function spend(bytes: number, depth: number): void {
  bytesLeft -= bytes;
  if (bytesLeft < 0) refuse(depth, `part of a value of more than ${bound} bytes`);
}

function refuse(depth: number, what: string): never {
  const place =
    root +
    trail
      .slice(0, depth)
      .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
      .join('');
  const shown = place.length > 200 ? `${place.slice(0, 200)}...` : place;
  throw new BosunError('BOSUN_VALUE_REFUSED', `${shown} is ${what}; only data can be stored`, {
    details: { place: shown },
  });
}
