/**
 * Discounted cash flow, pure arithmetic: a base cash flow grows along a fading path, each year is discounted from its
 * end, and all later cash flow is a growing perpetuity (Gordon). It knows no company and no accounting.
 */

/** The inputs of the value. Rates are fractions a year. */
export interface DcfInput {
  /** Free cash flow of the year before the first forecast year, USD millions. */
  readonly baseFreeCashFlow: number;
  /** Growth in the first forecast year. */
  readonly startGrowth: number;
  /** Growth in the last forecast year and for ever after. */
  readonly terminalGrowth: number;
  readonly discountRate: number;
  /** At least 2: the path needs a first and a last year. */
  readonly forecastYears: number;
}

/** One forecast year. */
export interface DcfYear {
  /** 1 is the year after the base year. */
  readonly year: number;
  readonly growth: number;
  /** USD millions. */
  readonly freeCashFlow: number;
  /** `1 / (1 + discountRate) ^ year`. */
  readonly discountFactor: number;
  /** USD millions. */
  readonly presentValue: number;
}

/** The value of all future cash flow, USD millions. */
export interface Dcf {
  readonly years: readonly DcfYear[];
  readonly forecastPresentValue: number;
  /** Value, at the end of the last forecast year, of everything after it. */
  readonly terminalValue: number;
  readonly terminalPresentValue: number;
  readonly enterpriseValue: number;
}

/**
 * The discount rate must exceed terminal growth by at least this much. A perpetuity divides by the difference: at one
 * percentage point it is already worth a hundred years of cash flow, and below that the answer is the input's noise.
 */
export const RATE_SPREAD_MIN = 0.01;

/** Whether the two rates lie far enough apart. A hair of tolerance lets 9 % and 8 % count as one point apart. */
export function ratesAreApart(rates: Pick<DcfInput, 'discountRate' | 'terminalGrowth'>): boolean {
  return rates.discountRate - rates.terminalGrowth >= RATE_SPREAD_MIN - 1e-9;
}

/**
 * Growth in forecast year `year`: a straight line from `startGrowth` in year 1 to `terminalGrowth` in the last year.
 */
export function growthInYear(year: number, { startGrowth, terminalGrowth, forecastYears }: DcfInput): number {
  return startGrowth + ((terminalGrowth - startGrowth) * (year - 1)) / (forecastYears - 1);
}

/**
 * Values the cash flow.
 *
 * @throws RangeError for fewer than two forecast years, or rates closer than {@link RATE_SPREAD_MIN}.
 */
export function discountCashFlow(input: DcfInput): Dcf {
  const { baseFreeCashFlow, terminalGrowth, discountRate, forecastYears } = input;
  if (!Number.isInteger(forecastYears) || forecastYears < 2) throw new RangeError('A forecast needs at least 2 years');
  if (!ratesAreApart(input)) throw new RangeError('The discount rate must exceed terminal growth by a point or more');
  const years: DcfYear[] = [];
  let freeCashFlow = baseFreeCashFlow;
  let discountFactor = 1;
  for (let year = 1; year <= forecastYears; year += 1) {
    const growth = growthInYear(year, input);
    freeCashFlow *= 1 + growth;
    discountFactor /= 1 + discountRate;
    years.push({ year, growth, freeCashFlow, discountFactor, presentValue: freeCashFlow * discountFactor });
  }
  const forecastPresentValue = years.reduce((sum, { presentValue }) => sum + presentValue, 0);
  const terminalValue = (freeCashFlow * (1 + terminalGrowth)) / (discountRate - terminalGrowth);
  const terminalPresentValue = terminalValue * discountFactor;
  return {
    years,
    forecastPresentValue,
    terminalValue,
    terminalPresentValue,
    enterpriseValue: forecastPresentValue + terminalPresentValue,
  };
}

/** Start growth is looked for between these; beyond them the answer is "outside", not a number. */
export const IMPLIED_GROWTH_RANGE = { low: -0.3, high: 0.6 } as const;

/** Halvings of the range above: sixty leave less than 1e-18 of it, below what a double can tell apart. */
const BISECTION_STEPS = 60;

/**
 * Runs the calculation backwards: the start growth at which the cash flow is worth `enterpriseValue`.
 *
 * @param input Its `startGrowth` is ignored. The base cash flow must be positive, so that more growth is more value.
 * @param enterpriseValue USD millions.
 * @returns A fraction, or `null` when it lies outside {@link IMPLIED_GROWTH_RANGE}.
 */
export function impliedStartGrowth(input: DcfInput, enterpriseValue: number): number | null {
  const valueAt = (startGrowth: number) => discountCashFlow({ ...input, startGrowth }).enterpriseValue;
  let { low, high }: { low: number; high: number } = IMPLIED_GROWTH_RANGE;
  if (input.baseFreeCashFlow <= 0 || enterpriseValue < valueAt(low) || enterpriseValue > valueAt(high)) return null;
  for (let step = 0; step < BISECTION_STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (valueAt(middle) < enterpriseValue) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
