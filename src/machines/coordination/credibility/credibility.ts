/**
 * The credibility of an agent in a context (CA-103 to CA-112, CA-115): every factor with its inputs, so that people can
 * check it. `product` is the seed's formula, read literally: its factors are accuracies, so an agent that is
 * right nine times out of ten in all of them scores 0.73. `normalised` uses regime and trend as ratios to the base
 * accuracy instead. Pure.
 */
import { z } from 'zod';
import { REGIME_UNKNOWN } from './regime.ts';
import { type Trend, trendAdjusted, trendSchema } from './trend.ts';
import { wilsonHalfWidth } from './wilson.ts';

export type CredibilityFormula = 'product' | 'normalised';

const share = z.number().min(0).max(1);

/** An agent's track record in the context of one debate. */
export const trackRecordSchema = z.object({
  contextAccuracy: share,
  /** Weight of the context's accuracy relative to the overall accuracy (context-match.ts). */
  contextWeight: share,
  contextMatch: z.enum(['exact', 'strong', 'weak', 'none']),
  overallAccuracy: share,
  /** Observations in a similar context. */
  samples: z.int().nonnegative(),
  /** Mean age of the observations. */
  ageYears: z.number().nonnegative(),
  halfLifeYears: z.number().positive(),
  regimes: z.record(z.string(), z.object({ accuracy: share, samples: z.int().nonnegative() })),
  currentAccuracy: share,
  trend: trendSchema.nullable(),
  /** Share of decisions in which people overrode the agent. */
  overrideRate: share,
});
export type TrackRecord = Readonly<z.infer<typeof trackRecordSchema>>;

/** A score and all its inputs. */
export interface Credibility {
  readonly formula: CredibilityFormula;
  /** The score, from 0 to 1. */
  readonly score: number;
  /** Half the width of the score's confidence interval. */
  readonly interval: number;
  readonly samples: number;
  readonly factors: {
    readonly base: { readonly value: number } & Pick<
      TrackRecord,
      'contextAccuracy' | 'contextWeight' | 'contextMatch' | 'overallAccuracy'
    >;
    readonly temporal: { readonly value: number; readonly ageYears: number; readonly halfLifeYears: number };
    readonly regime: {
      readonly value: number;
      readonly regime: string;
      readonly accuracy: number | null;
      readonly samples: number;
    };
    readonly trend: {
      readonly value: number;
      readonly currentAccuracy: number;
      readonly extrapolated: number | null;
      readonly trend: Trend | null;
    };
    readonly override: { readonly value: number; readonly rate: number };
  };
  /** Strength of the agent's evidence in this debate, from 0 to 1 (CA-115). Recorded, but not a factor. */
  readonly evidenceQuality: number;
}

/** Default years in which an observation loses half its weight (CA-104). */
export const HALF_LIFE_YEARS = 2;

/** Number of samples from which a regime's accuracy has the larger weight, and that weight (CA-106). */
const REGIME_SAMPLES_MIN = 50;
const REGIME_WEIGHT = 0.7;

/** Penalties by override rate (CA-110); the rate has to be strictly greater. */
const OVERRIDES: readonly { readonly above: number; readonly penalty: number }[] = [
  { above: 0.4, penalty: 0.7 },
  { above: 0.2, penalty: 0.85 },
];

/**
 * The half-life of an agent type's observations, in years.
 *
 * @param declared Half-lives by agent type, in years.
 */
export function halfLifeOf(agentType: string, declared: Readonly<Record<string, number>> = {}): number {
  return declared[agentType] ?? HALF_LIFE_YEARS;
}

export function credibilityOf(
  record: TrackRecord,
  {
    regime,
    evidenceQuality,
    formula = 'product',
  }: { readonly regime: string; readonly evidenceQuality: number; readonly formula?: CredibilityFormula },
): Credibility {
  const {
    contextAccuracy,
    contextWeight,
    overallAccuracy,
    ageYears,
    halfLifeYears,
    currentAccuracy,
    overrideRate,
    samples,
  } = record;
  const base = contextAccuracy * contextWeight + overallAccuracy * (1 - contextWeight);
  const temporal = 0.5 ** (ageYears / halfLifeYears);
  const inRegime = regime === REGIME_UNKNOWN ? undefined : record.regimes[regime];
  const regimeAdjusted = regimeAdjustment(overallAccuracy, inRegime);
  const { adjusted, extrapolated } = trendAdjusted(currentAccuracy, record.trend);
  const penalty = OVERRIDES.find(({ above }) => overrideRate > above)?.penalty ?? 1;
  const factors = { base, temporal, regime: regimeAdjusted, trended: adjusted, penalty };
  const raw = formula === 'product' ? product(factors) : normalised(factors);
  const score = Math.min(1, Math.max(0, raw));
  return {
    formula,
    score,
    interval: wilsonHalfWidth(score, samples), // the interval of the final score
    samples,
    factors: {
      base: { value: base, contextAccuracy, contextWeight, contextMatch: record.contextMatch, overallAccuracy },
      temporal: { value: temporal, ageYears, halfLifeYears },
      regime: { value: regimeAdjusted, regime, accuracy: inRegime?.accuracy ?? null, samples: inRegime?.samples ?? 0 },
      trend: { value: adjusted, currentAccuracy, extrapolated, trend: record.trend },
      override: { value: penalty, rate: overrideRate },
    },
    evidenceQuality,
  };
}

/** The accuracy adjusted for the regime. Without a sample of the regime it is the overall accuracy. */
function regimeAdjustment(overallAccuracy: number, known: { accuracy: number; samples: number } | undefined): number {
  if (known === undefined || known.samples === 0) return overallAccuracy;
  const weight = known.samples >= REGIME_SAMPLES_MIN ? REGIME_WEIGHT : 1 - REGIME_WEIGHT;
  return known.accuracy * weight + overallAccuracy * (1 - weight);
}

type Factors = Readonly<Record<'base' | 'temporal' | 'regime' | 'trended' | 'penalty', number>>;

function product({ base, temporal, regime, trended, penalty }: Factors): number {
  return base * temporal * regime * trended * penalty;
}

/** Bound on the ratios of regime and trend: a small base accuracy must not produce a large score. */
const RATIO_MAX = 2;

function normalised({ base, temporal, regime, trended, penalty }: Factors): number {
  const ratio = (factor: number) => Math.min(RATIO_MAX, factor / base);
  return base === 0 ? 0 : base * temporal * ratio(regime) * ratio(trended) * penalty;
}
