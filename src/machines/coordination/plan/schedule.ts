/**
 * Which task starts when, by the rule of dispatcher.ts, if every task takes exactly its duration: the schedule of a
 * whole plan, and the forecast of what remains of one. Pure: times are the plan's units, no clock.
 */
import { assert } from '../../../assert.ts';
import { type PlanIndex, planIndexOf, taskOf } from './plan-index.ts';
import { addTime } from '../../work/dependency-graph.ts';
import { Dispatcher, placeIn, type PlanProgress } from './dispatcher.ts';
import { capacityOf, type Plan, type PlanTask } from './plan.ts';

export interface ScheduledTask {
  readonly task: string;
  readonly item: string | null;
  readonly stage: string | null;
  readonly agent: string;
  /** In the plan's unit, from the start of the plan. */
  readonly start: number;
  readonly end: number;
  /** Whether it is on the critical path. */
  readonly critical: boolean;
}

export interface Schedule {
  /** The plan's name. */
  readonly plan: string;
  /** When the last task ends. */
  readonly makespan: number;
  /** Sum of all durations. */
  readonly work: number;
  /** Sum of the durations of tasks whose agent type has a capacity; of all tasks where none has one. */
  readonly sequential: number;
  /** sequential / makespan; 1 for a plan that takes no time. */
  readonly parallelismFactor: number;
  /** One longest path, ties in file order. */
  readonly criticalPath: readonly string[];
  /**
   * The agent type whose capacity makes tasks wait longest in sum, the first in the file of several; null where none
   * waits.
   */
  readonly bottleneck: string | null;
  /** In the order they start. */
  readonly tasks: readonly ScheduledTask[];
}

/** What is left of a plan, if from now on every task takes exactly its duration and nothing else happens. */
export interface Forecast {
  /** From now on, in the plan's unit; a task that runs is taken to have just begun. */
  readonly makespan: number;
  /** Agent type whose capacity makes tasks wait longest from now on. */
  readonly bottleneck: string | null;
  /** Tasks that run or will start, in the order they start. */
  readonly tasks: readonly ScheduledTask[];
  /**
   * Tasks that cannot start as things stand: of paused items, or of an agent type without places, and what waits for
   * them.
   */
  readonly blocked: readonly string[];
}

/** The schedule of what remains (CA-015): asked again when an agent type is lost or a capacity changes. */
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

/** The timetable of a plan on an undisturbed run: no retry, no pause, every barrier waits for all items. */
export function schedule(plan: Plan): Schedule {
  const index = planIndexOf(plan);
  const slots = simulate(index, { done: [], running: [], standings: [], capacity: plan.capacity });
  assert(slots.length === plan.tasks.length, 'every task of a plan without circles gets its time');

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
 * Runs the plan in no time: start what can, go on to the next completion, until nothing runs. In the order of starts.
 */
function simulate(index: PlanIndex, position: PlanProgress): readonly Slot[] {
  const dispatcher = new Dispatcher(index, position);
  const slots: Slot[] = [];
  const running: Slot[] = []; // the next to end is the last
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

/** A task that is ready starts unless its agent type is at capacity, so every wait counts against that type. */
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
