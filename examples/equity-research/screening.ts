/**
 * Screening: may the later stages rely on these figures, and what should a reader know before they do?
 * Checks that fail stop the company here; flags only travel along. Pure: rows in, findings out.
 */
import { COLUMN_DESCRIPTIONS } from './data-notes.ts';
import type { AnnualFigures, FigureColumn } from './figures.ts';
import { money } from './format.ts';
import { ends, freeCashFlow, withPrevious } from './ratios.ts';
import { compoundAnnualGrowthRate } from './statistics.ts';

/** Five fiscal years: four steps of growth, the least that a trend line or a spread can be read from. */
const YEARS_REQUIRED = 5;

/**
 * Claims outside shareholders' equity (noncontrolling interests) may be at most this part of total assets.
 * Tesla's largest, FY2020, is 2.9 %; far above that the row is more likely wrong than unusual.
 */
const CLAIMS_OUTSIDE_EQUITY_MAX = 0.05;

/** One rule applied to all years of a company. */
export interface Check {
  readonly rule: string;
  readonly passed: boolean;
  /** The numbers behind the answer, as a sentence. */
  readonly detail: string;
}

/** Something true and unusual that a reader should know. Never a reason to stop. */
export interface Flag {
  readonly kind: 'loss-year' | 'negative-free-cash-flow' | 'revenue-decline' | 'not-reported' | 'weaker-source';
  readonly fiscalYears: readonly number[];
  readonly detail: string;
}

/** Output of the screening stage. */
export interface Screening {
  readonly ticker: string;
  readonly company: string;
  readonly firstYear: number;
  readonly lastYear: number;
  /** Compound annual growth of revenue from the first to the last year, a fraction. */
  readonly revenueGrowthCompound: number;
  readonly verdict: 'pass' | 'pass-with-flags';
  readonly checks: readonly Check[];
  readonly flags: readonly Flag[];
  /** The rows themselves, oldest first: later stages compute from these and read no file. */
  readonly figures: readonly AnnualFigures[];
}

/**
 * Screens one company.
 *
 * @param rows All its years, oldest first; at least one.
 * @throws Error listing every failed check. Trying again cannot help until the data changes.
 */
export function screen(rows: readonly AnnualFigures[]): Screening {
  const checks = [checkYears(rows), checkSigns(rows), checkBalance(rows)];
  const { first, last } = ends(rows);
  const failed = checks.filter((check) => !check.passed);
  if (failed.length > 0) {
    const reasons = failed.map(({ rule, detail }) => `${rule} (${detail})`);
    throw new Error(`${first.ticker} fails screening: ${reasons.join('; ')}`);
  }
  const flags = findFlags(rows);
  return {
    ticker: first.ticker,
    company: last.company,
    firstYear: first.fiscalYear,
    lastYear: last.fiscalYear,
    revenueGrowthCompound: compoundAnnualGrowthRate(first.revenue, last.revenue, last.fiscalYear - first.fiscalYear),
    verdict: flags.length === 0 ? 'pass' : 'pass-with-flags',
    checks,
    flags,
    figures: rows,
  };
}

function checkYears(rows: readonly AnnualFigures[]): Check {
  const gaps = withPrevious(rows).filter(({ previous, current }) => current.fiscalYear !== previous.fiscalYear + 1);
  return {
    rule: `at least ${YEARS_REQUIRED} fiscal years without a gap`,
    passed: rows.length >= YEARS_REQUIRED && gaps.length === 0,
    detail: `fiscal years ${rows.map((row) => row.fiscalYear).join(', ')}`,
  };
}

interface SignRule {
  readonly problem: string;
  readonly holds: (row: AnnualFigures) => boolean;
}

/** Rules for each row of any company. Income and cash flow may have either sign. */
const SIGN_RULES: readonly SignRule[] = [
  { problem: 'revenue not positive', holds: (row) => row.revenue > 0 },
  { problem: 'cost of revenue outside 0 to revenue', holds: (row) => between(row.costOfRevenue, 0, row.revenue) },
  { problem: 'operating income above gross profit', holds: (row) => row.operatingIncome <= grossProfit(row) },
  { problem: 'no diluted shares', holds: (row) => row.dilutedSharesMillions > 0 },
  { problem: 'negative capital expenditure', holds: (row) => row.capitalExpenditure >= 0 },
  { problem: 'R&D outside 0 to revenue', holds: (row) => between(row.researchAndDevelopment ?? 0, 0, row.revenue) },
  { problem: 'no assets', holds: (row) => row.totalAssets > 0 },
  { problem: 'equity not positive', holds: (row) => row.shareholdersEquity > 0 },
  { problem: 'cash outside 0 to assets', holds: (row) => between(row.cashAndShortTermInvestments, 0, row.totalAssets) },
  { problem: 'debt outside 0 to liabilities', holds: (row) => between(row.longTermDebt, 0, row.totalLiabilities) },
];

function checkSigns(rows: readonly AnnualFigures[]): Check {
  const problems = rows.flatMap((row) =>
    SIGN_RULES.filter((rule) => !rule.holds(row)).map((rule) => `FY${row.fiscalYear}: ${rule.problem}`),
  );
  return {
    rule: 'signs and sizes make sense',
    passed: problems.length === 0,
    detail: problems.length === 0 ? `${SIGN_RULES.length} rules on each of ${rows.length} years` : problems.join(', '),
  };
}

function checkBalance(rows: readonly AnnualFigures[]): Check {
  const problems = rows.flatMap((row) => {
    const claims = row.claimsOutsideEquity ?? 0;
    const difference = row.totalAssets - row.totalLiabilities - row.shareholdersEquity - claims;
    if (difference !== 0) return [`FY${row.fiscalYear}: off by ${difference}`];
    if (!between(claims, 0, row.totalAssets * CLAIMS_OUTSIDE_EQUITY_MAX)) {
      return [`FY${row.fiscalYear}: claims outside equity of ${claims} are implausible`];
    }
    return [];
  });
  return {
    rule: 'assets = liabilities + equity + claims outside equity, to the million',
    passed: problems.length === 0,
    detail: problems.length === 0 ? balanceDetail(rows) : problems.join(', '),
  };
}

function balanceDetail(rows: readonly AnnualFigures[]): string {
  if (rows.every((row) => row.derived.includes('total_liabilities'))) {
    return 'holds by construction: the company prints no total liabilities, they are taken as assets less equity';
  }
  const claims = rows.map((row) => row.claimsOutsideEquity);
  if (claims.every((claim) => claim === null)) return `exact in all ${rows.length} years`;
  const listed = claims.map((claim) => money(claim)).join(' / ');
  return `exact in all ${rows.length} years, with claims outside equity of ${listed}`;
}

function findFlags(rows: readonly AnnualFigures[]): Flag[] {
  const declines = withPrevious(rows)
    .filter(({ previous, current }) => current.revenue < previous.revenue)
    .map(({ current }) => current);
  const losses = rows.filter((row) => row.netIncome < 0);
  const drains = rows.filter((row) => freeCashFlow(row) < 0);
  const withoutResearch = rows.filter((row) => row.researchAndDevelopment === null);
  const flags: Flag[] = [
    flag('loss-year', losses, 'Net income is negative.'),
    flag('negative-free-cash-flow', drains, 'Capital expenditure exceeds cash from operations.'),
    flag('revenue-decline', declines, 'Revenue is below that of the year before.'),
    flag('not-reported', withoutResearch, 'The company reports no research and development line.'),
    ...unconfirmedColumns(rows).map((column) =>
      flag(
        'weaker-source',
        rows.filter((row) => row.unconfirmed.includes(column)),
        `${COLUMN_DESCRIPTIONS[column].label}: not confirmed in a named source.`,
      ),
    ),
  ];
  return flags.filter(({ fiscalYears }) => fiscalYears.length > 0);
}

function flag(kind: Flag['kind'], rows: readonly AnnualFigures[], detail: string): Flag {
  return { kind, fiscalYears: rows.map((row) => row.fiscalYear), detail };
}

function unconfirmedColumns(rows: readonly AnnualFigures[]): FigureColumn[] {
  return [...new Set(rows.flatMap((row) => row.unconfirmed))];
}

function grossProfit(row: AnnualFigures): number {
  return row.revenue - row.costOfRevenue;
}

function between(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}
