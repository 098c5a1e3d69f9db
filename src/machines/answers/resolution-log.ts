/**
 * The log of the answer desk (AT-051): one entry for each question that was resolved, settled by a person, corrected or
 * judged by what came of it. Entries hold figures and ids and no text, so that erasing a person's words leaves the log
 * whole. Pure.
 */
import { z } from 'zod';
import { percent, priority } from './bundle.ts';
import { triggerName } from './triggers.ts';

/** The first outcome of a question. */
export const OUTCOMES = [
  /** Answered from evidence, at or above the threshold. */
  'direct',
  /** Answered from the cache. */
  'cached',
  /** Answered with a person's earlier answer. */
  'precedent',
  /** Answered provisionally, with a confidence of 40 to 69 %, and a ticket. */
  'provisional',
  /** The question was not answered; a ticket asks a person. */
  'escalated',
  /** The question was neither answered nor made a ticket, because its trigger or a person demanded that. */
  'unanswered',
] as const;

const id = z.string().max(200);
const entry = z.object({ question: id, atMs: z.number() });

const resolved = entry.extend({
  kind: z.literal('resolved'),
  trigger: triggerName,
  priority,
  outcome: z.enum(OUTCOMES),
  confidence: percent,
  /** Milliseconds from the question to the answer or ticket. */
  afterMs: z.number(),
  deadlineMs: z.number(),
  hasTimedOut: z.boolean(),
  tokens: z.number(),
  sources: z.number(),
  /** Whether the asker had asked the same question before and had got an answer. */
  isFollowUp: z.boolean(),
});
const settled = entry.extend({
  kind: z.literal('settled'),
  outcome: z.enum(['answered', 'confirmed', 'revoked', 'unanswered']),
  /** The clarity of the person's reply; null if a person closed the ticket by hand. */
  clarity: percent.nullable(),
});
const corrected = entry.extend({ kind: z.literal('corrected'), users: z.number() });
const judged = entry.extend({
  kind: z.literal('judged'),
  /** The confidence of the answer. */
  confidence: percent,
  wasRight: z.boolean(),
  /** Source of the judgement: `time` is a day without a correction, `confirmation` a person's word about a draft. */
  from: z.enum(['report', 'time', 'correction', 'confirmation']).default('report'),
  /** Whether the answer was judged for the first time, as before, or otherwise than before. */
  verdict: z.enum(['first', 'repeated', 'changed']).default('first'),
  /** Whether the sources support the answer; null if nobody checked. */
  hadRightSources: z.boolean().nullable(),
  /** A rating from 1 to 5; null if nobody gave one. */
  satisfaction: z.number().min(1).max(5).nullable(),
});

/** An entry of the log. */
export const logEntry = z.discriminatedUnion('kind', [resolved, settled, corrected, judged]);
export type LogEntry = z.output<typeof logEntry>;
/** The entry of a question's first answer or ticket. */
export type Resolved = Extract<LogEntry, { readonly kind: 'resolved' }>;
/** The entry of what became of an answer. */
export type Judged = Extract<LogEntry, { readonly kind: 'judged' }>;
export type Outcome = Resolved['outcome'];

/** Whether a question was given to people. */
export function isEscalation({ outcome }: Pick<Resolved, 'outcome'>): boolean {
  return outcome === 'provisional' || outcome === 'escalated';
}
