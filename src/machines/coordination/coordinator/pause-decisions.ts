/**
 * The Lead Coordinator's decisions about pauses: which items may be paused (CA-031), what the PauseManagers are asked,
 * and what their reports mean for the pipeline. Pure: it reads and writes through the ledger.
 */
import { STANDING_KINDS } from './coordinator-alerts.ts';
import { type EventOf } from './coordinator-events.ts';
import { problemOfItem, problemOfWork } from './item-losses.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type ItemAtWork, type ItemCheckpoint, type PauseState, runningState } from '../pauses/pause-messages.ts';
import { type PauseRequest } from '../pauses/pause-record.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { isAtGate, isLost } from './progress.ts';
import { type OrderReply, refused, TAKEN } from '../../rules/turn.ts';

/** The author of a pause that names none. */
const OPERATOR = 'operator';

/** Pauses an item by an order, as given by `bosun plan pause`. */
export function planPause(ledger: PlanLedger, { item, reason, by = OPERATOR }: EventOf<'plan.pause'>): OrderReply {
  const problem = problemOfPause(ledger, item);
  if (problem !== undefined) return refused(problem);
  const { phase } = ledger.item(item);
  if (phase !== 'running') return refused(`${item} is ${phase} already`);
  pauseFor(ledger, item, {
    reason: reason ?? 'paused by hand',
    trigger: 'MANUAL',
    failedTask: null,
    batchId: null,
    createdBy: by,
  });
  return TAKEN;
}

/** Handles a pause request from an agent (CA-022: `pause_analysis`). */
export function pauseRequested(
  ledger: PlanLedger,
  {
    item,
    reason,
    trigger,
    checkpointId,
    failedTask = null,
    batchId = null,
    createdBy = OPERATOR,
  }: EventOf<'pause.request'>,
): OrderReply {
  const problem = problemOfPause(ledger, item);
  if (problem === undefined) pauseFor(ledger, item, { reason, trigger, checkpointId, failedTask, batchId, createdBy });
  // A batch already knows of a lost item, and answers each failure with a pause: telling it again would loop for ever.
  else if (ledger.has(item) && !isLost(ledger.item(item)))
    ledger.tell('batches', { type: 'item.failed', item, error: problem });
  return problem === undefined ? TAKEN : refused(problem);
}

/** Why an item cannot be paused; undefined if it can, or is paused already. */
function problemOfPause(ledger: PlanLedger, item: string): string | undefined {
  const problem = problemOfWork(ledger, item);
  if (problem !== undefined) return problem;
  return isAtGate(ledger.item(item)) ? `${item} waits for people to decide` : undefined;
}

/**
 * Pauses an item, or adds a reason to its present pause. While people decide about the item, the pause is deferred
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
  const atWork = atWorkIn(ledger, item);
  if (manager !== null) ledger.send(manager, { type: 'pause.request', request, atWork });
  // A PauseManager that is starting learns of this failure from the checkpoint.
  else if (phase === 'running') {
    const spec = {
      id: item,
      agent: 'pause-manager',
      restart: 'transient',
      input: { item, request, atWork, coordinator: ledger.self },
    };
    ledger.send(COORDINATION_DESKS.pauses, { type: 'child.start', id: item, spec });
  }
}

/** Resumes an item. Its PauseManager sends the reply. */
export function planResume(ledger: PlanLedger, { item, replyTo }: EventOf<'plan.resume'>): OrderReply | undefined {
  const problem = problemOfItem(ledger, item);
  if (problem !== undefined) return refused(problem);
  const { phase, manager } = ledger.item(item);
  if (phase !== 'paused' || manager === null)
    return refused(`${item} is ${phase === 'running' ? 'not paused' : phase}`);
  const order = { type: 'resume.command', item, resumePlan: null, notify: false };
  ledger.send(manager, { ...order, ...(replyTo !== undefined && { replyTo }) });
  return undefined;
}

/** Passes orders and questions to the item's PauseManager (CA-023, CA-024), which replies to the sender. */
export function passToManager(
  ledger: PlanLedger,
  event: EventOf<'resume.command' | 'pause.extend' | 'pause.expire' | 'pause.state'>,
): OrderReply | PauseState | undefined {
  const { type, item } = event;
  if (!ledger.has(item)) {
    if (type === 'resume.command') ledger.tell('batches', { type: 'item.failed', item, error: 'not in the plan' });
    return refused(`no item "${item}" in the plan`);
  }
  const { manager } = ledger.item(item);
  if (manager !== null) {
    ledger.send(manager, event);
    return undefined;
  }
  // An item that was never paused is running, which is what a batch asks for.
  if (type === 'resume.command') ledger.tell('batches', { type: 'item.resumed', item });
  return type === 'pause.state' ? runningState(item) : refused(`${item} is not paused`);
}

/** Lets items that are still paused resume automatically (CA-032). */
export function causeCleared(ledger: PlanLedger, { items, cause }: EventOf<'cause.cleared'>): OrderReply {
  const problems: string[] = [];
  for (const item of items) {
    const manager = ledger.has(item) ? ledger.item(item).manager : null;
    if (manager !== null) ledger.send(manager, { type: 'cause.cleared', cause });
    else problems.push(problemOfItem(ledger, item) ?? `${item} is not paused`);
  }
  return { taken: problems.length < items.length, problems };
}

export function pausePausing(ledger: PlanLedger, { item, manager, reason }: EventOf<'pause.pausing'>): void {
  const { phase, pauses } = ledger.item(item);
  ledger.change(item, { manager });
  // The item was told to pause while it was still leaving its previous pause.
  if (phase === 'running') ledger.change(item, { phase: 'pausing', reason, pauses: pauses + 1, isResuming: false });
  // The item was lost between the order and the start of its PauseManager.
  if (isLost(ledger.item(item))) ledger.send(manager, { type: 'pause.end' });
}

/** Stops the running tasks of an item that is pausing. They start again when the item is resumed. */
export function stopWork(ledger: PlanLedger, { item }: EventOf<'pause.stopWork'>): void {
  for (const id of ledger.item(item).running) {
    ledger.send(WORK_DESKS.stages, { type: 'child.terminate', id });
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

/** Resumes the item with this plan. Until the first restarted task succeeds, any failure counts as a failed resume. */
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

/** Reports the checkpoint of an item that is pausing and has no running tasks: it is at a stage boundary (CA-021). */
export function saveCheckpoint(ledger: PlanLedger, item: string): void {
  const { phase, running, manager, pauses } = ledger.item(item);
  if (phase !== 'pausing' || running.length > 0 || manager === null) return;
  const { running: _, ...standing } = atWorkIn(ledger, item);
  const checkpoint: ItemCheckpoint = { checkpointId: `${item}#${pauses}`, ...standing };
  ledger.send(manager, { type: 'checkpoint.saved', checkpoint });
}

function atWorkIn(ledger: PlanLedger, item: string): ItemAtWork {
  const { running, done, failed } = ledger.item(item);
  const own = ledger.tasksOf(item);
  const ids = new Set(own.map(({ id }) => id));
  return {
    tasks: own.map(({ id, duration, after }) => ({ id, duration, after: after.filter((other) => ids.has(other)) })),
    completed: done,
    running,
    failed: failed.map(({ task }) => task),
  };
}
