/**
 * The parts of the chart of a debate (debate.ts): how long each level may take, what it goes by, and what it does.
 * Rules are in debate-verdict.ts.
 */
import { assign, setup } from 'xstate';
import { timeOf } from '../../../actors/model/ref.ts';
import { isDefence, sideOf } from './challenge.ts';
import { resolutionOf } from './debate-document.ts';
import { portActors } from './debate-ports.ts';
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
  isOfOpenGate,
  ofFacilitator,
  ofPeople,
  ofSilence,
  winner,
} from './debate-verdict.ts';
import { answerOrder, type PassedOrder } from '../../people/desk.ts';
import { inTurn, type OrderReply, refused } from '../../people/turn.ts';
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

export const debateSetup = setup({
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
    begin: inTurn(tellOpening),
    enter: inTurn((turn, _, { level }: { level: DebateLevel }) => {
      const { challenge, desk, provisional, analysis } = turn.context;
      const moved: DebateReport = { type: 'debate.moved', debate: challenge.id, level, provisional, analysis };
      turn.assign({ level });
      turn.send(desk, moved);
      turn.emit({ type: 'debate.level', debate: challenge.id, level });
    }),
    /** Whatever a side says is on record; whether it counts as a defence is said back to it (CA-092). */
    record: inTurn((turn, event) => {
      const { context } = turn;
      if (event.type !== 'debate.respond') return;
      const heard = hear(context, event, turn.nowMs);
      if ('refusal' in heard) return answerOrder(turn, context.challenge.id, event, refused(heard.refusal));
      turn.assign(heard.patch);
      const problems = heard.flaw === null ? [] : [heard.flaw];
      answerOrder(turn, context.challenge.id, event, { taken: true, problems });
    }),
    answer: inTurn((turn, event, reply: OrderReply) =>
      answerOrder(turn, turn.context.challenge.id, event as PassedOrder, reply),
    ),
    unknown: assign({ notKnown: ({ context }, { what }: { what: string }) => [...context.notKnown, what] }),
    request: inTurn((turn, _, { type }: { type: 'records.request' | 'expert.request' }) => {
      const { challenge, desk } = turn.context;
      turn.send(desk, { type, debate: challenge.id } satisfies DebateReport);
    }),
    /** The time that an expert has begins with the level, and goes on over a request for more evidence. */
    allowReview: assign({ reviewUntilMs: ({ context, self }) => context.reviewUntilMs ?? timeOf(self) + REVIEW_MS }),
    askExpert: inTurn((turn) => {
      const { challenge, expert, hasAskedMore, reviewUntilMs } = turn.context;
      const form = level3Form({ canAskMore: !hasAskedMore, canDefer: challenge.priority === 'supporting' });
      askPeople(turn, { form, audience: [expert!], deadlineMs: Math.max(1, reviewUntilMs! - turn.nowMs) });
    }),
    askGate: inTurn((turn) => {
      const { provisional, reviewers } = turn.context;
      askPeople(turn, { form: gateReviewForm(provisional !== null), audience: reviewers, deadlineMs: GATE_REVIEW_MS });
    }),
    withdrawGate: inTurn(withdrawQuestion),
    /** Once: a review without an answer leaves the value, and opens its window anew. */
    applyDefault: inTurn((turn) => {
      const { context, nowMs } = turn;
      const { challenge, provisional: before, nextGateAtMs, trigger } = context;
      const provisional =
        before === null
          ? provisionalOf(challenge, { ...context, trigger: trigger ?? 'timeout', nowMs })
          : { ...before, overrideUntilMs: windowEnd(nowMs, nextGateAtMs) };
      turn.assign({ provisional, windowUntilMs: provisional.overrideUntilMs });
      if (before === null) tellProvisional(turn, provisional);
    }),
    planGate: assign({
      nextGateAtMs: ({ context, event }) => (event.type === 'gate.planned' ? event.atMs : context.nextGateAtMs),
    }),
    /** It has come; what was planned for it is over. */
    passGate: assign({ nextGateAtMs: null }),
    postpone: inTurn((turn) => {
      const windowUntilMs = windowEnd(turn.nowMs, turn.context.nextGateAtMs);
      turn.assign({ windowUntilMs });
      tellDeferral(turn, windowUntilMs);
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
    conclude: inTurn((turn, _, { outcome }: { outcome: DebateOutcome }) => {
      const resolution = resolutionOf(turn.context, outcome, turn.nowMs);
      turn.assign({ resolution });
      turn.emit({ type: 'debate.resolved', resolution });
      tellResolution(turn, resolution);
    }),
  },
});
