/**
 * One question at the answer desk (AT-039, AT-049): the answer team at work on it. It waits for a place, finds
 * evidence, has an answer formulated and scored, and gives it, gives it provisionally beside a ticket, or asks people.
 * Its deadline counts from the trigger. It ends with the answer, or once people have settled its ticket; the rules are
 * in question-rules.ts, and the desk keeps what became of it.
 */
import { and, assign } from 'xstate';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { timeOf } from '../../actors/model/ref.ts';
import { table } from '../../table.ts';
import { asBefore } from '../rules/turn.ts';
import { heard, type Known, late, type PortContract } from '../work/port.ts';
import { answerPortActors, type AnswerPorts, DRAFT, RESEARCHED, RETRIEVED } from './answer-ports.ts';
import { EVIDENCE_MAX } from './evidence.ts';
import { questionSetup } from './question-setup.ts';
import { type QuestionContext } from './question-state.ts';
import { deadlineMsOf } from './triggers.ts';

/** Returns a port's answer, known or unknown, as the parameter of an action. */
function readAs<Answer>(contract: PortContract<Answer>) {
  return ({ event }: { readonly event: object }): Known<Answer> => heard(contract, event);
}

const NOTE_EVIDENCE = { type: 'noteEvidence', params: readAs(RETRIEVED) } as const;
const NOTE_DRAFT = { type: 'noteDraft', params: readAs(DRAFT) } as const;
const NOTE_RESEARCH = { type: 'noteResearch', params: readAs(RESEARCHED) } as const;

const AFTER_RESEARCH = [
  { guard: 'foundMore', target: 'formulating', actions: NOTE_RESEARCH },
  { target: 'scoring', actions: NOTE_RESEARCH },
] as const;

/** The transitions at the deadline, which use the evidence found by then. */
const AT_DEADLINE = [
  { guard: 'isUsableAndEscalates', target: '#question.provisional', actions: 'noteTimeout' },
  { guard: 'isUsable', target: '#question.answered', actions: 'noteTimeout' },
  { guard: 'escalates', target: '#question.escalated', actions: 'noteTimeout' },
  { target: '#question.unanswered', actions: 'noteTimeout' },
] as const;

const UNDER_WAY = { 'question.deadline': AT_DEADLINE } as const;

const questionMachine = questionSetup.createMachine({
  id: 'question',
  context: ({ input, self }): QuestionContext => ({
    ...input,
    // A trigger of the past never gives more time than one of this moment.
    deadlineAtMs: Math.min(input.askedAtMs, timeOf(self)) + deadlineMsOf(input.trigger, input.priority, input.profile),
    evidence: [],
    isComplete: true,
    scored: null,
    hasResearched: false,
    hasBrokenAgain: false,
    hasTimedOut: false,
    dropped: [],
    tweak: null,
    notKnown: [],
    ticket: null,
    resolvedAs: null,
    waiters: table(),
  }),
  entry: ['announce', 'armDeadline'],
  initial: 'queued',
  on: {
    'question.await': { actions: 'keepWaiting' },
    'wait.over': { actions: 'endWait' },
  },
  states: {
    queued: { on: { ...UNDER_WAY, 'place.granted': 'loading' } },
    loading: { always: [{ guard: 'isTooLarge', target: 'breaking' }, { target: 'retrieving' }] },
    breaking: { entry: 'break', always: 'retrieving' },
    retrieving: {
      entry: 'tellProgress',
      on: UNDER_WAY,
      invoke: {
        src: 'retrieve',
        input: ({ context: { bundle, scopes } }) => ({
          question: bundle.question,
          options: bundle.possible_options,
          scopes: scopes === null ? null : [...scopes],
          limit: EVIDENCE_MAX,
        }),
        onDone: { target: 'formulating', actions: NOTE_EVIDENCE },
        onError: { target: 'formulating', actions: NOTE_EVIDENCE },
      },
      after: { retrieval: { target: 'formulating', actions: { type: 'noteEvidence', params: late(RETRIEVED) } } },
    },
    formulating: {
      on: UNDER_WAY,
      invoke: {
        src: 'formulate',
        input: ({ context: { bundle, evidence, isComplete, profile } }) => ({
          bundle,
          evidence,
          isComplete,
          depth: profile.response_depth,
          role: profile.team_role,
        }),
        onDone: { target: 'scoring', actions: NOTE_DRAFT },
        onError: [
          { guard: 'wasTooLarge', target: 'formulating', reenter: true, actions: 'breakAgain' },
          { target: 'scoring', actions: NOTE_DRAFT },
        ],
      },
    },
    scoring: {
      always: [
        { guard: 'isDirect', target: 'answered' },
        { guard: and(['mayResearch', 'hasTeam']), target: 'delegating' },
        { guard: 'mayResearch', target: 'researching' },
        { guard: 'isUsableAndEscalates', target: 'provisional' },
        { guard: 'isUsable', target: 'answered' },
        { guard: 'escalates', target: 'escalated' },
        { target: 'unanswered' },
      ],
    },
    researching: {
      entry: 'tellProgress',
      on: UNDER_WAY,
      invoke: {
        src: 'research',
        input: ({ context: { bundle, scopes, evidence, deadlineAtMs }, self }) => ({
          question: bundle.question,
          options: bundle.possible_options,
          scopes: scopes === null ? null : [...scopes],
          limit: EVIDENCE_MAX,
          known: evidence,
          withinMs: Math.max(0, deadlineAtMs - timeOf(self)),
        }),
        onDone: AFTER_RESEARCH,
        onError: { target: 'scoring', actions: NOTE_RESEARCH },
      },
    },
    /** Researching by the team of that name, where the host has no port of its own. */
    delegating: {
      entry: ['tellProgress', 'askResearcher'],
      on: { ...UNDER_WAY, 'research.done': AFTER_RESEARCH },
    },
    answered: { type: 'final', entry: { type: 'resolve', params: { verdict: 'direct' } } },
    unanswered: { type: 'final', entry: { type: 'resolve', params: { verdict: 'unanswered' } } },
    provisional: {
      entry: ['askPeople', 'armTicket', { type: 'resolve', params: { verdict: 'provisional' } }],
      on: {
        'question.await': { actions: 'answerProvisionally' },
        'ticket.opened': { actions: ['noteTicket', 'tellProvisional'] },
        'question.overdue': { actions: 'tellOverdue' },
        'ticket.resolved': { target: 'settled', actions: 'settle' },
        'ticket.rejected': { target: 'settled', actions: 'settle' },
        'ticket.failed': { target: 'provisional', actions: assign({ ticket: null }) },
        // The ticket stays, and from now on it is waited for.
        'draft.revoked': { target: 'escalated.waiting', actions: assign({ scored: null }) },
      },
    },
    escalated: {
      entry: { type: 'resolve', params: { verdict: 'escalated' } },
      initial: 'ticketing',
      on: {
        'ticket.resolved': { target: 'settled', actions: 'settle' },
        'ticket.rejected': { target: 'settled', actions: 'settle' },
        'ticket.failed': { target: '.ticketing', actions: assign({ ticket: null }) },
      },
      states: {
        ticketing: {
          entry: ['askPeople', 'armTicket'],
          on: {
            'ticket.opened': { target: 'waiting', actions: ['noteTicket', 'tellWaiting'] },
            'question.overdue': { actions: 'tellOverdue' },
          },
        },
        waiting: {
          tags: ['waiting'],
          on: {
            'ticket.opened': { actions: ['noteTicket', 'tellWaiting'] },
            'question.overdue': { actions: 'tellOverdue' },
          },
        },
      },
    },
    settled: { type: 'final' },
  },
});

/** Makes the agent for questions; each question is an actor. `ports` are the host's own, if any. */
export function questionAgent(ports: Partial<AnswerPorts> = {}) {
  return defineAgent({
    name: 'question',
    version: 3,
    migrate: {
      // The first version had the event of the ticket that is late under a name of the ticket's own timer.
      2: asBefore,
      // The second one knew no team that researches.
      3: ({ value, context }) => ({ value, context: { ...context, researcher: null } }) as never,
    },
    machine: questionMachine.provide({
      actors: answerPortActors(ports),
      ...(ports.research !== undefined && { guards: { hasTeam: () => false } }),
    }),
    events: {},
  });
}
