/**
 * The Lead Coordinator's decisions about resources (CA-005, CA-006, CA-015): places of agent types that are lost or
 * gained while a plan runs, and bottlenecks. Pure: it reads and writes through the ledger.
 */
import { bottleneckAlert, bottleneckSettled } from './coordinator-alerts.ts';
import { performanceOf } from './coordinator-context.ts';
import { type EventOf } from './coordinator-events.ts';
import { bottleneckReport, type BottleneckReport, type PerformanceReport } from './performance.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { isLost, openGatesOf } from './progress.ts';
import { capacityOf, type PlanTask } from '../plan/plan.ts';
import { forecast } from '../plan/schedule.ts';
import { didYouMean } from '../../../near-names.ts';
import { type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { itemOf } from '../../work/task.ts';

/**
 * Changes the capacity of an agent type, reschedules the rest of the plan, and reports the tasks that cannot start any
 * more. Running tasks continue.
 */
export function capacityRequested(ledger: PlanLedger, { agentType, capacity }: EventOf<'capacity.set'>): OrderReply {
  const known = new Set(ledger.plan.tasks.map(({ agent }) => agent));
  if (!known.has(agentType))
    return refused(`no task of the plan is for agent type "${agentType}"${didYouMean(agentType, known)}`);
  ledger.setCapacity(agentType, capacity);
  const { makespan, blocked } = forecast(ledger.plan, ledger.position());
  ledger.emitted.push({ type: 'plan.rescheduled', agentType, capacity, makespan, blocked: blocked.length });
  const own = blockedBy(ledger, agentType);
  if (own.length > 0) ledger.notify(bottleneckAlert(agentType, own));
  else ledger.tell('alerts', bottleneckSettled(agentType, 'no task waits for this agent type any more'));
  return TAKEN;
}

/** Tasks that cannot start for the sole reason that this agent type has no places. */
function blockedBy(ledger: PlanLedger, agentType: string): readonly string[] {
  const position = ledger.position();
  if (capacityOf(position.capacity, agentType) > 0) return [];
  const others = new Set(forecast(ledger.plan, { ...position, capacity: {} }).blocked);
  const { blocked } = forecast(ledger.plan, { ...position, capacity: { [agentType]: 0 } });
  return blocked.filter((id) => !others.has(id));
}

/**
 * Settles bottleneck alerts for which no task waits any more, after a task of this item is done or the item is lost.
 */
export function waitsNoMore(ledger: PlanLedger, item: string): void {
  for (const [agentType, places] of Object.entries(ledger.now.capacity)) {
    if (places > 0 || !ledger.tasksOf(item).some(({ agent }) => agent === agentType)) continue;
    const isOpen = ledger.plan.tasks.some((task) => task.agent === agentType && isToBeDone(ledger, task));
    if (!isOpen) ledger.tell('alerts', bottleneckSettled(agentType, 'no task for this agent type is left'));
  }
}

function isToBeDone(ledger: PlanLedger, task: PlanTask): boolean {
  const progress = ledger.item(itemOf(task));
  return !isLost(progress) && !progress.done.includes(task.id);
}

/** The answer to `plan.report`. */
export interface PlanReport {
  /** Remaining time in the plan's unit. */
  readonly makespan: number;
  readonly bottleneck: BottleneckReport;
  /** Tasks that cannot start in the present situation. */
  readonly blocked: readonly string[];
  /** Performance by agent type, the slowest first. */
  readonly performance: readonly PerformanceReport[];
  /** Tasks under way that take longer than expected. */
  readonly overdue: readonly string[];
  /** Gates, by their ids, at which items wait for people to decide. */
  readonly waitingForHuman: readonly { readonly item: string; readonly gate: string }[];
  /** Response times of people, by item and gate. */
  readonly responseTimes: readonly { readonly item: string; readonly gate: string; readonly answeredAfterMs: number }[];
}

export function planReported(ledger: PlanLedger): PlanReport {
  const position = ledger.position();
  const rest = forecast(ledger.plan, position);
  const items = [...ledger.items()];
  return {
    makespan: rest.makespan,
    bottleneck: bottleneckReport((capacity) => forecast(ledger.plan, { ...position, capacity }), position.capacity),
    blocked: rest.blocked,
    performance: performanceOf(ledger.now),
    overdue: items.flatMap(([, { overdue = [] }]) => overdue),
    waitingForHuman: items.flatMap(([item, progress]) => openGatesOf(progress).map((gate) => ({ item, gate }))),
    responseTimes: items.flatMap(([item, { gates = {} }]) =>
      Object.values(gates).flatMap(({ gate, answeredAfterMs }) =>
        answeredAfterMs === null ? [] : [{ item, gate, answeredAfterMs }],
      ),
    ),
  };
}

/** Announces a correlation. The items pause individually and as a batch (BatchManager). */
export function correlationDetected(
  ledger: PlanLedger,
  { items, rootCause, correlationId }: EventOf<'correlation.detected'>,
): void {
  ledger.emitted.push({ type: 'failure.correlated', items, rootCause, correlationId });
}
