/**
 * Marks what must not leave the system: a field of a schema that is `secret` is never shown to clients. The mark says
 * nothing of how the value is stored. Only where schemas are looked at does it have an effect; nothing guesses by names.
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

/** What stands in place of a secret. */
export const SECRET_SHOWN = '[secret]';
