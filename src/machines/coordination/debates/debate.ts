/**
 * One debate about one challenge (seed 002, CA-092 to CA-099), from the two agents alone up to the review at a gate: L1
 * the agents, L2 the facilitator by credibility, L3 an expert, L4 the conservative default until somebody has looked,
 * L5 that look. Every level has its time, so that a debate ends whatever people and agents do or leave undone. Rules
 * are in level-two.ts, routing.ts, conservative-default.ts and debate-review.ts; lists, experts and records are the
 * desk's.
 */
import { and, assign } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { debateSetup } from './debate-setup.ts';
import { defer } from '../../../actors/model/talk-actions.ts';
import { type DebatePorts, historicalContextSchema, portActors, snapshotName } from './debate-ports.ts';
import { MORE_EVIDENCE_MS } from './debate-review.ts';
import { type DebateContext, type DebateEvent, debateEvents } from './debate-state.ts';
import { sidesOf } from './debate-talk.ts';
import { historyOf, refusalOf, weighed } from './debate-verdict.ts';
import { refused, TAKEN } from '../../people/turn.ts';

const ANSWER_TAKEN = { type: 'answer', params: TAKEN } as const;

/** An order that nothing else takes: it is not this one's to give, or not at this level. */
const REFUSED = {
  actions: {
    type: 'answer',
    params: ({ context, event }: { context: DebateContext; event: DebateEvent }) => refused(refusalOf(context, event)),
  },
} as const;

const GATE_REACHED = { target: 'L5_gate_review', actions: 'passGate' } as const;

/** One side accepts what the other holds. */
const ACCEPTED = { guard: 'isFromSide', target: 'consensus', actions: ['agree', ANSWER_TAKEN] } as const;

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

const debateMachine = debateSetup.createMachine({
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
    'debate.acknowledge': REFUSED,
    'debate.accept': REFUSED,
    'debate.take-up': REFUSED,
    'gate.planned': { actions: 'planGate' },
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
      on: { 'debate.accept': ACCEPTED },
      states: {
        awaiting_ack: {
          // Who does not even acknowledge is not waited for any longer.
          after: { acknowledgement: { target: '#debate.L2_facilitator', actions: assign({ isUnacknowledged: true }) } },
          on: {
            'debate.acknowledge': { guard: 'isFromChallenged', target: 'awaiting_evidence', actions: ANSWER_TAKEN },
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
      on: { 'debate.accept': ACCEPTED },
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
        'debate.accept': { guard: 'isFromSide', target: 'consensus', actions: ['agree', ANSWER_TAKEN, 'withdrawGate'] },
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
        queued: {
          entry: 'askExpert',
          on: { 'debate.take-up': { guard: 'isFromExpert', target: 'in_review', actions: ANSWER_TAKEN } },
        },
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
        'review.due': GATE_REACHED,
        'gate.planned': { target: 'L4_provisional', reenter: true, actions: 'planGate' },
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
        'review.due': GATE_REACHED,
        'gate.planned': { target: 'deferred', reenter: true, actions: 'planGate' },
        'debate.accept': ACCEPTED,
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

/** The agent for debates, with ports of the host's own where it has them. */
export function debateAgent(ports: Partial<DebatePorts> = {}) {
  return defineAgent({
    name: 'debate',
    machine: debateMachine.provide({ actors: portActors(ports) }),
    events: debateEvents,
  });
}
