/**
 * Items that leave the pipeline for good (CA-042), and the consequences. Pure: it reads and writes through the ledger.
 */
import { FAILED_CHECKPOINT_MS } from '../../work/checkpoints.ts';
import { waitsNoMore } from './capacity-decisions.ts';
import { lossAlert, STANDING_KINDS } from './coordinator-alerts.ts';
import { cutText } from '../../work/message-schema.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { isLost } from './progress.ts';
import { planIndexOf } from '../plan/plan-index.ts';

/** Why an item takes no orders; undefined if it takes orders. */
export function problemOfItem(ledger: PlanLedger, item: string): string | undefined {
  if (!ledger.has(item)) return `no item "${item}" in the plan`;
  return isLost(ledger.item(item)) ? `${item} has ${ledger.item(item).phase}` : undefined;
}

/** Why an item takes no orders, including that it is completed; undefined if it takes orders. */
export function problemOfWork(ledger: PlanLedger, item: string): string | undefined {
  const problem = problemOfItem(ledger, item);
  if (problem !== undefined) return problem;
  return ledger.item(item).done.length === ledger.tasksOf(item).length ? `${item} is completed` : undefined;
}

/** Removes an item from the pipeline for good, with everything that can only run after it. */
export function loseItem(
  ledger: PlanLedger,
  item: string,
  how: { readonly phase: 'failed' | 'expired'; readonly reason: string; readonly task: string | null },
): void {
  const { phase, reason, task } = how;
  const { running, manager, tickets = {} } = ledger.item(item);
  for (const [ticket, id] of Object.entries(tickets)) {
    const because = `nothing waits for it any more: ${cutText(reason).slice(0, 400)}`;
    const by = ledger.task(id)!.agent; // who has opened it
    ledger.send(PEOPLE_DESKS.tickets, { type: 'tickets.reject', ticket, by, reason: because });
  }
  for (const id of running) {
    ledger.send(WORK_DESKS.stages, { type: 'child.terminate', id });
    ledger.stop(id);
  }
  ledger.change(item, { phase, reason });
  for (const gate of ledger.gatesOf(item)) ledger.send(PEOPLE_DESKS.gates, { type: 'gate.recall', gate });
  ledger.tell('alerts', { type: 'alert.settled', item, kinds: [...STANDING_KINDS], because: `${item} has ${phase}` });
  if (phase === 'failed') {
    if (manager !== null) ledger.send(manager, { type: 'pause.end' });
    ledger.emitted.push({ type: 'item.failed', item, reason, task });
    ledger.notify(lossAlert(ledger, item, reason, task));
  } else ledger.emitted.push({ type: 'item.expired', item, reason });
  ledger.tell('batches', { type: 'item.failed', item, error: cutText(reason) });
  dropCheckpoints(ledger, item, phase);
  waitsNoMore(ledger, item);
  for (const other of waitingFor(ledger, item))
    loseItem(ledger, other, { phase: 'failed', reason: `waits for ${item}, which has ${phase}`, task: null });
}

/** Drops an item's checkpoints: 30 days after a failure (CA-036), at once after expiry (CA-019). */
function dropCheckpoints(ledger: PlanLedger, item: string, phase: 'failed' | 'expired'): void {
  if (phase === 'expired') {
    ledger.dropResults(item);
    ledger.dropFindings(item);
  }
  for (const { id: task } of ledger.tasksOf(item)) {
    const kept = ledger.checkpoint(task);
    if (kept === undefined) continue;
    if (phase === 'failed')
      ledger.delayed.push({
        id: `checkpoint:${task}`,
        delayMs: FAILED_CHECKPOINT_MS,
        event: { type: 'checkpoint.due', task },
      });
    else if (!kept.isPreserved) ledger.putCheckpoint(task, undefined);
  }
}

/**
 * Items that depend, directly or through others, on a lost one. In plans of stages, items depend on each other only at
 * barriers.
 */
function waitingFor(ledger: PlanLedger, item: string): readonly string[] {
  if (ledger.tasksOf(item)[0]!.stage !== null) return [];
  const { links } = planIndexOf(ledger.plan);
  const reached = new Set<string>();
  const open = [item];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependent of links.dependents.get(id)!) {
      if (reached.has(dependent) || isLost(ledger.item(dependent))) continue;
      reached.add(dependent);
      open.push(dependent);
    }
  }
  return [...reached];
}
