/**
 * What the Lead Coordinator decides about pauses: who may be paused (CA-031), what the PauseManagers are asked, and
 * what their reports mean for the pipeline. Pure: it reads and writes through the ledger.
 */
import { STANDING_KINDS } from './coordinator-alerts.ts';
import { type EventOf } from './coordinator-events.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type ItemCheckpoint, runningState } from '../pauses/pause-messages.ts';
import { type PauseRequest } from '../pauses/pause-record.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { isAtGate, isLost } from './progress.ts';
import { refused, TAKEN } from '../../people/turn.ts';

/** An order by hand, as `bosun plan pause` gives it. */
export function planPause(ledger: PlanLedger, { item, reason }: EventOf<'plan.pause'>): void {
  if (problemOfPause(ledger, item) !== undefined || ledger.item(item).phase !== 'running') return;
  pauseFor(ledger, item, {
    reason: reason ?? 'paused by hand',
    trigger: 'MANUAL',
    failedTask: null,
    batchId: null,
    createdBy: 'operator',
  });
}

/** CA-022: `pause_analysis`. */
export function pauseRequested(
  ledger: PlanLedger,
  { item, reason, trigger, failedTask = null, batchId = null, createdBy = 'operator' }: EventOf<'pause.request'>,
): void {
  const problem = problemOfPause(ledger, item);
  ledger.answer = problem === undefined ? TAKEN : refused(problem);
  if (problem === undefined) pauseFor(ledger, item, { reason, trigger, failedTask, batchId, createdBy });
  // A batch has heard already of an item that is lost, and answers each failure with a pause: told again, the two would
  // never end.
  else if (ledger.has(item) && !isLost(ledger.item(item)))
    ledger.tell('batches', { type: 'item.failed', item, error: problem });
}

/** Why an item cannot be paused; undefined where it can, or is paused already. */
function problemOfPause(ledger: PlanLedger, item: string): string | undefined {
  if (!ledger.has(item)) return `no item "${item}" in the plan`;
  const progress = ledger.item(item);
  if (isLost(progress)) return `${item} has ${progress.phase}`;
  if (progress.done.length === ledger.tasksOf(item).length) return `${item} is completed`;
  return isAtGate(progress) ? `${item} waits for people to decide` : undefined;
}

/**
 * Pauses it, or tells its PauseManager that there is one reason more. While people decide, the pause waits for them
 * (CA-031).
 */
export function pauseFor(ledger: PlanLedger, item: string, request: PauseRequest): void {
  const { phase, pauses, manager, ...progress } = ledger.item(item);
  const { reason, failedTask } = request;
  if (phase === 'running' && isAtGate(ledger.item(item))) {
    ledger.change(item, { deferredPause: progress.deferredPause ?? { reason, failedTask } });
    return;
  }
  if (phase === 'running')
    ledger.change(item, { phase: 'pausing', reason, pauses: pauses + 1, isResuming: false, deferredPause: null });
  if (manager !== null) ledger.send(manager, { type: 'pause.request', request });
  // One that is being started hears of this failure by the checkpoint.
  else if (phase === 'running') {
    const spec = {
      id: item,
      agent: 'pause-manager',
      restart: 'transient',
      input: { item, request, coordinator: ledger.self },
    };
    ledger.send(DESKS.pauses, { type: 'child.start', id: item, spec });
  }
}

export function planResume(ledger: PlanLedger, { item }: EventOf<'plan.resume'>): void {
  if (!ledger.has(item)) return;
  const { phase, manager } = ledger.item(item);
  if (phase === 'paused' && manager !== null)
    ledger.send(manager, { type: 'resume.command', item, resumePlan: null, notify: false });
}

/** Orders and questions that the item's PauseManager answers (CA-023, CA-024), with whoever asked. */
export function passToManager(
  ledger: PlanLedger,
  event: EventOf<'resume.command' | 'pause.extend' | 'pause.expire' | 'pause.state'>,
): void {
  const { type, item } = event;
  if (!ledger.has(item)) {
    ledger.answer = refused(`no item "${item}" in the plan`);
    if (type === 'resume.command') ledger.tell('batches', { type: 'item.failed', item, error: 'not in the plan' });
    return;
  }
  const { manager } = ledger.item(item);
  if (manager !== null) ledger.send(manager, event);
  else if (type === 'pause.state') ledger.answer = runningState(item);
  else ledger.answer = refused(`${item} is not paused`);
  // It was never paused, and runs: that is where a batch wants it.
  if (manager === null && type === 'resume.command') ledger.tell('batches', { type: 'item.resumed', item });
}

/** CA-032: items that are still paused may resume by themselves. */
export function causeCleared(ledger: PlanLedger, { items, cause }: EventOf<'cause.cleared'>): void {
  for (const item of items) {
    const manager = ledger.has(item) ? ledger.item(item).manager : null;
    if (manager !== null) ledger.send(manager, { type: 'cause.cleared', cause });
  }
}

export function pausePausing(ledger: PlanLedger, { item, manager, reason }: EventOf<'pause.pausing'>): void {
  const { phase, pauses } = ledger.item(item);
  ledger.change(item, { manager });
  // It was told to pause while it was already on its way out of the pause before.
  if (phase === 'running') ledger.change(item, { phase: 'pausing', reason, pauses: pauses + 1, isResuming: false });
  // Lost between the order and the birth of its PauseManager.
  if (isLost(ledger.item(item))) ledger.send(manager, { type: 'pause.end' });
}

/** Tasks that keep an item from standing still are stopped, and start again when it goes on. */
export function stopWork(ledger: PlanLedger, { item }: EventOf<'pause.stopWork'>): void {
  for (const id of ledger.item(item).running) {
    ledger.send(DESKS.stages, { type: 'child.terminate', id });
    ledger.stop(id);
  }
}

export function pauseComplete(ledger: PlanLedger, message: EventOf<'pause.complete'>): void {
  const { item, reason, failedTask = null } = message;
  ledger.tell('batches', message);
  if (ledger.item(item).phase !== 'pausing') return;
  ledger.change(item, { phase: 'paused' });
  ledger.emitted.push({ type: 'item.paused', item, reason: reason ?? '', task: failedTask });
}

/** The item goes on by this plan. Until something that runs again has succeeded, a failure is one of the resume. */
export function pauseResuming(ledger: PlanLedger, { item, plan }: EventOf<'pause.resuming'>): void {
  const progress = ledger.item(item);
  if (isLost(progress)) return;
  ledger.keepDone(item, plan.skip);
  const isResuming = plan.restart.length > 0;
  ledger.change(item, { phase: 'running', reason: null, failed: [], isResuming });
  if (!isResuming) ledger.send(progress.manager!, { type: 'resume.completed' });
  ledger.emitted.push({ type: 'item.resumed', item });
  ledger.tell('alerts', { type: 'alert.settled', item, kinds: [...STANDING_KINDS], because: `${item} goes on` });
  ledger.tell('batches', { type: 'item.resumed', item });
}

/** Items that are pausing and quiet are at a stage boundary: their checkpoint is whole (CA-021). */
export function saveCheckpoint(ledger: PlanLedger, item: string): void {
  const { phase, running, manager, done, failed, pauses } = ledger.item(item);
  if (phase !== 'pausing' || running.length > 0 || manager === null) return;
  const own = ledger.tasksOf(item);
  const ids = new Set(own.map(({ id }) => id));
  const checkpoint: ItemCheckpoint = {
    checkpointId: `${item}#${pauses}`,
    tasks: own.map(({ id, duration, after }) => ({ id, duration, after: after.filter((other) => ids.has(other)) })),
    completed: done,
    failed: failed.map(({ task }) => task),
  };
  ledger.send(manager, { type: 'checkpoint.saved', checkpoint });
}
