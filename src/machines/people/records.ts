/**
 * Records of an agent, each under a key of its own, so that a delta is as small as what has changed. The keys are
 * numbered places, because a context cannot lose a key: the place of a record that was removed, or of the oldest that
 * is over once there are enough of those, goes to the next one. Pure.
 */

/** The part of a context that holds records of one kind. */
export type Places<Kind extends string, Row> = { readonly [place in `${Kind}:${number}`]?: Row };

/** One kind of records of an agent. */
export interface RecordKind<Row> {
  /** What its keys begin with. */
  readonly kind: string;
  /** What tells one record from another. */
  readonly keyOf: (row: Row) => string;
  readonly isOver?: (row: Row) => boolean;
  /** Records that are over and kept. Default: all. */
  readonly overMax?: number;
}

/** In the order of their places. */
export function recordsIn<Row>(context: object, { kind }: Pick<RecordKind<Row>, 'kind'>): Row[] {
  return placesIn<Row>(context, kind).flatMap(([, row]) => (row === undefined ? [] : [row]));
}

export function recordIn<Row>(context: object, kind: RecordKind<Row>, key: string): Row | undefined {
  return recordsIn<Row>(context, kind).find((row) => kind.keyOf(row) === key);
}

/** Records of one kind while they are changed. */
export class Records<Row> {
  readonly #of: RecordKind<Row>;
  readonly #write: (place: string, row: Row | undefined) => void;
  readonly #rows = new Map<string, Row | undefined>();
  /** By key of the record. */
  readonly #places = new Map<string, string>();
  readonly #free: string[] = [];

  /** @param write Called with what is new in the context. */
  constructor(context: object, of: RecordKind<Row>, write: (place: string, row: Row | undefined) => void) {
    this.#of = of;
    this.#write = write;
    for (const [place, row] of placesIn<Row>(context, of.kind)) {
      this.#rows.set(place, row);
      if (row === undefined) this.#free.push(place);
      else this.#places.set(of.keyOf(row), place);
    }
  }

  all(): Row[] {
    return [...this.#rows.values()].flatMap((row) => (row === undefined ? [] : [row]));
  }

  get(key: string): Row | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#rows.get(place);
  }

  /** Puts a record in the place of the one with its key, or in a free one. */
  put(row: Row): void {
    const key = this.#of.keyOf(row);
    const place =
      this.#places.get(key) ?? this.#free.pop() ?? this.#placeOfOldest() ?? `${this.#of.kind}:${this.#rows.size}`;
    this.#places.set(key, place);
    this.#set(place, row);
  }

  remove(key: string): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#places.delete(key);
    this.#free.push(place);
    this.#set(place, undefined);
  }

  /** Takes the oldest record that is over away, if there are enough of those. */
  #placeOfOldest(): string | undefined {
    const { isOver = () => false, keyOf, overMax = Infinity } = this.#of;
    if (this.#rows.size < overMax) return undefined;
    const over = this.all().filter(isOver);
    if (over.length < overMax) return undefined;
    const oldest = keyOf(over.reduce((old, next) => (numberOf(next) < numberOf(old) ? next : old)));
    const place = this.#places.get(oldest);
    this.#places.delete(oldest);
    return place;
  }

  #set(place: string, row: Row | undefined): void {
    this.#rows.set(place, row);
    this.#write(place, row);
  }
}

function placesIn<Row>(context: object, kind: string): (readonly [string, Row | undefined])[] {
  const prefix = `${kind}:`;
  return Object.entries(context).filter(([key]) => key.startsWith(prefix)) as (readonly [string, Row | undefined])[];
}

/** Rises with every record of the kind, where they are numbered. */
function numberOf(row: unknown): number {
  return (row as { readonly number?: number }).number ?? 0;
}
