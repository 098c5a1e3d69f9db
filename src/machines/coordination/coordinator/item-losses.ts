/**
 * Items that leave the pipeline for good (CA-042), and what goes with them. Pure: it reads and writes through the
 * ledger.
 */
import { FAILED_CHECKPOINT_MS } from '../../work/checkpoints.ts';
import { lossAlert, STANDING_KINDS } from './coordinator-alerts.ts';
import { cutText } from '../../work/message-schema.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type PlanLedger, waitingFor } from './plan-ledger.ts';

/** The item leaves the pipeline for good, and so does what can only run behind it. */
export function loseItem(
  ledger: PlanLedger,
  item: string,
  how: { readonly phase: 'failed' | 'expired'; readonly reason: string; readonly task: string | null },
): void {
  const { phase, reason, task } = how;
  const { running, manager } = ledger.item(item);
  for (const id of running) {
    ledger.send(DESKS.stages, { type: 'child.terminate', id });
    ledger.stop(id);
  }
  ledger.change(item, { phase, reason });
  for (const gate of ledger.gatesOf(item)) ledger.send(DESKS.gates, { type: 'gate.withdraw', gate });
  ledger.tell('alerts', { type: 'alert.settled', item, kinds: [...STANDING_KINDS], because: `${item} has ${phase}` });
  if (phase === 'failed') {
    if (manager !== null) ledger.send(manager, { type: 'pause.end' });
    ledger.emitted.push({ type: 'item.failed', item, reason, task });
    ledger.notify(lossAlert(ledger, item, reason, task));
  } else ledger.emitted.push({ type: 'item.expired', item, reason });
  ledger.tell('batches', { type: 'item.failed', item, error: cutText(reason) });
  dropCheckpoints(ledger, item, phase);
  for (const other of waitingFor(ledger, item))
    loseItem(ledger, other, { phase: 'failed', reason: `waits for ${item}, which has ${phase}`, task: null });
}

/** CA-036: 30 days after a failure. What has expired is purged at once (CA-019). */
function dropCheckpoints(ledger: PlanLedger, item: string, phase: 'failed' | 'expired'): void {
  if (phase === 'expired') ledger.dropResults(item);
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
