/** The delays, guards and actions of a question's machine (question.ts). Its rules are in question-rules.ts. */
import { notify, settle } from '../people/notice.ts';
import { assign, setup } from 'xstate';
import { answerOrder, type PassedOrder } from '../rules/desk.ts';
import { numberKey } from '../rules/table-keys.ts';
import { inTurn, type Turn } from '../rules/turn.ts';
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { type Known } from '../work/port.ts';
import { answerPortActors, type Draft, RETRIEVE_MS } from './answer-ports.ts';
import { bundleTokens } from './bundle.ts';
import { breakBundle, suggestedTweak } from './bundle-breaking.ts';
import { TICKET_WITHIN_MS } from './desk-queue.ts';
import { type Evidence, joinedEvidence, type Retrieval } from './evidence.ts';
import { givenReply, refusedReply, settledReply, waitingReply } from './ask-replies.ts';
import {
  firstResult,
  responseOf,
  scoredOf,
  settlementOf,
  ticketOf,
  usableDraft,
  whyUnanswered,
} from './question-rules.ts';
import {
  type FirstResult,
  type QuestionContext,
  type QuestionEmitted,
  type QuestionEvent,
  type QuestionInput,
  type QuestionReport,
  type Settlement,
} from './question-state.ts';
import { mayResearch, type TriggerName, triggerOf } from './triggers.ts';

/** The progress text during long work (AT-033). */
export const PROGRESS = 'Processing query...';

/** The code with which a port refuses a context that is too large for it (AT-041). */
const TOO_LARGE = 'TOKEN_LIMIT_EXCEEDED';
/** The share of a context that is too large, and of its evidence, that is kept. */
const SMALLER = 0.5;

/** On whose behalf research is done, if not on that of the answer team. */
const SOURCES: Partial<Record<TriggerName, string>> = { planning_ambiguity: 'planning', user_direct_query: 'user' };

type QuestionTurn = Turn<QuestionContext, QuestionEmitted>;

export const questionSetup = setup({
  types: {} as { context: QuestionContext; events: QuestionEvent; emitted: QuestionEmitted; input: QuestionInput },
  actors: answerPortActors(),
  delays: {
    retrieval: RETRIEVE_MS,
  },
  guards: {
    isTooLarge: ({ context: { bundle, profile } }) => bundleTokens(bundle) > profile.max_input_bundle,
    wasTooLarge: ({ context, event }) =>
      !context.hasBrokenAgain &&
      'error' in event &&
      String((event.error as Error | undefined)?.message).includes(TOO_LARGE),
    isDirect: ({ context }) => context.scored?.verdict === 'direct',
    isUsable: ({ context }) => usableDraft(context) !== null,
    mayResearch: ({ context }) =>
      context.scored?.verdict === 'provisional' &&
      !context.hasResearched &&
      mayResearch(context.trigger, context.priority, context.profile),
    /** Whether the team that researches is asked; a port of the host stands in for it. */
    hasTeam: ({ context }) => context.researcher !== null,
    escalates: ({ context }) => triggerOf(context.trigger, context.profile).escalates,
    isUsableAndEscalates: ({ context }) =>
      usableDraft(context) !== null && triggerOf(context.trigger, context.profile).escalates,
    foundMore: ({ context, event }) => newEvidence(context, event).length > 0,
  },
  actions: {
    announce: inTurn((turn: QuestionTurn) => {
      const { desk, id } = turn.context;
      turn.send(desk, { type: 'question.opened', id, question: turn.self } satisfies QuestionReport);
    }),
    armDeadline: inTurn((turn: QuestionTurn) => {
      const delay = Math.max(0, turn.context.deadlineAtMs - turn.nowMs);
      turn.raise({ type: 'question.deadline' }, { id: 'deadline', delay });
    }),
    noteTimeout: assign({ hasTimedOut: true }),
    break: assign(({ context: { bundle, profile } }) => broken(bundle, profile.max_input_bundle)),
    breakAgain: assign(({ context: { bundle, evidence } }) => ({
      ...broken(bundle, Math.floor(bundleTokens(bundle) * SMALLER)),
      // The heaviest comes first.
      evidence: evidence.slice(0, Math.ceil(evidence.length * SMALLER)),
      hasBrokenAgain: true,
    })),
    tellProgress: inTurn((turn: QuestionTurn) =>
      turn.emit({ type: 'question.progress', question: turn.context.id, text: PROGRESS }),
    ),
    noteEvidence: assign(({ context }, said: Known<Retrieval>) => withEvidence(context, said)),
    noteResearch: assign(({ context }, said: Known<Retrieval>) => ({
      ...withEvidence(context, said),
      hasResearched: true,
    })),
    /** Has the team that researches do it, within the time that is left. */
    askResearcher: inTurn((turn: QuestionTurn) => {
      const { id: about, bundle, scopes, deadlineAtMs, trigger, researcher } = turn.context;
      const [options, withinMs] = [bundle.possible_options, Math.max(0, deadlineAtMs - turn.nowMs)];
      const asked = {
        question: bundle.question,
        options,
        scopes,
        source: SOURCES[trigger] ?? 'answer',
        about,
        withinMs,
      };
      turn.send(researcher!, { type: 'research.request', ...asked, askedBy: turn.self });
    }),
    noteDraft: assign(({ context }, said: Known<Draft | null>) => ({
      // A draft from research replaces an earlier one only if it is at least as good.
      scored: better(context, scoredOf(context, said)),
      ...(!said.isKnown && { notKnown: [...context.notKnown, said.why] }),
    })),
    /** Keeps an asker waiting for the answer, at most for the time that it has given. */
    keepWaiting: inTurn((turn: QuestionTurn, event) => {
      if (event.type !== 'question.await' || event.order === undefined) return;
      const { order, maxWaitMs } = event;
      turn.assign({ waiters: turn.context.waiters.set(numberKey(order), { order }) });
      turn.raise({ type: 'wait.over', order }, { id: waitId(order), delay: maxWaitMs });
    }),
    endWait: inTurn((turn: QuestionTurn, event) => {
      if (event.type !== 'wait.over' || !turn.context.waiters.has(numberKey(event.order))) return;
      const { resolvedAs } = turn.context;
      const isGiven = resolvedAs === 'provisional';
      tellWaiter(turn, event.order, isGiven ? provisionalReply(turn.context) : waitingReply(turn.context));
    }),
    answerProvisionally: inTurn((turn: QuestionTurn, event) => {
      if (event.type !== 'question.await') return;
      answerOrder(turn, turn.context.id, event as PassedOrder, provisionalReply(turn.context));
    }),
    /** Replies as soon as the ticket exists, since its id is part of the reply. */
    tellProvisional: inTurn((turn: QuestionTurn) => tellWaiters(turn, provisionalReply(turn.context))),
    resolve: inTurn((turn: QuestionTurn, _, { verdict }: { verdict: FirstResult['verdict'] }) => {
      const { context } = turn;
      const result = firstResult(context, verdict);
      // Askers first: the report of an end closes the desk's record, with which open orders are refused.
      if (verdict === 'direct' && result.response !== null)
        tellWaiters(turn, givenReply(context, result.response, 'answered'));
      else if (verdict === 'unanswered') tellWaiters(turn, refusedReply([whyUnanswered(context)], context.id));
      turn.assign({ resolvedAs: verdict });
      turn.send(context.desk, { type: 'question.resolved', id: context.id, result } satisfies QuestionReport);
    }),
    askPeople: inTurn((turn: QuestionTurn) => {
      turn.cancel('deadline');
      turn.send(PEOPLE_DESKS.tickets, { ...ticketOf(turn.context), askedBy: turn.context.desk });
    }),
    armTicket: inTurn((turn: QuestionTurn) => {
      const delay = TICKET_WITHIN_MS[turn.context.priority];
      turn.raise({ type: 'question.overdue' }, { id: 'ticket', delay });
    }),
    /** Tells people that a question has no ticket, since nobody would notice it otherwise. */
    tellOverdue: inTurn((turn: QuestionTurn) => {
      const { id, bundle } = turn.context;
      const title = `No ticket for ${id}: ${bundle.question}`;
      const detail = 'The ticket desk has not opened one in time.';
      notify(turn, { subject: `question ${id}`, kind: 'question.unasked', priority: 'HIGH', title, detail });
    }),
    noteTicket: inTurn((turn: QuestionTurn, event) => {
      if (event.type !== 'ticket.opened') return;
      turn.cancel('ticket');
      turn.assign({ ticket: event.ticket });
      const { id } = turn.context;
      settle(turn, { subject: `question ${id}`, kinds: ['question.unasked'], because: 'it has a ticket' });
    }),
    tellWaiting: inTurn((turn: QuestionTurn) => tellWaiters(turn, waitingReply(turn.context))),
    settle: inTurn((turn: QuestionTurn, event) => {
      const { context } = turn;
      const settlement = settlementIn(context, event);
      if (settlement === null) return;
      tellWaiters(turn, settledReply(context, settlement));
      turn.send(context.desk, { type: 'question.settled', id: context.id, settlement } satisfies QuestionReport);
    }),
  },
});

/** The reply with the provisional answer, or without an answer if there is none. */
function provisionalReply(context: QuestionContext): ReturnType<typeof waitingReply> {
  const scored = usableDraft(context);
  if (scored === null) return waitingReply(context);
  const response = responseOf(context, scored, { isProvisional: true, isEscalated: true });
  return givenReply(context, response, 'provisional');
}

/** The settlement of a question by a notice about its ticket; null if the notice settles nothing. */
function settlementIn(context: QuestionContext, event: QuestionEvent): Settlement | null {
  if (event.type === 'ticket.resolved') return settlementOf(context, event.resolution);
  if (event.type !== 'ticket.rejected') return null;
  return { outcome: 'unanswered', resolution: null, because: `${event.by} will not answer it: ${event.reason}` };
}

function broken(bundle: QuestionContext['bundle'], maxTokens: number): Partial<QuestionContext> {
  const result = breakBundle(bundle, { maxTokens });
  return { bundle: result.bundle, dropped: result.dropped, tweak: suggestedTweak(result) };
}

function withEvidence(context: QuestionContext, said: Known<Retrieval>): Partial<QuestionContext> {
  // Precedents are evidence even where the search says nothing.
  const known = context.evidence.length === 0 ? context.precedents : context.evidence;
  if (!said.isKnown) return { evidence: known, notKnown: [...context.notKnown, said.why] };
  const { evidence, complete } = said.value;
  return { evidence: joinedEvidence(known, evidence), isComplete: complete };
}

function newEvidence({ evidence }: QuestionContext, event: object): readonly Evidence[] {
  const found = 'output' in event ? (event.output as Partial<Retrieval> | null) : null;
  const pieces = Array.isArray(found?.evidence) ? (found.evidence as readonly Evidence[]) : [];
  const known = new Set(evidence.map(({ source }) => JSON.stringify(source)));
  return pieces.filter((piece) => !known.has(JSON.stringify(piece?.source)));
}

function better({ scored }: QuestionContext, next: QuestionContext['scored']): QuestionContext['scored'] {
  if (scored === null || next === null) return next ?? scored;
  return next.confidence >= scored.confidence || scored.verdict === 'discarded' ? next : scored;
}

/** Replies to every waiting asker. */
function tellWaiters(turn: QuestionTurn, reply: ReturnType<typeof waitingReply>): void {
  for (const { order } of [...turn.context.waiters.values()]) tellWaiter(turn, order, reply);
}

function tellWaiter(turn: QuestionTurn, order: number, reply: ReturnType<typeof waitingReply>): void {
  const { id, waiters } = turn.context;
  turn.assign({ waiters: waiters.delete(numberKey(order)) });
  turn.cancel(waitId(order));
  answerOrder(turn, id, { order }, reply);
}

function waitId(order: number): string {
  return `wait ${order}`;
}
