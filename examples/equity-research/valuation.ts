/**
 * Valuation: what is a share worth if these assumptions hold, and what would have to hold for another price?
 * The data contain no market price, so nothing here says "cheap" or "dear": the price table lets a reader who knows
 * the price look up what it expects.
 */
import type { Assumptions } from './assumptions.ts';
import { discountCashFlow, impliedStartGrowth, ratesAreApart, type Dcf, type DcfInput } from './dcf.ts';
import type { AnnualFigures, FigureColumn } from './figures.ts';
import type { Financial } from './financial.ts';
import { ends } from './ratios.ts';
import type { Screening } from './screening.ts';
import { clamp, mean } from './statistics.ts';
import type { Strategy } from './strategy.ts';

/** Distance of neighbouring cells of the sensitivity table, from two steps below the assumption to two above. */
const DISCOUNT_RATE_STEP = 0.01;
const TERMINAL_GROWTH_STEP = 0.005;
const SENSITIVITY_OFFSETS = [-2, -1, 0, 1, 2];

/** Start growth of the low and the high scenario stays within these, however unsteady the past was. */
export const SCENARIO_GROWTH_RANGE = { low: -0.05, high: 0.2 } as const;

/** The price table holds the model's own value times each of these. */
const PRICE_MULTIPLES = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

/** Years behind the alternative base cash flow. */
const MEAN_MARGIN_YEARS = 3;

/** A value with every step from cash flow to share. USD millions unless said. */
export interface ShareValue extends Dcf {
  readonly cash: number;
  readonly longTermDebt: number;
  /** Enterprise value + cash - long-term debt. */
  readonly equityValue: number;
  /** Book value of claims such as noncontrolling interests, which the value leaves in; `null` where there are none. */
  readonly claimsNotDeducted: number | null;
  readonly dilutedSharesMillions: number;
  /** US dollars. */
  readonly valuePerShare: number;
  /** Part of the enterprise value that lies beyond the forecast, a fraction. */
  readonly terminalPart: number;
}

/** The value under a lower, the assumed and a higher start growth. */
export interface Scenario {
  readonly name: 'low' | 'base' | 'high';
  readonly startGrowth: number;
  readonly valuePerShare: number;
}

/** A price, and the start growth at which the model arrives at it. */
export interface PriceMeaning {
  /** Multiple of the model's own value per share. */
  readonly multiple: number;
  /** US dollars. */
  readonly pricePerShare: number;
  /** `null` when no growth within the searched range explains the price. */
  readonly impliedStartGrowth: number | null;
}

/** Value per share for neighbouring rates: a row per discount rate, a column per terminal growth. */
export interface Sensitivity {
  readonly discountRates: readonly number[];
  readonly terminalGrowths: readonly number[];
  /** US dollars; `null` where the two rates are too close for a perpetuity. */
  readonly valuePerShare: readonly (readonly (number | null)[])[];
}

/** Everything that follows from a positive base cash flow. */
export interface ValuationModel {
  readonly base: ShareValue;
  readonly scenarios: readonly Scenario[];
  readonly sensitivity: Sensitivity;
  readonly prices: readonly PriceMeaning[];
  /** The model run backwards from its own value: must give the start growth again. */
  readonly reverseCheckGrowth: number | null;
  /** US dollars: value per share from the other candidate for the base cash flow; `null` if that is not positive. */
  readonly valuePerShareOtherBase: number | null;
}

/** The two candidates for the cash flow that grows, USD millions. */
export interface BaseFreeCashFlow {
  readonly latest: number;
  readonly threeYearMeanMargin: number;
  readonly used: number;
}

/** Output of the valuation stage. */
export interface Valuation {
  readonly ticker: string;
  readonly baseYear: number;
  readonly assumptions: Assumptions;
  readonly baseFreeCashFlow: BaseFreeCashFlow;
  /** The historic rate, and what floor and cap made of it. */
  readonly growth: { readonly historic: number; readonly start: number };
  /** `null` when the base cash flow is not positive: growing it would only grow the loss. */
  readonly model: ValuationModel | null;
  /** Columns of the base year that enter the value and are not confirmed in a named source. */
  readonly unconfirmedInputs: readonly FigureColumn[];
}

interface Findings {
  readonly screening: Screening;
  readonly financial: Financial;
  readonly strategy: Strategy;
}

/** Values one company from the findings of the earlier stages. */
export function valueCompany({ screening, financial, strategy }: Findings, assumptions: Assumptions): Valuation {
  const { last } = ends(screening.figures);
  const historic = screening.revenueGrowthCompound;
  const start = clamp(historic, assumptions.growthFloor, assumptions.growthCap);
  const candidates = baseCandidates(financial, last);
  const latestIsUsed = assumptions.baseFreeCashFlow === 'latest';
  const used = latestIsUsed ? candidates.latest : candidates.threeYearMeanMargin;
  const other = latestIsUsed ? candidates.threeYearMeanMargin : candidates.latest;
  const input = { ...assumptions, baseFreeCashFlow: used, startGrowth: start };
  return {
    ticker: screening.ticker,
    baseYear: last.fiscalYear,
    assumptions,
    baseFreeCashFlow: { ...candidates, used },
    growth: { historic, start },
    model: used > 0 ? buildModel(input, { last, other, deviation: strategy.growthDeviation }) : null,
    unconfirmedInputs: last.unconfirmed.filter((column) => VALUE_COLUMNS.includes(column)),
  };
}

/** Columns of the base year that a value per share is made from. */
const VALUE_COLUMNS: readonly FigureColumn[] = [
  'revenue',
  'operating_cash_flow',
  'capital_expenditure',
  'cash_and_short_term_investments',
  'long_term_debt',
  'diluted_shares_millions',
];

function baseCandidates({ years }: Financial, last: AnnualFigures): Omit<BaseFreeCashFlow, 'used'> {
  const margins = years.slice(-MEAN_MARGIN_YEARS).map((year) => year.freeCashFlowMargin ?? 0);
  return { latest: ends(years).last.freeCashFlow, threeYearMeanMargin: mean(margins) * last.revenue };
}

function buildModel(
  input: DcfInput,
  { last, other, deviation }: { last: AnnualFigures; other: number; deviation: number },
): ValuationModel {
  const base = shareValue(input, last);
  const valueWith = (change: Partial<DcfInput>) => shareValue({ ...input, ...change }, last).valuePerShare;
  const start = input.startGrowth;
  const { low, high } = SCENARIO_GROWTH_RANGE;
  // An assumption may put the start itself beyond the range; then that side's scenario is the base, never past it.
  const growthRange = [
    ['low', Math.max(start - deviation, Math.min(low, start))],
    ['base', start],
    ['high', Math.min(start + deviation, Math.max(high, start))],
  ] as const;
  return {
    base,
    scenarios: growthRange.map(([name, startGrowth]) => {
      return { name, startGrowth, valuePerShare: valueWith({ startGrowth }) };
    }),
    sensitivity: sensitivity(input, last),
    prices: base.valuePerShare > 0 ? PRICE_MULTIPLES.map((multiple) => priceMeaning(multiple, input, base)) : [],
    reverseCheckGrowth: impliedStartGrowth(input, base.enterpriseValue),
    valuePerShareOtherBase: other > 0 ? valueWith({ baseFreeCashFlow: other }) : null,
  };
}

function shareValue(input: DcfInput, last: AnnualFigures): ShareValue {
  const dcf = discountCashFlow(input);
  const { cashAndShortTermInvestments: cash, longTermDebt, dilutedSharesMillions } = last;
  const equityValue = dcf.enterpriseValue + cash - longTermDebt;
  return {
    ...dcf,
    cash,
    longTermDebt,
    equityValue,
    claimsNotDeducted: last.claimsOutsideEquity,
    dilutedSharesMillions,
    valuePerShare: equityValue / dilutedSharesMillions,
    terminalPart: dcf.terminalPresentValue / dcf.enterpriseValue,
  };
}

function sensitivity(input: DcfInput, last: AnnualFigures): Sensitivity {
  const discountRates = SENSITIVITY_OFFSETS.map((steps) => input.discountRate + steps * DISCOUNT_RATE_STEP);
  const terminalGrowths = SENSITIVITY_OFFSETS.map((steps) => input.terminalGrowth + steps * TERMINAL_GROWTH_STEP);
  return {
    discountRates,
    terminalGrowths,
    valuePerShare: discountRates.map((discountRate) =>
      terminalGrowths.map((terminalGrowth) => {
        const cell = { ...input, discountRate, terminalGrowth };
        return ratesAreApart(cell) ? shareValue(cell, last).valuePerShare : null;
      }),
    ),
  };
}

function priceMeaning(multiple: number, input: DcfInput, base: ShareValue): PriceMeaning {
  const pricePerShare = base.valuePerShare * multiple;
  const enterpriseValue = pricePerShare * base.dilutedSharesMillions - base.cash + base.longTermDebt;
  return { multiple, pricePerShare, impliedStartGrowth: impliedStartGrowth(input, enterpriseValue) };
}
