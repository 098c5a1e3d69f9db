/**
 * Rows of a table that may be of any size: what work puts out is as large as its authors like. A row that has room in
 * its table stands there; one that is too large has a key of its own in the context, `results:A/draft`, which a later
 * row of that key reuses. Pure.
 */
import { rowIn, rowsOf, type ShownTable, type Table } from '../../table.ts';
import { fits } from './value-size.ts';

/** Half of what a row may have: bytes are estimated here, and counted when the turn is admitted. */
const ROW_BYTES_MAX = 32 * 1024;

/** Undefined where there is none. */
export function wideRowIn<Row>(context: object, name: string, key: string): Row | undefined {
  const fields = context as Readonly<Record<string, unknown>>;
  return (fields[placeOf(name, key)] as Row | undefined) ?? rowIn(fields[name] as ShownTable<Row>, key);
}

/** All of them, in no order. */
export function wideRowsIn<Row>(context: object, name: string): Row[] {
  const fields = context as Readonly<Record<string, unknown>>;
  const wide = Object.keys(fields).filter((key) => key.startsWith(placeOf(name, '')) && fields[key] !== undefined);
  return [...rowsOf(fields[name] as ShownTable<Row>), ...wide.map((key) => fields[key] as Row)];
}

/**
 * What is to be assigned.
 *
 * @param row undefined takes the row away.
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
