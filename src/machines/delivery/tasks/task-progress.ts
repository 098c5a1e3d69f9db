/**
 * How tasks go on: what is planned is registered, what has nothing to wait for is released, what is verified releases
 * others, and what fails takes down what needs it. Checks that fail bring tasks that mend.
 */
import { type AnyActorRef } from 'xstate';
import { type ChildExited } from '../../rules/desk.ts';
import { OPEN_ROWS } from '../../rules/records.ts';
import { pairKey, pairsOf } from '../../rules/table-keys.ts';
import { normalise } from '../../work/failure-signature.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { type DoneReport } from './task-messages.ts';
import { GATES } from '../organisation/delivery-gates.ts';
import { fixOf } from '../checks/investigation.ts';
import { type Findings } from '../delivery-ports.ts';
import { type HandoffGiven, type HandoffInformed } from '../organisation/handoff-messages.ts';
import { type HandoffRefused, offerHandoff } from '../organisation/handoff-messages.ts';
import { plannedTask } from '../plans/plan-document.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { desk, NEW_FACTS, note, type OrchestratorTurn, type TaskRow, tellTask } from './orchestrator-state.ts';
import { dequeue, enqueue, feed, release, rerank } from './pulls.ts';
import { edit } from './task-orders.ts';
import { type TaskChanged, type TaskEvent, type TaskInput, type TaskNews } from './task-state.ts';

/** Requests of teams and tasks about a task. */
type TaskEdited = Readonly<{ task: string; patch: Partial<WorkItem>; note?: string }>;
type TaskTold = Readonly<{ task: string; event: TaskEvent }>;

type News<Type extends TaskNews['type']> = Extract<TaskNews, { readonly type: Type }>;

/** Registers a task that the planning team has planned. */
function planned(turn: OrchestratorTurn, { item }: { readonly item: WorkItem }): void {
  const { id, dependencies, priority, parent } = item;
  const others = dependencies.map((other) => desk(turn).records.get(other));
  const waitsFor = dependencies.filter((_, at) => others[at]?.status !== 'verified').length;
  const facts = { ...NEW_FACTS, id, item, status: 'pending', atMs: turn.nowMs, waitsFor, urgency: priority } as const;
  const input: Omit<TaskInput, 'desk'> = { id, item, times: turn.context.times };
  const row = desk(turn).open(facts, input);
  if (row === undefined) return;
  count(turn, undefined, 'pending');
  note(turn, undefined, row);
  tellRoom(turn);
  tellOverseer(turn, row);
  for (const other of dependencies) turn.assign({ dependents: turn.context.dependents.set(pairKey(other, id), id) });
  const above = parent === null ? undefined : desk(turn).records.get(parent);
  if (above !== undefined && isPartOf(item, above.item)) {
    const fixes = item.depth > above.item.depth ? above.fixes : [...above.fixes, id];
    note(turn, above, desk(turn).change(above.id, { parts: above.parts + 1, fixes })!);
    turn.assign({ partsOf: turn.context.partsOf.set(pairKey(above.id, id), id) });
    rerank(turn, id);
  }
  for (const other of dependencies) rerank(turn, other);
  const failed = others.find((other) => other?.status === 'failed');
  if (failed !== undefined || above?.status === 'failed') doom(turn, id, (failed ?? above!).id);
}

/** Whether a task is a subtask of another, or mends it: work that was only found on the way is neither. */
function isPartOf({ kind, depth }: WorkItem, above: WorkItem): boolean {
  return depth > above.depth || kind === 'fix';
}

/** A task that is under way; undefined for one that has ended, of which nothing changes any more. */
function underWay(turn: OrchestratorTurn, id: string): TaskRow | undefined {
  const row = desk(turn).records.get(id);
  return row?.isOver === false ? row : undefined;
}

/** Changes a work item, by what a port or a person has said about it, or notes what a team has. */
function edited(turn: OrchestratorTurn, { task, patch, note }: TaskEdited): void {
  const row = underWay(turn, task);
  if (row !== undefined) edit(turn, row, patch, note);
}

/** RACI 3: a task is in the queue, and begins when nothing is in its way. */
function enqueued(turn: OrchestratorTurn, { item: { id } }: HandoffGiven): void {
  const row = underWay(turn, id) && desk(turn).change(id, { isQueued: true, because: null });
  if (row?.waitsFor === 0) tellTask(turn, id, { type: 'task.release' });
}

/** RACI 1: a task is too large, and is being broken down. */
function delegated(turn: OrchestratorTurn, { item: { id } }: HandoffInformed): void {
  if (underWay(turn, id)) desk(turn).change(id, { because: 'is being broken down' });
}

/** RACI 2: a task is done by its subtasks from now on. */
function decomposed(turn: OrchestratorTurn, { item: { id } }: HandoffInformed): void {
  if (underWay(turn, id) === undefined) return;
  desk(turn).change(id, { because: null });
  tellTask(turn, id, { type: 'task.split' });
}

/** RACI 8: a finished task has not passed its check. */
function failedCheck(turn: OrchestratorTurn, { item: { id }, load }: HandoffGiven): void {
  const given = load as { found: Findings; round?: number };
  for (const one of new Set([...given.found.failures.map(({ test }) => test), ...given.found.unmet])) failed(turn, one);
  tellTask(turn, id, { type: 'task.found', ...given });
}

/** Tells the Critic Team of a failure. */
function failed(turn: OrchestratorTurn, what: string): void {
  turn.send(DELIVERY_DESKS.critic, { type: 'failure.seen', about: what.slice(0, 150).toWellFormed() });
}

/** A finished task that nobody takes over goes to its owner. */
function lost(turn: OrchestratorTurn, { item: { id }, because }: HandoffRefused): void {
  tellTask(turn, id, { type: 'task.block', reason: 'failure', because });
}

/** The task of which another is a part that it still waits for. */
export function wholeOf(turn: OrchestratorTurn, { id, parent }: WorkItem): TaskRow | undefined {
  const isPart = parent !== null && turn.context.partsOf.has(pairKey(parent, id));
  return isPart ? desk(turn).records.get(parent) : undefined;
}

/** Ends fixes that have not mended their task. They take nothing down with them. */
function unfixed(turn: OrchestratorTurn, { id }: Pick<TaskRow, 'id'>): void {
  for (const fix of [...turn.context.partsOf.values(pairsOf(id))]) {
    if (desk(turn).records.get(fix)?.item.kind !== 'fix') continue;
    turn.assign({ partsOf: turn.context.partsOf.delete(pairKey(id, fix)) });
    desk(turn).change(id, { parts: desk(turn).records.get(id)!.parts - 1 });
    tellTask(turn, fix, { type: 'task.doom', because: `${id} fails its check still` });
  }
}

/** RACI 7: hands a finished task to the Verification Team. */
function finished(turn: OrchestratorTurn, { id, report }: News<'task.finished'>): void {
  const { item } = desk(turn).records.get(id)!;
  const mended = item.kind === 'fix' ? wholeOf(turn, item) : undefined;
  if (mended?.status === 'in_verification') {
    // D4: what is checked is the task that the fix mends.
    tellTask(turn, id, { type: 'task.joined' });
    return desk(turn).tell(mended, { type: 'task.mended' });
  }
  const facts = { files: report.files.length };
  offerHandoff(turn, { occasion: 'done', from: 'coding-ai', item, facts, load: { report } });
}

/** Has a task planned that mends what a check has found (MX-035). */
function needsFix(turn: OrchestratorTurn, { id, found, ticket }: News<'task.needsFix'>): void {
  unfixed(turn, { id });
  const { item } = desk(turn).records.get(id)!;
  const tasks = [plannedTask.parse(fixOf(item, found, ticket))];
  turn.send(DELIVERY_DESKS.planning, { type: 'task.followUp', of: item, tasks });
}

/** Records how a task stands, and has everything follow from it. */
function sync(turn: OrchestratorTurn, { id, shown, task }: Omit<TaskChanged, 'type' | 'task'> & Partial<TaskChanged>) {
  const before = desk(turn).records.get(id);
  if (before === undefined || before.isOver) return;
  count(turn, before.status, shown.status);
  const isBegun = task === undefined || before.ref !== null;
  const isDone = shown.status === 'in_verification' && before.status !== shown.status;
  const facts = { ...shown, ...(isDone && { doneAtMs: shown.atMs }) };
  const row = (isBegun ? desk(turn).change(id, facts) : desk(turn).begin(id, task, facts))!;
  note(turn, before, row);
  keepPlace(turn, row);
  if (shown.status === 'ready' || shown.status === 'partial') admit(turn, row);
  else dequeue(turn, desk(turn).records.get(id)!);
  if (shown.status === 'verified' || shown.status === 'failed') end(turn, row);
  const { status, coder, because } = shown;
  const { title, context } = before.item;
  turn.emit({ type: 'task.stands', task: id, title, plan: context.plan, status, coder, because });
  if (before.status !== status) tellOverseer(turn, row);
  if (before.status === 'in_progress' && row.reason === 'failure') failed(turn, normalise(because ?? ''));
  feed(turn);
}

/** A change of the status of a task, as the overseer hears of it. */
export type TaskStands = Pick<TaskRow, 'item' | 'status'> & {
  /** Whether it was found on the way, and neither planned nor a fix. */
  readonly isFound: boolean;
  /** Whether it was merged into another one, and has not failed. */
  readonly isWithdrawn: boolean;
  /** Tasks that wait or are ready. */
  readonly pending: number;
};

function tellOverseer(turn: OrchestratorTurn, { item, status, isWithdrawn = false }: TaskRow): void {
  const above = item.parent === null ? undefined : desk(turn).records.get(item.parent);
  const isFound = above !== undefined && !isPartOf(item, above.item);
  const { pending = 0, ready = 0, partial = 0 } = turn.context.counts;
  const stands: TaskStands = { item, status, isFound, isWithdrawn, pending: pending + ready + partial };
  turn.send(DELIVERY_DESKS.overseer, { type: 'task.stands', ...stands });
}

/** A place belongs to a task in progress, also to one that has come back, and to no other. */
function keepPlace(turn: OrchestratorTurn, { id, status, coder, item }: TaskRow): void {
  const { working } = turn.context;
  if (status !== 'in_progress') {
    const isGiven = status === 'ready' && turn.context.pulls.has(id);
    if (!isGiven) release(turn, id);
  } else if (!working.has(id))
    turn.assign({ working: working.set(id, { coder: coder ?? '', priority: item.priority }) });
}

/** Queues a task that may begin. One for which something is missing still waits. */
function admit(turn: OrchestratorTurn, row: TaskRow): void {
  if (!row.isQueued || row.waitsFor > 0) return desk(turn).tell(row, { type: 'task.hold' });
  if (!turn.context.pulls.has(row.id)) enqueue(turn, row);
}

function end(turn: OrchestratorTurn, { id, status, item, isDeferred }: TaskRow): void {
  desk(turn).close(id, isDeferred === true ? { isDeferred: false } : {});
  if (isDeferred === true) turn.send(DELIVERY_DESKS.planning, { type: 'task.dropped', task: id });
  tellRoom(turn);
  const dependents = [...turn.context.dependents.entries(pairsOf(id))];
  const parts = [...turn.context.partsOf.values(pairsOf(id))];
  for (const [key] of dependents) turn.assign({ dependents: turn.context.dependents.delete(key) });
  for (const part of parts) turn.assign({ partsOf: turn.context.partsOf.delete(pairKey(id, part)) });
  const whole = wholeOf(turn, item);
  if (status === 'verified') {
    for (const [, other] of dependents) free(turn, other);
    for (const fix of parts) tellTask(turn, fix, { type: 'task.passed' });
    if (whole !== undefined) closePart(turn, whole, id);
    return;
  }
  for (const other of [...dependents.map(([, one]) => one), ...parts]) doom(turn, other, id);
  if (whole?.status === 'in_verification') desk(turn).tell(whole, { type: 'task.unmended' });
  else if (whole !== undefined) doom(turn, whole.id, id);
}

/** Tells the planning team when there are as many tasks as may be, and when there is room again. */
function tellRoom(turn: OrchestratorTurn): void {
  const { rows, tasksMax } = turn.context;
  const open = rows.count(OPEN_ROWS);
  const isFull = open >= tasksMax;
  // Said where it changes.
  if (isFull || open === tasksMax - 1) turn.send(DELIVERY_DESKS.planning, { type: 'queue.room', isFull });
}

/** A task has one dependency less to wait for. */
function free(turn: OrchestratorTurn, id: string): void {
  const row = desk(turn).records.get(id);
  if (row === undefined || row.isOver) return;
  const { waitsFor, isQueued } = desk(turn).change(id, { waitsFor: row.waitsFor - 1 })!;
  if (waitsFor === 0 && isQueued) desk(turn).tell(row, { type: 'task.release' });
}

/** A subtask, or a task that mends, is verified. */
function closePart(turn: OrchestratorTurn, above: TaskRow, id: string): void {
  turn.assign({ partsOf: turn.context.partsOf.delete(pairKey(above.id, id)) });
  const { parts } = desk(turn).change(above.id, { parts: above.parts - 1 })!;
  if (parts > 0 || above.isOver) return;
  desk(turn).tell(above, { type: above.status === 'decomposed' ? 'task.passed' : 'task.mended' });
}

function doom(turn: OrchestratorTurn, id: string, because: string): void {
  tellTask(turn, id, { type: 'task.doom', because: `needs ${because}, which has failed` });
}

/** Records a task as failed whose actor has failed for good. */
function exited(turn: OrchestratorTurn, { id }: ChildExited): void {
  const row = desk(turn).records.get(id);
  if (row === undefined || row.isOver) return;
  sync(turn, { id, shown: { ...row, status: 'failed', because: 'its actor has failed', atMs: turn.nowMs } });
}

/** Passes the end of a session of the host on to its task. */
function coded(turn: OrchestratorTurn, { task, coder, report }: { task: string; coder: string; report: DoneReport }) {
  const isDone = report.status !== 'done' || report.files.length > 0;
  const said = isDone ? report : { ...report, status: 'failed', details: GATES.files.onFail };
  desk(turn).pass(task, { ...said, type: 'task.finish', coder, task });
}

function count(turn: OrchestratorTurn, before: TaskRow['status'] | undefined, after: TaskRow['status']): void {
  const { counts } = turn.context;
  const without = before === undefined ? counts : { ...counts, [before]: (counts[before] ?? 1) - 1 };
  turn.assign({ counts: { ...without, [after]: (without[after] ?? 0) + 1 } });
}

/** The rules about the progress of tasks. */
export const PROGRESS = {
  'task.planned': planned,
  'task.edited': edited,
  // A task is left for later: its plan does without it for now.
  'task.deferred': (turn: OrchestratorTurn, { task, because }: Readonly<Record<'task' | 'because', string>>) => {
    if (underWay(turn, task) === undefined) turn.send(DELIVERY_DESKS.planning, { type: 'task.dropped', task });
    else desk(turn).change(task, { isDeferred: true, because });
  },
  'backend.unknown': (turn: OrchestratorTurn, { builder }: { readonly builder: AnyActorRef }) =>
    turn.send(builder, { type: 'backend.inject' }),
  'task.tell': (turn: OrchestratorTurn, { task, event }: TaskTold) => tellTask(turn, task, event),
  'task.changed': sync,
  'task.finished': finished,
  'task.needsFix': needsFix,
  'task.unfixed': unfixed,
  'coder.done': coded,
  'child.exited': exited,
};

/** Rules for hand-offs that the queue is given, of which it is informed, and that are refused. */
export const HANDED = { enqueued, delegated, decomposed, failedCheck, lost };
