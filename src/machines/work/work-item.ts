/**
 * A work item (CN-004): a piece of work with its estimate, its dependencies and its context, as planners, queues and
 * those who do it see it. Its state belongs to the actor that carries it. Schemas and types only.
 */
import { z } from 'zod';
import { name } from './message-schema.ts';

/** Milliseconds for which the files of finished work are waited for at most (MX-077). */
export const QUIET_MS_MAX = 5 * 60_000;

/** The urgency of work: 1 is the most urgent. */
export const workPriority = z.literal([1, 2, 3]);
export type WorkPriority = z.output<typeof workPriority>;

/** An estimate of work: at most a working month. */
export const workMinutes = z.number().positive().max(10_000);

/** Kinds of work: new work, the mending of a failed check, or a question that somebody has to look into. */
export const workKind = z.enum(['feature', 'fix', 'investigation']);
export type WorkKind = z.output<typeof workKind>;

/** The statuses of work (MX-102). */
export const WORK_STATUSES = [
  ...(['pending', 'ready', 'in_progress', 'partial', 'blocked'] as const),
  ...(['in_verification', 'decomposed', 'verified', 'failed'] as const),
] as const;
export type WorkStatus = (typeof WORK_STATUSES)[number];

/** Facts that whoever does the work needs: the plan, the criteria, related files and the guide of style. */
export const workContext = z.object({
  /** The name of the plan. */
  plan: name,
  /** Statements that hold when the work is done. */
  acceptance: z.array(z.string().min(1).max(500)).max(20).readonly(),
  files: z.array(z.string().min(1).max(500)).max(50).readonly(),
  /** The design system or style guide; null for work without a surface. */
  style: z.string().min(1).max(500).nullable(),
  /** Milliseconds for which its files have to be quiet before it is checked; absent: a minute. */
  quietMs: z.int().min(0).max(QUIET_MS_MAX).optional(),
  /** The tests that show criteria; null: a person has to look. The other criteria name nothing. */
  proofs: z
    .array(z.object({ criterion: z.string().max(500), test: z.string().min(1).max(200).nullable() }))
    .max(20)
    .readonly()
    .optional(),
  /** The kind of product, with what its checks look at. */
  project: z.object({ type: z.string(), stack: z.string(), verification: z.string() }).optional(),
  /** The feature of the plan to which it belongs, and whether the first release needs it. */
  feature: z.object({ id: name, isMandatory: z.boolean().nullable(), note: z.string().nullable() }).optional(),
  /** The framework of the backend; `comment`: the line with which its code begins, null for none. */
  backend: z.object({ framework: z.string(), comment: z.string().nullable() }).optional(),
});
export type WorkContextBundle = Readonly<z.output<typeof workContext>>;

export interface WorkItem {
  readonly id: string;
  readonly kind: WorkKind;
  readonly title: string;
  readonly description: string;
  /** The estimate in minutes; null while nobody has given one. */
  readonly minutes: number | null;
  /** The areas that the work touches: `frontend`, `database`. */
  readonly concerns: readonly string[];
  /** Ids of the work items that have to be verified first. */
  readonly dependencies: readonly string[];
  readonly priority: WorkPriority;
  /** The name of the team that has planned it. */
  readonly origin: string;
  /** The work item of which it is a part, or which it mends. */
  readonly parent: string | null;
  /** The number of decompositions above it. */
  readonly depth: number;
  /** The person who is asked where nothing else decides. */
  readonly owner: string;
  readonly context: WorkContextBundle;
}
