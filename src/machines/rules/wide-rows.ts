/**
 * Table rows of any size, because results of work have no size limit. A row that fits is stored in its table. A larger
 * row gets a slot, a key of its own in the context: `results/1`, `results/2` and so on. The table `results/slots` says
 * which slot has the row of a key. A context keeps its keys for ever, so a slot that is free is used again: there are
 * never more slots than there were wide rows at one time. Pure.
 *
 * An earlier version stored a wide row under its key, `results:A/draft`. It is read there until it is written again.
 */
import { rowIn, rowsOf, table, type Table, type WholeTable } from '../../table.ts';
import { fits } from './value-size.ts';

/** Half of a row's maximum, because bytes are only estimated here; they are counted when the turn is admitted. */
const ROW_BYTES_MAX = 32 * 1024;

/** A context with all rows of a table. */
type Holding<Name extends string> = { readonly [Key in Name]: WholeTable<unknown> };
type RowIn<Context, Name extends keyof Context> = Context[Name] extends WholeTable<infer Row> ? Row : never;
type Fields = Readonly<Record<string, unknown>>;

/** A slot with a row. A free one holds the number of the free slot before it, 0 where there is none. */
export interface WideRow<Row> {
  readonly key: string;
  readonly row: Row;
}

/** The row of a key; undefined if there is none. */
export function wideRowIn<Name extends string, Context extends Holding<Name>>(
  context: Context,
  name: Name,
  key: string,
): RowIn<Context, Name> | undefined {
  const fields = context as Fields;
  const slot = rowIn(slotsIn(fields, name), key);
  const wide = slot === undefined ? fields[earlierPlaceOf(name, key)] : rowAt(fields, name, slot);
  return (wide ?? rowIn(context[name], key)) as RowIn<Context, Name> | undefined;
}

/** All rows, in no particular order. */
export function wideRowsIn<Name extends string, Context extends Holding<Name>>(
  context: Context,
  name: Name,
): RowIn<Context, Name>[] {
  const fields = context as Fields;
  const wide = rowsOf(slotsIn(fields, name)).map((slot) => rowAt(fields, name, slot));
  const earlier = Object.keys(fields).filter((key) => key.startsWith(earlierPlaceOf(name, '')));
  const others = earlier.map((key) => fields[key]).filter((row) => row !== undefined);
  return [...rowsOf(context[name]), ...wide, ...others] as RowIn<Context, Name>[];
}

/**
 * The patch of the context that stores or removes a row.
 *
 * @param row undefined removes the row.
 */
export function withWideRow<Row>(context: object, name: string, key: string, row: Row | undefined): object {
  const fields = context as Fields;
  const rows = fields[name] as Table<Row>;
  const earlier = earlierPlaceOf(name, key);
  const isWide = row !== undefined && !fits(row, ROW_BYTES_MAX);
  return {
    [name]: row === undefined || isWide ? rows.delete(key) : rows.set(key, row),
    ...(isWide ? withSlot(fields, name, { key, row }) : withoutSlot(fields, name, key)),
    ...(fields[earlier] !== undefined && { [earlier]: undefined }),
  };
}

/** A step of a migration: the context with a table's wide rows in slots, without the keys of the earlier version. */
export function inSlots<Context extends object>(context: Context, name: keyof Context & string): Context {
  const earlier = earlierPlaceOf(name, '');
  const [own, others] = [true, false].map((isEarlier) =>
    Object.entries(context).filter(([key]) => key.startsWith(earlier) === isEarlier),
  );
  let next = Object.fromEntries(others!) as Context;
  for (const [place, row] of own!)
    if (row !== undefined) next = { ...next, ...withWideRow(next, name, place.slice(earlier.length), row) };
  return next;
}

/** The patch that stores a row in its slot, or in a free one, or in a new one. */
function withSlot(fields: Fields, name: string, wide: WideRow<unknown>): object {
  const slots = slotsIn(fields, name);
  const own = slots.get(wide.key);
  if (own !== undefined) return { [placeOf(name, own)]: wide };
  const free = freeIn(fields, name);
  // Where no slot is free, all of them have rows.
  const slot = free === 0 ? slots.size + 1 : free;
  return {
    [placeOf(name, 'slots')]: slots.set(wide.key, slot),
    ...(free !== 0 && { [placeOf(name, 'free')]: fields[placeOf(name, free)] }),
    [placeOf(name, slot)]: wide,
  };
}

/** The patch that frees the slot of a key, if it has one. */
function withoutSlot(fields: Fields, name: string, key: string): object {
  const slots = slotsIn(fields, name);
  const slot = slots.get(key);
  if (slot === undefined) return {};
  return {
    [placeOf(name, 'slots')]: slots.delete(key),
    [placeOf(name, 'free')]: slot,
    [placeOf(name, slot)]: freeIn(fields, name),
  };
}

/** The slots of the rows that have one, by key. */
function slotsIn(fields: Fields, name: string): Table<number> {
  return (fields[placeOf(name, 'slots')] ?? table()) as Table<number>;
}

/** The number of the slot freed last; 0 if none is free. */
function freeIn(fields: Fields, name: string): number {
  return (fields[placeOf(name, 'free')] ?? 0) as number;
}

function rowAt(fields: Fields, name: string, slot: number): unknown {
  return (fields[placeOf(name, slot)] as WideRow<unknown>).row;
}

function placeOf(name: string, place: number | 'slots' | 'free'): string {
  return `${name}/${place}`;
}

function earlierPlaceOf(name: string, key: string): string {
  return `${name}:${key}`;
}
