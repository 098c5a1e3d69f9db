/**
 * Completion of decoded values, in place: they get the form that admission gives them, dates, bytes, Maps and Sets
 * included (unfreezable.ts). So a value is the same before and after a crash, whoever reads it.
 */
import { holds } from './lending.ts';
import { isTable, visitRows } from './table.ts';
import { fixed, keep, type Part } from './unfreezable.ts';

/** The dates and bytes that the walk in progress has met. */
let met: Part[] = [];

/** Makes a decoded value immutable. Returns the value itself. */
export function sealed<T>(value: T): T {
  seal(value);
  if (met.length > 0) met = [];
  return value;
}

function seal(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Date || value instanceof Uint8Array) {
    met.push(keep(value));
    return;
  }
  const before = met.length;
  sealItems(value);
  if (!Object.isFrozen(value)) Object.freeze(value);
  // A table hands out its rows itself.
  if (isTable(value)) met.length = before;
  else if (met.length > before) holds(value, met.slice(before));
}

function sealItems(value: object): void {
  if (Array.isArray(value)) for (const item of value) seal(item);
  else if (Object.getPrototypeOf(value) === Object.prototype)
    // A loop without a list of values: a start does this to everything that it reads.
    for (const key in value) seal((value as Record<string, unknown>)[key]);
  else if (value instanceof Map || value instanceof Set) {
    if (value instanceof Map) value.forEach((_, key) => seal(key));
    value.forEach(seal);
    fixed(value);
  } else if (value instanceof Error) {
    seal(value.cause);
    seal((value as { readonly code?: unknown }).code);
  } else if (isTable(value)) visitRows(value, seal);
}
