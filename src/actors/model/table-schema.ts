/** A schema for tables, for what agents show and for what of it is secret. */
import { z } from 'zod';
import { isTable, type Table } from '../../table.ts';

/**
 * Describes a table whose rows are as `row` says: in `shown` of `defineAgent`, in an event, in an input. A row, or a
 * part of it, that is `secret` is left out wherever the table is shown, and encrypted by itself in the store; keys stay
 * legible.
 */
export function tableSchema<Row extends z.ZodType>(row: Row): z.ZodCustom<Table<z.output<Row>>, Table<z.output<Row>>> {
  const schema = z.custom<Table<z.output<Row>>>(
    (value) => isTable(value) && [...value.values()].every((one) => row.safeParse(one).success),
    'not a table of such rows',
  );
  // Where a map has it: what looks for secrets looks there.
  Object.assign(schema.def, { valueType: row });
  return schema;
}
