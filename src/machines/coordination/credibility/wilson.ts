/** The confidence interval of a share of successes: the Wilson score interval at 95 % (CA-111). Pure. */

/** Quantile of the normal distribution for 95 %. */
const Z = 1.96;

/** Half-width without any sample: half of the possible range. */
const HALF_WIDTH_UNKNOWN = 0.5;

/**
 * Half the width of the interval, with its bounds clamped to [0, 1].
 *
 * @param share Share of successes, clamped to [0, 1].
 * @param samples Number of samples, 0 or more.
 */
export function wilsonHalfWidth(share: number, samples: number): number {
  if (samples <= 0) return HALF_WIDTH_UNKNOWN;
  const p = Math.min(1, Math.max(0, share));
  const denominator = 1 + Z ** 2 / samples;
  const center = (p + Z ** 2 / (2 * samples)) / denominator;
  const margin = (Z * Math.sqrt((p * (1 - p)) / samples + Z ** 2 / (4 * samples ** 2))) / denominator;
  return (Math.min(1, center + margin) - Math.max(0, center - margin)) / 2;
}
