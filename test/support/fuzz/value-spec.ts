/**
 * Values beyond JSON as data: the generator draws them, the shrinker reduces them, the report prints them, and each
 * side makes objects of its own from them.
 */
import { type SeededRandom } from '../../../src/testing/seeded-random.ts';

export type ValueSpec =
  /** Milliseconds since 1970; null: an invalid date. */
  | { readonly is: 'date'; readonly of: number | null }
  | { readonly is: 'bytes'; readonly of: readonly number[] }
  | { readonly is: 'map'; readonly of: readonly { readonly key: ValueSpec; readonly value: ValueSpec }[] }
  | { readonly is: 'set' | 'list'; readonly of: readonly ValueSpec[] }
  | { readonly is: 'object'; readonly of: readonly { readonly key: string; readonly value: ValueSpec }[] }
  | {
      readonly is: 'error';
      readonly name: string;
      readonly message: string;
      readonly code?: string | number;
      readonly cause?: ValueSpec;
    }
  | { readonly is: 'bigint'; readonly of: string }
  | { readonly is: 'special'; readonly of: 'undefined' | 'NaN' | 'Infinity' | '-Infinity' }
  | { readonly is: 'plain'; readonly of: string | number | boolean | null };

/** Keys that code which is careless with objects takes for something else. */
export const ODD_KEYS = [
  ...['', ' ', 'a b', 'a.b', 'a/b', '0', '10', '-1', '\u0000', 'é', '💥', '$', 'is', 'of', 'type', 'rows', 'Date'],
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'length', 'size', 'then', 'toJSON', 'stack'],
];

/** Whole days, milliseconds around 1970, seconds beyond 32 and 34 bits, and the first and last date that exist. */
const DATES = [
  ...[0, 1, -1, 999, -999, 1_000, -1_500, 86_400_000, -86_400_000, 1_700_000_000_123, -2_208_988_800_001],
  ...[2 ** 31 * 1_000, 2 ** 32 * 1_000 + 7, 2 ** 34 * 1_000 + 999, -(2 ** 34) * 1_000, 253_402_300_800_000],
  ...[8_640_000_000_000_000, -8_640_000_000_000_000, 8_639_999_999_999_999, null],
];
const BIGINTS = ['0', '1', '-1', '42', '9007199254740993', '9223372036854775808', '18446744073709551615'].concat(
  '-9223372036854775808',
);
const SPECIAL = ['undefined', 'NaN', 'Infinity', '-Infinity'] as const;
const PLAIN = [null, true, false, 0, 1, -1, 127, 128, 65_536, 2 ** 32, 2 ** 53, 0.1, 1e21, '', 'a', 'é💥', '\u0000'];
const ERROR_NAMES = ['Error', 'TypeError', 'RangeError', 'Odd'];
const ERROR_CODES = ['E_ODD', '', 7] as const;
const BYTES_MAX = 6;
const DEPTH_MAX = 3;

/** Draws a value. Half of all are dates and bytes; the others may contain more. */
export function randomValue(random: SeededRandom, depth = 0): ValueSpec {
  const inner = () => randomValue(random, depth + 1);
  const some = <T>(draw: () => T): T[] => Array.from({ length: random.integer(depth === 0 ? 4 : 3) }, draw);
  switch (random.integer(depth < DEPTH_MAX ? 14 : 8)) {
    case 0:
    case 1:
    case 2:
      return { is: 'date', of: random.pick(DATES) };
    case 3:
    case 4:
      return {
        is: 'bytes',
        of: Array.from({ length: random.integer(BYTES_MAX) }, () => random.integer(256)),
      };
    case 5:
      return { is: 'bigint', of: random.pick(BIGINTS) };
    case 6:
      return { is: 'special', of: random.pick(SPECIAL) };
    case 7:
      return { is: 'plain', of: random.pick(PLAIN) };
    case 8:
    case 9:
      return { is: 'map', of: some(() => ({ key: inner(), value: inner() })) };
    case 10:
      return { is: 'set', of: some(inner) };
    case 11:
      return { is: 'list', of: some(inner) };
    case 12:
      return { is: 'object', of: some(() => ({ key: random.pick(ODD_KEYS), value: inner() })) };
    default:
      return {
        is: 'error',
        name: random.pick(ERROR_NAMES),
        message: random.pick(['', 'odd', 'é💥\nsecond line']),
        ...(random.next() < 0.5 && { code: random.pick(ERROR_CODES) }),
        ...(random.next() < 0.5 && { cause: inner() }),
      };
  }
}

/** Makes a new value. */
export function made(spec: ValueSpec): unknown {
  switch (spec.is) {
    case 'date':
      return new Date(spec.of ?? NaN);
    case 'bytes':
      return Uint8Array.from(spec.of);
    case 'map':
      return new Map(spec.of.map(({ key, value }) => [made(key), made(value)]));
    case 'set':
      return new Set(spec.of.map(made));
    case 'list':
      return spec.of.map(made);
    case 'object':
      return Object.fromEntries(spec.of.map(({ key, value }) => [key, made(value)]));
    case 'error': {
      const { name, message, code, cause } = spec;
      return failure(name, message, { ...(code !== undefined && { code }), ...(cause && { cause: made(cause) }) });
    }
    case 'bigint':
      return BigInt(spec.of);
    case 'special':
      return spec.of === 'undefined' ? undefined : Number(spec.of);
    case 'plain':
      return spec.of;
  }
}

/** The values that a value consists of. */
export function partsOf(spec: ValueSpec): readonly ValueSpec[] {
  switch (spec.is) {
    case 'map':
      return spec.of.flatMap(({ key, value }) => [key, value]);
    case 'object':
      return spec.of.map(({ value }) => value);
    case 'set':
    case 'list':
      return spec.of;
    default:
      return spec.is === 'error' && spec.cause ? [spec.cause] : [];
  }
}

const KINDS: ReadonlySet<unknown> = new Set<ValueSpec['is']>([
  ...(['date', 'bytes', 'map', 'set', 'list', 'object', 'error', 'bigint', 'special', 'plain'] as const),
]);

export function isValueSpec(item: object): item is ValueSpec {
  return 'is' in item && KINDS.has(item.is);
}

const CLASSES: Readonly<Record<string, ErrorConstructor>> = { TypeError, RangeError };
const FRAME = '\n    at a random machine';

/** An error with a stack that does not depend on where it is made, so that both sides can be compared whole. */
export function failure(name: string, message: string, rest: { readonly code?: unknown; readonly cause?: unknown }) {
  const error = new (CLASSES[name] ?? Error)(message, 'cause' in rest ? { cause: rest.cause } : undefined);
  if (error.name !== name) Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  Object.defineProperty(error, 'stack', { value: `${name}: ${message}${FRAME}`, configurable: true, writable: true });
  return 'code' in rest ? Object.assign(error, { code: rest.code }) : error;
}

/** Whether an error is one of {@link failure}, or the kernel's form of one. */
export function isFailure(value: unknown): value is Error {
  return value instanceof Error && typeof value.stack === 'string' && value.stack.endsWith(FRAME);
}
