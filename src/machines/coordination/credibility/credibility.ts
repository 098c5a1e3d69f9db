/**
 * How far an agent is to be believed in a context (CA-103 to CA-112, CA-115): every factor with what it was worked out
 * from, so that people can check it. The product is the seed's, read literally: its factors are accuracies, so
 * that an agent that is right nine times out of ten in all of them scores 0.73. `normalised` takes regime and trend as
 * ratios to the base accuracy instead. Pure.
 */
import { z } from 'zod';
import { REGIME_UNKNOWN } from './regime.ts';
import { type Trend, trendAdjusted, trendSchema } from './trend.ts';
import { wilsonHalfWidth } from './wilson.ts';

export type CredibilityFormula = 'product' | 'normalised';

const share = z.number().min(0).max(1);

/** What is known of an agent, seen from the context of one debate. */
export const trackRecordSchema = z.object({
  contextAccuracy: share,
  /** How much the context counts against the whole (context-match.ts). */
  contextWeight: share,
  contextMatch: z.enum(['exact', 'strong', 'weak', 'none']),
  overallAccuracy: share,
  /** Observations in similar context. */
  samples: z.int().nonnegative(),
  /** Mean age of the observations. */
  ageYears: z.number().nonnegative(),
  halfLifeYears: z.number().positive(),
  regimes: z.record(z.string(), z.object({ accuracy: share, samples: z.int().nonnegative() })),
  currentAccuracy: share,
  trend: trendSchema.nullable(),
  /** How often people decided against the agent. */
  overrideRate: share,
});
export type TrackRecord = Readonly<z.infer<typeof trackRecordSchema>>;

/** A score and all that it comes from. */
export interface Credibility {
  readonly formula: CredibilityFormula;
  /** From 0 to 1. */
  readonly score: number;
  /** Half the width of its confidence interval. */
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
  /** Strength of what the agent has put forward in this debate, from 0 to 1 (CA-115). Recorded, no factor. */
  readonly evidenceQuality: number;
}

/** CA-104, CA-105: years in which an observation loses half its weight, by type of agent. */
const HALF_LIFE_YEARS = 2;
const HALF_LIVES: Readonly<Record<string, number>> = { news: 0.5, financial: 3, strategy: 2, valuation: 2 };

/** CA-106. */
const REGIME_SAMPLES_MIN = 50;
const REGIME_WEIGHT = 0.7;

/** CA-110, strictly greater. */
const OVERRIDES: readonly { readonly above: number; readonly penalty: number }[] = [
  { above: 0.4, penalty: 0.7 },
  { above: 0.2, penalty: 0.85 },
];

/** @param own Half-lives that the host declares, which come first. */
export function halfLifeOf(agentType: string, own: Readonly<Record<string, number>> = {}): number {
  const type = agentType.toLowerCase();
  return own[agentType] ?? HALF_LIVES[type] ?? HALF_LIFE_YEARS;
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
    interval: wilsonHalfWidth(score, samples), // of the final score
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

/** Without a sample of the regime the whole speaks for it. */
function regimeAdjustment(overallAccuracy: number, known: { accuracy: number; samples: number } | undefined): number {
  if (known === undefined || known.samples === 0) return overallAccuracy;
  const weight = known.samples >= REGIME_SAMPLES_MIN ? REGIME_WEIGHT : 1 - REGIME_WEIGHT;
  return known.accuracy * weight + overallAccuracy * (1 - weight);
}

type Factors = Readonly<Record<'base' | 'temporal' | 'regime' | 'trended' | 'penalty', number>>;

function product({ base, temporal, regime, trended, penalty }: Factors): number {
  return base * temporal * regime * trended * penalty;
}

/**
 * An agent is at most so many times as good in a regime, or by its trend, as at large: a small base must not make a
 * large score.
 */
const RATIO_MAX = 2;

function normalised({ base, temporal, regime, trended, penalty }: Factors): number {
  const ratio = (factor: number) => Math.min(RATIO_MAX, factor / base);
  return base === 0 ? 0 : base * temporal * ratio(regime) * ratio(trended) * penalty;
}
