/**
 * The dependency graph of a plan's tasks and queries on it. It knows ids, durations and dependencies, nothing of
 * agents, capacities or pauses. Pure. An edge points in the direction of work: from a task to its dependents.
 */
import { DirectedGraph } from 'graphology';
import { topologicalSort } from 'graphology-dag';
import { assert } from '../../assert.ts';

export interface GraphTask {
  readonly id: string;
  /** Duration in the plan's unit, 0 or more. */
  readonly duration: number;
  /** Ids of the dependencies. Each is in the graph; an id named twice counts once. */
  readonly after: readonly string[];
}

export type DependencyGraph = DirectedGraph<{ readonly duration: number }>;

/**
 * Dependencies and dependents as plain lists: graphology's iterators are too slow for queries at every event of a run.
 */
export interface Links {
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  readonly dependents: ReadonlyMap<string, readonly string[]>;
}

/**
 * Builds the graph. The order of `tasks` is file order and breaks every tie below. A cycle is accepted here and found
 * by {@link findCycle}.
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
 * One complete, closed cycle of dependencies: `['a', 'b', 'c', 'a']`, where b waits for a. Starts with its first task
 * in file order; null if there is no cycle.
 */
export function findCycle(graph: DependencyGraph): readonly string[] | null {
  const tangled = tangledTasks(graph);
  let [at] = tangled;
  if (at === undefined) return null;

  // Every tangled task waits for another one, so walking back along dependencies must return to a visited task.
  const seen = new Map<string, number>();
  while (!seen.has(at)) {
    seen.set(at, seen.size);
    const back: string | undefined = graph.inNeighbors(at).find((id) => tangled.has(id));
    assert(back !== undefined, 'a tangled task waits for a tangled task');
    at = back;
  }
  const circle = [...seen.keys()].slice(seen.get(at)).reverse();
  const members = new Set(circle);
  const first = circle.indexOf(graph.findNode((id) => members.has(id))!); // every member is a node
  const start = [...circle.slice(first), ...circle.slice(0, first)];
  return [...start, start[0]!]; // a circle has at least one task
}

/**
 * Tasks that remain, in file order, after repeatedly removing tasks without dependencies: cycles, and all tasks between
 * and behind them.
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

/** Task ids, each after its dependencies. The graph must have no cycle. */
export function topologicalOrder(graph: DependencyGraph): readonly string[] {
  return topologicalSort(graph);
}

/**
 * The length of the longest path that begins with each task, its own duration included. The graph must have no cycle.
 */
export function longestRemaining(graph: DependencyGraph): ReadonlyMap<string, number> {
  const remaining = new Map<string, number>();
  for (const id of topologicalOrder(graph).toReversed()) {
    // In reverse order, so that the dependents of each task are known already.
    const behind = graph
      .outNeighbors(id)
      .reduce((longest, dependent) => Math.max(longest, remaining.get(dependent)!), 0);
    remaining.set(id, addTime(graph.getNodeAttribute(id, 'duration'), behind));
  }
  return remaining;
}

/**
 * One longest path from a task without dependencies to one without dependents; ties are broken by file order.
 *
 * @param remaining The result of {@link longestRemaining} for the same graph.
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

/** All direct and indirect dependents of `ids`. One of `ids` is included only if it depends on another one. */
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

/** Number of parts of a unit that times distinguish. */
const TIME_PARTS = 1_000_000;

/**
 * Adds two times, rounded to a millionth of the unit: sums of decimal fractions drift (0.1 + 0.2), and simultaneous
 * ends must compare equal.
 */
export function addTime(a: number, b: number): number {
  return Math.round((a + b) * TIME_PARTS) / TIME_PARTS;
}
