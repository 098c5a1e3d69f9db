/**
 * What the Lead Coordinator knows, and how others read it. Tables of items, tasks, agent types and gates, so that what
 * a change costs is as small as what it is about.
 */
import { rowIn, type Shown, table, type Table } from '../../../table.ts';
import { nameKey } from '../../people/table-keys.ts';
import { type SealedCheckpoint } from '../../work/checkpoints.ts';
import { NO_PERFORMANCE, type Performance, type PerformanceReport, performanceReport } from './performance.ts';
import { type Plan, type PlanTask } from '../plan/plan.ts';
import { planIndexOf } from '../plan/plan-index.ts';
import { EMPTY_TALLY, type ItemProgress, type Items, itemsOf, type Tally, UNTOUCHED } from './progress.ts';
import { wideRowIn } from '../../people/wide-rows.ts';

/** The last checkpoint of a task that is not done. */
export interface KeptCheckpoint {
  readonly sealed: SealedCheckpoint;
  /** It stays when its time is over (CA-036). */
  readonly isPreserved: boolean;
}

/** What a gate under an id is about. */
export interface GatePlace {
  readonly item: string;
  readonly gate: string;
}

/** What a completed task has put out. */
export interface TaskResult {
  readonly output: unknown;
}

/** Of these any row may be larger than a table takes: it stands beside it then (wide-rows.ts). */
interface WideTables {
  /** By name; none of an item that nothing has happened to. */
  readonly items: Table<ItemProgress>;
  /** By task. */
  readonly results: Table<TaskResult>;
  /** By task. */
  readonly checkpoints: Table<KeptCheckpoint>;
}

export interface CoordinatorContext extends WideTables {
  readonly plan: Plan;
  /** What a unit of the plan is on the clock; null where nothing is expected of the clock. */
  readonly unitMs: number | null;
  /** Sums over the items. A new object with every change. */
  readonly tally: Tally;
  /** Places of agent types that are other than the plan says. */
  readonly capacity: Readonly<Record<string, number>>;
  /** Numbers the gates. */
  readonly gatesOpened: number;
  /** By agent type. */
  readonly performance: Table<Performance>;
  /** Gates that are open, by id. */
  readonly gates: Table<GatePlace>;
  /** Their ids, of each item. */
  readonly gatesOfItems: Table<string>;
  /** Names of the items that have to do with each debate. */
  readonly itemsOfDebates: Table<string>;
}

/** Of a plan that nothing has happened to. */
export function newProgress(): Omit<CoordinatorContext, 'plan' | 'unitMs'> {
  return {
    tally: EMPTY_TALLY,
    capacity: {},
    gatesOpened: 0,
    items: table(),
    results: table(),
    checkpoints: table(),
    performance: table(),
    gates: table(),
    gatesOfItems: table(),
    itemsOfDebates: table(),
  };
}

/** As it is read in the process, or off a gateway. */
export type ShownCoordinator = Shown<CoordinatorContext>;

/** Progress of every item. O(items). */
export function itemsIn(context: ShownCoordinator): Items {
  return itemsOf(context.plan, (item) => itemIn(context, item));
}

/** Of an item of the plan. */
export function itemIn(context: ShownCoordinator, item: string): ItemProgress {
  return wideRowIn(context, 'items', item) ?? UNTOUCHED;
}

/** Outputs of the completed tasks of an item, by stage; in a plan of tasks by task id. */
export function resultsOf(context: ShownCoordinator, item: string): Readonly<Record<string, unknown>> {
  return outputsOf(planIndexOf(context.plan).byItem.get(item) ?? [], (task) => resultIn(context, task));
}

/** @param resultOf Of a task, by its id. */
export function outputsOf(
  tasks: readonly PlanTask[],
  resultOf: (task: string) => TaskResult | undefined,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    tasks.flatMap(({ id, stage }) => {
      const result = resultOf(id);
      return result === undefined ? [] : [[stage ?? id, result.output]];
    }),
  );
}

export function resultIn(context: ShownCoordinator, task: string): TaskResult | undefined {
  return wideRowIn(context, 'results', nameKey(task));
}

export function checkpointIn(context: ShownCoordinator, task: string): KeptCheckpoint | undefined {
  return wideRowIn(context, 'checkpoints', nameKey(task));
}

export function performanceIn({ performance }: ShownCoordinator, agentType: string): Performance {
  return rowIn(performance, nameKey(agentType)) ?? NO_PERFORMANCE;
}

/** Places of agent types as they are now. */
export function capacityIn({ plan, capacity }: ShownCoordinator): Plan['capacity'] {
  return { ...plan.capacity, ...capacity };
}

/** How every agent type of the plan does, the slowest first. */
export function performanceOf(context: ShownCoordinator): readonly PerformanceReport[] {
  const types = new Set(context.plan.tasks.map(({ agent }) => agent));
  return performanceReport([...types].map((type) => [type, performanceIn(context, type)]));
}
