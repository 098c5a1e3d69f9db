/**
 * The score of a reply (seed 000, MX-062): three dimensions, their mean, the bound at which a reply passes, and the
 * follow-up for one that does not. How the dimensions are found is the business of the rule in clarity.ts or of the
 * host's port. Pure.
 */
import { z } from 'zod';
import { type TicketEvidence } from '../tickets/ticket-messages.ts';
import { type PortContract } from '../../work/port.ts';

/** The total at which a reply passes (MX-059, MX-076). */
export const CLARITY_PASS = 85;

/** Most follow-up questions about one reply (MX-098). */
const QUESTIONS_MAX = 3;

/** Most characters of each text of a point: one line. */
const POINT_CHARS_MAX = 300;

/** A reply to be scored, with the facts needed to score it. */
export interface ClarityInput {
  readonly title: string;
  readonly description: string;
  readonly options: readonly string[];
  readonly evidence: readonly TicketEvidence[];
  readonly reply: string;
  /** The option chosen in a form; null if there is none. */
  readonly option: string | null;
  /** Earlier replies to the same question, the oldest first. */
  readonly earlier: readonly string[];
}

const dimension = z.number().min(0).max(100);

/** The schema of a point on which a reply is not clear enough. */
const point = z.object({
  /** The missing part, in a few words: `the number for "How many retries?"`. */
  missing: z.string().min(1).max(POINT_CHARS_MAX),
  /** The question that asks for the missing part. */
  question: z.string().min(1).max(POINT_CHARS_MAX),
});
export type ClarityPoint = z.output<typeof point>;

/** The schema of a score, from the rule or from a port of the host. */
export const clarityScore = z.object({
  /** Whether the reply is unambiguous. */
  clarity: dimension,
  /** Whether the reply answers all parts of the question. */
  completeness: dimension,
  /** Whether the reply agrees with the evidence. */
  accuracy: dimension,
  /** The unclear points, the most important first. */
  points: z.array(point).max(20),
});
/** The clarity, completeness and accuracy of a reply, 0 to 100 each, with the points on which it is unclear. */
export type ClarityScore = z.output<typeof clarityScore>;

/** The contract of a host's port for scores. A late or malformed score is replaced by the rule's. */
export const CLARITY_CONTRACT: Omit<PortContract<ClarityScore>, 'timeoutMs'> = {
  what: 'the clarity of the reply',
  answer: clarityScore,
};

/** A score with its total and verdict. */
export interface ClarityVerdict extends ClarityScore {
  /** The mean of the three dimensions, to one decimal. */
  readonly total: number;
  readonly isPassed: boolean;
}

/** The verdict on a score: it passes at a total of 85. */
export function verdictOf(score: ClarityScore): ClarityVerdict {
  const total = Math.round(((score.clarity + score.completeness + score.accuracy) / 3) * 10) / 10;
  return { ...score, total, isPassed: total >= CLARITY_PASS };
}

/** The follow-up to a reply that has not passed (MX-060), with at most three questions. */
export function followUpOf({ points }: ClarityScore): { readonly text: string; readonly questions: readonly string[] } {
  const asked = points.slice(0, QUESTIONS_MAX);
  const what = asked.length === 0 ? 'what is to be done' : asked.map(({ missing }) => missing).join('; ');
  return { text: `Not fully clear. Please clarify ${what}.`, questions: asked.map(({ question }) => question) };
}
