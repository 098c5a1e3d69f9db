/**
 * Slows each stage down to a speed that a person can follow. The sums take a millisecond; without a pause the whole
 * plan would be over before anyone could see the crew at work, or kill it in the middle and watch it go on.
 */
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds a stage takes at least. Some twenty seconds for the five companies: long enough to kill it midway. */
export const STAGE_PACE_MS = 2_000;

/** Waits one moment. Rejects with an `AbortError` as soon as the signal is aborted. */
export async function pace(signal: AbortSignal): Promise<void> {
  await wait(paceMs(), undefined, { signal });
}

/** `BOSUN_PACE_MS` replaces the default: 0 in tests, more for a demonstration. */
function paceMs(): number {
  const text = process.env['BOSUN_PACE_MS'];
  if (text === undefined || text === '') return STAGE_PACE_MS;
  if (!/^\d{1,6}$/.test(text)) throw new Error(`BOSUN_PACE_MS must be whole milliseconds below 1000000, not "${text}"`);
  return Number(text);
}
