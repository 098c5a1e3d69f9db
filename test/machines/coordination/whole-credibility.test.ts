/** The credibility of both sides of a debate in the whole crew, by the seed's reference values. */
import { describe, expect, it } from 'vitest';
import { type Credibility, type TrackRecord } from '../../../src/machines/coordination/credibility/credibility.ts';
import { type Observation } from '../../../src/machines/coordination/credibility/track-record.ts';
import { type HistoricalContext } from '../../../src/machines/coordination/debates/debate-ports.ts';
import { type Side } from '../../../src/machines/coordination/debates/level-two.ts';
import { WILSON, WORKED, WORKED_FACTORS } from '../../support/machines/credibility-reference.ts';
import { CHALLENGE, DAY_MS, MINUTE_MS, type Room } from '../../support/machines/debate-room.ts';
import { startDebating, type WholeCrew } from '../../support/machines/whole-crew.ts';

const WEEK_MS = 7 * DAY_MS;
const YEAR_MS = 365.25 * DAY_MS;

type Records = Readonly<Record<Side, TrackRecord>>;

/** A crew whose host remembers these track records, by debate. */
async function remembering(records: Readonly<Record<string, Records>>): Promise<{ crew: WholeCrew; room: Room }> {
  const historicalContext = ({ challenge }: { readonly challenge: { readonly id: string } }) =>
    Promise.resolve({ precedents: [], records: records[challenge.id]! } satisfies HistoricalContext);
  return startDebating({ historicalContext });
}

/** A debate of these two agents, as the facilitator judges them after the challenged one has not acknowledged it. */
async function judged(
  { crew, room }: { readonly crew: WholeCrew; readonly room: Room },
  id: string,
  [challenger, challenged] = ['ada', 'bob'],
): Promise<Readonly<Record<Side, Credibility>>> {
  await room.challenge({ id, challenger: { agent: challenger }, challenged: { agent: challenged } });
  await crew.test.advance(15 * MINUTE_MS);
  return room.record(id).analysis!;
}

/** A track record whose score is this share, as nothing speaks against it. */
function plain(share: number, samples: number): TrackRecord {
  return {
    contextAccuracy: share,
    contextWeight: 1,
    contextMatch: 'exact',
    overallAccuracy: 1,
    samples,
    ageYears: 0,
    halfLifeYears: 2,
    regimes: {},
    currentAccuracy: 1,
    trend: null,
    overrideRate: 0,
  };
}

describe('the score of a side', () => {
  it('CA-E13: has an interval of half the width that Wilson gives for the seven reference values', async () => {
    const records = WILSON.map(([share, samples]) => plain(share, samples));
    const room = await remembering(
      Object.fromEntries(records.map((challenger, n) => [`d-${n}`, { challenger, challenged: records.at(n - 1)! }])),
    );
    for (const [n, [share, , width]] of WILSON.entries()) {
      const { challenger, challenged } = await judged(room, `d-${n}`);
      expect(challenger.score).toBeCloseTo(share, 12);
      expect(challenger.interval).toBeCloseTo(width, 6);
      expect(challenged.interval).toBeCloseTo(WILSON.at(n - 1)![2], 6);
    }
  });

  it('CA-E14: is 0.384494 in the worked example, with every factor as printed', async () => {
    const debate = await remembering({ 'd-1': { challenger: WORKED, challenged: plain(0.5, 15) } });
    await debate.room.say('regime.readings', { readings: { volatility: 15, indexChange: 0.2, rate: 2 } });
    const { score, factors } = (await judged(debate, 'd-1')).challenger;
    for (const [factor, value, digits] of WORKED_FACTORS) expect(factors[factor].value).toBeCloseTo(value, digits);
    expect(score).toBeCloseTo(0.384494, 6);
  });
});

/** Four observations a week. The share that is right rises by `slope` a year, and was .5 a year ago. */
function rising(weeks: number, slope: number, nowMs: number): readonly Observation[] {
  let expected = 0;
  return Array.from({ length: 4 * weeks + 1 }, (_, n) => {
    const atMs = nowMs - weeks * WEEK_MS + (n * WEEK_MS) / 4;
    const before = Math.floor(expected);
    expected += 0.5 + slope * ((atMs - nowMs) / YEAR_MS + 1);
    const isRight = Math.floor(expected) > before;
    return { atMs, context: CHALLENGE.context, regime: 'NORMAL', isRight, isOverridden: null };
  });
}

describe('the trend of a side', () => {
  const STEEP = { slopePerYear: 1, rSquared: 0.9, direction: 'improving' } as const;

  it('CA-109: needs 52 weekly points, and is improving or degrading by more than .05 a year', async () => {
    const debate = await startDebating();
    const nowMs = debate.crew.test.clock.wallMs();
    const slopes = { better: 0.07, slightly: 0.03, worse: -0.07, little: -0.03 };
    for (const [agent, slope] of Object.entries(slopes))
      await debate.room.say('agent.observed', { agent, observations: rising(117, slope, nowMs) });
    await debate.room.say('agent.observed', { agent: 'old', observations: rising(51, 0.07, nowMs) });
    await debate.room.say('agent.observed', { agent: 'young', observations: rising(50, 0.07, nowMs) });
    const trends: [number | undefined, string | undefined][] = [];
    for (const [n, pair] of [
      ['better', 'slightly'],
      ['worse', 'little'],
    ].entries()) {
      const { challenger, challenged } = await judged(debate, `d-${n}`, pair as [string, string]);
      for (const { factors } of [challenger, challenged])
        trends.push([factors.trend.trend?.slopePerYear, factors.trend.trend?.direction]);
    }
    expect(trends).toEqual([
      [expect.closeTo(0.07, 2), 'improving'],
      [expect.closeTo(0.03, 2), 'stable'],
      [expect.closeTo(-0.07, 2), 'degrading'],
      [expect.closeTo(-0.03, 2), 'stable'],
    ]);
    const { challenger, challenged } = await judged(debate, 'd-9', ['old', 'young']);
    expect(challenger.factors.trend.trend).not.toBeNull();
    expect(challenged.factors.trend).toMatchObject({ trend: null, extrapolated: null });
  });

  it('CA-109: is extrapolated to .95 at most and to 0 at least', async () => {
    const challenger = { ...plain(1, 15), currentAccuracy: 0.9, trend: STEEP };
    const falling = { ...STEEP, slopePerYear: -1, direction: 'degrading' } as const;
    const challenged = { ...plain(1, 15), currentAccuracy: 0.1, trend: falling };
    const debate = await remembering({ 'd-1': { challenger, challenged } });
    const analysis = await judged(debate, 'd-1');
    expect(analysis.challenger.factors.trend.extrapolated).toBe(0.95);
    expect(analysis.challenger.factors.trend.value).toBeCloseTo(0.7 * 0.9 + 0.3 * 0.95, 12);
    expect(analysis.challenged.factors.trend.extrapolated).toBe(0);
    expect(analysis.challenged.factors.trend.value).toBeCloseTo(0.7 * 0.1, 12);
  });
});

it(
  'CA-114: the context weighs 1.00 if all dimensions match, .70 for four, .30 for two, 0 for fewer; it needs ten ' +
    'similar observations, and three give .30',
  async () => {
    const cases = {
      all: [10, 5, 1],
      four: [10, 4, 0.7],
      three: [10, 3, 0.3],
      two: [10, 2, 0.3],
      one: [10, 1, 0],
      nine: [9, 5, 0.3],
      few: [3, 2, 0.3],
      pair: [2, 5, 0],
    } as const;
    const debate = await startDebating();
    const nowMs = debate.crew.test.clock.wallMs();
    for (const [agent, [count, matches]] of Object.entries(cases)) {
      const dimensions = Object.entries(CHALLENGE.context);
      const context = Object.fromEntries(dimensions.map(([name, value], n) => [name, n < matches ? value : 'other']));
      const one = { context, regime: 'NORMAL', isRight: true, isOverridden: null };
      const observations = Array.from({ length: count }, (_, n) => ({ ...one, atMs: nowMs - n * DAY_MS }));
      await debate.room.say('agent.observed', { agent, observations });
    }
    const names = Object.keys(cases);
    const weights: Record<string, number> = {};
    for (let n = 0; n < names.length; n += 2) {
      const { challenger, challenged } = await judged(debate, `d-${n}`, [names[n]!, names[n + 1]!]);
      weights[names[n]!] = challenger.factors.base.contextWeight;
      weights[names[n + 1]!] = challenged.factors.base.contextWeight;
    }
    expect(weights).toEqual(Object.fromEntries(Object.entries(cases).map(([name, [, , weight]]) => [name, weight])));
  },
);
