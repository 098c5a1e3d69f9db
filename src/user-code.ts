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

/**
 * Handles the rejection of a promise that nobody awaits. Leaves every other value alone, also an object of the user
 * with a `then`: calling that could begin its work, and a rejection of it ends no process. Never throws.
 */
export function disown(value: unknown): void {
  try {
    if (!(value instanceof Promise)) return;
    try {
      settleSilently(value);
    } catch {
      // `then` makes its result by the promise's own class, which may throw.
      Object.defineProperty(value, 'constructor', { value: Promise });
      settleSilently(value);
    }
  } catch {
    // A frozen promise of such a class, or what only looks like a promise.
  }
}

function settleSilently(promise: Promise<unknown>): void {
  Promise.prototype.then.call(promise, undefined, () => {});
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
    failed(thrown);
    return;
  }
  if (!isThenable(given)) return;
  disown(given);
  new Promise((resolve) => resolve(given)).then(undefined, failed);
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
