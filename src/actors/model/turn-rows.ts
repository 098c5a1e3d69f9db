/**
 * The stored form of kept turns, and how to read a run of them: each row has the change of its turn, some also the
 * whole context, and the contexts in between are computed. Pure; kept-turns.ts decides which turn is stored when.
 */
import { isTable } from '../../table.ts';
import { Concealed, type Conceal } from './ports.ts';
import { contextAfter, type StateChange } from './state.ts';
import { type KeptTurn, type TracedSend, type TraceRecord } from './trace-record.ts';

/**
 * The fields of a row, in this order, followed by the whole context. The key says the actor and the number of the turn.
 */
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

/** Fields that are encrypted, because they hold contents. Sender, time and kind of a turn stay legible. */
const CONCEALED: ReadonlySet<string> = new Set(['event', 'sent', 'change', 'value', 'error', 'whole']);

/** The fields, then the whole context after the turn, or null if it follows from the row before. */
export type TurnRow = readonly unknown[];

type Fields = Pick<TraceRecord, (typeof FIELDS)[number]>;

/** A context with its tables as `{ size }`. */
interface Whole {
  readonly context: unknown;
}

/** A kept turn without its actor. */
type NumberedTurn = Fields & Pick<KeptTurn, 'number' | 'context'>;

/**
 * Creates the row of a turn.
 *
 * @param whole The context after the turn; null if it is not to be stored.
 */
export function turnRow(record: Fields, whole: Whole | null): TurnRow {
  return [...FIELDS.map((field) => record[field]), whole && { context: sized(whole.context) }];
}

/** The epoch of a turn. */
export function epochOfTurn(row: TurnRow): number {
  return fieldsOf(row).epoch;
}

/** The stored form of a row for an actor with secrets. */
export function concealedTurn(row: TurnRow, conceal: Conceal): TurnRow {
  return row.map((part, i) => {
    const field = FIELDS[i] ?? 'whole';
    if (part === null || part instanceof Concealed || !CONCEALED.has(field)) return part;
    return conceal(part, field === 'event' ? (part as { type: string }).type : undefined);
  });
}

/**
 * Reads a run of rows. A damaged row (undefined), or one whose key is missing, is left out, and so are the rows after
 * it up to the next whole context, because their contexts are not known.
 *
 * @param first The number of the first row.
 */
export function turnsIn(rows: readonly unknown[], first: number): NumberedTurn[] {
  const turns: NumberedTurn[] = [];
  let after: Whole | null = null;
  rows.forEach((row, i) => {
    const parts = (row ?? []) as TurnRow;
    const fields = fieldsOf(parts);
    if (parts.length === 0 || parts.some((part) => part instanceof Concealed)) after = null;
    else after = wholeOf(parts) ?? (after && { context: sizedAfter(after.context, fields.change ?? {}) });
    if (after !== null) turns.push({ ...fields, number: first + i, context: after.context });
  });
  return turns;
}

/**
 * Removes erased actors from the row of a turn: the fact that something came from them or went to them stays, its
 * content does not. Undefined if the row does not mention them.
 */
export function turnWithout(
  row: TurnRow,
  lives: ReadonlySet<number>,
  addresses: ReadonlySet<string>,
): TurnRow | undefined {
  const { event, cause, sent, born, ...rest } = fieldsOf(row);
  const isFrom = cause !== null && lives.has(cause.life);
  // A row whose key is missing does not say where it sent to.
  const isTold = ({ to }: TracedSend) => addresses.has(to);
  const hasTold = Array.isArray(sent) && sent.some(isTold);
  if (!isFrom && !hasTold && !born.some((address) => addresses.has(address))) return undefined;
  const left = {
    event: isFrom && event !== null ? { type: event.type } : event,
    cause: isFrom ? { ...cause, address: null } : cause,
    sent: hasTold ? sent.filter((one) => !isTold(one)) : sent,
    born: born.filter((address) => !addresses.has(address)),
  };
  return turnRow({ ...rest, ...left }, wholeOf(row));
}

function fieldsOf(row: TurnRow): Fields {
  return Object.fromEntries(FIELDS.map((field, i) => [field, row[i]])) as unknown as Fields;
}

function wholeOf(row: TurnRow): Whole | null {
  return row.at(-1) as Whole | null;
}

/** Replaces tables of a context by their sizes: otherwise every whole context would repeat all rows. */
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
