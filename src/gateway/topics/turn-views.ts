/** Turns as clients see them: without secrets, stacks, and names of actors that the caller may not reach. */
import type { KeptTurn, TraceRecord } from '../../actors/model/trace-record.ts';
import type { RowChanges, StateChange } from '../../actors/model/state.ts';
import { table, type TableView } from '../../table.ts';
import { type Shard } from '../../shard.ts';
import { type Caller, mayReach } from '../callers/callers.ts';
import { type ActorViews } from './actor-views.ts';
import { type EpochWatch } from './epoch-watch.ts';
import { type KeptTurnView, type ShownRows, type TurnView } from '../protocol/views.ts';
import { shownError } from './wire-values.ts';

/** The source of turns, and their conversion. */
export interface TurnViews {
  readonly system: Shard;
  readonly views: ActorViews;
  readonly epochs: EpochWatch;
}

export function shownTurn(views: ActorViews, caller: Caller, record: TraceRecord): TurnView {
  const { address, agent, event, cause, sent, born, change, error, ...rest } = record;
  const reach = (one: string) => mayReach(caller, one);
  return {
    ...rest,
    address,
    agent,
    event: event && views.taken(address, event, agent),
    cause: cause && { ...cause, address: cause.address !== null && reach(cause.address) ? cause.address : null },
    sent: sent.map(({ to, event: given, ...how }) =>
      reach(to) ? { to, event: views.taken(to, given), ...how } : { to: null, event: null, ...how },
    ),
    born: born.filter(reach),
    change: change && shownChange(views, record, change),
    error: shownError(error),
  };
}

/** A kept turn with the context after it. */
export function shownKept(views: ActorViews, caller: Caller, record: KeptTurn): KeptTurnView {
  const { context, ...turn } = record;
  return { ...shownTurn(views, caller, turn), context: views.part(record.address, record.agent, 'context', context) };
}

/** The change of a context, or the whole context, without the store's numbers. */
function shownChange(
  views: ActorViews,
  { address, agent }: TraceRecord,
  { context, set, unset, rows, output, status }: StateChange,
): TurnView['change'] {
  const part = (value: unknown) => views.part(address, agent, 'context', value);
  return {
    ...(context !== undefined && { context: part(context.value) }),
    ...(set !== undefined && { set: part(set) as Readonly<Record<string, unknown>> }),
    ...(unset !== undefined && { unset }),
    ...(rows !== undefined && { rows: shownRows(rows, part) }),
    ...(output !== undefined && { output: views.part(address, agent, 'output', output.value) }),
    ...(status !== undefined && { status }),
  };
}

/** The first rows that were set, as a view of their table shows them. */
function shownRows(
  rows: Readonly<Record<string, RowChanges>>,
  part: (context: unknown) => unknown,
): Readonly<Record<string, ShownRows>> {
  const shown = Object.entries(rows).map(([key, { size, set, unset }]) => {
    // Hidden altogether if it is unknown what is secret.
    const context = part({ [key]: table(set) }) as Readonly<Record<string, TableView | string>> | string;
    const view = typeof context === 'string' ? context : context[key]!;
    return [key, { size, set: typeof view === 'string' ? view : view.rows, unset }] as const;
  });
  return Object.fromEntries(shown);
}
