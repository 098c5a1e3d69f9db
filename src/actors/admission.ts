/**
 * Admission: the one walk that every value takes before it may enter a context, a message, a timer or a record.
 * It refuses what is not data, bounds depth and size, freezes what it accepts, and replaces the provisional handles of
 * children born in this turn by their references. A refusal is a throw of the turn it happens in, so an agent with a bad
 * value hurts itself only (design: one agent can never spoil the epoch of all).
 */
import { BosunError } from '../errors.ts';
import { VALUE_BYTES_MAX, VALUE_DEPTH_MAX } from '../limits.ts';
import { Ref } from './ref.ts';

/** Gives the reference for an object that stands for a child of this turn, or undefined for a stranger. */
export type ResolveHandle = (object: object) => Ref | undefined;

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** Keys that change what an object is instead of what it holds. */
const FORBIDDEN_KEY = '__proto__';

/** State of the walk under way. A walk never yields, so one set serves all. */
let bytesLeft = 0;
let root = '';
/** Keys from the root down to the value in hand; only the first `depth` count. Read when something is refused. */
const trail: (string | number)[] = [];

/**
 * @param place Where the value stands, for the message: `context.order`.
 * @returns The same value, frozen, or a copy where a handle had to be replaced.
 * @throws BOSUN_VALUE_REFUSED with details { place }.
 */
export function admit<T>(value: T, place: string, resolve?: ResolveHandle): T {
  bytesLeft = VALUE_BYTES_MAX;
  root = place;
  return walk(value, 0, resolve) as T;
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
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) {
    return walkRecord(value as Record<string, unknown>, depth, resolve);
  }
  if (value instanceof Ref) {
    spend(value.address.length + 16, depth);
    return value;
  }
  const reference = resolve?.(value);
  if (reference !== undefined) return reference;
  return walkBuiltin(value, depth, resolve);
}

function walkArray(value: unknown[], depth: number, resolve: ResolveHandle | undefined): unknown[] {
  spend(value.length + 5, depth);
  let copy: unknown[] | undefined;
  for (let index = 0; index < value.length; index++) {
    const item: unknown = value[index];
    trail[depth - 1] = index;
    const admitted = walk(item, depth, resolve);
    if (!Object.is(admitted, item)) (copy ??= value.slice())[index] = admitted;
  }
  return Object.freeze(copy ?? value) as unknown[];
}

function walkRecord(
  value: Record<string, unknown>,
  depth: number,
  resolve: ResolveHandle | undefined,
): Record<string, unknown> {
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(depth - 1, 'an object with a symbol as key');
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    if (key === FORBIDDEN_KEY) refuse(depth - 1, `an object with the key ${FORBIDDEN_KEY}`);
    spend(key.length + 2, depth);
    const item = value[key];
    trail[depth - 1] = key;
    const admitted = walk(item, depth, resolve);
    if (!Object.is(admitted, item)) (copy ??= { ...value })[key] = admitted;
  }
  return Object.freeze(copy ?? value);
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
  if (value instanceof Error) {
    spend(value.message.length + (value.stack?.length ?? 0) + 20, depth);
    trail[depth - 1] = 'cause';
    if (value.cause !== undefined) walk(value.cause, depth, undefined);
    return value;
  }
  trail[depth - 1] = '(member)';
  if (value instanceof Map) {
    return new Map(
      [...value].map(([key, item]) => [
        walk(key, depth, resolve),
        walk(item, depth, resolve),
      ]),
    );
  }
  if (value instanceof Set) return new Set([...value].map((item) => walk(item, depth, resolve)));
  return refuse(depth - 1, `an instance of ${value.constructor?.name || 'an unnamed class'}`);
}

function spend(bytes: number, depth: number): void {
  bytesLeft -= bytes;
  if (bytesLeft < 0) refuse(depth, `part of a value of more than ${VALUE_BYTES_MAX} bytes`);
}

function refuse(depth: number, what: string): never {
  const place = root + trail.slice(0, depth).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  const shown = place.length > 200 ? `${place.slice(0, 200)}...` : place;
  throw new BosunError('BOSUN_VALUE_REFUSED', `${shown} is ${what}; only data can be stored`, { details: { place: shown } });
}
