/** How far a plan has come, as the page shows it: items by stages, read off the context of its coordinator. Pure. */

/** A task of a plan, in the context of its coordinator. */
export interface PlanTask {
  readonly id: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  readonly duration: number;
  readonly after: readonly string[];
  readonly barrier: readonly string[] | false;
}

export interface Plan {
  readonly name: string;
  readonly unit: string;
  readonly capacity: Readonly<Record<string, number>>;
  readonly tasks: readonly PlanTask[];
}

/** One record an item, under `item:NAME`. */
export interface ItemProgress {
  readonly phase: 'running' | 'pausing' | 'paused' | 'failed' | 'expired';
  readonly done: readonly string[];
  readonly running: readonly string[];
  readonly failed: readonly { readonly task: string; readonly error: string }[];
  readonly reason: string | null;
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

const UNTOUCHED: ItemProgress = { phase: 'running', done: [], running: [], failed: [], reason: null };

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
  const { plan, ...records } = (context ?? {}) as { readonly plan?: Plan } & Readonly<Record<string, unknown>>;
  if (plan === undefined || !Array.isArray(plan.tasks)) return undefined;
  const byItem = new Map<string, PlanTask[]>();
  for (const task of plan.tasks) {
    const item = task.item ?? task.id;
    const own = byItem.get(item);
    if (own === undefined) byItem.set(item, [task]);
    else own.push(task);
  }
  const items = [...byItem].map(([item, tasks]) =>
    rowOf(item, tasks, (records[`item:${item}`] as ItemProgress | undefined) ?? UNTOUCHED),
  );
  const stages = [...new Set(plan.tasks.flatMap(({ stage }) => stage ?? []))];
  const sum = (of: (row: ItemRow) => number) => items.reduce((total, row) => total + of(row), 0);
  return {
    plan,
    stages,
    items,
    done: sum(({ done }) => done),
    running: sum(({ tasks }) => [...tasks.values()].filter(({ state }) => state === 'running').length),
    total: plan.tasks.length,
  };
}

function rowOf(
  item: string,
  tasks: readonly PlanTask[],
  { phase, reason, done, running, failed }: ItemProgress,
): ItemRow {
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
