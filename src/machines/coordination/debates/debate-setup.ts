/**
 * The parts of the chart of a debate (debate.ts): how long each level may take, what it goes by, and what it does.
 * Rules are in debate-verdict.ts.
 */
import { assign, enqueueActions, setup } from 'xstate';
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
  nextGate,
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
    record: enqueueActions((args) =>
      inTurn(args, (turn) => {
        const { context, event } = args;
        if (event.type !== 'debate.respond') return;
        const heard = hear(context, event, turn.nowMs);
        if ('refusal' in heard) return answerOrder(turn, context.challenge.id, event, refused(heard.refusal));
        turn.assign(heard.patch);
        const problems = heard.flaw === null ? [] : [heard.flaw];
        answerOrder(turn, context.challenge.id, event, { taken: true, problems });
      }),
    ),
    answer: enqueueActions((args, reply: OrderReply) =>
      inTurn(args, (turn) => answerOrder(turn, args.context.challenge.id, args.event as PassedOrder, reply)),
    ),
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
});
