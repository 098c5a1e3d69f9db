/**
 * The written parts of a work plan, and the changes that sessions may order if their role may. Whether it may, and the
 * change itself, are decided by the plan (work-plan.ts).
 */
import { z } from 'zod';
import { PLAN_DOCUMENT_CHARS_MAX, PLAN_NOTES_MAX } from '../limits.ts';
import { name, text } from '../work/message-schema.ts';
import { stepOrders } from './plan-steps.ts';

/** A name of a plan as an address can have it. */
export const planId = name.regex(/^(?!__proto__$)[A-Za-z0-9\-_.:@+~]{1,60}$/, 'is 1 to 60 letters, digits and -_.:@+~');

/** Facts of a work plan that its author writes. */
export const planFacts = z.object({
  title: z.string().trim().min(1).max(500),
  description: text.default(''),
  category: z.string().max(100).default('feature'),
  priority: z.enum(['low', 'medium', 'high', 'critical']).default('medium'),
  goals: z.array(text).max(PLAN_NOTES_MAX).default([]),
  success_criteria: z.array(text).max(PLAN_NOTES_MAX).default([]),
});

/** A document of a work plan that its sessions share. */
export const planDocument = z.object({ name, text: z.string().max(PLAN_DOCUMENT_CHARS_MAX) });
export type PlanDocument = z.output<typeof planDocument>;

const { title, description, category, priority } = planFacts.shape;

/** The changes by event type. */
export const sessionChanges = {
  ...stepOrders,
  'note.add': z.object({ text: text.min(1) }),
  'goals.set': planFacts.pick({ goals: true, success_criteria: true }),
  'facts.set': z.object({
    title: title.optional(),
    description: description.unwrap().optional(),
    category: category.unwrap().optional(),
    priority: priority.unwrap().optional(),
  }),
  'document.store': planDocument,
  /** Ends the plan: for a role that may. */
  'plan.archive': z.looseObject({}),
} as const;

/** A change as a session orders it. */
export type SessionOrder = {
  [Type in keyof typeof sessionChanges]: { readonly type: Type } & z.input<(typeof sessionChanges)[Type]>;
}[keyof typeof sessionChanges];
/** A change with its defaults. */
export type ReadChange = {
  [Type in keyof typeof sessionChanges]: { readonly type: Type } & z.output<(typeof sessionChanges)[Type]>;
}[keyof typeof sessionChanges];
