/**
 * The turns that agents keep: rows of the store, written in the epoch of their turn, a bounded number of them for each
 * actor, gone with it. Each says what changed; one in sixteen has the whole context, so that every context in between
 * can be worked out. Places are used again in turn, so a busy actor rewrites a few keys instead of making new ones.
 */
import { TRACE_WHOLE_EVERY } from '../../../limits.ts';
import type { Cell } from '../cell.ts';
import { turnKey } from '../../model/row-keys.ts';
import { Concealed, type Conceal } from '../../model/ports.ts';
import { deepFreeze } from '../../model/frozen.ts';
import { isTable } from '../../../table.ts';
import { contextAfter, type StateChange } from '../../model/state.ts';
import { type KeptTurn, type TraceRecord } from '../../model/trace-record.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'cells' | 'draft'>;

/** A turn, with its number among those of its actor. */
interface Entry {
  readonly number: number;
  readonly record: TraceRecord;
  /** The whole context after it, tables as `{ size }`; null where it follows from the entries before. */
  readonly whole: { readonly context: unknown } | null;
}

/** Fields of the record in a row, in this order, between the number and the whole context; whose it is the key says. */
const FIELDS = [
  'kind',
  'epoch',
  'atMs',
  'sequence',
  'event',
  'cause',
  'microsteps',
  'actions',
  'sent',
  'born',
  'change',
  'value',
  'status',
  'error',
  'durationMs',
] as const satisfies readonly (keyof TraceRecord)[];

/** Fields that hold what came from the actor, or went to it; from whom, when and what was done stays legible. */
const CONCEALED: ReadonlySet<string> = new Set(['event', 'sent', 'change', 'value', 'error']);

/** A row: number, fields, whole context. */
type TurnRow = readonly unknown[];

/** Those of one actor. */
interface Kept {
  /** By their places in the store, oldest first. */
  entries: Map<number, Entry>;
  last: Entry | undefined;
  /** How many were kept since the last one that has the whole context. */
  sinceWhole: number;
}

export class KeptTurns {
  readonly #world: Needs;
  readonly #durableEpoch: () => number;
  readonly #byLife = new Map<number, Kept>();

  constructor(world: Needs, durableEpoch: () => number) {
    this.#world = world;
    this.#durableEpoch = durableEpoch;
  }

  /** Takes in the rows that recovery found, by key. */
  load(rows: ReadonlyMap<string, unknown>): void {
    for (const [key, row] of rows) {
      const [lifeText = '', place = ''] = key.split('!');
      const life = parseInt(lifeText, 16);
      this.#of(life).entries.set(
        parseInt(place, 16),
        entryOf(life, this.#world.cells.get(life), deepFreeze(row as TurnRow)),
      );
    }
    for (const kept of this.#byLife.values()) {
      kept.entries = new Map([...kept.entries].sort(([, a], [, b]) => a.number - b.number));
      kept.last = [...kept.entries.values()].at(-1);
    }
  }

  /** @param before Changes of the actor before the turn. */
  add(cell: Cell, record: TraceRecord, before: number): void {
    const kept = this.#of(cell.life);
    const { last } = kept;
    // An order, a migration or a restart by its Boss may have changed it in between.
    const isWhole = kept.sinceWhole + 1 >= TRACE_WHOLE_EVERY || last?.record.sequence !== before;
    kept.sinceWhole = isWhole ? 0 : kept.sinceWhole + 1;
    const place = this.#placeIn(kept, cell.life, cell.definition.keptTurns + TRACE_WHOLE_EVERY);
    kept.last = { number: (last?.number ?? 0) + 1, record, whole: isWhole ? { context: sized(cell.context) } : null };
    this.#put(cell.life, kept, kept.last, place);
  }

  /** As of the last durable epoch, oldest first. */
  list({ life, definition }: Cell): readonly KeptTurn[] {
    const durable = this.#durableEpoch();
    const found: KeptTurn[] = [];
    let before: { readonly number: number; readonly context: unknown } | undefined;
    for (const { number, record, whole } of this.#byLife.get(life)?.entries.values() ?? []) {
      if (record.epoch > durable) break;
      // Nobody can read it without its key.
      if ((record.change as unknown) instanceof Concealed) continue;
      // Where one is damaged, or was before the first that has the whole, what changed says nothing.
      const isNext = before?.number === number - 1;
      const known = whole ?? (isNext ? { context: sizedAfter(before!.context, record.change ?? {}) } : undefined);
      before = known && { number, context: known.context };
      if (known !== undefined) found.push(Object.freeze({ ...record, number, context: known.context }));
    }
    return definition.keptTurns === 0 ? found : found.slice(-definition.keptTurns);
  }

  /** Its actor has ended. */
  forget(life: number): void {
    const kept = this.#byLife.get(life);
    if (kept === undefined) return;
    this.#byLife.delete(life);
    for (const place of kept.entries.keys()) this.#world.draft.remove(turnKey(life, place));
  }

  /** Turns of others keep that something came from actors that are erased, or went to them, but not what. */
  erase(lives: ReadonlySet<number>, addresses: ReadonlySet<string>): void {
    for (const [life, kept] of this.#byLife) {
      for (const [place, { number, record, whole }] of kept.entries) {
        const { cause, event, sent, born } = record;
        const isFrom = cause !== null && lives.has(cause.life);
        if (!isFrom && !sent.some(({ to }) => addresses.has(to)) && !born.some((address) => addresses.has(address)))
          continue;
        const source = isFrom ? { event: event && { type: event.type }, cause: { ...cause, address: null } } : {};
        const rest = {
          sent: sent.filter(({ to }) => !addresses.has(to)),
          born: born.filter((address) => !addresses.has(address)),
        };
        this.#put(life, kept, { number, record: Object.freeze({ ...record, ...source, ...rest }), whole }, place);
      }
    }
  }

  #of(life: number): Kept {
    let kept = this.#byLife.get(life);
    // The first one of a run has the whole.
    if (kept === undefined)
      this.#byLife.set(life, (kept = { entries: new Map(), last: undefined, sinceWhole: TRACE_WHOLE_EVERY }));
    return kept;
  }

  #put(life: number, kept: Kept, entry: Entry, place: number): void {
    kept.entries.set(place, entry);
    this.#world.draft.putOf(life, turnKey(life, place), rowOf(entry), (conceal) => concealedRow(entry, conceal));
  }

  /** Makes room for one more. The agent may have kept more, or fewer, in an earlier run. */
  #placeIn({ entries }: Kept, life: number, places: number): number {
    for (const place of entries.keys()) {
      if (entries.size < places) break;
      entries.delete(place);
      // The one that is written in its place takes its key over.
      if (entries.size < places) return place;
      this.#world.draft.remove(turnKey(life, place));
    }
    let free = entries.size;
    while (entries.has(free)) free += 1;
    return free;
  }
}

/** A context with the sizes of its tables in their place: else every whole one would hold all rows again. */
function sized(context: unknown): unknown {
  if (typeof context !== 'object' || context === null || !Object.values(context).some(isTable)) return context;
  const fields = Object.entries(context).map(([key, value]) => [key, isTable(value) ? { size: value.size } : value]);
  return Object.freeze(Object.fromEntries(fields));
}

function sizedAfter(context: unknown, { rows, ...change }: StateChange): unknown {
  const after = sized(contextAfter(context, change));
  if (rows === undefined) return after;
  const sizes = Object.entries(rows).map(([key, { size }]) => [key, { size }]);
  return Object.freeze({ ...(after as object), ...Object.fromEntries(sizes) });
}

function rowOf({ number, record, whole }: Entry): TurnRow {
  return [number, ...FIELDS.map((field) => record[field]), whole];
}

/** The row as it is stored of an actor with secrets. */
function concealedRow({ number, record, whole }: Entry, conceal: Conceal): TurnRow {
  const hidden = (value: unknown, type?: string) => (value === null ? null : conceal(value, type));
  const fields = FIELDS.map((field) =>
    CONCEALED.has(field) ? hidden(record[field], field === 'event' ? record.event?.type : undefined) : record[field],
  );
  return [number, ...fields, hidden(whole)];
}

/** @param cell Undefined for one that cannot be read, of whom nobody will ask. */
function entryOf(life: number, cell: Cell | undefined, row: TurnRow): Entry {
  const number = row[0] as number;
  const { address = '', agent = '' } = cell?.identity ?? {};
  const fields = Object.fromEntries(FIELDS.map((field, index) => [field, row[index + 1]]));
  const record = Object.freeze({ number, address, agent, life, ...fields }) as TraceRecord;
  return { number, record, whole: row.at(-1) as Entry['whole'] };
}
