/**
 * Ratios of single figures, each with its formula. Ratios are plain fractions (0.25 is 25 %). A ratio without meaning
 * (a division by zero or by a negative base) is `null`, so that it can be stored and shown as such.
 */
import type { AnnualFigures } from './figures.ts';

/** A fraction, or `null` where it would have no meaning. */
export type Ratio = number | null;

/** `numerator / base`, or `null` unless the base is positive and the numerator known. */
export function ratio(numerator: number | null, base: number | null): Ratio {
  return numerator === null || base === null || base <= 0 ? null : numerator / base;
}

/** Growth of `now` over `before`: `now / before - 1`. */
export function growth(before: number, now: number): Ratio {
  return before <= 0 ? null : now / before - 1;
}

/** Mean of the opening and closing value of a year: flows of a year are set against what was there during it. */
export function average(opening: number, closing: number): number {
  return (opening + closing) / 2;
}

/** Cash from operations less capital expenditure, USD millions. It is after interest and tax paid. */
export function freeCashFlow(year: AnnualFigures): number {
  return year.operatingCashFlow - year.capitalExpenditure;
}

/** Invested capital: equity + long-term debt - cash, USD millions. */
export function investedCapital(year: AnnualFigures): number {
  return year.shareholdersEquity + year.longTermDebt - year.cashAndShortTermInvestments;
}

/** Pairs every element but the first with the one before it. */
export function withPrevious<T>(values: readonly T[]): { previous: T; current: T }[] {
  return values.slice(1).map((current, index) => ({ previous: values[index] as T, current }));
}

/** First and last element. @throws RangeError when there are none. */
export function ends<T>(values: readonly T[]): { first: T; last: T } {
  if (values.length === 0) throw new RangeError('There is no first and last of nothing');
  return { first: values[0] as T, last: values.at(-1) as T };
}
