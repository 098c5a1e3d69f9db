/**
 * Calls of functions that users give: what they throw never passes the runtime, and no promise of theirs is forgotten.
 * Where a value is due, a promise is refused, because nobody waits for it. Where none is due, the promise is watched.
 * In both cases a rejection is handled: one without a handler ends the process.
 */
import { BosunError } from './errors.ts';

/** Whether a value has a `then`, as `await` sees it. Never throws: a `then` that cannot be read is none. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  try {
    return typeof (value as { readonly then?: unknown }).then === 'function';
  } catch {
    return false;
  }
}

/**
 * Returns a value that a user's function has given. `place` names the function: `the guard isPaid of order`.
 *
 * @throws BOSUN_VALUE_REFUSED for a promise and anything else with a `then`, with details { place }. The promise's
 * rejection is handled.
 */
export function due<T>(value: T, place: string): T {
  if (!isThenable(value)) return value;
  disown(value);
  throw promiseRefused(place);
}

/** The error for a promise in a place where a value is due. */
export function promiseRefused(place: string): BosunError {
  return new BosunError(
    'BOSUN_VALUE_REFUSED',
    `${place} gives a promise, and nobody waits for it here; do the work in an invoked promise, and use its result`,
    { details: { place } },
  );
}

/** The number of objects within one value among which promises are looked for. */
const OBJECTS_MAX = 1_000;

/**
 * Handles the rejections of a promise that nobody awaits, and of all promises among the data of a value that is
 * refused. Leaves other objects with a `then` alone: calling that could begin their work. Never throws.
 */
export function disown(value: unknown): void {
  if (!isObject(value) || isBareError(value)) return;
  const seen = new Set<object>([value]);
  for (const one of seen) {
    try {
      if (one instanceof Promise) settleSilently(one);
      else for (const part of partsOf(one)) if (isObject(part) && seen.size < OBJECTS_MAX) seen.add(part);
    } catch {
      // A proxy or a class that cannot be looked into.
    }
  }
}

/** Whether a value is an error of texts alone, as most that are thrown. Never throws. */
function isBareError(value: object): boolean {
  try {
    if (!(value instanceof Error) || Object.hasOwn(value, 'cause') || Object.hasOwn(value, 'errors')) return false;
    for (const key in value) if (key !== 'name') return false;
    return true;
  } catch {
    return false;
  }
}

/**
 * Handles the rejections of promises that lie directly in a value which nobody admits, and of an error's cause. Costs
 * little for the values of every day. Never throws.
 */
export function disownParts(given: unknown): void {
  if (typeof given !== 'object' || given === null) return;
  try {
    const isPlain = Array.isArray(given) || Object.getPrototypeOf(given) === Object.prototype;
    if (!isPlain && given instanceof Error) disown(given);
    if (!isPlain || Object.isFrozen(given)) return;
    for (const key in given) {
      const part = (given as Record<string, unknown>)[key];
      if (part instanceof Promise) disown(part);
    }
  } catch {
    // A proxy or a getter of the user that throws, which is not a promise.
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The values that an object holds. Calls no getter. */
function* partsOf(object: object): Generator<unknown> {
  if (ArrayBuffer.isView(object)) return;
  if (object instanceof Map) for (const entry of Map.prototype.entries.call(object)) yield* entry;
  if (object instanceof Set) yield* Set.prototype.values.call(object);
  // A list may be so long that its keys alone would take long.
  if (Array.isArray(object)) {
    for (let index = 0; index < Math.min(object.length, OBJECTS_MAX); index++) {
      const item = Reflect.getOwnPropertyDescriptor(object, index);
      if (item !== undefined && 'value' in item) yield item.value;
    }
    return;
  }
  // An error keeps its cause under a key that is not enumerable.
  for (const key of Reflect.ownKeys(object).slice(0, OBJECTS_MAX)) {
    const property = Reflect.getOwnPropertyDescriptor(object, key);
    if (property !== undefined && 'value' in property) yield property.value;
  }
}

const handle = (promise: Promise<unknown>): void => void Promise.prototype.then.call(promise, undefined, () => {});

function settleSilently(promise: Promise<unknown>): void {
  try {
    handle(promise);
  } catch {
    // `then` makes its result by the promise's own class, which may throw.
    void Object.defineProperty(promise, 'constructor', { value: Promise });
    handle(promise);
  }
}

/**
 * Calls a user's function that owes no value. What it throws, and what a promise that it returns rejects with, goes to
 * `failed`, which must not throw. Never throws.
 */
export function watch(call: () => unknown, failed: (thrown: unknown) => void): void {
  let given: unknown;
  try {
    given = call();
  } catch (thrown) {
    disown(thrown);
    failed(thrown);
    return;
  }
  if (isThenable(given)) {
    disown(given);
    new Promise((resolve) => resolve(given)).catch((thrown: unknown) => {
      disown(thrown);
      failed(thrown);
    });
  } else disownParts(given);
}

/**
 * Prepares what a user's function has given for `await`, which may throw at a promise of a class of the user and then
 * forgets that promise. Never throws.
 */
export function handled<T>(given: T): T {
  if (isThenable(given)) disown(given);
  return given;
}

const AsyncFunction = (async () => {}).constructor;

/**
 * Whether a function was written with `async`. One that a compiler has turned into another form is not known before it
 * is called. Never throws.
 */
export function isAsync(value: unknown): boolean {
  try {
    return typeof value === 'function' && value instanceof AsyncFunction;
  } catch {
    return false;
  }
}
