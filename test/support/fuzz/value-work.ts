/**
 * The work of random machines with values beyond JSON. Every function returns new objects and leaves the given ones as
 * they are. Members of Sets and keys of Maps are found by place, never by identity: the kernel copies some objects, so
 * that one object in two places may become two.
 */
import { isReference, type Reference } from './exact-text.ts';
import { failure, ODD_KEYS } from './value-spec.ts';

const DAY_MS = 86_400_000;
const MEMBERS_MAX = 4;
const MODULUS = 9_973;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** Bound on the parts of a value that a machine keeps. */
const PARTS_MAX = 24;
/** Bound on its depth, far below the kernel's. */
const DEPTH_MAX = 8;

/** The value with a small change chosen by `n`: a day later, one byte replaced, one member more, less or changed. */
export function changed(value: unknown, n: number): unknown {
  if (isReference(value)) return value;
  if (value instanceof Date) return new Date(value.getTime() + DAY_MS);
  if (value instanceof Uint8Array) {
    if (value.length === 0) return Uint8Array.of(n);
    return Uint8Array.from(value).with(n % value.length, (value[n % value.length]! + 1) % 256);
  }
  if (value instanceof Map) {
    return new Map(
      members([...(value as Map<unknown, unknown>)], n, [`k${n}`, n], ([key, item]) => [key, changed(item, n)]),
    );
  }
  if (value instanceof Set) return new Set(members([...(value as Set<unknown>)], n, n, (item) => changed(item, n)));
  if (value instanceof Error) return changedError(value, n);
  if (Array.isArray(value)) return members(value as unknown[], n, n, (item) => changed(item, n));
  if (typeof value === 'object' && value !== null) {
    const added = [ODD_KEYS[n % ODD_KEYS.length]!, n] as [string, unknown];
    return Object.fromEntries(members(Object.entries(value), n, added, ([key, item]) => [key, changed(item, n)]));
  }
  if (typeof value === 'bigint') return value < UINT64_MAX ? value + 1n : INT64_MIN;
  if (typeof value === 'string') return `${value}${n}`.slice(-6).toWellFormed();
  return typeof value === 'number' ? n : new Date(n);
}

/** A list with one member changed, added at the end, or taken from the front. */
function members<T>(all: readonly T[], n: number, added: T, change: (member: T) => T): T[] {
  if (all.length > 0 && n % 2 === 1) return all.with(n % all.length, change(all[n % all.length]!));
  return all.length < MEMBERS_MAX ? [...all, added] : all.slice(1);
}

function changedError(error: Error & { readonly code?: unknown }, n: number): Error {
  const { name, message, code, cause } = error;
  const rest = n % 2 === 0 ? { code: n, cause } : { ...(code !== undefined && { code }), cause: error };
  return failure(name, `${message}${n}`.slice(-6).toWellFormed(), rest);
}

/** A value that contains the given one. */
export function wrapped(value: unknown, n: number): unknown {
  switch (n % 5) {
    case 0:
      return new Map([[n, value]]);
    case 1:
      return new Map([[value, n]]);
    case 2:
      return new Set([value]);
    case 3:
      return failure('Error', `wrapped ${n}`, { cause: value });
    default:
      return { [ODD_KEYS[n % ODD_KEYS.length]!]: [value] };
  }
}

/** The value, or a date in place of one that has become too large. */
export function small(value: unknown): unknown {
  const size = sizeOf(value, 0);
  return size > PARTS_MAX ? new Date(size) : value;
}

function sizeOf(value: unknown, depth: number): number {
  if (depth > DEPTH_MAX) return Infinity;
  let size = 1;
  for (const part of insideOf(value)) size += sizeOf(part, depth + 1);
  return Number.isFinite(size) ? size : PARTS_MAX + 1;
}

function insideOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || isReference(value)) return [];
  if (value instanceof Map) return [...(value as Map<unknown, unknown>)].flat();
  if (value instanceof Set) return [...(value as Set<unknown>)];
  if (value instanceof Error) return [(value as { code?: unknown }).code, value.cause];
  return value instanceof Uint8Array ? [] : Object.values(value);
}

/** A number that depends on everything in the value and on its order, from 0 to {@link MODULUS} - 1. */
export function measured(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return value.length;
    case 'bigint':
      return Number(BigInt.asUintN(32, value)) % MODULUS;
    case 'number':
      return Number.isFinite(value) ? Math.abs(Math.trunc(value)) % MODULUS : 17;
    case 'object':
      break;
    default:
      return value === true ? 3 : 5;
  }
  if (value === null) return 7;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 11 : Math.abs(value.getTime()) % MODULUS;
  if (isReference(value)) return 13;
  const parts = value instanceof Uint8Array ? [...value] : insideOf(value);
  const first = value instanceof Error ? value.name.length + value.message.length : parts.length;
  return parts.reduce<number>((sum, part) => (sum * 31 + measured(part)) % MODULUS, first);
}

/** The first date in the value. */
export function dateIn(value: unknown): Date | undefined {
  if (value instanceof Date) return value;
  for (const part of insideOf(value)) {
    const date = dateIn(part);
    if (date !== undefined) return date;
  }
  return undefined;
}

/** The first reference in the value. */
export function referenceIn(value: unknown): Reference | undefined {
  if (isReference(value)) return value;
  for (const part of insideOf(value)) {
    const reference = referenceIn(part);
    if (reference !== undefined) return reference;
  }
  return undefined;
}

/** The name of a value's kind, for the coverage. */
export function kindOf(value: unknown): string {
  if (value instanceof Error) return 'Error';
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'invalid Date';
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? 'bigint' : 'primitive';
  return (Object.getPrototypeOf(value) as { constructor: { name: string } }).constructor.name;
}
