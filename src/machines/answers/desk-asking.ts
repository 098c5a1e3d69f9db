/**
 * How a question enters the answer desk: refused, answered at hand (from the cache or by what a person said), joined to
 * an equal one, or opened and queued for a place.
 */
import { type AnyActorRef } from 'xstate';
import { ANSWER_ROWS_MAX, ANSWER_USERS_MAX, BUNDLE_BYTES_MAX, QUESTIONS_OPEN_MAX } from '../limits.ts';
import { Desk, type DeskOf, type OrderAnswered } from '../rules/desk.ts';
import { eldestEnded, ENDED_ROWS, OPEN_ROWS } from '../rules/records.ts';
import { nameKey } from '../rules/table-keys.ts';
import { type Asked } from '../rules/turn.ts';
import { fits } from '../rules/value-size.ts';
import { ANSWER_DESKS, RESEARCHER } from './system-ids.ts';
import { WORK_DESKS } from '../work/system-ids.ts';
import { admit, type Lane, roomIn, turnKey } from '../work/capacity-queue.ts';
import { cacheHit } from './answer-cache.ts';
import { type AskedReply, givenReply, personResponse, refusedReply, waitingReply } from './ask-replies.ts';
import { type AnswerResponse } from './bundle.ts';
import { type AnswerTurn, log, resolvedEntry } from './desk-log.ts';
import { BATCH_MS, entryOf, placesWith, rankOf } from './desk-queue.ts';
import { type AnswerOrder, type AnswerUser, GATHERED, type QuestionRow } from './desk-state.ts';
import { addUser, forget, keyOfUser, newsFor, openKeyOf, tellGiven, usersOf } from './desk-users.ts';
import { answeringPrecedent, type Precedent, precedentEvidence, type Sought } from './precedents.ts';
import { hasToAsk, qualityOf, QUESTIONS_PER_TASK } from './question-quality.ts';
import { type QuestionInput } from './question-state.ts';
import { isUnsureVerification, mayFire, priorityOf, queuedAs, triggerOf } from './triggers.ts';
import { normalised } from './words.ts';

/** The questions under way as a lane, beyond whose capacity another one is rejected. */
const OPEN: Omit<Lane, 'held'> = { capacity: QUESTIONS_OPEN_MAX };

/** Settled questions that one turn removes at most, each with up to 500 users. */
const FORGOTTEN_A_TURN = 8;

/** Milliseconds within which an equal question of the same asker and task is joined to the first one. */
const JOIN_MS = 24 * 60 * 60_000;

type Ask = AnswerOrder<'answers.ask'>;
type AskEvent = Ask & Asked & { readonly askedBy?: AnyActorRef | null };

export const QUESTIONS: DeskOf<QuestionRow> = {
  noun: 'question',
  boss: ANSWER_DESKS.openQuestions,
  ending: ({ status }) => status,
  lastReply: replyNow,
};

export function desk(turn: AnswerTurn): Desk<QuestionRow> {
  return new Desk(turn, QUESTIONS);
}

/**
 * The record of a question. One that was dropped comes back as long as its answer is a precedent, since it can then be
 * given and corrected; who had it before is not known any more.
 */
export function recordOf(turn: AnswerTurn, id: string): QuestionRow | undefined {
  const known = desk(turn).records.get(id);
  const precedent = known === undefined ? turn.context.precedents.get(id) : undefined;
  if (precedent === undefined) return known;
  const { next: number } = turn.context;
  const row = { ...rowOf(precedent), textKey: id, joinKey: id, number, isOver: true, ref: null, orders: 0 };
  turn.assign({ next: number + 1 });
  desk(turn).records.put(row);
  return row;
}

/** The facts of a question of which only the precedent is left. */
type Left = Omit<QuestionRow, 'number' | 'isOver' | 'ref' | 'orders' | 'textKey' | 'joinKey'>;
export function rowOf({ question, text, answer, by, ticket, scope, atMs, earlier }: Precedent): Left {
  return {
    ...{ id: question, text, options: [], asker: 'unknown', task: null },
    ...({ trigger: 'custom', priority: 3, status: 'answered' } as const),
    ...{ hasPlace: false, turn: null, thread: null, scope, by, ticket, users: 0 },
    ...{ response: personResponse(answer, ticket ?? question), askedAtMs: atMs, resolvedAtMs: atMs },
    ...{ uncalibrated: 0, factors: null, version: earlier.length },
  };
}

/** Handles a new question. Undefined if its asker gets the reply later. */
export function ask(turn: AnswerTurn, event: AskEvent, asked: Ask): AskedReply | undefined {
  const refusal = refusalOf(turn, asked);
  if (refusal !== undefined) return refusedReply([refusal]);
  const { bundle, asker, trigger, taskPriority, scope } = asked;
  const { profile } = turn.context;
  const facts = {
    text: bundle.question,
    options: bundle.possible_options ?? [],
    asker,
    task: bundle.current_task_id,
    trigger,
    priority: priorityOf(trigger, { own: bundle.priority_level, task: taskPriority }, profile),
    askedAtMs: turn.nowMs,
    scope,
    ...keysOf(asked),
  };
  const opening = { asked, facts };
  const joined = join(turn, event, opening);
  if (joined !== undefined) return joined === 'waits' ? undefined : joined;
  const given = answerAtHand(turn, event, opening);
  if (given !== undefined) return given;
  const shared = shareOpen(turn, event, opening);
  if (shared !== undefined) return shared === 'waits' ? undefined : shared;
  const tooMany = tooManyOf(turn, asked);
  return tooMany === undefined ? openQuestion(turn, event, opening) : refusedReply([tooMany]);
}

/** The keys of a question's text, and of the text or key of one asker. Those of a part of the work are its own. */
function keysOf({ bundle, asker, key, scope }: Ask): Pick<QuestionRow, 'textKey' | 'joinKey'> {
  const own = scope === null ? [] : [{ scope }];
  const text = [normalised(bundle.question), ...(bundle.possible_options ?? []).map(normalised).sort()];
  const join = [asker, bundle.current_task_id, key ?? normalised(bundle.question), key === null];
  return {
    textKey: nameKey(JSON.stringify([...text, ...own])),
    joinKey: nameKey(JSON.stringify([...join, ...(key === null ? own : [])])),
  };
}

/** The question of an asker, as precedents are sought for it. */
function soughtBy({ context }: AnswerTurn, { text, options, scope = null }: Facts): Sought {
  return { text, options, scope, planVersion: context.planVersion };
}

function refusalOf(turn: AnswerTurn, { bundle, trigger }: Ask): string | undefined {
  const { profile, rows } = turn.context;
  const row = triggerOf(trigger, profile);
  if (!mayFire(trigger, profile)) return `${trigger}: the settings allow ${profile.invoke_trigger} alone to ask`;
  if (row.checksDoubt && !hasToAsk(bundle.confidence_level))
    return `you are ${bundle.confidence_level} % sure: go on without asking, or say less`;
  if (trigger === 'verification_low_confidence' && !isUnsureVerification(bundle.confidence_level, profile))
    return `a verification that is ${bundle.confidence_level} % sure goes on without asking`;
  const quality = qualityOf(bundle.question, bundle.possible_options ?? []);
  if (row.checksQuality && !quality.isGood) return `${quality.reason}: ${quality.why}`;
  if (!fits(bundle, BUNDLE_BYTES_MAX)) return `TOKEN_LIMIT_EXCEEDED: a question has at most ${BUNDLE_BYTES_MAX} bytes`;
  const isRejected = admit([{ ...OPEN, held: rows.count(OPEN_ROWS) }], 'reject').to === 'reject';
  return isRejected ? `there are ${QUESTIONS_OPEN_MAX} questions already: wait` : undefined;
}

/** Joins an equal question of the last day: the asker waits for the same answer, or gets it at once. */
function join(turn: AnswerTurn, event: AskEvent, { facts }: Opening): AskedReply | 'waits' | undefined {
  const id = turn.context.joins.get(facts.joinKey);
  const row = id === undefined ? undefined : desk(turn).records.get(id);
  if (row === undefined || turn.nowMs - row.askedAtMs >= JOIN_MS) return undefined;
  if (!row.isOver) return awaitAnswer(turn, event, row, event.maxWaitMs) ?? 'waits';
  if (row.response === null || row.status === 'unanswered' || row.status === 'failed') return undefined;
  const { response } = row;
  const again = { ...row, askedAtMs: turn.nowMs };
  const entry = resolvedEntry(turn, again, { outcome: 'cached', confidence: response.confidence, isFollowUp: true });
  log(turn, entry, row.textKey);
  // Who asks again was not served by the answer, or has lost it: that says nothing of whether it is right.
  if (row.wasAskedAgain !== true) desk(turn).change(row.id, { wasAskedAgain: true });
  return withNews(turn, facts.asker, replyNow(row));
}

/**
 * Lets an asker share the open question of another: of the same words and options, task and trigger, and at least as
 * urgent. So people are asked once. A question in the thread of a ticket is not shared, since its answer goes there.
 */
function shareOpen(turn: AnswerTurn, event: AskEvent, opening: Opening): AskedReply | 'waits' | undefined {
  const { asked, facts } = opening;
  const id = turn.context.joins.get(openKeyOf(facts));
  const row = id === undefined || asked.thread !== null ? undefined : desk(turn).records.get(id);
  if (row === undefined || row.isOver || row.priority > facts.priority || !mayHaveMoreUsers(turn, row))
    return undefined;
  const user = userOf(turn, event, opening);
  const isKnown = usersOf(turn, row.id).some((one) => keyOfUser(one) === keyOfUser(user));
  addUser(turn, row.id, user);
  // The other users have been told of the first result.
  if (!isKnown && row.resolvedAtMs !== null) tellGiven(turn, row, user);
  return awaitAnswer(turn, event, row, asked.maxWaitMs) ?? 'waits';
}

/**
 * Makes the sender of an event wait for an open question's answer. Returns what there is so far if as many wait as may:
 * the sender has the id, and waits again later.
 */
export function awaitAnswer(
  turn: AnswerTurn,
  { replyTo, asker }: Asked & { readonly asker: string | null },
  row: QuestionRow,
  maxWaitMs: number,
): AskedReply | undefined {
  if (replyTo === undefined) return undefined;
  const refused = desk(turn).pass(row.id, { type: 'question.await', maxWaitMs, asker, replyTo });
  if (refused === undefined) return undefined;
  return row.response === null ? waitingReply(row) : replyNow(row);
}

/** Passes the reply of a question on to an asker, with the changed answers that the asker has not been told. */
export function answered(turn: AnswerTurn, event: OrderAnswered): void {
  desk(turn).answer(event, (reply, order) => {
    const { asker } = order as { readonly asker?: string | null };
    return typeof asker === 'string' ? withNews(turn, asker, reply as AskedReply) : reply;
  });
}

/** The reply to who waits for a question that has ended. */
export function replyNow(row: QuestionRow): AskedReply {
  const { id, status, response, by } = row;
  if (status === 'revoked' && by === null) return refusedReply([`the answer of ${id} holds no longer: ask again`], id);
  if (response === null) return refusedReply([`${id} is ${status}: ask again, or a person`], id);
  return givenReply(row, response, status === 'provisional' ? 'provisional' : 'answered');
}

type Facts = Pick<
  QuestionRow,
  'text' | 'options' | 'asker' | 'task' | 'trigger' | 'priority' | 'scope' | 'askedAtMs' | 'textKey' | 'joinKey'
>;

/** The asker as a user of an answer to another's question, which it finds again by the key that it gave. */
function userOf({ nowMs }: AnswerTurn, { askedBy }: AskEvent, { asked, facts }: Opening): AnswerUser {
  const { asker, task, joinKey } = facts;
  return { asker, task, ref: askedBy ?? null, atMs: nowMs, ...(asked.key !== null && { joinKey }) };
}

/** Answers at once from the cache, or with a person's answer to the same question. */
function answerAtHand(turn: AnswerTurn, event: AskEvent, opening: Opening): AskedReply | undefined {
  const { facts } = opening;
  const hit = cacheHit(turn.context, facts.textKey, turn.nowMs);
  const cached = hit === undefined ? undefined : usable(turn, hit.question);
  if (hit !== undefined && cached !== undefined) {
    const { cached: rows, cacheOrder, cacheUses } = hit.cache;
    turn.assign({ cached: rows, cacheOrder, cacheUses });
    return give(turn, event, opening, { row: cached, response: cached.response!, outcome: 'cached' });
  }
  const found = answeringPrecedent(turn.context, soughtBy(turn, facts));
  const row = found === undefined ? undefined : usable(turn, found.precedent.question);
  if (found === undefined || row === undefined) return undefined;
  const response = { ...row.response!, confidence: found.confidence, follow_up_needed: false };
  const by = row.by ?? found.precedent.by;
  return give(turn, event, opening, { row: { ...row, by }, response, outcome: 'precedent' });
}

/** The question of an id, if its answer may be given to other askers. Undefined otherwise. */
function usable(turn: AnswerTurn, id: string): QuestionRow | undefined {
  const row = recordOf(turn, id);
  const isSettled =
    row?.isOver === true && (row.status === 'answered' || row.status === 'confirmed' || row.by !== null);
  return isSettled && row.response !== null && mayHaveMoreUsers(turn, row) ? row : undefined;
}

/** Whether one more user of an answer can be kept, so that it can be told of a correction. */
function mayHaveMoreUsers({ context: { joins, users } }: AnswerTurn, row: QuestionRow): boolean {
  return row.users < ANSWER_USERS_MAX && users.size < ANSWER_ROWS_MAX && joins.size < ANSWER_ROWS_MAX;
}

interface AtHand {
  readonly row: QuestionRow;
  readonly response: AnswerResponse;
  readonly outcome: 'cached' | 'precedent';
}

function give(turn: AnswerTurn, event: AskEvent, opening: Opening, { row, response, outcome }: AtHand): AskedReply {
  const { asker, trigger, priority, askedAtMs, textKey } = opening.facts;
  const user = userOf(turn, event, opening);
  addUser(turn, row.id, user);
  const entry = resolvedEntry(
    turn,
    { id: row.id, trigger, priority, askedAtMs, response },
    { outcome, confidence: response.confidence },
  );
  log(turn, entry, textKey);
  tellGiven(turn, row, user);
  return withNews(turn, asker, givenReply(row, response, 'answered'));
}

interface Opening {
  readonly asked: Ask;
  readonly facts: Facts;
}

function openQuestion(turn: AnswerTurn, event: AskEvent, { asked, facts }: Opening): AskedReply | undefined {
  const { bundle, thread, asker, trigger } = asked;
  const { next, profile, bins, scopes } = turn.context;
  const { priority, askedAtMs } = facts;
  makeRoom(turn);
  const id = `Q-${next}`;
  const entered = { priority: queuedAs(trigger, priority, profile), confidence: bundle.confidence_level };
  const place = turnKey({ rank: rankOf(entered), arrival: next }, id);
  const isGathered = entryOf(entered) === 'gathered';
  const precedents = precedentEvidence(turn.context, soughtBy(turn, facts));
  // A part of the work that the desk does not search apart is searched with all others.
  const searched = asked.scope !== null && scopes?.includes(asked.scope) === true ? [asked.scope] : scopes;
  const input: Omit<QuestionInput, 'desk'> = {
    ...{ id, bundle, asker, trigger, priority, askedAtMs, profile, bins, scopes: searched, precedents },
    researcher: turn.find(RESEARCHER) ?? null,
  };
  const blank = {
    ...{ response: null, by: null, ticket: null, resolvedAtMs: null },
    ...{ uncalibrated: 0, factors: null, version: 0, users: 0 },
  };
  const state = {
    status: 'queued',
    hasPlace: false,
    turn: isGathered ? `${GATHERED}${place}` : place,
    thread,
  } as const;
  const row = desk(turn).open({ id, ...facts, ...blank, ...state }, input);
  if (row === undefined) return refusedReply(['there is no Boss to start questions']);
  turn.assign({ joins: turn.context.joins.set(facts.joinKey, id).set(openKeyOf(facts), id) });
  addUser(turn, id, { asker, task: facts.task, ref: event.askedBy ?? null, atMs: turn.nowMs });
  if (triggerOf(trigger, profile).from === 'Coding AI') noteTaskQuestion(turn, id, facts.task);
  if (isGathered) gather(turn, place, id);
  else turn.assign({ queue: turn.context.queue.set(place, id) });
  grant(turn);
  return awaitAnswer(turn, event, row, asked.maxWaitMs);
}

/** The number of questions about a task so far, with the key under which the desk keeps it. */
function questionsAbout({ context: { joins } }: AnswerTurn, task: string): { key: string; count: number } {
  const key = nameKey(JSON.stringify(['questions about', task]));
  return { key, count: Number(joins.get(key) ?? 0) };
}

/** Why a coding agent may not ask once more about its task; undefined if it may. */
function tooManyOf(turn: AnswerTurn, { bundle: { current_task_id: task }, trigger }: Ask): string | undefined {
  const isBounded = task !== null && triggerOf(trigger, turn.context.profile).checksDoubt;
  if (!isBounded || questionsAbout(turn, task).count < QUESTIONS_PER_TASK) return undefined;
  return `${QUESTIONS_PER_TASK} questions about ${task} were asked: report it as blocked, with what you need to know`;
}

/** Counts a question of a coding agent about its task, and tells the orchestrator of it (RACI 5). */
function noteTaskQuestion(turn: AnswerTurn, question: string, task: string | null): void {
  if (task === null) return;
  const { key, count } = questionsAbout(turn, task);
  turn.assign({ joins: turn.context.joins.set(key, String(count + 1)) });
  turn.send(WORK_DESKS.orchestrator, { type: 'question.asked', question, task });
}

function gather(turn: AnswerTurn, place: string, id: string): void {
  if (gatheredIn(turn).length === 0) turn.raise({ type: 'batch.due' }, { id: 'batch', delay: BATCH_MS });
  turn.assign({ queue: turn.context.queue.set(`${GATHERED}${place}`, id) });
}

/** The gathered questions with their keys. */
function gatheredIn(turn: AnswerTurn): readonly (readonly [key: string, id: string])[] {
  return [...turn.context.queue.entries({ from: GATHERED })];
}

/** Puts the gathered questions into the queue, all at once. */
export function release(turn: AnswerTurn): void {
  let { queue } = turn.context;
  for (const [key, id] of gatheredIn(turn)) {
    const place = key.slice(GATHERED.length);
    queue = queue.delete(key).set(place, id);
    desk(turn).change(id, { turn: place });
  }
  turn.assign({ queue });
  grant(turn);
}

/** Gives free places to the first questions of the queue. */
export function grant(turn: AnswerTurn): void {
  for (let first = turn.context.queue.first(); first !== undefined; first = turn.context.queue.first()) {
    const { placesTaken, queue } = turn.context;
    if (roomIn(placesWith(placesTaken)) === 0) return;
    const [place, id] = first;
    if (place.startsWith(GATHERED)) return;
    turn.assign({ queue: queue.delete(place), placesTaken: placesTaken + 1 });
    const row = desk(turn).change(id, { hasPlace: true, status: 'working', turn: null });
    if (row !== undefined) desk(turn).tell(row, { type: 'place.granted' });
  }
}

/** Removes a question from the queue, or frees its place. */
export function leave(turn: AnswerTurn, { id, hasPlace, turn: place }: QuestionRow): void {
  const { queue, placesTaken } = turn.context;
  if (hasPlace) turn.assign({ placesTaken: placesTaken - 1 });
  if (place !== null) turn.assign({ queue: queue.delete(place) });
  if (place?.startsWith(GATHERED) === true && gatheredIn(turn).length === 0) turn.cancel('batch');
  desk(turn).change(id, { hasPlace: false, turn: null });
  grant(turn);
}

/** Removes the oldest settled questions while a table has no room for what another one brings. */
function makeRoom(turn: AnswerTurn): void {
  for (let count = 0; count < FORGOTTEN_A_TURN && isFull(turn); count += 1) {
    const eldest = eldestEnded(turn.context);
    if (eldest === undefined) return;
    forget(turn, eldest);
    desk(turn).records.remove(eldest.id);
  }
}

function isFull({ context: { rows, joins, questionsMax, rests, users } }: AnswerTurn): boolean {
  return rows.count(ENDED_ROWS) >= questionsMax || [joins, rests, users].some(({ size }) => size >= ANSWER_ROWS_MAX);
}

/** Adds to a reply the changed answers that its asker has not been told. */
export function withNews(turn: AnswerTurn, asker: string, reply: AskedReply): AskedReply {
  return { ...reply, changed_answers: newsFor(turn, asker) };
}
