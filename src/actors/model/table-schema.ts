/** A zod schema for tables, so that agents can show them and mark parts of them as secret. */
import { z } from 'zod';
import { isTable, type Table } from '../../table.ts';
import { readBy } from '../../user-schema.ts';

/**
 * Describes a table with rows as in `row`: for `shown` of `defineAgent`, for an event, for an input. A row, or a part
 * of it, that is `secret` is left out wherever the table is shown, and encrypted by itself in the store; keys stay
 * legible.
 */
export function tableSchema<Row extends z.ZodType>(row: Row): z.ZodCustom<Table<z.output<Row>>, Table<z.output<Row>>> {
  const schema = z.custom<Table<z.output<Row>>>(
    (value) => isTable(value) && [...value.values()].every((one) => isRow(row, one)),
    'not a table of such rows',
  );
  // The search for secrets looks for the schema of values where a map has it.
  Object.assign(schema.def, { valueType: row });
  return schema;
}

/** Whether a value is such a row. Throws where the schema cannot check it. */
function isRow(row: z.ZodType, value: unknown): boolean {
  const read = readBy(row, value, 'row');
  if (read.isSound) return true;
  if (read.error === undefined) throw new Error(read.why, { cause: read.thrown });
  return false;
}
