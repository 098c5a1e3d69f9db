/**
 * The few statistics that the agents use, written out so that a reader can check them with a pocket calculator.
 * They know nothing of companies. Too few values is a mistake of the caller and throws.
 */

/** Arithmetic mean. @throws RangeError without values. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('The mean of no values is undefined');
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Standard deviation of exactly these values (divided by n, not n - 1: the years are all there is, not a sample).
 *
 * @throws RangeError without values.
 */
export function populationStandardDeviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

/**
 * Slope of the least-squares line through the values at positions 0, 1, 2, ...: the change per step.
 *
 * @throws RangeError with fewer than two values.
 */
export function leastSquaresSlope(values: readonly number[]): number {
  if (values.length < 2) throw new RangeError('A slope needs two values');
  const centreX = (values.length - 1) / 2;
  const centreY = mean(values);
  let covariance = 0;
  let variance = 0;
  values.forEach((value, x) => {
    covariance += (x - centreX) * (value - centreY);
    variance += (x - centreX) ** 2;
  });
  return covariance / variance;
}

/**
 * Compound annual growth rate: the constant yearly growth that leads from `first` to `last`. 0.1 is 10 % a year.
 *
 * @param years Steps between the two values, at least 1.
 * @throws RangeError unless both values are positive, where the rate has no meaning.
 */
export function compoundAnnualGrowthRate(first: number, last: number, years: number): number {
  if (!(first > 0 && last > 0 && years >= 1)) throw new RangeError('Compound growth needs positive values and a year');
  return (last / first) ** (1 / years) - 1;
}

/** The value, or the nearer bound when it lies outside of them. */
export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
