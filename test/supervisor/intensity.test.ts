import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addRestart,
  DEFAULT_INTENSITY,
  EXACT_ENTRIES,
  restartsWithin,
  type Window,
} from '../../src/supervisor/intensity.ts';

/** Adds restarts at the given times in order. @returns The number of restarts that the Boss survives. */
function survived(times: readonly number[], limit: { intensity: number; periodMs: number }): number {
  let window: Window | null = [];
  let count = 0;
  for (const atMs of times) {
    window = addRestart(window, atMs, limit);
    if (window === null) return count;
    count += 1;
  }
  return count;
}

describe('restart intensity', () => {
  it('is three restarts in five seconds by default, as in Elixir', () => {
    expect(DEFAULT_INTENSITY).toEqual({ intensity: 3, periodMs: 5_000 });
    expect(survived([0, 1, 2, 3], DEFAULT_INTENSITY)).toBe(3);
  });

  it('allows none when it is 0', () => {
    expect(survived([0], { intensity: 0, periodMs: 5_000 })).toBe(0);
  });

  it('counts no restart in the future after kernel time was set back', () => {
    expect(survived([9_000, 9_001, 9_002, 0, 1, 2], DEFAULT_INTENSITY)).toBe(6);
  });

  it('counts a restart exactly one period ago, and none that is older (OTP: the boundary is inclusive)', () => {
    const limit = { intensity: 1, periodMs: 1_000 };
    expect(survived([0, 1_000], limit)).toBe(1);
    expect(survived([0, 1_001], limit)).toBe(2);
  });

  it('lasts forever if restarts are rarer than the limit (OTP: multiple_restarts)', () => {
    expect(survived([0, 2_100, 4_200, 6_300], { intensity: 1, periodMs: 1_000 })).toBe(4);
  });

  it('keeps times newest first and forgets those outside the period', () => {
    expect(addRestart([900, 500, 100], 1_200, { intensity: 5, periodMs: 500 })).toEqual([1_200, 900]);
  });

  it('gives up exactly when more restarts than the intensity fall into one period', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, fc.nat({ max: 6 }), fc.integer({ min: 1, max: 1_000 }), (between, intensity, periodMs) => {
        let atMs = 0;
        const times = between.map((gap) => (atMs += gap));
        const inPeriodBefore = (index: number) =>
          times.filter((time, i) => i <= index && time >= times[index]! - periodMs).length;
        const firstTooMany = times.findIndex((_, index) => inPeriodBefore(index) > intensity);
        expect(survived(times, { intensity, periodMs })).toBe(firstTooMany === -1 ? times.length : firstTooMany);
      }),
    );
  });

  it('keeps few entries in a storm, counts every restart, and never allows more than the intensity', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 60, maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: EXACT_ENTRIES, max: 80 }), (between, intensity) => {
        const periodMs = 1_000;
        const times: number[] = [];
        let [atMs, window]: [number, Window | null] = [0, []];
        for (const gap of between) {
          window = addRestart(window, (atMs += gap), { intensity, periodMs });
          times.push(atMs);
          const within = (ms: number) => times.filter((time) => time >= atMs - ms).length;
          if (window === null) {
            // Too early by a sixteenth of the period at most.
            expect(within((periodMs * 17) / 16)).toBeGreaterThan(intensity);
            return;
          }
          expect(within(periodMs)).toBeLessThanOrEqual(intensity);
          expect(window.length).toBeLessThanOrEqual(EXACT_ENTRIES + 17);
          const counted = restartsWithin(window, atMs, periodMs);
          expect(counted >= within(periodMs) && counted <= within((periodMs * 17) / 16)).toBe(true);
        }
      }),
    );
  });

  it('is exact to the millisecond as long as fewer restarts are allowed than it has exact entries', () => {
    const limit = { intensity: EXACT_ENTRIES - 1, periodMs: 16_000 };
    const storm = Array.from({ length: EXACT_ENTRIES - 1 }, (_, ms) => ms);
    expect(survived([...storm, 16_000], limit)).toBe(EXACT_ENTRIES - 1);
    expect(survived([...storm, 16_001], limit)).toBe(EXACT_ENTRIES);
  });

  it('merges restarts that are close together into one entry once all exact entries are in use', () => {
    const limit = { intensity: 100, periodMs: 16_000 };
    const storm = Array.from({ length: EXACT_ENTRIES }, (_, index) => 900 - index);
    expect(addRestart(storm.slice(1), 950, limit)).toEqual([950, ...storm.slice(1)]);
    expect(addRestart(storm, 950, limit)).toEqual([[950, 2], ...storm.slice(1)]);
    expect(addRestart(storm, 1_000, limit)).toEqual([1_000, ...storm]);
  });

  it('gives the number of restarts that count at a time', () => {
    expect(restartsWithin([[900, 3], 500, 100], 1_000, 500)).toBe(4);
  });
});
