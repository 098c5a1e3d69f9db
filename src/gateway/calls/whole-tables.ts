/** Contexts as clients are shown them, with the rows that the views of their tables leave out. */
import { type TableView } from '../../table.ts';

/**
 * The context with the rows that its view leaves out, page by page. What changes between two pages may be seen in part:
 * what a selector gives is a look, and the next one sees the rest.
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

/** A handler of rejections that keeps a value which only looks like a part of a table. */
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

/** Whether a value of a view is a table of which there is more. */
function isPart(value: unknown): value is TableView & { readonly next: string } {
  const { size, rows, next } = (value ?? {}) as Partial<TableView>;
  return typeof size === 'number' && typeof rows === 'object' && typeof next === 'string';
}
