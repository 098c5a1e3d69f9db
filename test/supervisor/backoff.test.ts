import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Backoff, backoffMs, DEFAULT_BACKOFF } from '../../src/backoff.ts';

const plain: Backoff = { minMs: 200, maxMs: 1_000, factor: 2, jitter: 0.2 };

describe('backoff', () => {
  it('doubles from minMs up to maxMs', () => {
    expect([0, 1, 2, 3, 4].map((consecutive) => backoffMs(consecutive, plain, 0))).toEqual([
      200, 400, 800, 1_000, 1_000,
    ]);
  });

  it('adds its jitter after the cap, so that the last delay may exceed the cap by the jitter', () => {
    expect(backoffMs(9, plain, 0.999_999)).toBe(1_200);
  });

  it('is 200 ms to 30 s by default', () => {
    expect(DEFAULT_BACKOFF).toEqual({ minMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2 });
  });

  it('stays within its bounds and never shrinks in a row, however long the row is', () => {
    const backoffs = fc.record({
      minMs: fc.nat({ max: 10_000 }),
      maxMs: fc.nat({ max: 100_000 }),
      factor: fc.double({ min: 1, max: 10, noNaN: true }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(backoffs, fc.nat({ max: 5_000 }), chance, (backoff, consecutive, random) => {
        const delayMs = backoffMs(consecutive, backoff, random);
        const least = Math.min(backoff.minMs, backoff.maxMs);
        expect(Number.isSafeInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(least);
        expect(delayMs).toBeLessThanOrEqual(Math.round(backoff.maxMs * (1 + backoff.jitter)));
        expect(backoffMs(consecutive + 1, backoff, random)).toBeGreaterThanOrEqual(delayMs);
      }),
    );
  });
});
