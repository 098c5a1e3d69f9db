/**
 * What a paused item does when it goes on: which of its tasks start again, which are skipped, which are waited for.
 * Pure; the PauseManager keeps the answer in the pause record and the coordinator acts on it. (Spec CA-043..CA-047.)
 */
import { assert } from '../../../assert.ts';
import { buildGraph, downstreamOf, type GraphTask, topologicalOrder } from '../../work/dependency-graph.ts';
import { type ResumePlan } from '../messages/messages.ts';
import { itemOf } from '../../work/task.ts';
import { type Plan } from '../plan/plan.ts';

/** What is known of tasks, by id. One that is in none of the lists has not started. */
export interface Checkpoint {
  readonly completed: Iterable<string>;
  readonly running: Iterable<string>;
}

/**
 * The resume plan of one item; `null` takes the whole plan, as a plan of tasks does. Barriers have no say: an item that
 * goes on passes them alone, and what others built without it stands.
 *
 * @param failed Tasks that have failed, whatever the checkpoint says of them.
 */
export function createResumePlan(
  plan: Plan,
  item: string | null,
  failed: readonly string[],
  checkpoint: Checkpoint,
): ResumePlan {
  const tasks = item === null ? plan.tasks : plan.tasks.filter((task) => itemOf(task) === item);
  assert(tasks.length > 0, 'a resume plan is made for an item of the plan');
  const own = new Set(tasks.map(({ id }) => id));
  return resolveDependencies(
    tasks.map(({ id, duration, after }) => ({
      id,
      duration,
      after: after.filter((dependency) => own.has(dependency)),
    })),
    failed.filter((id) => own.has(id)),
    checkpoint,
  );
}

/**
 * The rule itself: what failed or never started runs, and so does everything behind it or behind what is not complete
 * yet.
 */
export function resolveDependencies(
  tasks: readonly GraphTask[],
  failed: readonly string[],
  checkpoint: Checkpoint,
): ResumePlan {
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

/**
 * Why a plan made by somebody else cannot be carried out; undefined where it can: every task once, nothing skipped that
 * is not complete or waits for what runs again, nothing waited for that does not run.
 */
export function flawOfPlan(
  given: ResumePlan,
  tasks: readonly GraphTask[],
  failed: readonly string[],
  checkpoint: Checkpoint,
): string | undefined {
  const listed = [...given.restart, ...given.skip, ...given.wait];
  const ids = new Set(tasks.map(({ id }) => id));
  const stranger = listed.find((id) => !ids.has(id));
  if (stranger !== undefined) return `${stranger} is no task of the item`;
  if (new Set(listed).size !== ids.size || listed.length !== ids.size)
    return 'every task of the item is in one of the three lists, and in one only';
  const completed = new Set([...checkpoint.completed].filter((id) => !failed.includes(id)));
  const undone = given.skip.find((id) => !completed.has(id));
  if (undone !== undefined) return `${undone} is not complete and cannot be skipped`;
  const running = new Set(checkpoint.running);
  const idle = given.wait.find((id) => !running.has(id));
  if (idle !== undefined) return `${idle} does not run and cannot be waited for`;
  const behind = downstreamOf(buildGraph(tasks), given.restart);
  const built = [...given.skip, ...given.wait].find((id) => behind.has(id));
  return built === undefined ? undefined : `${built} waits for a task that runs again`;
}
