/**
 * What the Lead Coordinator decides about resources (CA-005, CA-006, CA-015): places of agent types that are lost or
 * won while a plan runs, and what holds it up. Pure: it reads and writes through the ledger.
 */
import { bottleneckAlert } from './coordinator-alerts.ts';
import { performanceOf } from './coordinator-context.ts';
import { type EventOf } from './coordinator-events.ts';
import { bottleneckReport, type BottleneckReport, type PerformanceReport } from './performance.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { forecast } from '../plan/schedule.ts';

/** The rest of the plan is scheduled anew, and what cannot start any more is told. Running tasks go on. */
export function capacityRequested(ledger: PlanLedger, { agentType, capacity }: EventOf<'capacity.set'>): void {
  ledger.setCapacity(agentType, capacity);
  const { makespan, blocked } = forecast(ledger.plan, ledger.position());
  ledger.emitted.push({ type: 'plan.rescheduled', agentType, capacity, makespan, blocked: blocked.length });
  if (blocked.length > 0) ledger.notify(bottleneckAlert(agentType, capacity, blocked));
}

/** The answer to `plan.report`. */
export interface PlanReport {
  /** In the plan's unit, from now on. */
  readonly makespan: number;
  readonly bottleneck: BottleneckReport;
  /** Tasks that cannot start as things stand. */
  readonly blocked: readonly string[];
  /** By agent type, the slowest first. */
  readonly performance: readonly PerformanceReport[];
  /** Tasks under way that take longer than expected. */
  readonly overdue: readonly string[];
  /** How long people took to decide, by item and gate. */
  readonly responseTimes: readonly { readonly item: string; readonly gate: string; readonly answeredAfterMs: number }[];
}

export function planReported(ledger: PlanLedger): void {
  const position = ledger.position();
  const rest = forecast(ledger.plan, position);
  const items = [...ledger.items()];
  const answer: PlanReport = {
    makespan: rest.makespan,
    bottleneck: bottleneckReport((capacity) => forecast(ledger.plan, { ...position, capacity }), position.capacity),
    blocked: rest.blocked,
    performance: performanceOf(ledger.now),
    overdue: items.flatMap(([, { overdue = [] }]) => overdue),
    responseTimes: items.flatMap(([item, { gates = {} }]) =>
      Object.values(gates).flatMap(({ gate, answeredAfterMs }) =>
        answeredAfterMs === null ? [] : [{ item, gate, answeredAfterMs }],
      ),
    ),
  };
  ledger.answer = answer;
}

/** The items pause each by itself and as a batch (BatchManager); here it is only said. */
export function correlationDetected(
  ledger: PlanLedger,
  { items, rootCause, correlationId }: EventOf<'correlation.detected'>,
): void {
  ledger.emitted.push({ type: 'failure.correlated', items, rootCause, correlationId });
}
