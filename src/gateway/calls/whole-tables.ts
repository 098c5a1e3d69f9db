/** Contexts as clients see them, completed with the table rows that their views leave out. */
import { type TableView } from '../../table.ts';

/**
 * Completes a context, page by page, with the table rows that its view leaves out. A change between two pages may be
 * seen in part, since a selector's value is a momentary reading.
 */
export async function withWholeTables(
  context: unknown,
  read: (table: string, from: string) => Promise<TableView>,
): Promise<unknown> {
  if (typeof context !== 'object' || context === null) return context;
  const whole: Record<string, unknown> = { ...context };
  for (const [key, value] of Object.entries(context))
    if (isPart(value)) whole[key] = await wholeOf(value, (from) => read(key, from)).catch(orItself(value));
  return whole;
}

/** A rejection handler that keeps a value which only resembles a partial table. */
function orItself(value: object): (error: unknown) => object {
  return (error) => {
    if ((error as { readonly code?: unknown } | null)?.code === 'BOSUN_TABLE_UNKNOWN') return value;
    throw error;
  };
}

async function wholeOf(part: TableView, read: (from: string) => Promise<TableView>): Promise<TableView> {
  const rows = { ...part.rows };
  let { size, next } = part;
  while (next !== null) {
    const page: TableView = await read(next);
    Object.assign(rows, page.rows);
    ({ size, next } = page);
  }
  return { size, rows, next };
}

/** Whether a value in a view is a table with further rows. */
function isPart(value: unknown): value is TableView & { readonly next: string } {
  const { size, rows, next } = (value ?? {}) as Partial<TableView>;
  return typeof size === 'number' && typeof rows === 'object' && typeof next === 'string';
}
