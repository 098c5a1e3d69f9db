/** How far a plan has come, as the page shows it: items by stages, read off the context of its coordinator. Pure. */

import type { ItemProgress, Tally } from '../../machines/coordination/coordinator/progress.ts';
import type { Plan, PlanTask } from '../../machines/coordination/plan/plan.ts';

/** The fields of an item's record that the page shows. */
type ItemShown = Pick<ItemProgress, 'phase' | 'done' | 'running' | 'failed' | 'reason'>;

/** The part of a coordinator's context that is shown: an item's record is a row, or, too large for one, a key. */
interface CoordinatorShown {
  readonly plan?: Plan;
  readonly items?: { readonly rows: Readonly<Record<string, ItemShown>> };
  /** Sums over all items, of which a view of the table may have the first only. */
  readonly tally?: Tally;
  readonly [wideRow: `items:${string}`]: ItemShown | undefined;
}

export type TaskState = 'done' | 'running' | 'failed' | 'waiting';

export interface ItemRow {
  readonly item: string;
  readonly phase: ItemProgress['phase'] | 'completed';
  readonly reason: string | null;
  readonly done: number;
  readonly total: number;
  /** By stage; in a plan of tasks the one task under ''. */
  readonly tasks: ReadonlyMap<string, ItemTask>;
}

export interface ItemTask {
  readonly task: PlanTask;
  readonly state: TaskState;
  readonly error: string | null;
}

export interface PlanProgress {
  readonly plan: Plan;
  /** In the order of the plan; none in a plan of tasks. */
  readonly stages: readonly string[];
  readonly items: readonly ItemRow[];
  readonly done: number;
  readonly running: number;
  readonly total: number;
}

const UNTOUCHED: ItemShown = { phase: 'running', done: [], running: [], failed: [], reason: null };

export interface PhaseBadge {
  readonly sign: string;
  readonly tone: 'good' | 'calm' | 'warn' | 'bad';
}

const PHASES: Readonly<Record<ItemRow['phase'], PhaseBadge>> = {
  running: { sign: '\u25cf', tone: 'good' },
  completed: { sign: '\u2713', tone: 'calm' },
  pausing: { sign: '\u275a\u275a', tone: 'warn' },
  paused: { sign: '\u275a\u275a', tone: 'warn' },
  failed: { sign: '\u2715', tone: 'bad' },
  expired: { sign: '\u2715', tone: 'bad' },
};

/** Also of a phase that only a newer server has: it is shown by its name, and breaks nothing. */
export function phaseBadge(phase: string): PhaseBadge {
  return Object.hasOwn(PHASES, phase) ? PHASES[phase as ItemRow['phase']] : { sign: '?', tone: 'calm' };
}

/** undefined for a context that is no coordinator's. */
export function planProgress(context: unknown): PlanProgress | undefined {
  const { plan, items: known, tally, ...others } = (context ?? {}) as CoordinatorShown;
  if (plan === undefined || !Array.isArray(plan.tasks)) return undefined;
  const byItem = new Map<string, PlanTask[]>();
  for (const task of plan.tasks) {
    const item = task.item ?? task.id;
    const own = byItem.get(item) ?? [];
    own.push(task);
    byItem.set(item, own);
  }
  const rows = new Map(Object.entries(known?.rows ?? {}));
  const items = [...byItem].map(([item, tasks]) =>
    rowOf(item, tasks, others[`items:${item}`] ?? rows.get(item) ?? UNTOUCHED),
  );
  const stages = [...new Set(plan.tasks.flatMap(({ stage }) => stage ?? []))];
  const sum = (of: (row: ItemRow) => number) => items.reduce((total, row) => total + of(row), 0);
  return {
    plan,
    stages,
    items,
    done: tally?.done ?? sum(({ done }) => done),
    running:
      tally?.running ?? sum(({ tasks }) => [...tasks.values()].filter(({ state }) => state === 'running').length),
    total: plan.tasks.length,
  };
}

function rowOf(item: string, tasks: readonly PlanTask[], { phase, reason, done, running, failed }: ItemShown): ItemRow {
  const stateOf = (id: string): TaskState =>
    running.includes(id)
      ? 'running'
      : failed.some(({ task }) => task === id)
        ? 'failed'
        : done.includes(id)
          ? 'done'
          : 'waiting';
  const isCompleted = phase === 'running' && tasks.every(({ id }) => stateOf(id) === 'done');
  return {
    item,
    phase: isCompleted ? 'completed' : phase,
    reason,
    done: tasks.filter(({ id }) => stateOf(id) === 'done').length,
    total: tasks.length,
    tasks: new Map(
      tasks.map((task) => [
        task.stage ?? '',
        { task, state: stateOf(task.id), error: failed.find((failure) => failure.task === task.id)?.error ?? null },
      ]),
    ),
  };
}
