/** The reference figures that the seed prints for the credibility of an agent. */
import { type TrackRecord } from '../../../src/machines/coordination/credibility/credibility.ts';
import { trend } from '../../../src/machines/coordination/credibility/trend.ts';

/** The track record of the worked example (CA-E14). */
export const WORKED: TrackRecord = {
  contextAccuracy: 0.88,
  contextWeight: 0.7,
  contextMatch: 'strong',
  overallAccuracy: 0.8,
  samples: 40,
  ageYears: 1,
  halfLifeYears: 2,
  regimes: { BULL_LOW_RATES: { accuracy: 0.9, samples: 60 } },
  currentAccuracy: 0.85,
  trend: trend(0.06, 0.5),
  overrideRate: 0.25,
};

/** The factors of the worked example, each with the decimals that are printed. */
export const WORKED_FACTORS = [
  ['base', 0.856, 12],
  ['temporal', 0.707107, 6],
  ['regime', 0.87, 12],
  ['trend', 0.859, 12],
  ['override', 0.85, 12],
] as const;

/** Half-widths of the Wilson interval (CA-E13). */
export const WILSON: readonly (readonly [share: number, samples: number, halfWidth: number])[] = [
  [0.8, 15, 0.190693],
  [0.5, 15, 0.22577],
  [0.9, 15, 0.158118],
  [0.8, 50, 0.108969],
  [0.9, 100, 0.059569],
  [1, 15, 0.101945],
  [0.5, 0, 0.5],
];
