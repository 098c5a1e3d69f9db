/** The orders about tasks, of coding agents and of people. Tasks answer most of them themselves. */
import { type Asked, type OrderReply, refused, TAKEN } from '../../rules/turn.ts';
import { listed } from '../../rules/desk.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { GATES, judgeFact } from '../organisation/delivery-gates.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { desk, type OrchestratorTurn, type TaskRow } from './orchestrator-state.ts';
import { feed, roomOf, urge } from './pulls.ts';
import { refusedTask, type TaskOrder, type taskOrders, type TaskReply } from './task-messages.ts';

type Event<Type extends keyof typeof taskOrders> = Asked & TaskOrder<Type>;

/** The number in the id of a task. */
function numberOf(id: string): number {
  return Number(id.slice('TASK-'.length));
}

/** Passes a report of a session on to its task. */
export function report(turn: OrchestratorTurn, event: Event<'tasks.report'>): TaskReply | undefined {
  const { task, status, priority } = event;
  if (status === 'done')
    return refusedTask('invalid', 'report a finished task with reportTaskDone, which names the files that changed');
  const refusal = pass(turn, task, { ...event, type: 'task.report', hasRoom: roomOf(turn) > 0 });
  const row = desk(turn).records.get(task);
  if (refusal === undefined && priority !== undefined && row!.coder === event.coder) prioritise(turn, row!, priority);
  return refusal;
}

/** Passes the end of a session on to its task. */
export function done(turn: OrchestratorTurn, event: Event<'tasks.done'>): TaskReply | undefined {
  const { status, files } = event;
  if (status === 'done' && !judgeFact('files', { files: files.length }).isPassed)
    return refusedTask('invalid', `${GATES.files.onFail}: name the files that have changed`);
  return pass(turn, event.task, { ...event, type: 'task.finish' });
}

function pass(
  turn: OrchestratorTurn,
  id: string,
  event: Parameters<ReturnType<typeof desk>['pass']>[1],
): TaskReply | undefined {
  const row = desk(turn).records.get(id);
  if (row === undefined) return refusedTask('unknown', `no task "${id}"`);
  const refusal = desk(turn).pass(id, event);
  return refusal === undefined ? undefined : refusedTask('conflict', refusal.problems.join('; '));
}

/** A page of tasks. */
export function list({ context }: OrchestratorTurn, { status, after, limit }: Event<'tasks.list'>) {
  const rows = [...context.open.values(), ...context.ended.values()]
    .filter((row) => numberOf(row.id) > after && (status === undefined || row.status === status))
    .sort((a, b) => numberOf(a.id) - numberOf(b.id));
  const page = rows.slice(0, limit);
  const { counts, places, working, queue, isDrained } = context;
  return {
    tasks: page.map(factsOf),
    next: rows.length > limit ? numberOf(page.at(-1)!.id) : null,
    ...{ counts, places, working: working.size, queued: queue.size, isDrained },
  };
}

export function show(turn: OrchestratorTurn, { task }: Event<'tasks.show'>) {
  const row = desk(turn).records.get(task);
  return { task: row === undefined ? null : factsOf(row) };
}

/** A task for people and programs. */
function factsOf(row: TaskRow) {
  const { turn: _, isQueued: __, item, ...facts } = listed(row) as Omit<TaskRow, 'number' | 'ref' | 'orders'>;
  return { ...item, ...facts };
}

/** Changes the priority or the estimate of a task by the word of a person. */
export function change(turn: OrchestratorTurn, { task, priority, minutes }: Event<'tasks.change'>): OrderReply {
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
  urge(turn, row.id, priority);
  const place = turn.context.working.get(row.id);
  if (place !== undefined) turn.assign({ working: turn.context.working.set(row.id, { ...place, priority }) });
}

/** Changes the work item of a task. */
export function edit(turn: OrchestratorTurn, row: TaskRow, patch: Partial<WorkItem>): WorkItem {
  const item = { ...row.item, ...patch };
  desk(turn).tell(desk(turn).change(row.id, { item })!, { type: 'task.edit', item });
  return item;
}

export function places(turn: OrchestratorTurn, { places: count }: Event<'tasks.places'>): OrderReply {
  turn.assign({ places: count });
  feed(turn);
  return TAKEN;
}

/** Passes the answer of a person on to the task that waits for it (RACI 10). */
export function passOn(turn: OrchestratorTurn, { notice }: { readonly notice: TicketNotice }): void {
  const row = desk(turn).records.get(notice.task!);
  if (row !== undefined && !row.isOver) desk(turn).tell(row, notice);
}
