/**
 * Admission: the one walk that every value takes before it may enter a context, a message, a timer or a record. It
 * refuses what is not data, bounds depth and size, freezes what it accepts, and replaces the provisional handles of
 * children born in this turn by their references. Reading an admitted value runs no user code: proxies, getters and
 * classes of the user are copied or refused (plain-values.ts). A refusal throws in the turn in which it happens, so an
 * agent with a bad value hurts only itself (design: one agent can never spoil the epoch of all).
 */
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { disown, isThenable } from '../../user-code.ts';
import { holds } from '../../lending.ts';
import { VALUE_BYTES_MAX, VALUE_DEPTH_MAX } from '../../limits.ts';
import { isTable } from '../../table.ts';
import { textBytes } from '../../text-bytes.ts';
import { type Part } from '../../unfreezable.ts';
import { isIndex, isProxy, isRecord, nameOf, plainValue, shownBy } from './plain-values.ts';
import { Ref } from './ref.ts';

/**
 * Resolves a reference, or the provisional handle of a child, to the reference in this system; undefined for any other
 * object.
 */
export type ResolveHandle = (object: object) => Ref | undefined;

const PLACE_CHARS_MAX = 200;

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** State of the walk in progress. A walk never yields, so one set serves all. */
let bytesLeft = 0;
/** The size bound of the current value, in bytes; `bytesLeft` begins with it. */
let bound = 0;
let root = '';
/** The depth of the object that the walk has entered last: it is the one that cannot be read, if one cannot. */
let entered = 0;
/** Bytes admitted since the last call of {@link takeCount}. */
let counted = 0;
/** Keys from the root down to the current value; only the first `depth` count. Read when something is refused. */
const trail: (string | number)[] = [];
/** The dates and bytes that the walk has met. */
let met: Part[] = [];
/** Whether a walk is in progress. User code that it runs may send, and so begin another walk. */
let isWalking = false;

/**
 * Admits a value.
 *
 * @param place The place of the value, for the message: `event order.place of shop`.
 * @returns The same value, frozen, or a copy where something in it had to be replaced: a handle, an error, a negative
 * zero, a list that was not frozen, a Map or Set, bytes, a proxy.
 * @throws BOSUN_VALUE_REFUSED with details { place }.
 */
export function admit<T>(value: T, place: string, resolve?: ResolveHandle, bytesMax = VALUE_BYTES_MAX): T {
  standAt(place);
  return bounded(value, { depth: 0, bytes: bytesMax }, resolve) as T;
}

/** Bytes of everything admitted since the last call, or slightly more. To measure, call it before and after. */
export function takeCount(): number {
  const count = counted;
  counted = 0;
  return count;
}

/** Adds the bytes of a value admitted without a walk. */
export function count(bytes: number): void {
  counted += bytes;
}

/** Sets the place of the values that are walked next. Throws BOSUN_VALUE_REFUSED within another walk. */
export function standAt(place: string): void {
  if (isWalking) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${place} is sent by code that runs while ${shownPlace(0)} is checked`);
  }
  root = place;
}

/** Sets the key of the next value at a level below the root. */
export function standUnder(key: string, depth: 0 | 1): void {
  trail[depth] = key;
}

/** Walks a value with a bound of its own, at the place set by {@link standAt}. */
export function bounded(
  value: unknown,
  { depth, bytes }: { readonly depth: number; readonly bytes: number },
  resolve: ResolveHandle | undefined,
): unknown {
  bytesLeft = bound = bytes;
  entered = depth;
  isWalking = true;
  try {
    return walk(value, depth, resolve);
  } catch (error) {
    disown(value);
    if (isBosunError(error)) throw error;
    const place = shownPlace(entered);
    throw refusal(`${place} cannot be read: ${messageOf(error)}; store a copy of its data`, place);
  } finally {
    isWalking = false;
    if (met.length > 0) met = [];
    counted += bytes - bytesLeft;
  }
}

/** Bytes of the last value walked. */
export function lastBytes(): number {
  return bound - bytesLeft;
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
  spend(textBytes(value) + 3, depth);
  // A lone surrogate would be read from disk as another character.
  if (!value.isWellFormed()) refuse(depth, 'a string with half a surrogate pair');
  return value;
}

function walkObject(given: object, depth: number, resolve: ResolveHandle | undefined): unknown {
  entered = depth - 1;
  const value = isProxy(given) ? (shownBy(given) ?? refuse(depth - 1, 'a proxy')) : given;
  if (Array.isArray(value)) return walkArray(value, depth, resolve);
  if (isRecord(value)) return walkRecord(value, depth, resolve);
  if (value instanceof Ref) {
    spend(textBytes(value.address) + 16, depth - 1);
    return (resolve === undefined ? value.ref : resolve(value)) ?? refuse(depth - 1, 'a reference of another system');
  }
  const reference = resolve?.(value);
  if (reference !== undefined) return reference;
  return walkPlain(value, depth, resolve);
}

function walkPlain(value: object, depth: number, resolve: ResolveHandle | undefined): unknown {
  const before = met.length;
  const plain = plainValue(value, {
    spend: (bytes) => spend(bytes, depth - 1),
    part: (item, key) => {
      trail[depth - 1] = key;
      return walk(item, depth, resolve);
    },
    refuse: (what, wayOut) => refuse(depth - 1, what, wayOut),
  });
  if (plain === undefined)
    return refuse(depth - 1, isThenable(value) ? 'a promise' : `an instance of ${nameOf(value)}`);
  if (plain instanceof Date || plain instanceof Uint8Array) met.push(plain);
  // A table hands out its rows itself.
  else if (isTable(plain)) met.length = before;
  else noted(plain, before);
  return plain;
}

/** Notes which dates and bytes the walk has met within a container. Returns the container. */
function noted<T extends object>(container: T, before: number): T {
  if (met.length > before) holds(container, met.slice(before));
  return container;
}

/**
 * Frozen arrays and objects that have been checked: they have no getters. Objects that are not frozen are checked each
 * time.
 */
const known = new WeakSet<object>();

/** Admits a list. One that is not frozen is copied, because its owner may change it later. */
function walkArray(value: unknown[], depth: number, resolve: ResolveHandle | undefined): unknown[] {
  spend(value.length + 5, depth - 1);
  const before = met.length;
  const list = isKnownList(value, depth - 1) ? value : [...value];
  let copy = list === value ? undefined : list;
  for (let index = 0; index < list.length; index++) {
    const item: unknown = list[index];
    trail[depth - 1] = index;
    const admitted = walk(item, depth, resolve);
    if (!Object.is(admitted, item)) (copy ??= [...list])[index] = admitted;
  }
  return noted(copy === undefined ? value : (Object.freeze(copy) as unknown[]), before);
}

/**
 * Checks that a list holds nothing but items.
 *
 * @returns Whether it is frozen, without holes and getters.
 */
function isKnownList(value: unknown[], depth: number): boolean {
  if (known.has(value)) return true;
  checkList(value, depth);
  if (!Object.isFrozen(value)) return false;
  // Neither a hole nor an item that is not enumerable would come back from disk as it is.
  if (Object.keys(value).length !== value.length) return false;
  for (let index = 0; index < value.length; index++) if (hasGetter(value, index)) return false;
  known.add(value);
  return true;
}

/** Refuses a list of a subclass, and one with properties beside its items, as the match of a pattern has. */
function checkList(value: unknown[], depth: number): void {
  if (Object.getPrototypeOf(value) !== Array.prototype)
    refuse(depth, `an instance of ${nameOf(value)}, which is another class than Array`, 'store Array.from(value)');
  // Indices are the first keys. A frozen list is kept as it is, with what it hides; the items of others are copied.
  const last = (Object.isFrozen(value) ? Object.getOwnPropertyNames(value) : Object.keys(value)).at(-1);
  const isItem = last === undefined || last === 'length' || (isIndex(last) && Number(last) < value.length);
  const beside = isItem ? Object.getOwnPropertySymbols(value)[0] : last;
  if (beside === undefined) return;
  const wayOut = 'store its items, [...value], and its other properties beside them';
  refuse(depth, `a list with a property beside its items, ${String(beside)}`, wayOut);
}

function walkRecord(
  value: Record<string, unknown>,
  depth: number,
  resolve: ResolveHandle | undefined,
): Record<string, unknown> {
  checkRecord(value, depth - 1);
  const before = met.length;
  // An object without a prototype comes back from disk with that of all objects.
  let copy: Record<string, unknown> | undefined =
    Object.getPrototypeOf(value) === null ? Object.assign({}, value) : undefined;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    trail[depth - 1] = key;
    spend(textBytes(key) + 2, depth);
    const item = value[key];
    const admitted = walk(item, depth, resolve);
    // Objects made by a spread take far longer to freeze.
    if (!Object.is(admitted, item)) (copy ??= Object.assign({}, value))[key] = admitted;
  }
  return noted(Object.freeze(copy ?? value), before);
}

/**
 * Checks that an object has only data under its keys. Uses `for in`, which allocates no list of keys. Throws
 * BOSUN_VALUE_REFUSED.
 */
export function checkRecord(value: object, depth: number): void {
  if (known.has(value)) return;
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(depth, 'an object with a symbol as key');
  let keys = 0;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    keys += 1;
    checkKey(key, depth);
    // A getter may return something else when the value is written.
    if (hasGetter(value, key)) refuse(depth, `an object with a getter, ${key}`);
  }
  if (Object.getOwnPropertyNames(value).length > keys) refuseHidden(value, depth);
  if (Object.isFrozen(value)) known.add(value);
}

function refuseHidden(value: object, depth: number): never {
  const hidden = Object.getOwnPropertyNames(value).find(
    (key) => !Object.prototype.propertyIsEnumerable.call(value, key),
  );
  return refuse(depth, `an object with a property that is not enumerable, ${hidden}`, 'store a copy, { ...value }');
}

export function checkKey(key: string, depth: number): void {
  // `__proto__` changes what an object is instead of what it holds; the codec cannot write `__keys__`.
  if (key === '__proto__' || key === '__keys__') refuse(depth, `an object with the key ${key}`);
  if (!key.isWellFormed()) refuse(depth, 'an object with half a surrogate pair in a key');
}

interface Lookup {
  __lookupGetter__(key: PropertyKey): unknown;
  __lookupSetter__(key: PropertyKey): unknown;
}

const { __lookupGetter__: getterOf, __lookupSetter__: setterOf } = Object.prototype as unknown as Lookup;

/**
 * Whether an own property has a getter or setter. Uses the legacy lookup functions, which allocate no property
 * descriptor.
 *
 * @param key An own key.
 */
function hasGetter(value: object, key: PropertyKey): boolean {
  return (getterOf.call(value, key) ?? setterOf.call(value, key)) !== undefined;
}

function spend(bytes: number, depth: number): void {
  bytesLeft -= bytes;
  if (bytesLeft < 0) refuse(depth, `part of a value of more than ${bound} bytes`);
}

/** Refuses the value at this depth below the root. Throws BOSUN_VALUE_REFUSED. */
export function refuse(depth: number, what: string, wayOut = 'only data can be stored'): never {
  throw refusal(`${shownPlace(depth)} is ${what}; ${wayOut}`, shownPlace(depth));
}

function refusal(why: string, place = root): BosunError {
  return new BosunError('BOSUN_VALUE_REFUSED', why, { details: { place } });
}

function shownPlace(depth: number): string {
  const keys = trail.slice(0, depth).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  const place = root + keys.join('');
  return place.length > PLACE_CHARS_MAX ? `${place.slice(0, PLACE_CHARS_MAX)}...` : place;
}
