/** The turn of a hub, with the steps that its acts share: reports to its desk, and orders to its work plan. */
import { type Turn } from '../rules/turn.ts';
import { type HubContext, type HubEmitted, type HubReport, type RunStatus } from './hub-state.ts';
import { type PlanLogEntry } from './plan-log.ts';
import { type PlanEvent } from './work-plan.ts';

export type HubTurn = Turn<HubContext, HubEmitted>;

/** Tells the desk how the run stands. */
export function report(turn: HubTurn, status: RunStatus): void {
  const { desk, id, because } = turn.context;
  turn.send(desk, { type: 'hub.stands', id, status, because } satisfies HubReport);
}

/** Sends to the work plan, once there is one. */
export function tellPlan(turn: HubTurn, event: PlanEvent): void {
  if (turn.context.plan !== null) turn.send(turn.context.plan, event);
}

/** Has the work plan say how it stands. */
export function readPlan(turn: HubTurn): void {
  tellPlan(turn, { type: 'plan.read', from: turn.self });
}

/** Adds to the log of the work plan. */
export function log(
  turn: HubTurn,
  entry: Pick<PlanLogEntry, 'kind' | 'code' | 'text'> & Partial<Pick<PlanLogEntry, 'session' | 'role'>>,
): void {
  const { id, role, read } = turn.context;
  const about = { run: id, session: id, role, seq: read?.seq ?? 0, atMs: turn.nowMs };
  tellPlan(turn, { type: 'plan.log', entry: { ...about, ...entry, text: entry.text.slice(0, 2_000) } });
}
