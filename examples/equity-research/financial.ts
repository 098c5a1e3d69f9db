/**
 * Financial: does profit turn into cash, what does the capital earn, and how is the company financed?
 * Every measure has its formula in this file. A loss year keeps its negative returns; only what has no meaning is left
 * out.
 */
import type { AnnualFigures } from './figures.ts';
import { money, percent } from './format.ts';
import { average, ends, freeCashFlow, investedCapital, ratio, type Ratio } from './ratios.ts';
import type { Screening } from './screening.ts';
import { mean } from './statistics.ts';

/**
 * Tax rate put on operating income for ROIC: the US federal statutory rate. An assumption, because the figures hold no
 * tax line; the effective rates of these companies differ from it and from year to year.
 */
export const ASSUMED_TAX_RATE = 0.21;

/** Return on equity taken apart: `netMargin * assetTurnover * equityMultiplier = returnOnEquity`. */
export interface DuPont {
  readonly netMargin: number;
  /** Revenue over average total assets. */
  readonly assetTurnover: number;
  /** Average total assets over average shareholders' equity. */
  readonly equityMultiplier: number;
}

/** The financial figures of one year, as fractions unless stated; money in USD millions. */
export interface FinancialYear {
  readonly fiscalYear: number;
  /** Operating cash flow - capital expenditure, USD millions. */
  readonly freeCashFlow: number;
  /** Free cash flow / revenue. */
  readonly freeCashFlowMargin: Ratio;
  /** Operating cash flow / net income; `null` in a loss year. */
  readonly cashConversion: Ratio;
  /** Net income / average equity; `null` in the first year, which has no opening balance. Negative in a loss year. */
  readonly returnOnEquity: Ratio;
  /** Net income / average total assets. */
  readonly returnOnAssets: Ratio;
  /** Operating income * (1 - tax rate) / average (equity + long-term debt - cash). */
  readonly returnOnInvestedCapital: Ratio;
  readonly duPont: DuPont | null;
  /** Total liabilities / total assets. */
  readonly liabilitiesToAssets: Ratio;
  /** Long-term debt / shareholders' equity. */
  readonly debtToEquity: Ratio;
  /** Cash and short-term investments - long-term debt, USD millions; negative is net debt. */
  readonly netCash: number;
}

/** Output of the financial stage. */
export interface Financial {
  readonly ticker: string;
  readonly assumedTaxRate: number;
  readonly years: readonly FinancialYear[];
  readonly lossYears: readonly number[];
  readonly sentences: readonly string[];
}

/** Computes cash flow, returns and leverage from screened figures. */
export function analyseFinances({ ticker, figures }: Screening): Financial {
  const years = figures.map((row, index) => financialYear(row, figures[index - 1]));
  return {
    ticker,
    assumedTaxRate: ASSUMED_TAX_RATE,
    years,
    lossYears: figures.filter((row) => row.netIncome < 0).map((row) => row.fiscalYear),
    sentences: [...describe(years), ...describeLosses(figures)],
  };
}

function financialYear(row: AnnualFigures, previous: AnnualFigures | undefined): FinancialYear {
  return {
    fiscalYear: row.fiscalYear,
    freeCashFlow: freeCashFlow(row),
    freeCashFlowMargin: ratio(freeCashFlow(row), row.revenue),
    cashConversion: ratio(row.operatingCashFlow, row.netIncome),
    ...returns(row, previous),
    liabilitiesToAssets: ratio(row.totalLiabilities, row.totalAssets),
    debtToEquity: ratio(row.longTermDebt, row.shareholdersEquity),
    netCash: row.cashAndShortTermInvestments - row.longTermDebt,
  };
}

type Returns = Pick<FinancialYear, 'returnOnEquity' | 'returnOnAssets' | 'returnOnInvestedCapital' | 'duPont'>;

function returns(row: AnnualFigures, previous: AnnualFigures | undefined): Returns {
  if (previous === undefined) {
    return { returnOnEquity: null, returnOnAssets: null, returnOnInvestedCapital: null, duPont: null };
  }
  const equity = average(previous.shareholdersEquity, row.shareholdersEquity);
  const assets = average(previous.totalAssets, row.totalAssets);
  const capital = average(investedCapital(previous), investedCapital(row));
  return {
    returnOnEquity: ratio(row.netIncome, equity),
    returnOnAssets: ratio(row.netIncome, assets),
    returnOnInvestedCapital: ratio(row.operatingIncome * (1 - ASSUMED_TAX_RATE), capital),
    // Screening has made sure that revenue, assets and equity are positive.
    duPont: {
      netMargin: row.netIncome / row.revenue,
      assetTurnover: row.revenue / assets,
      equityMultiplier: assets / equity,
    },
  };
}

function describe(years: readonly FinancialYear[]): string[] {
  const { first, last } = ends(years);
  const total = years.reduce((sum, year) => sum + year.freeCashFlow, 0);
  const positive = years.filter((year) => year.freeCashFlow > 0).length;
  const returnsOnCapital = years.map((year) => year.returnOnInvestedCapital).filter((value) => value !== null);
  const position = (netCash: number) => `net ${netCash >= 0 ? 'cash' : 'debt'} of ${money(Math.abs(netCash))}`;
  return [
    `Free cash flow was positive in ${positive} of ${years.length} years and ${money(total)} USD million in all; ` +
      `in FY${last.fiscalYear} it was ${money(last.freeCashFlow)}, ${percent(last.freeCashFlowMargin)} of revenue.`,
    ...(returnsOnCapital.length === 0
      ? []
      : [`ROIC averaged ${percent(mean(returnsOnCapital))} over ${returnsOnCapital.length} years.`]),
    `Cash and long-term debt went from ${position(first.netCash)} to ${position(last.netCash)} USD million.`,
  ];
}

function describeLosses(figures: readonly AnnualFigures[]): string[] {
  return figures
    .filter((row) => row.netIncome < 0)
    .map(
      (row) =>
        `FY${row.fiscalYear} was a loss of ${money(-row.netIncome)} USD million while operations brought in ` +
        `${money(row.operatingCashFlow)} in cash: cash conversion has no meaning for that year and is left out.`,
    );
}
