/**
 * A gate: one durable question to people (seed 002, CA-008). It stays open, with reminders, until a member of its
 * audience answers in the requested form, its deadline passes, or it is withdrawn. Then it reports to the agent that
 * asked and ends. It knows nothing of the subject: presets are in gate-presets.ts, lists in gate-desk.ts.
 */
import { type AnyActorRef, assign, enqueueActions, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { speaker } from '../../../actors/model/person.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { monitor } from '../../../actors/model/talk-actions.ts';
import {
  GATE_ABOUT_CHARS_MAX,
  GATE_ANSWER_BYTES_MAX,
  GATE_AUDIENCE_BYTES_MAX,
  GATE_AUDIENCE_MAX,
  GATE_REMINDERS_MAX,
  GATE_TIMEOUT_BYTES_MAX,
} from '../../limits.ts';
import { flawOfForm, problemsOf } from './gate-form.ts';
import { gateName } from './gate-name.ts';
import { armReminder, inOrder, remindInTime, waitingText } from './gate-reminders.ts';
import { strangerProblem } from '../audience.ts';
import { type Settlement, notify, settle } from '../notice.ts';
import { fits } from '../../rules/value-size.ts';
import { answerOrder, type PassedOrder } from '../../rules/desk.ts';
import { asBefore, inTurn, type OrderReply, refused, TAKEN } from '../../rules/turn.ts';

/** The longest time that a gate may be given. A gate meant to wait longer has no deadline. */
const GATE_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/** A deadline or an extension of one, in milliseconds. */
export const durationMs = z.int().positive().max(GATE_MS_MAX);
/** A schema for any data of at most `bytes` bytes. */
function dataOf(bytes: number) {
  return z.unknown().refine((value) => fits(value, bytes), `larger than ${bytes} bytes`);
}

const about = z.string().max(GATE_ABOUT_CHARS_MAX).nullable().default(null);
const personName = z.string().min(1).max(200);
const names = z.array(personName).min(1).max(GATE_AUDIENCE_MAX);
/** The name of the person who speaks. */
export const who = speaker(personName.min(1));

/** A question to people, as plain data. */
export const gateQuestion = z.object({
  /** The gate's id, which becomes part of an address. */
  id: z.string().regex(/^(?!__proto__$)[A-Za-z0-9\-_.:@+~]{1,100}$/, 'an id is 1 to 100 letters, digits and -_.:@+~'),
  /** The kind of question, by which desks and lists tell gates apart: `G4`, `ticket`. */
  kind: z.string().min(1).max(100),
  title: z.string().min(1).max(500),
  /** The subject, which distinguishes gates of one title for people. */
  item: about,
  stage: about,
  /** The proposal, in one line. */
  proposal: about,
  /** The material for the decision: any data. */
  package: z.unknown(),
  /** Names of the people whose answer counts; `*` is anybody. */
  audience: names.refine((all) => fits(all, GATE_AUDIENCE_BYTES_MAX), `larger than ${GATE_AUDIENCE_BYTES_MAX} bytes`),
  /** JSON Schema of the answer, made with `formOf` of gate-form.ts. */
  form: z
    .record(z.string(), z.unknown())
    .refine((form) => flawOfForm(form) === undefined, 'must be a JSON Schema that can check an answer'),
  /** Times of the reminders, in milliseconds after the opening. */
  remindAfterMs: z.array(durationMs).max(GATE_REMINDERS_MAX).default([]),
  /** Milliseconds after the opening; null: the gate waits for ever and blocks its dependents. */
  deadlineMs: durationMs.nullable(),
  /** The result if nobody answers in time, handed to the agent that asked. */
  onTimeout: z
    .object({ name: z.string().min(1).max(200), value: dataOf(GATE_TIMEOUT_BYTES_MAX) })
    .nullable()
    .default(null),
});
/** A question to people after parsing, with its defaults. */
export type GateQuestion = z.output<typeof gateQuestion>;

export const gateAnswer = z.object({ gate: z.string(), by: who, answer: dataOf(GATE_ANSWER_BYTES_MAX) });

/** The result of a gate. */
export interface GateResult {
  readonly gate: string;
  /** `failed`: the gate's own actor failed. */
  readonly outcome: 'answered' | 'timedOut' | 'withdrawn' | 'failed';
  /** The answer in the requested form; null if there is none. */
  readonly answer: unknown;
  /** The person who answered or withdrew the gate; null if nobody did. */
  readonly by: string | null;
  readonly onTimeout: GateQuestion['onTimeout'];
  readonly openedAtMs: number;
  readonly closedAtMs: number;
  /** Number of reminders that people got. */
  readonly reminders: number;
  /** Why the question was not asked; absent if it was. */
  readonly problems?: readonly string[];
}

/** Reports to the desk; `gate.closed` also goes to the agent that asked. */
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

export interface GateContext extends GateInput {
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
  | ({ readonly type: 'gate.withdraw'; readonly by: string } & PassedOrder)
  /** The agent that opened the gate withdraws its question. */
  | { readonly type: 'gate.recall' }
  /** The agent that asked has ended. */
  | { readonly type: 'bosun.down' }
  /** Moves the deadline by `byMs`. */
  | ({ readonly type: 'gate.extend'; readonly byMs: number } & PassedOrder)
  /** The time of a reminder has come, and people are reminded. */
  | { readonly type: 'gate.remind' | 'gate.insist' }
  | { readonly type: 'gate.expire' };

const gateMachine = setup({
  types: {} as { context: GateContext; events: Event; input: GateInput; output: GateResult },
  delays: {
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
    watchAsker: enqueueActions(({ context: { askedBy }, enqueue }) => {
      if (askedBy !== null) enqueue(monitor(askedBy));
    }),
    notify: inTurn((turn) => {
      const { question, reminders } = turn.context;
      const { id, audience } = question;
      const detail = waitingText(turn);
      const priority = reminders === 0 ? 'MEDIUM' : 'HIGH';
      const title = gateName(question);
      const people = { audience, mayAcknowledge: audience };
      notify(turn, { subject: `gate ${id}`, kind: 'gate.waiting', priority, title, detail, ...people });
    }),
    answer: inTurn((turn, event, reply: OrderReply) =>
      answerOrder(turn, turn.context.question.id, event as PassedOrder, reply),
    ),
    armReminder: inTurn(armReminder),
    remindInTime: inTurn(remindInTime),
    armDeadline: enqueueActions(({ context, enqueue }) => {
      enqueue.cancel('deadline');
      if (context.deadlineAtMs !== null) enqueue.raise({ type: 'gate.expire' }, { delay: 'deadline', id: 'deadline' });
    }),
    reportReminder: sendTo(
      ({ context }) => context.desk,
      ({ context: { question, reminders } }): GateReport => ({ type: 'gate.reminded', id: question.id, reminders }),
    ),
    reportEnd: inTurn((turn, event, { outcome }: { outcome: GateResult['outcome'] }) => {
      const { desk, askedBy, question } = turn.context;
      const closed: GateReport = { type: 'gate.closed', result: resultOf(turn.context, outcome, turn.nowMs) };
      turn.send(desk, closed);
      // An asker that has ended would leave the report as a dead letter.
      if (askedBy !== null && event.type !== 'bosun.down') turn.send(askedBy, closed);
      settle(turn, { ...cardsOfGate(question.id), because: `the gate is ${outcome}` });
    }),
  },
}).createMachine({
  id: 'gate',
  context: ({ input, self }) => ({
    ...input,
    question: inOrder(input.question),
    openedAtMs: timeOf(self),
    deadlineAtMs: input.question.deadlineMs === null ? null : timeOf(self) + input.question.deadlineMs,
    reminders: 0,
    answer: null,
    by: null,
  }),
  initial: 'waiting',
  states: {
    waiting: {
      entry: ['announce', 'watchAsker', 'armDeadline', 'notify'],
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
        'gate.withdraw': {
          target: 'withdrawn',
          actions: [assign({ by: ({ event }) => event.by }), { type: 'answer', params: TAKEN }],
        },
        'gate.recall': 'withdrawn',
        // Nobody waits for the answer any more.
        'bosun.down': 'withdrawn',
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
          { actions: { type: 'answer', params: refused('the gate has no deadline to extend') } },
        ],
        'gate.expire': 'timedOut',
        'gate.remind': { actions: 'remindInTime' },
        'gate.insist': { target: '.reminded', actions: assign({ reminders: ({ context }) => context.reminders + 1 }) },
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

/** The agent for gates, one actor per question, started by the gate desk. People may also answer at its address. */
export const gate = defineAgent({
  name: 'gate',
  version: 2,
  // Version 1 did not watch the actor that asked, and gave each reminder that had passed while the system was down.
  migrate: { 2: asBefore },
  machine: gateMachine,
  events: { 'gate.answer': gateAnswer },
});

/** The alert cards about a gate: that it waits, and that provisional decisions are due at it. */
export function cardsOfGate(id: string): Pick<Settlement, 'subject' | 'kinds'> {
  return { subject: `gate ${id}`, kinds: ['gate.waiting', 'provisionals.due'] };
}

/** Why an answer does not count, one reason per line; empty if it counts. */
function refusalsOf(
  { audience, form }: GateQuestion,
  { by, answer }: { readonly by: string; readonly answer?: unknown },
): readonly string[] {
  const stranger = strangerProblem(audience, by);
  return stranger === undefined ? problemsOf(form, answer) : [stranger];
}

function resultOf(
  { question, answer, by, openedAtMs, reminders }: GateContext,
  outcome: GateResult['outcome'],
  closedAtMs: number,
): GateResult {
  return { gate: question.id, outcome, answer, by, onTimeout: question.onTimeout, openedAtMs, closedAtMs, reminders };
}
