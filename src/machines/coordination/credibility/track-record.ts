/**
 * Track records: the figures that credibility.ts needs, computed from single observations of an agent for the context
 * of one debate. The desk keeps observations; a host with a memory of its own supplies track records instead. Pure.
 */
import { z } from 'zod';
import { CONTEXT_DIMENSIONS_MAX, contextMatch } from './context-match.ts';
import { type TrackRecord } from './credibility.ts';
import { type AccuracyPoint, trendOf } from './trend.ts';

/** The context of a dispute or an observation. Each field of work names its own dimensions. */
export const contextSchema = z
  .record(z.string().min(1).max(100), z.string().max(200).optional())
  .refine((context) => Object.keys(context).length <= CONTEXT_DIMENSIONS_MAX, {
    error: `a context has at most ${CONTEXT_DIMENSIONS_MAX} dimensions`,
  });

/** One statement of an agent and its outcome. */
export const observation = z.object({
  atMs: z.number(),
  context: contextSchema,
  regime: z.string().max(100),
  /** Whether the statement proved right; null if not known yet. */
  isRight: z.boolean().nullable(),
  /** Whether people overrode the statement; null if nobody was asked. */
  isOverridden: z.boolean().nullable(),
  /** Whether it is the outcome of a debate, which counts unless people quarantine it. */
  ofDebate: z.boolean().optional(),
});
export type Observation = z.infer<typeof observation>;

const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
const YEAR_MS = 365.25 * 24 * 60 * 60 * 1000;

/** Rolling accuracy: over a quarter, computed for every week of two years. */
const ROLLING_WEEKS = 13;
const ROLLING_POINTS = 104;

/** Accuracy of an unknown agent: as likely right as wrong. */
const ACCURACY_UNKNOWN = 0.5;

export function trackRecordOf(
  observations: readonly Observation[],
  {
    context,
    nowMs,
    halfLifeYears,
  }: { readonly context: Observation['context']; readonly nowMs: number; readonly halfLifeYears: number },
): TrackRecord {
  const judged = observations.filter(({ isRight }) => isRight !== null);
  const { weight, quality, similar } = contextMatch(judged, context);
  const overallAccuracy = accuracyOf(judged) ?? ACCURACY_UNKNOWN;
  const points = rollingAccuracy(judged, nowMs);
  return {
    contextAccuracy: accuracyOf(similar) ?? overallAccuracy,
    contextWeight: weight,
    contextMatch: quality,
    overallAccuracy,
    samples: similar.length,
    ageYears: meanOf(judged.map(({ atMs }) => Math.max(0, nowMs - atMs) / YEAR_MS)) ?? 0,
    halfLifeYears,
    regimes: byRegime(judged),
    currentAccuracy: points.at(-1)?.accuracy ?? overallAccuracy,
    trend: trendOf(points),
    overrideRate:
      meanOf(observations.flatMap(({ isOverridden }) => (isOverridden === null ? [] : [Number(isOverridden)]))) ?? 0,
  };
}

/**
 * The rolling accuracy, one point a week, the latest last. Weeks without observations in their quarter are left out.
 */
export function rollingAccuracy(observations: readonly Observation[], nowMs: number): readonly AccuracyPoint[] {
  return Array.from({ length: ROLLING_POINTS }, (_, index) => ROLLING_POINTS - 1 - index).flatMap((weeksAgo) => {
    const atMs = nowMs - weeksAgo * WEEK_MS;
    const accuracy = accuracyOf(
      observations.filter((one) => one.atMs <= atMs && one.atMs > atMs - ROLLING_WEEKS * WEEK_MS),
    );
    return accuracy === undefined ? [] : [{ atYears: (-weeksAgo * WEEK_MS) / YEAR_MS, accuracy }];
  });
}

function byRegime(judged: readonly Observation[]): TrackRecord['regimes'] {
  const regimes = [...new Set(judged.map(({ regime }) => regime))];
  return Object.fromEntries(
    regimes.map((name) => {
      const own = judged.filter(({ regime }) => regime === name);
      return [name, { accuracy: accuracyOf(own)!, samples: own.length }]; // every name comes from an observation
    }),
  );
}

function accuracyOf(observations: readonly Observation[]): number | undefined {
  return meanOf(observations.map(({ isRight }) => Number(isRight)));
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
