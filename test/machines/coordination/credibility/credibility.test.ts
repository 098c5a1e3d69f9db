/**
 * Credibility, factor by factor, against the seed's numbers, and level 2's decision; properties where the seed gives an
 * invariant.
 */
import fc from 'fast-check';
import { halfLivesOf, SEED_AGENT_TYPES } from '../../../../src/machines/coordination/coordinator/agent-registry.ts';
import { describe, expect, it } from 'vitest';
import {
  contextMatch,
  CONTEXT_DIMENSIONS_MAX,
  matchesOf,
} from '../../../../src/machines/coordination/credibility/context-match.ts';
import {
  credibilityOf,
  type CredibilityFormula,
  halfLifeOf,
  type TrackRecord,
} from '../../../../src/machines/coordination/credibility/credibility.ts';
import {
  analyse,
  conditionsOf,
  level2Winner,
  requiredDifferential,
} from '../../../../src/machines/coordination/debates/level-two.ts';
import { regimeOf } from '../../../../src/machines/coordination/credibility/regime.ts';
import { PACKS } from '../../../../src/machines/coordination/packs.ts';
import {
  rollingAccuracy,
  trackRecordOf,
  type Observation,
} from '../../../../src/machines/coordination/credibility/track-record.ts';
import { trend, trendAdjusted, trendOf } from '../../../../src/machines/coordination/credibility/trend.ts';
import { wilsonHalfWidth } from '../../../../src/machines/coordination/credibility/wilson.ts';
import { WILSON, WORKED, WORKED_FACTORS } from '../../../support/machines/credibility-reference.ts';
import { CHALLENGE, DAY_MS, observations } from '../../../support/machines/debate-room.ts';

const AT = { regime: 'BULL_LOW_RATES', evidenceQuality: 0.5 };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const samples = fc.integer({ min: 0, max: 10_000 });
const records: fc.Arbitrary<TrackRecord> = fc.record({
  contextAccuracy: share,
  contextWeight: fc.constantFrom(0, 0.3, 0.7, 1),
  contextMatch: fc.constant('weak'),
  overallAccuracy: share,
  samples,
  ageYears: fc.double({ min: 0, max: 100, noNaN: true }),
  halfLifeYears: fc.double({ min: 0.1, max: 10, noNaN: true }),
  regimes: fc.record({ BULL_LOW_RATES: fc.record({ accuracy: share, samples }) }),
  currentAccuracy: share,
  trend: fc.option(
    fc
      .record({ slope: fc.double({ min: -5, max: 5, noNaN: true }), explained: share })
      .map(({ slope, explained }) => trend(slope, explained)),
  ),
  overrideRate: share,
});

function scoreOf(record: TrackRecord, formula: CredibilityFormula = 'product'): number {
  return credibilityOf(record, { ...AT, formula }).score;
}

describe('the Wilson interval', () => {
  it.each<(typeof WILSON)[number]>([...WILSON, [0, 15, 0.101945]])(
    'CA-E13: the half-width for a share of %f in %i samples is %f',
    (p, n, expected) => {
      expect(wilsonHalfWidth(p, n)).toBeCloseTo(expected, 6);
    },
  );

  it('CA-111: has a half-width between 0 and 0.5, which shrinks as samples are added', () => {
    fc.assert(
      fc.property(share, fc.integer({ min: 1, max: 10_000 }), (p, n) => {
        const width = wilsonHalfWidth(p, n);
        expect(width).toBeGreaterThan(0);
        expect(width).toBeLessThanOrEqual(0.5);
        expect(wilsonHalfWidth(p, n * 2)).toBeLessThan(width);
        expect(wilsonHalfWidth(p, 0)).toBe(0.5);
      }),
    );
  });
});

describe('the score', () => {
  it('CA-E14: is 0.384494 in the worked example, with every factor as printed', () => {
    const { score, factors } = credibilityOf(WORKED, AT);
    for (const [factor, value, digits] of WORKED_FACTORS) expect(factors[factor].value).toBeCloseTo(value, digits);
    expect(score).toBeCloseTo(0.384494, 6);
  });

  it('CA-103: starts from the accuracy in context by its weight, and the overall accuracy for the rest', () => {
    expect(credibilityOf({ ...WORKED, contextWeight: 0 }, AT).factors.base.value).toBe(0.8);
    expect(credibilityOf({ ...WORKED, contextWeight: 1 }, AT).factors.base.value).toBe(0.88);
  });

  it('CA-104: counts an observation that is one half-life old by half', () => {
    expect(credibilityOf({ ...WORKED, ageYears: 2 }, AT).factors.temporal.value).toBe(0.5);
    expect(credibilityOf({ ...WORKED, ageYears: 0 }, AT).factors.temporal.value).toBe(1);
    expect(credibilityOf({ ...WORKED, ageYears: 0.25 }, AT).factors.temporal.value).toBeCloseTo(0.917, 3);
  });

  it('CA-105: uses half-lives per agent type: news 0.5, financial 3, strategy and valuation 2, others 2 years', () => {
    const declared = halfLivesOf(SEED_AGENT_TYPES);
    const types = ['news-monitor', 'financial', 'strategy', 'valuation', 'screening', 'other'];
    expect(types.map((type) => halfLifeOf(type, declared))).toEqual([0.5, 3, 2, 2, 2, 2]);
  });

  it('CA-106: weighs accuracy in the regime by .70 from 50 samples, by .30 below, by 0 without samples (X-21)', () => {
    const inRegime = (count: number) =>
      credibilityOf({ ...WORKED, regimes: { BULL_LOW_RATES: { accuracy: 0.9, samples: count } } }, AT).factors.regime
        .value;
    expect([50, 49, 0].map(inRegime)).toEqual([expect.closeTo(0.87), expect.closeTo(0.83), 0.8]);
    expect(credibilityOf(WORKED, { ...AT, regime: 'NORMAL' }).factors.regime).toMatchObject({
      value: 0.8,
      accuracy: null,
      samples: 0,
    });
  });

  it('CA-108: weighs a strong trend by .30 of its half-year extrapolation; an R² of .3 is not strong', () => {
    expect(trendAdjusted(0.85, trend(0.06, 0.5))).toEqual({
      adjusted: expect.closeTo(0.859),
      extrapolated: expect.closeTo(0.88),
    });
    expect(trendAdjusted(0.85, trend(0.06, 0.301)).adjusted).toBeCloseTo(0.859);
    expect(trendAdjusted(0.85, trend(0.06, 0.3))).toEqual({ adjusted: 0.85, extrapolated: null });
    expect(trendAdjusted(0.85, null)).toEqual({ adjusted: 0.85, extrapolated: null });
  });

  it('CA-109: needs 52 weeks for a trend, which stays within [0, 0.95] and has a direction above .05 a year', () => {
    const weeks = (count: number, slope: number) =>
      Array.from({ length: count }, (_, week) => ({ atYears: week / 52, accuracy: 0.5 + (slope * week) / 52 }));
    expect(trendOf(weeks(51, 0.1))).toBe(null);
    expect(trendOf(weeks(52, 0.1))).toMatchObject({
      slopePerYear: expect.closeTo(0.1),
      rSquared: expect.closeTo(1),
      direction: 'improving',
    });
    expect(trendOf(weeks(52, -0.1))!.direction).toBe('degrading');
    expect([0.051, 0.05, -0.05, -0.051].map((slope) => trend(slope, 1).direction)).toEqual([
      'improving',
      'stable',
      'stable',
      'degrading',
    ]);
    expect(trendOf(weeks(60, 0))).toMatchObject({ slopePerYear: 0, rSquared: 0, direction: 'stable' });
    expect(trendOf(weeks(60, 0).map(({ accuracy }) => ({ atYears: 1, accuracy })))).toBe(null);
    expect(trendAdjusted(0.9, trend(1, 0.9)).extrapolated).toBe(0.95);
    expect(trendAdjusted(0.1, trend(-1, 0.9)).extrapolated).toBe(0);
  });

  it(
    'CA-110: loses .30 for an override rate above .40 and .15 above .20; exactly .20 or .40 is not above ' + '(X-22)',
    () => {
      const penalty = (overrideRate: number) => credibilityOf({ ...WORKED, overrideRate }, AT).factors.override.value;
      expect([0, 0.2, 0.21, 0.4, 0.41, 1].map(penalty)).toEqual([1, 1, 0.85, 0.85, 0.7, 0.7]);
    },
  );

  it(
    'CA-112: is the literal product by default (X-19): 0.9 everywhere gives 0.73, 0.7 gives 0.34; ' +
      '`normalised` differs',
    () => {
      const everywhere = (accuracy: number): TrackRecord => ({
        ...WORKED,
        contextAccuracy: accuracy,
        overallAccuracy: accuracy,
        ageYears: 0,
        regimes: { BULL_LOW_RATES: { accuracy, samples: 60 } },
        currentAccuracy: accuracy,
        trend: null,
        overrideRate: 0,
      });
      expect(scoreOf(everywhere(0.9))).toBeCloseTo(0.729, 12);
      expect(scoreOf(everywhere(0.7))).toBeCloseTo(0.343, 12);
      expect(scoreOf(everywhere(0.9), 'normalised')).toBeCloseTo(0.9, 12);
      expect(scoreOf(everywhere(0), 'normalised')).toBe(0);
      expect(credibilityOf(WORKED, AT).formula).toBe('product');
    },
  );

  it('CA-112: lies within [0, 1] by either formula, with an interval from score and samples in context (X-20)', () => {
    fc.assert(
      fc.property(records, fc.constantFrom('product', 'normalised'), (record, formula) => {
        const { score, interval } = credibilityOf(record, { ...AT, formula });
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(interval).toBe(wilsonHalfWidth(score, record.samples));
      }),
    );
  });

  it('CA-112: counts regime and trend by `normalised` as at most twice the base accuracy', () => {
    const scored = (others: number): number =>
      scoreOf(
        {
          ...WORKED,
          ...{ contextAccuracy: 0.1, contextWeight: 1, ageYears: 0, overrideRate: 0 },
          ...{ regimes: {}, overallAccuracy: others, currentAccuracy: others, trend: null },
        },
        'normalised',
      );
    expect(scored(0.19)).toBeCloseTo(0.1 * 1.9 ** 2, 12);
    expect([0.2, 0.21, 0.9].map(scored)).toEqual([expect.closeTo(0.4), expect.closeTo(0.4), expect.closeTo(0.4)]);
  });

  it('CA-112: never falls as an accuracy rises, and never rises with age or overrides', () => {
    const rising = ['contextAccuracy', 'overallAccuracy', 'currentAccuracy'] as const;
    const falling = ['ageYears', 'overrideRate'] as const;
    fc.assert(
      fc.property(records, share, share, (record, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const small = 1e-12;
        for (const key of rising)
          expect(scoreOf({ ...record, [key]: high })).toBeGreaterThanOrEqual(
            scoreOf({ ...record, [key]: low }) - small,
          );
        for (const key of falling)
          expect(scoreOf({ ...record, [key]: high })).toBeLessThanOrEqual(scoreOf({ ...record, [key]: low }) + small);
        const inRegime = (accuracy: number) =>
          scoreOf({ ...record, regimes: { BULL_LOW_RATES: { accuracy, samples: 60 } } });
        expect(inRegime(high)).toBeGreaterThanOrEqual(inRegime(low) - small);
        const normalised = (accuracy: number) => scoreOf({ ...record, currentAccuracy: accuracy }, 'normalised');
        expect(normalised(high)).toBeGreaterThanOrEqual(normalised(low) - small);
      }),
    );
  });
});

describe('the regime', () => {
  it.each([
    [30.1, 0.2, 2, 'HIGH_VOLATILITY'],
    [30, 0.11, 3, 'BULL_HIGH_RATES'],
    [30, 0.11, 2.9, 'BULL_LOW_RATES'],
    [26, -0.01, 3, 'BEAR_HIGH_RATES'],
    [25, -0.01, 3, 'BEAR_LOW_RATES'],
    [26, -0.01, 2.9, 'BEAR_LOW_RATES'],
    [20, 0.1, 3, 'NORMAL'],
    [20, 0, 3, 'NORMAL'],
  ])('CA-107: volatility %f, index %f, rate %f is %s', (volatility, indexChange, rate, regime) => {
    expect(regimeOf({ volatility, indexChange, rate }, PACKS.finance.regimes)).toBe(regime);
  });

  it('CA-106: is unknown without readings', () => {
    expect(regimeOf(null, PACKS.finance.regimes)).toBe('UNKNOWN');
    expect(regimeOf({ volatility: 31 })).toBe('UNKNOWN');
  });

  it.each([
    ['above', 10, [9, 10, 11], ['no', 'no', 'yes']],
    ['atLeast', 10, [9, 10, 11], ['no', 'yes', 'yes']],
    ['below', 10, [9, 10, 11], ['yes', 'no', 'no']],
    ['atMost', 10, [9, 10, 11], ['yes', 'yes', 'no']],
  ] as const)('CA-107: is bounded by "%s %i"', (bound, limit, values, names) => {
    const regimes = [{ name: 'yes', when: { load: { [bound]: limit } } }, { name: 'no' }];
    expect(values.map((load) => regimeOf({ load }, regimes))).toEqual(names);
  });

  it('CA-107: is the first of which all bounds hold, and the last one otherwise', () => {
    const busy = { above: 5, atMost: 10 };
    const regimes = [
      { name: 'frozen', when: { load: busy, errors: { above: 0 } } },
      { name: 'busy', when: { load: busy } },
      { name: 'quiet' },
    ];
    const of = (load: number, errors: number) => regimeOf({ load, errors }, regimes);
    expect([of(6, 1), of(6, 0), of(10, 0), of(11, 1), of(5, 1)]).toEqual(['frozen', 'busy', 'busy', 'quiet', 'quiet']);
    expect(regimeOf({}, regimes)).toBe('quiet');
  });
});

describe('the match of two contexts', () => {
  const DIMENSIONS = ['sector', 'metricType', 'timeHorizon', 'size', 'growthStage'];
  const like = (count: number) =>
    Object.fromEntries(DIMENSIONS.map((name, index) => [name, index < count ? 'same' : 'other']));
  const many = (count: number, matches: number) => Array.from({ length: count }, () => ({ context: like(matches) }));
  const weighed = (...groups: { context: Record<string, string> }[][]) => {
    const { quality, weight, similar } = contextMatch(groups.flat(), like(5));
    return [quality, weight, similar.length];
  };

  it('CA-113: compares five dimensions', () => {
    expect(DIMENSIONS).toHaveLength(CONTEXT_DIMENSIONS_MAX);
    expect(PACKS.finance.contextDimensions).toEqual(DIMENSIONS);
    expect([0, 1, 2, 3, 4, 5].map((count) => matchesOf(like(count), like(5)))).toEqual([0, 1, 2, 3, 4, 5]);
    expect(matchesOf({}, {})).toBe(0);
  });

  it('CA-114: weighs 1 for five equal dimensions, .70 for four, .30 for two or three, 0 for fewer (X-23)', () => {
    expect([5, 4, 3, 2, 1, 0].map((count) => weighed(many(10, count)))).toEqual([
      ['exact', 1, 10],
      ['strong', 0.7, 10],
      ['weak', 0.3, 10],
      ['weak', 0.3, 10],
      ['none', 0, 0],
      ['none', 0, 0],
    ]);
  });

  it('CA-114: needs ten similar observations, or three for a weight of .30', () => {
    expect(weighed(many(9, 5), many(1, 4))).toEqual(['strong', 0.7, 10]);
    expect(weighed(many(9, 5))).toEqual(['weak', 0.3, 9]);
    expect(weighed(many(3, 2))).toEqual(['weak', 0.3, 3]);
    expect(weighed(many(2, 5))).toEqual(['none', 0, 2]);
  });
});

describe('a track record', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const { context } = CHALLENGE;

  it('CA-103: holds accuracies, samples in context and by regime, mean age and override rate of observations', () => {
    const seen: Observation[] = [
      ...observations(20, 15, { nowMs, regime: 'NORMAL', overridden: 5 }),
      ...observations(60, 30, { nowMs, regime: 'BULL_LOW_RATES' }).map((one) => ({
        ...one,
        context: { sector: 'toys' },
      })),
      { atMs: nowMs, context, regime: 'NORMAL', isRight: null, isOverridden: true },
    ];
    const record = trackRecordOf(seen, { context, nowMs, halfLifeYears: 3 });
    expect(record).toMatchObject({
      contextAccuracy: 0.75,
      contextWeight: 1,
      contextMatch: 'exact',
      overallAccuracy: 45 / 80,
      samples: 20,
      halfLifeYears: 3,
      regimes: { NORMAL: { accuracy: 0.75, samples: 20 }, BULL_LOW_RATES: { accuracy: 0.5, samples: 60 } },
      overrideRate: 6 / 81,
    });
    expect(record.ageYears).toBeCloseTo((20 * 10.5 + 60 * 30.5) / 80 / 365.25, 9);
  });

  it('has no samples and an accuracy of .5 for an agent without observations', () => {
    expect(trackRecordOf([], { context, nowMs, halfLifeYears: 2 })).toMatchObject({
      overallAccuracy: 0.5,
      contextAccuracy: 0.5,
      samples: 0,
      contextMatch: 'none',
      trend: null,
      overrideRate: 0,
      ageYears: 0,
    });
  });

  it('CA-108: takes its trend from rolling accuracy, with one point a week', () => {
    const years = 730;
    const improving = Array.from(
      { length: years },
      (_, day): Observation => ({
        atMs: nowMs - (years - day) * DAY_MS,
        context,
        regime: 'NORMAL',
        isRight: (day * 7919) % years < day,
        isOverridden: null,
      }),
    );
    expect(rollingAccuracy(improving, nowMs).length).toBeGreaterThan(100);
    const record = trackRecordOf(improving, { context, nowMs, halfLifeYears: 2 });
    expect(record.trend).toMatchObject({ direction: 'improving' });
    expect(record.trend!.rSquared).toBeGreaterThan(0.9);
    expect(record.currentAccuracy).toBeGreaterThan(0.8);
  });

  it('CA-108: takes a rolling accuracy over 13 weeks, for each week of two years', () => {
    const WEEK_MS = 7 * DAY_MS;
    const weekly = (weeks: number): Observation[] =>
      Array.from({ length: weeks }, (_, weeksAgo) => ({
        atMs: nowMs - weeksAgo * WEEK_MS,
        context,
        regime: 'NORMAL',
        isRight: weeksAgo === 0,
        isOverridden: null,
      }));
    const points = rollingAccuracy(weekly(200), nowMs);
    expect(points).toHaveLength(104);
    expect(points.at(-1)).toEqual({ atYears: expect.closeTo(0), accuracy: 1 / 13 });
    expect(points[0]!.atYears).toBeCloseTo((-103 * 7) / 365.25, 12);
    // One observation counts in the thirteen weeks that begin with it.
    const [first] = weekly(1);
    expect(rollingAccuracy([first!], nowMs + 50 * WEEK_MS)).toHaveLength(13);
  });
});

describe('level 2, credibility', () => {
  /** The analysis of two agents with the given scores and one interval. */
  const analysed = (a: number, b: number, { interval = 0.05, count = 100 } = {}) => {
    const of = (score: number) => ({ ...credibilityOf(WORKED, AT), score, interval, samples: count });
    return analyse({ challenger: of(a), challenged: of(b), regime: 'NORMAL', notKnown: [] });
  };
  const FREE = { urgency: 'ordinary', isOverflow: false, isInGoodFaith: true } as const;

  it('CA-102: resolves only if the differential exceeds both .25 and the sum of the two intervals', () => {
    expect(requiredDifferential({ interval: 0.1 }, { interval: 0.1 })).toBe(0.25);
    expect(requiredDifferential({ interval: 0.2 }, { interval: 0.1 })).toBeCloseTo(0.3);
    expect(level2Winner(analysed(0.8, 0.5), FREE)).toBe('challenger');
    expect(level2Winner(analysed(0.5, 0.8), FREE)).toBe('challenged');
    expect(level2Winner(analysed(0.8, 0.5, { interval: 0.16 }), FREE)).toBe(null);
  });

  it('CA-102: does not resolve at exactly the required differential (X-27), whatever the rounding', () => {
    for (const [a, b] of [
      [0.75, 0.5],
      [0.9, 0.65],
      [0.35, 0.1],
      [0.55, 0.3],
    ])
      expect(level2Winner(analysed(a!, b!), FREE)).toBe(null);
    expect(analysed(0.5, 0.5).higher).toBe(null);
  });

  it('CA-101: resolves only with 15 data points for each side', () => {
    expect(level2Winner(analysed(0.9, 0.1, { count: 15 }), FREE)).toBe('challenger');
    expect(level2Winner(analysed(0.9, 0.1, { count: 14 }), FREE)).toBe(null);
  });

  it('CA-118: resolves only if all four conditions are met, and names the unmet one', () => {
    const unmet = (facts: Parameters<typeof conditionsOf>[1]) =>
      conditionsOf(analysed(0.9, 0.1), facts)
        .filter(({ isMet }) => !isMet)
        .map(({ rule }) => rule);
    expect(unmet(FREE)).toEqual([]);
    expect(unmet({ ...FREE, urgency: 'critical-path' })).toEqual([
      'not on the critical path, unless the experts are full',
    ]);
    expect(unmet({ ...FREE, urgency: 'critical-path', isOverflow: true })).toEqual([]);
    expect(unmet({ ...FREE, isInGoodFaith: false })).toEqual(['both gave evidence in good faith']);
  });

  it('CA-102: resolves only for the higher score, and only above the required differential', () => {
    fc.assert(
      fc.property(share, share, fc.double({ min: 0, max: 0.5, noNaN: true }), (a, b, interval) => {
        const analysis = analysed(a, b, { interval });
        const winner = level2Winner(analysis, FREE);
        if (winner === null) expect(analysis.differential).toBeLessThanOrEqual(analysis.required + 1e-6);
        else expect(winner === 'challenger' ? a - b : b - a).toBeGreaterThan(Math.max(0.25, 2 * interval));
      }),
    );
  });
});
