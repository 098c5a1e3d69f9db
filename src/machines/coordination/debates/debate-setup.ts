/** The delays, guards and actions of a debate's machine (debate.ts). Its rules are in debate-verdict.ts. */
import { assign, setup } from 'xstate';
import { DEBATE_CONFIRMATIONS_MAX } from '../../limits.ts';
import { timeOf } from '../../../actors/model/ref.ts';
import { isDefence, sideOf } from './challenge.ts';
import { resolutionOf } from './debate-document.ts';
import {
  ACKNOWLEDGEMENT_MS,
  DEFENCE,
  type LoadedHistory,
  portActors,
  PREPARATION_MS,
  type SaidDefence,
} from './debate-ports.ts';
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
  tellSnapshot,
  tellProvisional,
  tellResolution,
  withdrawQuestion,
} from './debate-talk.ts';
import {
  answerIn,
  consensus,
  decisionIn,
  hear,
  historyLoaded,
  isOfOpenGate,
  ofFacilitator,
  ofPeople,
  ofSilence,
  snapshotTaken,
  weighed,
  winner,
} from './debate-verdict.ts';
import { answerOrder, type PassedOrder } from '../../rules/desk.ts';
import { inTurn, type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { type Known } from '../../work/port.ts';
import { provisionalOf, windowEnd } from './provisional.ts';
import { overflow } from './routing.ts';

const MINUTE_MS = 60_000;

/** Time in which level 2 decides; afterwards people do (CA-097). */
const FACILITATION_MS = 60 * MINUTE_MS;
/** Grace after a gate's own deadline; if the gate does not close by then, the debate continues without it. */
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
      overflow(context.urgency, winner(context, true) !== null) === to,
    isOfOpenGate: ({ context, event }) => isOfOpenGate(context, event),
    asksMore: ({ context, event }) => answerIn(context, event)?.action === 'request-evidence' && !context.hasAskedMore,
    defers: ({ context, event }) => answerIn(context, event)?.action === 'defer' && context.urgency === 'supporting',
    redebates: ({ context, event }) => answerIn(context, event)?.action === 'redebate',
    decides: ({ context, event }) => decisionIn(context, event) !== null,
    confirms: ({ context, event }) =>
      context.provisional !== null && decisionIn(context, event)?.side === context.provisional.side,
    isProvisional: ({ context }) => context.provisional !== null,
    /** Whether this is the last unanswered review. A debate that was only deferred has no provisional value yet. */
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
    /** Records every contribution; the reply says whether it counts as a defence (CA-092). */
    record: inTurn((turn, event) => {
      const { context } = turn;
      if (event.type !== 'debate.respond') return;
      const heard = hear(context, event, turn.nowMs);
      if ('refusal' in heard) return answerOrder(turn, context.challenge.id, event, refused(heard.refusal));
      turn.assign(heard.patch);
      const problems = heard.flaw === null ? [] : [heard.flaw];
      answerOrder(turn, context.challenge.id, event, { taken: true, problems });
    }),
    /** Records the port's answer as if the agent had given it itself. */
    sayForChallenged: inTurn((turn, _, heard: Known<SaidDefence | null>) => {
      const { challenge, notKnown } = turn.context;
      if (!heard.isKnown) return turn.assign({ notKnown: [...notKnown, DEFENCE.what] });
      const said = heard.value;
      if (said === null) return;
      const own = { debate: challenge.id, by: challenge.challenged.agent };
      turn.raise('accept' in said ? { type: 'debate.accept', ...own } : { type: 'debate.respond', ...said, ...own });
    }),
    confirm: inTurn((turn, event) => {
      if (event.type !== 'debate.confirm') return;
      const { challenge, confirmations } = turn.context;
      const { by, content } = event;
      const isFull = confirmations.length >= DEBATE_CONFIRMATIONS_MAX;
      if (!isFull) turn.assign({ confirmations: [...confirmations, { by, content, atMs: turn.nowMs }] });
      answerOrder(turn, challenge.id, event, isFull ? refused('the debate has enough confirmations') : TAKEN);
    }),
    answer: inTurn((turn, event, reply: OrderReply) =>
      answerOrder(turn, turn.context.challenge.id, event as PassedOrder, reply),
    ),
    unknown: assign({ notKnown: ({ context }, { what }: { what: string }) => [...context.notKnown, what] }),
    takeSnapshot: assign(({ context }, said: Known<string>) => snapshotTaken(context, said)),
    lock: inTurn(tellSnapshot),
    loadHistory: assign(({ context }, said: Known<LoadedHistory>) => historyLoaded(context, said)),
    weigh: assign(({ context }, said: Known<string>) => weighed(context, said)),
    request: inTurn((turn, _, { type }: { type: 'records.request' | 'expert.request' }) => {
      const { challenge, desk } = turn.context;
      turn.send(desk, { type, debate: challenge.id } satisfies DebateReport);
    }),
    /** Sets the expert's deadline at the start of the level. A request for more evidence does not restart it. */
    allowReview: assign({ reviewUntilMs: ({ context, self }) => context.reviewUntilMs ?? timeOf(self) + REVIEW_MS }),
    askExpert: inTurn((turn) => {
      const { urgency, expert, hasAskedMore, reviewUntilMs } = turn.context;
      const form = level3Form({ canAskMore: !hasAskedMore, canDefer: urgency === 'supporting' });
      askPeople(turn, { form, audience: [expert!], deadlineMs: Math.max(1, reviewUntilMs! - turn.nowMs) });
    }),
    askGate: inTurn((turn) => {
      const { provisional, reviewers } = turn.context;
      askPeople(turn, { form: gateReviewForm(provisional !== null), audience: reviewers, deadlineMs: GATE_REVIEW_MS });
    }),
    withdrawGate: inTurn(withdrawQuestion),
    /**
     * Applies the conservative default once. A review without an answer keeps the value and starts a new override
     * window.
     */
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
    /** Clears the time of the planned gate, which has been reached. */
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
