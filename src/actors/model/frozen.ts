/** Freezes values read from disk, so that they are as immutable as admitted ones. */
import { fixed } from './plain-values.ts';
import { Ref } from './ref.ts';

/** Freezes a value deeply, except dates and typed arrays, which cannot be frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Ref) return value;
  if (value instanceof Map || value instanceof Set) {
    for (const [key, item] of value.entries()) deepFreeze([key, item]);
    return Object.isFrozen(value) ? value : fixed(value);
  }
  if (value instanceof Error) {
    deepFreeze([value.cause, (value as { code?: unknown }).code]);
    return Object.freeze(value);
  }
  // Typed arrays cannot be frozen, and a frozen date could still be changed.
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
    // A loop without a list of values: a start does this to everything that it reads.
    for (const key in value) deepFreeze((value as Record<string, unknown>)[key]);
    Object.freeze(value);
  }
  return value;
}
