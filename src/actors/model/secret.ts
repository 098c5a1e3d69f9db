/**
 * Marks what must not leave the system: a field of a schema that is `secret` is never shown to clients, and an agent
 * whose schemas mark anything is stored encrypted where the host has a key. Only schemas decide; nothing guesses by
 * names.
 */
import { z } from 'zod';

/** Its entries are inherited by what is derived from a schema: `secret(z.string()).min(8)` is secret too. */
const SECRETS = z.registry<{ readonly secret: true }>();

/** The same schema, marked: what it describes is replaced by {@link SECRET_SHOWN} wherever it would be shown. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  SECRETS.add(schema, { secret: true });
  return schema;
}

export function isSecret(schema: z.ZodType): boolean {
  return SECRETS.get(schema) !== undefined;
}

type Schemas = readonly z.ZodType[];

/** The definition of a schema, as far as its kind has such a part. */
export interface SchemaParts {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: Schemas;
  readonly left?: z.ZodType;
  readonly right?: z.ZodType;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly items?: Schemas;
  readonly rest?: z.ZodType | null;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly getter?: () => z.ZodType;
}

/** Whether a schema marks anything, by schema. */
const marked = new WeakMap<z.ZodType, boolean>();

/** Whether something in the schema is secret. */
export function hasSecrets(schema: z.ZodType | undefined): boolean {
  if (schema === undefined) return false;
  const known = marked.get(schema);
  if (known !== undefined) return known;
  const seen = new Set<z.ZodType>();
  const open = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (isSecret(next)) break;
    open.push(...below(next));
  }
  const found = [...seen].some(isSecret);
  marked.set(schema, found);
  return found;
}

/** The schemas that one wraps, which describe the same value. */
export function wrapped(schema: z.ZodType): Schemas {
  const { innerType, options, left, right, in: from, out, getter } = partsOf(schema);
  return present([innerType, ...(options ?? []), left, right, from, out, getter?.()]);
}

export function partsOf(schema: z.ZodType): SchemaParts {
  return schema.def as unknown as SchemaParts;
}

export function present(schemas: readonly (z.ZodType | null | undefined)[]): z.ZodType[] {
  return schemas.filter((schema) => schema !== undefined && schema !== null);
}

function below(schema: z.ZodType): Schemas {
  const { shape, catchall, element, keyType, valueType, items, rest } = partsOf(schema);
  return [
    ...wrapped(schema),
    ...present([...Object.values(shape ?? {}), catchall, element, keyType, valueType, ...(items ?? []), rest]),
  ];
}

/** What stands in place of a secret. */
export const SECRET_SHOWN = '[secret]';
