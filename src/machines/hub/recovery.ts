/**
 * Recovery after an interruption (HS-044 to HS-046), in the order of the specification: which files changed, which
 * steps
 * are stuck, which errors there are, what people want, and then the correction. Nothing is reverted unless a person
 * says
 * so. Pure.
 */
import { z } from 'zod';
import { type PlanStep, RESET_NOTE, type StepOrder } from './plan-steps.ts';

/** Changed files that a form lists. */
const FILES_LISTED_MAX = 1_000;

/** The moves of a recovery in their order. */
export const RECOVERY_MOVES = ['survey', 'steps', 'errors', 'ask', 'correct'] as const;
export type RecoveryMove = (typeof RECOVERY_MOVES)[number];

/** The choices that people have (HS-045), with a schema of the files that may be given up. */
const choices = (file: z.ZodType<string>) =>
  z.union([
    /** Give up the session's changes, and spawn again with a tighter scope. */
    z.object({ choice: z.literal('revert all'), files: z.array(z.string()).optional() }),
    /** Keep the changes, set stuck steps back, and go on. */
    z.object({ choice: z.literal('keep'), guidance: z.string().optional() }),
    /** Give up the changes of these files alone. */
    z.object({ choice: z.literal('revert files'), files: z.array(file).min(1) }),
    /** The session went off its script: give up its changes, and go on with boundaries. */
    z.object({ choice: z.literal('off script'), guidance: z.string().optional() }),
    z.object({ choice: z.literal('stop') }),
  ]);
export const recoveryAnswer = choices(z.string());
export type RecoveryAnswer = z.output<typeof recoveryAnswer>;

/** The answers that fit the changes of an interrupted session; any where they are not known, or too many for a form. */
export function answersFor(files: readonly string[] | null): z.ZodType {
  return files === null || files.length > FILES_LISTED_MAX ? recoveryAnswer : choices(z.enum(files));
}

/** The treatment of changed files in a recovery. */
export type FilesMove =
  | { readonly kind: 'keep' }
  | { readonly kind: 'discard all' }
  | { readonly kind: 'discard'; readonly files: readonly string[] };

/** The correction that follows from an answer. */
export interface Correction {
  readonly files: FilesMove;
  /** Whether the session's role is spawned again. */
  readonly respawns: boolean;
  /** Guidance for the next session, beside its task. */
  readonly guidance: string | null;
}

export function correctionFor(answer: RecoveryAnswer): Correction | 'stop' {
  switch (answer.choice) {
    case 'revert all':
      return {
        files: { kind: 'discard all' },
        respawns: true,
        guidance:
          answer.files === undefined
            ? 'The session before you was interrupted and its changes given up. Change as little as you can.'
            : `The session before you was interrupted and undone. Change only: ${answer.files.join(', ')}.`,
      };
    case 'keep':
      return { files: { kind: 'keep' }, respawns: true, guidance: answer.guidance ?? null };
    case 'revert files':
      return { files: { kind: 'discard', files: answer.files }, respawns: true, guidance: null };
    case 'off script':
      return {
        files: { kind: 'discard all' },
        respawns: true,
        guidance: answer.guidance ?? 'The session before you left its task. Do the task alone, and escalate the rest.',
      };
    case 'stop':
      return 'stop';
  }
}

/** The order that sets stuck steps back; undefined if none is stuck. */
export function resetOrder(steps: readonly PlanStep[]): StepOrder | undefined {
  const stuck = steps.filter(({ status }) => status === 'active');
  if (stuck.length === 0) return undefined;
  return {
    type: 'step.batchUpdate',
    changes: stuck.map(({ id }) => ({ id, set: { status: 'pending' }, note: RESET_NOTE })),
  };
}
