/**
 * Steps of a work plan (HS-063): orders that add, change, remove and move them. Their indexes are always 1, 2, 3
 * without
 * a gap. Pure.
 */
import { z } from 'zod';
import { PLAN_STEPS_MAX } from '../limits.ts';
import { name, text } from '../work/message-schema.ts';
import { roleSchema } from './roles.ts';

export const stepStatus = z.enum(['pending', 'active', 'done', 'blocked']);

const fields = z.object({
  phase: z.string().max(200),
  task: text.min(1),
  type: z.string().max(100),
  status: stepStatus,
  /** The role that is to do it; null: whichever the hub chooses. */
  assignee: roleSchema.nullable(),
  /** Ids of the steps that have to be done before it. */
  depends_on: z.array(name).max(100),
});

const given = fields.extend({
  phase: fields.shape.phase.default(''),
  type: fields.shape.type.default('standard'),
  status: fields.shape.status.default('pending'),
  assignee: fields.shape.assignee.default(null),
  depends_on: fields.shape.depends_on.default([]),
  notes: z.array(text).max(1_000).default([]),
});

/** A step. */
export const planStep = given.extend({ id: name, index: z.int().positive() });
export type PlanStep = z.output<typeof planStep>;

const change = z.object({
  id: name,
  /** The fields that change. An event has a `type` of its own, so a step's are kept apart from it. */
  set: fields.partial().default({}),
  /** A note that is added. */
  note: text.min(1).nullable().default(null),
});

/** The orders about steps by event type. */
export const stepOrders = {
  'step.add': z.object({ steps: z.array(given).min(1).max(PLAN_STEPS_MAX) }),
  'step.update': change,
  'step.batchUpdate': z.object({ changes: z.array(change).min(1).max(PLAN_STEPS_MAX) }),
  /** Puts a step before the one with this index; behind the last one, it is added. */
  'step.insert': z.object({ index: z.int().positive(), step: given }),
  'step.delete': z.object({ id: name }),
  'step.reorder': z.object({ ids: z.array(name).max(PLAN_STEPS_MAX) }),
  'step.move': z.object({ id: name, index: z.int().positive() }),
} as const;
/** One order about steps. */
export type StepOrder = {
  [Type in keyof typeof stepOrders]: { readonly type: Type } & z.output<(typeof stepOrders)[Type]>;
}[keyof typeof stepOrders];

/** The note of a step that is reset after an interruption (HS-046). */
export const RESET_NOTE = 'Reset after subagent interruption';

/** The steps after an order, or why it is refused. `next` is the number of the next step's id. */
export function stepsAfter(
  steps: readonly PlanStep[],
  order: StepOrder,
  next: number,
): { readonly steps: readonly PlanStep[]; readonly next: number } | { readonly problem: string } {
  const after = changed(steps, order, next);
  if (typeof after === 'string') return { problem: after };
  if (after.length > PLAN_STEPS_MAX) return { problem: `a work plan has at most ${PLAN_STEPS_MAX} steps` };
  const problem = dependencyProblem(after);
  if (problem !== undefined) return { problem };
  const added = after.filter((step) => !steps.some(({ id }) => id === step.id)).length;
  return { steps: after.map((step, index) => ({ ...step, index: index + 1 })), next: next + added };
}

function changed(steps: readonly PlanStep[], order: StepOrder, next: number): readonly PlanStep[] | string {
  switch (order.type) {
    case 'step.add':
      return [...steps, ...order.steps.map((step, offset) => ({ ...step, id: stepId(next + offset), index: 1 }))];
    case 'step.update':
      return updated(steps, [order]);
    case 'step.batchUpdate':
      return updated(steps, order.changes);
    case 'step.insert':
      return steps.toSpliced(order.index - 1, 0, { ...order.step, id: stepId(next), index: 1 });
    case 'step.delete':
      if (!steps.some(({ id }) => id === order.id)) return unknown(order.id);
      return steps.filter(({ id }) => id !== order.id);
    case 'step.reorder':
      return reordered(steps, order.ids);
    case 'step.move': {
      const step = steps.find(({ id }) => id === order.id);
      if (step === undefined) return unknown(order.id);
      return steps.filter(({ id }) => id !== order.id).toSpliced(order.index - 1, 0, step);
    }
  }
}

function updated(
  steps: readonly PlanStep[],
  changes: readonly z.output<typeof change>[],
): readonly PlanStep[] | string {
  const missing = changes.find((one) => !steps.some(({ id }) => id === one.id));
  if (missing !== undefined) return unknown(missing.id);
  return changes.reduce(
    (all, { id, set, note }) =>
      all.map((step) => (step.id === id ? ({ ...step, ...set, notes: withNote(step.notes, note) } as PlanStep) : step)),
    steps,
  );
}

function withNote(notes: readonly string[], note: string | null): string[] {
  return note === null ? [...notes] : [...notes, note];
}

function reordered(steps: readonly PlanStep[], ids: readonly string[]): readonly PlanStep[] | string {
  const byId = new Map(steps.map((step) => [step.id, step]));
  if (ids.length !== steps.length || new Set(ids).size !== ids.length || ids.some((id) => !byId.has(id)))
    return 'ids: name every step once';
  return ids.map((id) => byId.get(id)!);
}

/** Refuses dependencies on steps that are not there, and circles. */
function dependencyProblem(steps: readonly PlanStep[]): string | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]));
  for (const { id, depends_on } of steps) {
    const missing = depends_on.find((one) => !byId.has(one));
    if (missing !== undefined) return `${id} depends on ${missing}, which is no step`;
  }
  const settled = new Set<string>();
  for (let left = [...steps]; left.length > 0; ) {
    const free = left.filter(({ depends_on }) => depends_on.every((one) => settled.has(one)));
    if (free.length === 0) return `${left.map(({ id }) => id).join(', ')} depend on each other in a circle`;
    for (const { id } of free) settled.add(id);
    left = left.filter(({ id }) => !settled.has(id));
  }
  return undefined;
}

/** The first step that can begin: pending, with every dependency done. */
export function nextStep(steps: readonly PlanStep[]): PlanStep | undefined {
  const done = new Set(steps.filter(({ status }) => status === 'done').map(({ id }) => id));
  return steps.find(({ status, depends_on }) => status === 'pending' && depends_on.every((one) => done.has(one)));
}

function stepId(number: number): string {
  return `S${number}`;
}

function unknown(id: string): string {
  return `no step "${id}"`;
}
