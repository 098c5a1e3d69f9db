/**
 * The normalised form of a plan, with one entry per task, which the crew works with. Checks rules that a schema cannot
 * express (names that must exist, cycles). Pure; the form that people write is in plan-form.ts, and
 * src/cli/files/plan-file.ts reads it.
 */
import { type Subtask } from '../../work/checkpoints.ts';
import { addTime, buildGraph, findCycle } from '../../work/dependency-graph.ts';
import { didYouMean } from '../../../near-names.ts';
import { withCapacities } from '../coordinator/agent-registry.ts';
import { type CredibilityFormula } from '../credibility/credibility.ts';
import { inFormOf, type Pack, packOf, PACKS } from '../packs.ts';
import { type Task } from '../../work/task.ts';
import { type PlanFile, planFileSchema } from './plan-form.ts';
import { doerProblem, PERSON, questionFor } from './person-stage.ts';
import { gateInFormOf, type StageGate, stageGateOf } from './stage-gate.ts';

/** Maximum number of tasks of one plan, items times stages. Its schedule and its run fit easily into memory. */
export const PLAN_TASKS_MAX = 100_000;

/** Problems reported per plan. More would bury the first one, which often causes the others. */
export const PROBLEMS_MAX = 20;

type Stages = NonNullable<PlanFile['stages']>;
type Tasks = NonNullable<PlanFile['tasks']>;

/** A task of a plan. */
export interface PlanTask extends Task {
  /** Duration in the plan's unit: 0 or more, a multiple of a millionth. */
  readonly duration: number;
  /** Ids of the dependencies, each once. */
  readonly after: readonly string[];
  /**
   * The stages that the task waits for in every item that is neither paused nor failed; false if it waits for its own
   * item only.
   */
  readonly barrier: readonly string[] | false;
  /**
   * The gate after the task, which people decide before anything else of its item starts. Left out if there is none.
   */
  readonly gate?: StageGate;
  /** The text by which the agent is chosen. Left out if the plan names the agent. */
  readonly wanted?: string;
  /** The choice of the agent. Left out before it is made, and if the plan names the agent. */
  readonly chosen?: Chosen;
}

/** Why an agent was chosen for a task. */
export interface Chosen {
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
  readonly alternatives: readonly { readonly agentId: string; readonly confidence: number }[];
}

/** The agent type of tasks whose agent is chosen by their text. */
export const AUTO = 'auto';

/** The normalised form: plain data that never changes, so derived data stays valid. */
export interface Plan {
  readonly name: string;
  readonly unit: string;
  readonly capacity: Readonly<Record<string, number>>;
  /** Tasks in file order: item by item, the stages of each in the order of the file. */
  readonly tasks: readonly PlanTask[];
  /** Names of people. Left out if the file names none. */
  readonly experts?: readonly string[];
  readonly reviewers?: readonly string[];
  /** The formula of credibility. Left out if it is the default. */
  readonly formula?: CredibilityFormula;
  /** The pack of its field of work, merged with the file's own declarations; left out if empty. */
  readonly pack?: Pack;
}

/**
 * A problem of a plan and its path: `['stages', 'report', 'after', 0]`. A missing value is reported at the path that it
 * would have.
 */
export interface PlanProblem {
  readonly path: readonly (string | number)[];
  /** `key` if the last key of the path is wrong rather than its value. */
  readonly at?: 'key';
  readonly message: string;
}

/** The subtasks of an agent type (CA-038); empty if none are declared. */
export function subtasksOf({ pack }: Plan, agentType: string): readonly Subtask[] {
  return pack?.agentTypes[agentType]?.subtasks ?? [];
}

/** How many tasks of an agent type may run at once; Infinity if the plan sets no limit. */
export function capacityOf(capacity: Plan['capacity'], agent: string): number {
  return Object.hasOwn(capacity, agent) ? capacity[agent]! : Infinity;
}

type Normalised = { readonly plan: Plan } | { readonly problems: readonly PlanProblem[] };

/**
 * Normalises a plan as written, or returns its problems: at most 20, in the order of the file. Items in a map follow
 * the key order of a JavaScript object, in which integer names come first.
 */
export function normalisePlan(written: unknown): Normalised {
  const { data, error } = planFileSchema.safeParse(written);
  if (data !== undefined) return planOfForm(data);
  return {
    problems: error.issues.slice(0, PROBLEMS_MAX).map(({ path, message }) => ({ path: path.map(keyOf), message })),
  };
}

function keyOf(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

/** Normalises a plan that its schema has parsed. */
export function planOfForm(file: PlanFile): Normalised {
  const { stages, tasks } = file;
  const items = itemInputs(file.items);
  const problems = [
    ...formProblems(file),
    ...stageProblems(stages ?? {}, items),
    ...taskProblems(tasks ?? []),
    ...doerProblems(file),
    ...autoProblems(file),
  ];
  if (problems.length > 0) return { problems: problems.slice(0, PROBLEMS_MAX) };
  const planned =
    stages === undefined ? (tasks ?? []).map(listedTask) : items.flatMap((item) => stagedTasks(file, stages, item));
  const { plan: title, unit, capacity, experts, reviewers, formula } = file;
  const pack = packOf(file);
  const plan: Plan = {
    name: title,
    unit,
    capacity,
    tasks: planned,
    // Absent keys keep a plan without these fields equal to one of an older form.
    ...(experts.length > 0 && { experts }),
    ...(reviewers.length > 0 && { reviewers }),
    ...(formula !== 'product' && { formula }),
    ...(pack !== undefined && { pack }),
  };
  return { plan: withCapacities(plan, pack?.agentTypes ?? {}) };
}

/** Problems for agent types of tasks that are not among `names`, each at its first occurrence. */
export function checkAgents(plan: Plan, names: readonly string[]): readonly PlanProblem[] {
  const known = new Set(names);
  const problems: PlanProblem[] = [];
  for (const [index, { run, ask, agent, stage }] of plan.tasks.entries()) {
    if (run !== null || ask !== undefined || known.has(agent)) continue;
    known.add(agent); // reported once
    const path = pathOf({ stage }, index, 'agent');
    problems.push({ path, message: `unknown agent "${agent}"${didYouMean(agent, names)}` });
  }
  return problems;
}

/** The path of a task's field in the form that people write. */
export function pathOf({ stage }: Pick<PlanTask, 'stage'>, index: number, field: string): PlanProblem['path'] {
  return stage === null ? ['tasks', index, field] : ['stages', stage, field];
}

type ItemInput = readonly [item: string, input: unknown];

/** Problems of work that nobody does, or several. */
function doerProblems({ stages = {}, tasks = [] }: PlanFile): PlanProblem[] {
  const problems = [
    ...Object.entries(stages).map(([id, stage]) => [['stages', id], doerProblem('stage', stage)] as const),
    ...tasks.map((task, index) => [['tasks', index], doerProblem('task', task)] as const),
  ];
  return problems.flatMap(([path, problem]) =>
    problem === undefined ? [] : [{ path: [...path, problem[0]], message: problem[1] }],
  );
}

/** Problems of chosen agents: one without a text, a text without "agent: auto", or one for a command. */
function autoProblems({ stages = {}, tasks = [] }: PlanFile): PlanProblem[] {
  const all = [
    ...Object.entries(stages).map(([id, stage]) => [['stages', id], stage] as const),
    ...tasks.map((one, index) => [['tasks', index], one] as const),
  ];
  return all.flatMap(([path, { agent, task, ...rest }]) => {
    if (agent === AUTO && 'run' in rest && rest.run !== undefined)
      return [
        { path: [...path, 'agent'], message: 'a command to "run" does its task itself: no agent is chosen for it' },
      ];
    if (agent === AUTO && task === undefined)
      return [
        { path: [...path, 'task'], message: 'is missing: say in words what is to be done, to have an agent chosen' },
      ];
    if (agent !== AUTO && task !== undefined)
      return [{ path: [...path, 'task'], message: `belongs to "agent: ${AUTO}"; a named agent needs no text` }];
    return [];
  });
}

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

/**
 * Problems among stages. Items repeat the stages, so a cycle among tasks is a cycle among stages, barriers included.
 */
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
  const commandless = tasks.flatMap(({ run, background }, index) =>
    background !== undefined && run === undefined
      ? [{ path: ['tasks', index, 'background'], message: '"background" belongs to a command to "run"' }]
      : [],
  );
  return [...doubles, ...commandless, ...(doubles.length > 0 ? [] : dependencyProblems(nodes, 'task'))];
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
  const start = nodes.find(({ id }) => id === cycle[0])!; // every member of a cycle is a node
  return [{ path: [...start.path, 'after'], message: `these ${noun}s wait for each other: ${cycle.join(' -> ')}` }];
}

function stagedTasks({ pack }: PlanFile, stages: Stages, [item, input]: ItemInput): PlanTask[] {
  const words = pack && PACKS[pack].gates;
  return Object.entries(stages).map(
    ([stage, { agent, ask, duration, after, retry, timeoutMs, barrier, gate, task }]) => {
      const waitsFor = [...new Set(after)];
      return {
        id: `${item}/${stage}`,
        item,
        stage,
        agent: agent ?? PERSON,
        duration: addTime(duration, 0),
        after: waitsFor.map((other) => `${item}/${other}`),
        input,
        run: null,
        retry,
        timeoutMs: timeoutMs ?? null,
        barrier: barrier && waitsFor.length > 0 ? waitsFor : false,
        // An absent key keeps plans without gates equal to those in older stores.
        ...(gate !== undefined && { gate: stageGateOf(gate, words) }),
        ...(ask !== undefined && { ask: questionFor(ask, item) }),
        ...(task !== undefined && { wanted: task }),
      };
    },
  );
}

function listedTask(task: Tasks[number]): PlanTask {
  const { id, agent, ask, duration, after, input, run, background, retry, timeoutMs, task: wanted } = task;
  return {
    id,
    item: null,
    stage: null,
    agent: agent ?? (ask === undefined ? 'run' : PERSON),
    duration: addTime(duration, 0),
    after: [...new Set(after)],
    input: input ?? null,
    run: run ?? null,
    retry,
    timeoutMs: timeoutMs ?? null,
    barrier: false,
    // An absent key keeps a plan equal to those in older stores.
    ...(background === 'keep' && { background }),
    ...(ask !== undefined && { ask: questionFor(ask, id) }),
    ...(wanted !== undefined && { wanted }),
  };
}

/** Differences listed in full; the others are only counted. */
const DIFFERENCES_MAX = 5;

/**
 * The differences between two plans, in both directions, as sentences without a full stop. Empty if the plans are
 * equivalent.
 */
export function comparePlans(held: Plan, given: Plan): readonly string[] {
  const pack = inFormOf(held.pack, given.pack);
  const differences = [
    ...changed('the plan', held, { ...given, pack }, ['name', 'unit', 'experts', 'reviewers', 'formula', 'pack']),
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
    if (known === undefined) return [`the task ${task.id} is new`];
    const gate = gateInFormOf(known.gate, task.gate);
    return changed(`the task ${task.id}`, known, { ...task, ...(gate !== undefined && { gate }) });
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

/** JSON with sorted keys, extended by the numbers that JSON lacks. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
  }
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'none');
}
