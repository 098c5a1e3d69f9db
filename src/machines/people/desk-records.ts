/**
 * The short records that a desk keeps, one per key of its context, so that a change is as small as what it is about.
 * Keys are numbered places: a context cannot lose a key, so the place of the oldest record that is over goes to the
 * next one once there are enough of those. Pure.
 */

export interface DeskRecord {
  readonly id: string;
  readonly isOver: boolean;
  /** Rises with every record of the desk: the order of arrival. */
  readonly number: number;
}

export type Places<Record extends DeskRecord> = { readonly [place in `record:${number}`]?: Record };

/** In the order of arrival. */
export function recordsIn<Record extends DeskRecord>(context: Places<Record>): readonly Record[] {
  return placesIn(context)
    .map(([, record]) => record)
    .sort((a, b) => a.number - b.number);
}

export function recordOf<Record extends DeskRecord>(context: Places<Record>, id: string): Record | undefined {
  return placesIn(context).find(([, record]) => record.id === id)?.[1];
}

/**
 * The change of the context that puts a record in its place: that of the same id, or of the oldest that is over once
 * `overMax` are.
 */
export function placed<Record extends DeskRecord>(
  context: Places<Record>,
  record: NoInfer<Record>,
  overMax: number,
): Places<Record> {
  const places = placesIn(context);
  const own = places.find(([, { id }]) => id === record.id)?.[0];
  const over = places.filter(([, { isOver }]) => isOver);
  const oldest =
    over.length < overMax ? undefined : over.reduce((old, next) => (next[1].number < old[1].number ? next : old))[0];
  return { [own ?? oldest ?? `record:${places.length}`]: record } as Places<Record>;
}

/** The number of the next record. */
export function nextNumber<Record extends DeskRecord>(context: Places<Record>): number {
  return placesIn(context).reduce((highest, [, { number }]) => Math.max(highest, number), 0) + 1;
}

function placesIn<Record extends DeskRecord>(context: Places<Record>): readonly (readonly [string, Record])[] {
  return Object.entries(context).filter(([key]) => key.startsWith('record:')) as unknown as readonly (readonly [
    string,
    Record,
  ])[];
}
