/** Schemas of the table of methods as JSON Schema, for the documents and for tools of MCP. */
import { z } from 'zod';

/** A JSON object of a document. */
export type Json = Record<string, unknown>;

/** JSON Schemas that were made before: each gateway of a process has the same methods. */
const made = { input: new WeakMap<z.ZodType, Json>(), output: new WeakMap<z.ZodType, Json>() };

/**
 * A schema as JSON Schema, without the key `$schema`. What JSON Schema cannot say becomes a schema of anything. Made
 * once for each schema, shared by all who ask, and frozen at the top.
 */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const before = made[io].get(schema);
  if (before !== undefined) return before;
  const { $schema: _, ...rest } = writtenSchema(schema, io);
  made[io].set(schema, Object.freeze(rest));
  return rest;
}

/**
 * A schema as JSON Schema. One whose own code throws while it is written, such as that of a default, becomes a schema
 * of anything, or of any object. Never throws.
 */
function writtenSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  try {
    return z.toJSONSchema(schema, { unrepresentable: 'any', io, override: dropsSafeBounds }) as Json;
  } catch {
    return schema instanceof z.ZodObject ? { type: 'object' } : {};
  }
}

/** Leaves out the bounds of whole numbers that zod writes where the schema gives none: they would look like a rule. */
function dropsSafeBounds({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}
