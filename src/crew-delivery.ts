/**
 * Procedures by which coding agents get and report tasks, and by which people hand in plans and see the delivery
 * organisation (docs/delivery.md). Each asks the orchestrator or the planning team, which decide, or reads what they
 * keep.
 */
import { z } from 'zod';
import { type DurableReader, procedure, type ProcedureCaller, type Procedures } from './actors/api/procedure.ts';
import { nameOf } from './crew-answer-orders.ts';
import { BosunError } from './errors.ts';
import { type OrganisationContext } from './machines/delivery/organisation/organisation.ts';
import { type DashboardContext } from './machines/delivery/organisation/dashboard.ts';
import { handoffEntry } from './machines/delivery/organisation/handoff-messages.ts';
import { GATES } from './machines/delivery/organisation/delivery-gates.ts';
import { DECISIONS, TEAM_IDS, type TeamId, TEAMS } from './machines/delivery/organisation/teams.ts';
import { type TeamContext } from './machines/delivery/teams/team.ts';
import { planDocument } from './machines/delivery/plans/plan-document.ts';
import { type OrchestratorContext } from './machines/delivery/tasks/orchestrator-state.ts';
import { type NextReply, taskId, type TaskRefusal, type TaskReply } from './machines/delivery/tasks/task-messages.ts';
import { DESKS } from './machines/desks.ts';
import { WORK_STATUSES, workPriority } from './machines/work/work-item.ts';
import { type Shown } from './table.ts';

/** Addresses of the delivery organisation, whose agents are children of its Boss. */
const under = (id: string) => `${DESKS.delivery}/${id}`;
const ORCHESTRATOR = under(DESKS.orchestrator);
const ORGANISATION = under(DESKS.organisation);

const by = z.string().min(1).max(200).describe('The name of the person.');
const order = z.object({ taken: z.boolean(), problems: z.array(z.string()) });
const TAKEN = { taken: true, problems: [] };
const details = z.string().max(600).default('').describe('What you are at, or why you cannot go on.');

const directive = z.object({
  taskId: z.string(),
  title: z.string(),
  description: z.string(),
  acceptanceCriteria: z.array(z.string()),
  relatedFiles: z.array(z.string()),
  style: z.string().nullable(),
  plan: z.string(),
  priority: workPriority,
  minutes: z.number(),
  notes: z.array(z.string()).describe('What people and earlier sessions have said about it.'),
  attempt: z.number(),
});

const row = z.looseObject({ id: z.string(), title: z.string(), status: z.enum(WORK_STATUSES) });
const ROW = { id: 'TASK-001', title: 'Login form', status: 'ready' as const };
const DIRECTIVE = {
  ...{ taskId: 'TASK-001', title: 'Login form', description: '', acceptanceCriteria: ['a user can log in'] },
  ...{ relatedFiles: ['src/login.tsx'], style: null, plan: 'shop', priority: 1 as const, minutes: 35, notes: [] },
  attempt: 1,
};

const report = z.object({
  task_id: taskId,
  status: z.enum(['done', 'failed', 'blocked', 'partial']).default('done'),
  statusDetails: z.string().max(2_000).default(''),
  files: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe('Files that you changed. At least one if done.'),
  testing: z.string().max(2_000).default('').describe('What you tested, and how it went.'),
  criteria: z
    .array(z.object({ criterion: z.string().max(500), isMet: z.boolean() }))
    .max(20)
    .default([]),
  followUpTasks: z
    .array(z.object({ title: z.string().min(1).max(200), minutes: z.number().positive().max(10_000), details }))
    .max(10)
    .default([])
    .describe('Work that you found on the way. It is planned as any other.'),
  observations: z.array(z.string().max(500)).max(20).default([]),
});

const ended = order.extend({
  next_action: z.enum(['continue', 'wait', 'get_next_task', 'stop']),
});

/** The codes of refusals: 404, 400 and 409 in the words of the specification (MX-114). */
const CODES = {
  unknown: 'BOSUN_ACTOR_UNKNOWN',
  invalid: 'BOSUN_CALL_INVALID',
  conflict: 'BOSUN_ORDER_REFUSED',
} as const satisfies Readonly<Record<TaskRefusal, string>>;

/** The reply of a task, or the error that says why it was refused. */
function replied(reply: unknown) {
  const { taken, problems, code, nextAction } = reply as TaskReply;
  if (!taken) throw new BosunError(CODES[code ?? 'conflict'], problems.join('; '));
  return { taken, problems: [...problems], next_action: nextAction };
}

function finishing(
  { task_id, statusDetails, followUpTasks, ...rest }: z.output<typeof report>,
  caller: ProcedureCaller,
) {
  const said = { ...rest, task: task_id, coder: nameOf(caller), details: statusDetails, followUps: followUpTasks };
  return { address: ORCHESTRATOR, event: { type: 'tasks.done', ...said }, answer: replied };
}

/** A call that ends a task, under each of its names. */
function reportProcedure(tool: 'reportTaskDone' | 'reportTaskCompleted', profiles: readonly ('coder' | 'hub')[]) {
  return procedure({
    means: 'Ends your task: done, failed, blocked or partial. A task that is done is checked once its files are quiet.',
    params: report,
    result: ended,
    mcp: { tool, profiles, ...(tool === 'reportTaskCompleted' && { isDetail: true as const }) },
    example: {
      p: { task_id: 'TASK-001', files: ['src/login.tsx'], testing: 'npm test passes' },
      r: { ...TAKEN, next_action: 'get_next_task' },
    },
    ask: finishing,
  });
}

const toTask = (
  type: string,
  { task_id: task, ...rest }: { readonly task_id: string; readonly [field: string]: unknown },
) => ({
  address: ORCHESTRATOR,
  event: { type, task, ...rest },
});

/** Procedures of tasks and of the organisation, for createGateway. */
export const deliveryProcedures = {
  'tasks.next': procedure({
    means:
      'Gives you your next task with everything that you need for it, or the one that you have. With the filter ' +
      '`blocked` or `all` it only lists tasks.',
    params: z.object({
      filter: z.enum(['ready', 'blocked', 'all']).default('ready'),
      priority: workPriority.nullable().default(null).describe('The only priority that you take.'),
      includeContext: z.boolean().default(true),
      includeDetailedPrompt: z.boolean().default(true),
      includeRelatedFiles: z.boolean().default(true),
    }),
    result: z.object({
      success: z.boolean(),
      task: directive.partial().nullable(),
      because: z.string().nullable().describe('Why there is no task.'),
      queueLength: z.number(),
      nextTasksPreview: z.array(z.object({ id: z.string(), title: z.string(), priority: workPriority })),
    }),
    mcp: { tool: 'getNextTask', profiles: ['coder', 'hub'] },
    example: { p: {}, r: { success: true, task: DIRECTIVE, because: null, queueLength: 3, nextTasksPreview: [] } },
    ask: ({ filter, priority, includeContext, includeDetailedPrompt, includeRelatedFiles }, caller) => ({
      address: ORCHESTRATOR,
      event: { type: 'tasks.next', coder: nameOf(caller), filter, priority },
      answer: (reply) => {
        const { directive: given, because, queueLength, next } = reply as NextReply;
        const { description, relatedFiles, acceptanceCriteria, style, notes, ...facts } = given ?? DIRECTIVE;
        const task = {
          ...facts,
          ...(includeDetailedPrompt && { description }),
          ...(includeRelatedFiles && { relatedFiles: [...relatedFiles] }),
          ...(includeContext && { acceptanceCriteria: [...acceptanceCriteria], style, notes: [...notes] }),
        };
        const shown = given === null ? null : (task as z.input<typeof directive>);
        const preview = next as { id: string; title: string; priority: 1 | 2 | 3 }[];
        return { success: given !== null, task: shown, because, queueLength, nextTasksPreview: preview };
      },
    }),
  }),
  'tasks.report': procedure({
    means: 'Says how your task stands. Call it every few minutes: a task of which nothing is heard is taken for stuck.',
    params: z.object({
      task_id: taskId,
      status: z.enum(['in_progress', 'blocked', 'done', 'failed', 'paused']).default('in_progress'),
      progress_percent: z.number().min(0).max(100).nullable().default(null),
      details,
      metrics: z
        .object({
          tokens_used: z.int().nonnegative().default(0),
          time_seconds: z.number().nonnegative().default(0),
          coverage_added: z.number().default(0),
        })
        .prefault({}),
      priority: workPriority.optional(),
    }),
    result: z.object({
      acknowledged: z.boolean(),
      next_action: ended.shape.next_action,
      cascaded: z.object({ ticketsResolved: z.array(z.string()), tasksUnblocked: z.array(z.string()) }),
    }),
    mcp: { tool: 'reportTaskStatus', profiles: ['coder', 'hub'] },
    example: {
      p: { task_id: 'TASK-001', progress_percent: 40 },
      r: { acknowledged: true, next_action: 'continue', cascaded: { ticketsResolved: [], tasksUnblocked: [] } },
    },
    ask: ({ task_id: task, progress_percent: percent, metrics, ...rest }, caller) => ({
      address: ORCHESTRATOR,
      event: { type: 'tasks.report', task, coder: nameOf(caller), percent, tokens: metrics.tokens_used, ...rest },
      answer: (reply) => {
        const { next_action } = replied(reply);
        const { cascaded = { ticketsResolved: [], tasksUnblocked: [] } } = reply as TaskReply;
        const { ticketsResolved, tasksUnblocked } = cascaded;
        return {
          ...{ acknowledged: true, next_action },
          cascaded: { ticketsResolved: [...ticketsResolved], tasksUnblocked: [...tasksUnblocked] },
        };
      },
    }),
  }),
  'tasks.done': reportProcedure('reportTaskDone', ['coder', 'hub']),
  'tasks.completed': reportProcedure('reportTaskCompleted', ['hub']),
  'tasks.submit': procedure({
    means: 'Hands in a plan of tasks. Tasks that are too large are broken down as the plan says.',
    params: z.object({ plan: planDocument, by }),
    result: order.extend({ plan: z.string().nullable(), tasks: z.array(z.string()) }),
    http: { verb: 'POST', path: '/v1/tasks' },
    example: {
      p: {
        plan: { name: 'shop', tasks: [{ title: 'Login form', minutes: 35, acceptance: ['a user can log in'] }] },
        by: 'ada',
      },
      r: { ...TAKEN, plan: 'PLAN-1', tasks: ['TASK-001'] },
    },
    ask: ({ plan, by: who }) => ({
      address: under(DESKS.planning),
      event: { type: 'plan.submit', plan, by: who },
    }),
  }),
  'tasks.list': procedure({
    means: 'A page of tasks in the order of their numbers, with the counts of all.',
    does: 'nothing',
    params: z.object({
      status: z.enum(WORK_STATUSES).optional(),
      after: z.int().nonnegative().default(0).describe('`next` of the page before.'),
      limit: z.int().min(1).max(1_000).default(100),
    }),
    result: z.looseObject({
      tasks: z.array(row),
      next: z.number().nullable(),
      counts: z.partialRecord(z.enum(WORK_STATUSES), z.number()),
      places: z.number(),
      working: z.number(),
      queued: z.number(),
    }),
    example: { p: {}, r: { tasks: [ROW], next: null, counts: { ready: 1 }, places: 3, working: 0, queued: 1 } },
    ask: (page) => ({ address: ORCHESTRATOR, event: { type: 'tasks.list', ...page } }),
  }),
  'tasks.show': procedure({
    means: 'One task: what it is, how it stands, and why.',
    does: 'nothing',
    params: z.object({ task_id: taskId }),
    result: z.object({ task: row.nullable() }),
    mcp: {
      resource: {
        ...{ uri: 'task://{task_id}', name: 'task', needs: 'task' },
        description: 'A task by its id: what it is, how it stands, and why.',
      },
    },
    example: { p: { task_id: 'TASK-001' }, r: { task: ROW } },
    ask: (asked) => toTask('tasks.show', asked),
  }),
  'tasks.unblock': procedure({
    means: 'Lets a blocked task go on, by the word of a person.',
    params: z.object({ task_id: taskId, by, note: z.string().max(1_000).default('') }),
    result: order,
    example: { p: { task_id: 'TASK-001', by: 'ada' }, r: TAKEN },
    ask: (asked) => toTask('tasks.unblock', asked),
  }),
  'tasks.fail': procedure({
    means: 'Gives a task up, by the word of a person. What needs it fails, too.',
    params: z.object({ task_id: taskId, by, reason: z.string().trim().min(1).max(500) }),
    result: order,
    example: { p: { task_id: 'TASK-001', by: 'ada', reason: 'not needed any more' }, r: TAKEN },
    ask: (asked) => toTask('tasks.fail', asked),
  }),
  'tasks.change': procedure({
    means: 'Changes the priority or the estimate of a task, by the word of a person.',
    params: z.object({
      task_id: taskId,
      by,
      priority: workPriority.optional(),
      minutes: z.number().positive().max(10_000).optional(),
    }),
    result: order,
    example: { p: { task_id: 'TASK-001', by: 'ada', priority: 1 }, r: TAKEN },
    ask: (asked) => toTask('tasks.change', asked),
  }),
  'tasks.places': procedure({
    means: 'Sets how many coding sessions work at once.',
    params: z.object({ places: z.int().min(1).max(100), by }),
    result: order,
    example: { p: { places: 3, by: 'ada' }, r: TAKEN },
    ask: (asked) => ({ address: ORCHESTRATOR, event: { type: 'tasks.places', ...asked } }),
  }),
  'org.show': procedure({
    means: 'The teams with their state and load, and who is responsible, accountable, consulted and informed.',
    params: z.object({}),
    result: z.object({
      teams: z.array(z.looseObject({ id: z.enum(TEAM_IDS), title: z.string(), state: z.string(), load: z.number() })),
      raci: z.array(z.looseObject({ row: z.number(), condition: z.string(), handoffs: z.number() })),
      decisions: z.array(z.looseObject({ question: z.string() })),
      gates: z.array(z.looseObject({ gate: z.string(), threshold: z.number() })),
    }),
    mcp: {
      ...{ tool: 'getResponsibility', profiles: ['hub'], isDetail: true },
      resource: { uri: 'org://raci', name: 'organisation', description: 'The teams, and who is responsible for what.' },
    },
    example: { p: {}, r: { teams: [], raci: [], decisions: [], gates: [] } },
    read: (_, reader) => shown(reader),
  }),
  'org.handoffs': procedure({
    means: 'Hand-offs between teams, the latest first, with every decision of a gate.',
    params: z.object({
      task_id: taskId.optional(),
      before: z.int().positive().optional().describe('`next` of the page before.'),
      limit: z.int().min(1).max(500).default(50),
    }),
    result: z.object({ handoffs: z.array(handoffEntry), next: z.int().nullable() }),
    example: { p: {}, r: { handoffs: [], next: null } },
    read: async ({ task_id: task, before, limit }, reader) => {
      const where = task === undefined ? {} : { where: { item: task } };
      const page = { limit, newestFirst: true, ...(before !== undefined && { before }), ...where };
      const { records, next } = await reader.records(ORGANISATION, 'handoffs', page);
      return { handoffs: records.map(({ value }) => value as z.output<typeof handoffEntry>), next };
    },
  }),
  'org.set': procedure({
    means: 'Drains a team, which then gets nothing new, or lets it go on with what was held for it.',
    params: z.object({ team: z.enum(TEAM_IDS), is_drained: z.boolean(), by }),
    result: order,
    example: { p: { team: 'planning', is_drained: true, by: 'ada' }, r: TAKEN },
    ask: ({ is_drained: isDrained, ...rest }) => ({
      address: ORGANISATION,
      event: { type: 'org.set', isDrained, ...rest },
    }),
  }),
} satisfies Procedures;

async function shown(reader: DurableReader) {
  const { raci, drained } = (await reader.actor(ORGANISATION)).context as Shown<OrganisationContext>;
  const { counts } = (await reader.actor(under(DESKS.dashboard))).context as Shown<DashboardContext>;
  const teams = await Promise.all(TEAM_IDS.map((id) => teamOf(reader, id, drained)));
  return {
    teams,
    raci: raci.map((one) => ({ ...one, handoffs: counts[one.row] ?? 0 })),
    decisions: DECISIONS.map((one) => ({ ...one })),
    gates: Object.values(GATES).map((gate) => ({ ...gate })),
  };
}

/** A team with its state and the number of things that it works on. */
async function teamOf(reader: DurableReader, id: TeamId, drained: readonly TeamId[]) {
  const team = TEAMS[id];
  const { state, load } = await stateOf(reader, id);
  return { id, ...team, state: drained.includes(id) ? 'drained' : state, load };
}

async function stateOf(reader: DurableReader, id: TeamId): Promise<{ state: string; load: number }> {
  const { actor } = TEAMS[id];
  if (actor === null) return { state: 'none', load: 0 };
  if (id === 'answers' || id === 'boss-ai' || id === 'clarity') return { state: 'works', load: 0 };
  const { context, tags } = await reader.actor(under(actor));
  if (id === 'orchestrator' || id === 'coding-ai') {
    const { queue, working } = context as Shown<OrchestratorContext>;
    const load = id === 'orchestrator' ? queue.size : working.size;
    return { state: load > 0 ? 'working' : 'idle', load };
  }
  return { state: tags.includes('busy') ? 'working' : 'idle', load: (context as Shown<TeamContext>).jobs.size };
}
