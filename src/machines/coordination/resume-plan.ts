/**
 * What a paused item does when it goes on: which of its tasks start again, which are skipped, which are waited for. Pure;
 * the PauseManager keeps the answer in the pause record and the coordinator acts on it. (Spec CA-043..CA-047.)
 */
import { assert } from '../../assert.ts';
import { buildGraph, downstreamOf, type GraphTask, topologicalOrder } from './dependency-graph.ts';
import { itemOf, type Plan } from './plan.ts';

/** What is known of tasks, by id. One that is in none of the lists has not started. */
export interface Checkpoint {
  readonly completed: Iterable<string>;
  readonly running: Iterable<string>;
}

/** Disjoint; together every task of the item. Each list is in an order in which its tasks may run. */
export interface ResumePlan {
  /** To be run, again or for the first time. */
  readonly restart: readonly string[];
  /** Complete, and built on nothing that runs again. */
  readonly skip: readonly string[];
  /** Running, and built on nothing that runs again: to be left alone. */
  readonly wait: readonly string[];
}

/**
 * The resume plan of one item; `null` takes the whole plan, as a plan of tasks does. Barriers have no say: an item that
 * goes on passes them alone, and what others built without it stands.
 *
 * @param failed Tasks that have failed, whatever the checkpoint says of them.
 */
export function createResumePlan(plan: Plan, item: string | null, failed: readonly string[], checkpoint: Checkpoint): ResumePlan {
  const tasks = item === null ? plan.tasks : plan.tasks.filter((task) => itemOf(task) === item);
  assert(tasks.length > 0, 'a resume plan is made for an item of the plan');
  const own = new Set(tasks.map(({ id }) => id));
  return resolveDependencies(
    tasks.map(({ id, duration, after }) => ({ id, duration, after: after.filter((dependency) => own.has(dependency)) })),
    failed.filter((id) => own.has(id)),
    checkpoint,
  );
}

/** The rule itself: what failed or never started runs, and so does everything behind it or behind what is not complete yet. */
export function resolveDependencies(tasks: readonly GraphTask[], failed: readonly string[], checkpoint: Checkpoint): ResumePlan {
  const graph = buildGraph(tasks);
  const again = new Set(failed);
  const completed = new Set([...checkpoint.completed].filter((id) => !again.has(id)));
  const running = new Set([...checkpoint.running].filter((id) => !again.has(id) && !completed.has(id)));

  const incomplete = graph.filterNodes((id) => !completed.has(id));
  const behind = downstreamOf(graph, incomplete);
  const stands = (id: string): boolean => !behind.has(id);

  const order = topologicalOrder(graph);
  const skip = order.filter((id) => stands(id) && completed.has(id));
  const wait = order.filter((id) => stands(id) && running.has(id));
  const kept = new Set([...skip, ...wait]);
  return { restart: order.filter((id) => !kept.has(id)), skip, wait };
}
