/**
 * The trend of an agent's accuracy: a regression on rolling accuracy, extrapolated six months (CA-108, CA-109). Pure.
 */
import { linearRegression, linearRegressionLine, rSquared } from 'simple-statistics';
import { z } from 'zod';

export interface AccuracyPoint {
  readonly atYears: number;
  /** Accuracy from 0 to 1. */
  readonly accuracy: number;
}

export const trendSchema = z.object({
  slopePerYear: z.number(),
  /** The share of the variance that the line explains. */
  rSquared: z.number().min(0).max(1),
  direction: z.enum(['improving', 'degrading', 'stable']),
});
export type Trend = Readonly<z.infer<typeof trendSchema>>;

/** The least number of points for a trend: a year of weeks. */
const POINTS_MIN = 52;
const SLOPE_STABLE = 0.05;
const R_SQUARED_MIN = 0.3;
const FORWARD_YEARS = 0.5;
const EXTRAPOLATED_MAX = 0.95;
const CURRENT_WEIGHT = 0.7;

/** The trend of the points; null with fewer than 52 weekly points, or if all points have the same time. */
export function trendOf(points: readonly AccuracyPoint[]): Trend | null {
  if (points.length < POINTS_MIN) return null;
  const pairs = points.map(({ atYears, accuracy }) => [atYears, accuracy]);
  const line = linearRegression(pairs);
  if (!Number.isFinite(line.m)) return null;
  const explained = rSquared(pairs, linearRegressionLine(line));
  // A constant accuracy has no variance to explain.
  return trend(line.m, Number.isFinite(explained) ? Math.min(1, Math.max(0, explained)) : 0);
}

/** A trend from a given slope and explained share. */
export function trend(slopePerYear: number, explained: number): Trend {
  const direction = slopePerYear > SLOPE_STABLE ? 'improving' : slopePerYear < -SLOPE_STABLE ? 'degrading' : 'stable';
  return { slopePerYear, rSquared: explained, direction };
}

/**
 * The accuracy adjusted for the trend, and the extrapolated accuracy, which is null if the trend is too weak to count.
 */
export function trendAdjusted(
  currentAccuracy: number,
  known: Trend | null,
): { readonly adjusted: number; readonly extrapolated: number | null } {
  if (known === null || known.rSquared <= R_SQUARED_MIN) return { adjusted: currentAccuracy, extrapolated: null };
  const extrapolated = Math.min(EXTRAPOLATED_MAX, Math.max(0, currentAccuracy + known.slopePerYear * FORWARD_YEARS));
  return { adjusted: currentAccuracy * CURRENT_WEIGHT + extrapolated * (1 - CURRENT_WEIGHT), extrapolated };
}
