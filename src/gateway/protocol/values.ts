/**
 * A check of parsed JSON from outside before other code reads it: nesting, number of values, forbidden keys, non-finite
 * numbers. Iterative, so that deep nesting cannot exhaust the stack.
 */

export interface ValueBounds {
  readonly depthMax: number;
  readonly valuesMax: number;
}

/** Keys that reach prototypes by assignment, and the key by which XState revives actor references from data. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor', 'xstate$$type']);

/** An object or array being checked, and its place. */
interface Open {
  readonly value: object;
  readonly depth: number;
  readonly key: string;
  readonly parent: Open | undefined;
}

/**
 * The first flaw of a value from outside; undefined if it has none. The text names keys, but no other part of the
 * value.
 */
export function flawOf(value: unknown, { depthMax, valuesMax }: ValueBounds): string | undefined {
  const open: Open[] = [];
  let left = valuesMax;
  const meet = (one: unknown, key: string, parent: Open | undefined): string | undefined => {
    const depth = parent === undefined ? 0 : parent.depth + 1;
    if (left-- === 0) return `more than ${valuesMax} values`;
    // JSON allows 1e999, which parses to Infinity.
    if (typeof one === 'number' && !Number.isFinite(one)) return `a number that is too large${placeOf(key, parent)}`;
    if (typeof one === 'string') return one.isWellFormed() ? undefined : 'text with half a surrogate pair';
    if (typeof one !== 'object' || one === null) return undefined;
    if (depth >= depthMax) return `nested deeper than ${depthMax} levels`;
    open.push({ value: one, depth, key, parent });
    return undefined;
  };
  let flaw = meet(value, '', undefined);
  for (let next = open.pop(); flaw === undefined && next !== undefined; next = open.pop()) {
    const isArray = Array.isArray(next.value);
    for (const key of Object.keys(next.value)) {
      if (!isArray && FORBIDDEN.has(key)) flaw = 'a forbidden key';
      flaw ??= meet((next.value as Record<string, unknown>)[key], key, next);
      if (flaw !== undefined) break;
    }
  }
  return flaw;
}

const PLACE_CHARS_MAX = 200;

/** A place such as ` at p.event.by`; empty for the root. */
function placeOf(key: string, parent: Open | undefined): string {
  if (parent === undefined) return '';
  const keys = [key];
  for (let at = parent; at.parent !== undefined; at = at.parent) keys.unshift(at.key);
  return ` at ${keys.join('.').slice(0, PLACE_CHARS_MAX)}`;
}
