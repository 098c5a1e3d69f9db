/**
 * The questions of a debate to people and the effects of their answers: at level 3 (CA-119, CA-120), and at the review
 * of a provisional or deferred debate (CA-132, CA-133). Pure.
 */
import { z } from 'zod';
import { formOf, type GateForm } from '../../people/gates/gate-form.ts';
import { type GateResult } from '../../people/gates/gate.ts';
import { type Side } from './level-two.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Time for an expert's decision (CA-119, CA-097). */
export const REVIEW_MS = 6 * HOUR_MS;

/** Extension for more evidence, granted once (CA-120). */
export const MORE_EVIDENCE_MS = 2 * HOUR_MS;

/** Time to answer a review, and the number of unanswered reviews after which a provisional value stands. */
export const GATE_REVIEW_MS = 24 * HOUR_MS;
export const GATE_REVIEWS_MAX = 3;

const side = z.enum(['challenger', 'challenged']);
const note = z.string().max(2_000).optional();
const confidence = z.number().min(0).max(1).optional();
const own = z.object({
  statement: z.string().min(1).max(2_000),
  value: z
    .union([z.number(), z.string().max(200)])
    .nullable()
    .optional(),
});

const decide = z.object({ action: z.literal('decide'), side, note, confidence });
/** A decision for the expert's own position. */
const decideOwn = z.object({ action: z.literal('decide-own'), own, note, confidence });
const accept = z.object({ action: z.literal('accept-recommendation'), note, confidence });
const more = z.object({ action: z.literal('request-evidence'), note });
const postpone = z.object({ action: z.literal('defer'), note });
const confirm = z.object({ action: z.literal('confirm'), note, confidence });
const override = z.object({
  action: z.literal('override'),
  side: side.optional(),
  own: own.optional(),
  note,
  confidence,
});
const redebate = z.object({ action: z.literal('redebate'), context: z.string().min(1).max(2_000) });

const answer = z.union([decide, decideOwn, accept, more, postpone, confirm, override, redebate]);
export type ReviewAnswer = z.infer<typeof answer>;

/** The form of an expert's answer. The expert may ask for more evidence once, and may defer only supporting debates. */
export function level3Form({
  canAskMore,
  canDefer,
}: {
  readonly canAskMore: boolean;
  readonly canDefer: boolean;
}): GateForm {
  return formOf(z.union([decide, decideOwn, accept, ...(canAskMore ? [more] : []), ...(canDefer ? [postpone] : [])]));
}

export function gateReviewForm(isProvisional: boolean): GateForm {
  return formOf(isProvisional ? z.union([confirm, override, redebate]) : z.union([decide, decideOwn, redebate]));
}

/** The answer of people; null if there is none. The gate has checked it against its form. */
export function reviewAnswer({ outcome, answer: given }: Pick<GateResult, 'outcome' | 'answer'>): ReviewAnswer | null {
  return outcome === 'answered' ? (answer.safeParse(given).data ?? null) : null;
}

/** The decision: one of the two positions, or another one. */
export interface ReviewDecision {
  readonly side: Side | null;
  readonly own: { readonly statement: string; readonly value: number | string | null } | null;
  readonly confidence: number;
  readonly note: string | null;
}

/**
 * Reads the decision from a reviewer's answer.
 *
 * @param recommended The side that `accept-recommendation` accepts.
 * @param applied The provisional side, which `confirm` confirms; `override` without a side chooses the other one.
 * @returns null if the answer decides nothing.
 */
export function decisionOf(
  given: ReviewAnswer,
  { recommended, applied }: { readonly recommended: Side; readonly applied: Side | null },
): ReviewDecision | null {
  const decision = (
    chosen: Side | null,
    { note: said, confidence: trust }: { note?: string | undefined; confidence?: number | undefined },
  ): ReviewDecision => ({
    side: chosen,
    own: null,
    // People who reviewed the position and state no confidence have no doubt.
    confidence: trust ?? 1,
    note: said ?? null,
  });
  const ownOf = ({ statement, value = null }: z.infer<typeof own>) => ({ statement, value });
  switch (given.action) {
    case 'decide':
      return decision(given.side, given);
    case 'decide-own':
      return { ...decision(null, given), own: ownOf(given.own) };
    case 'accept-recommendation':
      return decision(recommended, given);
    case 'confirm':
      return decision(applied, given);
    case 'override': {
      if (given.own !== undefined) return { ...decision(null, given), own: ownOf(given.own) };
      return decision(given.side ?? (applied === 'challenger' ? 'challenged' : 'challenger'), given);
    }
    default:
      return null;
  }
}
