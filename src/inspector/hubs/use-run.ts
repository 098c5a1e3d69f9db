/** The sessions of a run, live: open ones from its work plan, closed ones and hand-offs from the records of that. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ActorView } from '../../gateway/protocol/actor-view.ts';
import type { RecordView } from '../../gateway/protocol/record-view.ts';
import { useRecords } from '../actor/use-records.ts';
import { type RunRow } from '../desks/desk-shapes.ts';
import { partOf } from '../part.ts';
import { useAnswer, useTopic } from '../use.ts';
import { isNotOffered } from '../use-window.ts';
import { type PlanShown, sessionsOf } from './sessions.ts';

/** The address of an actor at the top that stands beside the desk. */
export function besideDesk(desk: string, address: string): string {
  return desk.replace(/[^/]*$/, address);
}

/** The work plan of a run; undefined until loaded. */
export function usePlan(row: Pick<RunRow, 'plan'>, desk: string) {
  const address = besideDesk(desk, `work-plans/${row.plan}`);
  const { view } = useTopic<ActorView>(`actor/${address}`);
  const context = view?.context as PlanShown | undefined;
  const sessions = context?.sessions;
  const open = useMemo(() => partOf(sessions).rows, [sessions]);
  return { address, context, open };
}

/** The plan of a run, and its sessions in the order of their starts; undefined until loaded. */
export function useRun(row: RunRow, desk: string) {
  const plan = usePlan(row, desk);
  const at = plan.context && plan.address;
  const closed = useRecords(at, 'sessions', Infinity);
  const lineage = useRecords(at, 'lineage', Infinity);
  const { open } = plan;
  const sessions = useMemo(
    () =>
      closed.records && lineage.records
        ? sessionsOf(row.id, { open, closed: valuesOf(closed.records), lineage: valuesOf(lineage.records) })
        : undefined,
    [row.id, open, closed.records, lineage.records],
  );
  return { plan, sessions, error: closed.error ?? lineage.error };
}

function valuesOf<Value>(records: readonly RecordView[]): Value[] {
  return records.map(({ value }) => value as Value);
}

/** Interval of reading what does not change unless the session does. */
export const IDLE_MS = 60_000;

/** A read call that not every host offers, repeated in the interval while it does; `false`: seldom. */
export function useOffered<Result>(method: string, params: Readonly<Record<string, unknown>>, everyMs: number | false) {
  const [isOffered, setIsOffered] = useState(true);
  const { result, error } = useAnswer<Result>(method, params, isOffered && everyMs !== false ? everyMs : IDLE_MS);
  useEffect(() => setIsOffered(!isNotOffered(error)), [error]);
  return { result, isOffered };
}
