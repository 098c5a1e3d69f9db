/**
 * Hand-offs as data (HS-018 to HS-020): what a session says when it hands off, and the entries of lineage
 * that are made of it. What is said is kept as said; what was found out about it stands beside it.
 */
import { z } from 'zod';
import { HANDOFF_BYTES_MAX } from '../limits.ts';
import { name, text } from '../work/message-schema.ts';
import { fits } from '../rules/value-size.ts';
import { type Role, roleSchema } from './roles.ts';

const REASON_CHARS_MAX = 2_000;
/** Entries of each list of a hand-off. */
const LIST_MAX = 1_000;
const list = z.array(text).max(LIST_MAX).default([]);

/** Data of a hand-off (HS-019), with the names that its wire has. */
export const handoffData = z.object({
  recommendation: roleSchema.nullable().default(null),
  steps_completed: list,
  files_modified: list,
  blockers: list,
  next_steps: list,
  budget_exceeded: z.boolean().default(false),
  scope_escalation: z.boolean().default(false),
  /** Whatever the session found, as data for the next one. */
  findings: z.unknown().optional(),
});

/** The result of a command that verifies work. */
export const buildResult = z.object({ command: text, exitCode: z.int() });

/** A hand-off as a session says it: it recommends, and transfers nothing (HS-013). */
export const handoffSaid = z
  .object({
    /** The role that gets control back: the hub that spawned the session. */
    to: roleSchema.default('Coordinator'),
    /** The outcome in the words of the role's table; without one, any recommendation of the table fits. */
    outcome: z.string().min(1).max(100).nullable().default(null),
    recommended: roleSchema.nullable().default(null),
    reason: z.string().trim().min(1).max(REASON_CHARS_MAX),
    /** The build that verified the work, and its result. */
    build: buildResult.nullable().default(null),
    /** Whether the tests passed that ran last; null if none ran. */
    testsPass: z.boolean().nullable().default(null),
    data: handoffData.default(() => handoffData.parse({})),
  })
  .refine((said) => fits(said, HANDOFF_BYTES_MAX), `a hand-off has at most ${HANDOFF_BYTES_MAX} bytes`);
export type HandoffSaid = z.output<typeof handoffSaid>;

/** Facts about a hand-off that were found out, not said. Null: nobody could look. */
export const verified = z.object({
  files: z.array(text).nullable(),
  outOfScope: z.array(text),
  signs: z.array(z.string().max(100)),
  build: buildResult.nullable(),
});
export type Verified = z.output<typeof verified>;

export const NOT_VERIFIED: Verified = { files: null, outOfScope: [], signs: [], build: null };

/** An entry of the lineage of a work plan: appended once, and never changed. */
export const lineageEntry = z.object({
  seq: z.int().positive(),
  atMs: z.number(),
  plan: name,
  run: name,
  session: name,
  from: roleSchema,
  to: roleSchema,
  recommended: roleSchema.nullable(),
  outcome: z.string().max(100).nullable(),
  reason: z.string().max(REASON_CHARS_MAX),
  data: handoffData,
  verified,
});
export type LineageEntry = z.output<typeof lineageEntry>;

/** The way of a session to its end (HS-039 and the outcomes beside it). */
export type SessionOutcome =
  | 'done'
  | 'blocked'
  | 'budgetExceeded'
  | 'scopeEscalated'
  | 'refused'
  | 'interrupted'
  | 'failed';

/** A session as it comes back to its spawner. */
export interface SessionReturned {
  readonly session: string;
  readonly outcome: SessionOutcome;
  /** Its hand-off as its spawner sees it; null without one. */
  readonly handoff: {
    readonly seq: number;
    readonly outcome: string | null;
    readonly recommended: Role | null;
    readonly reason: string;
    /** Null if it is larger than RETURNED_BYTES_MAX; it stands in the lineage. */
    readonly data: unknown;
  } | null;
  readonly summary: string;
}
