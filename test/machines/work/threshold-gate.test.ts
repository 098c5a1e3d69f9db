/** Threshold gates: the values that pass, and the record of each decision. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judge } from '../../../src/machines/work/threshold-gate.ts';

const CONFIDENCE = { gate: 'confidence', passes: 'atLeast', threshold: 70, onPass: 'answer', onFail: 'ask' } as const;

it('CN-010: a threshold gate passes at its threshold, and records value, threshold and outcome', () => {
  const decision = { gate: 'confidence', passes: 'atLeast', threshold: 70 };
  expect(judge(CONFIDENCE, 70)).toEqual({ ...decision, value: 70, isPassed: true, outcome: 'answer' });
  expect(judge(CONFIDENCE, 69.9)).toEqual({ ...decision, value: 69.9, isPassed: false, outcome: 'ask' });
});

it('CN-010: a gate with "atMost" passes at or below its threshold, and fails above it', () => {
  const half = { ...CONFIDENCE, passes: 'atMost', threshold: 0.5 } as const;
  expect([0.49, 0.5, 0.51].map((value) => judge(half, value).isPassed)).toEqual([true, true, false]);
});

it('CN-010: a gate fails for NaN; any other number passes "atLeast" or "atMost", both only at the threshold', () => {
  expect([judge(CONFIDENCE, NaN).outcome, judge({ ...CONFIDENCE, passes: 'atMost' }, NaN).outcome]).toEqual([
    'ask',
    'ask',
  ]);
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (threshold, value) => {
      const least = judge({ ...CONFIDENCE, threshold }, value).isPassed;
      const most = judge({ ...CONFIDENCE, threshold, passes: 'atMost' }, value).isPassed;
      expect(least && most).toBe(value === threshold);
      expect(least || most).toBe(true);
    }),
  );
});
