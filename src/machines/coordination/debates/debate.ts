/**
 * One debate about one challenge (seed 002, CA-092 to CA-099), from the two agents alone up to the review at a gate: L1
 * the agents, L2 the facilitator by credibility, L3 an expert, L4 the conservative default until people review it, L5
 * that review. Every level has a time limit, so a debate ends whatever people and agents do. The rules are in
 * level-two.ts, routing.ts, conservative-default.ts and debate-review.ts; the desk keeps lists, experts and records.
 */
import { and, assign } from 'xstate';
import { defineAgent } from '../../../actors/api/define-agent.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { debateSetup } from './debate-setup.ts';
import { defer } from '../../../actors/model/talk-actions.ts';
import { type DebatePorts, DEFENCE, HISTORY, portActors, REGIME, SNAPSHOT } from './debate-ports.ts';
import { PACKS } from '../packs.ts';
import { MORE_EVIDENCE_MS } from './debate-review.ts';
import { type DebateContext, type DebateEvent, debateEvents } from './debate-state.ts';
import { sidesOf } from './debate-talk.ts';
import { refusalOf } from './debate-verdict.ts';
import { heard, type Known, late, type PortContract } from '../../work/port.ts';
import { refused, TAKEN } from '../../rules/turn.ts';

const ANSWER_TAKEN = { type: 'answer', params: TAKEN } as const;

/** Refuses an order that its sender may not give, or not at this level. */
const REFUSED = {
  actions: {
    type: 'answer',
    params: ({ context, event }: { context: DebateContext; event: DebateEvent }) => refused(refusalOf(context, event)),
  },
} as const;

const GATE_REACHED = { target: 'L5_gate_review', actions: 'passGate' } as const;

/** The transition when one side accepts the other's position. */
const ACCEPTED = { guard: 'isFromSide', target: 'consensus', actions: ['agree', ANSWER_TAKEN] } as const;

/** Reasons for level 4 (CA-121). */
const TIMED_OUT = { type: 'noteTrigger', params: { trigger: 'timeout' } } as const;
const UNAVAILABLE = { type: 'noteTrigger', params: { trigger: 'expert unavailable' } } as const;
const QUEUE_FULL = { type: 'noteTrigger', params: { trigger: 'queue full' } } as const;

/** Reads a port's answer, known or unknown, as the parameter of an action. */
function readAs<Answer>(contract: PortContract<Answer>) {
  return ({ event }: { readonly event: object }): Known<Answer> => heard(contract, event);
}

const SAY_FOR_CHALLENGED = { actions: { type: 'sayForChallenged', params: readAs(DEFENCE) } } as const;

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
    confirmations: [],
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
    'debate.confirm': { actions: 'confirm' },
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
      // The sides may answer before the ports do; their contributions are taken when level 1 begins.
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
                onDone: { target: 'taken', actions: { type: 'takeSnapshot', params: readAs(SNAPSHOT) } },
                onError: { target: 'taken', actions: { type: 'takeSnapshot', params: readAs(SNAPSHOT) } },
              },
              after: { preparation: { target: 'taken', actions: { type: 'takeSnapshot', params: late(SNAPSHOT) } } },
            },
            taken: { type: 'final', entry: 'lock' },
          },
        },
        history: {
          initial: 'loading',
          states: {
            loading: {
              invoke: {
                src: 'historicalContext',
                input: ({ context: { challenge, precedents } }) => ({ challenge, precedents }),
                onDone: { target: 'loaded', actions: { type: 'loadHistory', params: readAs(HISTORY) } },
                onError: { target: 'loaded', actions: { type: 'loadHistory', params: readAs(HISTORY) } },
              },
              after: { preparation: { target: 'loaded', actions: { type: 'loadHistory', params: late(HISTORY) } } },
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
      invoke: {
        src: 'defend',
        input: ({ context: { challenge, snapshotId } }) => ({ challenge, snapshotId }),
        onDone: SAY_FOR_CHALLENGED,
        onError: SAY_FOR_CHALLENGED,
      },
      on: { 'debate.accept': ACCEPTED },
      states: {
        awaiting_ack: {
          // A side that does not even acknowledge is not awaited any longer.
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
            input: ({ context: { readings, regimes } }) => ({ readings, regimes }),
            onDone: { target: 'deciding', actions: { type: 'weigh', params: readAs(REGIME) } },
            onError: { target: 'deciding', actions: { type: 'weigh', params: readAs(REGIME) } },
          },
          after: { preparation: { target: 'deciding', actions: { type: 'weigh', params: late(REGIME) } } },
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
        // A debate that ends leaves no gate: a gate is withdrawn when its asker has ended.
        'debate.accept': { guard: 'isFromSide', target: 'consensus', actions: ['agree', ANSWER_TAKEN] },
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
                guard: { type: 'overflows', params: 'force-resolve' },
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
        // An answer that arrives just after the deadline still counts, as the review.
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
          { guard: 'isLastSilence', target: 'confirmed', actions: 'letStand' },
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

/** The agent for debates; `ports` are the host's own, if any. */
export function debateAgent(ports: Partial<DebatePorts> = {}) {
  return defineAgent({
    name: 'debate',
    version: 2,
    // Version 1 had the regimes of finance in every field of work.
    migrate: {
      2: ({ value, context }) => ({ value, context: { ...context, regimes: PACKS.finance.regimes } }) as never,
    },
    machine: debateMachine.provide({ actors: portActors(ports) }),
    events: debateEvents,
  });
}
