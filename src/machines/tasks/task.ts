/**
 * A task that belongs to no plan: one piece of work for one agent type. It has the work done by a stage, as a task of a
 * plan is done, with its retries and checkpoints; people decide about the result where they are asked; and it keeps the
 * result until it is forgotten. It knows of no other task.
 */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { asBefore, type Asked, inTurn, type OrderReply, refused, TAKEN, type Turn } from '../rules/turn.ts';
import { type Message } from '../coordination/messages/messages.ts';
import { ANYBODY } from '../people/audience.ts';
import { type GateQuestion, type GateReport } from '../people/gates/gate.ts';
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { afterNotice, type AwaitedTickets, type WaitingNotice } from '../people/tickets/awaited-tickets.ts';
import { exhausted, failureOf } from '../work/failure-tiers.ts';
import { proposalOf } from '../work/proposal.ts';
import { type StageReport } from '../work/stage.ts';
import { taskBoss } from '../work/task-boss.ts';
import { type TaskRetry } from '../work/task.ts';
import { TASK_DESKS } from './system-ids.ts';

/** A question to people about the result of a task, asked when the work is done. */
export interface TaskGate extends Pick<GateQuestion, 'title'> {
  /** Names of the people whose answer counts. Default: anybody. */
  readonly audience?: readonly string[];
  /** Times of reminders, in milliseconds after the opening. Default: none. */
  readonly remindAfterMs?: readonly number[];
  /** Milliseconds after which the task fails if nobody has answered. Default: it waits for ever. */
  readonly deadlineMs?: number | null;
}

export interface TaskInput {
  readonly id: string;
  /** The agent type. */
  readonly agent: string;
  readonly input: unknown;
  readonly retry: TaskRetry;
  /** Longest time of an attempt in milliseconds; null for no limit. */
  readonly timeoutMs: number | null;
  readonly gate: TaskGate | null;
  /** Milliseconds for which an ended task is kept. */
  readonly keepMs: number;
}

export interface TaskContext extends TaskInput {
  readonly startedAtMs: number;
  /** Failed attempts so far. */
  readonly failures: number;
  /** The result of the work; null before, and for work that returns nothing. */
  readonly output: unknown;
  /** Why the task failed; null unless it did. */
  readonly error: string | null;
  /** Ids of the open gates of the task. */
  readonly gates: readonly string[];
  /** Ids of the gates that people have approved. They are not asked again. */
  readonly passed: readonly string[];
  /** Tickets for whose answer the work waits; absent before the first one. */
  readonly tickets?: AwaitedTickets;
}

type Event =
  | (StageReport & Asked)
  | { readonly type: 'child.exited'; readonly id: string; readonly error: unknown }
  | (Message<'gate.request'> & Asked)
  | (Message<'pause.request' | 'capacity.set'> & Asked)
  | ({ readonly type: `talk.${'finding' | 'request' | 'challenge' | 'confirmation' | 'alert'}` } & Asked)
  | Extract<GateReport, { readonly type: 'gate.closed' }>
  | WaitingNotice
  | ({ readonly type: 'task.cancel' } & Asked);

type TaskTurn = Turn<TaskContext>;

/** JSON Schema of the answer to a gate of a task. */
const ANSWER_FORM = {
  type: 'object',
  properties: { decision: { enum: ['approve', 'reject'] }, reason: { type: 'string' } },
  required: ['decision'],
};

/** The name of the gate that is asked when the work is done; agents name theirs themselves. */
const RESULT_GATE = 'result';

const machine = setup({
  types: {} as { context: TaskContext; events: Event; input: TaskInput },
  delays: { kept: ({ context }) => context.keepMs },
  guards: {
    isUndecided: ({ context }) => context.gate !== null || context.gates.length > 0,
    isApproved: ({ event }) => event.type === 'gate.closed' && decisionOf(event).decision === 'approve',
    isLastApproved: ({ context, event }) =>
      event.type === 'gate.closed' &&
      decisionOf(event).decision === 'approve' &&
      context.gates.every((id) => id === event.result.gate),
  },
  actions: {
    work: inTurn(beginWork),
    endWork: inTurn((turn: TaskTurn) =>
      turn.send(TASK_DESKS.taskWork, { type: 'child.terminate', id: turn.context.id }),
    ),
    askAboutResult: inTurn((turn: TaskTurn) => {
      const { gate, output } = turn.context;
      if (gate !== null) ask(turn, RESULT_GATE, { ...gate, materials: output });
    }),
    askForAgent: inTurn((turn: TaskTurn, event: Event) => {
      if (event.type === 'gate.request') turn.answer(ask(turn, event.gate, event));
    }),
    recallGates: inTurn((turn: TaskTurn) => {
      for (const gate of turn.context.gates) turn.send(PEOPLE_DESKS.gates, { type: 'gate.recall', gate });
      turn.assign({ gates: [] });
    }),
    gateClosed: inTurn((turn: TaskTurn, event: Event) => {
      if (event.type !== 'gate.closed') return;
      const { gates, passed } = turn.context;
      const { gate } = event.result;
      turn.assign({ gates: gates.filter((id) => id !== gate) });
      if (decisionOf(event).decision === 'approve') turn.assign({ passed: [...passed, gate] });
    }),
    noteTicket: assign(({ context: { tickets = {} }, event }) => ({
      tickets: afterNotice(tickets, event as WaitingNotice),
    })),
    /** Nobody waits for an answer any more. */
    rejectTickets: inTurn((turn: TaskTurn) => {
      const { agent: by, tickets = {} } = turn.context;
      const reason = 'nothing waits for it any more: its task has ended';
      for (const ticket of Object.keys(tickets))
        turn.send(PEOPLE_DESKS.tickets, { type: 'tickets.reject', ticket, by, reason });
      turn.assign({ tickets: {} });
    }),
    turnedDown: assign({
      error: ({ event }) => (event.type === 'gate.closed' ? decisionOf(event).because : null),
    }),
    accept: inTurn((turn: TaskTurn) => turn.answer(TAKEN)),
    refuse: inTurn((turn: TaskTurn, event: Event) =>
      turn.answer(refused(`"${event.type}" is about a plan, and this task belongs to none`)),
    ),
  },
}).createMachine({
  id: 'task',
  context: ({ input, self }) => ({
    ...input,
    startedAtMs: timeOf(self),
    failures: 0,
    output: null,
    error: null,
    gates: [],
    passed: [],
  }),
  initial: 'working',
  states: {
    working: {
      entry: 'work',
      exit: 'rejectTickets',
      on: {
        'ticket.opened': { actions: 'noteTicket' },
        'ticket.resolved': { actions: 'noteTicket' },
        'ticket.rejected': { actions: 'noteTicket' },
        'ticket.failed': { actions: 'noteTicket' },
        'task.attemptFailed': { actions: assign({ failures: ({ context }) => context.failures + 1 }) },
        'task.completed': [
          {
            guard: 'isUndecided',
            target: 'waitingForHuman',
            actions: [assign({ output: ({ event }) => event.output }), 'endWork'],
          },
          { target: 'done', actions: [assign({ output: ({ event }) => event.output }), 'endWork'] },
        ],
        'task.failed': {
          target: 'failed',
          actions: [assign({ error: ({ event }) => event.failure.message }), 'endWork'],
        },
        // The Boss of the work has ended: the attempts are used up.
        'child.exited': {
          target: 'failed',
          actions: assign({ error: ({ event }) => exhausted(failureOf(event.error)).message }),
        },
        'gate.request': { actions: 'askForAgent' },
        'gate.closed': [
          { guard: 'isApproved', actions: 'gateClosed' },
          { target: 'failed', actions: ['gateClosed', 'turnedDown', 'endWork'] },
        ],
        'task.cancel': { target: 'cancelled', actions: ['accept', 'endWork'] },
        'pause.request': { actions: 'refuse' },
        'capacity.set': { actions: 'refuse' },
        'talk.finding': { actions: 'refuse' },
        'talk.request': { actions: 'refuse' },
        'talk.challenge': { actions: 'refuse' },
        'talk.confirmation': { actions: 'refuse' },
        'talk.alert': { actions: 'refuse' },
      },
    },
    waitingForHuman: {
      entry: 'askAboutResult',
      on: {
        'gate.closed': [
          { guard: 'isLastApproved', target: 'done', actions: 'gateClosed' },
          { guard: 'isApproved', actions: 'gateClosed' },
          { target: 'failed', actions: ['gateClosed', 'turnedDown'] },
        ],
        'task.cancel': { target: 'cancelled', actions: 'accept' },
      },
    },
    done: { after: { kept: 'forgotten' } },
    failed: { entry: 'recallGates', after: { kept: 'forgotten' } },
    cancelled: { entry: 'recallGates', after: { kept: 'forgotten' } },
    forgotten: { type: 'final' },
  },
});

/** The agent of tasks that belong to no plan. Its actors are under the Boss `tasks`, named by the id of the task. */
export const taskAgent = defineAgent({
  name: 'task',
  version: 2,
  // Version 1 waited for no tickets, and a task that waits for none is kept as it was.
  migrate: { 2: asBefore },
  machine,
  events: { 'task.cancel': z.object({}) },
  internal: ['task.attemptFailed', 'task.completed', 'task.failed'],
});

/** The children of a root Boss for such tasks. */
export function taskChildren() {
  const { tasks, taskWork } = TASK_DESKS;
  const template = { agent: taskAgent.name, restart: 'transient' as const };
  return [
    { id: taskWork, systemId: taskWork, boss: {} },
    { id: tasks, systemId: tasks, boss: { strategy: 'dynamic' as const, template } },
  ];
}

function beginWork(turn: TaskTurn): void {
  const { id, agent, input, retry, timeoutMs } = turn.context;
  const task = { id, item: null, stage: null, agent, input, run: null, retry, timeoutMs };
  const facts = { results: {}, expectedMs: null, checkpoint: null, decisions: {} };
  const spec = taskBoss({ task, coordinator: turn.self, ...facts });
  turn.send(TASK_DESKS.taskWork, { type: 'child.start', id, spec });
}

/** Asks people about the task. A gate that is open already is not asked again. */
function ask(
  turn: TaskTurn,
  name: string,
  asked: TaskGate & { readonly materials?: unknown },
): OrderReply & { readonly isValidated?: boolean } {
  const { id: item, gates, passed } = turn.context;
  const { title, audience = [ANYBODY], remindAfterMs = [], deadlineMs = null, materials = null } = asked;
  if (turn.find(PEOPLE_DESKS.gates) === undefined) return refused('people cannot be asked here: there is no gate desk');
  const id = `task.${item}.${name}`;
  const isValidated = passed.includes(id);
  if (isValidated || gates.includes(id)) return { ...TAKEN, isValidated };
  turn.assign({ gates: [...gates, id] });
  const about = { id, kind: 'task', title, item, stage: null, proposal: proposalOf(materials) };
  const form = { package: materials, form: ANSWER_FORM, onTimeout: null };
  const times = { audience: [...audience], remindAfterMs: [...remindAfterMs], deadlineMs };
  turn.send(PEOPLE_DESKS.gates, { type: 'gate.open', ...about, ...form, ...times, askedBy: turn.self });
  return { ...TAKEN, isValidated };
}

/** The decision of people, and the reason of one that is no approval. */
function decisionOf({ result }: Extract<GateReport, { readonly type: 'gate.closed' }>) {
  const { gate, outcome, by, answer } = result;
  const { decision = null, reason } = (answer ?? {}) as { readonly decision?: string; readonly reason?: string };
  if (outcome !== 'answered') return { decision: null, because: `the gate "${gate}" is ${outcome}` };
  const said = reason === undefined ? '' : `: ${reason}`;
  return { decision, because: `${by ?? 'nobody'} rejected it${said}` };
}
