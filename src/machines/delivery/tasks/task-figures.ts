/**
 * The figures of all tasks so far (CN-020), counted from one change of a task to the next, so that the log of tasks has
 * them all. Those of hand-offs are the organisation's. Pure.
 */
import { z } from 'zod';
import { WORK_STATUSES, type WorkItem, workKind } from '../../work/work-item.ts';
import { type TaskShown } from './task-state.ts';

const count = z.int().nonnegative();
const counts = { checks: count, fixes: count, investigations: count };

/** How a task stands after a change, on record. Numbers are those of the task so far. */
export const taskEntry = z.object({
  ...{ atMs: z.number(), task: z.string(), kind: workKind, status: z.enum(WORK_STATUSES) },
  ...{ reason: z.string().nullable(), ...counts, flawed: count, questions: count },
});
export type TaskEntry = z.output<typeof taskEntry>;

/** How a task stands, as its orchestrator knows it. */
type Known = TaskShown &
  Readonly<{ item: WorkItem; fixes: readonly string[]; questions: number; doneAtMs: number | null }>;

/** The entry of a task. */
export function entryOf({ atMs, item, status, reason, check, fixes, questions }: Known): TaskEntry {
  const { checks = 0, flawed = 0, investigations = [] } = check ?? {};
  const numbers = { checks, flawed, fixes: fixes.length, investigations: investigations.length, questions };
  return { atMs, task: item.id, kind: item.kind, status, reason, ...numbers };
}

/** The share of a task in the figures as it stands. */
function shareOf(task: Known) {
  const { status, reason, checks, flawed, fixes, investigations, questions } = entryOf(task);
  const isVerified = status === 'verified';
  const isChecked = (isVerified || status === 'failed') && checks > 0;
  const isDone = isVerified && task.doneAtMs !== null;
  return {
    ...{ checks, fixes, investigations, questions, stalls: Number(status === 'blocked' && reason === 'stall') },
    // Ended tasks that were checked, and those of them that passed at the first check.
    ...{ checked: Number(isChecked), passedAtOnce: Number(isChecked && isVerified && flawed === 0) },
    // Verified tasks that had been reported as done, and the milliseconds from then to their verification.
    ...{ done: Number(isDone), doneMs: isDone ? task.atMs - task.doneAtMs! : 0 },
  };
}

/** Sums over tasks; nothing was counted yet of those that are not there. */
export type TaskFigures = Readonly<Partial<ReturnType<typeof shareOf>>>;

/** The figures after a change of a task. They only grow: a task that stalls again counts again. */
export function figuresAfter(figures: TaskFigures, before: Known, after: Known): TaskFigures {
  const was = shareOf(before);
  const added = Object.entries(shareOf(after)).map(([name, now]) => {
    const key = name as keyof typeof was;
    return [key, (figures[key] ?? 0) + Math.max(0, now - was[key])];
  });
  return Object.fromEntries(added) as TaskFigures;
}

const mean = z.number().nullable();

/** The figures of a delivery organisation, as people are told them; null where there is nothing to count yet. */
export const metrics = z.object({
  /** Tasks so far, those that have ended by their end. */
  tasks: z.object({ verified: count, failed: count, open: count }),
  ...{ ...counts, stalls: count },
  /** Checked tasks that passed at their first check, in percent of those that have ended. */
  passed_at_once_percent: mean,
  /** Milliseconds from the report of a task as done to its verification. */
  ...{ done_to_verified_ms: mean, questions_per_task: mean },
  /** Hand-offs that took place, by row of the table of responsibilities, and those that were refused. */
  ...{ handoffs: z.record(z.string(), count), refused_handoffs: count },
  /** The figures of the Researcher, of the Scraper and of the Updater, by name. */
  ...{ research: z.record(z.string(), count).optional(), communication: z.record(z.string(), count).optional() },
  upkeep: z.record(z.string(), count).optional(),
});
export type Metrics = z.output<typeof metrics>;

type Counts = Readonly<Partial<Record<string, number>>>;
const sumOf = (of: Counts) => Object.values(of).reduce<number>((sum, one = 0) => sum + one, 0);
const meanOf = (sum: number, of: number) => (of === 0 ? null : sum / of);

type Counted = Readonly<{ counts: Counts; figures: TaskFigures }>;
type Organised = Readonly<{ handoffs: number; counts: Readonly<Record<string, number>> }>;
type Others = Partial<Pick<Metrics, 'research' | 'communication' | 'upkeep'>>;

export function metricsOf({ counts: tasks, figures }: Counted, organised: Organised, others: Others = {}): Metrics {
  const { checks = 0, fixes = 0, investigations = 0, stalls = 0, questions = 0 } = figures;
  const { checked = 0, passedAtOnce = 0, done = 0, doneMs = 0 } = figures;
  const { verified = 0, failed = 0 } = tasks;
  return {
    tasks: { verified, failed, open: sumOf(tasks) - verified - failed },
    ...{ checks, fixes, investigations, stalls, passed_at_once_percent: meanOf(100 * passedAtOnce, checked) },
    ...{ done_to_verified_ms: meanOf(doneMs, done), questions_per_task: meanOf(questions, sumOf(tasks)) },
    ...{ handoffs: { ...organised.counts }, refused_handoffs: organised.handoffs - sumOf(organised.counts) },
    ...others,
  };
}
