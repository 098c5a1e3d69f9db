/**
 * The plan document (`plan.json`): tasks with their estimates, concerns, criteria and dependencies, and with the
 * subtasks into which large ones break down. Schema and checks; nothing is estimated here. Pure.
 */
import { z } from 'zod';
import { closed } from '../../../closed-object.ts';
import { PLAN_TASKS_MAX } from '../../limits.ts';
import { fits } from '../../rules/value-size.ts';
import { name } from '../../work/message-schema.ts';
import { buildGraph, findCycle } from '../../work/dependency-graph.ts';
import { workContext, workKind, workMinutes, workPriority } from '../../work/work-item.ts';
import { projectType } from './project-kinds.ts';
import { featureFields } from './triage.ts';

/** Decompositions below a task of a plan (MX-105). */
export const DEPTH_MAX = 3;

/** Bytes of a task with its subtasks: it becomes part of rows and messages. */
const TASK_BYTES_MAX = 24 * 1024;

const { files, style, quietMs } = workContext.shape;

const statement = z.string().min(1).max(500);
/** A criterion, with what shows that it is met: a test by its name, or a person who looks. */
const criterion = z.union([
  statement,
  closed({ criterion: statement, test: name }),
  closed({ criterion: statement, check: z.literal('visual') }),
]);

const taskFields = {
  /** The name by which other tasks of the plan depend on it. Default: its title. */
  key: name.optional(),
  title: name,
  description: z.string().max(4_000).default(''),
  kind: workKind.default('feature'),
  minutes: workMinutes
    .nullable()
    .default(null)
    .describe('The estimate. Without one, the port `estimate` has to know it.'),
  concerns: z.array(name).max(20).default([]).describe('The areas it touches: frontend, backend, database.'),
  priority: workPriority.optional().describe('1 is the most urgent. Default: that of the task around it, or 2.'),
  dependsOn: z.array(name).max(100).default([]).describe('Keys or titles of tasks beside it.'),
  acceptance: z.array(criterion).max(20).default([]).describe('Statements that hold when it is done.'),
  feature: name.optional().describe('The id of the feature of the plan to which it belongs.'),
  files: files.default([]),
  style: style.optional(),
};

/** A task of a plan, with the subtasks into which it breaks down. */
export interface PlannedTask extends z.output<z.ZodObject<typeof taskFields>> {
  readonly subtasks: readonly PlannedTask[];
}
/** A task as somebody writes it. */
export interface WrittenTask extends z.input<z.ZodObject<typeof taskFields>> {
  readonly subtasks?: readonly WrittenTask[] | undefined;
}

export const plannedTask: z.ZodType<PlannedTask, WrittenTask> = closed({
  ...taskFields,
  get subtasks() {
    return z.array(plannedTask).max(100).default([]);
  },
});

const choice = z.string().min(1).max(100).optional();

const planFields = closed({
  name,
  owner: name.optional().describe('The person who is asked where nothing else decides. Default: the sender.'),
  style: style.default(null).describe('The design system or style guide of all tasks with a surface.'),
  quietMs: quietMs.describe('Milliseconds without a change of a file before a check. Default: a minute.'),
  projectType: projectType.optional(),
  goal: z.string().min(1).max(500).optional(),
  notes: z.string().max(2_000).optional(),
  backend_mode: z.boolean().default(false).describe('Whether the plan has a backend, whose framework is looked for.'),
  features: z.array(closed(featureFields)).max(100).default([]),
  designChoices: closed({
    ...{ frontend_framework: choice, backend_framework: choice, backend_fallback: choice, database: choice },
    auth_strategy: choice,
  }).default({}),
  tasks: z.array(plannedTask).max(PLAN_TASKS_MAX).default([]),
});

export const planDocument = planFields.refine(({ tasks, features }) => tasks.length + features.length > 0, {
  ...{ path: ['tasks'], message: 'a plan has at least one task, or a feature' },
});
export type PlanDocument = z.output<typeof planDocument>;

/** The key of a task among those beside it. */
export function keyOf({ key, title }: Pick<PlannedTask, 'key' | 'title'>): string {
  return key ?? title;
}

/** The flaws of tasks beside each other: keys that are twice there, dependencies that are not, and cycles. */
export function flawsAmong(tasks: readonly PlannedTask[]): string[] {
  const keys = new Set<string>();
  const flaws: string[] = [];
  for (const task of tasks) {
    if (keys.has(keyOf(task))) flaws.push(`"${keyOf(task)}" is there twice: give one of them another key`);
    keys.add(keyOf(task));
  }
  for (const task of tasks)
    for (const other of task.dependsOn)
      if (!keys.has(other)) flaws.push(`"${keyOf(task)}" depends on "${other}", which is not beside it`);
  if (flaws.length > 0) return flaws;
  const graph = buildGraph(tasks.map((task) => ({ id: keyOf(task), duration: 0, after: task.dependsOn })));
  const cycle = findCycle(graph);
  return cycle === null ? [] : [`tasks wait for each other: ${cycle.join(' -> ')}`];
}

/** The criteria of a task as texts, and the tests that show them; null for those at which a person looks. */
export function criteriaOf({ acceptance }: Pick<PlannedTask, 'acceptance'>) {
  const named = acceptance.filter((one) => typeof one !== 'string');
  const proofs = named.map((one) => ({ criterion: one.criterion, test: 'test' in one ? one.test : null }));
  return {
    acceptance: acceptance.map((one) => (typeof one === 'string' ? one : one.criterion)),
    ...(proofs.length > 0 && { proofs }),
  };
}

/** The tasks of a plan, with one for each feature that has none. */
export function tasksOf({ tasks, features }: Pick<PlanDocument, 'tasks' | 'features'>): readonly PlannedTask[] {
  const byFeature = new Map(features.map((feature) => [feature.id, feature]));
  const own = tasks.map((task) => ({
    ...task,
    ...(task.priority === undefined && { priority: byFeature.get(task.feature ?? '')?.priority }),
  }));
  const bare = features.filter(({ id }) => !tasks.some(({ feature }) => feature === id));
  const made = bare.map(({ id, title, minutes, priority, acceptance }) =>
    plannedTask.parse({ key: `feature ${id}`, title, minutes, acceptance, feature: id, priority }),
  );
  return [...own, ...made];
}

/** The flaws of the features and choices of a plan (MX-085). */
function flawsOfFeatures({ tasks, features, backend_mode, designChoices, projectType: type, goal }: PlanDocument) {
  const ids = features.map(({ id }) => id);
  const twice = ids.filter((id, at) => ids.indexOf(id) < at);
  const lost = everyTask(tasks).filter(({ feature }) => feature !== undefined && !ids.includes(feature));
  const hasChoices = features.length > 0 || backend_mode || Object.keys(designChoices).length > 0;
  const lacking = Object.entries({ projectType: type, goal }).filter(([, value]) => value === undefined);
  return [
    ...(hasChoices || type !== undefined ? lacking.map(([key]) => `a plan with features or choices has a ${key}`) : []),
    ...(backend_mode && designChoices.backend_framework === undefined
      ? ['a plan with backend_mode names its backend_framework in designChoices']
      : []),
    ...twice.map((id) => `the feature "${id}" is there twice`),
    ...lost.map((task) => `"${keyOf(task)}" belongs to the feature "${task.feature}", which the plan does not have`),
  ];
}

/** The flaws of a plan, with those of its subtasks; `hasEstimates`: whether a port knows missing estimates. */
export function flawsOfPlan(plan: PlanDocument, hasEstimates: boolean): string[] {
  const { tasks } = plan;
  const all = everyTask(tasks);
  const large = tasks.filter((task) => !fits(task, TASK_BYTES_MAX));
  const unknown = hasEstimates ? [] : all.filter((task) => task.minutes === null);
  return [
    ...flawsOfFeatures(plan),
    ...flawsAmong(tasks),
    ...all.flatMap(({ subtasks }) => flawsAmong(subtasks)),
    ...unknown.map((task) => `"${keyOf(task)}" has no estimate: give its minutes`),
    ...large.map(
      (task) => `"${keyOf(task)}" has more than ${TASK_BYTES_MAX} bytes with its subtasks: name files instead`,
    ),
    ...(all.length > PLAN_TASKS_MAX ? [`a plan has at most ${PLAN_TASKS_MAX} tasks, subtasks included`] : []),
  ];
}

function everyTask(tasks: readonly PlannedTask[]): PlannedTask[] {
  return tasks.flatMap((task) => [task, ...everyTask(task.subtasks)]);
}
