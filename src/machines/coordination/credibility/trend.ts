/**
 * Where an agent's accuracy is heading: a regression on rolling accuracy, carried six months forward (CA-108, CA-109).
 * Pure.
 */
import { linearRegression, linearRegressionLine, rSquared } from 'simple-statistics';
import { z } from 'zod';

export interface AccuracyPoint {
  readonly atYears: number;
  /** From 0 to 1. */
  readonly accuracy: number;
}

export const trendSchema = z.object({
  slopePerYear: z.number(),
  /** How much of the movement the line explains. */
  rSquared: z.number().min(0).max(1),
  direction: z.enum(['improving', 'degrading', 'stable']),
});
export type Trend = Readonly<z.infer<typeof trendSchema>>;

/** A year of weeks. */
const POINTS_MIN = 52;
const SLOPE_STABLE = 0.05;
const R_SQUARED_MIN = 0.3;
const FORWARD_YEARS = 0.5;
const EXTRAPOLATED_MAX = 0.95;
const CURRENT_WEIGHT = 0.7;

/** Null with fewer than 52 weekly points, or where all of them are of one moment. */
export function trendOf(points: readonly AccuracyPoint[]): Trend | null {
  if (points.length < POINTS_MIN) return null;
  const pairs = points.map(({ atYears, accuracy }) => [atYears, accuracy]);
  const line = linearRegression(pairs);
  if (!Number.isFinite(line.m)) return null;
  const explained = rSquared(pairs, linearRegressionLine(line));
  // Accuracy that never moved has no variance to explain.
  return trend(line.m, Number.isFinite(explained) ? Math.min(1, Math.max(0, explained)) : 0);
}

/** A trend as somebody else worked it out. */
export function trend(slopePerYear: number, explained: number): Trend {
  const direction = slopePerYear > SLOPE_STABLE ? 'improving' : slopePerYear < -SLOPE_STABLE ? 'degrading' : 'stable';
  return { slopePerYear, rSquared: explained, direction };
}

/**
 * The accuracy to reckon with, and what it was carried forward to; null where the trend is not strong enough to count.
 */
export function trendAdjusted(
  currentAccuracy: number,
  known: Trend | null,
): { readonly adjusted: number; readonly extrapolated: number | null } {
  if (known === null || known.rSquared <= R_SQUARED_MIN) return { adjusted: currentAccuracy, extrapolated: null };
  const extrapolated = Math.min(EXTRAPOLATED_MAX, Math.max(0, currentAccuracy + known.slopePerYear * FORWARD_YEARS));
  return { adjusted: currentAccuracy * CURRENT_WEIGHT + extrapolated * (1 - CURRENT_WEIGHT), extrapolated };
}
