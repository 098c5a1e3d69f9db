/** The progress of a plan: items by stages, derived from the context of its coordinator. Pure. */

import type { ItemProgress, Tally, ToldPhase } from '../../machines/coordination/coordinator/progress.ts';
import type { Plan, PlanTask } from '../../machines/coordination/plan/plan.ts';

/** The fields of an item's record that the page shows. */
type ItemShown = Pick<ItemProgress, 'phase' | 'done' | 'running' | 'failed' | 'reason' | 'gates'>;

/**
 * The part of a coordinator's context that is shown. An item's record is a row of a table, or, if too large, a key of
 * its own.
 */
interface CoordinatorShown {
  readonly plan?: Plan;
  readonly items?: { readonly rows: Readonly<Record<string, ItemShown>> };
  /** Totals over all items; a view of the table may have only the first items. */
  readonly tally?: Tally;
  readonly [wideRow: `items:${string}`]: ItemShown | undefined;
}

export type TaskState = 'done' | 'running' | 'failed' | 'waiting';

export interface ItemRow {
  readonly item: string;
  readonly phase: ToldPhase;
  readonly reason: string | null;
  /** Ids of the gates at which people decide about it. */
  readonly gates: readonly string[];
  readonly done: number;
  readonly total: number;
  /** Tasks by stage; in a plan of tasks the only task has the key ''. */
  readonly tasks: ReadonlyMap<string, ItemTask>;
}

export interface ItemTask {
  readonly task: PlanTask;
  readonly state: TaskState;
  readonly error: string | null;
}

export interface PlanProgress {
  readonly plan: Plan;
  /** Stages in the order of the plan; none in a plan of tasks. */
  readonly stages: readonly string[];
  readonly items: readonly ItemRow[];
  readonly done: number;
  readonly running: number;
  readonly total: number;
}

const UNTOUCHED: ItemShown = { phase: 'running', done: [], running: [], failed: [], reason: null };

export interface PhaseBadge {
  readonly words: string;
  readonly sign: string;
  readonly tone: 'good' | 'calm' | 'warn' | 'bad';
  /** The order that the item accepts now; null if none. */
  readonly order: 'Pause' | 'Resume' | null;
}

const PHASES: Readonly<Record<ToldPhase, PhaseBadge>> = {
  running: { words: 'running', sign: '\u25cf', tone: 'good', order: 'Pause' },
  waitingForHuman: { words: 'waits for people', sign: '?', tone: 'warn', order: null },
  completed: { words: 'completed', sign: '\u2713', tone: 'calm', order: null },
  pausing: { words: 'pausing', sign: '\u275a\u275a', tone: 'warn', order: null },
  paused: { words: 'paused', sign: '\u275a\u275a', tone: 'warn', order: 'Resume' },
  failed: { words: 'failed', sign: '\u2715', tone: 'bad', order: null },
  expired: { words: 'expired', sign: '\u2715', tone: 'bad', order: null },
};

/** The badge of a phase. A phase known only to a newer server is shown by its name. */
export function phaseBadge(phase: string): PhaseBadge {
  if (Object.hasOwn(PHASES, phase)) return PHASES[phase as ToldPhase];
  return { words: phase, sign: '\u00b7', tone: 'calm', order: null };
}

/** The progress in a coordinator's context; undefined for any other context. */
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

function rowOf(item: string, tasks: readonly PlanTask[], known: ItemShown): ItemRow {
  const { phase, reason, done, running, failed } = known;
  const stateOf = (id: string): TaskState =>
    running.includes(id)
      ? 'running'
      : failed.some(({ task }) => task === id)
        ? 'failed'
        : done.includes(id)
          ? 'done'
          : 'waiting';
  const gates = Object.values(known.gates ?? {}).flatMap(({ state, id }) => (state === 'waiting' ? [id] : []));
  const isCompleted = tasks.every(({ id }) => stateOf(id) === 'done');
  return {
    item,
    phase: phase !== 'running' ? phase : gates.length > 0 ? 'waitingForHuman' : isCompleted ? 'completed' : phase,
    reason,
    gates,
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
