/** The state of the orchestrator: tasks, their queue and coding sessions. Types, and the desk of tasks. */
import { type AnyActorRef } from 'xstate';
import { type ReplyTo } from '../../../actors/model/talk-actions.ts';
import { table, type Table } from '../../../table.ts';
import { TASKS_KEPT_MAX, TASKS_OPEN_MAX } from '../../limits.ts';
import {
  Desk,
  type DeskApart,
  type DeskContext,
  deskInOneTable,
  type DeskOf,
  type DeskRecord,
  newDesk,
} from '../../rules/desk.ts';
import { type Turn } from '../../rules/turn.ts';
import { type WorkItem, type WorkPriority, type WorkStatus } from '../../work/work-item.ts';
import { DELIVERY_DESKS } from '../system-ids.ts';
import { entryOf, figuresAfter, type TaskFigures } from './task-figures.ts';
import { TASK_TIMES, type TaskEvent, type TaskShown, type TaskTimes } from './task-state.ts';

/** The orchestrator's record of a task. */
export interface TaskRow extends DeskRecord, TaskShown {
  readonly item: WorkItem;
  /** Whether the planning team has handed it to the queue. */
  readonly isQueued: boolean;
  /** Dependencies that are not verified yet. */
  readonly waitsFor: number;
  /** Subtasks, and tasks that mend it, which are not verified yet. */
  readonly parts: number;
  /** The priority, or that of a more urgent task which waits for it. */
  readonly urgency: WorkPriority;
  /** Its key in the queue; null while it is not there. */
  readonly turn: string | null;
  /** Whether it is left for later, until a person releases it. */
  readonly isDeferred?: boolean;
  /** Whether it was merged into another one. */
  readonly isWithdrawn?: boolean;
  /** The time of the last change of its work item; absent before. */
  readonly touchedAtMs?: number;
  /** Questions of its sessions so far. */
  readonly questions: number;
  /** Tasks that were planned to mend it. */
  readonly fixes: readonly string[];
  /** The time of its last report as done; null before. */
  readonly doneAtMs: number | null;
}

/** A task in the queue. */
export type Queued = Pick<WorkItem, 'id' | 'title' | 'priority'> & Pick<TaskRow, 'urgency'>;

/** A coding session that waits for a directive: outside, or one of the host. */
export interface Pull {
  readonly coder: string;
  readonly replyTo: ReplyTo | null;
  readonly ref: AnyActorRef | null;
  /** The only priority that it takes; null for any. */
  readonly priority: WorkPriority | null;
}

/** A place for a coding session. */
export type Place = Pick<WorkItem, 'priority'> & { readonly coder: string };

export interface OrchestratorContext extends DeskContext<TaskRow> {
  /** Tasks that may begin, in their order. */
  readonly queue: Table<Queued>;
  /** Tasks that wait for others, by both ids. */
  readonly dependents: Table<string>;
  /** Subtasks, and tasks that mend, by both ids. */
  readonly partsOf: Table<string>;
  /** Tasks that have a coding session, by id. */
  readonly working: Table<Place>;
  /** Sessions that are about to be given a task, by its id. */
  readonly pulls: Table<Pull>;
  /** Sessions of the host that have nothing to do, by name. */
  readonly idle: Table<Pull>;
  readonly counts: Readonly<Partial<Record<WorkStatus, number>>>;
  /** Coding sessions that may work at once. */
  readonly sessionsMax: number;
  /** Tasks under way from which on the planning team takes no plan. */
  readonly tasksMax: number;
  /** Whether coding sessions get nothing new for now. */
  readonly isDrained: boolean;
  readonly times: TaskTimes;
  readonly figures: TaskFigures;
}

/** Settings of the orchestrator that differ from the defaults. */
export type OrchestratorInput = Readonly<{ places?: number; tasksMax?: number; times?: Partial<TaskTimes> }>;

/** Coding sessions at once (MX-106). */
export const PLACES = 3;

export function newOrchestrator({ places = PLACES, ...given }: OrchestratorInput): OrchestratorContext {
  const { tasksMax = TASKS_OPEN_MAX, times = {} } = given;
  return {
    ...newDesk<TaskRow>(),
    ...{ queue: table(), dependents: table(), partsOf: table(), working: table(), pulls: table(), idle: table() },
    ...{ counts: {}, sessionsMax: places, tasksMax, isDrained: false, times: { ...TASK_TIMES, ...times }, figures: {} },
  };
}

/** Events emitted to watchers once they are durable. */
export type TaskEmitted = { readonly type: 'task.stands'; readonly title: string; readonly plan: string } & {
  readonly task: string;
} & Pick<TaskShown, 'status' | 'coder' | 'because'>;

export type OrchestratorTurn = Turn<OrchestratorContext, TaskEmitted>;

const TASKS: DeskOf<TaskRow> = {
  ...{ noun: 'task', boss: DELIVERY_DESKS.deliveryTasks, endedMax: TASKS_KEPT_MAX },
  ending: ({ status, because }) => `${status}${because === null ? '' : `: ${because}`}`,
};

export function desk(turn: OrchestratorTurn): Desk<TaskRow> {
  return new Desk(turn, TASKS);
}

/** The facts of a new task. The first version kept none of the last four. */
export const NEW_FACTS = {
  ...{ coder: null, percent: null, attempts: 0, pings: 0, reason: null, because: null, tickets: [], isQueued: false },
  ...{ parts: 0, turn: null, questions: 0, check: null, pause: null, fixes: [], doneAtMs: null },
} as const;

/** The context of a desk of the first three versions, which had a table for open tasks and one for others. */
type ApartContext = Omit<DeskApart<OrchestratorContext>, 'sessionsMax'> & { readonly places: number };

/** Migrates the context of a desk of the first version, which counted nothing. */
export function counting({ open, ended, ...others }: ApartContext): ApartContext {
  const kept = (rows: typeof open) => rows.map((row): TaskRow => ({ ...NEW_FACTS, ...row }));
  return { ...others, open: kept(open), ended: kept(ended), figures: {} };
}

/** Migrates the context of a desk of the third version. */
export function tasksInOneTable({ places: sessionsMax, ...others }: ApartContext): OrchestratorContext {
  return deskInOneTable({ ...others, sessionsMax }, TASKS);
}

/** Puts a change of a task on record, and counts it. */
export function note(turn: OrchestratorTurn, before: TaskRow | undefined, after: TaskRow): void {
  const now = entryOf(after);
  if (before !== undefined && JSON.stringify({ ...entryOf(before), atMs: now.atMs }) === JSON.stringify(now)) return;
  turn.record('tasks', now);
  if (before !== undefined) turn.assign({ figures: figuresAfter(turn.context.figures, before, after) });
}

/** The task of a coding session; undefined if it has none. */
export function taskOf({ context }: OrchestratorTurn, coder: string): string | undefined {
  return [...context.working.entries()].find(([, place]) => place.coder === coder)?.[0];
}

/** Tells a task something; nothing happens if there is none, or if it is over. */
export function tellTask(turn: OrchestratorTurn, id: string | null, event: TaskEvent): void {
  const row = id === null ? undefined : desk(turn).records.get(id);
  if (row !== undefined && !row.isOver) desk(turn).tell(row, event);
}
