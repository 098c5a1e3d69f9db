/**
 * How tasks reach coding sessions (D2): a session asks for work, the next task is reserved for it and offered as
 * hand-off 4, and the session gets the directive once the gates have let it through. A session has one task at a time
 * and gets the same one when it asks again.
 */
import { notify, settle } from '../../people/notice.ts';
import { type Asked, order, TAKEN } from '../../rules/turn.ts';
import { openIn } from '../../rules/records.ts';
import { pairKey, pairsOf } from '../../rules/table-keys.ts';
import { roomIn } from '../../work/capacity-queue.ts';
import { type WorkPriority } from '../../work/work-item.ts';
import { type HandoffGiven, type HandoffRefused, offerHandoff } from '../organisation/handoff-messages.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { desk, type OrchestratorTurn, type Pull, taskOf, type TaskRow, tellTask } from './orchestrator-state.ts';
import { nextTask, queueKey } from './queue-order.ts';
import { type Directive, type NextReply, type TaskOrder, taskOrders } from './task-messages.ts';
import { type TaskNews } from './task-state.ts';

type Filter = TaskOrder<'tasks.next'>['filter'];

/** Tasks that a reply lists. */
const PREVIEW = 5;

/** Milliseconds after which people hear that tasks wait and nobody asks for one. */
const NOBODY_MS = 10 * 60_000;

export function roomOf({ context: { sessionsMax, working, isDrained } }: OrchestratorTurn): number {
  return isDrained ? 0 : roomIn({ capacity: sessionsMax, held: working.size });
}

/** Handles a session that asks for work. Undefined if it gets the reply later. */
function next(turn: OrchestratorTurn, event: Asked & TaskOrder<'tasks.next'>): NextReply | undefined {
  const { coder, filter, priority, replyTo = null } = event;
  if (filter !== 'ready') return replyWith(turn, 'this only looks: ask with the filter "ready" for a task', filter);
  const pull: Pull = { coder, replyTo, ref: null, priority };
  const own = taskOf(turn, coder);
  if (own !== undefined) return again(turn, own, pull);
  const refusal = pullNext(turn, pull);
  return refusal === undefined ? undefined : replyWith(turn, refusal);
}

/** Gives a session the task that it has already. */
function again(turn: OrchestratorTurn, id: string, pull: Pull): undefined {
  const earlier = turn.context.pulls.get(id);
  turn.assign({ pulls: turn.context.pulls.set(id, pull) });
  turn.reply(earlier?.replyTo ?? undefined, replyWith(turn, 'a later call of the session gets the task'));
  if (earlier === undefined) tellTask(turn, id, { type: 'task.remind' });
}

/** Reserves the next task and offers it; why there is none otherwise. */
function pullNext(turn: OrchestratorTurn, pull: Pull): string | undefined {
  const { queue, working, pulls, isDrained } = turn.context;
  const places = roomOf(turn);
  if (places === 0) return isDrained ? 'coding sessions get nothing new for now' : 'as many sessions work as may';
  const found = nextTask(queue.values(), working.values(), pull.priority);
  if (found === undefined) return queue.size === 0 ? 'no task is ready' : 'a more urgent task has to be done first';
  const row = dequeue(turn, desk(turn).records.get(found.id)!);
  const { id, item } = row;
  const place = { coder: pull.coder, priority: item.priority };
  turn.assign({ working: working.set(id, place), pulls: pulls.set(id, pull) });
  const origin = item.origin === 'planning' ? 1 : 0;
  const facts = { origin, size: item.minutes ?? NaN, context: item.context.acceptance.length, places };
  offerHandoff(turn, { occasion: 'pulled', from: 'orchestrator', item, facts });
  return undefined;
}

/** Hands a task to its session, for which the gates have let it through. */
export function pulled(turn: OrchestratorTurn, { item: { id } }: HandoffGiven): void {
  const pull = turn.context.pulls.get(id);
  const row = desk(turn).records.get(id);
  if (pull === undefined || row === undefined || row.isOver) return release(turn, id);
  desk(turn).tell(row, { type: 'task.give', coder: pull.coder, isManaged: pull.ref !== null });
}

/** Handles a task that the gates of D2 have held back, by the first of them, and gives its session another one. */
export function heldBack(turn: OrchestratorTurn, { item: { id }, because, decisions }: HandoffRefused): void {
  const pull = turn.context.pulls.get(id);
  turn.assign({ pulls: turn.context.pulls.delete(id), working: turn.context.working.delete(id) });
  const row = desk(turn).records.get(id);
  if (row !== undefined && !row.isOver) react(turn, row, decisions.find(({ isPassed }) => !isPassed)?.gate, because);
  if (pull !== undefined) anotherFor(turn, pull);
}

/** Gives a session another task than the one that it was about to get. */
function anotherFor(turn: OrchestratorTurn, pull: Pull): void {
  const refusal = pullNext(turn, pull);
  if (refusal === undefined) return;
  if (pull.ref !== null) turn.assign({ idle: turn.context.idle.set(pull.coder, pull) });
  else turn.reply(pull.replyTo ?? undefined, replyWith(turn, refusal));
}

function react(turn: OrchestratorTurn, row: TaskRow, gate: string | undefined, because: string): void {
  const { id, item } = row;
  if (gate === 'places') return enqueue(turn, row);
  if (gate === 'size') {
    desk(turn).change(id, { isQueued: false });
    desk(turn).tell(row, { type: 'task.hold' });
    turn.send(DELIVERY_DESKS.planning, { type: 'task.returned', item, because: 'Too large' });
  } else if (gate === 'context') {
    desk(turn).tell(row, { type: 'task.block', reason: 'context', because });
    turn.send(DELIVERY_DESKS.planning, { type: 'task.lacksContext', item });
  } else desk(turn).tell(row, { type: 'task.block', reason: 'failure', because });
}

/** Passes the directive of a task on to its session. */
function given(turn: OrchestratorTurn, { id, directive }: Extract<TaskNews, { type: 'task.given' }>): void {
  const pull = turn.context.pulls.get(id);
  if (pull === undefined) return;
  turn.assign({ pulls: turn.context.pulls.delete(id) });
  settle(turn, { subject: QUEUE, kinds: ['tasks.waiting'], because: `${id} is given to a session` });
  turn.send(DELIVERY_DESKS.critic, { type: 'directive.seen', directive });
  if (pull.ref === null) turn.reply(pull.replyTo ?? undefined, replyWith(turn, directive));
  else turn.send(pull.ref, { type: 'directive', directive });
}

/** Frees the place of a task. A session that was about to get it gets another one. */
export function release(turn: OrchestratorTurn, id: string): void {
  const { working, pulls } = turn.context;
  const pull = pulls.get(id);
  turn.assign({ working: working.delete(id), pulls: pulls.delete(id) });
  if (pull !== undefined) anotherFor(turn, pull);
}

/** Notes a session of the host that has nothing to do. */
function idles(turn: OrchestratorTurn, { coder, ref }: { coder: string; ref: NonNullable<Pull['ref']> }): void {
  const own = taskOf(turn, coder);
  const pull: Pull = { coder, replyTo: null, ref, priority: null };
  if (own !== undefined) again(turn, own, pull);
  else turn.assign({ idle: turn.context.idle.set(coder, pull) });
  feed(turn);
}

/** Gives sessions of the host what they may begin. */
export function feed(turn: OrchestratorTurn): void {
  for (const pull of [...turn.context.idle.values()]) {
    turn.assign({ idle: turn.context.idle.delete(pull.coder) });
    if (pullNext(turn, pull) !== undefined) return turn.assign({ idle: turn.context.idle.set(pull.coder, pull) });
  }
}

/** Puts a task into the queue, or to its new place there. */
export function enqueue(turn: OrchestratorTurn, row: TaskRow): void {
  const { id, item, urgency } = row;
  const key = queueKey(row);
  const { queue } = turn.context;
  if (queue.size === 0) turn.raise({ type: 'queue.waits' }, { id: 'queue', delay: NOBODY_MS });
  const others = row.turn === null || row.turn === key ? queue : queue.delete(row.turn);
  turn.assign({ queue: others.set(key, { id, title: item.title, priority: item.priority, urgency }) });
  desk(turn).change(id, { turn: key });
}

export function dequeue(turn: OrchestratorTurn, row: TaskRow): TaskRow {
  if (row.turn === null) return row;
  turn.assign({ queue: turn.context.queue.delete(row.turn) });
  if (turn.context.queue.size === 0) turn.cancel('queue');
  return desk(turn).change(row.id, { turn: null })!;
}

/** Gives a task the urgency of the most urgent one that needs it, and then those for which it waits theirs. */
export function rerank(turn: OrchestratorTurn, id: string): void {
  const row = desk(turn).records.get(id);
  if (row === undefined || row.isOver) return;
  const { dependents, partsOf } = turn.context;
  const { priority, parent, dependencies } = row.item;
  const whole = parent !== null && partsOf.has(pairKey(parent, id)) ? [parent] : [];
  const needing = [...dependents.values(pairsOf(id)), ...whole].map((other) => desk(turn).records.get(other));
  const urgency = Math.min(priority, ...needing.map((other) => (other?.isOver === false ? other.urgency : 3)));
  const changed = desk(turn).change(id, { urgency: urgency as WorkPriority })!;
  if (changed.turn !== null) enqueue(turn, changed);
  if (urgency === row.urgency) return;
  for (const other of [...dependencies, ...partsOf.values(pairsOf(id))]) rerank(turn, other);
}

/** The first tasks of the queue, or of those that are blocked, or of all. */
function preview({ context }: OrchestratorTurn, filter: Filter): NextReply['next'] {
  const rows = openIn(context).filter(({ status }) => filter === 'all' || status === 'blocked');
  const shown = filter === 'ready' ? [...context.queue.values()] : rows.map(({ item }) => item);
  return shown.slice(0, PREVIEW).map(({ id, title, priority }) => ({ id, title, priority }));
}

/** The reply to a session: its task, or why there is none. */
function replyWith(turn: OrchestratorTurn, said: Directive | string, filter: Filter = 'ready'): NextReply {
  const found = typeof said === 'string' ? { directive: null, because: said } : { directive: said, because: null };
  return { ...TAKEN, ...found, queueLength: turn.context.queue.size, next: preview(turn, filter) };
}

/** The subject of cards about all tasks that wait. */
const QUEUE = 'the queue of tasks';

/** Tells people that tasks wait, and that no session works or asks for one (MX-049). */
function nobody(turn: OrchestratorTurn): void {
  const { queue, working } = turn.context;
  if (queue.size === 0) return;
  if (working.size > 0) return turn.raise({ type: 'queue.waits' }, { id: 'queue', delay: NOBODY_MS });
  notify(turn, {
    ...{ subject: QUEUE, kind: 'tasks.waiting', priority: 'MEDIUM' },
    title: `${queue.size} tasks wait, and no coding agent asks for one`,
    detail: 'A coding agent gets its next task by the tool getNextTask.',
  });
}

/** The rules of coding sessions. */
export const SESSIONS = {
  'tasks.next': order(taskOrders['tasks.next'], next),
  'task.given': given,
  'coder.idle': idles,
  'queue.waits': nobody,
  'coding.drained': (turn: OrchestratorTurn, { isDrained }: { readonly isDrained: boolean }) => {
    turn.assign({ isDrained });
    feed(turn);
  },
};
