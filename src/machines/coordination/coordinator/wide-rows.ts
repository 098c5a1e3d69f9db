/**
 * Rows of a table that may be of any size: what work puts out is as large as its authors like. A row that has room in
 * its table stands there; one that is too large has a key of its own in the context, `results:A/draft`, which a later
 * row of that key reuses. Pure.
 */
import { rowIn, type ShownTable, type Table } from '../../../table.ts';

/** Half of what a row may have: bytes are estimated here, and counted when the turn is admitted. */
const ROW_BYTES_MAX = 32 * 1024;

/** A reference to an actor, or whatever else is not walked. */
const OPAQUE_BYTES = 512;

/** Of a value itself, beside what it consists of. */
const VALUE_BYTES = 9;

/** Undefined where there is none. */
export function wideRowIn<Row>(context: object, name: string, key: string): Row | undefined {
  const fields = context as Readonly<Record<string, unknown>>;
  return (fields[placeOf(name, key)] as Row | undefined) ?? rowIn(fields[name] as ShownTable<Row>, key);
}

/**
 * What is to be assigned.
 *
 * @param row undefined takes the row away.
 */
export function withWideRow<Row>(context: object, name: string, key: string, row: Row | undefined): object {
  const fields = context as Readonly<Record<string, unknown>>;
  const rows = fields[name] as Table<Row>;
  const place = placeOf(name, key);
  const isWide = row !== undefined && !fits(row);
  return {
    [name]: row === undefined || isWide ? rows.delete(key) : rows.set(key, row),
    ...((isWide || fields[place] !== undefined) && { [place]: isWide ? row : undefined }),
  };
}

function placeOf(name: string, key: string): string {
  return `${name}:${key}`;
}

function fits(row: unknown): boolean {
  return left(row, ROW_BYTES_MAX) >= 0;
}

/** Of so many bytes, those that a value leaves; negative where it needs more. */
function left(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - VALUE_BYTES - value.length;
  if (typeof value !== 'object' || value === null) return bytes - VALUE_BYTES;
  if (ArrayBuffer.isView(value)) return bytes - VALUE_BYTES - value.byteLength;
  const parts = partsOf(value);
  if (parts === undefined) return bytes - OPAQUE_BYTES;
  let rest = bytes - VALUE_BYTES;
  for (const part of parts) {
    rest = left(part, rest);
    if (rest < 0) break;
  }
  return rest;
}

function partsOf(value: object): Iterable<unknown> | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (value instanceof Map) return [...value].flat();
  if (value instanceof Set) return value;
  if (value instanceof Error) return [value.name, value.message, value.stack, ...Object.values(value)];
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.entries(value).flat() : undefined;
}
