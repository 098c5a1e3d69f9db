/**
 * The figures of all tasks so far (CN-020), counted from one entry of the log to the next, so that the log of tasks has
 * them all. Those of hand-offs are the organisation's. Pure.
 */
import { z } from 'zod';
import { WORK_STATUSES, type WorkItem, workKind } from '../../work/work-item.ts';
import { type TaskShown } from './task-state.ts';

const count = z.int().nonnegative();

/** How a task stands after a change, on record. Numbers are those of the task so far. */
export const taskEntry = z.object({
  ...{ atMs: z.number(), task: z.string(), kind: workKind, status: z.enum(WORK_STATUSES) },
  ...{ reason: z.string().nullable(), checks: count, flawed: count, fixes: count, investigations: count },
  questions: count,
});
export type TaskEntry = z.output<typeof taskEntry>;

export interface TaskFigures {
  /** Sums over tasks. */
  readonly checks: number;
  readonly fixes: number;
  readonly investigations: number;
  readonly questions: number;
  /** Sessions that were given up since nothing was heard of them. */
  readonly stalls: number;
  /** Ended tasks that were checked, and those of them that passed at the first check. */
  readonly checked: number;
  readonly passedAtOnce: number;
  /** Verified tasks that had been reported as done, and the milliseconds from then to their verification. */
  readonly done: number;
  readonly doneMs: number;
}

export const NO_FIGURES: TaskFigures = {
  ...{ checks: 0, fixes: 0, investigations: 0, questions: 0, stalls: 0, checked: 0, passedAtOnce: 0 },
  ...{ done: 0, doneMs: 0 },
};

/** Facts of a task besides how it stands. */
type Known = Readonly<{ item: WorkItem; fixes: readonly string[]; questions: number }>;

/** The entry of a task as its orchestrator knows it. */
export function entryOf({ atMs, item, status, reason, check, fixes, questions }: TaskShown & Known): TaskEntry {
  const { checks = 0, flawed = 0, investigations = [] } = check ?? {};
  const numbers = { checks, flawed, fixes: fixes.length, investigations: investigations.length, questions };
  return { atMs, task: item.id, kind: item.kind, status, reason, ...numbers };
}

/** The figures after a change of a task, which was reported as done at `doneAtMs`. */
export function figuresAfter(
  figures: TaskFigures,
  [before, after]: readonly [TaskEntry, TaskEntry],
  doneAtMs: number | null,
): TaskFigures {
  const more = (name: 'checks' | 'fixes' | 'investigations' | 'questions') =>
    figures[name] + after[name] - before[name];
  const sums = { ...figures, checks: more('checks'), fixes: more('fixes'), questions: more('questions') };
  const isStall = after.status === 'blocked' && after.reason === 'stall' && before.reason !== 'stall';
  const ends = (status: TaskEntry['status']) => after.status === status && before.status !== status;
  const isVerified = ends('verified');
  const isChecked = (isVerified || ends('failed')) && after.checks > 0;
  const isDone = isVerified && doneAtMs !== null;
  return {
    ...{ ...sums, investigations: more('investigations'), stalls: figures.stalls + Number(isStall) },
    checked: figures.checked + Number(isChecked),
    passedAtOnce: figures.passedAtOnce + Number(isChecked && isVerified && after.flawed === 0),
    done: figures.done + Number(isDone),
    doneMs: figures.doneMs + (isDone ? after.atMs - doneAtMs : 0),
  };
}

const mean = z.number().nullable();

/** The figures of a delivery organisation, as people are told them; null where there is nothing to count yet. */
export const metrics = z.object({
  /** Tasks so far, those that have ended by their end. */
  tasks: z.object({ verified: count, failed: count, open: count }),
  ...{ checks: count, fixes: count, investigations: count, stalls: count },
  /** Checked tasks that passed at their first check, in percent of those that have ended. */
  passed_at_once_percent: mean,
  /** Milliseconds from the report of a task as done to its verification. */
  done_to_verified_ms: mean,
  questions_per_task: mean,
  /** Hand-offs that took place, by row of the table of responsibilities, and those that were refused. */
  handoffs: z.record(z.string(), count),
  refused_handoffs: count,
});
export type Metrics = z.output<typeof metrics>;

type Counts = Readonly<Partial<Record<string, number>>>;
const sumOf = (counts: Counts) => Object.values(counts).reduce<number>((sum, one = 0) => sum + one, 0);
const meanOf = (sum: number, of: number) => (of === 0 ? null : sum / of);

export function metricsOf(
  { counts, figures }: { readonly counts: Counts; readonly figures: TaskFigures },
  organised: { readonly handoffs: number; readonly counts: Readonly<Record<string, number>> },
): Metrics {
  const { checks, fixes, investigations, stalls, questions, checked, passedAtOnce, done, doneMs } = figures;
  const { verified = 0, failed = 0 } = counts;
  const tasks = sumOf(counts);
  return {
    tasks: { verified, failed, open: tasks - verified - failed },
    ...{ checks, fixes, investigations, stalls, passed_at_once_percent: meanOf(100 * passedAtOnce, checked) },
    ...{ done_to_verified_ms: meanOf(doneMs, done), questions_per_task: meanOf(questions, tasks) },
    ...{ handoffs: { ...organised.counts }, refused_handoffs: organised.handoffs - sumOf(organised.counts) },
  };
}
