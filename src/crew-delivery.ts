/**
 * Procedures by which coding agents get and report tasks, and by which people hand in plans and see the delivery
 * organisation (docs/delivery.md). Each asks the orchestrator or the planning team, which decide, or reads what they
 * keep.
 */
import { z } from 'zod';
import { type DurableReader, procedure, type Procedures } from './actors/api/procedure.ts';
import { by, nameOf, order, TAKEN } from './crew-answer-orders.ts';
import { BosunError } from './errors.ts';
import { type OrganisationContext } from './machines/delivery/organisation/organisation.ts';
import { handoffEntry } from './machines/delivery/organisation/handoff-messages.ts';
import { GATES } from './machines/delivery/organisation/delivery-gates.ts';
import { DECISIONS, TEAM_IDS, type TeamId, TEAMS } from './machines/delivery/organisation/teams.ts';
import { planDocument } from './machines/delivery/plans/plan-document.ts';
import { type OrchestratorContext } from './machines/delivery/tasks/orchestrator-state.ts';
import { metrics, metricsOf } from './machines/delivery/tasks/task-figures.ts';
import { type NextReply, taskId, taskOrders, type TaskReply } from './machines/delivery/tasks/task-messages.ts';
import { DESKS } from './machines/desks.ts';
import { WORK_STATUSES, workMinutes, workPriority } from './machines/work/work-item.ts';
import { type Shown, type TableView } from './table.ts';

/** Addresses of the delivery organisation, whose agents are children of its Boss. */
const under = (id: string) => `${DESKS.delivery}/${id}`;
const ORCHESTRATOR = under(DESKS.orchestrator);
const ORGANISATION = under(DESKS.organisation);

const directed = z.looseObject({ taskId: z.string(), title: z.string() });
const row = z.looseObject({ id: z.string(), title: z.string(), status: z.enum(WORK_STATUSES) });
const ROW = { id: 'TASK-001', title: 'Login form', status: 'ready' as const };
const { 'tasks.report': reported, 'tasks.done': done } = taskOrders;
const report = done.omit({ task: true, coder: true, details: true, followUps: true }).extend({
  ...{ task_id: taskId, statusDetails: done.shape.details },
  followUpTasks: done.shape.followUps.describe('Work that you found on the way. It is planned as any other.'),
});

const next_action = z.enum(['continue', 'wait', 'get_next_task', 'stop']);

/** The codes of refusals: 404, 400 and 409 in the words of the specification (MX-114). */
const CODES = {
  unknown: 'BOSUN_ACTOR_UNKNOWN',
  invalid: 'BOSUN_CALL_INVALID',
  conflict: 'BOSUN_ORDER_REFUSED',
} as const;

/** The reply of a task, or the error that says why it was refused. */
function replied(reply: unknown) {
  const { taken, problems, code, nextAction } = reply as TaskReply;
  if (!taken) throw new BosunError(CODES[code ?? 'conflict'], problems.join('; '));
  return { taken, problems: [...problems], next_action: nextAction };
}

/** A call that ends a task, under each of its names. */
function reportProcedure(tool: 'reportTaskDone' | 'reportTaskCompleted', profiles: readonly ('coder' | 'hub')[]) {
  return procedure({
    means: 'Ends your task: done, failed, blocked or partial. A task that is done is checked once its files are quiet.',
    params: report,
    result: order.extend({ next_action }),
    mcp: { tool, profiles, ...(tool === 'reportTaskCompleted' && { isDetail: true as const }) },
    example: {
      p: { task_id: 'TASK-001', files: ['src/login.tsx'], testing: 'npm test passes' },
      r: { ...TAKEN, next_action: 'get_next_task' },
    },
    ask: ({ task_id: task, statusDetails: details, followUpTasks: followUps, ...rest }, caller) => ({
      address: ORCHESTRATOR,
      event: { type: 'tasks.done', ...rest, task, details, followUps, coder: nameOf(caller) },
      answer: replied,
    }),
  });
}

function toTask(type: string, { task_id: task, ...rest }: { readonly task_id: string } & Record<string, unknown>) {
  return { address: ORCHESTRATOR, event: { type, task, ...rest } };
}

/** Procedures of tasks and of the organisation, for createGateway. */
export const deliveryProcedures = {
  'tasks.next': procedure({
    means:
      'Gives you your next task with everything that you need for it, or the one that you have. With the filter ' +
      '`blocked` or `all` it only lists tasks.',
    params: taskOrders['tasks.next'].omit({ coder: true }).extend({
      ...{ includeContext: z.boolean().default(true), includeDetailedPrompt: z.boolean().default(true) },
      includeRelatedFiles: z.boolean().default(true),
    }),
    result: z.object({
      success: z.boolean(),
      task: directed.nullable().describe('With what you asked for: description, criteria, files, style, notes.'),
      because: z.string().nullable().describe('Why there is no task.'),
      queueLength: z.number(),
      nextTasksPreview: z.array(z.object({ id: z.string(), title: z.string(), priority: workPriority })),
    }),
    mcp: { tool: 'getNextTask', profiles: ['coder', 'hub'] },
    example: {
      p: {},
      r: { success: false, task: null, because: 'no task is ready', queueLength: 0, nextTasksPreview: [] },
    },
    ask: ({ filter, priority, includeContext, includeDetailedPrompt, includeRelatedFiles }, caller) => ({
      address: ORCHESTRATOR,
      event: { type: 'tasks.next', coder: nameOf(caller), filter, priority },
      answer: (reply) => {
        const { directive, because, queueLength, next } = reply as NextReply;
        const left = [
          ...(includeDetailedPrompt ? [] : ['description']),
          ...(includeRelatedFiles ? [] : ['relatedFiles']),
          ...(includeContext ? [] : ['acceptanceCriteria', 'style', 'notes']),
        ];
        const shown = Object.entries(directive ?? {}).filter(([key]) => !left.includes(key));
        const task = directive && (Object.fromEntries(shown) as z.input<typeof directed>);
        return { success: task !== null, task, because, queueLength, nextTasksPreview: [...next] };
      },
    }),
  }),
  'tasks.report': procedure({
    means: 'Says how your task stands. Call it every few minutes: a task of which nothing is heard is taken for stuck.',
    params: reported.omit({ task: true, coder: true, percent: true, tokens: true }).extend({
      ...{ task_id: taskId, progress_percent: reported.shape.percent },
      metrics: z.partialRecord(z.enum(['tokens_used', 'time_seconds', 'coverage_added']), z.number()).default({}),
    }),
    result: z.object({
      acknowledged: z.boolean(),
      next_action,
      cascaded: z.object({ ticketsResolved: z.array(z.string()), tasksUnblocked: z.array(z.string()) }),
    }),
    mcp: { tool: 'reportTaskStatus', profiles: ['coder', 'hub'] },
    example: {
      p: { task_id: 'TASK-001', progress_percent: 40 },
      r: { acknowledged: true, next_action: 'continue', cascaded: { ticketsResolved: [], tasksUnblocked: [] } },
    },
    ask: ({ task_id: task, progress_percent: percent, metrics, ...rest }, caller) => ({
      address: ORCHESTRATOR,
      event: { type: 'tasks.report', task, coder: nameOf(caller), percent, tokens: metrics.tokens_used ?? 0, ...rest },
      answer: (reply) => {
        const { next_action: next } = replied(reply);
        const { cascaded = { ticketsResolved: [], tasksUnblocked: [] } } = reply as TaskReply;
        return { acknowledged: true, next_action: next, cascaded };
      },
    }),
  }),
  'tasks.done': reportProcedure('reportTaskDone', ['coder', 'hub']),
  'tasks.completed': reportProcedure('reportTaskCompleted', ['hub']),
  'tasks.failure': procedure({
    means: 'Says that a test fails. Of a task that is done, it counts as a failed check: somebody mends it.',
    params: taskOrders['tasks.failure'].omit({ task: true, coder: true }).extend({ task_id: taskId }),
    result: order.extend({ next_action }),
    mcp: { tool: 'reportTestFailure', profiles: ['coder', 'hub'], isDetail: true },
    example: { p: { task_id: 'TASK-001', test: 'adds', actual: '3' }, r: { ...TAKEN, next_action: 'continue' } },
    ask: (said, caller) => ({ ...toTask('tasks.failure', { ...said, coder: nameOf(caller) }), answer: replied }),
  }),
  'tasks.checked': procedure({
    means: 'Says what your check of a finished task has found; nothing: it passes. Nobody checks work of their own.',
    params: taskOrders['tasks.checked'].omit({ task: true, checker: true }).extend({ task_id: taskId }),
    result: order.extend({ next_action }),
    mcp: { tool: 'reportVerificationResult', profiles: ['hub'], isDetail: true },
    example: { p: { task_id: 'TASK-001', unmet: ['is fast'] }, r: { ...TAKEN, next_action: 'get_next_task' } },
    ask: (said, caller) => ({ ...toTask('tasks.checked', { ...said, checker: nameOf(caller) }), answer: replied }),
  }),
  'tasks.submit': procedure({
    means: 'Hands in a plan of tasks. Tasks that are too large are broken down as the plan says.',
    params: z.object({ plan: planDocument, by }),
    result: order.extend({ plan: z.string().nullable(), tasks: z.array(z.string()) }),
    http: { verb: 'POST', path: '/v1/tasks' },
    example: {
      p: { plan: { name: 'shop', tasks: [{ title: 'Login form', minutes: 35 }] }, by: 'ada' },
      r: { ...TAKEN, plan: 'PLAN-1', tasks: ['TASK-001'] },
    },
    ask: (given) => ({ address: under(DESKS.planning), event: { type: 'plan.submit', ...given } }),
  }),
  'tasks.list': procedure({
    means: 'A page of tasks in the order of their numbers, with the counts of all.',
    does: 'nothing',
    params: taskOrders['tasks.list'],
    result: z.looseObject({ tasks: z.array(row), next: z.number().nullable() }),
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
    params: z.object({ task_id: taskId, by, priority: workPriority.optional(), minutes: workMinutes.optional() }),
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
    mcp: { tool: 'getResponsibility', profiles: ['hub'], isDetail: true },
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
  'org.metrics': procedure({
    means: 'The figures of all tasks and hand-offs so far. Each can be recounted from the records of both.',
    params: z.object({}),
    result: metrics,
    example: { p: {}, r: metricsOf({ counts: {}, figures: {} }, { handoffs: 0, counts: {} }) },
    read: async (_, reader) => {
      const tasks = (await reader.actor(ORCHESTRATOR)).context as Shown<OrchestratorContext>;
      const organised = (await reader.actor(ORGANISATION)).context as Shown<OrganisationContext>;
      const of = async (id: string) => ({
        ...((await reader.actor(under(id))).context as { readonly figures: Record<string, number> }).figures,
      });
      const { researcher, scraper, updater } = DESKS;
      const others = { research: await of(researcher), communication: await of(scraper) };
      return metricsOf(tasks, organised, { ...others, upkeep: await of(updater) });
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
  const { raci, drained, counts } = (await reader.actor(ORGANISATION)).context as Shown<OrganisationContext>;
  const { queue, working, ...tasks } = (await reader.actor(ORCHESTRATOR)).context as Shown<OrchestratorContext>;
  const jobs = async (id: TeamId) =>
    ((await reader.actor(under(id))).context as { readonly jobs: TableView<unknown> }).jobs.size;
  const loads: Partial<Record<TeamId, number>> = {
    ...{ orchestrator: queue.size, 'coding-ai': working.size, verification: tasks.counts.in_verification ?? 0 },
    ...{ planning: await jobs('planning'), decomposition: await jobs('decomposition') },
  };
  const teams = TEAM_IDS.map((id) => {
    const { [id]: load = 0 } = loads;
    const isThere = TEAMS[id].actor !== null;
    const state = !isThere ? 'none' : drained.includes(id) ? 'drained' : load > 0 ? 'working' : 'idle';
    return { id, ...TEAMS[id], state, load };
  });
  return {
    ...{ teams, raci: raci.map((one) => ({ ...one, handoffs: counts[one.row] ?? 0 })) },
    ...{ decisions: DECISIONS.map((one) => ({ ...one })), gates: Object.values(GATES).map((gate) => ({ ...gate })) },
  };
}
