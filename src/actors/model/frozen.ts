/** Makes values from disk as immutable as those that were admitted. */
import { fixed } from './value-check.ts';
import { Ref } from './ref.ts';

/** Not dates and typed arrays, which cannot be frozen. */
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
  // Typed arrays cannot be frozen, and dates change all the same.
  if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
    for (const item of Object.values(value)) deepFreeze(item);
    Object.freeze(value);
  }
  return value;
}
