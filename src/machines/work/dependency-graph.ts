/**
 * Who waits for whom: the graph of a plan's tasks and the questions asked of it. Knows ids, durations and dependencies,
 * nothing of agents, capacities or pauses. Pure. An edge runs in the direction of work: from a task to those that wait
 * for it.
 */
import { DirectedGraph } from 'graphology';
import { topologicalSort } from 'graphology-dag';
import { assert } from '../../assert.ts';

export interface GraphTask {
  readonly id: string;
  /** In the plan's unit, 0 or more. */
  readonly duration: number;
  /** Ids of the tasks this one waits for. Each is in the graph; one named twice counts once. */
  readonly after: readonly string[];
}

export type DependencyGraph = DirectedGraph<{ readonly duration: number }>;

/** Both directions as plain lists: graphology's iterators cost too much for what is asked at every event of a run. */
export interface Links {
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}

/**
 * The order of `tasks` is file order and breaks every tie below. A circle is accepted here and found by {@link
 * findCycle}.
 */
export function buildGraph(tasks: readonly GraphTask[]): DependencyGraph {
  const graph: DependencyGraph = new DirectedGraph();
  for (const { id, duration } of tasks) graph.addNode(id, { duration });
  for (const { id, after } of tasks) {
    for (const dependency of after) graph.mergeDirectedEdge(dependency, id);
  }
  return graph;
}

/** Dependencies and dependents of every task, each list in file order. */
export function linksOf(graph: DependencyGraph): Links {
  const ids = graph.nodes();
  const dependencies = new Map<string, string[]>(ids.map((id) => [id, []]));
  const dependents = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const id of ids) {
    for (const dependent of graph.outNeighbors(id)) dependencies.get(dependent)!.push(id); // every neighbour is a node
  }
  for (const id of ids) {
    for (const dependency of dependencies.get(id)!) dependents.get(dependency)!.push(id);
  }
  return { dependencies, dependents };
}

/**
 * One circle of tasks that wait for each other, whole and closed: `['a', 'b', 'c', 'a']`, where b waits for a. Starts
 * with its first task in file order. `null` where there is none.
 */
export function findCycle(graph: DependencyGraph): readonly string[] | null {
  const tangled = tangledTasks(graph);
  let [at] = tangled;
  if (at === undefined) return null;

  // Every tangled task waits for another one, so walking back along dependencies must come round to a task seen before.
  const seen = new Map<string, number>();
  while (!seen.has(at)) {
    seen.set(at, seen.size);
    const back: string | undefined = graph.inNeighbors(at).find((id) => tangled.has(id));
    assert(back !== undefined, 'a tangled task waits for a tangled task');
    at = back;
  }
  const circle = [...seen.keys()].slice(seen.get(at)).reverse();
  const members = new Set(circle);
  const first = circle.indexOf(graph.findNode((id) => members.has(id))!); // members are nodes
  const start = [...circle.slice(first), ...circle.slice(0, first)];
  return [...start, start[0]!]; // a circle has at least one task
}

/**
 * What is left, in file order, when tasks that wait for nothing are taken away again and again: circles and what hangs
 * between and behind them.
 */
function tangledTasks(graph: DependencyGraph): ReadonlySet<string> {
  const unmet = new Map(graph.mapNodes((id) => [id, graph.inDegree(id)] as const));
  const free = graph.filterNodes((id) => unmet.get(id) === 0);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    unmet.delete(id);
    for (const dependent of graph.outNeighbors(id)) {
      const left = unmet.get(dependent)! - 1; // a dependent stays in the map until its last dependency has left
      unmet.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  return new Set(unmet.keys());
}

/** Every task after all it waits for. The graph has no circle. */
export function topologicalOrder(graph: DependencyGraph): readonly string[] {
  return topologicalSort(graph);
}

/** Per task: the length of the longest path that begins with it, its own duration included. The graph has no circle. */
export function longestRemaining(graph: DependencyGraph): ReadonlyMap<string, number> {
  const remaining = new Map<string, number>();
  for (const id of topologicalOrder(graph).toReversed()) {
    // Last before first: the dependents of this task are known already.
    const behind = graph
      .outNeighbors(id)
      .reduce((longest, dependent) => Math.max(longest, remaining.get(dependent)!), 0);
    remaining.set(id, addTime(graph.getNodeAttribute(id, 'duration'), behind));
  }
  return remaining;
}

/**
 * One longest path, from a task that waits for nothing to one that nothing waits for; ties in file order.
 *
 * @param remaining What {@link longestRemaining} says of the same graph.
 */
export function criticalPath(graph: DependencyGraph, remaining: ReadonlyMap<string, number>): readonly string[] {
  const { dependents } = linksOf(graph);
  const longest = (ids: readonly string[]): string | undefined =>
    ids.reduce<string | undefined>(
      (best, id) => (best === undefined || remaining.get(id)! > remaining.get(best)! ? id : best),
      undefined,
    );

  const path: string[] = [];
  let next = longest(graph.filterNodes((id) => graph.inDegree(id) === 0));
  while (next !== undefined) {
    path.push(next);
    next = longest(dependents.get(next)!);
  }
  return path;
}

/**
 * Everything that waits, directly or through others, for one of `ids`. They themselves only where one waits for
 * another.
 */
export function downstreamOf(graph: DependencyGraph, ids: Iterable<string>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const dependent of graph.outNeighbors(id)) {
      if (reached.has(dependent)) continue;
      reached.add(dependent);
      open.push(dependent);
    }
  }
  return reached;
}

/** Parts of a unit that a time can tell apart. */
const TIME_PARTS = 1_000_000;

/**
 * Sums of decimal fractions drift (0.1 + 0.2); rounded to a millionth of the unit, what ends together ends together.
 */
export function addTime(a: number, b: number): number {
  return Math.round((a + b) * TIME_PARTS) / TIME_PARTS;
}
