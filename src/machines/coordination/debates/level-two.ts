/**
 * Level 2: whether the facilitator may resolve a debate by credibility, and in whose favour (CA-101, CA-102, CA-112,
 * CA-116 to CA-118). Pure.
 */
import { type Credibility } from '../credibility/credibility.ts';
import { type GateDecision, judge, type ThresholdGate } from '../../work/threshold-gate.ts';
import { type DebateUrgency } from './routing.ts';

export type Side = 'challenger' | 'challenged';

/** The facilitator's analysis, which goes into the package for people and into the record. */
export interface Analysis {
  readonly challenger: Credibility;
  readonly challenged: Credibility;
  readonly regime: string;
  readonly differential: number;
  /** The bound that the differential has to exceed. */
  readonly required: number;
  readonly higher: Side | null;
  /** Samples and differential against their thresholds. */
  readonly decisions: readonly GateDecision[];
  /** Facts that could not be determined, in words. */
  readonly notKnown: readonly string[];
}

/** A condition and whether it is met. */
export interface Condition {
  readonly rule: string;
  readonly isMet: boolean;
}

/** The gate on the number of samples (CA-101, CA-118). */
const SAMPLES = {
  gate: 'data points of the side with fewer',
  passes: 'atLeast',
  threshold: 15,
  onPass: 'facilitator',
  onFail: 'people',
} as const satisfies ThresholdGate;
const DIFFERENTIAL_MIN = 0.25;

/**
 * Tolerance of scores, which are products of fractions: scores that differ by less are equal, so that equality
 * escalates.
 */
const PRECISION = 1e-9;

/** The gate on the differential, which has to exceed the bound (CA-102). */
function withinChance(required: number): ThresholdGate {
  return {
    gate: 'differential too small to decide',
    passes: 'atMost',
    threshold: required + PRECISION,
    onPass: 'people',
    onFail: 'facilitator',
  };
}

export function analyse(facts: Pick<Analysis, 'challenger' | 'challenged' | 'regime' | 'notKnown'>): Analysis {
  const { challenger, challenged } = facts;
  const difference = challenger.score - challenged.score;
  const differential = Math.abs(difference);
  const required = requiredDifferential(challenger, challenged);
  return {
    ...facts,
    differential,
    required,
    decisions: [
      judge(SAMPLES, Math.min(challenger.samples, challenged.samples)),
      judge(withinChance(required), differential),
    ],
    higher: Math.abs(difference) < PRECISION ? null : difference > 0 ? 'challenger' : 'challenged',
  };
}

/** The required differential: the sum of both intervals, with a minimum (CA-102). */
export function requiredDifferential(a: Pick<Credibility, 'interval'>, b: Pick<Credibility, 'interval'>): number {
  return Math.max(DIFFERENTIAL_MIN, a.interval + b.interval);
}

/**
 * The conditions for a resolution by the facilitator.
 *
 * @param isOverflow Whether the experts are full; then a debate on the critical path may be resolved here too.
 */
export function conditionsOf(
  analysis: Analysis,
  {
    urgency,
    isOverflow,
    isInGoodFaith,
  }: { readonly urgency: DebateUrgency; readonly isOverflow: boolean; readonly isInGoodFaith: boolean },
): readonly Condition[] {
  const { required, decisions } = analysis;
  return [
    {
      rule: `${SAMPLES.threshold} data points each in similar context`,
      isMet: decisions[0]!.outcome === 'facilitator', // analyse makes both
    },
    { rule: `a differential above ${required.toFixed(3)}`, isMet: decisions[1]!.outcome === 'facilitator' },
    {
      rule: 'not on the critical path, unless the experts are full',
      isMet: urgency !== 'critical-path' || isOverflow,
    },
    { rule: 'both gave evidence in good faith', isMet: isInGoodFaith },
  ];
}

/** The side whose position the facilitator makes binding; null: the debate goes on to people. */
export function level2Winner(analysis: Analysis, facts: Parameters<typeof conditionsOf>[1]): Side | null {
  return conditionsOf(analysis, facts).every(({ isMet }) => isMet) ? analysis.higher : null;
}
