/**
 * What an actor holds, as JSON can say it, with what its schemas mark as secret left out. For reading: a table comes
 * out as its first rows (table-views.ts), a Map as its entries, a Set as its items, a bigint as text, bytes as base64,
 * a reference as `{ actor: address }`.
 */
import { type z } from 'zod';
import { isTable, type Table } from '../../table.ts';
import { tablePage, type TablePage, tableView } from './table-views.ts';
import { Ref } from '../../actors/model/ref.ts';
import {
  hasSecrets,
  isSecret,
  partsOf,
  present,
  type SchemaParts,
  SECRET_SHOWN,
  wrapped,
} from '../../actors/model/secret.ts';

type ShownSchemas = readonly z.ZodType[];

type PartsPicker = (parts: SchemaParts) => readonly (z.ZodType | null | undefined)[];

/**
 * Converted values without secrets: values are frozen, so what was converted once stays so, and shared parts stay
 * shared.
 */
const converted = new WeakMap<object, unknown>();

/** @param schema Says what is secret. Where a value fits several, any of them can make it secret. */
export function shown(value: unknown, schema?: z.ZodType): unknown {
  return convert(value, schema === undefined ? [] : [schema]);
}

/** Rows of a table that stands in a context under `key`, likewise. */
export function shownTable(of: Table<unknown>, context: z.ZodType | undefined, key: string, page: TablePage): unknown {
  const schemas = sameValue(fieldsOf(context === undefined ? [] : sameValue([context]), key));
  return schemas.some(isSecret) ? SECRET_SHOWN : convertTable(of, schemas, page);
}

function convertTable(of: Table<unknown>, schemas: ShownSchemas, page?: TablePage): unknown {
  const rows = pick(schemas, ({ valueType }) => [valueType]);
  const shownRow = (row: unknown) => convert(row, rows);
  return page === undefined ? tableView(of, shownRow) : tablePage(of, shownRow, page);
}

function convert(value: unknown, given: ShownSchemas): unknown {
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

function convertObject(value: object, schemas: ShownSchemas): unknown {
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

/** The schemas of what stands under a key. */
function fieldsOf(schemas: ShownSchemas, key: string): ShownSchemas {
  return pick(schemas, ({ shape, catchall, valueType }) => [
    shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : catchall,
    valueType,
  ]);
}

/** What people may know of an error. Never its stack. */
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

/** The schemas and those that they wrap, which describe the same value. */
function sameValue(schemas: ShownSchemas): ShownSchemas {
  const seen = new Set<z.ZodType>();
  const open = [...schemas];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...wrapped(next));
  }
  return [...seen];
}

function pick(schemas: ShownSchemas, of: PartsPicker): ShownSchemas {
  return schemas.length === 0 ? schemas : schemas.flatMap((schema) => present(of(partsOf(schema))));
}
