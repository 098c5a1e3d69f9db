/**
 * The Lead Coordinator's context and its readers. Items, tasks, agent types and gates are rows of tables, so that the
 * cost of a change depends on its own size only.
 */
import { rowIn, table, type Table, type Whole } from '../../../table.ts';
import { nameKey } from '../../rules/table-keys.ts';
import { type SealedCheckpoint } from '../../work/checkpoints.ts';
import { NO_PERFORMANCE, type Performance, type PerformanceReport, performanceReport } from './performance.ts';
import { type Plan, type PlanTask } from '../plan/plan.ts';
import { planIndexOf } from '../plan/plan-index.ts';
import { EMPTY_TALLY, type ItemProgress, type Items, itemsOf, type Tally, UNTOUCHED } from './progress.ts';
import { type MessagePriority } from '../../work/talk-messages.ts';
import { wideRowIn } from '../../rules/wide-rows.ts';

/** The last checkpoint of a task that is not done. */
export interface KeptCheckpoint {
  readonly sealed: SealedCheckpoint;
  /** Whether the checkpoint is kept after its expiry (CA-036). */
  readonly isPreserved: boolean;
}

/** The name that stands for "no particular item". No item has it. */
export const NO_ITEM = '';

/** A question from an agent to people. */
export interface OpenRequest {
  readonly from: string;
  readonly content: unknown;
}

/** The subject of a gate, by the gate's id. */
export interface GatePlace {
  readonly item: string;
  readonly gate: string;
  /** The request behind a question that blocks no work; absent for any other question. */
  readonly request?: OpenRequest;
}

/** A finding, kept for the next package on which people decide (CA-007). */
export interface Finding {
  /** Sequence number of the finding. */
  readonly number: number;
  readonly from: string;
  readonly content: unknown;
  readonly priority: MessagePriority;
  readonly atMs: number;
}

/** The output of a completed task. */
export interface TaskResult {
  readonly output: unknown;
}

/** Tables whose rows may exceed the size limit of a row; such a row is stored beside its table (wide-rows.ts). */
interface WideTables {
  /** Progress by name of item; an untouched item has no row. */
  readonly items: Table<ItemProgress>;
  readonly results: Table<TaskResult>;
  readonly checkpoints: Table<KeptCheckpoint>;
}

/** The Lead Coordinator's context. */
export interface CoordinatorContext extends WideTables {
  readonly plan: Plan;
  /** Milliseconds per unit of the plan; null if the plan's unit is not a unit of time. */
  readonly unitMs: number | null;
  /** Sums over the items. Each change makes a new object. */
  readonly tally: Tally;
  /** Capacities that differ from the plan's. */
  readonly capacity: Readonly<Record<string, number>>;
  /** The number of gates opened so far, used to number the next one. */
  readonly gatesOpened: number;
  /** Performance by agent type. */
  readonly performance: Table<Performance>;
  /** Open gates by id. */
  readonly gates: Table<GatePlace>;
  /** Ids of the open gates of each item. */
  readonly gatesOfItems: Table<string>;
  /** Names of the items that each debate concerns. */
  readonly itemsOfDebates: Table<string>;
  /** The last findings about each item. */
  readonly findings: Table<Finding>;
  /** The number of findings so far, used to number the next one. */
  readonly findingsMade: number;
}

/** The initial progress of a plan. */
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
    findings: table(),
    findingsMade: 0,
  };
}

/** The context with all rows of its tables, as read in the process, or page by page through a gateway. */
export type WholeCoordinator = Whole<CoordinatorContext>;

/** The part of it that says how the items stand: the plan, and all of their rows. */
type WholeItems = Pick<WholeCoordinator, 'plan' | 'items'>;

/** Progress of every item. O(items). */
export function itemsIn(context: WholeItems): Items {
  return itemsOf(context.plan, (item) => itemIn(context, item));
}

/** Progress of an item of the plan. */
export function itemIn(context: Pick<WholeItems, 'items'>, item: string): ItemProgress {
  return wideRowIn(context, 'items', item) ?? UNTOUCHED;
}

/** Outputs of the completed tasks of an item, by stage; in a plan of tasks by task id. */
export function resultsOf(
  context: Pick<WholeCoordinator, 'plan' | 'results'>,
  item: string,
): Readonly<Record<string, unknown>> {
  return outputsOf(planIndexOf(context.plan).byItem.get(item) ?? [], (task) => resultIn(context, task));
}

/**
 * The outputs of an item's tasks.
 *
 * @param resultOf Returns the result of a task by its id.
 */
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

export function resultIn(context: Pick<WholeCoordinator, 'results'>, task: string): TaskResult | undefined {
  return wideRowIn(context, 'results', nameKey(task));
}

export function checkpointIn(context: Pick<WholeCoordinator, 'checkpoints'>, task: string): KeptCheckpoint | undefined {
  return wideRowIn(context, 'checkpoints', nameKey(task));
}

export function performanceIn({ performance }: Pick<WholeCoordinator, 'performance'>, agentType: string): Performance {
  return rowIn(performance, nameKey(agentType)) ?? NO_PERFORMANCE;
}

/** Current capacities of agent types. */
export function capacityIn({ plan, capacity }: Pick<WholeCoordinator, 'plan' | 'capacity'>): Plan['capacity'] {
  return { ...plan.capacity, ...capacity };
}

/** The performance of every agent type of the plan, the slowest first. */
export function performanceOf(context: Pick<WholeCoordinator, 'plan' | 'performance'>): readonly PerformanceReport[] {
  const types = new Set(context.plan.tasks.map(({ agent }) => agent));
  return performanceReport([...types].map((type) => [type, performanceIn(context, type)]));
}
