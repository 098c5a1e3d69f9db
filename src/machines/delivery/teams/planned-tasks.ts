/**
 * Tasks on their way into the queue (D1): the Planning Team numbers them, registers them with the orchestrator, and
 * hands each to the queue or to the decomposition, as the table of responsibilities says.
 */
import { WORK_DESKS } from '../../work/system-ids.ts';
import { type WorkItem } from '../../work/work-item.ts';
import { offerHandoff } from '../organisation/handoff-messages.ts';
import { criteriaOf, keyOf, type PlannedTask } from '../plans/plan-document.ts';
import { addJob, type TeamTurn } from './team.ts';

/** A task that waits for its estimate, or for the review of its plan. */
export interface PlanningJob {
  readonly item: WorkItem;
  readonly task: PlannedTask;
}
export type PlanningTurn = TeamTurn<PlanningJob>;

/** Facts that the subtasks of a task share with it. */
type Around = Pick<WorkItem, 'parent' | 'depth' | 'owner' | 'priority' | 'dependencies'> &
  Omit<WorkItem['context'], 'files'>;

/** Facts of the tasks of a plan, around which there is no task. */
export const TOP = { parent: null, depth: 0, priority: 2, dependencies: [], acceptance: [] } as const;

/** Numbers and registers tasks beside each other, and plans each of them. */
export function planAll(turn: PlanningTurn, tasks: readonly PlannedTask[], around: Around): void {
  for (const [at, item] of register(turn, tasks, around).entries()) begin(turn, { item, task: tasks[at]! });
}

/** Numbers tasks, and registers them with the orchestrator. */
export function register(turn: PlanningTurn, tasks: readonly PlannedTask[], around: Around): readonly WorkItem[] {
  const first = turn.context.tasks + 1;
  turn.assign({ tasks: turn.context.tasks + tasks.length });
  const ids = new Map(tasks.map((task, at) => [keyOf(task), idOf(first + at)]));
  const items = tasks.map((task, at) => itemOf(task, idOf(first + at), ids, around));
  for (const item of items) turn.send(WORK_DESKS.orchestrator, { type: 'task.planned', item });
  return items;
}

/** Plans a task that is registered, once its estimate is known. */
export function begin(turn: PlanningTurn, { item, task }: PlanningJob): void {
  if (item.minutes === null) addJob(turn, { item, task });
  else plan(turn, item, task.subtasks);
}

/** D1: the table of responsibilities decides whether the queue or the decomposition gets a task. */
export function plan(turn: PlanningTurn, item: WorkItem, subtasks: readonly PlannedTask[]): void {
  const facts = { size: item.minutes ?? NaN, concerns: item.concerns.length, blockers: 0 };
  offerHandoff(turn, { occasion: 'planned', from: 'planning', item, facts, load: { subtasks } });
}

/** The facts that a work item shares with those that are part of it or follow from it. */
export function within({ id: parent, depth, owner, priority, context: { files: _, ...shared } }: WorkItem): Around {
  return { ...shared, parent, depth, owner, priority, dependencies: [] };
}

function idOf(number: number): string {
  return `TASK-${String(number).padStart(3, '0')}`;
}

function itemOf(task: PlannedTask, id: string, ids: ReadonlyMap<string, string>, around: Around): WorkItem {
  const { title, description, kind, minutes, concerns, files, dependsOn } = task;
  const { parent, depth, owner, dependencies, priority, proofs, ...shared } = around;
  const inherited = { acceptance: around.acceptance, ...(proofs !== undefined && { proofs }) };
  return {
    ...{ id, kind, title, description, minutes, concerns, parent, depth, owner, origin: 'planning' },
    // What waits for the whole waits for its parts, and the parts for what the whole waits for.
    dependencies: [...new Set([...dependencies, ...dependsOn.map((key) => ids.get(key)!)])],
    priority: task.priority ?? priority,
    context: {
      ...{ ...shared, files, style: task.style ?? around.style },
      ...(task.acceptance.length > 0 ? criteriaOf(task) : inherited),
    },
  };
}
