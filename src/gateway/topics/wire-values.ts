/**
 * Values of actors as JSON, without the fields that their schemas mark as secret. For reading only: a table becomes its
 * first rows (table-views.ts), a Map its entries, a Set its items, a bigint text, bytes base64, a reference `{ actor:
 * address }`.
 */
import { type z } from 'zod';
import { messageOf } from '../../errors.ts';
import { isTable, type Table } from '../../table.ts';
import { tablePage, type AskedPage, tableView } from './table-views.ts';
import { Ref } from '../../actors/model/ref.ts';
import {
  fieldsOf,
  hasSecrets,
  isSecret,
  type PartsPicker,
  pick,
  sameValue,
  type Schemas,
  SECRET_SHOWN,
} from '../../actors/model/secret.ts';

/** Converted values without secrets. Values are frozen, so a conversion stays valid, and shared parts stay shared. */
const converted = new WeakMap<object, unknown>();

/**
 * Converts a value. Never throws: the context of custom logic may hold anything, and reading it may run user code.
 *
 * @param schema Marks secrets. If a value fits several schemas, each of them can make it secret.
 */
export function shown(value: unknown, schema?: z.ZodType): unknown {
  try {
    return convert(value, schema === undefined ? [] : [schema]);
  } catch (error) {
    return { unreadable: messageOf(error).slice(0, PROBLEM_CHARS_MAX) };
  }
}

const PROBLEM_CHARS_MAX = 200;

/** Converts rows of the table that a context holds under `key`. */
export function shownTable(of: Table<unknown>, context: z.ZodType | undefined, key: string, page: AskedPage): unknown {
  const schemas = sameValue(fieldsOf(context === undefined ? [] : sameValue([context]), key));
  return schemas.some(isSecret) ? SECRET_SHOWN : convertTable(of, schemas, page);
}

function convertTable(of: Table<unknown>, schemas: Schemas, page?: AskedPage): unknown {
  const rows = pick(schemas, ({ valueType }) => [valueType]);
  const shownRow = (row: unknown) => convert(row, rows);
  return page === undefined ? tableView(of, shownRow) : tablePage(of, shownRow, page);
}

function convert(value: unknown, given: Schemas): unknown {
  const schemas = given.length === 0 ? given : sameValue(given.filter(hasSecrets));
  if (schemas.some(isSecret)) return value === undefined ? undefined : SECRET_SHOWN;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  if (schemas.length > 0) return convertObject(value, schemas);
  const known = converted.get(value);
  if (known !== undefined) return known;
  const result = convertObject(value, schemas);
  if (Object.isFrozen(value)) converted.set(value, result);
  return result;
}

function convertObject(value: object, schemas: Schemas): unknown {
  if (value instanceof Ref) return { actor: value.address };
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Error) return shownError(value);
  if (isTable(value)) return convertTable(value, schemas);
  const part = (item: unknown, of: PartsPicker) => convert(item, pick(schemas, of));
  if (value instanceof Map)
    return [...value].map(([key, item]) => [
      part(key, ({ keyType }) => [keyType]),
      part(item, ({ valueType }) => [valueType]),
    ]);
  if (value instanceof Set) return [...value].map((item) => part(item, ({ valueType }) => [valueType]) ?? null);
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (Array.isArray(value))
    return value.map(
      (item, index) => part(item, ({ element, items, rest }) => [element, items?.[index] ?? rest]) ?? null,
    );
  const fields: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const result = convert(field, fieldsOf(schemas, key));
    if (result !== undefined) fields[key] = result;
  }
  return fields;
}

/** An error without its stack, as people may see it. */
export function shownError(error: unknown): { readonly message: string } | null {
  if (error === undefined || error === null) return null;
  if (typeof error !== 'object') return { message: String(error) };
  const { name, message, code } = error as { name?: unknown; message?: unknown; code?: unknown };
  return {
    ...(typeof name === 'string' && { name }),
    message: typeof message === 'string' ? message : 'a value was thrown that is no error',
    ...(typeof code === 'string' && { code }),
  };
}
