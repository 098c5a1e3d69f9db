/**
 * Admission of values that are data but neither arrays nor plain objects: dates, bytes, maps, sets, errors, tables.
 * Each is kept as an object of the runtime's own class without any code of the user, so that a later read, at a commit
 * or by a reader, runs no user code and finds the same. Any other object is copied.
 */
import { types } from 'node:util';
import { retold } from '../../errors.ts';
import { isTable, ownTable, type Table } from '../../table.ts';
import { textBytes } from '../../text-bytes.ts';

/** The callbacks of the admission walk that the value belongs to. */
export interface Walk {
  /** Admits a part of the value. */
  part(item: unknown, key: string): unknown;
  /** Counts bytes of the value. */
  spend(bytes: number): void;
}

/** The value in the form in which it is kept; undefined for anything that is not data. Throws what the value throws. */
export function plainValue(value: object, walk: Walk): object | undefined {
  if (value instanceof Date) return plainDate(value, walk);
  if (value instanceof Uint8Array) return plainBytes(value, walk);
  if (value instanceof Error) return plainError(value, walk);
  if (value instanceof Map) {
    const entries = [...(value as Map<unknown, unknown>)];
    return fixed(new Map(entries.map(([key, item]) => [walk.part(key, MEMBER), walk.part(item, MEMBER)])));
  }
  if (value instanceof Set) return fixed(new Set([...value].map((item) => walk.part(item, MEMBER))));
  return isTable(value) ? plainTable(value, walk) : undefined;
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

function plainDate(value: Date, { spend }: Walk): Date {
  spend(12);
  const ms = Date.prototype.getTime.call(value);
  const isPlain = Object.getPrototypeOf(value) === Date.prototype && Reflect.ownKeys(value).length === 0;
  return isPlain ? value : new Date(ms);
}

/**
 * Byte arrays that were copied here. All others are copied, because they cannot be frozen and their owner may still
 * write into them.
 */
const ownBytes = new WeakSet<Uint8Array>();

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;

function plainBytes(value: Uint8Array, { spend }: Walk): Uint8Array {
  // Reads `byteLength` by the getter of the class: an own property of that name would win otherwise.
  spend((Reflect.get(TYPED_ARRAY, 'byteLength', value) as number) + 5);
  if (ownBytes.has(value)) return value;
  const copy = new Uint8Array(value);
  ownBytes.add(copy);
  return copy;
}

/** Converts a table below the top level of a context. Like a Map, it is a value that is stored whole. */
function plainTable(given: Table<unknown>, { part, spend }: Walk): Table<unknown> {
  let admitted = ownTable(given);
  admitted.forEach((row, key) => {
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

/** Makes a Map or Set immutable by replacing the methods that change it: freezing leaves its members changeable. */
export function fixed<T extends Map<unknown, unknown> | Set<unknown>>(collection: T): T {
  for (const method of collection instanceof Map ? ['set', 'delete', 'clear'] : ['add', 'delete', 'clear']) {
    Object.defineProperty(collection, method, { value: refuseMutation });
  }
  return Object.freeze(collection);
}

function refuseMutation(): never {
  throw new TypeError('a stored value cannot be changed in place; make a new Map or Set from it');
}
