/**
 * What a plan is: the file form that people write, as a zod schema, and the normalised form that the crew works with,
 * one task per line. Checks what a schema cannot see (names that must exist, circles). Pure; src/cli/plan-file.ts reads
 * the file.
 */
import { z } from 'zod';
import { ADDRESS_SEGMENT_CHARS_MAX } from '../../../limits.ts';
import { addTime, buildGraph, findCycle } from '../../work/dependency-graph.ts';
import { didYouMean } from '../../../near-names.ts';
import { type Task } from '../../work/task.ts';
import { closed } from './closed-object.ts';
import { type StageGate, stageGate } from './stage-gate.ts';

/** Tasks of one plan, items times stages: what a schedule and a run hold in memory with ease. */
export const PLAN_TASKS_MAX = 100_000;

/** Problems of one plan that are looked for. More would bury the first one, which is often the cause of the others. */
export const PROBLEMS_MAX = 20;

const SEGMENT = `(?!__proto__(?:/|$))[A-Za-z0-9_.:@+~-]{1,${ADDRESS_SEGMENT_CHARS_MAX}}`;
const NAME_RULE = `must be 1 to ${ADDRESS_SEGMENT_CHARS_MAX} letters, digits or -_.:@+~`;

/** One segment of an address: tasks become actors. */
const name = z.string().regex(new RegExp(`^${SEGMENT}$`), NAME_RULE);
const taskId = z
  .string()
  .regex(new RegExp(`^${SEGMENT}(?:/${SEGMENT}){0,3}$`), `${NAME_RULE}, in at most 4 parts joined by "/"`);
const line = z.string().regex(/^[^\p{Cc}]{1,200}$/u, 'must be one line of 1 to 200 characters');

const backoff = closed({
  minMs: z.int().min(0).default(1_000).describe('Wait before the second attempt, in milliseconds.'),
  maxMs: z.int().min(0).default(60_000).describe('The longest wait between two attempts, in milliseconds.'),
  factor: z.number().min(1).max(100).default(2).describe('How much longer each wait is than the one before.'),
}).refine(({ minMs, maxMs }) => minMs <= maxMs, { error: 'minMs is above maxMs' });

const retry = closed({
  attempts: z
    .int()
    .min(1)
    .max(1_000)
    .default(3)
    .describe('How often the task is tried in all, the first time included.'),
  backoff: backoff.prefault({}).describe('Waits between attempts.'),
});

/** Shared by stages and tasks. */
const work = {
  duration: z
    .number()
    .min(0)
    .max(1e12)
    .default(1)
    .describe("How long it is expected to take, in the plan's unit. For the schedule, not for the clock."),
  retry: retry.prefault({}).describe('What happens when it fails.'),
  timeoutMs: z
    .int()
    .min(1)
    .optional()
    .describe('One attempt that takes longer has failed, in milliseconds. Without it there is no limit.'),
};

const stage = closed({
  agent: name.describe('The agent type that does this stage for each item.'),
  ...work,
  after: z.array(name).default([]).describe('Stages of the same item that must be complete before this one starts.'),
  gate: stageGate.optional(),
  barrier: z
    .boolean()
    .default(false)
    .describe(
      'Wait for the stages in "after" of every item that is neither paused nor failed. A resumed item passes alone.',
    ),
}).describe('One stage of every item.');

const task = closed({
  id: taskId.describe('The name of the task, once in the plan.'),
  agent: name
    .optional()
    .describe('The agent type that does it. May be left out where "run" is given; the type is then "run".'),
  ...work,
  after: z.array(taskId).default([]).describe('Tasks that must be complete before this one starts.'),
  input: z.unknown().optional().describe('What the task is given: any data.'),
  run: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A shell command that does the task instead of an agent. Input arrives as JSON on stdin; exit code 0 is success.',
    ),
}).describe('One task.');

const items = z.union([
  z.array(name).min(1).describe('The names of the items.'),
  z.record(name, z.unknown()).describe('The items by name, each with its input: any data.'),
]);

/** The file form, version 1. {@link normalisePlan} checks what it cannot express. */
export const planFileSchema = closed({
  $schema: z.string().optional().describe('For editors: where this schema is. Bosun does not read it.'),
  version: z.literal(1).describe('The version of this format.'),
  plan: line.describe('The name of the plan.'),
  unit: line.default('units').describe('What durations count, for example minutes.'),
  capacity: z
    .record(name, z.int().min(1))
    .default({})
    .describe('How many tasks of an agent type may run at once. A type that is not named here is not limited.'),
  agents: z
    .string()
    .min(1)
    .optional()
    .describe('The module with the agents, relative to the plan: per type an XState machine or an async function.'),
  experts: z
    .array(line)
    .max(100)
    .default([])
    .describe(
      'Who decides what agents cannot settle among themselves, and reviews what was decided for the time being.',
    ),
  stages: z
    .record(name, stage)
    .optional()
    .describe('What is done for every item, by name. Needs "items"; excludes "tasks".'),
  items: items.optional().describe('What the stages are done for.'),
  tasks: z.array(task).optional().describe('The tasks one by one, instead of "stages" and "items".'),
}).meta({
  $id: 'urn:bosun:plan:1',
  title: 'Bosun plan',
  description: 'A plan of work for `bosun run` and `bosun schedule`, in YAML or JSON.',
  oneOf: [{ required: ['stages', 'items'] }, { required: ['tasks'] }],
});

export type PlanFile = z.output<typeof planFileSchema>;
type Stages = NonNullable<PlanFile['stages']>;
type Tasks = NonNullable<PlanFile['tasks']>;

export interface PlanTask extends Task {
  /** In the plan's unit, 0 or more, a multiple of a millionth. */
  readonly duration: number;
  /** Ids of the tasks it waits for, each once. */
  readonly after: readonly string[];
  /**
   * The stages it waits for in every item that is neither paused nor failed; false where it waits for its own item
   * only.
   */
  readonly barrier: readonly string[] | false;
  /**
   * What people decide once it is done, before anything else of its item starts. Left out where they decide nothing.
   */
  readonly gate?: StageGate;
}

/** The normalised form: plain data. Nobody changes it, so what was once derived from it stays true. */
export interface Plan {
  readonly name: string;
  readonly unit: string;
  readonly capacity: Readonly<Record<string, number>>;
  /** In file order: item by item, the stages of each in the order of the file. */
  readonly tasks: readonly PlanTask[];
  /** Left out where the file names none. */
  readonly experts?: readonly string[];
}

/**
 * Something wrong with a plan, and where: `['stages', 'report', 'after', 0]`. What is missing has the path it would
 * have.
 */
export interface PlanProblem {
  readonly path: readonly (string | number)[];
  /** Set where the last key of the path is wrong, and not the value under it. */
  readonly at?: 'key';
  readonly message: string;
}

/** How many tasks of an agent type may run at once; Infinity where the plan sets no limit. */
export function capacityOf(capacity: Plan['capacity'], agent: string): number {
  return Object.hasOwn(capacity, agent) ? capacity[agent]! : Infinity;
}

/**
 * Turns the file form into the normalised one, or says what is wrong: at most 20 problems, in the order of the file.
 * Items in a map come in the order of a JavaScript object, in which names that are whole numbers go first.
 */
export function normalisePlan(file: PlanFile): { readonly plan: Plan } | { readonly problems: readonly PlanProblem[] } {
  const { stages, tasks } = file;
  const items = itemInputs(file.items);
  const problems = [...formProblems(file), ...stageProblems(stages ?? {}, items), ...taskProblems(tasks ?? [])];
  if (problems.length > 0) return { problems: problems.slice(0, PROBLEMS_MAX) };
  const planned =
    stages === undefined ? (tasks ?? []).map(listedTask) : items.flatMap((item) => stagedTasks(stages, item));
  const experts = file.experts.length === 0 ? {} : { experts: file.experts };
  return { plan: { name: file.plan, unit: file.unit, capacity: file.capacity, tasks: planned, ...experts } };
}

/** Every agent type that has to do a task and is not among `names`, where it is named first. */
export function checkAgents(plan: Plan, names: readonly string[]): readonly PlanProblem[] {
  const known = new Set(names);
  const problems: PlanProblem[] = [];
  for (const [index, { run, agent, stage }] of plan.tasks.entries()) {
    if (run !== null || known.has(agent)) continue;
    known.add(agent); // said once
    const path = stage === null ? ['tasks', index, 'agent'] : ['stages', stage, 'agent'];
    problems.push({ path, message: `unknown agent "${agent}"${didYouMean(agent, names)}` });
  }
  return problems;
}

type ItemInput = readonly [item: string, input: unknown];

function itemInputs(items: PlanFile['items']): readonly ItemInput[] {
  if (Array.isArray(items)) return items.map((item) => [item, null]);
  return Object.entries(items ?? {}).map(([item, input]) => [item, input ?? null]);
}

function formProblems({ stages, items, tasks }: PlanFile): PlanProblem[] {
  if (stages !== undefined && tasks !== undefined)
    return [{ path: ['tasks'], message: 'a plan has "stages" or "tasks", not both' }];
  if (tasks !== undefined && items !== undefined)
    return [{ path: ['items'], message: '"items" belongs to "stages"; a plan of tasks has none' }];
  if (stages === undefined && tasks === undefined)
    return [{ path: [], message: 'a plan needs "stages" and "items", or "tasks"' }];
  if (stages !== undefined && items === undefined)
    return [{ path: ['items'], message: 'is missing: what are the stages done for?' }];

  const count = tasks?.length ?? itemInputs(items).length * Object.keys(stages ?? {}).length;
  const path = [tasks !== undefined ? 'tasks' : Object.keys(stages ?? {}).length === 0 ? 'stages' : 'items'];
  if (count === 0) return [{ path, message: 'the plan is empty' }];
  if (count > PLAN_TASKS_MAX) return [{ path, message: `the plan has ${count} tasks; ${PLAN_TASKS_MAX} is the limit` }];
  return [];
}

interface Node {
  readonly id: string;
  readonly duration: number;
  readonly after: readonly string[];
  readonly path: PlanProblem['path'];
}

/** Items repeat the stages, so a circle among tasks is a circle among stages, barriers included. */
function stageProblems(stages: Stages, items: readonly ItemInput[]): PlanProblem[] {
  const nodes = Object.entries(stages).map(([id, { duration, after }]) => ({
    id,
    duration,
    after,
    path: ['stages', id],
  }));
  const doubles = repeated(items.map(([item]) => item)).map(({ index, value }) => ({
    path: ['items', index],
    message: `the item "${value}" is named twice`,
  }));
  return [...dependencyProblems(nodes, 'stage'), ...doubles];
}

function taskProblems(tasks: Tasks): PlanProblem[] {
  const nodes = tasks.map(({ id, duration, after }, index) => ({ id, duration, after, path: ['tasks', index] }));
  const doubles = repeated(tasks.map(({ id }) => id)).map(({ index, value, first }) => ({
    path: ['tasks', index, 'id'],
    message: `the id "${value}" is taken by the task number ${first + 1}`,
  }));
  const agentless = tasks.flatMap(({ agent, run }, index) =>
    agent === undefined && run === undefined
      ? [{ path: ['tasks', index, 'agent'], message: 'a task needs an "agent" or a command to "run"' }]
      : [],
  );
  return [...doubles, ...agentless, ...(doubles.length > 0 ? [] : dependencyProblems(nodes, 'task'))];
}

function repeated(values: readonly string[]): { index: number; value: string; first: number }[] {
  const first = new Map<string, number>();
  return values.flatMap((value, index) => {
    const before = first.get(value);
    if (before === undefined) first.set(value, index);
    return before === undefined ? [] : [{ index, value, first: before }];
  });
}

function dependencyProblems(nodes: readonly Node[], noun: 'stage' | 'task'): PlanProblem[] {
  const known = new Set(nodes.map(({ id }) => id));
  const problems: PlanProblem[] = [];
  for (const { after, path } of nodes) {
    for (const [index, id] of after.entries()) {
      if (known.has(id)) continue;
      problems.push({ path: [...path, 'after', index], message: `unknown ${noun} "${id}"${didYouMean(id, known)}` });
      if (problems.length === PROBLEMS_MAX) return problems; // the search for near names is not cheap
    }
  }
  if (problems.length > 0) return problems;

  const cycle = findCycle(buildGraph(nodes));
  if (cycle === null) return [];
  const start = nodes.find(({ id }) => id === cycle[0])!; // a circle is made of nodes
  return [{ path: [...start.path, 'after'], message: `these ${noun}s wait for each other: ${cycle.join(' -> ')}` }];
}

function stagedTasks(stages: Stages, [item, input]: ItemInput): PlanTask[] {
  return Object.entries(stages).map(([stage, { agent, duration, after, retry, timeoutMs, barrier, gate }]) => {
    const waitsFor = [...new Set(after)];
    return {
      id: `${item}/${stage}`,
      item,
      stage,
      agent,
      duration: addTime(duration, 0),
      after: waitsFor.map((other) => `${item}/${other}`),
      input,
      run: null,
      retry,
      timeoutMs: timeoutMs ?? null,
      barrier: barrier && waitsFor.length > 0 ? waitsFor : false,
      // A key that is not there, so that plans without gates are those that older stores hold.
      ...(gate !== undefined && { gate }),
    };
  });
}

function listedTask({ id, agent, duration, after, input, run, retry, timeoutMs }: Tasks[number]): PlanTask {
  return {
    id,
    item: null,
    stage: null,
    agent: agent ?? 'run',
    duration: addTime(duration, 0),
    after: [...new Set(after)],
    input: input ?? null,
    run: run ?? null,
    retry,
    timeoutMs: timeoutMs ?? null,
    barrier: false,
  };
}

/** Differences named before the rest is only counted. */
const DIFFERENCES_MAX = 5;

/**
 * What `given` has that `held` has not, and the other way round, as sentences without a full stop. Empty where both
 * mean the same.
 */
export function comparePlans(held: Plan, given: Plan): readonly string[] {
  const differences = [
    ...changed('the plan', held, given, ['name', 'unit', 'experts']),
    ...changed('the capacity', held.capacity, given.capacity),
    ...taskDifferences(held.tasks, given.tasks),
  ];
  const more = differences.length - DIFFERENCES_MAX;
  return more <= 0
    ? differences
    : [...differences.slice(0, DIFFERENCES_MAX), `and ${more} more ${more === 1 ? 'difference' : 'differences'}`];
}

function taskDifferences(held: readonly PlanTask[], given: readonly PlanTask[]): string[] {
  const before = new Map(held.map((task) => [task.id, task]));
  const now = new Map(given.map((task) => [task.id, task]));
  const gone = held.filter(({ id }) => !now.has(id)).map(({ id }) => `the task ${id} is gone`);
  const rest = given.flatMap((task) => {
    const known = before.get(task.id);
    return known === undefined ? [`the task ${task.id} is new`] : changed(`the task ${task.id}`, known, task);
  });
  const all = [...gone, ...rest];
  const moved = given.findIndex((task, index) => held[index]?.id !== task.id);
  return all.length === 0 && moved >= 0 ? [`the task ${given[moved]!.id} has another place in the order`] : all;
}

/** One sentence per key whose value differs; a key that one side lacks reads as "none". */
function changed(
  what: string,
  held: object,
  given: object,
  keys: Iterable<string> = new Set([...Object.keys(held), ...Object.keys(given)]),
): string[] {
  const before = new Map(Object.entries(held));
  const now = new Map(Object.entries(given));
  return [...keys].flatMap((key) => {
    const [was, is] = [short(before.get(key)), short(now.get(key))];
    if (canonical(before.get(key)) === canonical(now.get(key))) return [];
    return [was === is ? `${what}: ${key} has changed` : `${what}: ${key} is ${is}, was ${was}`];
  });
}

function short(value: unknown): string {
  const text = value === undefined || value === null || value === false ? 'none' : canonical(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** JSON with sorted keys, and with the numbers that JSON lacks. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'none');
}
