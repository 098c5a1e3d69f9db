/**
 * Admission of values that are data but neither arrays nor plain objects: dates, bytes, maps, sets, errors, tables.
 * Each is copied into an object of the runtime's own, without any code of the user, so that a later read, at a commit
 * or by a reader, runs no user code and finds the same. A subclass and properties of such a value's own would not come
 * back from disk and are refused, except those of errors, which become plain errors.
 */
import { isDeepStrictEqual, types } from 'node:util';
import { retold } from '../../errors.ts';
import { isTable, ownTable, type Table, visitRows } from '../../table.ts';
import { textBytes } from '../../text-bytes.ts';
import {
  fixed,
  isAs,
  isFixing,
  keptBytes,
  keptDate,
  originalOf,
  type Part,
  restore,
  timeOf,
} from '../../unfreezable.ts';

/** The callbacks of the admission walk that the value belongs to. */
export interface Walk {
  /** Admits a part of the value. */
  part(item: unknown, key: string): unknown;
  /** Counts bytes of the value. */
  spend(bytes: number): void;
  /** Refuses the value. */
  refuse(what: string, wayOut: string): never;
}

/** The value in the form in which it is kept; undefined for anything that is not data. Throws what the value throws. */
export function plainValue(value: object, walk: Walk): object | undefined {
  if (value instanceof Date) return plainDate(value, walk);
  if (value instanceof Uint8Array) return plainBytes(value, walk);
  if (value instanceof Error) return plainError(value, walk);
  if (value instanceof Map) return plainMap(value, walk);
  if (value instanceof Set) return plainSet(value, walk);
  return isTable(value) ? plainTable(value, walk) : undefined;
}

function plainMap(value: Map<unknown, unknown>, walk: Walk): Map<unknown, unknown> {
  checkBare(value, { Class: Map, hides: isFixing, wayOut: 'new Map(value)' }, walk);
  const entries = [...Map.prototype.entries.call(value)];
  return fixed(new Map(entries.map(([key, item]) => [walk.part(key, MEMBER), walk.part(item, MEMBER)])));
}

function plainSet(value: Set<unknown>, walk: Walk): Set<unknown> {
  checkBare(value, { Class: Set, hides: isFixing, wayOut: 'new Set(value)' }, walk);
  const members = [...Set.prototype.values.call(value)];
  return fixed(new Set(members.map((item) => walk.part(item, MEMBER))));
}

/** A class of values that are kept, and the way to a value of that class alone. */
interface Bare {
  readonly Class: { readonly name: string; readonly prototype: object };
  readonly wayOut: string;
  /** Whether an own property belongs to the form in which values are kept. */
  hides?(value: object, key: PropertyKey): boolean;
}

/** Refuses a value of a subclass, and one with properties of its own: neither would come back from disk. */
function checkBare(value: object, { Class, wayOut, hides }: Bare, { refuse }: Walk): void {
  if (Object.getPrototypeOf(value) !== Class.prototype)
    refuse(`an instance of ${nameOf(value)}, which is another class than ${Class.name}`, `store ${wayOut}`);
  for (const key of Reflect.ownKeys(value))
    if (hides?.(value, key) !== true) refuseProperty(value, key, wayOut, refuse);
}

function refuseProperty(value: object, key: PropertyKey, wayOut: string, refuse: Walk['refuse']): never {
  const beside = `, and store its property ${String(key)} beside it`;
  return refuse(`a ${nameOf(value)} with a property of its own, ${String(key)}`, `store ${wayOut}${beside}`);
}

/** The name of a value's class, for messages. */
export function nameOf(value: object): string {
  const { constructor } = value as { constructor?: unknown };
  return (typeof constructor === 'function' && constructor.name) || 'an unnamed class';
}

/** The path segment of members of a Map or Set, in messages. */
const MEMBER = '(member)';

/**
 * Reads a proxy once and copies what it shows, because a second read may differ. Returns the proxy itself for an error,
 * whose fields are copied in any case; undefined for a proxy that cannot be copied field by field.
 */
export function shownBy(proxy: object): object | undefined {
  if (Array.isArray(proxy)) return Object.assign([], proxy);
  if (isRecord(proxy)) return { ...proxy };
  return proxy instanceof Error ? proxy : undefined;
}

export function isProxy(value: object): boolean {
  return types.isProxy(value);
}

/** Whether the value is an object without a class. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function plainDate(value: Date, walk: Walk): Date {
  walk.spend(12);
  if (isKept(value)) return value;
  checkBare(value, { Class: Date, wayOut: 'new Date(value)' }, walk);
  return keptDate(timeOf(value));
}

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

function plainBytes(value: Uint8Array, walk: Walk): Uint8Array {
  // Reads `byteLength` by the getter of the class: an own property of that name would win otherwise.
  walk.spend((Reflect.get(TYPED_ARRAY, 'byteLength', value) as number) + 5);
  if (isKept(value)) return value;
  checkBytes(value, walk);
  return keptBytes(value);
}

/**
 * Whether the value is kept already. It is made as its original: only code of an earlier step that has kept it can have
 * changed it.
 */
function isKept(value: Part): boolean {
  const original = originalOf(value);
  if (original === undefined) return false;
  if (!isAs(value, original)) restore(value, original);
  return true;
}

/** The classes of bytes that are kept, and the same bytes without anything else. */
const BYTES = new Map<unknown, (value: Uint8Array) => Uint8Array>([
  [Uint8Array.prototype, ({ buffer, byteOffset, length }) => new Uint8Array(buffer, byteOffset, length)],
  [Buffer.prototype, ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length)],
]);

/** Refuses bytes of a subclass, and bytes with properties. */
function checkBytes(value: Uint8Array, { refuse }: Walk): void {
  const wayOut = 'new Uint8Array(value)';
  const bare = BYTES.get(Object.getPrototypeOf(value));
  if (bare === undefined)
    return refuse(`an instance of ${nameOf(value)}, which is another class than Uint8Array`, `store ${wayOut}`);
  // Only a comparison finds a property without a list of all keys, which has one for each byte.
  if (isDeepStrictEqual(value, bare(value))) return;
  const key = Reflect.ownKeys(value).find((own) => typeof own === 'symbol' || !isIndex(own));
  if (key !== undefined) refuseProperty(value, key, wayOut, refuse);
}

/** Whether a key of a list or of bytes is that of an item. */
export function isIndex(key: string): boolean {
  return String(Number(key) >>> 0) === key;
}

/** Converts a table below the top level of a context. Like a Map, it is a value that is stored whole. */
function plainTable(of: Table<unknown>, { part, spend }: Walk): Table<unknown> {
  const given = ownTable(of);
  let admitted = given;
  visitRows(given, (row, key) => {
    spend(textBytes(key) + 3);
    admitted = admitted.set(key, part(row, key));
  });
  return admitted;
}

/** Errors that were created here, which hold only text. One failure is quoted in several records. */
const plainErrors = new WeakSet<Error>();

/**
 * The error in the form that the codec restores: a plain Error with name, message, stack, code and cause. An error is
 * thus the same before and after a crash of the host.
 */
function plainError(error: Error & { code?: unknown }, { part, spend }: Walk): Error {
  const name = text(error.name, 'Error');
  const message = text(error.message, '');
  const { stack: given } = error;
  const stack = given === undefined ? undefined : text(given, '');
  spend(textBytes(name) + textBytes(message) + textBytes(stack ?? '') + 20);
  if (plainErrors.has(error)) return error;
  const inner: { code?: unknown; cause?: unknown } = {};
  for (const key of ['code', 'cause'] as const) if (key in error) inner[key] = part(error[key], key);
  const copy = Object.freeze(retold({ name, message, stack, ...inner }));
  if (!('cause' in inner) && typeof inner.code !== 'object') plainErrors.add(copy);
  return copy;
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value.toWellFormed() : otherwise;
}
