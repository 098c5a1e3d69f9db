/**
 * The desk of debates: experts, overflow, the provisional list, its memory, and the eight scenarios of CA-138.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type DebatePorts } from '../../../../src/machines/coordination/debates/debate-ports.ts';
import { DESK_ORDERS_OPEN_MAX, OBSERVATIONS_PER_AGENT_MAX } from '../../../../src/machines/limits.ts';
import { debatesIn } from '../../../../src/machines/coordination/debates/debate-facilitator.ts';
import { PACKS } from '../../../../src/machines/coordination/packs.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import {
  CHALLENGE,
  DAY_MS,
  EVIDENCE,
  HOUR_MS,
  MINUTE_MS,
  observations,
  openRoom,
  type Room,
  roomOf,
  type RoomOptions,
  roomOptions,
  withTrackRecords,
} from '../../../support/machines/debate-room.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';
import { LONG } from '../../../support/effort.ts';
import { goOn, keepApart } from '../../../support/machines/records-apart.ts';

let room: Room;
afterEach(() => room.test.shard.stop());

async function open(options: RoomOptions = {}): Promise<Room> {
  return (room = await openRoom(options));
}

/** Opens debates of these priorities, in this order, and takes each to level 3 or to where its routing leads. */
async function overload(priorities: readonly string[], options: RoomOptions = {}): Promise<Room> {
  await open(options);
  for (const [index, priority] of priorities.entries()) {
    await room.challenge({ id: `d-${index + 1}`, priority });
    await room.defend(`d-${index + 1}`);
  }
  await room.test.advance(HOUR_MS);
  return room;
}

const levels = ({ desk }: Room) => debatesIn(desk()).map(({ level }) => level);

describe('the Debate Facilitator', () => {
  it.each(['__proto__', '__keys__'])(
    'refuses an expert named %s, since no stored object can hold that key',
    async (expert) => {
      const { test } = await open();
      const sent = test.shard.send(DESKS.debates, { type: 'expert.available', expert });
      await expect(sent).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    },
  );

  it('CA-090: opens a debate for a challenge, presents both views to an expert, and lists the debate', async () => {
    const { toExpert, ask, test } = await open();
    await toExpert();
    expect(await ask('debate.list', { isOpen: true })).toMatchObject([
      { id: 'd-1', topic: 'Margin of ACME', challenger: 'ada', challenged: 'bob', level: 'L3', expert: 'eve' },
    ]);
    expect((test.shard.snapshot(`${DESKS.openGates}/d-1+1`)!.context as { question: object }).question).toMatchObject({
      package: {
        disputedFinding: 'The margin is 28 %.',
        positions: { challenger: { statement: '25 %' }, challenged: { statement: '28 %' } },
        said: [{ side: 'challenged', evidence: [{ kind: 'calculation' }] }],
        unheard: [],
        uncertainties: expect.arrayContaining(['not met: 15 data points each in similar context']),
      },
    });
  });

  it('CA-090: names the side that has not been heard', async () => {
    const { challenge, test } = await open();
    await challenge();
    await test.advance(15 * MINUTE_MS);
    expect((test.shard.snapshot(`${DESKS.openGates}/d-1+1`)!.context as { question: object }).question).toMatchObject({
      package: { unheard: ['challenged: did not even acknowledge'] },
    });
  });

  it('CA-093: keeps the outcome of a debate across a power cut', async () => {
    const { toExpert, answer, powerCut, record } = await open();
    await toExpert();
    await answer({ action: 'decide', side: 'challenger' });
    await powerCut();
    expect(record()).toMatchObject({
      level: 'human',
      isOver: true,
      summary: {
        method: 'decision of an expert',
        side: 'challenger',
        byPeople: true,
        rounds: 1,
        evidenceKinds: ['filing', 'calculation'],
      },
    });
  });

  it('CA-099: hands the coordinator the whole record of a resolution', async () => {
    const { toExpert, answer, resolution } = await open();
    await toExpert();
    await answer({ action: 'decide', side: 'challenger' });
    expect(resolution()).toMatchObject({
      debate: 'd-1',
      item: 'ACME',
      outcome: 'human',
      level: 3,
      method: 'decision of an expert',
      position: { value: 0.25 },
      confidence: 1,
      evidence: [{ kind: 'filing' }, { kind: 'calculation' }],
      impact: null,
      provisional: null,
      snapshotId: 'facts-of-d-1',
      disagreed: ['The margin is 28 %.'],
    });
  });

  it('refuses a challenge that it cannot open and a message for no open debate, and says why', async () => {
    const { challenge, ask, test } = await open();
    await challenge();
    expect(await challenge()).toEqual({ taken: false, problems: ['a debate "d-1" is there already'] });
    expect(await ask('debate.accept', { debate: 'd-9', by: 'bob' })).toEqual({
      taken: false,
      problems: ['no debate "d-9"'],
    });
    await room.say('debate.accept', { debate: 'd-1', by: 'bob' });
    expect(await ask('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE })).toEqual({
      taken: false,
      problems: ['debate "d-1" is over: consensus'],
    });
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
  });

  it('keeps messages that arrive before their debate has begun, up to a bound, across a power cut', async () => {
    const { test, powerCut, state, context } = await open();
    const opened = test.shard.send(DESKS.debates, { type: 'debate.challenge', ...CHALLENGE });
    const word = { type: 'debate.respond', debate: 'd-1', by: 'bob', ...EVIDENCE };
    const asked = Array.from({ length: DESK_ORDERS_OPEN_MAX + 1 }, () => test.shard.ask(DESKS.debates, word));
    await test.settle();
    await opened;
    const replies = (await Promise.all(asked)) as { taken: boolean }[];
    expect(replies.filter(({ taken }) => taken)).toHaveLength(DESK_ORDERS_OPEN_MAX);
    await powerCut();
    expect(state()).toEqual({ L1_direct: 'awaiting_evidence' });
    expect(context().rounds).toBe(DESK_ORDERS_OPEN_MAX);
  });

  it('counts a debate as failed when an administrator ends it, and frees the place at its expert', async () => {
    const { toExpert, test, record, ask } = await open();
    await toExpert();
    await test.shard.boss(DESKS.openDebates).terminateChild('d-1');
    await test.settle();
    expect(record()).toMatchObject({ level: 'failed', isOver: true });
    expect(await ask('debate.loads')).toEqual({ eve: '0/3 debates' });
  });

  it(`keeps the last ${OBSERVATIONS_PER_AGENT_MAX} observations of an agent`, async () => {
    const { say, observed, test } = await open();
    const nowMs = test.clock.wallMs();
    await say('agent.observed', { agent: 'ada', observations: observations(OBSERVATIONS_PER_AGENT_MAX, 0, { nowMs }) });
    await say('agent.observed', { agent: 'ada', observations: observations(1, 1, { nowMs }) });
    expect(observed('ada')).toHaveLength(OBSERVATIONS_PER_AGENT_MAX);
    expect(observed('ada').at(-1)!.isRight).toBe(true);
  });

  it('CA-122: uses the order of risk that its host declares for a kind of value', async () => {
    const { toExpert, say, record } = await open({ pack: { ...PACKS.finance, riskOrders: { margin: 'highest' } } });
    await say('expert.unavailable', { expert: 'eve' });
    await toExpert();
    expect(record().provisional!.side).toBe('challenged');
  });

  it('CA-112: scores by `normalised` if its host says so', async () => {
    const { toExpert, context } = await open({ formula: 'normalised' });
    await withTrackRecords(room, { ada: 90, bob: 80 });
    await toExpert({ priority: 'critical-path' });
    expect(context().analysis!.challenger).toMatchObject({ formula: 'normalised', samples: 100 });
    expect(context().analysis!.challenger.score).toBeGreaterThan(0.8);
  });
});

describe('the queue of an expert', () => {
  it('CA-126: shows its load, and counts a debate from its assignment to its end', async () => {
    const { ask, answer, toExpert } = await overload(['valuation', 'supporting']);
    expect(await ask('debate.loads')).toEqual({ eve: '2/3 debates' });
    await answer({ action: 'decide', side: 'challenger' });
    expect(await ask('debate.loads')).toEqual({ eve: '1/3 debates' });
    await toExpert({ id: 'd-3' });
    expect(await ask('debate.loads')).toEqual({ eve: '2/3 debates' });
  });

  it('CA-127: takes a critical-path debate at once while a place is free, and never defers it', async () => {
    expect(levels(await overload(['critical-path', 'critical-path', 'critical-path', 'critical-path']))).toEqual([
      'L3',
      'L3',
      'L3',
      'L4',
    ]);
    expect(room.record('d-4').provisional!.trigger).toBe('queue full');
  });

  it('CA-127: leaves a critical-path debate to credibility when full, if that is clear enough (X-24)', async () => {
    await open();
    await withTrackRecords(room, { ada: 100, bob: 20 });
    for (const id of ['d-1', 'd-2', 'd-3', 'd-4']) {
      await room.challenge({ id, priority: 'critical-path' });
      await room.defend(id);
    }
    await room.test.advance(HOUR_MS);
    expect(levels(room)).toEqual(['L3', 'L3', 'L3', 'facilitator_resolved']);
    expect(room.resolution('d-4')).toMatchObject({
      mark: 'facilitator-resolved',
      side: 'challenger',
      method: 'credibility, as the experts are full',
    });
  });

  it('CA-128: defers a valuation debate to the next gate when full, without a provisional value (X-26)', async () => {
    expect(levels(await overload(['valuation', 'valuation', 'valuation', 'valuation']))).toEqual([
      'L3',
      'L3',
      'L3',
      'deferred',
    ]);
    expect(room.record('d-4').provisional).toBe(null);
    expect(room.heard()).toMatchObject([{ type: 'debate.deferred', item: 'ACME', debate: 'd-4' }]);
  });

  it('CA-129: defers a supporting debate to the next gate when full, across a power cut', async () => {
    const { powerCut, test, record } = await overload(['supporting', 'supporting', 'supporting', 'supporting']);
    expect(levels(room)).toEqual(['L3', 'L3', 'L3', 'deferred']);
    await powerCut();
    await test.advance(DAY_MS - 1);
    expect(record('d-4').level).toBe('deferred');
    await powerCut();
    await test.advance(1);
    expect(record('d-4').level).toBe('L5');
  });

  it('CA-129: defers a debate to a planned gate up to 30 days away, across a power cut', async () => {
    const { powerCut, say, test, record } = await overload(['supporting', 'supporting', 'supporting', 'supporting']);
    await say('gate.planned', { gate: 'G3', atMs: test.clock.wallMs() + 30 * DAY_MS });
    await powerCut();
    await test.advance(30 * DAY_MS - 1);
    expect(record('d-4').level).toBe('deferred');
    await test.advance(1);
    expect(record('d-4').level).toBe('L5');
  });

  it('CA-130: leaves out all debates that credibility can decide', async () => {
    await open();
    await withTrackRecords(room);
    for (const id of ['d-1', 'd-2', 'd-3', 'd-4', 'd-5']) {
      await room.challenge({ id, priority: id === 'd-5' ? 'supporting' : 'critical-path' });
      await room.defend(id);
    }
    await room.test.advance(HOUR_MS);
    expect(levels(room).at(-1)).toBe('facilitator_resolved');
    expect(await room.ask('debate.loads')).toEqual({ eve: '3/3 debates' });
  });
});

describe('a provisional decision', () => {
  it('CA-132: is listed with positions, scores and reason, and shown at every gate until it is decided', async () => {
    const { ask, say, answer, heard } = await overload(['critical-path', 'critical-path'], { experts: [] });
    expect(await ask('debate.provisionals')).toMatchObject({
      headline: '2 provisional decisions require review',
      items: [
        {
          debate: 'd-1',
          positions: [{ isApplied: true, score: expect.any(Number) }, { isApplied: false }],
          rationale: expect.stringContaining('expert unavailable'),
        },
        { debate: 'd-2' },
      ],
    });
    await say('gate.reached', { gate: 'G3' });
    await answer({ action: 'confirm' }, { by: 'anybody' });
    await room.test.advance(DAY_MS);
    expect(room.record('d-2').level).toBe('L4');
    await say('gate.reached', { gate: 'G5' });
    expect(room.record('d-2').level).toBe('L5');
    expect(heard(DESKS.alerts)).toContainEqual(
      expect.objectContaining({ title: '1 provisional decisions require review' }),
    );
  });

  it('CA-134: tells the coordinator, if overridden, which dependents to check and to run again in order', async () => {
    const dependents = [
      { id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 5 * MINUTE_MS },
      {
        id: 'sensitivity',
        measure: 'target_price',
        current: 85,
        response: 'proportional',
        runMs: 10 * MINUTE_MS,
        after: ['dcf'],
      },
      { id: 'risk', measure: 'risk', current: 0.3, response: { perUnit: 5 / 3 }, runMs: MINUTE_MS, confidence: 0.9 },
    ];
    const { toExpert, say, answer, resolution } = await open();
    await toExpert({ dependents });
    await room.test.advance(6 * HOUR_MS);
    await say('gate.reached', { gate: 'G5' });
    await answer({ action: 'override', side: 'challenged', confidence: 0.8 });
    expect(resolution()!.impact).toMatchObject({
      flagged: ['dcf', 'sensitivity', 'risk'],
      rerun: [{ id: 'dcf' }, { id: 'sensitivity' }],
      updated: [{ id: 'risk', confidence: 0.8 }],
      totalMs: 15 * MINUTE_MS,
    });
  });
});

describe('the memory of the facilitator', () => {
  it('CA-125: learns from decisions of people which agent was overridden', async () => {
    const { toExpert, answer, observed } = await open();
    await toExpert();
    await answer({ action: 'decide', side: 'challenger' });
    expect([observed('ada'), observed('bob')]).toMatchObject([
      [{ isOverridden: false, isRight: null }],
      [{ isOverridden: true, isRight: null }],
    ]);
  });

  it('CA-116: records once per debate which side later proved right, for the scores of later debates', async () => {
    const { toExpert, answer, say, observed, ask } = await open();
    await toExpert();
    await answer({ action: 'decide', side: 'challenger' });
    for (const right of ['challenged', 'challenger']) await say('debate.outcome', { debate: 'd-1', right });
    expect([observed('ada').slice(1), observed('bob').slice(1)]).toMatchObject([
      [{ isRight: false }],
      [{ isRight: true }],
    ]);
    expect(await ask('debate.patterns')).toMatchObject({
      debates: 1,
      byAgent: { ada: { won: 1, right: 0, known: 1 } },
    });
  });

  it('CA-136: provides precedents and patterns to a new debate, even from before a power cut', async () => {
    const { toExpert, answer, powerCut, context, ask } = await open();
    await toExpert();
    await answer({ action: 'decide', side: 'challenger' });
    await powerCut();
    await room.challenge({ id: 'd-2' });
    expect(context('d-2').precedents).toMatchObject([
      { id: 'd-1', matches: 5, summary: { method: 'decision of an expert' } },
    ]);
    expect(await ask('debate.patterns')).toMatchObject({
      byMethod: { 'decision of an expert': 1 },
      evidenceThatPrevailed: { filing: 1, calculation: 1 },
    });
  });

  it('CA-136, DC-013: takes track records and cautions from a memory of the host before its own', async () => {
    const record = {
      contextAccuracy: 0.9,
      contextWeight: 1,
      contextMatch: 'exact',
      overallAccuracy: 0.9,
      samples: 80,
      ageYears: 0,
      halfLifeYears: 2,
      regimes: {},
      currentAccuracy: 0.9,
      trend: null,
      overrideRate: 0,
    } as const;
    const memory: DebatePorts['historicalContext'] = ({ precedents }) =>
      Promise.resolve({
        precedents: [...precedents],
        cautions: ['Margins were restated in 2024.'],
        records: { challenger: record },
      });
    const { toExpert, context } = await open({ ports: { historicalContext: memory } });
    await toExpert();
    expect(context()).toMatchObject({
      cautions: ['Margins were restated in 2024.'],
      analysis: { challenger: { samples: 80 }, challenged: { samples: 0 } },
    });
  });
});

describe('the eight scenarios', () => {
  it('CA-138: 1, no expert is available: the conservative default applies, and the pipeline goes on', async () => {
    await overload(['critical-path'], { experts: [] });
    expect(room.record()).toMatchObject({ level: 'L4', provisional: { trigger: 'expert unavailable' } });
    expect(room.heard()).toMatchObject([{ type: 'debate.provisional' }]);
  });

  it(
    'CA-138: 2, one expert gets three of six debates at once; the other three overflow, none is lost',
    LONG,
    async () => {
      await overload(['valuation', 'critical-path', 'supporting', 'critical-path', 'valuation', 'supporting']);
      expect(levels(room)).toEqual(['L3', 'L3', 'L3', 'L4', 'deferred', 'deferred']);
    },
  );

  it('CA-138: 3, the queue of an expert is ordered by priority', async () => {
    await overload(['supporting', 'valuation', 'critical-path']);
    expect(await room.ask('debate.queue', { expert: 'eve' })).toMatchObject([
      { id: 'd-3' },
      { id: 'd-2' },
      { id: 'd-1' },
    ]);
  });

  it('CA-138: 4, a clear difference in credibility decides the debate, and is binding', async () => {
    await open();
    await withTrackRecords(room);
    await room.toExpert();
    expect(room.resolution()).toMatchObject({ mark: 'facilitator-resolved', side: 'challenger' });
    expect((await room.ask('debate.provisionals')) as object).toMatchObject({ items: [] });
  });

  it('CA-138: 5, the conservative default is the lowest target price', async () => {
    await open({ experts: [] });
    const positions = { challenger: { statement: 'to 95', value: 95 }, challenged: { statement: 'to 85', value: 85 } };
    await room.toExpert({ valueKind: 'target-price', positions });
    expect(room.record().provisional).toMatchObject({
      side: 'challenged',
      position: { value: 85 },
      alternatives: [{ position: { value: 95 } }],
    });
  });

  it('CA-138: 6, a provisional value is overridden at the gate, and its dependents run again', LONG, async () => {
    await open();
    await room.toExpert({
      dependents: [{ id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 1 }],
    });
    await room.test.advance(6 * HOUR_MS);
    await room.say('gate.reached', { gate: 'G5' });
    await room.answer({ action: 'override' });
    expect(room.resolution()).toMatchObject({ outcome: 'overridden', impact: { rerun: [{ id: 'dcf' }] } });
  });

  it('CA-138: 7, every level times out, with a power cut before each, and the debate still ends', async () => {
    await open();
    await room.challenge();
    const seen: string[] = [];
    for (const waitMs of [15 * MINUTE_MS, 6 * HOUR_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS]) {
      await room.powerCut();
      await room.test.advance(waitMs);
      seen.push(room.record().level);
    }
    expect(seen).toEqual(['L3', 'L4', 'L5', 'L4', 'L5', 'L4', 'L5', 'confirmed']);
    expect(room.resolution()).toMatchObject({ isUnacknowledged: true, by: null });
  });

  it('CA-138: 8, no expert has more than three debates, and a freed place goes to the next debate', LONG, async () => {
    await overload(['critical-path', 'critical-path', 'critical-path', 'critical-path'], { experts: ['eve', 'fay'] });
    expect(await room.ask('debate.loads')).toEqual({ eve: '2/3 debates', fay: '2/3 debates' });
    for (const id of ['d-5', 'd-6', 'd-7']) await room.toExpert({ id, priority: 'critical-path', expert: 'eve' });
    expect(levels(room)).toEqual(['L3', 'L3', 'L3', 'L3', 'L3', 'L4', 'L4']);
    await room.answer({ action: 'decide', side: 'challenger' });
    await room.toExpert({ id: 'd-8', priority: 'critical-path', expert: 'eve' });
    expect(room.record('d-8')).toMatchObject({ level: 'L3', expert: 'eve' });
  });
});

describe('a store of the version before, whose regimes were those of finance in every field', () => {
  /** The agents as version 1 had them: the same machines, whose contexts knew no regimes. */
  const before = (agents: readonly AnyAgent[]) =>
    agents.map(({ name, machine, events }) =>
      name.startsWith('debate')
        ? defineAgent({ name, machine, events } as never)
        : agents.find((one) => one.name === name)!,
    );

  it('CA-107: keeps them for the debates that are open and for those that come', async () => {
    const options = roomOptions({ pack: {} });
    room = roomOf(await startMachines({ ...options, agents: before(options.agents) }));
    const { challenge, say, test, record } = room;
    await say('regime.readings', { readings: { volatility: 31, indexChange: 0.2, rate: 2 } });
    await challenge({ priority: 'ordinary' });
    await keepApart(test, [DESKS.debates]);
    await test.crash();
    await test.restart({ agents: options.agents });
    await goOn(test, [DESKS.debates]);
    await challenge({ id: 'd-2', priority: 'ordinary' });
    await test.advance(HOUR_MS);
    expect([record().analysis!.regime, record('d-2').analysis!.regime]).toEqual(['HIGH_VOLATILITY', 'HIGH_VOLATILITY']);
    expect(await room.ask('regime.readings', { readings: { volatility: 31 } })).toMatchObject({ taken: false });
  });
});
