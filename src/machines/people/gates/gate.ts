/**
 * A gate: one durable question to people (seed 002, CA-008). It is open, then reminded, until somebody of its audience
 * answers in the form it asks for, its deadline passes, or whoever asked withdraws it. Then it tells who asked, and
 * ends. Knows nothing of what is asked: presets are in gate-presets.ts, lists and names in gate-desk.ts.
 */
import { type AnyActorRef, assign, enqueueActions, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import {
  GATE_ANSWER_BYTES_MAX,
  GATE_AUDIENCE_MAX,
  GATE_REMINDERS_MAX,
  GATE_TIMEOUT_BYTES_MAX,
} from '../../../limits.ts';
import { flawOfForm, problemsOf } from './gate-form.ts';
import { fits } from '../value-size.ts';
import { answerOrder, type PassedOrder } from '../desk.ts';
import { inTurn, type OrderReply, refused, TAKEN } from '../turn.ts';

/** The longest time a gate may be given: longer ones have no deadline. */
const GATE_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/** Of a deadline, or of more time. */
export const durationMs = z.int().positive().max(GATE_MS_MAX);
/** Any data, up to so many bytes. */
function dataOf(bytes: number) {
  return z.unknown().refine((value) => fits(value, bytes), `larger than ${bytes} bytes`);
}

const who = z.string().min(1).max(200);

/** Whose answer counts where a gate's audience is this. */
export const ANYBODY = '*';

/** What a gate asks. Plain data. */
export const gateQuestion = z.object({
  /** Becomes part of an address. */
  id: z.string().regex(/^(?!__proto__$)[A-Za-z0-9\-_.:@+~]{1,100}$/, 'an id is 1 to 100 letters, digits and -_.:@+~'),
  /** What sort of question it is, by which desks and lists tell gates apart: `G4`, `ticket`. */
  kind: z.string().min(1).max(100),
  title: z.string().min(1).max(500),
  /** What people need to decide: any data. */
  package: z.unknown(),
  /** Whose answer counts; `*` is anybody. */
  audience: z.array(who).min(1).max(GATE_AUDIENCE_MAX),
  /** JSON Schema of the answer: `formOf` of gate-form.ts. */
  form: z
    .record(z.string(), z.unknown())
    .refine((form) => flawOfForm(form) === undefined, 'no JSON Schema that an answer can be checked by'),
  /** When reminders go out, counted from the opening. */
  remindAfterMs: z.array(durationMs).max(GATE_REMINDERS_MAX).default([]),
  /** Counted from the opening; null: it waits for ever and blocks what waits for it. */
  deadlineMs: durationMs.nullable(),
  /** What holds when nobody answers in time, handed to whoever asked. */
  onTimeout: z
    .object({ name: z.string().min(1).max(200), value: dataOf(GATE_TIMEOUT_BYTES_MAX) })
    .nullable()
    .default(null),
});
export type GateQuestion = z.output<typeof gateQuestion>;

export const gateAnswer = z.object({ gate: z.string(), by: who, answer: dataOf(GATE_ANSWER_BYTES_MAX) });

export interface GateResult {
  readonly gate: string;
  /** `failed`: the gate itself could not go on. */
  readonly outcome: 'answered' | 'timedOut' | 'withdrawn' | 'failed';
  /** In the form asked for; null without an answer. */
  readonly answer: unknown;
  readonly by: string | null;
  readonly onTimeout: GateQuestion['onTimeout'];
  readonly openedAtMs: number;
  readonly closedAtMs: number;
  readonly reminders: number;
}

/** What the desk is told, and at the end whoever asked. */
export type GateReport =
  | {
      readonly type: 'gate.opened';
      readonly id: string;
      readonly gate: AnyActorRef;
      readonly openedAtMs: number;
      readonly deadlineAtMs: number | null;
    }
  | { readonly type: 'gate.reminded'; readonly id: string; readonly reminders: number }
  | { readonly type: 'gate.extended'; readonly id: string; readonly deadlineAtMs: number }
  | { readonly type: 'gate.closed'; readonly result: GateResult };

export interface GateInput {
  readonly question: GateQuestion;
  readonly askedBy: AnyActorRef | null;
  readonly desk: AnyActorRef;
}

interface GateContext extends GateInput {
  readonly openedAtMs: number;
  readonly deadlineAtMs: number | null;
  readonly reminders: number;
  readonly answer: unknown;
  readonly by: string | null;
}

type Event =
  | ({
      readonly type: 'gate.answer';
      readonly gate: string;
      readonly by: string;
      readonly answer?: unknown;
    } & PassedOrder)
  | ({ readonly type: 'gate.withdraw' } & PassedOrder)
  /** More time, counted from the deadline as it stands. */
  | ({ readonly type: 'gate.extend'; readonly byMs: number } & PassedOrder)
  | { readonly type: 'gate.remind' }
  | { readonly type: 'gate.expire' };

const gateMachine = setup({
  types: {} as { context: GateContext; events: Event; input: GateInput; output: GateResult },
  delays: {
    reminder: ({ context, self }) =>
      Math.max(0, context.openedAtMs + context.question.remindAfterMs[context.reminders]! - timeOf(self)),
    deadline: ({ context, self }) => Math.max(0, context.deadlineAtMs! - timeOf(self)),
  },
  guards: {
    isTaken: ({ context, event }) => event.type === 'gate.answer' && refusalsOf(context.question, event).length === 0,
    hasDeadline: ({ context }) => context.deadlineAtMs !== null,
  },
  actions: {
    announce: enqueueActions(({ context, enqueue, self }) => {
      const { question, desk, openedAtMs, deadlineAtMs } = context;
      enqueue.sendTo(desk, {
        type: 'gate.opened',
        id: question.id,
        gate: self,
        openedAtMs,
        deadlineAtMs,
      } satisfies GateReport);
    }),
    notify: inTurn((turn) => {
      const { question, reminders } = turn.context;
      const { id, title, audience } = question;
      const isFirst = reminders === 0;
      const detail = isFirst ? 'An answer is waited for.' : `Still no answer, reminder ${reminders}.`;
      const priority = isFirst ? 'MEDIUM' : 'HIGH';
      turn.notify({ subject: `gate ${id}`, kind: 'gate.waiting', priority, title, detail, audience });
    }),
    answer: inTurn((turn, event, reply: OrderReply) =>
      answerOrder(turn, turn.context.question.id, event as PassedOrder, reply),
    ),
    armReminder: enqueueActions(({ context: { question, reminders }, enqueue }) => {
      if (reminders < question.remindAfterMs.length)
        enqueue.raise({ type: 'gate.remind' }, { delay: 'reminder', id: 'reminder' });
    }),
    armDeadline: enqueueActions(({ context, enqueue }) => {
      enqueue.cancel('deadline');
      if (context.deadlineAtMs !== null) enqueue.raise({ type: 'gate.expire' }, { delay: 'deadline', id: 'deadline' });
    }),
    reportReminder: sendTo(
      ({ context }) => context.desk,
      ({ context: { question, reminders } }): GateReport => ({ type: 'gate.reminded', id: question.id, reminders }),
    ),
    reportEnd: inTurn((turn, _, { outcome }: { outcome: GateResult['outcome'] }) => {
      const { desk, askedBy, question } = turn.context;
      const closed: GateReport = { type: 'gate.closed', result: resultOf(turn.context, outcome, turn.nowMs) };
      turn.send(desk, closed);
      if (askedBy !== null) turn.send(askedBy, closed);
      const because = `the gate is ${outcome}`;
      turn.settle({ subject: `gate ${question.id}`, kinds: ['gate.waiting'], because });
    }),
  },
}).createMachine({
  id: 'gate',
  context: ({ input, self }) => ({
    ...input,
    question: { ...input.question, remindAfterMs: input.question.remindAfterMs.toSorted((a, b) => a - b) },
    openedAtMs: timeOf(self),
    deadlineAtMs: input.question.deadlineMs === null ? null : timeOf(self) + input.question.deadlineMs,
    reminders: 0,
    answer: null,
    by: null,
  }),
  initial: 'waiting',
  states: {
    waiting: {
      entry: ['announce', 'armDeadline', 'notify'],
      initial: 'open',
      on: {
        'gate.answer': [
          {
            guard: 'isTaken',
            target: 'answered',
            actions: [
              assign({ answer: ({ event }) => event.answer ?? null, by: ({ event }) => event.by }),
              { type: 'answer', params: TAKEN },
            ],
          },
          {
            actions: {
              type: 'answer',
              params: ({ context, event }) => refused(...refusalsOf(context.question, event)),
            },
          },
        ],
        'gate.withdraw': { target: 'withdrawn', actions: { type: 'answer', params: TAKEN } },
        'gate.extend': [
          {
            guard: 'hasDeadline',
            actions: [
              assign({ deadlineAtMs: ({ context, event }) => context.deadlineAtMs! + event.byMs }),
              'armDeadline',
              sendTo(
                ({ context }) => context.desk,
                ({ context }): GateReport => ({
                  type: 'gate.extended',
                  id: context.question.id,
                  deadlineAtMs: context.deadlineAtMs!,
                }),
              ),
              { type: 'answer', params: TAKEN },
            ],
          },
          { actions: { type: 'answer', params: refused('it waits as long as it takes, and needs no more time') } },
        ],
        'gate.expire': 'timedOut',
        'gate.remind': { target: '.reminded', actions: assign({ reminders: ({ context }) => context.reminders + 1 }) },
      },
      states: {
        open: { entry: 'armReminder' },
        reminded: { entry: ['armReminder', 'reportReminder', 'notify'] },
      },
    },
    answered: { type: 'final', entry: { type: 'reportEnd', params: { outcome: 'answered' } } },
    timedOut: { type: 'final', entry: { type: 'reportEnd', params: { outcome: 'timedOut' } } },
    withdrawn: { type: 'final', entry: { type: 'reportEnd', params: { outcome: 'withdrawn' } } },
  },
});

/** One per question; started by the gate desk. People may also answer at its own address. */
export const gate = defineAgent({ name: 'gate', machine: gateMachine, events: { 'gate.answer': gateAnswer } });

/** Why an answer does not count, a line each; empty where it does. */
function refusalsOf(
  { audience, form }: GateQuestion,
  { by, answer }: { readonly by: string; readonly answer?: unknown },
): readonly string[] {
  if (!audience.includes(ANYBODY) && !audience.includes(by)) return [`by: ${by} is not among those asked`];
  return problemsOf(form, answer);
}

function resultOf(
  { question, answer, by, openedAtMs, reminders }: GateContext,
  outcome: GateResult['outcome'],
  closedAtMs: number,
): GateResult {
  return { gate: question.id, outcome, answer, by, onTimeout: question.onTimeout, openedAtMs, closedAtMs, reminders };
}
