/** Debates in the whole crew, level by level, and the credibility of their two sides. */
import { describe, expect, it } from 'vitest';
import { type Analysis } from '../../../src/machines/coordination/debates/level-two.ts';
import { type DebateRecord } from '../../../src/machines/coordination/debates/debate-records.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import {
  CHALLENGE,
  DAY_MS,
  EVIDENCE,
  HOUR_MS,
  MINUTE_MS,
  observations,
  type Room,
  roomOf,
  withTrackRecords,
} from '../../support/machines/debate-room.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const YEAR_MS = 365.25 * DAY_MS;

/** A crew with one item that never ends, one expert, and a debate room. */
async function debating(): Promise<{ crew: WholeCrew; room: Room; record(id?: string): DebateRecord }> {
  const work: AgentFunction = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const plan = planOf({ pack: 'finance', stages: { work: { agent: 'work' } }, items: ['ACME'], experts: ['eve'] });
  const crew = await startWholeCrew(plan, { work });
  const room = roomOf(crew.test);
  return { crew, room, record: (id = 'd-1') => room.record(id) };
}

describe('level 1, the agents', () => {
  it('CA-090, CA-092, CA-093, CA-094, CN-013: ends in consensus; words without evidence do not count', async () => {
    const { crew, room, record } = await debating();
    expect(await room.challenge()).toMatchObject({ taken: true, loads: { eve: '0/3 debates' } });
    expect(record()).toMatchObject({ level: 'L1', challenger: 'ada', challenged: 'bob', item: 'ACME' });
    await room.say('debate.acknowledge', { debate: 'd-1', by: 'bob' });
    await room.say('debate.respond', { debate: 'd-1', by: 'bob', statement: 'Trust me.' });
    await room.say('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE, granted: ['Sales fell.'] });
    expect(room.context()).toMatchObject({
      challenge: { disputedFinding: 'The margin is 28 %.', requiredEvidence: ['filing', 'calculation'] },
      'said:0': { side: 'challenged', flaw: 'brings no evidence' },
      'said:1': { side: 'challenged', flaw: null, granted: ['Sales fell.'] },
    });
    await crew.powerCut();
    await room.say('debate.accept', { debate: 'd-1', by: 'bob' });
    expect(record()).toMatchObject({ isOver: true, level: 'consensus' });
    expect(crew.told('debate.decided')).toMatchObject([{ debate: 'd-1', item: 'ACME', outcome: 'consensus' }]);
  });
});

describe('level 2, credibility', () => {
  interface Seen {
    readonly right: number;
    readonly overridden?: number;
    readonly halfLifeYears: number;
  }

  /** Recomputes a score from a hundred days in one context and regime; current accuracy is that of the last ninety. */
  function recount({ right, overridden = 0, halfLifeYears }: Seen): number {
    const meanAgeMs = 50.5 * DAY_MS + HOUR_MS;
    const temporal = 0.5 ** (meanAgeMs / YEAR_MS / halfLifeYears);
    const current = (100 * right - Math.floor(10 * right)) / 90;
    const penalty = overridden > 0.4 ? 0.7 : overridden > 0.2 ? 0.85 : 1;
    return right * temporal * right * current * penalty;
  }

  /** Half the width of Wilson's interval for a share of `count` samples. */
  function halfWidth(share: number, count: number): number {
    const z = 1.96;
    const d = 1 + z ** 2 / count;
    const centre = (share + z ** 2 / (2 * count)) / d;
    const margin = (z / d) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
    return (Math.min(1, centre + margin) - Math.max(0, centre - margin)) / 2;
  }

  async function observed(room: Room, overridden: number): Promise<void> {
    const nowMs = room.test.clock.wallMs();
    await room.say('regime.readings', { readings: { volatility: 15, indexChange: 0.05, rate: 2 } });
    await room.say('agent.observed', { agent: 'ada', observations: observations(100, 95, { nowMs }) });
    const bobs = observations(100, 60, { nowMs, overridden });
    await room.say('agent.observed', { agent: 'bob', observations: bobs });
  }

  it(
    'CA-101, CA-102, CA-103, CA-104, CA-106, CA-110, CA-111, CA-112, CA-113, CA-115, CA-116: decides after ' +
      'the hour for the more credible side, by figures that can be recomputed',
    async () => {
      const { crew, room, record } = await debating();
      await observed(room, 30);
      await room.challenge();
      await room.defend();
      await crew.test.advance(HOUR_MS - 1);
      expect(record()).toMatchObject({ level: 'L1', analysis: null });
      await crew.test.advance(1);
      expect(record()).toMatchObject({ level: 'facilitator_resolved', isOver: true });
      const { challenger, challenged, differential, required, regime } = record().analysis as Analysis;
      expect(challenger.score).toBeCloseTo(recount({ right: 0.95, halfLifeYears: 3 }), 3);
      expect(challenged.score).toBeCloseTo(recount({ right: 0.6, overridden: 0.3, halfLifeYears: 2 }), 3);
      expect(challenger.factors).toMatchObject({
        base: { contextMatch: 'exact', contextWeight: 1, contextAccuracy: 0.95 },
        temporal: { halfLifeYears: 3 },
        regime: { regime: 'NORMAL', samples: 100 },
        trend: { trend: null },
        override: { value: 1, rate: 0 },
      });
      expect(challenged.factors).toMatchObject({
        temporal: { halfLifeYears: 2 },
        override: { value: 0.85, rate: 0.3 },
      });
      expect(challenger.interval).toBeCloseTo(halfWidth(challenger.score, 100), 6);
      expect(differential).toBeCloseTo(challenger.score - challenged.score, 9);
      expect(required).toBeCloseTo(Math.max(0.25, challenger.interval + challenged.interval), 9);
      expect([challenger.evidenceQuality, challenged.evidenceQuality, regime]).toEqual([0.8, 0.6, 'NORMAL']);
      expect(crew.told('debate.decided')).toMatchObject([{ outcome: 'facilitator_resolved', statement: '25 %' }]);
    },
  );

  it('CA-108: weighs a strong trend by its half-year extrapolation', async () => {
    const { crew, room, record } = await debating();
    const nowMs = crew.test.clock.wallMs();
    const days = 500;
    const improving = observations(days, 0, { nowMs }).map((one, day) => ({
      ...one,
      isRight: (day * 7919) % days < day,
    }));
    await room.say('agent.observed', { agent: 'ada', observations: improving });
    await room.toExpert();
    const { value, currentAccuracy, extrapolated, trend } = record().analysis!.challenger.factors.trend;
    expect(trend).toMatchObject({ direction: 'improving' });
    expect(extrapolated).toBeCloseTo(Math.min(0.95, currentAccuracy + trend!.slopePerYear * 0.5), 6);
    expect(value).toBeCloseTo(0.7 * currentAccuracy + 0.3 * extrapolated!, 6);
  });
});

describe('level 3, people', () => {
  it('CA-117, CA-118, CA-119: decide what credibility does not, given both positions and the scores', async () => {
    const { crew, room, record } = await debating();
    await withTrackRecords(room, { ada: 90, bob: 85 });
    await room.toExpert();
    expect(record()).toMatchObject({ level: 'L3', expert: 'eve' });
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    expect(gate).toMatchObject({ audience: ['eve'], deadlineAtMs: crew.test.clock.wallMs() + 6 * HOUR_MS });
    const { question } = crew.test.shard.snapshot(`open-gates/${gate.id}`)!.context as { question: object };
    expect(question).toMatchObject({
      package: {
        positions: { challenger: { agent: 'ada', value: 0.25 }, challenged: { agent: 'bob', value: 0.28 } },
        analysis: { regime: 'NORMAL' },
        precedents: [],
      },
    });
    await crew.powerCut();
    expect(await room.answer({ action: 'decide', side: 'challenged' })).toEqual({ taken: true, problems: [] });
    expect(record()).toMatchObject({ level: 'human', isOver: true });
  });

  it('CA-126, CA-127, CA-128, CA-129, CA-130, CN-006: take three debates; a fourth goes by priority', async () => {
    const { crew, room, record } = await debating();
    for (const n of [1, 2, 3]) await room.challenge({ id: `d-${n}` });
    for (const n of [1, 2, 3]) await room.defend(`d-${n}`);
    await crew.test.advance(HOUR_MS);
    expect(await room.ask('debate.loads')).toEqual({ eve: '3/3 debates' });
    for (const priority of ['critical-path', 'valuation', 'supporting'])
      await room.challenge({ id: `late-${priority}`, priority });
    await crew.test.advance(HOUR_MS);
    expect([1, 2, 3].map((n) => record(`d-${n}`).level)).toEqual(['L3', 'L3', 'L3']);
    expect(record('late-critical-path')).toMatchObject({ level: 'L4' });
    expect(record('late-valuation')).toMatchObject({ level: 'deferred' });
    expect(record('late-supporting')).toMatchObject({ level: 'deferred' });
  });
});

describe('level 4, the conservative default', () => {
  it(
    'CA-096, CA-097, CA-121, CA-122, CA-123, CA-124, CA-125, CA-131, CN-002, CN-013: applies the cautious ' +
      'position, marked and listed, until people review it',
    async () => {
      const { crew, room, record } = await debating();
      const after = { id: 'work', measure: 'confidence', current: 0.9, response: 'unknown', runMs: 1_000 };
      await room.challenge({ dependents: [after] });
      await crew.test.advance(15 * MINUTE_MS);
      expect(record().level).toBe('L3');
      await crew.powerCut();
      await crew.test.advance(6 * HOUR_MS);
      const provisional = record().provisional!;
      expect(record().level).toBe('L4');
      expect(provisional).toMatchObject({
        debate: 'd-1',
        topic: 'Margin of ACME',
        mark: 'provisional - conservative default',
        side: 'challenger',
        position: { value: 0.25 },
        alternatives: [{ side: 'challenged', position: { value: 0.28 } }],
        rationale: expect.any(String) as string,
        overrideUntilMs: crew.test.clock.wallMs() + 24 * HOUR_MS,
      });
      expect(crew.told('debate.provisional')).toMatchObject([
        { debate: 'd-1', item: 'ACME', statement: '25 %', flagged: ['ACME/work'] },
      ]);
      expect(await room.ask('debate.provisionals')).toMatchObject({
        headline: '1 provisional decisions require review',
        items: [{ debate: 'd-1', dependents: ['work'] }],
      });
      await crew.test.advance(24 * HOUR_MS);
      expect(crew.gates().filter(({ isOver }) => !isOver)).toHaveLength(1);
    },
  );
});

it('CA-136: a later debate knows which side proved right before, and how people decided', async () => {
  const { crew, room, record } = await debating();
  await room.toExpert();
  await room.answer({ action: 'decide', side: 'challenger' });
  await room.ask('debate.outcome', { debate: 'd-1', right: 'challenger' });
  await crew.powerCut();
  await room.toExpert({ id: 'd-2', context: CHALLENGE.context });
  const [open] = crew.gates().filter(({ isOver }) => !isOver);
  const { question } = crew.test.shard.snapshot(`open-gates/${open!.id}`)!.context as { question: object };
  expect(question).toMatchObject({ package: { precedents: [{ id: 'd-1' }] } });
  expect(record('d-2').analysis!.challenger.samples).toBe(1);
});
