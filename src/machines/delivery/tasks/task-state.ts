/** The state of one task of a plan: its context, and how the orchestrator hears of it. Types and pure changes. */
import { type AnyActorRef } from 'xstate';
import { type PassedOrder } from '../../rules/desk.ts';
import { type TicketNotice } from '../../people/tickets/ticket-messages.ts';
import { type WorkItem, type WorkStatus } from '../../work/work-item.ts';
import { type Verdict } from '../checks/verdict.ts';
import { type Findings } from '../delivery-ports.ts';
import { type BlockReason, type Directive, type DoneReport, type TaskOrder, type taskOrders } from './task-messages.ts';

/** Times of a coding session (MX-106), in milliseconds. */
export interface TaskTimes {
  /** Without a sign of life for so long, a session is pinged. */
  readonly stallMs: number;
  /** Between two pings. */
  readonly pingMs: number;
  /** For so long, a session that has said that it pauses is not pinged. */
  readonly pauseMs: number;
  /** Before each new try of a failed task; then its owner is asked. */
  readonly retryMs: readonly number[];
}

export const TASK_TIMES: TaskTimes = {
  ...{ stallMs: 30_000, pingMs: 10_000, pauseMs: 60 * 60_000, retryMs: [5_000, 10_000, 20_000] },
};

/** Milliseconds for which the files of a finished task have to be quiet, unless its plan says otherwise (MX-077). */
const QUIET_MS = 60_000;

/** The milliseconds for which the files of a task have to be quiet. */
export function quietTimeOf({ item }: Pick<TaskContext, 'item'>): number {
  return item.context.quietMs ?? QUIET_MS;
}

/** Notes that a task keeps. The oldest are dropped first. */
export const NOTES_MAX = 20;

/** The input of the actor of a task. */
export type TaskInput = Readonly<{ id: string; desk: AnyActorRef; item: WorkItem; times: TaskTimes }>;

export interface TaskContext extends TaskInput {
  readonly status: WorkStatus;
  /** The coding session that has it, or had it last; null before. */
  readonly coder: string | null;
  readonly percent: number | null;
  readonly tokens: number;
  /** How often it was given. */
  readonly attempts: number;
  /** Failures since its owner was last asked. */
  readonly failures: number;
  readonly pings: number;
  /** Fixes since its owner was last asked. */
  readonly cycles: number;
  /** The wait for quiet files: its begin, and the last change; null before. */
  readonly quiet: { readonly sinceMs: number; readonly changedAtMs: number } | null;
  /** The number of the last check that it asked for. */
  readonly round: number;
  /** Whether the check began although the files were not quiet (MX-078). */
  readonly isTimedOut: boolean;
  /** The findings of the check that is being mended; null otherwise. */
  readonly found: Findings | null;
  /** Tickets of its investigations. */
  readonly investigations: readonly string[];
  /** The last verdict; null before. */
  readonly verdict: Verdict | null;
  /** Verdicts so far, and those with something that remains. */
  readonly checks: number;
  readonly flawed: number;
  /** The begin of the present wait for people; null while it waits for none. */
  readonly pausedAtMs: number | null;
  readonly reason: BlockReason | null;
  /** Why it does not go on, or has ended; null otherwise. */
  readonly because: string | null;
  /** Remarks of people and sessions about it. */
  readonly notes: readonly string[];
  /** Subjects of the tickets for which it waits, by ticket. */
  readonly tickets: Readonly<Record<string, string>>;
  /** The report with which it was last done. */
  readonly report: DoneReport | null;
}

/** The facts of a task that the orchestrator keeps. */
export type TaskShown = Pick<
  TaskContext,
  'status' | 'coder' | 'percent' | 'attempts' | 'pings' | 'reason' | 'because'
> & { readonly tickets: readonly string[]; readonly atMs: number; readonly check: Check | null } & {
  readonly pause: Pause | null;
};

/** The last check of a task, as people see it. */
export type Check = Pick<Verdict, 'matches' | 'remaining' | 'open' | 'visual'> &
  Pick<TaskContext, 'checks' | 'flawed' | 'cycles' | 'isTimedOut' | 'investigations'> & { readonly match: number };

/** A wait for people, with the fields of a pause (CN-007, X-64). */
export interface Pause {
  readonly trigger: 'TICKET';
  readonly status: 'PAUSED';
  readonly reason: string;
  readonly createdBy: string;
  readonly pausedAtMs: number;
  /** The task begins again with what it has; it waits for these tickets. */
  readonly resumeDependencies: Record<'restart' | 'skip' | 'wait', readonly string[]>;
}

/** The report of a task to the orchestrator after every change. */
export type TaskChanged = Readonly<{ type: 'task.changed'; id: string; shown: TaskShown; task: AnyActorRef }>;

/** Further reports of a task to the orchestrator: its directive, its end, and a check that it has failed. */
export type TaskNews =
  | { readonly type: 'task.given'; readonly id: string; readonly directive: Directive }
  | { readonly type: 'task.finished'; readonly id: string; readonly report: DoneReport }
  | { readonly type: 'task.needsFix'; readonly id: string; readonly found: Findings; readonly ticket: string | null }
  /** Its fixes have mended nothing, and none is wanted any more. */
  | { readonly type: 'task.unfixed'; readonly id: string };

type Passed<Type extends keyof typeof taskOrders, As extends string> = {
  readonly type: As;
} & Omit<TaskOrder<Type>, 'type'> &
  PassedOrder;

export type ReportEvent = Passed<'tasks.report', 'task.report'> & {
  /** Whether a session is free for a task that goes on. */
  readonly hasRoom: boolean;
};
export type FinishEvent = Passed<'tasks.done', 'task.finish'>;

/** The end of a check, with its number among those of the task, if the task asked for it. */
type CheckEnd = { readonly round?: number };

export type TaskEvent =
  | ReportEvent
  | FinishEvent
  | Passed<'tasks.unblock', 'task.unblock'>
  | Passed<'tasks.fail', 'task.fail'>
  | { readonly type: `task.${'release' | 'hold' | 'split' | 'resized' | 'remind'}` }
  /** The check takes it over; as a fix, with what it mends; its fix is done; its fix was given up. */
  | { readonly type: `task.${'settle' | 'joined' | 'mended' | 'unmended'}` }
  /** The Verification Team has judged it, whatever follows from the verdict. */
  | ({ readonly type: 'task.judged'; readonly verdict: Verdict } & CheckEnd)
  | ({ readonly type: 'task.passed' } & CheckEnd)
  /** A test has failed that somebody else has run. */
  | Passed<'tasks.failure', 'task.failure'>
  | Passed<'tasks.checked', 'task.checked'>
  /** `isManaged`: the session is the host's own, which hears of its end, and needs no sign of life. */
  | { readonly type: 'task.give'; readonly coder: string; readonly isManaged: boolean }
  /** With a remark of a team, which may be empty. */
  | { readonly type: 'task.edit'; readonly item: WorkItem; readonly note: string }
  | { readonly type: 'task.block'; readonly reason: BlockReason; readonly because: string }
  | { readonly type: 'task.doom'; readonly because: string }
  | ({ readonly type: 'task.found'; readonly found: Findings } & CheckEnd)
  | TicketNotice;

/** The facts of a task that was never checked. */
export const UNCHECKED = {
  ...{ quiet: null, round: 0, isTimedOut: false, found: null, investigations: [], verdict: null, pausedAtMs: null },
  ...{ checks: 0, flawed: 0 },
} as const;

export function newTask(input: TaskInput): TaskContext {
  return {
    ...input,
    status: 'pending',
    ...{ coder: null, percent: null, tokens: 0, attempts: 0, failures: 0, pings: 0, cycles: 0 },
    ...{ reason: null, because: null, notes: [], tickets: {}, report: null, ...UNCHECKED },
  };
}

export function withNote({ notes }: TaskContext, ...more: readonly string[]): Pick<TaskContext, 'notes'> {
  const said = more.filter((note) => note !== '').map((note) => note.slice(0, 1_000).toWellFormed());
  return { notes: [...notes, ...said].slice(-NOTES_MAX) };
}

export function shownOf(context: TaskContext, atMs: number): TaskShown {
  const { status, coder, percent, attempts, pings, reason, because, tickets: asked } = context;
  const tickets = Object.keys(asked);
  const facts = { status, coder, percent, attempts, pings, reason, because, tickets, atMs };
  return { ...facts, check: checkOf(context), pause: pauseOf(context, tickets) };
}

function checkOf({ verdict, checks, flawed, cycles, isTimedOut, investigations }: TaskContext): Check | null {
  if (verdict === null) return null;
  const { matches, remaining, open, visual, match } = verdict;
  const found = { matches, remaining, open, visual, match: match.value };
  return { ...found, checks, flawed, cycles, isTimedOut, investigations };
}

function pauseOf({ id, coder, because, pausedAtMs }: TaskContext, tickets: readonly string[]): Pause | null {
  if (pausedAtMs === null || tickets.length === 0) return null;
  const facts = { trigger: 'TICKET', status: 'PAUSED', reason: because ?? '', createdBy: coder ?? 'planning' } as const;
  return { ...facts, pausedAtMs, resumeDependencies: { restart: [id], skip: [], wait: tickets } };
}
