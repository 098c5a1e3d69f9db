/** The users of each answer. They hear of a change by an event, and with the reply to their next call. */
import { ANSWER_USERS_MAX, CHANGES_WAITING_MAX, NEWS_KEPT_MAX } from '../limits.ts';
import { recordIn } from '../rules/records.ts';
import { nameKey, numberKey, pairKey, pairsOf } from '../rules/table-keys.ts';
import { cacheWithout } from './answer-cache.ts';
import { type AnswerTurn } from './desk-log.ts';
import { type AnswerChange, type AnswerEmitted, type AnswerUser, type QuestionRow } from './desk-state.ts';
import { type ChangedAnswer } from './question-state.ts';

/** Records a user of a question's answer. A known user keeps the first time, and has the last key. */
export function addUser(turn: AnswerTurn, question: string, user: AnswerUser): void {
  const key = pairKey(question, keyOfUser(user));
  const { users } = turn.context;
  const known = users.get(key);
  if (user.joinKey !== undefined) joinAs(turn, question, user.joinKey, known?.joinKey);
  if (known !== undefined) {
    if (user.joinKey !== undefined) turn.assign({ users: users.set(key, { ...known, joinKey: user.joinKey }) });
    return;
  }
  turn.assign({ users: users.set(key, user) });
  const place = turn.context.places.get(question);
  if (place === undefined) return;
  const { rows } = turn.context;
  const row = rows.get(place)!;
  turn.assign({ rows: rows.set(place, { ...row, users: row.users + 1 }) });
}

/** Lets a user find a question by its key, and no longer by the one before. */
function joinAs(turn: AnswerTurn, question: string, joinKey: string, before: string | undefined): void {
  const { joins } = turn.context;
  const kept = before !== undefined && joins.get(before) === question ? joins.delete(before) : joins;
  turn.assign({ joins: kept.set(joinKey, question) });
}

/** Removes the keys by which askers find a question again. */
export function unjoin(turn: AnswerTurn, row: QuestionRow): void {
  const shared = usersOf(turn, row.id).flatMap(({ joinKey }) => joinKey ?? []);
  let { joins } = turn.context;
  for (const key of [row.joinKey, openKeyOf(row), ...shared]) if (joins.get(key) === row.id) joins = joins.delete(key);
  turn.assign({ joins });
}

/** Notes an asker that waits for the question of another, unless it is a user for one task or another. */
export function addWaiter(turn: AnswerTurn, { id, users }: QuestionRow, asker: string): void {
  const isKnown = usersOf(turn, id).some((user) => user.asker === asker);
  if (!isKnown && users < ANSWER_USERS_MAX) addUser(turn, id, { asker, task: null, ref: null, atMs: turn.nowMs });
}

export function keyOfUser({ asker, task }: Pick<AnswerUser, 'asker' | 'task'>): string {
  return JSON.stringify([asker, task]);
}

export function usersOf(turn: Pick<AnswerTurn, 'context'>, question: string): readonly AnswerUser[] {
  return [...turn.context.users.values(pairsOf(question))];
}

/** The questions whose answers rest on the answer of one, directly or through others; those of people rest on none. */
export function restingOn(
  turn: Pick<AnswerTurn, 'context'>,
  question: string,
  seen = new Set([question]),
): readonly QuestionRow[] {
  const { rests } = turn.context;
  return [...rests.values(pairsOf(question))].flatMap((other) => {
    const row = recordIn(turn.context, other);
    if (row === undefined || seen.has(other) || row.by !== null || isTakenBack(row)) return [];
    seen.add(other);
    return [row, ...restingOn(turn, other, seen)];
  });
}

/** Whether the team's answer was taken back already. */
function isTakenBack({ status, response }: QuestionRow): boolean {
  return status === 'revoked' || response === null;
}

/** A user that would be told of a correction, with the question whose answer it has. */
export interface ToldUser extends AnswerUser {
  readonly question: string;
}

/** The users that a correction of a question tells: its own and those of what rests on it, each of them once. */
export function toldOf(turn: Pick<AnswerTurn, 'context'>, question: string): readonly ToldUser[] {
  const told = new Map<string, ToldUser>();
  for (const id of [question, ...restingOn(turn, question).map((row) => row.id)])
    for (const user of usersOf(turn, id)) {
      const key = keyOfUser(user);
      if (!told.has(key)) told.set(key, { ...user, question: id });
    }
  return [...told.values()];
}

/** Tells a user what became of a question. */
export function tellGiven(turn: AnswerTurn, row: QuestionRow, user: AnswerUser): void {
  const { id, status, response, ticket } = row;
  const { asker, task } = user;
  tell(turn, user, {
    type: 'answer.given',
    question: id,
    asker,
    task,
    status,
    answer: response?.answer ?? null,
    confidence: response?.confidence ?? 0,
    ticket,
  });
}

/** Tells a user that an answer has changed, and keeps it for the reply to the user's next call. */
export function tellChanged(turn: AnswerTurn, user: AnswerUser, text: string, change: AnswerChange): void {
  tell(turn, user, { type: 'answer.changed', ...change });
  keepNews(turn, user.asker, text, change);
}

/** Keeps a changed answer for the reply to an asker's next call, in the place of an older one of the same question. */
export function keepNews(
  turn: AnswerTurn,
  asker: string,
  text: string,
  { question, answer, by, reason }: Pick<AnswerChange, 'question' | 'answer' | 'by' | 'reason'>,
): void {
  let { news } = turn.context;
  for (const [key, unread] of [...news.entries(pairsOf(asker))])
    if (unread.question_id === question) news = news.delete(key);
  if (news.size >= NEWS_KEPT_MAX) return turn.assign({ news });
  const newsCount = turn.context.newsCount + 1;
  news = news.set(pairKey(asker, numberKey(newsCount)), { question_id: question, question: text, answer, by, reason });
  const waiting = [...news.keys(pairsOf(asker))];
  if (waiting.length > CHANGES_WAITING_MAX) news = news.delete(waiting[0]!);
  turn.assign({ newsCount, news });
}

function tell(turn: AnswerTurn, { ref }: AnswerUser, event: AnswerEmitted): void {
  turn.emit(event);
  if (ref !== null) turn.send(ref, event);
}

/** Changed answers that an asker has not been told in a reply. They then count as told. */
export function newsFor(turn: AnswerTurn, asker: string): ChangedAnswer[] {
  const waiting = [...turn.context.news.entries(pairsOf(asker))];
  let { news } = turn.context;
  for (const [key] of waiting) news = news.delete(key);
  if (waiting.length > 0) turn.assign({ news });
  return waiting.map(([, change]) => change);
}

/** The key by which other askers find an open question: its words and options, its task and its trigger. */
export function openKeyOf({ textKey, task, trigger }: Pick<QuestionRow, 'textKey' | 'task' | 'trigger'>): string {
  return nameKey(JSON.stringify(['open', textKey, task, trigger]));
}

/** Removes the data kept beside the record of a question. A person's words about it stay. */
export function forget(turn: AnswerTurn, row: QuestionRow): void {
  const { id, textKey } = row;
  unjoin(turn, row);
  let { users, rests } = turn.context;
  for (const key of [...users.keys(pairsOf(id))]) users = users.delete(key);
  for (const key of [...rests.keys(pairsOf(id))]) rests = rests.delete(key);
  turn.assign({ users, rests });
  uncache(turn, id, textKey);
}

/** Takes a question's answer out of the cache. */
export function uncache(turn: AnswerTurn, id: string, textKey: string): void {
  if (turn.context.cached.get(textKey)?.question !== id) return;
  const { cached, cacheOrder } = cacheWithout(turn.context, textKey);
  turn.assign({ cached, cacheOrder });
}
