/**
 * The answer desk (seed 001): takes questions, hands out places in the order of urgency, answers from its cache and by
 * what people said before, and keeps what became of each question and who uses its answer. Each question that is under
 * way is an actor of its own (question.ts). A person's correction reaches every user once.
 */
import { CUSTOM_TRIGGERS_MAX, PROPOSALS_KEPT_MAX, RESOLUTIONS_KEPT_MAX } from '../limits.ts';
import { type ChildExited, type OrderAnswered } from '../rules/desk.ts';
import { numberKey } from '../rules/table-keys.ts';
import { TICKET_NOTICES, type TicketNotice } from '../people/tickets/ticket-messages.ts';
import { type Asked, order, type OrderReply, refused, ruledAgent, type Rules, TAKEN } from '../rules/turn.ts';
import { cacheFor } from './answer-cache.ts';
import { refusedReply } from './ask-replies.ts';
import { queryBundle } from './bundle.ts';
import { withOutcome } from './calibration.ts';
import { ask, awaitAnswer, desk, release, replyNow, withNews } from './desk-asking.ts';
import { type AnswerTurn, log, LOG } from './desk-log.ts';
import { correct, erase, giveUp, noticed, resolved, settled } from './desk-results.ts';
import {
  type AnswerDeskContext,
  type AnswerEmitted,
  type AnswerOrder,
  answerOrders,
  deskContext,
  type QuestionRow,
} from './desk-state.ts';
import { addWaiter, toldOf, usersOf } from './desk-users.ts';
import { flawOfApproval, isPaused, type Proposal, proposalsFor, settingsWith } from './evolution.ts';
import { reportOf } from './metrics.ts';
import { precedentPut, similar } from './precedents.ts';
import { type QuestionReport } from './question-state.ts';
import { logEntry } from './resolution-log.ts';
import { fires } from './triggers.ts';

type Report<Type extends QuestionReport['type']> = Extract<QuestionReport, { readonly type: Type }>;
type Event<Type extends keyof typeof answerOrders> = AnswerOrder<Type> & Asked;

const NOTICES = Object.fromEntries(TICKET_NOTICES.map((type) => [type, noticed])) as Record<
  TicketNotice['type'],
  typeof noticed
>;

const RULES = {
  'answers.ask': order(answerOrders['answers.ask'], ask),
  'answers.wait': order(answerOrders['answers.wait'], wait),
  'answers.correct': order(answerOrders['answers.correct'], correct),
  'answers.users': order(answerOrders['answers.users'], (turn: AnswerTurn, { question }) => ({
    users: toldOf(turn, question).map(({ asker, task, atMs, question: has }) => ({ asker, task, atMs, question: has })),
  })),
  'answers.judge': order(answerOrders['answers.judge'], judge),
  'answers.erase': order(answerOrders['answers.erase'], erase),
  'answers.show': order(answerOrders['answers.show'], show),
  'answers.search': order(answerOrders['answers.search'], (turn: AnswerTurn, { text, limit }) => ({
    found: similar(turn.context, text, limit).map(({ precedent: { number: _, ...precedent }, likeness }) => ({
      ...precedent,
      likeness,
    })),
  })),
  'answers.list': order(answerOrders['answers.list'], list),
  'answers.metrics': order(answerOrders['answers.metrics'], ({ context }: AnswerTurn) => ({
    figures: reportOf(context.figures, context.profile),
    queued: context.queue.size,
    places: context.places,
    bins: context.bins,
  })),
  'answers.review': order(answerOrders['answers.review'], review),
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
  'answers.trigger': order(answerOrders['answers.trigger'], (turn: AnswerTurn, _, trigger): OrderReply => {
    const others = turn.context.triggers.filter(({ name }) => name !== trigger.name);
    if (others.length >= CUSTOM_TRIGGERS_MAX) return refused(`there are ${CUSTOM_TRIGGERS_MAX} triggers already`);
    turn.assign({ triggers: [...others, trigger] });
    return TAKEN;
  }),
  'answers.measure': order(answerOrders['answers.measure'], measure),
  'batch.due': release,
  'question.opened': (turn: AnswerTurn, { id, question }: Report<'question.opened'>) =>
    void desk(turn).begin(id, question),
  'question.resolved': resolved,
  'question.settled': settled,
  ...NOTICES,
  'order.answered': (turn: AnswerTurn, event: OrderAnswered) => desk(turn).answer(event),
  'child.exited': (turn: AnswerTurn, event: ChildExited) => giveUp(turn, event),
} satisfies Rules<AnswerDeskContext, AnswerEmitted>;

/** The agent of the answer desk. */
export const answerDesk = ruledAgent({
  name: 'answer-desk',
  version: 2,
  rules: RULES,
  context: deskContext,
  // The first version had no memory of the settings as they were given.
  migrate: { 2: (old: Omit<AnswerDeskContext, 'given'>) => ({ ...old, given: old.profile }) },
  records: {
    /** The log of every resolution, settlement, correction and judgement, without texts (AT-051). */
    [LOG]: { schema: logEntry, keep: { count: RESOLUTIONS_KEPT_MAX }, keys: { question: 'question' } },
  },
});

/** Waits for an answer, or returns an existing one at once. */
function wait(turn: AnswerTurn, event: Event<'answers.wait'>) {
  const { question: id, asker, maxWaitMs } = event;
  const row = desk(turn).records.get(id);
  if (row === undefined) return refusedReply([`no question "${id}"`], id);
  if (asker !== null) addWaiter(turn, row, asker);
  if (!row.isOver) return awaitAnswer(turn, event, row, maxWaitMs);
  const reply = replyNow(row);
  return asker === null ? reply : withNews(turn, asker, reply);
}

/** The facts of a question for people and programs. */
function factsOf({ number, ref: _, orders: __, textKey: ___, joinKey: ____, turn: _____, ...row }: QuestionRow) {
  return { number, ...row };
}

function show(turn: AnswerTurn, { question: id }: Event<'answers.show'>) {
  const row = desk(turn).records.get(id);
  if (row === undefined) return { question: null, users: [], earlier: [] };
  const users = usersOf(turn, id).map(({ asker, task, atMs }) => ({ asker, task, atMs }));
  return { question: factsOf(row), users, earlier: turn.context.precedents.get(id)?.earlier ?? [] };
}

/** A page of questions, the latest first. */
function list({ context }: AnswerTurn, { isOpen, before = Infinity, limit }: Event<'answers.list'>) {
  const rows = [
    ...(isOpen === false ? [] : context.open.values()),
    ...(isOpen === true ? [] : context.ended.values()),
  ].filter(({ number }) => number < before);
  const page = rows.sort((a, b) => b.number - a.number).slice(0, limit);
  return { questions: page.map(factsOf), next: rows.length > limit ? page.at(-1)!.number : null };
}

function judge(turn: AnswerTurn, event: Event<'answers.judge'>): OrderReply {
  const { question: id, wasRight, hadRightSources, satisfaction } = event;
  const row = desk(turn).records.get(id);
  if (row === undefined || row.response === null) return refused(`${id} has no answer that could be judged`);
  const { uncalibrated, response, textKey, by } = row;
  // What a person said tells nothing of how sure the team may be.
  if (by === null)
    turn.assign({ bins: withOutcome(turn.context.bins, { confidence: uncalibrated, isRight: wasRight }) });
  const facts = { confidence: response.confidence, wasRight, hadRightSources, satisfaction };
  log(turn, { kind: 'judged', question: id, atMs: turn.nowMs, ...facts }, textKey);
  return TAKEN;
}

/** Evaluates the triggers for a reading. One that fires asks its question, and asks it again when it fires again. */
function measure(turn: AnswerTurn, event: Event<'answers.measure'>) {
  const fired = turn.context.triggers.filter((one) => fires(one, event));
  for (const { name, question, priority_level } of fired) {
    const context_summary = `${event.measure} is ${event.value}.`;
    const bundle = queryBundle.parse({ question, context_summary, priority_level, confidence_level: 0 });
    const key = `${name} ${event.value}`.slice(0, 200);
    const asked = { ...{ bundle, asker: event.asker, trigger: 'custom' as const }, key };
    const whole = { ...asked, taskPriority: null, thread: null, maxWaitMs: 0 };
    ask(turn, { type: 'answers.ask', ...whole }, whole);
  }
  return { fired: fired.map(({ name }) => name) };
}

function review(turn: AnswerTurn): { readonly proposals: readonly Proposal[]; readonly isPaused: boolean } {
  const { profile, nowMs } = { profile: turn.context.profile, nowMs: turn.nowMs };
  const known = [...turn.context.proposals.values()];
  for (const found of proposalsFor([...turn.context.recent.values()], { profile, known, nowMs })) {
    const proposalCount = turn.context.proposalCount + 1;
    const id = `UV-${numberKey(proposalCount)}`;
    const open = { status: 'proposed', decidedBy: null, decidedAtMs: null, rewards: { count: 0, total: 0 } } as const;
    let proposals = turn.context.proposals.set(id, { id, ...found, proposedAtMs: nowMs, ...open });
    if (proposals.size > PROPOSALS_KEPT_MAX) proposals = proposals.delete(proposals.first()![0]);
    turn.assign({ proposals, proposalCount });
  }
  return { proposals: [...turn.context.proposals.values()], isPaused: isPaused(known, nowMs) };
}

/** Applies or refuses a proposal. No proposal takes effect otherwise. */
function decide(turn: AnswerTurn, { proposal: id, by, approve, reason }: Event<'answers.decide'>): OrderReply {
  const { proposals, profile } = turn.context;
  const proposal = proposals.get(id);
  if (proposal === undefined) return refused(`no proposal "${id}"`);
  const known = [...proposals.values()];
  const flaw = approve
    ? flawOfApproval(proposal, { reason, known, nowMs: turn.nowMs })
    : proposal.status === 'proposed'
      ? undefined
      : `the proposal is ${proposal.status}`;
  if (flaw !== undefined) return refused(flaw);
  const status = approve ? 'applied' : 'refused';
  const decided = { ...proposal, status, decidedBy: by, decidedAtMs: turn.nowMs } as const;
  turn.assign({ proposals: proposals.set(id, decided) });
  if (approve) turn.assign({ profile: settingsWith(profile, proposal.change) });
  if (approve && proposal.change.kind === 'precedent') pin(turn, proposal.change.question, by);
  return TAKEN;
}

/** Turns the answer of a question into a precedent, once a person has approved it. */
function pin(turn: AnswerTurn, id: string, by: string): void {
  const row = desk(turn).records.get(id);
  if (row === undefined || row.response === null) return;
  const { text, ticket, response } = row;
  const saying = { answer: response.answer, by, reason: null, atMs: turn.nowMs };
  const { precedents, precedentOrder, precedentWords, precedentCount } = precedentPut(turn.context, {
    ...{ question: id, text, ticket },
    ...saying,
  });
  turn.assign({ precedents, precedentOrder, precedentWords, precedentCount });
}
