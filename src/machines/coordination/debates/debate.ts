/**
 * One debate about one challenge (seed 002, CA-092 to CA-099), from the two agents alone up to the review at a gate: L1
 * the agents, L2 the facilitator by credibility, L3 an expert, L4 the conservative default until somebody has looked,
 * L5 that look. Every level has its time, so that a debate ends whatever people and agents do or leave undone. Rules
 * are in level-two.ts, routing.ts, conservative-default.ts and debate-review.ts; lists, experts and records are the
 * desk's.
 */
import { and, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { defer, reply } from '../../../actors/model/talk-actions.ts';
import { isDefence, response, sideOf } from './challenge.ts';
import { resolutionOf } from './debate-document.ts';
import { type DebatePorts, historicalContextSchema, portActors, snapshotName } from './debate-ports.ts';
import {
  GATE_REVIEW_MS,
  GATE_REVIEWS_MAX,
  gateReviewForm,
  level3Form,
  MORE_EVIDENCE_MS,
  REVIEW_MS,
} from './debate-review.ts';
import {
  type DebateContext,
  type DebateEmitted,
  type DebateEvent,
  type DebateInput,
  type DebateLevel,
  type DebateOutcome,
  type DebateReport,
} from './debate-state.ts';
import {
  askPeople,
  nextGate,
  sidesOf,
  tellDeferral,
  tellOpening,
  tellProvisional,
  tellResolution,
  withdrawQuestion,
} from './debate-talk.ts';
import {
  answerIn,
  consensus,
  decisionIn,
  hear,
  historyOf,
  isOfOpenGate,
  ofFacilitator,
  ofPeople,
  ofSilence,
  weighed,
  winner,
} from './debate-verdict.ts';
import { provisionalOf, windowEnd } from './provisional.ts';
import { overflow } from './routing.ts';

const MINUTE_MS = 60_000;

/** CA-100: what has to be brought to one state before a debate may take so long. */
const PREPARATION_MS = 2_000;
/** CA-096. */
const ACKNOWLEDGEMENT_MS = 15 * MINUTE_MS;
/** CA-097: within so long level 2 has decided, or people do. */
const FACILITATION_MS = 60 * MINUTE_MS;
/** A gate decides by its own deadline; if it does not, for whatever reason, the debate goes on without it. */
const GATE_GRACE_MS = 1_000;

/** Why level 4 is come to (CA-121). */
const TIMED_OUT = { type: 'noteTrigger', params: { trigger: 'timeout' } } as const;
const UNAVAILABLE = { type: 'noteTrigger', params: { trigger: 'expert unavailable' } } as const;
const QUEUE_FULL = { type: 'noteTrigger', params: { trigger: 'queue full' } } as const;

/** What is not there in time, or makes no sense, is done without, and said. */
const WITHOUT_SNAPSHOT = {
  target: 'taken',
  actions: { type: 'unknown', params: { what: 'the snapshot of facts' } },
} as const;
const WITHOUT_HISTORY = {
  target: 'loaded',
  actions: { type: 'unknown', params: { what: 'the historical context' } },
} as const;

const debateMachine = setup({
  types: {} as { context: DebateContext; events: DebateEvent; emitted: DebateEmitted; input: DebateInput },
  actors: portActors(),
  delays: {
    preparation: PREPARATION_MS,
    acknowledgement: ACKNOWLEDGEMENT_MS,
    escalation: ({ context }) => context.challenge.escalationMs,
    facilitation: FACILITATION_MS,
    review: ({ context, self }) => Math.max(0, context.reviewUntilMs! - timeOf(self)) + GATE_GRACE_MS,
    moreEvidence: MORE_EVIDENCE_MS,
    window: ({ context, self }) => Math.max(0, context.windowUntilMs! - timeOf(self)),
    gateReview: GATE_REVIEW_MS + GATE_GRACE_MS,
  },
  guards: {
    isFromChallenged: ({ context, event }) => 'by' in event && sideOf(context.challenge, event.by) === 'challenged',
    isFromSide: ({ context, event }) => 'by' in event && sideOf(context.challenge, event.by) !== null,
    isFromExpert: ({ context, event }) => event.type === 'debate.take-up' && event.by === context.expert,
    isDefence: ({ context, event }) => event.type === 'debate.respond' && isDefence(context.challenge, event),
    isResolvable: ({ context }) => winner(context, false) !== null,
    isUnavailable: ({ event }) => event.type === 'expert.refused' && event.reason === 'unavailable',
    overflows: ({ context }, to: ReturnType<typeof overflow>) =>
      overflow(context.challenge.priority, winner(context, true) !== null) === to,
    isOfOpenGate: ({ context, event }) => isOfOpenGate(context, event),
    asksMore: ({ context, event }) => answerIn(context, event)?.action === 'request-evidence' && !context.hasAskedMore,
    defers: ({ context, event }) =>
      answerIn(context, event)?.action === 'defer' && context.challenge.priority === 'supporting',
    redebates: ({ context, event }) => answerIn(context, event)?.action === 'redebate',
    decides: ({ context, event }) => decisionIn(context, event) !== null,
    confirms: ({ context, event }) =>
      context.provisional !== null && decisionIn(context, event)?.side === context.provisional.side,
    isProvisional: ({ context }) => context.provisional !== null,
    /** It has been asked for often enough. What was only deferred is not provisional yet. */
    isLastSilence: ({ context }) => context.provisional !== null && context.unanswered + 1 >= GATE_REVIEWS_MAX,
  },
  actions: {
    begin: enqueueActions(({ context, enqueue, self, system }) => tellOpening(enqueue, system, context, self)),
    enter: enqueueActions(
      ({ context: { challenge, desk, provisional, analysis }, enqueue }, { level }: { level: DebateLevel }) => {
        enqueue.assign({ level });
        enqueue.sendTo(desk, {
          type: 'debate.moved',
          debate: challenge.id,
          level,
          provisional,
          analysis,
        } satisfies DebateReport);
        enqueue.emit({ type: 'debate.level', debate: challenge.id, level });
      },
    ),
    /** Whatever a side says is on record; whether it counts as a defence is said back to it (CA-092). */
    record: enqueueActions(({ context, event, enqueue, self }) => {
      if (event.type !== 'debate.respond') return;
      const heard = hear(context, event, timeOf(self));
      if ('refusal' in heard) return enqueue(reply({ taken: false, problems: [heard.refusal] }));
      enqueue.assign(heard.patch);
      enqueue(reply({ taken: true, problems: heard.flaw === null ? [] : [heard.flaw] }));
    }),
    unknown: assign({ notKnown: ({ context }, { what }: { what: string }) => [...context.notKnown, what] }),
    request: enqueueActions(
      ({ context: { challenge, desk }, enqueue }, { type }: { type: 'records.request' | 'expert.request' }) => {
        enqueue.sendTo(desk, { type, debate: challenge.id } satisfies DebateReport);
      },
    ),
    /** The time that an expert has begins with the level, and goes on over a request for more evidence. */
    allowReview: assign({ reviewUntilMs: ({ context, self }) => context.reviewUntilMs ?? timeOf(self) + REVIEW_MS }),
    askExpert: enqueueActions(({ context, enqueue, self, system }) => {
      const { challenge, expert, hasAskedMore, reviewUntilMs } = context;
      const form = level3Form({ canAskMore: !hasAskedMore, canDefer: challenge.priority === 'supporting' });
      const deadlineMs = Math.max(1, reviewUntilMs! - timeOf(self));
      askPeople(enqueue, system, { context, self, form, audience: [expert!], deadlineMs });
      enqueue.assign(nextGate(context));
    }),
    askGate: enqueueActions(({ context, enqueue, self, system }) => {
      const form = gateReviewForm(context.provisional !== null);
      askPeople(enqueue, system, { context, self, form, audience: context.reviewers, deadlineMs: GATE_REVIEW_MS });
      enqueue.assign(nextGate(context));
    }),
    withdrawGate: enqueueActions(({ context, enqueue, system }) => withdrawQuestion(enqueue, system, context)),
    /** Once: a review without an answer leaves the value, and opens its window anew. */
    applyDefault: enqueueActions(({ context, enqueue, self, system }) => {
      const { challenge, provisional: before, nextGateAtMs, trigger } = context;
      const nowMs = timeOf(self);
      const provisional =
        before === null
          ? provisionalOf(challenge, { ...context, trigger: trigger ?? 'timeout', nowMs })
          : { ...before, overrideUntilMs: windowEnd(nowMs, nextGateAtMs) };
      enqueue.assign({ provisional, windowUntilMs: provisional.overrideUntilMs });
      if (before === null) tellProvisional(enqueue, system, context, provisional);
    }),
    /** It has come; what was planned for it is over. */
    passGate: assign({ nextGateAtMs: null }),
    postpone: enqueueActions(({ context, enqueue, self, system }) => {
      const windowUntilMs = windowEnd(timeOf(self), context.nextGateAtMs);
      enqueue.assign({ windowUntilMs });
      tellDeferral(enqueue, system, context, windowUntilMs);
    }),
    noteTrigger: assign({
      trigger: ({ context }, { trigger }: { trigger: DebateContext['trigger'] }) => context.trigger ?? trigger,
    }),
    noteSilence: assign({
      unanswered: ({ context: { provisional, unanswered } }) => (provisional === null ? unanswered : unanswered + 1),
      trigger: ({ context }) => context.trigger ?? 'undecided',
    }),
    agree: assign({ verdict: ({ context, event }) => consensus(context, event) }),
    resolve: assign({
      verdict: ({ context }, { isOverflow }: { isOverflow: boolean }) => ofFacilitator(context, isOverflow),
    }),
    decide: assign({ verdict: ({ context, event }) => ofPeople(context, event) }),
    letStand: assign({ verdict: ({ context }) => ofSilence(context) }),
    conclude: enqueueActions(({ context, enqueue, self, system }, { outcome }: { outcome: DebateOutcome }) => {
      const resolution = resolutionOf(context, outcome, timeOf(self));
      enqueue.assign({ resolution });
      enqueue.emit({ type: 'debate.resolved', resolution });
      tellResolution(enqueue, system, context, resolution);
    }),
  },
}).createMachine({
  id: 'debate',
  context: ({ input, self }) => ({
    ...input,
    openedAtMs: timeOf(self),
    level: 'setup',
    snapshotId: `facts-of-${input.challenge.id}`,
    isUnacknowledged: false,
    positions: input.challenge.positions,
    rounds: 0,
    cautions: [],
    records: {},
    readings: null,
    notKnown: [],
    analysis: null,
    expert: null,
    gate: null,
    gates: 0,
    reviewUntilMs: null,
    hasAskedMore: false,
    trigger: null,
    provisional: null,
    windowUntilMs: null,
    unanswered: 0,
    verdict: null,
    resolution: null,
  }),
  entry: 'begin',
  initial: 'setup',
  on: {
    'debate.respond': { actions: 'record' },
    'gate.planned': { actions: assign({ nextGateAtMs: ({ event }) => event.atMs }) },
    'review.due': { actions: 'passGate' },
  },
  states: {
    setup: {
      entry: { type: 'enter', params: { level: 'setup' } },
      type: 'parallel',
      // Sides may be quicker than memory: what they say is heard when level 1 begins.
      on: {
        'debate.acknowledge': { actions: defer() },
        'debate.respond': { actions: defer() },
        'debate.accept': { actions: defer() },
      },
      states: {
        snapshot: {
          initial: 'taking',
          states: {
            taking: {
              invoke: {
                src: 'takeSnapshot',
                input: ({ context: { challenge } }) => ({ debate: challenge.id, participants: sidesOf(challenge) }),
                onDone: [
                  {
                    guard: ({ event }) => snapshotName.safeParse(event.output).success,
                    target: 'taken',
                    actions: assign({ snapshotId: ({ event }) => event.output }),
                  },
                  WITHOUT_SNAPSHOT,
                ],
                onError: WITHOUT_SNAPSHOT,
              },
              after: { preparation: WITHOUT_SNAPSHOT },
            },
            taken: { type: 'final' },
          },
        },
        history: {
          initial: 'loading',
          states: {
            loading: {
              invoke: {
                src: 'historicalContext',
                input: ({ context: { challenge, precedents } }) => ({ challenge, precedents }),
                onDone: [
                  {
                    guard: ({ event }) => historicalContextSchema.safeParse(event.output).success,
                    target: 'loaded',
                    actions: assign(({ event }) => historyOf(event.output)),
                  },
                  WITHOUT_HISTORY,
                ],
                onError: WITHOUT_HISTORY,
              },
              after: { preparation: WITHOUT_HISTORY },
            },
            loaded: { type: 'final' },
          },
        },
      },
      onDone: 'L1_direct',
    },
    L1_direct: {
      entry: { type: 'enter', params: { level: 'L1' } },
      initial: 'awaiting_ack',
      after: { escalation: 'L2_facilitator' },
      on: { 'debate.accept': { guard: 'isFromSide', target: 'consensus', actions: 'agree' } },
      states: {
        awaiting_ack: {
          // Who does not even acknowledge is not waited for any longer.
          after: { acknowledgement: { target: '#debate.L2_facilitator', actions: assign({ isUnacknowledged: true }) } },
          on: {
            'debate.acknowledge': { guard: 'isFromChallenged', target: 'awaiting_evidence' },
            'debate.respond': [
              { guard: 'isFromChallenged', target: 'awaiting_evidence', actions: 'record' },
              { actions: 'record' },
            ],
          },
        },
        awaiting_evidence: {},
      },
    },
    L2_facilitator: {
      entry: { type: 'enter', params: { level: 'L2' } },
      initial: 'gathering',
      after: {
        facilitation: { target: 'L3_human', actions: { type: 'unknown', params: { what: 'the credibility of both' } } },
      },
      on: { 'debate.accept': { guard: 'isFromSide', target: 'consensus', actions: 'agree' } },
      states: {
        gathering: {
          entry: { type: 'request', params: { type: 'records.request' } },
          on: {
            'records.known': {
              target: 'detecting',
              actions: assign({
                records: ({ context, event }) => ({ ...event.records, ...context.records }),
                readings: ({ event }) => event.readings,
              }),
            },
          },
        },
        detecting: {
          invoke: {
            src: 'regimeDetector',
            input: ({ context: { readings } }) => ({ readings }),
            onDone: { target: 'deciding', actions: assign(({ context, event }) => weighed(context, event.output)) },
            onError: { target: 'deciding', actions: assign(({ context }) => weighed(context, null)) },
          },
          after: { preparation: { target: 'deciding', actions: assign(({ context }) => weighed(context, null)) } },
        },
        deciding: {
          always: [
            {
              guard: 'isResolvable',
              target: '#debate.facilitator_resolved',
              actions: { type: 'resolve', params: { isOverflow: false } },
            },
            { target: '#debate.L3_human' },
          ],
        },
      },
    },
    L3_human: {
      entry: ['allowReview', { type: 'enter', params: { level: 'L3' } }],
      initial: 'routing',
      after: { review: { target: 'L4_provisional', actions: [TIMED_OUT, 'withdrawGate'] } },
      on: {
        'debate.accept': { guard: 'isFromSide', target: 'consensus', actions: ['agree', 'withdrawGate'] },
        'expert.lost': { target: 'L4_provisional', actions: [UNAVAILABLE, 'withdrawGate'] },
        'gate.closed': [
          {
            guard: 'asksMore',
            target: '.more_evidence',
            reenter: true,
            actions: assign({
              hasAskedMore: true,
              reviewUntilMs: ({ context }) => context.reviewUntilMs! + MORE_EVIDENCE_MS,
            }),
          },
          { guard: 'defers', target: 'deferred' },
          { guard: 'decides', target: 'human', actions: 'decide' },
          { guard: 'isOfOpenGate', target: 'L4_provisional', actions: TIMED_OUT },
        ],
      },
      states: {
        routing: {
          entry: { type: 'request', params: { type: 'expert.request' } },
          on: {
            'expert.assigned': { target: 'queued', actions: assign({ expert: ({ event }) => event.expert }) },
            'expert.refused': [
              { guard: 'isUnavailable', target: '#debate.L4_provisional', actions: UNAVAILABLE },
              {
                guard: { type: 'overflows', params: 'resolve' },
                target: '#debate.facilitator_resolved',
                actions: { type: 'resolve', params: { isOverflow: true } },
              },
              { guard: { type: 'overflows', params: 'defer' }, target: '#debate.deferred' },
              { target: '#debate.L4_provisional', actions: QUEUE_FULL },
            ],
          },
        },
        queued: { entry: 'askExpert', on: { 'debate.take-up': { guard: 'isFromExpert', target: 'in_review' } } },
        in_review: {},
        more_evidence: {
          after: { moreEvidence: 'queued' },
          on: {
            'debate.respond': [{ guard: 'isDefence', target: 'queued', actions: 'record' }, { actions: 'record' }],
          },
        },
      },
    },
    L4_provisional: {
      entry: ['applyDefault', { type: 'enter', params: { level: 'L4' } }],
      after: { window: 'L5_gate_review' },
      on: {
        'review.due': { target: 'L5_gate_review', actions: 'passGate' },
        'gate.planned': {
          target: 'L4_provisional',
          reenter: true,
          actions: assign({ nextGateAtMs: ({ event }) => event.atMs }),
        },
        // An answer that was on its way when the time was up still counts: as the review.
        'gate.closed': [
          { guard: 'redebates', target: 'redebate', actions: 'decide' },
          { guard: 'confirms', target: 'confirmed', actions: 'decide' },
          { guard: 'decides', target: 'overridden', actions: 'decide' },
        ],
      },
    },
    deferred: {
      entry: ['postpone', { type: 'enter', params: { level: 'deferred' } }],
      after: { window: 'L5_gate_review' },
      on: {
        'review.due': { target: 'L5_gate_review', actions: 'passGate' },
        'gate.planned': {
          target: 'deferred',
          reenter: true,
          actions: assign({ nextGateAtMs: ({ event }) => event.atMs }),
        },
        'debate.accept': { guard: 'isFromSide', target: 'consensus', actions: 'agree' },
      },
    },
    L5_gate_review: {
      entry: ['askGate', { type: 'enter', params: { level: 'L5' } }],
      after: {
        gateReview: [
          { guard: 'isLastSilence', target: 'confirmed', actions: ['letStand', 'withdrawGate'] },
          { target: 'L4_provisional', actions: ['noteSilence', 'withdrawGate'] },
        ],
      },
      on: {
        'gate.closed': [
          { guard: 'redebates', target: 'redebate', actions: 'decide' },
          { guard: 'confirms', target: 'confirmed', actions: 'decide' },
          { guard: and(['decides', 'isProvisional']), target: 'overridden', actions: 'decide' },
          { guard: 'decides', target: 'human', actions: 'decide' },
          { guard: and(['isOfOpenGate', 'isLastSilence']), target: 'confirmed', actions: 'letStand' },
          { guard: 'isOfOpenGate', target: 'L4_provisional', actions: 'noteSilence' },
        ],
      },
    },
    consensus: { type: 'final', entry: { type: 'conclude', params: { outcome: 'consensus' } } },
    facilitator_resolved: { type: 'final', entry: { type: 'conclude', params: { outcome: 'facilitator_resolved' } } },
    human: { type: 'final', entry: { type: 'conclude', params: { outcome: 'human' } } },
    confirmed: { type: 'final', entry: { type: 'conclude', params: { outcome: 'confirmed' } } },
    overridden: { type: 'final', entry: { type: 'conclude', params: { outcome: 'overridden' } } },
    redebate: { type: 'final', entry: { type: 'conclude', params: { outcome: 'redebate' } } },
  },
});

const debateEvents = {
  'debate.acknowledge': z.object({ debate: z.string(), by: z.string() }),
  'debate.respond': response.extend({ debate: z.string() }),
  'debate.accept': z.object({ debate: z.string(), by: z.string() }),
  'debate.take-up': z.object({ debate: z.string(), by: z.string() }),
};

/** The agent for debates, with ports of the host's own where it has them. */
export function debateAgent(ports: Partial<DebatePorts> = {}) {
  return defineAgent({
    name: 'debate',
    machine: debateMachine.provide({ actors: portActors(ports) }),
    events: debateEvents,
  });
}
