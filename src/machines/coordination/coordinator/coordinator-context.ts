/**
 * What the Lead Coordinator knows, and how others read it. One record an item, a task, an agent type, each under a key
 * of its own, so that what a change writes is as small as what it is about.
 */
import { type SealedCheckpoint } from '../../work/checkpoints.ts';
import { NO_PERFORMANCE, type Performance, type PerformanceReport, performanceReport } from './performance.ts';
import { type Plan } from '../plan/plan.ts';
import { type ItemProgress, type Items, itemsOf, type Tally, UNTOUCHED } from './progress.ts';

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

export type CoordinatorContext = {
  readonly plan: Plan;
  /** What a unit of the plan is on the clock; null where nothing is expected of the clock. */
  readonly unitMs: number | null;
  /** Sums over the items. A new object with every change. */
  readonly tally: Tally;
  /** Places of agent types that are other than the plan says. */
  readonly capacity: Readonly<Record<string, number>>;
  /** Numbers the gates. */
  readonly gatesOpened: number;
} & { readonly [key in `item:${string}`]?: ItemProgress } & {
  readonly [key in `results:${string}`]?: Readonly<Record<string, unknown>>;
} & {
  readonly [key in `checkpoint:${string}`]?: KeptCheckpoint | undefined;
} & { readonly [key in `type:${string}`]?: Performance } & {
  readonly [key in `gate:${string}`]?: GatePlace | undefined;
};

/** Progress of every item. O(items). */
export function itemsIn(context: CoordinatorContext): Items {
  return itemsOf(context.plan, (item) => context[`item:${item}`]);
}

/** Of an item of the plan. */
export function itemIn(context: CoordinatorContext, item: string): ItemProgress {
  return context[`item:${item}`] ?? UNTOUCHED;
}

/** Outputs of the completed tasks of an item, by stage; in a plan of tasks by task id. */
export function resultsOf(context: CoordinatorContext, item: string): Readonly<Record<string, unknown>> {
  return context[`results:${item}`] ?? {};
}

export function checkpointIn(context: CoordinatorContext, task: string): KeptCheckpoint | undefined {
  return context[`checkpoint:${task}`];
}

export function performanceIn(context: CoordinatorContext, agentType: string): Performance {
  return context[`type:${agentType}`] ?? NO_PERFORMANCE;
}

/** Places of agent types as they are now. */
export function capacityIn({ plan, capacity }: CoordinatorContext): Plan['capacity'] {
  return { ...plan.capacity, ...capacity };
}

/** How every agent type of the plan does, the slowest first. */
export function performanceOf(context: CoordinatorContext): readonly PerformanceReport[] {
  const types = new Set(context.plan.tasks.map(({ agent }) => agent));
  return performanceReport([...types].map((type) => [type, performanceIn(context, type)]));
}
