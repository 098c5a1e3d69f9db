/**
 * A question with its context as it reaches the answer team (AT-029), and the answer that leaves it (AT-030): schemas,
 * sizes in tokens, and their bounds. Field names are those of the specification, because agents of others send them.
 * Pure.
 */
import { estimateTokenCount } from 'tokenx';
import { z } from 'zod';
import { BUNDLE_OPTIONS_MAX, BUNDLE_PARTS_MAX, QUESTION_CHARS_MAX, SNIPPET_CHARS_MAX } from '../limits.ts';
import { SOURCE_TYPES } from './evidence.ts';

/** Most lines of one snippet (AT-029). */
export const SNIPPET_LINES_MAX = 150;

/** The factor by which token estimates are raised, since they may be up to this much too low. */
const TOKEN_RESERVE = 1.05;

/** The schema of an urgency; 1 is the most urgent. */
export const priority = z.literal([1, 2, 3]);
/** The urgency of a question or task; 1 is the most urgent. */
export type Priority = z.output<typeof priority>;

/** A percentage. */
export const percent = z.number().min(0).max(100);

const file = z.string().min(1).max(500);

const snippet = z.object({
  file,
  content: z
    .string()
    .max(SNIPPET_CHARS_MAX)
    .refine(
      (text) => linesIn(text) <= SNIPPET_LINES_MAX,
      `has more than ${SNIPPET_LINES_MAX} lines: quote what counts`,
    ),
});

/** A question with its context. `confidence_level`: how sure the asker is, in percent. */
export const queryBundle = z.object({
  question: z.string().trim().min(1).max(QUESTION_CHARS_MAX),
  context_summary: z.string().max(QUESTION_CHARS_MAX).default(''),
  current_task_id: z.string().min(1).max(200).nullable().default(null),
  priority_level: priority.default(2),
  relevant_snippets: z.array(snippet).max(BUNDLE_PARTS_MAX).default([]),
  plan_references: z
    .array(z.object({ section: file, quote: z.string().max(SNIPPET_CHARS_MAX).nullable().default(null) }))
    .max(BUNDLE_PARTS_MAX)
    .default([]),
  confidence_level: percent.default(50),
  possible_options: z.array(z.string().min(1).max(200)).max(BUNDLE_OPTIONS_MAX).nullable().default(null),
});
/** A question with its context, after parsing. */
export type QueryBundle = z.output<typeof queryBundle>;

/**
 * The schema of an answer's source. A person's earlier words have the type `plan`, and a ticket or question as
 * location.
 */
export const answerSource = z.object({
  type: z.enum(SOURCE_TYPES),
  location: file,
  excerpt: z.string().max(2_000),
});
export type AnswerSource = z.output<typeof answerSource>;

/** The schema of an answer as askers get it. */
export const answerResponse = z.object({
  answer: z.string(),
  confidence: percent,
  sources: z.array(answerSource),
  escalated_to_user: z.boolean(),
  follow_up_needed: z.boolean(),
  suggested_next_actions: z.array(z.string()).nullable(),
});
export type AnswerResponse = z.output<typeof answerResponse>;

/** Estimates the tokens of a text. The estimate is never far below a model's own count. */
export function tokensIn(text: string): number {
  return Math.ceil(estimateTokenCount(text) * TOKEN_RESERVE);
}

/** The tokens of a whole bundle. */
export function bundleTokens({
  question,
  context_summary,
  relevant_snippets,
  plan_references,
  possible_options,
}: QueryBundle): number {
  const texts = [
    question,
    context_summary,
    ...relevant_snippets.flatMap(({ file: path, content }) => [path, content]),
    ...plan_references.flatMap(({ section, quote }) => [section, quote ?? '']),
    ...(possible_options ?? []),
  ];
  return texts.reduce((sum, text) => sum + tokensIn(text), 0);
}

export function linesIn(text: string): number {
  return text.split('\n').length;
}
