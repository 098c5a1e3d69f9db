/** How far a share of successes can be trusted: the Wilson score interval at 95 % (CA-111). Pure. */

/** Of the normal distribution, for 95 %. */
const Z = 1.96;

/** Without any sample nothing is known: half of all that is possible. */
const HALF_WIDTH_UNKNOWN = 0.5;

/**
 * Half the width of the interval, its bounds clamped to [0, 1].
 *
 * @param share Of successes, clamped to [0, 1].
 * @param samples 0 or more.
 */
export function wilsonHalfWidth(share: number, samples: number): number {
  if (samples <= 0) return HALF_WIDTH_UNKNOWN;
  const p = Math.min(1, Math.max(0, share));
  const denominator = 1 + Z ** 2 / samples;
  const center = (p + Z ** 2 / (2 * samples)) / denominator;
  const margin = (Z * Math.sqrt((p * (1 - p)) / samples + Z ** 2 / (4 * samples ** 2))) / denominator;
  return (Math.min(1, center + margin) - Math.max(0, center - margin)) / 2;
}
