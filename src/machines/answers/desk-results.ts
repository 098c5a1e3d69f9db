/**
 * The results of questions at the answer desk: first results, people's settlements, corrections that reach every user
 * of an answer and of the answers that rest on it, and the erasure of people's words.
 */
import { notify } from '../people/notice.ts';
import { type Asked, type OrderReply, refused } from '../rules/turn.ts';
import { pairKey, pairsOf } from '../rules/table-keys.ts';
import { type ChildExited } from '../rules/desk.ts';
import { type TicketNotice, type TicketResolution } from '../people/tickets/ticket-messages.ts';
import { PEOPLE_DESKS } from '../people/system-ids.ts';
import { WORK_DESKS } from '../work/system-ids.ts';
import { cachePut } from './answer-cache.ts';
import { personResponse } from './ask-replies.ts';
import { type AnswerResponse } from './bundle.ts';
import { desk, leave, recordOf } from './desk-asking.ts';
import { type AnswerTurn, log, resolvedEntry } from './desk-log.ts';
import { type AnswerOrder, type AnswerUser, type QuestionRow, type QuestionStatus } from './desk-state.ts';
import { noteCorrection, noteOutcome } from './desk-outcomes.ts';
import { replyIn } from './desk-thread.ts';
import {
  forget,
  keepNews,
  keyOfUser,
  restingOn,
  tellChanged,
  tellGiven,
  uncache,
  unjoin,
  usersOf,
} from './desk-users.ts';
import { sameValue } from './evidence.ts';
import { precedentPut, precedentWithout, saidIn } from './precedents.ts';
import { type FirstResult, type QuestionReport, type Settlement } from './question-state.ts';
import { type Outcome } from './resolution-log.ts';

type Report<Type extends QuestionReport['type']> = Extract<QuestionReport, { readonly type: Type }>;

const FIRST: Readonly<Record<FirstResult['verdict'], { readonly status: QuestionStatus; readonly outcome: Outcome }>> =
  {
    direct: { status: 'answered', outcome: 'direct' },
    provisional: { status: 'provisional', outcome: 'provisional' },
    escalated: { status: 'waiting', outcome: 'escalated' },
    unanswered: { status: 'unanswered', outcome: 'unanswered' },
  };

/** Records the first result of a question, and tells its askers. */
export function resolved(turn: AnswerTurn, { id, result }: Report<'question.resolved'>): void {
  const before = desk(turn).records.get(id);
  if (before === undefined || before.isOver) return;
  leave(turn, before);
  const { response, verdict, confidence, uncalibrated, hasTimedOut, factors, restsOn } = result;
  const { status, outcome } = FIRST[verdict];
  const facts = { status, response, resolvedAtMs: turn.nowMs, uncalibrated, factors };
  const isFirst = before.resolvedAtMs === null;
  const isEnd = verdict === 'direct' || verdict === 'unanswered';
  const row = isEnd ? desk(turn).close(id, facts) : desk(turn).change(id, facts);
  // A question whose ticket failed asks people again, and has had its first result.
  if (row === undefined || !isFirst) return;
  log(turn, resolvedEntry(turn, row, { outcome, confidence, hasTimedOut }), row.textKey);
  for (const { question } of restsOn) turn.assign({ rests: turn.context.rests.set(pairKey(question, id), id) });
  if (verdict === 'direct') cache(turn, row);
  if (verdict === 'escalated' && row.task !== null)
    turn.send(WORK_DESKS.orchestrator, {
      ...{ type: 'question.escalated', task: row.task },
      facts: { confidence, seconds: (turn.nowMs - row.askedAtMs) / 1_000 },
    });
  if (row.thread !== null) replyIn(turn, row.thread, row.response);
  for (const user of usersOf(turn, id)) tellGiven(turn, row, user);
  for (const one of restsOn) revokeOutdated(turn, one);
}

/** Revokes what rests on a precedent that has changed while the question was worked on. */
function revokeOutdated(turn: AnswerTurn, { question, said }: FirstResult['restsOn'][number]): void {
  const precedent = turn.context.precedents.get(question);
  if (precedent === undefined || saidIn(precedent) === said) return;
  const { answer: text, by, reason } = precedent;
  revokeRests(turn, new Set(), question, { text, by, reason });
}

/** Records a person's decision about a question. */
export function settled(turn: AnswerTurn, { id, settlement }: Report<'question.settled'>): void {
  const row = desk(turn).records.get(id);
  if (row === undefined || row.isOver) return;
  const { outcome, resolution } = settlement;
  const entry = {
    kind: 'settled',
    question: id,
    atMs: turn.nowMs,
    outcome,
    clarity: resolution?.score ?? null,
  } as const;
  log(turn, entry, row.textKey);
  if (row.response !== null && outcome !== 'unanswered')
    noteOutcome(turn, row, { wasRight: outcome !== 'revoked', from: 'confirmation' });
  if (outcome === 'revoked') {
    // A resolution is what has replaced the answer.
    const { text, by, reason } = resolution!;
    desk(turn).close(id, { status: 'revoked', response: personResponse(text, row.ticket ?? id), by });
    change(turn, id, { text, by, reason });
    return;
  }
  const closed = desk(turn).close(id, factsOfSettlement(row, settlement));
  if (closed === undefined) return;
  if (resolution !== null) remember(turn, closed, resolution);
  if (closed.thread !== null) replyIn(turn, closed.thread, closed.response);
  for (const user of usersOf(turn, id)) {
    tellGiven(turn, closed, user);
    // Who had an answer that was taken back hears of the new one.
    if (row.version > 0 && resolution !== null) {
      const { by, reason } = resolution;
      keepNews(turn, user.asker, row.text, { question: id, answer: closed.response!.answer, by, reason });
    }
  }
}

function factsOfSettlement(
  { response, ticket, id }: QuestionRow,
  { outcome, resolution }: Settlement,
): Partial<Pick<QuestionRow, 'status' | 'response' | 'by'>> {
  if (resolution === null) return { status: response === null ? 'unanswered' : 'provisional' };
  const said = personResponse(resolution.text, ticket ?? id);
  if (outcome === 'answered' || response === null) return { status: 'answered', response: said, by: resolution.by };
  const confirmed: AnswerResponse = { ...response, confidence: said.confidence, follow_up_needed: false };
  return { status: 'confirmed', response: confirmed, by: resolution.by };
}

/** Keeps a person's answer for later questions. */
function remember(turn: AnswerTurn, row: QuestionRow, said: Pick<TicketResolution, 'by' | 'reason'>): void {
  const { id: question, text, ticket, response, scope = null } = row;
  const { by, reason } = said;
  const saying = { answer: response!.answer, by, reason, atMs: turn.nowMs };
  turn.assign(precedentPut(turn.context, { question, text, ticket, scope, ...saying }));
  cache(turn, row);
}

function cache(turn: AnswerTurn, { id, textKey }: QuestionRow): void {
  const { cached, cacheOrder, cacheUses } = cachePut(turn.context, textKey, { question: id, atMs: turn.nowMs });
  turn.assign({ cached, cacheOrder, cacheUses });
}

/** The reply to a correction: the number of users who were told. */
export interface CorrectionReply extends OrderReply {
  readonly told: number;
}

/** Replaces an answer with a person's. An answer that no person has settled yet is settled through its ticket. */
export function correct(
  turn: AnswerTurn,
  { question: id, text, by, reason }: AnswerOrder<'answers.correct'> & Asked,
): CorrectionReply | OrderReply {
  const row = recordOf(turn, id);
  if (row === undefined) return refused(`no question "${id}"`);
  if (row.response !== null && sameValue(row.response.answer) === sameValue(text))
    return refused(`the answer of ${id} says so already`);
  if (row.isOver) return { taken: true, problems: [], told: change(turn, id, { text, by, reason }) };
  if (row.ticket === null) return refused(`${id} has no answer yet: ask again in a moment`);
  const because = reason ?? 'corrected';
  turn.send(PEOPLE_DESKS.tickets, { type: 'tickets.resolve', ticket: row.ticket, by, text, reason: because });
  return { taken: true, problems: [], told: usersOf(turn, id).length };
}

interface Said {
  readonly text: string;
  readonly by: string;
  readonly reason: string | null;
}

/**
 * Changes the answer of a settled question. Each of its users is told once, and each user of an answer that rests on it
 * is told that this answer holds no more. Returns how many users were told.
 */
function change(turn: AnswerTurn, id: string, said: Said): number {
  const row = desk(turn).records.get(id)!; // the callers have found it
  const response = personResponse(said.text, row.ticket ?? id);
  if (row.response !== null && row.by === null && row.status !== 'revoked') noteCorrection(turn, row, row.response);
  // A question without an answer so far gets one; another one is marked, since somebody may have built on the old one.
  const status = row.response === null ? 'answered' : 'revoked';
  const { by } = said;
  const changed = desk(turn).change(id, { response, by, status, version: row.version + 1, resolvedAtMs: turn.nowMs })!;
  const told = new Set<string>();
  tellUsers(turn, told, { row: changed, because: id, answer: said.text, said });
  revokeRests(turn, told, id, said);
  log(turn, { kind: 'corrected', question: id, atMs: turn.nowMs, users: told.size }, row.textKey);
  remember(turn, changed, said);
  return told.size;
}

/**
 * Revokes the answers that rest on one that has changed, and those that rest on them: asking again finds the new one.
 */
function revokeRests(turn: AnswerTurn, told: Set<string>, root: string, said: Said): void {
  const resting = restingOn(turn, root);
  for (const of of [root, ...resting.map(({ id }) => id)])
    for (const key of [...turn.context.rests.keys(pairsOf(of))]) turn.assign({ rests: turn.context.rests.delete(key) });
  for (const row of resting) {
    const revoked = revoke(turn, row);
    tellUsers(turn, told, { row: revoked, because: root, answer: null, said });
  }
}

/** Takes back the answer of a question. One that people still have waits for their answer. */
function revoke(turn: AnswerTurn, row: QuestionRow): QuestionRow {
  const { id, isOver, textKey } = row;
  const version = row.version + 1;
  if (!isOver) {
    desk(turn).tell(row, { type: 'draft.revoked' });
    return desk(turn).change(id, { status: 'waiting', response: null, version })!;
  }
  uncache(turn, id, textKey);
  unjoin(turn, row);
  return desk(turn).change(id, { status: 'revoked', version })!;
}

interface Told {
  readonly row: QuestionRow;
  readonly because: string;
  readonly answer: string | null;
  readonly said: Said;
}

/** Tells each user of an answer, and counts them: a user of several answers is told of each, and counts once. */
function tellUsers(turn: AnswerTurn, told: Set<string>, { row, because, answer, said: { by, reason } }: Told): void {
  for (const user of usersOf(turn, row.id)) {
    told.add(keyOfUser(user));
    const { asker, task } = user satisfies AnswerUser;
    tellChanged(turn, user, row.text, { question: row.id, because, asker, task, answer, by, reason });
  }
}

/** Handles a notice about a ticket: it lets a question under way continue, and corrects a settled one. */
export function noticed(turn: AnswerTurn, notice: TicketNotice): void {
  const row = notice.about === null ? undefined : recordOf(turn, notice.about);
  if (row === undefined) return;
  if (notice.type === 'ticket.opened') desk(turn).change(row.id, { ticket: notice.ticket });
  if (!row.isOver) return desk(turn).tell(row, notice);
  if (notice.type !== 'ticket.resolved') return;
  const { text, by, reason } = notice.resolution;
  if (row.response === null || sameValue(row.response.answer) !== sameValue(text))
    change(turn, row.id, { text, by, reason });
}

/** Closes the record of a question whose actor failed for good, and tells its askers and people. */
export function giveUp(turn: AnswerTurn, { id }: ChildExited): void {
  const before = desk(turn).records.get(id);
  if (before === undefined || before.isOver) return;
  leave(turn, before);
  const closed = desk(turn).close(id, { status: 'failed', resolvedAtMs: turn.nowMs });
  if (closed === undefined) return;
  const detail = 'Its actor has failed. Its asker may ask again.';
  notify(turn, {
    subject: `question ${id}`,
    kind: 'question.failed',
    priority: 'CRITICAL',
    title: closed.text,
    detail,
  });
  for (const user of usersOf(turn, id)) tellGiven(turn, closed, user);
}

/** The text that replaces a person's words. */
export const ERASED = '[erased]';

/** Removes people's words from a settled question and from everything derived from it. */
export function erase(turn: AnswerTurn, { question: id }: AnswerOrder<'answers.erase'>): OrderReply {
  const row = recordOf(turn, id);
  if (row === undefined) return refused(`no question "${id}"`);
  if (!row.isOver) return refused(`${id} is not settled yet: reject its ticket first`);
  for (const { asker } of usersOf(turn, id))
    for (const [key, { question_id }] of [...turn.context.news.entries(pairsOf(asker))])
      if (question_id === id) turn.assign({ news: turn.context.news.delete(key) });
  forget(turn, row);
  turn.assign(precedentWithout(turn.context, id));
  turn.assign({ recent: withoutText(turn.context.recent, id) });
  const response = row.response && { ...row.response, answer: ERASED, sources: [], suggested_next_actions: null };
  desk(turn).change(id, { text: ERASED, options: [], response, by: null, textKey: id, joinKey: id, users: 0 });
  return { taken: true, problems: [] };
}

/** The entries of the last day without the text of a question. */
function withoutText(recent: AnswerTurn['context']['recent'], id: string): AnswerTurn['context']['recent'] {
  let rest = recent;
  for (const [key, row] of [...recent]) if (row.question === id) rest = rest.set(key, { ...row, text: id });
  return rest;
}
