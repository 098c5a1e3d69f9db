/**
 * What the Lead Coordinator decides about gates, questions to people (CA-008, CA-031): what they are given to decide
 * by, and what their answer or their silence means for the item. While they decide nothing of it starts. The desk of
 * gates asks, reminds and keeps the time. Pure: it reads and writes through the ledger.
 */
import { type EventOf } from './coordinator-events.ts';
import { pauseFor } from './pause-decisions.ts';
import { DESKS } from '../../work/system-ids.ts';
import { type PauseTrigger } from '../messages/messages.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';
import { isLost, type ItemGate } from './progress.ts';
import { loseItem } from './item-losses.ts';
import { refused, TAKEN } from '../../people/turn.ts';

/**
 * JSON Schema of the answer: `revise` is a soft rejection, which pauses the item, `reject` a hard one, which fails it.
 */
const ANSWER_FORM = {
  type: 'object',
  properties: { decision: { enum: ['approve', 'revise', 'reject'] }, reason: { type: 'string' } },
  required: ['decision'],
};

export function gateRequested(
  ledger: PlanLedger,
  { item, gate, title, audience, remindAfterMs, deadlineMs, materials = null }: EventOf<'gate.request'>,
): void {
  const problem = problemOf(ledger, item);
  const known = problem === undefined ? ledger.item(item).gates?.[gate] : undefined;
  ledger.answer = problem === undefined ? { ...TAKEN, isValidated: known?.state === 'validated' } : refused(problem);
  if (problem !== undefined || known?.state === 'validated' || known?.state === 'waiting') return;
  const id = ledger.openGate(item, gate);
  putGate(ledger, item, { gate, state: 'waiting', openedAtMs: ledger.nowMs, answeredAfterMs: null });
  const question = {
    id,
    kind: gate,
    title,
    package: packageFor(ledger, item, materials),
    audience,
    form: ANSWER_FORM,
    remindAfterMs,
    deadlineMs,
  };
  ledger.send(DESKS.gates, {
    type: 'gate.open',
    ...question,
    onTimeout: { name: 'pause', value: null },
    askedBy: ledger.self,
  });
}

/**
 * What a stage of the plan has people decide once it is done. A gate that has been passed is not asked about again
 * (CA-031).
 */
export function askAfter(ledger: PlanLedger, task: PlanTask): void {
  const { id, gate } = task;
  if (gate === undefined || !ledger.isPresent(DESKS.gates)) return;
  gateRequested(ledger, { type: 'gate.request', item: itemOf(task), ...gate, materials: { task: id } });
  ledger.answer = undefined;
}

/** An item that goes on after a gate that nobody answered comes to that gate again. */
export function askAgain(ledger: PlanLedger, item: string): void {
  const { gates = {}, done, phase } = ledger.item(item);
  if (phase !== 'running') return;
  for (const task of ledger.tasksOf(item))
    if (task.gate !== undefined && gates[task.gate.gate]?.state === 'timedOut' && done.includes(task.id))
      askAfter(ledger, task);
}

/** The stage that people want changed runs again when its item goes on, and they are asked again. */
function doAgain(ledger: PlanLedger, item: string, gate: string): void {
  const again = new Set(ledger.tasksOf(item).flatMap((task) => (task.gate?.gate === gate ? [task.id] : [])));
  if (again.size > 0)
    ledger.keepDone(
      item,
      ledger.item(item).done.filter((id) => !again.has(id)),
    );
}

function problemOf(ledger: PlanLedger, item: string): string | undefined {
  if (!ledger.has(item)) return `no item "${item}" in the plan`;
  if (isLost(ledger.item(item))) return `${item} has ${ledger.item(item).phase}`;
  return ledger.isPresent(DESKS.gates) ? undefined : 'nobody here can be asked: there is no desk of gates';
}

/** What people need to decide, and what whoever asked has added. */
function packageFor(ledger: PlanLedger, item: string, materials: unknown): object {
  const { done, running, failed, pauses, reason, overdue = [] } = ledger.item(item);
  const pending = ledger
    .tasksOf(item)
    .filter(({ id }) => !done.includes(id))
    .map(({ id, agent, duration }) => ({ task: id, agentType: agent, duration }));
  return {
    item,
    completed: done,
    running,
    pending,
    failed,
    overdue,
    pauses,
    reason,
    results: ledger.results(item),
    unit: ledger.plan.unit,
    materials,
  };
}

export function gateClosed(ledger: PlanLedger, { result }: EventOf<'gate.closed'>): void {
  const place = ledger.closeGate(result.gate);
  if (place === undefined) return;
  const { item, gate } = place;
  const { outcome, answer, openedAtMs, closedAtMs } = result;
  const { decision, reason } = (outcome === 'answered' ? answer : {}) as { decision?: string; reason?: string };
  const closed = (state: ItemGate['state']): void =>
    putGate(ledger, item, {
      gate,
      state,
      openedAtMs,
      answeredAfterMs: outcome === 'answered' ? closedAtMs - openedAtMs : null,
    });
  if (isLost(ledger.item(item))) return closed('turnedDown');
  const name = `Gate ${gate.replace(/^G(?=\d)/, '')}`;
  if (decision === 'reject') {
    closed('turnedDown');
    return loseItem(ledger, item, {
      phase: 'failed',
      reason: `${name} rejected: ${reason ?? 'no reason given'}`,
      task: null,
    });
  }
  if (decision === 'revise') {
    closed('turnedDown');
    doAgain(ledger, item, gate);
    return pauseAt(ledger, item, `${name} asks for changes: ${reason ?? 'no reason given'}`, 'GATE_REJECTION');
  }
  if (outcome === 'timedOut' || outcome === 'failed') {
    closed('timedOut');
    return pauseAt(
      ledger,
      item,
      outcome === 'timedOut' ? `${name} timeout` : `${name} could not be asked`,
      'GATE_TIMEOUT',
    );
  }
  closed('validated');
  const { deferredPause = null } = ledger.item(item);
  if (deferredPause !== null) pauseAt(ledger, item, deferredPause.reason, 'AUTO_TIER2', deferredPause.failedTask);
}

/** The item passes the gate from now on, and is not asked about it again (CA-031). */
export function gateValidated(ledger: PlanLedger, { item, gate }: EventOf<'gate.validate'>): void {
  const known = ledger.has(item) ? ledger.item(item).gates?.[gate] : undefined;
  if (known !== undefined && known.state !== 'waiting')
    putGate(ledger, item, { ...known, state: 'validated', answeredAfterMs: ledger.nowMs - known.openedAtMs });
}

function putGate(ledger: PlanLedger, item: string, gate: ItemGate): void {
  ledger.change(item, { gates: { ...ledger.item(item).gates, [gate.gate]: gate } });
}

function pauseAt(
  ledger: PlanLedger,
  item: string,
  reason: string,
  trigger: PauseTrigger,
  failedTask: string | null = null,
): void {
  // Nothing is left to hold up where the item was done before people had decided.
  if (ledger.item(item).done.length === ledger.tasksOf(item).length) return;
  pauseFor(ledger, item, { reason, trigger, failedTask, batchId: null, createdBy: 'lead-coordinator' });
}
