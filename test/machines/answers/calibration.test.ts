/** Calibration by outcomes: ten bins, monotone, and careful at the gates. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  binOf,
  type Bins,
  calibrationError,
  calibrationOf,
  monotone,
  NO_OUTCOMES,
  OUTCOMES_TO_RAISE,
  withOutcome,
} from '../../../src/machines/answers/calibration.ts';

const anyBins: fc.Arbitrary<Bins> = fc.array(
  fc.record({ used: fc.nat(60), share: fc.integer({ min: 0, max: 10 }) }).map(({ used, share }) => ({
    used,
    right: Math.round((used * share) / 10),
  })),
  { minLength: 10, maxLength: 10 },
);

function binsWith(bin: number, used: number, right: number): Bins {
  return NO_OUTCOMES.map((one, index) => (index === bin ? { used, right } : one));
}

describe('a calibration', () => {
  it('changes nothing before the first outcome', () => {
    const shown = calibrationOf(NO_OUTCOMES);
    for (let value = 0; value <= 100; value += 1) expect(shown(value)).toBeCloseTo(value, 9);
    expect(shown(55.5)).toBeCloseTo(55.5, 9);
  });

  it('gives the share of right answers at the centre of a bin, with the confidence counted as four outcomes', () => {
    expect(calibrationOf(binsWith(8, 16, 12))(85)).toBeCloseTo((100 * (12 + 4 * 0.85)) / 20, 9);
  });

  it('counts an outcome in the bin of its confidence, with 100 in the last bin', () => {
    const bins = withOutcome(withOutcome(NO_OUTCOMES, { confidence: 79.9, isRight: true }), {
      confidence: 100,
      isRight: false,
    });
    expect(bins[7]).toEqual({ used: 1, right: 1 });
    expect(bins[9]).toEqual({ used: 1, right: 0 });
    expect([0, 9.9, 10, 100].map(binOf)).toEqual([0, 0, 1, 9]);
  });

  it(`raises nothing over a gate before ${OUTCOMES_TO_RAISE} outcomes of its bin`, () => {
    const early = calibrationOf(binsWith(6, OUTCOMES_TO_RAISE - 1, OUTCOMES_TO_RAISE - 1));
    expect(early(65)).toBeLessThan(70);
    expect(calibrationOf(binsWith(6, OUTCOMES_TO_RAISE, OUTCOMES_TO_RAISE))(65)).toBeGreaterThan(70);
    expect(calibrationOf(binsWith(3, OUTCOMES_TO_RAISE - 1, OUTCOMES_TO_RAISE - 1))(38)).toBeLessThan(40);
  });

  it('lowers the confidence as soon as answers turn out wrong', () => {
    expect(calibrationOf(binsWith(7, 3, 0))(75)).toBeLessThan(70);
  });

  it('never falls as the confidence rises', () => {
    fc.assert(
      fc.property(anyBins, (bins) => {
        const shown = calibrationOf(bins);
        for (let value = 1; value <= 100; value += 1) expect(shown(value)).toBeGreaterThanOrEqual(shown(value - 1));
      }),
    );
  });

  it('never raises a confidence above a gate without enough outcomes of its own bin', () => {
    fc.assert(
      fc.property(anyBins, fc.integer({ min: 0, max: 100 }), (bins, value) => {
        if (bins[binOf(value)]!.used >= OUTCOMES_TO_RAISE) return;
        for (const gate of [40, 70]) if (value < gate) expect(calibrationOf(bins)(value)).toBeLessThan(gate);
      }),
    );
  });
});

describe('pooling of falling neighbours', () => {
  const anyPoints = fc.array(
    fc.record({ value: fc.integer({ min: 0, max: 9 }), weight: fc.integer({ min: 1, max: 9 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );

  it('gives a sequence that never falls, and preserves the weighted mean', () => {
    fc.assert(
      fc.property(anyPoints, (points) => {
        const pooled = monotone(points);
        expect(pooled).toHaveLength(points.length);
        expect(pooled.every((value, index) => index === 0 || value >= pooled[index - 1]!)).toBe(true);
        const sumOf = (values: readonly number[]) =>
          values.reduce((sum, value, index) => sum + value * points[index]!.weight, 0);
        expect(sumOf(pooled)).toBeCloseTo(sumOf(points.map(({ value }) => value)), 6);
      }),
    );
  });

  it('does not change a sequence that never falls', () => {
    expect(monotone([0, 2, 2, 5].map((value) => ({ value, weight: 1 })))).toEqual([0, 2, 2, 5]);
    expect(
      monotone([
        { value: 4, weight: 1 },
        { value: 1, weight: 2 },
      ]),
    ).toEqual([2, 2]);
  });
});

describe('the calibration error', () => {
  it('is the mean difference between shown confidence and share of right answers', () => {
    const outcomes = [90, 90, 90, 90].map((confidence, index) => ({ confidence, isRight: index < 3 }));
    expect(calibrationError(outcomes)).toBeCloseTo(0.15, 9);
    expect(calibrationError([])).toBe(0);
  });

  it('does not let the errors of bins cancel out', () => {
    const outcomes = [
      { confidence: 95, isRight: false },
      { confidence: 5, isRight: true },
    ];
    expect(calibrationError(outcomes)).toBeCloseTo(0.95, 9);
  });
});
