/**
 * Strategy: what does the company put back into itself, what does an added dollar of sales bring, how steady is it?
 * The score at the end is a weighted sum with every factor shown. Weights and bounds are choices, stated here and in
 * the report; the score compares these five years of numbers, not companies' prospects.
 */
import type { Business } from './business.ts';
import type { AnnualFigures } from './figures.ts';
import { ends, freeCashFlow, growth, ratio, type Ratio } from './ratios.ts';
import type { Screening } from './screening.ts';
import { clamp, mean, populationStandardDeviation } from './statistics.ts';

/** An incremental margin divides by the change of revenue; below 1 % growth that quotient says nothing. */
export const INCREMENTAL_GROWTH_MIN = 0.01;

/** The strategy figures of one year, as fractions. */
export interface StrategyYear {
  readonly fiscalYear: number;
  /** Capital expenditure / operating cash flow. */
  readonly capitalReinvestment: Ratio;
  /** (Capital expenditure + R&D) / (operating cash flow + R&D): R&D is spending too. `null` without an R&D line. */
  readonly broadReinvestment: Ratio;
  /** Change of operating income / change of revenue; `null` unless revenue grew by at least 1 %. */
  readonly incrementalOperatingMargin: Ratio;
}

/** One part of the score. */
export interface ScoreFactor {
  readonly factor: string;
  /** The measured value, a fraction. */
  readonly value: number;
  /** The value that earns 0 points, and the one that earns 100; between them it is a straight line. */
  readonly worst: number;
  readonly best: number;
  /** Points, 0 to 100. */
  readonly points: number;
  /** Part of the whole, a fraction; all weights sum to 1. */
  readonly weight: number;
}

/** Output of the strategy stage. */
export interface Strategy {
  readonly ticker: string;
  readonly years: readonly StrategyYear[];
  /** Change of operating income / change of revenue from the first to the last year. */
  readonly incrementalOperatingMarginOverall: Ratio;
  /** Population standard deviation of the yearly revenue growth, a fraction. */
  readonly growthDeviation: number;
  /** Population standard deviation of the yearly operating margin, a fraction. */
  readonly marginDeviation: number;
  /** Weighted sum of the factors' points, 0 to 100. */
  readonly score: number;
  readonly factors: readonly ScoreFactor[];
}

/** Computes reinvestment, incremental margins, variability and the score. */
export function analyseStrategy(screening: Screening, business: Business): Strategy {
  const { ticker, figures } = screening;
  const growthDeviation = populationStandardDeviation(known(business.years.map((year) => year.revenueGrowth)));
  const marginDeviation = populationStandardDeviation(known(business.years.map((year) => year.operatingMargin)));
  const { first, last } = ends(figures);
  const incrementalOperatingMarginOverall = incrementalMargin(first, last);
  const factors = [
    factor('revenue growth, compound', screening.revenueGrowthCompound, { worst: 0, best: 0.2, weight: 0.25 }),
    factor('operating margin, mean', mean(known(business.years.map((year) => year.operatingMargin))), {
      worst: 0,
      best: 0.4,
      weight: 0.2,
    }),
    // Without growth there is no incremental margin, and so nothing to give points for.
    factor('incremental operating margin, overall', incrementalOperatingMarginOverall ?? 0, {
      worst: 0,
      best: 0.4,
      weight: 0.2,
    }),
    factor('years with positive free cash flow', selfFundedShare(figures), { worst: 0, best: 1, weight: 0.1 }),
    factor('growth, standard deviation', growthDeviation, { worst: 0.25, best: 0, weight: 0.15 }),
    factor('operating margin, standard deviation', marginDeviation, { worst: 0.1, best: 0, weight: 0.1 }),
  ];
  return {
    ticker,
    years: figures.map((row, index) => strategyYear(row, figures[index - 1])),
    incrementalOperatingMarginOverall,
    growthDeviation,
    marginDeviation,
    score: factors.reduce((sum, { points, weight }) => sum + points * weight, 0),
    factors,
  };
}

function strategyYear(row: AnnualFigures, previous: AnnualFigures | undefined): StrategyYear {
  const research = row.researchAndDevelopment;
  return {
    fiscalYear: row.fiscalYear,
    capitalReinvestment: ratio(row.capitalExpenditure, row.operatingCashFlow),
    broadReinvestment:
      research === null ? null : ratio(row.capitalExpenditure + research, row.operatingCashFlow + research),
    incrementalOperatingMargin: previous === undefined ? null : incrementalMargin(previous, row),
  };
}

function incrementalMargin(from: AnnualFigures, to: AnnualFigures): Ratio {
  const grown = growth(from.revenue, to.revenue);
  if (grown === null || grown < INCREMENTAL_GROWTH_MIN) return null;
  return (to.operatingIncome - from.operatingIncome) / (to.revenue - from.revenue);
}

function selfFundedShare(figures: readonly AnnualFigures[]): number {
  return figures.filter((row) => freeCashFlow(row) > 0).length / figures.length;
}

function factor(
  name: string,
  value: number,
  { worst, best, weight }: { worst: number; best: number; weight: number },
): ScoreFactor {
  return { factor: name, value, worst, best, points: clamp((value - worst) / (best - worst), 0, 1) * 100, weight };
}

function known(values: readonly Ratio[]): number[] {
  return values.filter((value) => value !== null);
}
