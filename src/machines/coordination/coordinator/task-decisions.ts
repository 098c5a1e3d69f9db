/**
 * What the Lead Coordinator decides about tasks: starting them, what came of them, what kind of failure it was (CA-039
 * to CA-042), and items that are lost. Pure: it reads and writes through the ledger.
 */
import { failureAlert, overdueAlert } from './coordinator-alerts.ts';
import { type EventOf } from './coordinator-events.ts';
import { exhausted, type Failure, failureOf } from '../../work/failure-tiers.ts';
import { cutText } from '../../work/message-schema.ts';
import { DESKS } from '../../work/system-ids.ts';
import { rerunGoesOn } from './debate-decisions.ts';
import { askAfter } from './gate-decisions.ts';
import { loseItem } from './item-losses.ts';
import { pauseFor } from './pause-decisions.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';
import { isLost } from './progress.ts';
import { stageName } from '../../work/stage.ts';

/** A retry budget counts over the whole life of a task: failures of any age. */
const TASK_PERIOD_MS = 10 * 365 * 24 * 60 * 60 * 1000;

/** Spreads retries of tasks that failed together. */
const RETRY_JITTER = 0.2;

/** Starts every task that can start. */
export function startTasks(ledger: PlanLedger, unitMs: number | null): void {
  for (const task of ledger.start()) {
    ledger.count(task.agent, { started: 1 });
    ledger.send(DESKS.stages, { type: 'child.start', id: task.id, spec: taskBoss(task, ledger, unitMs) });
  }
}

export function taskCompleted(
  ledger: PlanLedger,
  { task: id, output, tookMs, expectedMs }: EventOf<'task.completed'>,
): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  const item = itemOf(task);
  const { overdue = [] } = ledger.item(item);
  ledger.putCheckpoint(id, undefined);
  ledger.send(DESKS.stages, { type: 'child.terminate', id });
  // It starts again when its Boss has gone: word of that must not be taken for the end of the next one.
  if (isStale(ledger, task)) return;
  ledger.complete(id);
  ledger.putResult(id, output);
  ledger.count(task.agent, { completed: 1, busyMs: tookMs, expectedMs: expectedMs ?? 0 });
  rerunGoesOn(ledger, item, id);
  askAfter(ledger, task);
  if (overdue.length === 1 && overdue[0] === id)
    ledger.tell('alerts', { type: 'alert.settled', item, kinds: ['task.overdue'], because: `${id} has ended` });
  const { isResuming, manager } = ledger.item(item);
  if (isResuming !== true) return;
  ledger.change(item, { isResuming: false });
  ledger.send(manager!, { type: 'resume.completed' });
}

/** An attempt has failed, and the task's Boss tries again. */
export function attemptFailed(ledger: PlanLedger, { task: id }: EventOf<'task.attemptFailed'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  if (isStale(ledger, task)) return ledger.send(DESKS.stages, { type: 'child.terminate', id });
  ledger.count(task.agent, { failures: 1 });
}

/** The stage has decided that the task is not tried again. */
export function taskFailed(ledger: PlanLedger, { task: id, failure }: EventOf<'task.failed'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  ledger.count(task.agent, { failures: 1 });
  ledger.send(DESKS.stages, { type: 'child.terminate', id });
  if (!isStale(ledger, task)) endTask(ledger, task, failure);
}

/** A task's Boss has ended in a way that nobody asked for: its stage could not decide, or has itself a fault. */
export function taskExited(ledger: PlanLedger, { id, error }: EventOf<'child.exited'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  if (isStale(ledger, task)) return ledger.stop(id);
  ledger.count(task.agent, { failures: 1 });
  endTask(ledger, task, exhausted(failureOf(error)));
}

/** Whether it runs with a value that was overridden: whatever comes of it, it runs again. */
function isStale(ledger: PlanLedger, task: PlanTask): boolean {
  return ledger.item(itemOf(task)).stale?.includes(task.id) ?? false;
}

/** Tier 2 pauses the item, tier 3 fails it; the others go on (CA-028). */
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

/** CA-014: flagged for somebody to look at; it goes on. */
export function taskOverdue(ledger: PlanLedger, { task: id, expectedMs }: EventOf<'task.overdue'>): void {
  if (!ledger.isRunning(id)) return;
  const task = ledger.task(id)!;
  const item = itemOf(task);
  ledger.change(item, { overdue: [...(ledger.item(item).overdue ?? []), id] });
  ledger.count(task.agent, { overdue: 1 });
  ledger.emitted.push({ type: 'task.overdue', item, task: id, expectedMs });
  ledger.notify(overdueAlert(task, expectedMs));
}

export function checkpointPreserved(ledger: PlanLedger, { task, isPreserved }: EventOf<'checkpoint.preserve'>): void {
  const kept = ledger.checkpoint(task);
  if (kept !== undefined) ledger.putCheckpoint(task, { ...kept, isPreserved });
}

export function checkpointDue(ledger: PlanLedger, { task }: EventOf<'checkpoint.due'>): void {
  if (ledger.checkpoint(task)?.isPreserved === false) ledger.putCheckpoint(task, undefined);
}

export function itemCancelled(ledger: PlanLedger, { item }: EventOf<'item.cancel'>): void {
  if (!ledger.has(item) || isLost(ledger.item(item)) || ledger.item(item).done.length === ledger.tasksOf(item).length)
    return;
  loseItem(ledger, item, { phase: 'failed', reason: 'given up by hand', task: null });
}

/** One Boss per task: its intensity is the task's retry budget, so that no task spends another's. */
function taskBoss(task: PlanTask, ledger: PlanLedger, unitMs: number | null): object {
  const { attempts, backoff } = task.retry;
  const input = {
    task,
    results: resultsFor(task, ledger),
    coordinator: ledger.self,
    expectedMs: unitMs === null ? null : task.duration * unitMs,
    checkpoint: ledger.checkpoint(task.id)?.sealed ?? null,
    decisions: ledger.item(itemOf(task)).debates ?? {},
  };
  const stage = {
    id: 'agent',
    agent: stageName(task.agent),
    restart: 'transient',
    backoff: { ...backoff, jitter: RETRY_JITTER },
    input,
  };
  const boss = { intensity: attempts - 1, periodMs: TASK_PERIOD_MS, children: [stage] };
  return { id: task.id, restart: 'temporary', reportTo: ledger.self, boss };
}

/** What a task may build on: everything its item has; in a plan of tasks, what it waits for. */
function resultsFor(task: PlanTask, ledger: PlanLedger): Readonly<Record<string, unknown>> {
  if (task.item !== null) return ledger.results(task.item);
  return Object.assign({}, ...task.after.map((id) => ledger.results(id))) as Record<string, unknown>;
}
