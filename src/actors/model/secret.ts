/**
 * Marks values that must not leave the system: fields whose schema is `secret` are never shown to clients, and an agent
 * whose schemas mark anything is stored encrypted where the host has a key. Only schemas decide, never names.
 */
import { z } from 'zod';

/** Schemas marked as secret. Schemas derived from one inherit the mark: `secret(z.string()).min(8)` is secret too. */
const SECRETS = z.registry<{ readonly secret: true }>();

/** Marks a schema as secret and returns it: its values are replaced by `[secret]` wherever they would be shown. */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  SECRETS.add(schema, { secret: true });
  return schema;
}

export function isSecret(schema: z.ZodType): boolean {
  return SECRETS.get(schema) !== undefined;
}

export type Schemas = readonly z.ZodType[];

export type PartsPicker = (parts: SchemaParts) => readonly (z.ZodType | null | undefined)[];

/** The parts of a schema's definition, present or not depending on its kind. */
interface SchemaParts {
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
  readonly defaultValue?: unknown;
}

/** Whether a schema marks anything; a cache by schema. */
const marked = new WeakMap<z.ZodType, boolean>();

/** Whether the schema or a part of it is secret. */
export function hasSecrets(schema: z.ZodType | undefined): boolean {
  if (schema === undefined) return false;
  const known = marked.get(schema);
  if (known !== undefined) return known;
  let found = false;
  for (const part of within(schema)) if ((found = isSecret(part))) break;
  marked.set(schema, found);
  return found;
}

/** The schema, and every schema that is a part of it, once each. */
export function* within(schema: z.ZodType): Generator<z.ZodType, void> {
  const seen = new Set<z.ZodType>();
  const open = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    yield next;
    open.push(...below(next));
  }
}

/** Whether a field of the schema's values is secret, or all of the value. */
export function isSecretField(schema: z.ZodType, field: string): boolean {
  const whole = sameValue([schema]);
  return [...whole, ...sameValue(fieldsOf(whole, field))].some(isSecret);
}

/** The schemas and those that they wrap, all of which describe the same value. */
export function sameValue(schemas: Schemas): Schemas {
  const seen = new Set<z.ZodType>();
  const open = [...schemas];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...wrapped(next));
  }
  return [...seen];
}

/** The schemas of the value under a key. */
export function fieldsOf(schemas: Schemas, key: string): Schemas {
  return pick(schemas, ({ shape, catchall, valueType }) => [
    shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : catchall,
    valueType,
  ]);
}

export function pick(schemas: Schemas, of: PartsPicker): Schemas {
  return schemas.length === 0 ? schemas : schemas.flatMap((schema) => present(of(partsOf(schema))));
}

/** The schemas that a schema wraps, which describe the same value. */
function wrapped(schema: z.ZodType): Schemas {
  const { innerType, options, left, right, in: from, out, getter } = partsOf(schema);
  return present([innerType, ...(options ?? []), left, right, from, out, getter?.()]);
}

export function partsOf(schema: z.ZodType): SchemaParts {
  return schema.def as unknown as SchemaParts;
}

function present(schemas: readonly (z.ZodType | null | undefined)[]): z.ZodType[] {
  return schemas.filter((schema) => schema !== undefined && schema !== null);
}

function below(schema: z.ZodType): Schemas {
  const { shape, catchall, element, keyType, valueType, items, rest } = partsOf(schema);
  return [
    ...wrapped(schema),
    ...present([...Object.values(shape ?? {}), catchall, element, keyType, valueType, ...(items ?? []), rest]),
  ];
}

/** The text shown in place of a secret. */
export const SECRET_SHOWN = '[secret]';
