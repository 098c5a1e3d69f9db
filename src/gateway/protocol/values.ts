/**
 * The walk that every decoded frame takes before anything looks into it: nesting, number of values, forbidden keys.
 * Iterative, so that no nesting can exhaust the stack.
 */

export interface ValueBounds {
  readonly depthMax: number;
  readonly valuesMax: number;
}

/**
 * Keys that reach prototypes by way of an assignment, and the mark by which XState revives actor references from data.
 */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor', 'xstate$$type']);

/**
 * What is wrong with a value that came from outside; undefined where nothing is. Text never holds what the value holds.
 */
export function flawOf(value: unknown, { depthMax, valuesMax }: ValueBounds): string | undefined {
  const open: { readonly value: object; readonly depth: number }[] = [];
  let left = valuesMax;
  const meet = (one: unknown, depth: number): string | undefined => {
    if (left-- === 0) return `more than ${valuesMax} values`;
    if (typeof one === 'string') return one.isWellFormed() ? undefined : 'text with half a surrogate pair';
    if (typeof one !== 'object' || one === null) return undefined;
    if (depth >= depthMax) return `nested deeper than ${depthMax} levels`;
    open.push({ value: one, depth });
    return undefined;
  };
  let flaw = meet(value, 0);
  for (let next = open.pop(); flaw === undefined && next !== undefined; next = open.pop()) {
    const isArray = Array.isArray(next.value);
    for (const key of Object.keys(next.value)) {
      if (!isArray && FORBIDDEN.has(key)) flaw = 'a forbidden key';
      flaw ??= meet((next.value as Record<string, unknown>)[key], next.depth + 1);
      if (flaw !== undefined) break;
    }
  }
  return flaw;
}
