/** Changes in place of everything that a value holds, as careless code does. */
import { isTable, Table } from '../../src/table.ts';

/** The classes of data; anything else, such as a machine within a snapshot, is left alone. */
const DATA = [Date, Uint8Array, Map, Set, Error, Array, Table] as const;

/** Changes the value in place wherever JavaScript lets it, and returns it. Throws nothing. */
export function scribbled<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null || depth > 8) return value;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain && !DATA.some((kind) => value instanceof kind)) return value;
  const container = value as Record<string, unknown>;
  for (const part of partsOf(value)) scribbled(part, depth + 1);
  const changes: (() => unknown)[] = [
    () => value instanceof Date && value.setFullYear(1999),
    () => value instanceof Uint8Array && value.fill(9),
    () => value instanceof Map && value.set('scribbled', 1),
    () => value instanceof Set && value.add('scribbled'),
    () => Array.isArray(value) && value.push('scribbled'),
    () => (container['scribbled'] = true),
    () => Object.keys(container).forEach((key) => (container[key] = 'scribbled')),
  ];
  for (const change of changes) attempt(change);
  return value;
}

function partsOf(value: object): unknown[] {
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set || isTable(value)) return [...value.values()];
  if (value instanceof Error) return [value.cause];
  return value instanceof Uint8Array ? [] : Object.values(value);
}

function attempt(change: () => unknown): void {
  try {
    change();
  } catch {
    // Frozen, which is as it should be.
  }
}
