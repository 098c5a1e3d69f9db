/**
 * Resume plans (seed 002, CA-043 to CA-047): which tasks of a paused item start again, which are skipped, and which are
 * waited for. Pure; the PauseManager keeps the plan in the pause record and the coordinator acts on it.
 */
import { assert } from '../../../assert.ts';
import { buildGraph, downstreamOf, type GraphTask, topologicalOrder } from '../../work/dependency-graph.ts';
import { type ResumePlan } from '../messages/messages.ts';
import { itemOf } from '../../work/task.ts';
import { type Plan } from '../plan/plan.ts';

/** The known states of tasks, by id. A task that is in no list has not started. */
export interface Checkpoint {
  readonly completed: Iterable<string>;
  readonly running: Iterable<string>;
}

/**
 * The resume plan of one item; `null` stands for the whole plan, in a plan of tasks. Barriers are ignored: a resumed
 * item passes them alone, and work that other items did without it stands.
 *
 * @param failed Failed tasks; this list takes precedence over the checkpoint.
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

/** The rule itself: failed and unstarted tasks run, and so do all dependents of any task that is not complete. */
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
 * Why a given resume plan cannot be carried out; undefined if it can. Every task must occur once, skipped tasks must be
 * complete and independent of restarted ones, and awaited tasks must be running.
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
    return 'every task of the item must be in exactly one of the three lists';
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
