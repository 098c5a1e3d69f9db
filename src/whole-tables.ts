/**
 * Tables that were seen in part, completed by reading their further pages: the one home of that, for the gateway's
 * selectors, procedures, the command line and the page in browsers. Knows only the form of a view.
 */
import { type TableView, type WholeView } from './table.ts';

/** Reads the page of a table that begins at a key, like `table.read`. */
export type ReadPage<Row> = (from: string) => Promise<TableView<Row>>;

/**
 * Completes a table, page by page. A change between two pages may be seen in part: a momentary reading of a table that
 * changes meanwhile.
 */
export async function wholeTable<Row>(part: TableView<Row>, read: ReadPage<Row>): Promise<WholeView<Row>> {
  const rows = { ...part.rows };
  let { size, next } = part;
  while (next !== null) {
    const page: TableView<Row> = await read(next);
    Object.assign(rows, page.rows);
    ({ size, next } = page);
  }
  return { size, rows, next };
}

/** Completes a context with the table rows that its views leave out, as {@link wholeTable} does each. */
export async function withWholeTables(
  context: unknown,
  read: (table: string, from: string) => Promise<TableView>,
): Promise<unknown> {
  if (typeof context !== 'object' || context === null) return context;
  const whole: Record<string, unknown> = { ...context };
  for (const [key, value] of Object.entries(context))
    if (isPart(value)) whole[key] = await wholeTable(value, (from) => read(key, from)).catch(orItself(value));
  return whole;
}

/** A rejection handler that keeps a value which only resembles a partial table. */
function orItself(value: object): (error: unknown) => object {
  return (error) => {
    if ((error as { readonly code?: unknown } | null)?.code === 'BOSUN_TABLE_UNKNOWN') return value;
    throw error;
  };
}

/** Whether a value in a view is a table with further rows. */
function isPart(value: unknown): value is TableView & { readonly next: string } {
  const { size, rows, next } = (value ?? {}) as Partial<TableView>;
  return typeof size === 'number' && typeof rows === 'object' && typeof next === 'string';
}
