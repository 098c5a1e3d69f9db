/**
 * Sessions on record (HS-020): what each was told when it opened, and how it closed. Appended once, and never changed.
 */
import { z } from 'zod';
import { PROMPT_KEPT_CHARS_MAX, PROMPT_SCOPE_BYTES_MAX } from '../limits.ts';
import { fits } from '../rules/value-size.ts';
import { name, text } from '../work/message-schema.ts';
import { roleSchema } from './roles.ts';
import { type Scope, scopeSchema } from './scope.ts';

/** Characters kept of the end of each stream. */
export const OUTPUT_TAIL_CHARS = 4_000;

const stream = z.object({
  /** Bytes that were printed. */
  bytes: z.number().nonnegative(),
  /** The end of the text. */
  tail: z.string().max(OUTPUT_TAIL_CHARS),
});

/** The output of a session's command in its last try. */
export const sessionOutput = z.object({ round: z.int().positive(), stdout: stream, stderr: stream });
export type SessionOutput = z.output<typeof sessionOutput>;

/** The record of a session that has closed. */
export const sessionEntry = z.object({
  session: name,
  run: name,
  plan: name,
  role: roleSchema,
  /** The session that spawned it. */
  parent: name,
  depth: z.int(),
  step: z.string().nullable(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  outcome: z.string().max(100),
  /** Number of the hand-off before it closed; null if it closed without one. */
  handoff: z.int().nullable(),
  /** Whether its hub closed it without a hand-off. */
  isForced: z.boolean(),
  summary: text,
  usage: z.object({ ms: z.number(), steps: z.number(), tokens: z.number(), costUsd: z.number() }),
  artifacts: z.array(text),
  /** Null for a session whose work is no command. */
  output: sessionOutput.nullable().default(null),
});
export type SessionEntry = z.output<typeof sessionEntry>;

/** The record of what a session was told when it opened. */
export const sessionPrompt = z.object({
  session: name,
  run: name,
  role: roleSchema,
  atMs: z.number(),
  prompt: z.string().max(PROMPT_KEPT_CHARS_MAX),
  /** Whether the prompt was longer than what is kept. */
  isCut: z.boolean(),
  /** The files that it may change; null: none, or more patterns than are kept, which the prompt names. */
  scope: scopeSchema.nullable(),
});
export type SessionPrompt = z.output<typeof sessionPrompt>;

/** Makes the record of a prompt, cut to what a record may hold. */
export function promptRecord(
  facts: Pick<SessionPrompt, 'session' | 'run' | 'role' | 'atMs'>,
  { prompt, scope }: { readonly prompt: string; readonly scope: Scope | null },
): SessionPrompt {
  const { session, run, role, atMs } = facts;
  return {
    ...{ session, run, role, atMs, prompt: prompt.slice(0, PROMPT_KEPT_CHARS_MAX).toWellFormed() },
    ...{ isCut: prompt.length > PROMPT_KEPT_CHARS_MAX },
    scope: fits(scope, PROMPT_SCOPE_BYTES_MAX) ? scope : null,
  };
}
