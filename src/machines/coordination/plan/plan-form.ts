/** The file form of a plan, as people write it, as a zod schema. Pure; plan.ts interprets it. */
import { z } from 'zod';
import { ADDRESS_SEGMENT_CHARS_MAX } from '../../../limits.ts';
import { CONTEXT_DIMENSIONS_MAX } from '../credibility/context-match.ts';
import { HALF_LIFE_YEARS } from '../credibility/credibility.ts';
import { regimeList } from '../credibility/regime.ts';
import { riskOrder } from '../debates/conservative-default.ts';
import { DEBATE_URGENCIES } from '../debates/routing.ts';
import { packName } from '../packs.ts';
import { closed } from '../../../closed-object.ts';
import { askedInPlan } from './person-stage.ts';
import { stageGate } from './stage-gate.ts';

const SEGMENT = `(?!__proto__(?:/|$))[A-Za-z0-9_.:@+~-]{1,${ADDRESS_SEGMENT_CHARS_MAX}}`;
const NAME_RULE = `must be 1 to ${ADDRESS_SEGMENT_CHARS_MAX} letters, digits or -_.:@+~`;

/** The schema of one address segment. Tasks become actors, so their names must be such segments. */
const name = z.string().regex(new RegExp(`^${SEGMENT}$`), NAME_RULE);
const taskId = z
  .string()
  .regex(new RegExp(`^${SEGMENT}(?:/${SEGMENT}){0,3}$`), `${NAME_RULE}, in at most 4 parts joined by "/"`);
const line = z.string().regex(/^[^\p{Cc}]{1,200}$/u, 'must be one line of 1 to 200 characters');

const backoff = closed({
  minMs: z.int().min(0).default(1_000).describe('Wait before the second attempt, in milliseconds.'),
  maxMs: z.int().min(0).default(60_000).describe('The longest wait between two attempts, in milliseconds.'),
  factor: z
    .number()
    .min(1)
    .max(100)
    .default(2)
    .describe('The factor by which each wait is longer than the previous one.'),
}).refine(({ minMs, maxMs }) => minMs <= maxMs, { error: 'minMs is above maxMs' });

/** The retries of a task. */
export const retrySchema = closed({
  attempts: z.int().min(1).max(1_000).default(3).describe('The number of attempts, the first one included.'),
  backoff: backoff.prefault({}).describe('Waits between attempts.'),
});

/** Fields shared by stages and tasks. */
const work = {
  duration: z
    .number()
    .min(0)
    .max(1e12)
    .default(1)
    .describe("The expected duration, in the plan's unit. Only the schedule uses it."),
  retry: retrySchema.prefault({}).describe('The retries after a failure.'),
  timeoutMs: z
    .int()
    .min(1)
    .optional()
    .describe('The time limit of one attempt, in milliseconds. Without it there is no limit.'),
  task: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe('With "agent: auto": the work in words, by which the agent is chosen.'),
};

const stage = closed({
  agent: name
    .optional()
    .describe(
      'The agent type that does this stage for each item; "auto" to have one chosen by "task". Optional with "ask": ' +
        'the type is then "person".',
    ),
  ask: askedInPlan.optional(),
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
  id: taskId.describe('The name of the task, unique in the plan.'),
  agent: name
    .optional()
    .describe(
      'The agent type that does the task; "auto" to have one chosen by "task". Optional with "run" and with "ask": ' +
        'the type is then "run" or "person".',
    ),
  ask: askedInPlan.optional(),
  ...work,
  after: z.array(taskId).default([]).describe('Tasks that must be complete before this one starts.'),
  input: z.unknown().optional().describe('The input of the task: any data.'),
  run: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A shell command that does the task instead of an agent. Input arrives as JSON on stdin; exit code 0 is success.',
    ),
  background: z
    .enum(['end', 'keep'])
    .optional()
    .describe(
      'What becomes of processes that a command leaves in the background when it has succeeded. "end", the default: ' +
        'they are ended with it. "keep": they run on until Bosun stops or the task starts again.',
    ),
}).describe('One task.');

const agentType = closed({
  subtasks: z
    .record(name, z.number().positive())
    .default({})
    .describe('The subtasks in their order, each with its expected minutes.'),
  halfLifeYears: z
    .number()
    .positive()
    .default(HALF_LIFE_YEARS)
    .describe('The half-life of its track record, in years.'),
}).describe('One agent type.');

const measure = closed({
  threshold: z.number().min(0).describe('The change above which dependent work runs again.'),
  of: z
    .enum(['share', 'points'])
    .default('points')
    .describe('The form of the threshold: a share of the old value, or points of its own unit.'),
}).describe('One measure.');

const items = z.union([
  z.array(name).min(1).describe('The names of the items.'),
  z.record(name, z.unknown()).describe('The items by name, each with its input: any data.'),
]);

/** The schema of plan files, version 1. `normalisePlan` checks the rules that a schema cannot express. */
export const planFileSchema = closed({
  $schema: z.string().optional().describe('For editors: where this schema is. Bosun does not read it.'),
  version: z.literal(1).describe('The version of this format.'),
  plan: line.describe('The name of the plan.'),
  unit: line.default('units').describe('The unit of durations, for example minutes.'),
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
    .array(line.regex(/^(?!__(?:proto|keys)__$)/, 'is not a valid name for an expert'))
    .max(100)
    .default([])
    .describe('The people who decide disputes that agents cannot settle, and who review provisional decisions.'),
  reviewers: z
    .array(line)
    .max(100)
    .default([])
    .describe('The people who review provisional decisions. Default: the experts.'),
  formula: z.enum(['product', 'normalised']).default('product').describe('The formula for the credibility of agents.'),
  pack: packName
    .optional()
    .describe(
      'The vocabulary of a field of work: its agent types, measures, priorities, risk orders, regimes, dimensions of ' +
        'contexts and titles of gates.',
    ),
  agentTypes: z.record(name, agentType).default({}).describe('Agent types, in addition to those of the pack.'),
  measures: z
    .record(name, measure)
    .default({})
    .describe('The change of a figure above which work that depends on it runs again.'),
  priorities: z
    .record(name, z.enum(DEBATE_URGENCIES))
    .default({})
    .describe('Names of priorities of debates, and how urgent each is.'),
  riskOrders: z.record(name, riskOrder).default({}).describe('Which of two values is cautious, by kind of value.'),
  regimes: regimeList
    .optional()
    .describe('Regimes of the outside world, in place of those of the pack: the first whose bounds hold counts.'),
  contextDimensions: z
    .array(name)
    .min(1)
    .max(CONTEXT_DIMENSIONS_MAX)
    .optional()
    .describe('The dimensions that the context of a debate may have, in place of those of the pack.'),
  stages: z
    .record(name, stage)
    .optional()
    .describe('The stages of every item, by name. Needs "items"; excludes "tasks".'),
  items: items.optional().describe('The items that run through the stages.'),
  tasks: z.array(task).optional().describe('The tasks one by one, instead of "stages" and "items".'),
}).meta({
  $id: 'urn:bosun:plan:1',
  title: 'Bosun plan',
  description: 'A plan of work for `bosun run` and `bosun schedule`, in YAML or JSON.',
  oneOf: [{ required: ['stages', 'items'] }, { required: ['tasks'] }],
});

/** A parsed plan file. */
export type PlanFile = z.output<typeof planFileSchema>;
