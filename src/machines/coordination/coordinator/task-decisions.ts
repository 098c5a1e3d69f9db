/**
 * The Lead Coordinator's decisions about tasks: starts, results, failures by tier (CA-039 to CA-042), and lost items.
 * Pure: it reads and writes through the ledger.
 */
import { waitsNoMore } from './capacity-decisions.ts';
import { failureAlert, overdueAlert } from './coordinator-alerts.ts';
import { type EventOf } from './coordinator-events.ts';
import { exhausted, type Failure, failureOf } from '../../work/failure-tiers.ts';
import { cutText } from '../../work/message-schema.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { rerunGoesOn } from './debate-decisions.ts';
import { askAfter } from './gate-decisions.ts';
import { loseItem, problemOfWork } from './item-losses.ts';
import { type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { pauseFor } from './pause-decisions.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';
import { type StageInput } from '../../work/stage.ts';
import { taskBoss } from '../../work/task-boss.ts';

/** Starts every task that can start. */
export function startTasks(ledger: PlanLedger, unitMs: number | null): void {
  for (const task of ledger.start()) {
    ledger.count(task.agent, { started: 1 });
    ledger.send(WORK_DESKS.stages, {
      type: 'child.start',
      id: task.id,
      spec: taskBoss(stageInput(task, ledger, unitMs)),
    });
  }
}

export function taskCompleted(
  ledger: PlanLedger,
  { task: id, output, tookMs, expectedMs }: EventOf<'task.completed'>,
): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  const item = itemOf(task);
  ledger.putCheckpoint(id, undefined);
  ledger.send(WORK_DESKS.stages, { type: 'child.terminate', id });
  // A stale task restarts once its Boss has ended; this report must not be taken for the end of the next start.
  if (isStale(ledger, task)) return;
  ledger.complete(id);
  ledger.putResult(id, output);
  ledger.count(task.agent, { completed: 1, busyMs: tookMs, expectedMs: expectedMs ?? 0 });
  rerunGoesOn(ledger, item, id);
  askAfter(ledger, task);
  waitsNoMore(ledger, item);
  const { isResuming, manager } = ledger.item(item);
  if (isResuming !== true) return;
  ledger.change(item, { isResuming: false });
  ledger.send(manager!, { type: 'resume.completed' });
}

/** Records a failed attempt that the task's Boss will retry. */
export function attemptFailed(ledger: PlanLedger, { task: id }: EventOf<'task.attemptFailed'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  if (isStale(ledger, task)) return ledger.send(WORK_DESKS.stages, { type: 'child.terminate', id });
  ledger.count(task.agent, { failures: 1 });
}

/** Ends a task whose stage decided not to retry it. */
export function taskFailed(ledger: PlanLedger, { task: id, failure }: EventOf<'task.failed'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  ledger.count(task.agent, { failures: 1 });
  ledger.send(WORK_DESKS.stages, { type: 'child.terminate', id });
  if (!isStale(ledger, task)) endTask(ledger, task, failure);
}

/** Ends a task whose Boss ended unexpectedly: its stage could not decide, or is faulty itself. */
export function taskExited(ledger: PlanLedger, { id, error }: EventOf<'child.exited'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  if (isStale(ledger, task)) return ledger.stop(id);
  ledger.count(task.agent, { failures: 1 });
  endTask(ledger, task, exhausted(failureOf(error)));
}

/** Whether a task runs with an overridden value and so runs again, whatever its result. */
function isStale(ledger: PlanLedger, task: PlanTask): boolean {
  return ledger.item(itemOf(task)).stale?.includes(task.id) ?? false;
}

/** Ends a failed task: tier 2 pauses the item, tier 3 fails it; other items continue (CA-028). */
function endTask(ledger: PlanLedger, task: PlanTask, failure: Failure): void {
  const item = itemOf(task);
  ledger.stop(task.id);
  ledger.change(item, { failed: [...ledger.item(item).failed, { task: task.id, error: failure.message }] });
  const reason = `${task.id} failed: ${failure.message}`;
  if (failure.tier === 3) {
    loseItem(ledger, item, { phase: 'failed', reason, task: task.id });
    return;
  }
  const { agent: agentType } = task;
  const { errorType, message: errorMessage, dataSource } = failure;
  ledger.tell('correlator', {
    type: 'agent.failure',
    item,
    agentType,
    errorType,
    errorMessage: cutText(errorMessage),
    dataSource,
    atMs: ledger.nowMs,
  });
  ledger.notify(failureAlert(ledger, task, failure));
  pauseFor(ledger, item, {
    reason,
    trigger: 'AUTO_TIER2',
    failedTask: task.id,
    batchId: null,
    createdBy: 'lead-coordinator',
  });
}

export function taskCheckpointed(ledger: PlanLedger, { task: id, checkpoint }: EventOf<'task.checkpointed'>): void {
  if (ledger.isRunning(id))
    ledger.putCheckpoint(id, { sealed: checkpoint, isPreserved: ledger.checkpoint(id)?.isPreserved ?? false });
}

/** Flags an overdue task for people to look at (CA-014); the task continues. */
export function taskOverdue(ledger: PlanLedger, { task: id, expectedMs }: EventOf<'task.overdue'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  const item = itemOf(task);
  ledger.change(item, { overdue: [...(ledger.item(item).overdue ?? []), id] });
  ledger.count(task.agent, { overdue: 1 });
  ledger.emitted.push({ type: 'task.overdue', item, task: id, expectedMs });
  ledger.notify(overdueAlert(task, expectedMs));
}

export function checkpointPreserved(
  ledger: PlanLedger,
  { task, isPreserved }: EventOf<'checkpoint.preserve'>,
): OrderReply {
  const kept = ledger.checkpoint(task);
  if (kept === undefined) return refused(`no checkpoint of "${task}"`);
  ledger.putCheckpoint(task, { ...kept, isPreserved });
  return TAKEN;
}

export function checkpointDue(ledger: PlanLedger, { task }: EventOf<'checkpoint.due'>): void {
  if (ledger.checkpoint(task)?.isPreserved === false) ledger.putCheckpoint(task, undefined);
}

export function itemCancelled(ledger: PlanLedger, { item }: EventOf<'item.cancel'>): OrderReply {
  const problem = problemOfWork(ledger, item);
  if (problem !== undefined) return refused(problem);
  loseItem(ledger, item, { phase: 'failed', reason: 'cancelled by hand', task: null });
  return TAKEN;
}

/** The input of a task's stage. */
function stageInput(task: PlanTask, ledger: PlanLedger, unitMs: number | null): StageInput {
  return {
    task,
    results: resultsFor(task, ledger),
    coordinator: ledger.self,
    expectedMs: unitMs === null ? null : task.duration * unitMs,
    checkpoint: ledger.checkpoint(task.id)?.sealed ?? null,
    decisions: ledger.item(itemOf(task)).debates ?? {},
  };
}

/** The results that a task may use: all results of its item; in a plan of tasks, the results of its dependencies. */
function resultsFor(task: PlanTask, ledger: PlanLedger): Readonly<Record<string, unknown>> {
  if (task.item !== null) return ledger.results(task.item);
  return Object.assign({}, ...task.after.map((id) => ledger.results(id))) as Record<string, unknown>;
}
