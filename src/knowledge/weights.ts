/** The weight of a piece of evidence by its kind and by how much of the question it covers. Pure. */
import { type EvidenceKind } from '../machines/answers/evidence.ts';

const WORTH: Readonly<Record<EvidenceKind, number>> = { declared: 1, decided: 1, used: 0.8, mentioned: 0.25 };

/** The share of a question that a line must cover to count as an answer. */
export const STATED_COVERAGE_MIN = 0.6;

/** The share of a question below which a mention is not shown. */
export const MENTION_COVERAGE_MIN = 0.3;

/**
 * The weight of a piece of evidence: from half the weight of its kind, if the line covers nothing else of the question,
 * to all of it.
 */
export function weightOf(kind: EvidenceKind, coverage: number): number {
  return WORTH[kind] * (0.5 + 0.5 * coverage);
}
