/**
 * Schedules: the start of each task by the rule of dispatcher.ts if every task takes exactly its duration, for a whole
 * plan or as a forecast for the rest of a plan. Pure: times are in the plan's unit, and no clock is read.
 */
import { assert } from '../../../assert.ts';
import { type PlanIndex, planIndexOf, taskOf } from './plan-index.ts';
import { addTime } from '../../work/dependency-graph.ts';
import { Dispatcher, placeIn, type PlanProgress } from './dispatcher.ts';
import { capacityOf, type Plan, type PlanTask } from './plan.ts';

/** A task with its times. */
export interface ScheduledTask {
  readonly task: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  /** Start in the plan's unit, from the start of the plan. */
  readonly start: number;
  readonly end: number;
  /** Whether the task is on the critical path. */
  readonly critical: boolean;
}

/** The times of all tasks of a plan. */
export interface Schedule {
  /** The plan's name. */
  readonly plan: string;
  /** The end of the last task. */
  readonly makespan: number;
  /** Sum of all durations. */
  readonly work: number;
  /** Sum of the durations of tasks whose agent type has a capacity; of all tasks if none has one. */
  readonly sequential: number;
  /** sequential / makespan; 1 for a plan that takes no time. */
  readonly parallelismFactor: number;
  /** One longest path; ties are broken by file order. */
  readonly criticalPath: readonly string[];
  /**
   * The agent type whose capacity makes tasks wait longest in total, the first in the file if there are several; null
   * if no task waits.
   */
  readonly bottleneck: string | null;
  /** Tasks in the order of their starts. */
  readonly tasks: readonly ScheduledTask[];
}

/** The rest of a plan, if from now on every task takes exactly its duration and nothing else happens. */
export interface Forecast {
  /** Remaining time in the plan's unit; a running task counts as just started. */
  readonly makespan: number;
  /** The agent type whose capacity makes tasks wait longest from now on. */
  readonly bottleneck: string | null;
  /** Tasks that run or will start, in the order of their starts. */
  readonly tasks: readonly ScheduledTask[];
  /**
   * Tasks that cannot start in the present situation: tasks of paused items or of an agent type without places, and
   * their dependents.
   */
  readonly blocked: readonly string[];
}

/** The schedule of the remaining work (CA-015), computed again when an agent type is lost or a capacity changes. */
export function forecast(plan: Plan, position: PlanProgress): Forecast {
  const index = planIndexOf(plan);
  const done = new Set(position.done);
  const slots = simulate(index, position);
  const placed = new Set(slots.map(({ task }) => task.id));
  return {
    makespan: makespanOf(slots),
    bottleneck: bottleneckOf(index, position.capacity, slots),
    tasks: slots.map((slot) => scheduled(slot, new Set(index.criticalPath))),
    blocked: plan.tasks.filter(({ id }) => !done.has(id) && !placed.has(id)).map(({ id }) => id),
  };
}

/** The schedule of a plan without disturbances: no retry, no pause, every barrier waits for all items. */
export function schedule(plan: Plan): Schedule {
  const index = planIndexOf(plan);
  const slots = simulate(index, { done: [], running: [], standings: [], capacity: plan.capacity });
  assert(slots.length === plan.tasks.length, 'every task of a plan without cycles is scheduled');

  const makespan = makespanOf(slots);
  const capped = plan.tasks.filter(({ agent }) => capacityOf(plan.capacity, agent) !== Infinity);
  const sequential = sumOf(capped.length > 0 ? capped : plan.tasks);
  const critical = new Set(index.criticalPath);
  return {
    plan: plan.name,
    makespan,
    work: sumOf(plan.tasks),
    sequential,
    parallelismFactor: makespan === 0 ? 1 : sequential / makespan,
    criticalPath: index.criticalPath,
    bottleneck: bottleneckOf(index, plan.capacity, slots),
    tasks: slots.map((slot) => scheduled(slot, critical)),
  };
}

function makespanOf(slots: readonly Slot[]): number {
  return slots.reduce((latest, { end }) => Math.max(latest, end), 0);
}

function scheduled(
  { task: { id, item, stage, agent }, start, end }: Slot,
  critical: ReadonlySet<string>,
): ScheduledTask {
  return { task: id, item, stage, agent, start, end, critical: critical.has(id) };
}

interface Slot {
  readonly task: PlanTask;
  readonly start: number;
  readonly end: number;
}

/**
 * Simulates the plan: starts every task that can start and moves on to the next completion, until nothing runs. Returns
 * the slots in the order of their starts.
 */
function simulate(index: PlanIndex, position: PlanProgress): readonly Slot[] {
  const dispatcher = new Dispatcher(index, position);
  const slots: Slot[] = [];
  const running: Slot[] = []; // sorted, the next task to end is last
  const begin = (task: PlanTask, now: number): void => {
    const slot = { task, start: now, end: addTime(now, task.duration) };
    slots.push(slot);
    running.splice(
      placeIn(running, slot.end, ({ end }) => end),
      0,
      slot,
    );
  };
  for (const id of position.running) begin(taskOf(index, id)!, 0);
  let now = 0;
  for (;;) {
    for (const task of dispatcher.start()) begin(task, now);
    const next = running.at(-1);
    if (next === undefined) return slots;
    now = next.end;
    while (running.at(-1)?.end === now) dispatcher.complete(running.pop()!.task.id);
  }
}

/** The bottleneck. A ready task starts unless its agent type is at capacity, so every wait counts against that type. */
function bottleneckOf(
  { links, order, rank }: PlanIndex,
  capacity: Plan['capacity'],
  slots: readonly Slot[],
): string | null {
  const bySlot = new Map(slots.map((slot) => [slot.task.id, slot]));
  const endOf = new Map<string, number>();
  const waits = new Map<string, number>();
  for (const id of order) {
    const ready = links.dependencies
      .get(id)!
      .reduce((latest, dependency) => Math.max(latest, endOf.get(dependency) ?? 0), 0);
    const slot = bySlot.get(id);
    if (slot === undefined && rank.has(id)) continue; // done before, or never to start
    endOf.set(id, slot?.end ?? ready); // a join takes no time
    if (slot !== undefined) waits.set(slot.task.agent, addTime(waits.get(slot.task.agent) ?? 0, slot.start - ready));
  }
  let bottleneck: string | null = null;
  for (const agent of Object.keys(capacity)) {
    if ((waits.get(agent) ?? 0) > (bottleneck === null ? 0 : waits.get(bottleneck)!)) bottleneck = agent;
  }
  return bottleneck;
}

function sumOf(tasks: readonly PlanTask[]): number {
  return tasks.reduce((sum, { duration }) => addTime(sum, duration), 0);
}
