/**
 * Messages about tasks: the orders that the orchestrator takes from coding agents and from people, its replies, and the
 * directive. Schemas and types.
 */
import { z } from 'zod';

import { type OrderReply } from '../../rules/turn.ts';
import { name, person, programOrPerson } from '../../work/message-schema.ts';
import { WORK_STATUSES, type WorkItem, workMinutes, workPriority } from '../../work/work-item.ts';
import { planDocument } from '../plans/plan-document.ts';

/** The id of a task: `TASK-001`, with more digits from 1,000 on. */
export const taskId = z.string().regex(/^TASK-\d{3,12}$/, 'a task id is TASK- and a number of at least three digits');

const details = z.string().max(600).default('').describe('What you are at, or why you cannot go on.');
const reason = z.string().trim().min(1).max(500);
const criterion = z.object({ criterion: z.string().max(500), isMet: z.boolean() });
const followUp = z.object({ title: name, minutes: workMinutes, details: z.string().max(600).default('') });
const aTask = { task: taskId, by: person };

const criteriaList = z.array(z.string().min(1).max(500)).max(20).default([]);
/** A test that fails, with what it says. */
const testFailure = {
  ...{ test: z.string().trim().min(1).max(200), message: z.string().max(2_000).default('') },
  ...{ expected: z.string().max(500).optional(), actual: z.string().max(500).optional() },
};

/** The report of a coding agent about a task that it ends (MX-114). */
export const doneReport = z.object({
  status: z.enum(['done', 'failed', 'blocked', 'partial']).default('done'),
  details: z.string().max(2_000).default(''),
  /** Files that have changed. */
  files: z.array(z.string().min(1).max(200)).max(100).default([]),
  /** The tests that were made, and how they went. */
  testing: z.string().max(2_000).default(''),
  /** The acceptance criteria, each with whether it is met. */
  criteria: z.array(criterion).max(20).default([]),
  /** Work that was found on the way. */
  followUps: z.array(followUp).max(10).default([]),
  observations: z.array(z.string().max(500)).max(20).default([]),
});
export type DoneReport = z.output<typeof doneReport>;

/** The orders that the orchestrator takes from outside. */
export const taskOrders = {
  /** Gives a coding agent the task that it has, or the next one. The reply has the directive, or says why not. */
  'tasks.next': z.object({
    coder: programOrPerson,
    priority: workPriority.nullable().default(null).describe('The only priority that you take.'),
    /** `blocked` and `all` only look. */
    filter: z.enum(['ready', 'blocked', 'all']).default('ready'),
  }),
  /** Says how a task stands, which is also a sign of life (MX-113). */
  'tasks.report': z.object({
    task: taskId,
    coder: programOrPerson,
    status: z.enum(['in_progress', 'blocked', 'done', 'failed', 'paused']).default('in_progress'),
    percent: z.number().min(0).max(100).nullable().default(null),
    details,
    tokens: z.int().nonnegative().default(0),
    priority: workPriority.optional(),
  }),
  /** Ends a task. */
  'tasks.done': doneReport.extend({ task: taskId, coder: programOrPerson }),
  /** Says that a test fails, whoever has the task. */
  'tasks.failure': z.object({ task: taskId, coder: programOrPerson, ...testFailure }),
  /** Says what a check of a finished task has found, which was made by somebody other than its coding agent. */
  'tasks.checked': z.object({
    ...{ task: taskId, checker: programOrPerson },
    failures: z.array(z.object(testFailure)).max(100).default([]).describe('Tests that fail.'),
    unmet: criteriaList.describe('Criteria that are not met.'),
    visual: criteriaList.describe('Parts of the surface at which a person has to look.'),
  }),
  /** A page of tasks in the order of their numbers. */
  'tasks.list': z.object({
    status: z.enum(WORK_STATUSES).optional(),
    after: z.int().nonnegative().default(0).describe('`next` of the page before.'),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  'tasks.show': z.object({ task: taskId }),
  /** Orders of people. */
  'tasks.unblock': z.object({ ...aTask, note: z.string().max(1_000).default('') }),
  'tasks.fail': z.object({ ...aTask, reason }),
  'tasks.change': z.object({ ...aTask, priority: workPriority.optional(), minutes: workMinutes.optional() }),
  /** The number of coding sessions at once. */
  'tasks.places': z.object({ places: z.int().min(1).max(100), by: person }),
} as const;
export type TaskOrder<Type extends keyof typeof taskOrders> = Readonly<z.output<(typeof taskOrders)[Type]>>;

/** The order by which a plan is handed in, to the planning team. */
export const planOrder = z.object({ plan: planDocument, by: person });

/** Everything that a coding agent needs for a task (MX-050); `notes`: what people and earlier sessions have said. */
export function directiveOf({ id, context, ...item }: WorkItem, notes: readonly string[], attempt: number) {
  const { title, description, minutes, priority } = item;
  const { acceptance: acceptanceCriteria, files: relatedFiles, style, plan } = context;
  const { project, feature, backend } = context;
  // The framework of the backend, and the line with which its code stubs begin.
  const stub = backend && { backend: backend.framework, ...(backend.comment && { stub: `${backend.comment}\n` }) };
  const marks = { ...(project && { project }), ...(feature && { feature }), ...stub };
  const task = { taskId: id, title, description, acceptanceCriteria, relatedFiles, style, plan, priority };
  return { ...task, ...marks, minutes: minutes!, notes, attempt };
}

export type Directive = ReturnType<typeof directiveOf>;

/** The reply to `tasks.next`. */
export interface NextReply extends OrderReply {
  readonly directive: Directive | null;
  /** Why there is no task; null if there is one. */
  readonly because: string | null;
  readonly queueLength: number;
  readonly next: readonly Pick<WorkItem, 'id' | 'title' | 'priority'>[];
}

/** Why an order about a task was refused, for programs. */
export type TaskRefusal = 'unknown' | 'invalid' | 'conflict';

/** The reply to an order about a task. */
export interface TaskReply extends OrderReply {
  readonly code: TaskRefusal | null;
  /** The next step of the coding agent. */
  readonly nextAction: 'continue' | 'wait' | 'get_next_task' | 'stop';
  /** Tickets and tasks that the order has settled besides (MX-113). */
  readonly cascaded?: { ticketsResolved: string[]; tasksUnblocked: string[] };
}

export function refusedTask(code: TaskRefusal, problem: string): TaskReply {
  return { taken: false, problems: [problem], code, nextAction: code === 'conflict' ? 'get_next_task' : 'stop' };
}

/** Why a task does not go on. */
export type BlockReason = 'question' | 'stall' | 'failure' | 'fix' | 'context' | 'size' | 'coder' | 'checks';
