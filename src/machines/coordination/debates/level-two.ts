/**
 * Level 2: whether the facilitator may resolve a debate by credibility, and for whom (CA-101, CA-102, CA-112, CA-116 to
 * CA-118). Pure.
 */
import { type Credibility } from '../credibility/credibility.ts';
import { type DebatePriority } from './routing.ts';

export type Side = 'challenger' | 'challenged';

/** What goes with a debate to people, and into its record. */
export interface Analysis {
  readonly challenger: Credibility;
  readonly challenged: Credibility;
  readonly regime: string;
  readonly differential: number;
  /** What the differential has to exceed. */
  readonly required: number;
  readonly higher: Side | null;
  /** What could not be found out, in words. */
  readonly notKnown: readonly string[];
}

/** What has to hold, each with whether it does. */
export interface Condition {
  readonly rule: string;
  readonly isMet: boolean;
}

/** CA-101, CA-118. */
const SAMPLES_MIN = 15;
const DIFFERENTIAL_MIN = 0.25;

/** Scores are products of fractions; what differs by less than this is equal, so that equality escalates. */
const PRECISION = 1e-9;

export function analyse(facts: Pick<Analysis, 'challenger' | 'challenged' | 'regime' | 'notKnown'>): Analysis {
  const { challenger, challenged } = facts;
  const difference = challenger.score - challenged.score;
  return {
    ...facts,
    differential: Math.abs(difference),
    required: requiredDifferential(challenger, challenged),
    higher: Math.abs(difference) < PRECISION ? null : difference > 0 ? 'challenger' : 'challenged',
  };
}

/** CA-102: the scores have to be further apart than their intervals reach. */
export function requiredDifferential(a: Pick<Credibility, 'interval'>, b: Pick<Credibility, 'interval'>): number {
  return Math.max(DIFFERENTIAL_MIN, a.interval + b.interval);
}

/**
 * All that has to hold for the facilitator to resolve by itself.
 *
 * @param isOverflow The experts are full: then a debate on the critical path may be resolved here too.
 */
export function conditionsOf(
  analysis: Analysis,
  {
    priority,
    isOverflow,
    isInGoodFaith,
  }: { readonly priority: DebatePriority; readonly isOverflow: boolean; readonly isInGoodFaith: boolean },
): readonly Condition[] {
  const { challenger, challenged, differential, required } = analysis;
  return [
    {
      rule: `${SAMPLES_MIN} data points each in similar context`,
      isMet: Math.min(challenger.samples, challenged.samples) >= SAMPLES_MIN,
    },
    { rule: `a differential above ${required.toFixed(3)}`, isMet: differential - required > PRECISION },
    {
      rule: 'not on the critical path, unless the experts are full',
      isMet: priority !== 'critical-path' || isOverflow,
    },
    { rule: 'both gave evidence in good faith', isMet: isInGoodFaith },
  ];
}

/** Whose position the facilitator makes binding; null: it goes on to people. */
export function level2Winner(analysis: Analysis, facts: Parameters<typeof conditionsOf>[1]): Side | null {
  return conditionsOf(analysis, facts).every(({ isMet }) => isMet) ? analysis.higher : null;
}
