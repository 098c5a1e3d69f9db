/**
 * The answer desk (seed 001): takes questions, hands out places in the order of urgency, answers from its cache and by
 * what people said before, and keeps what became of each question and who uses its answer. Each question that is under
 * way is an actor of its own (question.ts). A person's correction reaches every user once.
 */
import { OBSERVATIONS_KEPT_MAX, QUESTIONS_KEPT_MAX, RESOLUTIONS_KEPT_MAX } from '../limits.ts';
import { type ChildExited, type DeskApart, deskInOneTable } from '../rules/desk.ts';
import { endedIn, openIn } from '../rules/records.ts';
import { onNotices } from '../people/tickets/ticket-messages.ts';
import { type Asked, order, type OrderReply, ruledAgent, type Rules, TAKEN } from '../rules/turn.ts';
import { cacheFor } from './answer-cache.ts';
import { observed } from './custom-trigger.ts';
import { refusedReply } from './ask-replies.ts';
import {
  answered,
  ask,
  awaitAnswer,
  desk,
  QUESTIONS,
  recordOf,
  release,
  replyNow,
  rowOf,
  withNews,
} from './desk-asking.ts';
import { decide, define, measure, OBSERVATIONS, observe, review, triggersOf } from './desk-evolution.ts';
import { type AnswerTurn, LOG } from './desk-log.ts';
import { judge, noteTime } from './desk-outcomes.ts';
import { exported, keptAnswer, limit, pin } from './desk-precedents.ts';
import { correct, erase, giveUp, noticed, resolved, settled } from './desk-results.ts';
import {
  type AnswerDeskContext,
  type AnswerEmitted,
  type AnswerOrder,
  answerOrders,
  deskContext,
  type QuestionRow,
} from './desk-state.ts';
import { askedInTicket } from './desk-thread.ts';
import { addWaiter, toldOf, usersOf } from './desk-users.ts';
import { reportOf } from './metrics.ts';
import { type Precedent, precedentsOf, similar } from './precedents.ts';
import { answerProfile } from './profile.ts';
import { type QuestionReport } from './question-state.ts';
import { logEntry } from './resolution-log.ts';

type Report<Type extends QuestionReport['type']> = Extract<QuestionReport, { readonly type: Type }>;
type Event<Type extends keyof typeof answerOrders> = AnswerOrder<Type> & Asked;

const RULES = {
  'answers.ask': order(answerOrders['answers.ask'], (turn: AnswerTurn, event, asked) => {
    noteTime(turn);
    return ask(turn, event, asked);
  }),
  'answers.wait': order(answerOrders['answers.wait'], wait),
  'answers.correct': order(answerOrders['answers.correct'], correct),
  'answers.users': order(answerOrders['answers.users'], (turn: AnswerTurn, { question }) => ({
    users: toldOf(turn, question).map(({ asker, task, atMs, question: has }) => ({ asker, task, atMs, question: has })),
  })),
  'answers.judge': order(answerOrders['answers.judge'], judge),
  'answers.erase': order(answerOrders['answers.erase'], erase),
  'answers.show': order(answerOrders['answers.show'], show),
  'answers.pin': order(answerOrders['answers.pin'], pin),
  'answers.scope': order(answerOrders['answers.scope'], limit),
  'answers.export': order(answerOrders['answers.export'], exported),
  'answers.search': order(answerOrders['answers.search'], (turn: AnswerTurn, wanted) => ({
    found: similar(turn.context, wanted.text, wanted.limit).map(({ precedent, likeness }) => ({
      ...keptAnswer(precedent),
      likeness,
    })),
  })),
  'answers.list': order(answerOrders['answers.list'], list),
  'answers.metrics': order(answerOrders['answers.metrics'], metrics),
  'answers.review': order(answerOrders['answers.review'], (turn: AnswerTurn) => {
    noteTime(turn);
    return review(turn);
  }),
  'answers.decide': order(answerOrders['answers.decide'], decide),
  'answers.configure': order(answerOrders['answers.configure'], (turn: AnswerTurn, { profile }): OrderReply => {
    if (JSON.stringify(profile) !== JSON.stringify(turn.context.given)) turn.assign({ profile, given: profile });
    return TAKEN;
  }),
  'answers.plan': order(answerOrders['answers.plan'], (turn: AnswerTurn, { version }): OrderReply => {
    const { cached, cacheOrder, cacheUses, planVersion } = cacheFor(turn.context, version);
    turn.assign({ cached, cacheOrder, cacheUses, planVersion });
    return TAKEN;
  }),
  'answers.trigger': order(answerOrders['answers.trigger'], define),
  'answers.triggers': order(answerOrders['answers.triggers'], ({ context }: AnswerTurn) => ({
    triggers: triggersOf(context),
  })),
  'answers.measure': order(answerOrders['answers.measure'], measure),
  'answers.observe': order(answerOrders['answers.observe'], observe),
  'batch.due': release,
  'question.opened': (turn: AnswerTurn, { id, question }: Report<'question.opened'>) =>
    void desk(turn).begin(id, question),
  'question.resolved': resolved,
  'question.settled': settled,
  ...onNotices(noticed),
  'ticket.asked': askedInTicket,
  'order.answered': answered,
  'child.exited': (turn: AnswerTurn, event: ChildExited) => giveUp(turn, event),
} satisfies Rules<AnswerDeskContext, AnswerEmitted>;

type ApartContext = Omit<DeskApart<AnswerDeskContext>, 'placesTaken'> & { readonly places: number };

/** The agent of the answer desk. */
export const answerDesk = ruledAgent({
  name: 'answer-desk',
  version: 4,
  rules: RULES,
  context: deskContext,
  migrate: {
    // The first version had no memory of the settings as they were given.
    2: (old: ApartContext): ApartContext => ({ ...old, given: old.profile }),
    // The second had a row for each word of each precedent, none of which was bounded to a part of the work.
    3: ({ precedents, ...old }: ApartContext): ApartContext => ({
      ...old,
      ...precedentsOf([...precedents.values()].map((one) => ({ ...one, scope: null, planVersion: null }))),
      profile: answerProfile.parse(old.profile),
      given: answerProfile.parse(old.given),
      outcomesUpTo: old.next - 1,
      questionsMax: QUESTIONS_KEPT_MAX,
    }),
    // The third had a table for open questions and one for others, and `places` were those taken.
    4: ({ places: placesTaken, ...old }: ApartContext): AnswerDeskContext =>
      deskInOneTable({ ...old, placesTaken }, QUESTIONS),
  },
  records: {
    /** The log of every resolution, settlement, correction and judgement, without texts (AT-051). */
    [LOG]: { schema: logEntry, keep: { count: RESOLUTIONS_KEPT_MAX }, keys: { question: 'question' } },
    /** Observations of agents, in their words. */
    [OBSERVATIONS]: { schema: observed, keep: { count: OBSERVATIONS_KEPT_MAX, days: 90 }, keys: { asker: 'asker' } },
  },
});

/** Waits for an answer, or returns an existing one at once. */
function wait(turn: AnswerTurn, event: Event<'answers.wait'>) {
  const { question: id, asker, maxWaitMs } = event;
  const row = recordOf(turn, id);
  if (row === undefined) return refusedReply([`no question "${id}"`], id);
  if (asker !== null) addWaiter(turn, row, asker);
  if (!row.isOver) return awaitAnswer(turn, event, row, maxWaitMs);
  const reply = replyNow(row);
  return asker === null ? reply : withNews(turn, asker, reply);
}

/** The facts of a question for people and programs. */
function factsOf({ ref: _, orders: __, textKey: ___, joinKey: ____, turn: _____, ...row }: QuestionRow) {
  return row;
}

function show(turn: AnswerTurn, { question: id }: Event<'answers.show'>) {
  const row = desk(turn).records.get(id);
  const precedent = turn.context.precedents.get(id);
  if (row === undefined && precedent !== undefined)
    return { question: { number: 0, isOver: true, ...rowOf(precedent) }, users: [], ...keptOf(precedent) };
  if (row === undefined) return { question: null, users: [], ...keptOf(precedent) };
  const users = usersOf(turn, id).map(({ asker, task, atMs }) => ({ asker, task, atMs }));
  return { question: factsOf(row), users, ...keptOf(precedent) };
}

/** Whether and for whom an answer is kept, and what was said before. */
function keptOf(precedent: Precedent | undefined) {
  if (precedent === undefined) return { kept: null, earlier: [] };
  const { by, atMs, scope, planVersion, earlier } = precedent;
  return { kept: { by, atMs, scope, planVersion }, earlier };
}

/** A page of questions, the latest first. */
function list({ context }: AnswerTurn, { isOpen, before = Infinity, limit }: Event<'answers.list'>) {
  const rows = [...(isOpen === false ? [] : openIn(context)), ...(isOpen === true ? [] : endedIn(context))].filter(
    ({ number }) => number < before,
  );
  const page = rows.sort((a, b) => b.number - a.number).slice(0, limit);
  return { questions: page.map(factsOf), next: rows.length > limit ? page.at(-1)!.number : null };
}

function metrics(turn: AnswerTurn) {
  noteTime(turn);
  const { figures, profile, queue, placesTaken: places, bins } = turn.context;
  return { figures: reportOf(figures, profile), queued: queue.size, places, bins };
}
