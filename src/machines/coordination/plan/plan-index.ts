/**
 * The index of a plan, derived once: the dependencies, barriers as joins among them, and the ranking of tasks. Pure.
 */
import {
  addTime,
  buildGraph,
  criticalPath,
  type GraphTask,
  linksOf,
  type Links,
  longestRemaining,
  topologicalOrder,
} from '../../work/dependency-graph.ts';
import { itemOf } from '../../work/task.ts';
import { type Plan, type PlanTask } from './plan.ts';

export interface PlanIndex {
  /**
   * Dependencies among tasks and joins. A join stands for several stages of every item; without joins, a barrier of n
   * items would need n * n edges.
   */
  readonly links: Links;
  /** Tasks and joins in topological order. */
  readonly order: readonly string[];
  readonly criticalPath: readonly string[];
  /** All tasks by preference, the best first, and their ranks by id. Joins have none. */
  readonly byRank: readonly PlanTask[];
  readonly rank: ReadonlyMap<string, number>;
  /** Tasks by item, in file order. */
  readonly byItem: ReadonlyMap<string, readonly PlanTask[]>;
}

/**
 * Indexes by plan. They are kept because a plan never changes (plan.ts) and the coordinator needs its index at every
 * event.
 */
const indices = new WeakMap<Plan, PlanIndex>();

export function planIndexOf(plan: Plan): PlanIndex {
  const known = indices.get(plan);
  if (known !== undefined) return known;

  const graph = buildGraph(withJoins(plan.tasks));
  const remaining = longestRemaining(graph);
  const path = criticalPath(graph, remaining);
  const critical = new Set(path);
  const links = linksOf(graph);
  const opened = workOpened(plan.tasks, links);
  const byRank = plan.tasks.toSorted(
    (a, b) =>
      Number(critical.has(b.id)) - Number(critical.has(a.id)) ||
      remaining.get(b.id)! - remaining.get(a.id)! || // every task is in the graph
      opened.get(b.id)! - opened.get(a.id)!, // the sort is stable
  );
  const rank = new Map(byRank.map(({ id }, index) => [id, index]));
  const index: PlanIndex = {
    links,
    order: topologicalOrder(graph),
    criticalPath: path.filter((id) => rank.has(id)),
    byRank,
    rank,
    byItem: grouped(plan.tasks, itemOf),
  };
  indices.set(plan, index);
  return index;
}

/** The task with that id; undefined for a join and for an unknown id. */
export function taskOf({ rank, byRank }: PlanIndex, id: string): PlanTask | undefined {
  const place = rank.get(id);
  return place === undefined ? undefined : byRank[place];
}

/** Steps that the choice between equal tasks looks ahead (CA-015). */
const LOOK_AHEAD_SLOTS = 3;

/**
 * The work within the next three steps after each task, counted once for each path to it. Among tasks with equally long
 * paths the one that opens more work goes first, so that other agent types are not left without work. Barriers end the
 * search, because no single task opens one.
 */
function workOpened(tasks: readonly PlanTask[], { dependents }: Links): ReadonlyMap<string, number> {
  const durations = new Map(tasks.map(({ id, duration }) => [id, duration]));
  let opened: ReadonlyMap<string, number> = new Map(tasks.map(({ id }) => [id, 0]));
  for (let step = 0; step < LOOK_AHEAD_SLOTS; step += 1) {
    const nearer = opened;
    const through = (sum: number, id: string): number => addTime(sum, (durations.get(id) ?? 0) + (nearer.get(id) ?? 0));
    opened = new Map(tasks.map(({ id }) => [id, dependents.get(id)!.reduce(through, 0)]));
  }
  return opened;
}

/**
 * The tasks with joins added; tasks at a barrier depend on a join. The ids of joins are unique, because no id of a task
 * contains a `*`.
 */
function withJoins(tasks: readonly PlanTask[]): readonly GraphTask[] {
  const ofStage = grouped(tasks, ({ stage }) => stage);
  const joins = new Map<string, GraphTask>();
  const waiting = tasks.map((task): GraphTask => {
    if (task.barrier === false) return task;
    const id = `*/${task.stage}`;
    if (!joins.has(id))
      joins.set(id, {
        id,
        duration: 0,
        after: task.barrier.flatMap((stage) => (ofStage.get(stage) ?? []).map((other) => other.id)),
      });
    return { id: task.id, duration: task.duration, after: [...task.after, id] };
  });
  return [...waiting, ...joins.values()];
}

function grouped<Key>(
  tasks: readonly PlanTask[],
  keyOf: (task: PlanTask) => Key,
): ReadonlyMap<Key, readonly PlanTask[]> {
  const groups = new Map<Key, PlanTask[]>();
  for (const task of tasks) {
    const key = keyOf(task);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [task]);
    else group.push(task);
  }
  return groups;
}
