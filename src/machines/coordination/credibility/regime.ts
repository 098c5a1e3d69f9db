/**
 * The regime of the outside world (CA-106, CA-107), derived from a few readings. Its detector is a port of the debate;
 * this rule is the embedded default. A regime is a name, so a detector for another field may use its own. Pure.
 */
import { z } from 'zod';

/** The readings of the embedded detector. */
export const regimeReadings = z.object({
  /** Expected volatility, in points; in the seed's field, the VIX. */
  volatility: z.number(),
  /** Change of the leading index over the period: 0.1 is +10 %. */
  indexChange: z.number(),
  /** Leading interest rate, in percent. */
  rate: z.number(),
});
export type RegimeReadings = z.infer<typeof regimeReadings>;

/** The regime without readings. No track record has samples of it. */
export const REGIME_UNKNOWN = 'UNKNOWN';

/** Bounds of the regimes (CA-107). */
const VOLATILITY_HIGH = 30;
const VOLATILITY_BEAR = 25;
const BULL_CHANGE = 0.1;
const RATE_HIGH = 3;

export function regimeOf(readings: RegimeReadings | null): string {
  if (readings === null) return REGIME_UNKNOWN;
  const { volatility, indexChange, rate } = readings;
  if (volatility > VOLATILITY_HIGH) return 'HIGH_VOLATILITY';
  if (indexChange > BULL_CHANGE) return rate >= RATE_HIGH ? 'BULL_HIGH_RATES' : 'BULL_LOW_RATES';
  if (indexChange < 0) return rate >= RATE_HIGH && volatility > VOLATILITY_BEAR ? 'BEAR_HIGH_RATES' : 'BEAR_LOW_RATES';
  return 'NORMAL';
}
