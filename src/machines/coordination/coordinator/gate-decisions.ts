/**
 * The Lead Coordinator's decisions about gates, questions to people (CA-008, CA-031): the package that people are
 * given, and what their answer or silence means for the item. No task of the item starts until they have decided. The
 * gate desk asks, reminds and keeps the time. Pure: it reads and writes through the ledger.
 */
import { resultIn } from './coordinator-context.ts';
import { type EventOf } from './coordinator-events.ts';
import { pauseFor } from './pause-decisions.ts';
import { proposalOf } from '../../work/proposal.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { COORDINATION_DESKS } from '../system-ids.ts';
import { type PauseTrigger } from '../messages/messages.ts';
import { type PlanLedger } from './plan-ledger.ts';
import { itemOf } from '../../work/task.ts';
import { type PlanTask } from '../plan/plan.ts';
import { debatesToReview } from './item-debates.ts';
import { isLost, type ItemGate } from './progress.ts';
import { strangerProblem } from '../../people/audience.ts';
import { loseItem, problemOfItem } from './item-losses.ts';
import { type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { requestClosed } from './talk-decisions.ts';

/**
 * JSON Schema of the answer: `revise` is a soft rejection, which pauses the item, `reject` a hard one, which fails it.
 */
const ANSWER_FORM = {
  type: 'object',
  properties: { decision: { enum: ['approve', 'revise', 'reject'] }, reason: { type: 'string' } },
  required: ['decision'],
};

/** Asks people for a task or a person. The gates that the plan has itself are asked by the plan alone. */
export function gateRequested(ledger: PlanLedger, request: EventOf<'gate.request'>): OrderReply {
  const { item, gate } = request;
  const planned = ledger.has(item) ? ledger.tasksOf(item).find((task) => task.gate?.gate === gate) : undefined;
  if (planned === undefined) return askPeople(ledger, request);
  const after = planned.stage ?? planned.id;
  return refused(`the gate "${gate}" of ${item} is the plan's, which asks it after ${after}: give another name`);
}

function askPeople(
  ledger: PlanLedger,
  {
    item,
    gate,
    title,
    stage = null,
    audience,
    remindAfterMs,
    deadlineMs,
    materials = null,
    ...asked
  }: EventOf<'gate.request'>,
): OrderReply {
  const problem = problemOf(ledger, item);
  if (problem !== undefined) return refused(problem);
  const known = ledger.item(item).gates?.[gate];
  const reply = { ...TAKEN, isValidated: known?.state === 'validated' };
  if (known?.state === 'validated' || known?.state === 'waiting') return reply;
  const id = ledger.openGate({ item, gate });
  putGate(ledger, item, { gate, id, state: 'waiting', audience, openedAtMs: ledger.nowMs, answeredAfterMs: null });
  const question = {
    id,
    kind: gate,
    title,
    item,
    stage,
    proposal: proposalOf(asked.proposal ?? materials),
    package: packageFor(ledger, item, materials),
    audience,
    form: ANSWER_FORM,
    remindAfterMs,
    deadlineMs,
  };
  ledger.send(PEOPLE_DESKS.gates, {
    type: 'gate.open',
    ...question,
    onTimeout: { name: 'pause', value: null },
    askedBy: ledger.self,
  });
  reviewAt(ledger, item, id);
  return reply;
}

/**
 * CA-123, CA-125: presents provisional and deferred debates for review at this gate; they may be overridden until then.
 */
function reviewAt(ledger: PlanLedger, item: string, gate: string): void {
  const open = Object.values(ledger.item(item).debates ?? {}).filter(({ state }) => state !== 'decided');
  ledger.send(COORDINATION_DESKS.debates, { type: 'gate.reached', gate, debates: open.map(({ debate }) => debate) });
}

/** Opens the gate that the plan puts after a stage. A gate that has been passed is not asked again (CA-031). */
export function askAfter(ledger: PlanLedger, task: PlanTask): void {
  const { id, gate, stage } = task;
  if (gate === undefined || !ledger.isPresent(PEOPLE_DESKS.gates)) return;
  const proposal = proposalOf(resultIn(ledger.now, id)?.output) ?? '';
  const about = { item: itemOf(task), stage, proposal, materials: { task: id } };
  askPeople(ledger, { type: 'gate.request', ...about, ...gate });
}

/** Opens a gate again for a resumed item if nobody answered it or it was withdrawn. */
export function askAgain(ledger: PlanLedger, item: string): void {
  const { gates = {}, done, phase } = ledger.item(item);
  if (phase !== 'running') return;
  for (const task of ledger.tasksOf(item))
    if (task.gate !== undefined && isUnanswered(gates[task.gate.gate]) && done.includes(task.id))
      askAfter(ledger, task);
}

/**
 * Takes back a question about a stage that is made again, or what people have said to it: they have not seen what comes
 * now, and are asked when it is there.
 */
export function takeBack(ledger: PlanLedger, item: string, { gate }: { readonly gate: string }): void {
  const known = ledger.item(item).gates?.[gate];
  if (known?.state !== 'waiting' && known?.state !== 'validated') return;
  if (ledger.closeGate(known.id) !== undefined)
    ledger.send(PEOPLE_DESKS.gates, { type: 'gate.recall', gate: known.id });
  putGate(ledger, item, { ...known, state: 'withdrawn' });
}

function isUnanswered(gate: ItemGate | undefined): boolean {
  return gate?.state === 'timedOut' || gate?.state === 'withdrawn';
}

/** Reopens the stage that people want changed. It runs again when the item resumes, and its gate is asked again. */
function doAgain(ledger: PlanLedger, item: string, gate: string): void {
  const again = new Set(ledger.tasksOf(item).flatMap((task) => (task.gate?.gate === gate ? [task.id] : [])));
  if (again.size > 0)
    ledger.keepDone(
      item,
      ledger.item(item).done.filter((id) => !again.has(id)),
    );
}

function problemOf(ledger: PlanLedger, item: string): string | undefined {
  const problem = problemOfItem(ledger, item);
  if (problem !== undefined) return problem;
  return ledger.isPresent(PEOPLE_DESKS.gates) ? undefined : 'people cannot be asked here: there is no gate desk';
}

/** The package for people: the state of the item, and the materials that the asking agent has added. */
function packageFor(ledger: PlanLedger, item: string, materials: unknown): object {
  const { done, running, failed, pauses, reason, overdue = [], debates } = ledger.item(item);
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
    debates: debatesToReview(debates),
    findings: ledger.findings(item).map(({ number: _, ...finding }) => finding),
    unit: ledger.plan.unit,
    materials,
  };
}

export function gateClosed(ledger: PlanLedger, { result }: EventOf<'gate.closed'>): void {
  const place = ledger.closeGate(result.gate);
  if (place === undefined) return;
  const { item, gate, request } = place;
  if (request !== undefined) return requestClosed(ledger, { item, request, result });
  const { outcome, answer, openedAtMs, closedAtMs } = result;
  const { decision, reason } = (outcome === 'answered' ? answer : {}) as { decision?: string; reason?: string };
  const { audience } = ledger.item(item).gates![gate]!; // stored when the gate was opened
  const closed = (state: ItemGate['state']): void =>
    putGate(ledger, item, {
      gate,
      id: result.gate,
      audience,
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
  if (outcome === 'withdrawn') {
    closed('withdrawn');
    return pauseAt(ledger, item, `${name} was withdrawn by ${result.by ?? 'the agent that asked'}`, 'MANUAL');
  }
  if (outcome !== 'answered') {
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

/** Validates a gate for an item: the item passes it from now on and is not asked again (CA-031). */
export function gateValidated(ledger: PlanLedger, { item, gate, by }: EventOf<'gate.validate'>): OrderReply {
  const problem = problemOfItem(ledger, item);
  if (problem !== undefined) return refused(problem);
  const known = ledger.item(item).gates?.[gate];
  if (known === undefined) return refused(`${item} has not reached a gate "${gate}"`);
  const stranger = strangerProblem(known.audience, by);
  if (stranger !== undefined) return refused(stranger);
  if (known.state === 'waiting') return refused(`gate "${gate}" of ${item} waits for its answer`);
  if (known.state !== 'validated')
    putGate(ledger, item, { ...known, state: 'validated', answeredAfterMs: ledger.nowMs - known.openedAtMs });
  return TAKEN;
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
  // An item that was completed before people decided has nothing left to pause.
  if (ledger.item(item).done.length === ledger.tasksOf(item).length) return;
  pauseFor(ledger, item, { reason, trigger, failedTask, batchId: null, createdBy: 'lead-coordinator' });
}
