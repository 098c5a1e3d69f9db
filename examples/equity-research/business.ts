/**
 * Business: how fast does the company grow, what does it keep of a dollar of sales, and which way does that move?
 * The sentences are made from the numbers alone: nothing is known here about products, people or plans.
 */
import type { AnnualFigures } from './figures.ts';
import { money, percent, points } from './format.ts';
import { ends, growth, ratio, type Ratio } from './ratios.ts';
import type { Screening } from './screening.ts';
import { leastSquaresSlope } from './statistics.ts';

/** Below a tenth of a percentage point a year, a trend is called steady: the reports show one decimal. */
const STEADY_SLOPE_MAX = 0.001;

/** The business figures of one year, as fractions of revenue unless stated. */
export interface BusinessYear {
  readonly fiscalYear: number;
  /** Growth over the year before; `null` in the first year. */
  readonly revenueGrowth: Ratio;
  readonly grossMargin: Ratio;
  readonly operatingMargin: Ratio;
  readonly netMargin: Ratio;
  /** `null` where the company reports no research and development line. */
  readonly researchIntensity: Ratio;
  /** Capital expenditure over revenue. */
  readonly capitalIntensity: Ratio;
  /** US dollars: net income over diluted shares, computed, so it may differ by a cent from the reported figure. */
  readonly earningsPerDilutedShare: Ratio;
}

/** Change per year of the least-squares line through all years, as a fraction: 0.01 is one percentage point a year. */
export interface BusinessTrends {
  readonly grossMargin: number;
  readonly operatingMargin: number;
  readonly netMargin: number;
  readonly capitalIntensity: number;
  /** `null` unless every year is known. */
  readonly researchIntensity: number | null;
}

/** Output of the business stage. */
export interface Business {
  readonly ticker: string;
  readonly years: readonly BusinessYear[];
  readonly trends: BusinessTrends;
  readonly sentences: readonly string[];
}

/** Computes growth, margins and their trends from screened figures. */
export function analyseBusiness({ ticker, figures, revenueGrowthCompound }: Screening): Business {
  const years = figures.map((row, index) => businessYear(row, figures[index - 1]));
  const trends: BusinessTrends = {
    grossMargin: slopeOf(years, 'grossMargin') ?? 0,
    operatingMargin: slopeOf(years, 'operatingMargin') ?? 0,
    netMargin: slopeOf(years, 'netMargin') ?? 0,
    capitalIntensity: slopeOf(years, 'capitalIntensity') ?? 0,
    researchIntensity: slopeOf(years, 'researchIntensity'),
  };
  return { ticker, years, trends, sentences: describe(figures, years, trends, revenueGrowthCompound) };
}

function businessYear(row: AnnualFigures, previous: AnnualFigures | undefined): BusinessYear {
  return {
    fiscalYear: row.fiscalYear,
    revenueGrowth: previous === undefined ? null : growth(previous.revenue, row.revenue),
    grossMargin: ratio(row.revenue - row.costOfRevenue, row.revenue),
    operatingMargin: ratio(row.operatingIncome, row.revenue),
    netMargin: ratio(row.netIncome, row.revenue),
    researchIntensity: ratio(row.researchAndDevelopment, row.revenue),
    capitalIntensity: ratio(row.capitalExpenditure, row.revenue),
    earningsPerDilutedShare: ratio(row.netIncome, row.dilutedSharesMillions),
  };
}

function slopeOf(years: readonly BusinessYear[], measure: keyof BusinessTrends): number | null {
  const values = years.map((year) => year[measure]).filter((value) => value !== null);
  return values.length === years.length ? leastSquaresSlope(values) : null;
}

function describe(
  figures: readonly AnnualFigures[],
  years: readonly BusinessYear[],
  trends: BusinessTrends,
  compound: number,
): string[] {
  const { first, last } = ends(figures);
  const growths = years.slice(1).map((year) => ({ label: `FY${year.fiscalYear}`, rate: year.revenueGrowth ?? 0 }));
  const grew = growths.filter(({ rate }) => rate > 0).length;
  const bySpeed = ends(growths.toSorted((a, b) => a.rate - b.rate));
  return [
    `Revenue went from ${money(first.revenue)} to ${money(last.revenue)} USD million, ${percent(compound)} a year ` +
      `compound; it grew in ${grew} of ${growths.length} years.`,
    `The fastest year was ${bySpeed.last.label} (${percent(bySpeed.last.rate)}), ` +
      `the slowest ${bySpeed.first.label} (${percent(bySpeed.first.rate)}).`,
    trendSentence('Gross margin', years, 'grossMargin', trends),
    trendSentence('Operating margin', years, 'operatingMargin', trends),
    trendSentence('Net margin', years, 'netMargin', trends),
    trendSentence('Capital expenditure over revenue', years, 'capitalIntensity', trends),
    trendSentence('R&D over revenue', years, 'researchIntensity', trends),
  ];
}

function trendSentence(
  name: string,
  years: readonly BusinessYear[],
  measure: keyof BusinessTrends,
  trends: BusinessTrends,
): string {
  const slope = trends[measure];
  if (slope === null) return `${name} is not available: the company does not report the line in every year.`;
  const { first, last } = ends(years);
  const direction = Math.abs(slope) < STEADY_SLOPE_MAX ? 'steady' : slope > 0 ? 'rising' : 'falling';
  return (
    `${name} was ${percent(first[measure])} in FY${first.fiscalYear} and ${percent(last[measure])} ` +
    `in FY${last.fiscalYear}; the trend line is ${direction} (${points(slope)} a year).`
  );
}
