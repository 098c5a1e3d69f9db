/**
 * Table rows of any size, because results of work have no size limit. A row that fits is stored in its table; a larger
 * row gets a key of its own in the context, `results:A/draft`, which later rows of that key reuse. Pure.
 */
import { rowIn, rowsOf, type Table, type WholeTable } from '../../table.ts';
import { fits } from './value-size.ts';

/** Half of a row's maximum, because bytes are only estimated here; they are counted when the turn is admitted. */
const ROW_BYTES_MAX = 32 * 1024;

/** A context with all rows of a table. */
type Holding<Name extends string> = { readonly [Key in Name]: WholeTable<unknown> };
type RowIn<Context, Name extends keyof Context> = Context[Name] extends WholeTable<infer Row> ? Row : never;

/** The row of a key; undefined if there is none. */
export function wideRowIn<Name extends string, Context extends Holding<Name>>(
  context: Context,
  name: Name,
  key: string,
): RowIn<Context, Name> | undefined {
  const fields = context as Readonly<Record<string, unknown>>;
  return (fields[placeOf(name, key)] ?? rowIn(context[name], key)) as RowIn<Context, Name> | undefined;
}

/** All rows, in no particular order. */
export function wideRowsIn<Name extends string, Context extends Holding<Name>>(
  context: Context,
  name: Name,
): RowIn<Context, Name>[] {
  const fields = context as Readonly<Record<string, unknown>>;
  const wide = Object.keys(fields).filter((key) => key.startsWith(placeOf(name, '')) && fields[key] !== undefined);
  return [...rowsOf(context[name]), ...wide.map((key) => fields[key])] as RowIn<Context, Name>[];
}

/**
 * The patch of the context that stores or removes a row.
 *
 * @param row undefined removes the row.
 */
export function withWideRow<Row>(context: object, name: string, key: string, row: Row | undefined): object {
  const fields = context as Readonly<Record<string, unknown>>;
  const rows = fields[name] as Table<Row>;
  const place = placeOf(name, key);
  const isWide = row !== undefined && !fits(row, ROW_BYTES_MAX);
  return {
    [name]: row === undefined || isWide ? rows.delete(key) : rows.set(key, row),
    ...((isWide || fields[place] !== undefined) && { [place]: isWide ? row : undefined }),
  };
}

function placeOf(name: string, key: string): string {
  return `${name}:${key}`;
}
