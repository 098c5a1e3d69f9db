/** The sections of the report that follow the stages, a function each. They format; every number comes in computed. */
import type { Business, BusinessTrends } from './business.ts';
import { COLUMN_DESCRIPTIONS, decimals, markOf, MARKS } from './data-notes.ts';
import { FIGURE_PROPERTIES, type AnnualFigures, type FigureColumn } from './figures.ts';
import type { Financial } from './financial.ts';
import { decimal, money, percent, perShare, points, spread } from './format.ts';
import { bullets, table, wordTable } from './markdown.ts';
import type { Flag, Screening } from './screening.ts';
import type { Strategy } from './strategy.ts';

/** All figures as published, with a mark on each that rests on less than a filing. */
export function figuresSection(rows: readonly AnnualFigures[]): string {
  const columns = Object.keys(COLUMN_DESCRIPTIONS) as FigureColumn[]; // Object.keys forgets the type of its keys.
  const lines = columns.map((column) => [
    COLUMN_DESCRIPTIONS[column].label,
    ...rows.map((row) => {
      const value = row[FIGURE_PROPERTIES[column]];
      return value === null ? 'not reported' : `${money(value, decimals(column))}${markOf(row, column)}`;
    }),
  ]);
  return (
    `## The figures\n\n${table(['USD millions', ...yearHeaders(rows)], lines)}\n\n` +
    `${MARKS.unconfirmed} not confirmed in a named source, ${MARKS.vendorOnly} confirmed in a data vendor's file ` +
    `only, ${MARKS.derived} derived from two other lines; see the data notes.`
  );
}

/** Checks and flags. */
export function screeningSection({ checks, flags, verdict }: Screening): string {
  const rows = checks.map(({ rule, passed, detail }) => [rule, passed ? 'pass' : 'fail', detail]);
  const yearsOf = ({ fiscalYears }: Flag) => fiscalYears.map((year) => `FY${year}`).join(', ');
  const flagged = flags.map((flag) => `${yearsOf(flag)}: ${flag.detail}`);
  return (
    `## Screening: ${verdict === 'pass' ? 'passed' : 'passed, with flags'}\n\n` +
    `${wordTable(['Check', 'Result', 'Detail'], rows)}\n\n${flagged.length > 0 ? bullets(flagged) : 'No flags.'}`
  );
}

/** Growth, margins, trends. */
export function businessSection({ years, trends, sentences }: Business): string {
  const withTrend = (label: string, measure: keyof BusinessTrends) => [
    label,
    ...years.map((year) => percent(year[measure])),
    points(trends[measure]),
  ];
  const rows = [
    ['Revenue growth', ...years.map((year) => percent(year.revenueGrowth)), ''],
    withTrend('Gross margin', 'grossMargin'),
    withTrend('Operating margin', 'operatingMargin'),
    withTrend('Net margin', 'netMargin'),
    withTrend('R&D over revenue', 'researchIntensity'),
    withTrend('Capital expenditure over revenue', 'capitalIntensity'),
    ['Earnings per diluted share', ...years.map((year) => perShare(year.earningsPerDilutedShare)), ''],
  ];
  return `## Business\n\n${table(['', ...yearHeaders(years), 'Trend a year'], rows)}\n\n${bullets(sentences)}`;
}

/** Cash, returns, leverage. */
export function financialSection({ years, sentences }: Financial): string {
  const rows = [
    ['Free cash flow (USD millions)', ...years.map((year) => money(year.freeCashFlow))],
    ['Free cash flow margin', ...years.map((year) => percent(year.freeCashFlowMargin))],
    ['Cash conversion', ...years.map((year) => percent(year.cashConversion))],
    ['Return on equity (ROE)', ...years.map((year) => percent(year.returnOnEquity))],
    ['= net margin', ...years.map((year) => percent(year.duPont?.netMargin ?? null))],
    ['x asset turnover', ...years.map((year) => decimal(year.duPont?.assetTurnover ?? null))],
    ['x equity multiplier', ...years.map((year) => decimal(year.duPont?.equityMultiplier ?? null))],
    ['Return on assets (ROA)', ...years.map((year) => percent(year.returnOnAssets))],
    ['Return on invested capital (ROIC)', ...years.map((year) => percent(year.returnOnInvestedCapital))],
    ['Liabilities to assets', ...years.map((year) => percent(year.liabilitiesToAssets))],
    ['Long-term debt to equity', ...years.map((year) => percent(year.debtToEquity))],
    ['Net cash (minus: net debt, USD millions)', ...years.map((year) => money(year.netCash))],
  ];
  return `## Financial\n\n${table(['', ...yearHeaders(years)], rows)}\n\n${bullets(sentences)}`;
}

/** Reinvestment, steadiness, score. */
export function strategySection(strategy: Strategy): string {
  const { years, factors } = strategy;
  const rows = [
    ['Capital reinvestment', ...years.map((year) => percent(year.capitalReinvestment))],
    ['Broad reinvestment, with R&D', ...years.map((year) => percent(year.broadReinvestment))],
    ['Incremental operating margin', ...years.map((year) => percent(year.incrementalOperatingMargin))],
  ];
  const score = factors.map(({ factor, value, worst, best, points: earned, weight }) => [
    factor,
    percent(value),
    percent(worst),
    percent(best),
    decimal(earned, 1),
    percent(weight),
    decimal(earned * weight, 1),
  ]);
  const total = ['**Score**', '', '', '', '', percent(1), `**${decimal(strategy.score, 1)}**`];
  return [
    `## Strategy\n\n${table(['', ...yearHeaders(years)], rows)}`,
    bullets([
      `Over the whole period the change of operating income was ` +
        `${percent(strategy.incrementalOperatingMarginOverall)} of the change of revenue.`,
      `Revenue growth varied by ${spread(strategy.growthDeviation)} and operating margin by ` +
        `${spread(strategy.marginDeviation)} (population standard deviation of the yearly values).`,
    ]),
    table(['Factor', 'Value', '0 points at', '100 points at', 'Points', 'Weight', 'Part'], [...score, total]),
    'Bounds and weights are choices of this example. The score orders five years of numbers; it foretells nothing. ' +
      'Reinvestment is shown but not scored: whether more of it is better depends on what it earns.',
  ].join('\n\n');
}

function yearHeaders(years: readonly { readonly fiscalYear: number }[]): string[] {
  return years.map(({ fiscalYear }) => `FY${fiscalYear}`);
}
