/** One page out of several, in order of cursors. Pure. */

/** Rows in order of their cursors, and where the next page begins; null if there is none. */
export interface CursorPage<Row extends { readonly cursor: string }> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** The size of the merged page, and the order of the rows: that of cursors, or the reverse. */
export interface MergedOrder {
  readonly limit: number;
  readonly newestFirst?: boolean | undefined;
}

/**
 * Merges pages. No row of the result sorts behind a row that one of the pages has not reached yet. Cursors are unique
 * over all pages.
 */
export function mergedPages<Row extends { readonly cursor: string }>(
  pages: readonly CursorPage<Row>[],
  { limit, newestFirst = false }: MergedOrder,
): CursorPage<Row> {
  const isBefore = (a: string, b: string) => (newestFirst ? a > b : a < b);
  const order = (a: string, b: string) => (a === b ? 0 : isBefore(a, b) ? -1 : 1);
  const [end] = pages.flatMap(({ next }) => next ?? []).sort(order);
  const known = pages
    .flatMap(({ rows }) => rows)
    .filter(({ cursor }) => end === undefined || !isBefore(end, cursor))
    .sort((a, b) => order(a.cursor, b.cursor));
  const rows = known.slice(0, limit);
  return { rows, next: rows.length < known.length ? rows.at(-1)!.cursor : (end ?? null) };
}
