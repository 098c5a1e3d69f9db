/**
 * The Lead Coordinator (seed 002, CA-001 to CA-008): carries out a plan. It starts each task as soon as its
 * dependencies and its agent's capacity allow, by the same rule as the schedule; keeps the results; and arranges
 * pauses, resumptions and decisions about items.
 *
 * Items and tasks are not states of this machine: a plan has thousands of them, and each has a machine of its own where
 * it needs one (stage, PauseManager, gate, debate). Reports and orders about them are handled by a reducer, `decide`,
 * over the table of decisions below. The states are those of the plan as a whole; `decide` raises the event that moves
 * the plan from one to the next.
 */
import { type AnyActorRef, enqueueActions, setup } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { reply } from '../../../actors/model/talk-actions.ts';
import { capacityRequested, correlationDetected, planReported } from './capacity-decisions.ts';
import { type CoordinatorContext, newProgress } from './coordinator-context.ts';
import { type CoordinatorEvent, type EventOf, orders, type PlanEvent } from './coordinator-events.ts';
import { debateDeferred, debateProvisional, debateResolved } from './debate-decisions.ts';
import { askAgain, gateClosed, gateRequested, gateValidated } from './gate-decisions.ts';
import { loseItem } from './item-losses.ts';
import { messages } from '../messages/messages.ts';
import { asBefore } from '../../rules/turn.ts';
import { inSlots } from '../../rules/wide-rows.ts';
import { talkMessages } from '../../work/talk-messages.ts';
import {
  causeCleared,
  passToManager,
  pauseComplete,
  pausePausing,
  pauseRequested,
  pauseResuming,
  planPause,
  planResume,
  saveCheckpoint,
  stopWork,
} from './pause-decisions.ts';
import { unitMsOf } from './performance.ts';
import { type CoordinatorEmitted, type Outgoing, PlanLedger } from './plan-ledger.ts';
import { type Plan } from '../plan/plan.ts';
import { outcomeOf, type PlanOutcome } from './progress.ts';
import { passOn } from './message-routes.ts';
import { ticketTold } from './ticket-decisions.ts';
import {
  attemptFailed,
  checkpointDue,
  checkpointPreserved,
  itemCancelled,
  startTasks,
  taskCheckpointed,
  taskCompleted,
  taskExited,
  taskFailed,
  taskOverdue,
} from './task-decisions.ts';

export interface CoordinatorInput {
  readonly plan: Plan;
}

/** The decision for each event type. A decision returns the reply to the asker. */
type DecisionTable = {
  readonly [Type in CoordinatorEvent['type']]: (ledger: PlanLedger, event: EventOf<Type>) => object | void;
};

const DECISIONS: DecisionTable = {
  'task.completed': taskCompleted,
  'task.attemptFailed': attemptFailed,
  'task.failed': taskFailed,
  'child.exited': taskExited,
  'task.checkpointed': taskCheckpointed,
  'task.overdue': taskOverdue,
  'checkpoint.preserve': checkpointPreserved,
  'checkpoint.due': checkpointDue,
  'item.cancel': itemCancelled,
  'plan.pause': planPause,
  'plan.resume': planResume,
  'pause.request': pauseRequested,
  'resume.command': passToManager,
  'pause.extend': passToManager,
  'pause.expire': passToManager,
  'pause.state': passToManager,
  'cause.cleared': causeCleared,
  'pause.pausing': pausePausing,
  'pause.stopWork': stopWork,
  'pause.complete': pauseComplete,
  'pause.resuming': (ledger, event) => {
    pauseResuming(ledger, event);
    askAgain(ledger, event.item);
  },
  'pause.expired': (ledger, { item, reason }) => loseItem(ledger, item, { phase: 'expired', reason, task: null }),
  'gate.request': gateRequested,
  'gate.closed': gateClosed,
  'gate.validate': gateValidated,
  'ticket.opened': ticketTold,
  'ticket.resolved': ticketTold,
  'ticket.rejected': ticketTold,
  'ticket.failed': ticketTold,
  'capacity.set': capacityRequested,
  'correlation.detected': correlationDetected,
  'debate.provisional': debateProvisional,
  'debate.deferred': debateDeferred,
  'debate.resolved': debateResolved,
  'plan.report': planReported,
  'talk.finding': passOn,
  'talk.request': passOn,
  'talk.challenge': passOn,
  'talk.confirmation': passOn,
  'talk.alert': passOn,
};

type Decision = (ledger: PlanLedger, event: unknown) => object | void;

/** The event for each outcome of the plan. */
const PLAN_EVENTS: Readonly<Record<PlanOutcome, PlanEvent>> = {
  working: { type: 'plan.continued' },
  paused: { type: 'plan.stalled' },
  failed: { type: 'plan.failed' },
  completed: { type: 'plan.completed' },
};

const machine = setup({
  types: {} as {
    context: CoordinatorContext;
    events: CoordinatorEvent | PlanEvent;
    emitted: CoordinatorEmitted;
    input: CoordinatorInput;
  },
  actions: {
    /** Decides about the event, starts the tasks that it makes possible, and carries everything out. */
    decide: enqueueActions(({ context, event, enqueue, self, system }) => {
      const find = (systemId: string) => system.get(systemId) as AnyActorRef | undefined;
      const ledger = new PlanLedger(context, { nowMs: timeOf(self), self, find });
      // The event of the first turn is not in the table.
      const isFirst = !(event.type in DECISIONS);
      const answer = isFirst ? undefined : (DECISIONS as Record<string, Decision>)[event.type]!(ledger, event);
      for (const item of ledger.touched()) saveCheckpoint(ledger, item);
      startTasks(ledger, context.unitMs);
      const patch = ledger.close();
      if (patch !== undefined) enqueue.assign(patch);
      for (const one of ledger.outgoing) post(enqueue, system, one);
      for (const { id, delayMs, event: later } of ledger.delayed) enqueue.raise(later, { id, delay: delayMs });
      for (const said of ledger.emitted) enqueue.emit(said);
      const total = context.plan.tasks.length;
      const before = isFirst ? 'working' : outcomeOf(context.tally, total);
      const outcome = outcomeOf(patch?.tally ?? context.tally, total);
      if (outcome !== before) enqueue.raise(PLAN_EVENTS[outcome]);
      if (answer !== undefined) enqueue(reply(() => answer));
    }),
  },
}).createMachine({
  id: 'lead-coordinator',
  context: ({ input: { plan } }) => ({
    plan,
    unitMs: unitMsOf(plan.unit),
    ...newProgress(),
  }),
  entry: 'decide',
  initial: 'working',
  on: Object.fromEntries(Object.keys(DECISIONS).map((type) => [type, { actions: 'decide' as const }])),
  states: {
    /** Tasks run, or agents or people decide about an item. */
    working: { on: { 'plan.stalled': 'paused', 'plan.completed': 'completed', 'plan.failed': 'failed' } },
    /** Nothing runs and nothing can start: a person has to resume an item or raise the capacity of an agent type. */
    paused: { on: { 'plan.continued': 'working', 'plan.failed': 'failed' } },
    /** No more work is possible, and some items have failed or expired. */
    failed: { on: { 'plan.continued': 'working', 'plan.stalled': 'paused' } },
    /** All work is done. Tasks whose input a debate overrides later run again. */
    completed: { on: { 'plan.continued': 'working', 'plan.stalled': 'paused' } },
  },
});

/** The agent that carries out a plan. */
export const leadCoordinator = defineAgent({
  name: 'lead-coordinator',
  version: 3,
  // Version 1 took no notices about tickets: an item that waits for none is kept as it was. Version 2 kept a key of the
  // context for each wide row that there ever was.
  migrate: { 2: asBefore, 3: withSlots },
  machine,
  events: {
    ...orders,
    'pause.request': messages['pause.request'],
    'resume.command': messages['resume.command'],
    'pause.extend': messages['pause.extend'],
    'pause.expire': messages['pause.expire'],
    'cause.cleared': messages['cause.cleared'],
    'item.cancel': messages['item.cancel'],
    'capacity.set': messages['capacity.set'],
    'gate.request': messages['gate.request'],
    'gate.validate': messages['gate.validate'],
    ...talkMessages,
  },
});

function withSlots({ value, context }: { readonly value: unknown; readonly context: unknown }) {
  const tables = ['items', 'results', 'checkpoints'] as const;
  return { value, context: tables.reduce(inSlots<CoordinatorContext>, context as CoordinatorContext) } as never;
}

/** Sends a message. A message to a missing desk is dropped. */
function post(enqueue: unknown, system: { get(id: string): unknown }, { to, event }: Outgoing): void {
  const receiver = (typeof to === 'string' ? system.get(to) : to) as AnyActorRef | undefined;
  if (receiver !== undefined) (enqueue as { sendTo(to: AnyActorRef, event: object): void }).sendTo(receiver, event);
}
