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

/** Decompositions below a task of a plan (MX-105). */
export const DEPTH_MAX = 3;

/** Bytes of a task with its subtasks: it becomes part of rows and messages. */
const TASK_BYTES_MAX = 24 * 1024;

const { acceptance, files, style } = workContext.shape;

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
  acceptance: acceptance.default([]),
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

export const planDocument = closed({
  name,
  owner: name.optional().describe('The person who is asked where nothing else decides. Default: the sender.'),
  style: style.default(null).describe('The design system or style guide of all tasks with a surface.'),
  tasks: z.array(plannedTask).min(1).max(PLAN_TASKS_MAX),
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

/** The flaws of a plan, with those of its subtasks; `hasEstimates`: whether a port knows missing estimates. */
export function flawsOfPlan({ tasks }: Pick<PlanDocument, 'tasks'>, hasEstimates: boolean): string[] {
  const all = everyTask(tasks);
  const large = tasks.filter((task) => !fits(task, TASK_BYTES_MAX));
  const unknown = hasEstimates ? [] : all.filter((task) => task.minutes === null);
  return [
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
