/**
 * Rules for what coding agents, people and the Answer Team say about tasks: orders, which tasks answer themselves, and
 * questions and tickets (D3, D5), which become hand-offs 5, 6 and 10.
 */
import { type AnyEventObject } from 'xstate';
import { type Asked, order, type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { listed } from '../../rules/desk.ts';
import { recordsIn } from '../../rules/records.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { onNotices, type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { type Facts, GATES, judgeFact } from '../organisation/delivery-gates.ts';
import { type HandoffGiven, type HandoffInformed, offerHandoff } from '../organisation/handoff-messages.ts';
import { PEOPLE_DESKS } from '../../people/system-ids.ts';
import { pairsOf } from '../../rules/table-keys.ts';
import { INVESTIGATION } from '../checks/investigation.ts';
import { ABOUT } from '../owner-question.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { isLoop } from '../upkeep/research-rules.ts';
import { LOOKS, MET } from '../teams/verification-work.ts';
import { desk, note, type OrchestratorTurn, taskOf, type TaskRow, tellTask } from './orchestrator-state.ts';
import { feed, rerank, roomOf } from './pulls.ts';
import { refusedTask, type TaskOrder, taskOrders, type TaskReply } from './task-messages.ts';

type Event<Type extends keyof typeof taskOrders> = Asked & TaskOrder<Type>;

/** The number in the id of a task. */
function numberOf(id: string): number {
  return Number(id.slice('TASK-'.length));
}

/** Passes a report of a session on to its task. */
function report(turn: OrchestratorTurn, event: Event<'tasks.report'>): TaskReply | undefined {
  const { task, status, priority } = event;
  if (status === 'done')
    return refusedTask('invalid', 'report a finished task with reportTaskDone, which names the files that changed');
  const row = desk(turn).records.get(task);
  const isUrgentOn = [...turn.context.working.values()].some((place) => place.priority === 1);
  const mayBegin = taskOf(turn, event.coder) === undefined && !(isUrgentOn && row?.item.priority === 1);
  const refusal = pass(turn, task, { ...event, type: 'task.report', hasRoom: mayBegin && roomOf(turn) > 0 });
  if (refusal === undefined && priority !== undefined && row!.coder === event.coder) prioritise(turn, row!, priority);
  return refusal;
}

/** Passes the end of a session on to its task. */
function done(turn: OrchestratorTurn, event: Event<'tasks.done'>): TaskReply | undefined {
  const { status, files } = event;
  if (status === 'done' && !judgeFact('files', { files: files.length }).isPassed)
    return refusedTask('invalid', `${GATES.files.onFail}: name the files that have changed`);
  return pass(turn, event.task, { ...event, type: 'task.finish' });
}

/** Passes on what a check has found that was made outside. Nobody checks work of their own. */
function checked(turn: OrchestratorTurn, event: Event<'tasks.checked'>): TaskReply | undefined {
  const doers = [event.task, ...turn.context.partsOf.values(pairsOf(event.task))];
  if (doers.some((id) => desk(turn).records.get(id)?.coder === event.checker))
    return refusedTask('conflict', `${event.checker} has done ${event.task}: somebody else checks it`);
  return pass(turn, event.task, { ...event, type: 'task.checked' });
}

function pass(turn: OrchestratorTurn, id: string, event: Asked & AnyEventObject): TaskReply | undefined {
  const row = desk(turn).records.get(id);
  if (row === undefined) return refusedTask('unknown', `no task "${id}"`);
  const refusal = desk(turn).pass(id, event);
  return refusal === undefined ? undefined : refusedTask('conflict', refusal.problems.join('; '));
}

/** A page of tasks. */
export function list({ context }: OrchestratorTurn, { status, after, limit }: Event<'tasks.list'>) {
  const rows = recordsIn(context)
    .filter((row) => numberOf(row.id) > after && (status === undefined || row.status === status))
    .sort((a, b) => numberOf(a.id) - numberOf(b.id));
  const page = rows.slice(0, limit);
  const { counts, sessionsMax: places, working, queue, isDrained } = context;
  return {
    tasks: page.map(factsOf),
    next: rows.length > limit ? numberOf(page.at(-1)!.id) : null,
    ...{ counts, places, working: working.size, queued: queue.size, isDrained },
  };
}

function show(turn: OrchestratorTurn, { task }: Event<'tasks.show'>) {
  const row = desk(turn).records.get(task);
  return { task: row === undefined ? null : factsOf(row) };
}

/** A task for people and programs. */
function factsOf(row: TaskRow) {
  const { turn: _, isQueued: __, item, ...facts } = listed(row) as Omit<TaskRow, 'number' | 'ref' | 'orders'>;
  return { ...item, ...facts };
}

/** Changes the priority or the estimate of a task by the word of a person. */
function change(turn: OrchestratorTurn, { task, priority, minutes }: Event<'tasks.change'>): OrderReply {
  const row = desk(turn).records.get(task);
  if (row === undefined) return refused(`no task "${task}"`);
  if (row.isOver) return refused(`${task} is ${row.status}`);
  if (minutes !== undefined) {
    const item = edit(turn, row, { minutes });
    // One that nobody could size is planned again.
    if (row.status === 'blocked' && row.reason === 'size') {
      desk(turn).tell(row, { type: 'task.resized' });
      turn.send(DELIVERY_DESKS.planning, { type: 'task.returned', item });
    }
  }
  if (priority !== undefined) prioritise(turn, desk(turn).records.get(task)!, priority);
  feed(turn);
  return TAKEN;
}

function prioritise(turn: OrchestratorTurn, row: TaskRow, priority: WorkItem['priority']): void {
  edit(turn, row, { priority });
  rerank(turn, row.id);
  const place = turn.context.working.get(row.id);
  if (place !== undefined) turn.assign({ working: turn.context.working.set(row.id, { ...place, priority }) });
}

/** Changes the work item of a task. */
export function edit(turn: OrchestratorTurn, row: TaskRow, patch: Partial<WorkItem>, note = ''): WorkItem {
  const item = { ...row.item, ...patch };
  desk(turn).tell(desk(turn).change(row.id, { item, touchedAtMs: turn.nowMs })!, { type: 'task.edit', item, note });
  return item;
}

function places(turn: OrchestratorTurn, { places: count }: Event<'tasks.places'>): OrderReply {
  turn.assign({ sessionsMax: count });
  feed(turn);
  return TAKEN;
}

/** Passes the answer of a person on to the task that waits for it (RACI 10). */
export function passOn(turn: OrchestratorTurn, { load }: Pick<HandoffGiven, 'load'>): void {
  const notice = load as TicketNotice;
  if (notice.type === 'ticket.resolved' || notice.type === 'ticket.rejected') checkAnswered(turn, notice);
  tellTask(turn, notice.task, notice);
}

export function countQuestion(turn: OrchestratorTurn, { item: { id } }: HandoffInformed): void {
  const row = desk(turn).records.get(id);
  if (row !== undefined) note(turn, row, desk(turn).change(id, { questions: row.questions + 1 })!);
}

function offer(turn: OrchestratorTurn, task: string, offered: Omit<Parameters<typeof offerHandoff>[1], 'item'>): void {
  const row = desk(turn).records.get(task);
  if (row?.isOver === false) offerHandoff(turn, { ...offered, item: row.item });
}

/** RACI 5: a session has asked the Answer Team. */
function asked(turn: OrchestratorTurn, { question, task }: Record<'question' | 'task', string>): void {
  offer(turn, task, { occasion: 'asked', from: 'coding-ai', facts: {}, load: { question } });
}

/** RACI 6: the Answer Team has not answered, and a ticket asks people. */
function escalated(turn: OrchestratorTurn, { task, facts }: { readonly task: string; readonly facts: Facts }): void {
  offer(turn, task, { occasion: 'unanswered', from: 'orchestrator', facts });
}

/** Handles what happens to a ticket about a task. An answer that was scored is handed over by the Clarity Agent. */
function ticketNotice(turn: OrchestratorTurn, notice: TicketNotice): void {
  const { task, ticket } = notice;
  turn.send(DELIVERY_DESKS.overseer, notice);
  if (notice.type === 'ticket.opened') tellLoop(turn, notice);
  const isOver = task !== null && desk(turn).records.get(task)?.isOver === true;
  // Its task has ended meanwhile.
  const end = { type: 'tickets.reject', ticket, by: 'orchestrator', reason: `${task} has ended` };
  if (notice.type === 'ticket.opened' && isOver && OWN.includes(notice.about))
    return turn.send(PEOPLE_DESKS.tickets, end);
  const clarity = notice.type === 'ticket.resolved' ? notice.resolution.score : null;
  // By hand a person decides, whose word nobody scores.
  if (clarity === null || task === null) return passOn(turn, { load: notice });
  offer(turn, task, { occasion: 'replied', from: 'clarity', facts: { clarity }, load: notice });
}

/** Has it researched why a task fails again and again, when its owner is asked (MX-020). */
function tellLoop(turn: OrchestratorTurn, { about, ticket, task }: TicketNotice): void {
  const row = task === null ? undefined : desk(turn).records.get(task);
  if (row === undefined || (about !== 'cycles' && about !== 'failure')) return;
  const { item, because, check, attempts } = row;
  if (!isLoop({ checks: check?.flawed ?? 0, tries: about === 'failure' ? attempts : 0 })) return;
  const question = `${item.title}: ${because}`.slice(0, 1_000).toWellFormed();
  turn.send(DELIVERY_DESKS.overseer, { type: 'loop.failed', ticket, question });
}

/** The subjects of tickets that the organisation opens about tasks. */
const OWN: readonly (string | null)[] = [...ABOUT, INVESTIGATION];

type Answered = Extract<TicketNotice, { readonly type: 'ticket.resolved' | 'ticket.rejected' }>;

/** Tells the Verification Team what an owner has said about a finished task. */
function checkAnswered(turn: OrchestratorTurn, notice: Answered): void {
  const { item, isOver } = desk(turn).records.get(notice.task!) ?? {};
  if (item === undefined || isOver || (notice.about !== 'check' && notice.about !== 'visual')) return;
  // What a task withdraws itself is no answer.
  if (notice.type === 'ticket.rejected' && notice.by === 'orchestrator') return;
  const said = notice.type === 'ticket.resolved' ? notice.resolution : { option: null, text: notice.reason };
  const good = notice.about === 'check' ? MET[0] : LOOKS[0];
  const isMet = notice.type === 'ticket.resolved' && [said.option, said.text.toLowerCase()].includes(good);
  const text = `${item.title}: ${said.text}`.slice(0, 500).toWellFormed();
  turn.send(DELIVERY_DESKS.verification, { type: 'check.answered', item, isMet, text });
}

/** Lets a blocked task go on, or has one planned that was left for later. */
function unblock(turn: OrchestratorTurn, event: Event<'tasks.unblock'>): OrderReply | undefined {
  const row = desk(turn).records.get(event.task);
  if (row?.isDeferred !== true || row.isOver) return desk(turn).pass(event.task, { ...event, type: 'task.unblock' });
  desk(turn).change(row.id, { isDeferred: false, because: null });
  turn.send(DELIVERY_DESKS.planning, { type: 'task.released', task: row.id });
  return TAKEN;
}

const passedAs = (type: 'task.fail' | 'task.failure') => (turn: OrchestratorTurn, event: { task: string } & Asked) =>
  pass(turn, event.task, { ...event, type });

/** The rules of orders, questions and tickets. */
export const ORDERS = {
  'tasks.report': order(taskOrders['tasks.report'], report),
  'tasks.done': order(taskOrders['tasks.done'], done),
  'tasks.failure': order(taskOrders['tasks.failure'], passedAs('task.failure')),
  'tasks.checked': order(taskOrders['tasks.checked'], checked),
  'tasks.list': order(taskOrders['tasks.list'], list),
  'tasks.show': order(taskOrders['tasks.show'], show),
  'tasks.unblock': order(taskOrders['tasks.unblock'], unblock),
  'tasks.fail': order(taskOrders['tasks.fail'], passedAs('task.fail')),
  'tasks.change': order(taskOrders['tasks.change'], change),
  'tasks.places': order(taskOrders['tasks.places'], places),
  'question.asked': asked,
  'question.escalated': escalated,
  ...onNotices(ticketNotice),
};
