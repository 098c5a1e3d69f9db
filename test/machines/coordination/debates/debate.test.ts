/** One debate through its five levels, with the host killed between the arming and the firing of every timer. */
import { afterEach, describe, expect, it } from 'vitest';
import { LONG } from '../../../support/effort.ts';
import { DEBATE_CONTRIBUTIONS_MAX } from '../../../../src/machines/limits.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { atEveryWrite, type Story, tellStory } from '../../../support/actors/power-cut.ts';
import {
  CHALLENGE,
  DAY_MS,
  EVIDENCE,
  GRACE_MS,
  HOUR_MS,
  MINUTE_MS,
  openRoom,
  type Room,
  roomOf,
  type RoomOptions,
  roomOptions,
  withTrackRecords,
} from '../../../support/machines/debate-room.ts';

let room: Room;
afterEach(() => room.test.shard.stop().catch(() => {}));

async function open(options: RoomOptions = {}): Promise<Room> {
  return (room = await openRoom(options));
}

describe('the setup of a debate', () => {
  it('CA-091: records topic, participants, evidence standards, time limits, priority and load of experts', async () => {
    const { challenge, context, state } = await open();
    expect(await challenge()).toEqual({ taken: true, problems: [], loads: { eve: '0/3 debates' } });
    expect(state()).toEqual({ L1_direct: 'awaiting_ack' });
    expect(context()).toMatchObject({
      loads: { eve: '0/3 debates' },
      challenge: {
        topic: 'Margin of ACME',
        requiredEvidence: ['filing', 'calculation'],
        escalationMs: HOUR_MS,
        priority: 'valuation',
      },
    });
  });

  it('CA-094: refuses a challenge without its parties, disputed finding, evidence, positions or priority', async () => {
    const { test, challenge, desk } = await open();
    for (const missing of ['challenger', 'challenged', 'disputedFinding', 'basis', 'priority', 'positions']) {
      await expect(
        test.shard.send(DESKS.debates, { type: 'debate.challenge', ...CHALLENGE, [missing]: undefined }),
      ).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    }
    const basis = { ...CHALLENGE.basis, evidence: [] };
    await expect(
      test.shard.send(DESKS.debates, { type: 'debate.challenge', ...CHALLENGE, basis }),
    ).rejects.toMatchObject({ code: 'BOSUN_EVENT_INVALID' });
    expect(await challenge({ challenged: CHALLENGE.challenger })).toMatchObject({ taken: false });
    expect(Object.keys(desk()).filter((key) => key.startsWith('record:'))).toEqual([]);
  });

  it('CA-100: locks the participants, and uses one snapshot of facts throughout', async () => {
    const takeSnapshot = () => Promise.resolve('facts-17');
    const { challenge, ask, context, heard, test, resolution } = await open({ ports: { takeSnapshot } });
    await challenge();
    expect(heard('ada')).toMatchObject([{ type: 'debate.locked', debate: 'd-1' }]);
    expect(await ask('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE, snapshotId: 'facts-16' })).toEqual({
      taken: false,
      problems: ['this debate uses the snapshot "facts-17"'],
    });
    expect(await ask('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE, snapshotId: 'facts-17' })).toEqual({
      taken: true,
      problems: [],
    });
    await test.advance(HOUR_MS);
    expect(context().snapshotId).toBe('facts-17');
    await room.answer({ action: 'decide', side: 'challenger' });
    expect(resolution()!.snapshotId).toBe('facts-17');
  });

  it('CA-100: waits at most 2 s for snapshot and history, and notes what is unknown', async () => {
    const never = () => new Promise<never>(() => {});
    const { challenge, state, context, test } = await open({
      ports: { takeSnapshot: never, historicalContext: never },
    });
    await challenge();
    await test.advance(1_999);
    expect(state()).toEqual({ setup: { snapshot: 'taking', history: 'loading' } });
    await test.advance(1);
    expect(state()).toEqual({ L1_direct: 'awaiting_ack' });
    expect(context()).toMatchObject({
      snapshotId: 'facts-of-d-1',
      notKnown: ['the snapshot of facts', 'the historical context'],
    });
  });

  it('goes on when a port fails or returns nonsense, and notes what is unknown', async () => {
    const broken = {
      takeSnapshot: () => {
        throw new Error('down');
      },
      historicalContext: () => Promise.resolve({ precedents: 'many' } as never),
      regimeDetector: () => Promise.resolve(7 as never),
    };
    const { toExpert, context } = await open({ ports: broken });
    await toExpert();
    expect(context().notKnown).toEqual(['the snapshot of facts', 'the historical context', 'the regime']);
    expect(context().analysis!.regime).toBe('UNKNOWN');
  });
});

describe('level 1, the agents alone', () => {
  it('CA-096: ends if the challenge is not acknowledged within 15 minutes, across a power cut', async () => {
    const { challenge, powerCut, state, test } = await open();
    await challenge();
    await powerCut();
    await test.advance(15 * MINUTE_MS - 1);
    expect(state()).toEqual({ L1_direct: 'awaiting_ack' });
    await powerCut();
    await test.advance(1);
    // at once to level 2, and from there to people, as there was no evidence in good faith.
    expect(state()).toEqual({ L3_human: 'queued' });
    expect(room.context().isUnacknowledged).toBe(true);
  });

  it('CA-096: passes the debate to the facilitator an hour after the challenge, across a power cut', async () => {
    const { challenge, defend, powerCut, state, record, test } = await open();
    await challenge();
    await test.advance(5 * MINUTE_MS);
    await defend();
    expect(state()).toEqual({ L1_direct: 'awaiting_evidence' });
    await powerCut();
    await test.advance(55 * MINUTE_MS - 1);
    expect(record().level).toBe('L1');
    await powerCut();
    await test.advance(1);
    expect(record().level).toBe('L3');
    expect(record().analysis).toMatchObject({ challenger: { samples: 0 } });
  });

  it('CA-094: takes its escalation timer from the challenge if the challenge sets one', async () => {
    const { challenge, defend, record, test } = await open();
    await challenge({ escalationMs: 3 * HOUR_MS });
    await defend();
    await test.advance(3 * HOUR_MS - 1);
    expect(record().level).toBe('L1');
    await test.advance(1);
    expect(record().level).toBe('L3');
  });

  it('CA-096: lets only the challenged agent acknowledge', async () => {
    const { challenge, say, state } = await open();
    await challenge();
    for (const by of ['ada', 'eve']) await say('debate.acknowledge', { debate: 'd-1', by });
    expect(state()).toEqual({ L1_direct: 'awaiting_ack' });
    await say('debate.acknowledge', { debate: 'd-1', by: 'bob' });
    expect(state()).toEqual({ L1_direct: 'awaiting_evidence' });
  });

  it('CA-092: records each challenge and response with its strength, and enforces evidence', async () => {
    const { challenge, ask, context } = await open();
    await challenge({ strengthMin: 0.5 });
    const respond = (by: string, evidence: object[], fields: object = {}) =>
      ask('debate.respond', { debate: 'd-1', by, statement: 'So it is.', evidence, ...fields });
    const calculation = { kind: 'calculation', source: 'sheet 3' };
    expect(await respond('bob', [])).toEqual({ taken: true, problems: ['brings no evidence'] });
    expect(await respond('bob', [{ ...calculation, strength: 0.4 }])).toEqual({
      taken: true,
      problems: ['brings no evidence of strength 0.5 or more'],
    });
    expect(await respond('bob', [{ kind: 'rumour', source: 'hall', strength: 0.9 }])).toEqual({
      taken: true,
      problems: ['brings none of filing, calculation'],
    });
    expect(
      await respond('bob', [{ ...calculation, strength: 0.6 }], {
        granted: ['Sales fell.'],
        position: { statement: '27 %', value: 0.27 },
      }),
    ).toEqual({ taken: true, problems: [] });
    expect(await respond('ada', [{ ...calculation, strength: 1 }])).toEqual({ taken: true, problems: [] });
    expect(await respond('eve', [{ ...calculation, strength: 1 }])).toEqual({
      taken: false,
      problems: ['eve is no side of this debate'],
    });
    expect(context()).toMatchObject({
      rounds: 5,
      positions: { challenged: { value: 0.27 } },
      'said:0': { side: 'challenged', flaw: 'brings no evidence' },
      'said:3': { side: 'challenged', flaw: null, granted: ['Sales fell.'] },
      'said:4': { side: 'challenger' },
    });
  });

  it(`takes up to ${DEBATE_CONTRIBUTIONS_MAX} contributions`, async () => {
    const { challenge, say, ask, context } = await open();
    await challenge();
    for (let n = 0; n < DEBATE_CONTRIBUTIONS_MAX; n++)
      await say('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE });
    expect(await ask('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE })).toEqual({
      taken: false,
      problems: ['the debate has enough contributions'],
    });
    expect(context().rounds).toBe(DEBATE_CONTRIBUTIONS_MAX);
  });

  it('fits all contributions into the package for people, even at their maximum length', LONG, async () => {
    const { challenge, say, test, answer, resolution } = await open();
    await challenge();
    const long = (chars: number) => '€'.repeat(chars);
    const evidence = Array.from({ length: 10 }, () => ({ kind: long(100), source: long(300), strength: 1 }));
    const granted = Array.from({ length: 10 }, (_, n) => long(199) + n);
    for (let n = 0; n < DEBATE_CONTRIBUTIONS_MAX; n++)
      await say('debate.respond', { debate: 'd-1', by: 'ada', statement: long(1_000), evidence, granted });
    await test.advance(HOUR_MS);
    expect(await answer({ action: 'decide', side: 'challenger' })).toEqual({ taken: true, problems: [] });
    expect(resolution()!.rounds).toBe(DEBATE_CONTRIBUTIONS_MAX);
  });

  it('CA-093: ends in consensus when one side accepts the other position, and records what was agreed', async () => {
    const { challenge, ask, say, resolution, record } = await open();
    await challenge();
    await ask('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE, granted: ['Sales fell.'] });
    await say('debate.accept', { debate: 'd-1', by: 'eve' });
    expect(record().isOver).toBe(false);
    await say('debate.accept', { debate: 'd-1', by: 'bob' });
    expect(resolution()).toMatchObject({
      outcome: 'consensus',
      level: 1,
      side: 'challenger',
      position: { value: 0.25 },
      agreed: ['Sales fell.', '25 %'],
      disagreed: [],
    });
    expect(room.state()).toBe(undefined);
  });
});

describe('level 2, the facilitator', () => {
  it('CA-101: decides nothing by credibility before the hour of level 1 has passed', async () => {
    const { challenge, defend, test, record } = await open();
    await withTrackRecords(room);
    await challenge();
    await defend();
    await test.advance(HOUR_MS - 1);
    expect(record()).toMatchObject({ level: 'L1', analysis: null });
    await test.advance(1);
    expect(record().level).toBe('facilitator_resolved');
  });

  it('CA-116: makes the position of the more credible side binding, records why, and notifies both sides', async () => {
    const { toExpert, heard, resolution, record } = await open();
    await withTrackRecords(room);
    await toExpert();
    expect(resolution()).toMatchObject({
      outcome: 'facilitator_resolved',
      mark: 'facilitator-resolved',
      level: 2,
      method: 'credibility',
      side: 'challenger',
      position: { value: 0.25 },
      provisional: null,
      analysis: {
        regime: 'NORMAL',
        challenger: {
          samples: 100,
          interval: expect.any(Number),
          factors: {
            regime: { samples: 100 },
            trend: { trend: null },
            override: { rate: 0 },
            base: { contextMatch: 'exact' },
          },
        },
        challenged: { samples: 100 },
      },
    });
    const { differential, required } = resolution()!.analysis!;
    expect(differential).toBeGreaterThan(required);
    expect(heard('ada').at(-1)).toMatchObject({ type: 'debate.resolved' });
    expect(heard(DESKS.alerts).at(-1)).toMatchObject({
      kind: 'debate.resolved',
      detail: 'facilitator-resolved: credibility',
      data: { audience: ['ada', 'bob'] },
    });
    expect(record()).toMatchObject({ level: 'facilitator_resolved', isOver: true });
  });

  it('CA-117: passes to people, with analysis, regime and trends, what credibility does not decide', async () => {
    const { toExpert, test, state } = await open();
    await withTrackRecords(room, { ada: 90, bob: 85 });
    await toExpert();
    expect(state()).toEqual({ L3_human: 'queued' });
    const question = test.shard.snapshot(`${DESKS.openGates}/d-1+1`)!.context as { question: { package: object } };
    expect(question.question.package).toMatchObject({
      positions: { challenger: { agent: 'ada', value: 0.25 }, challenged: { agent: 'bob', value: 0.28 } },
      analysis: { regime: 'NORMAL', challenger: { factors: { trend: {}, regime: { regime: 'NORMAL' } } } },
      recommendation: 'challenger',
      uncertainties: [expect.stringContaining('not met: a differential above')],
      precedents: [],
    });
  });

  it('CA-115: records the strength of the evidence of each side beside its score', async () => {
    const { toExpert, context } = await open();
    await toExpert();
    expect(context().analysis).toMatchObject({
      challenger: { evidenceQuality: 0.8 },
      challenged: { evidenceQuality: 0.6 },
    });
  });

  it('CA-118: does not resolve a critical-path debate while an expert has a free place (X-24)', async () => {
    const { toExpert, state } = await open();
    await withTrackRecords(room);
    await toExpert({ priority: 'critical-path' });
    expect(state()).toEqual({ L3_human: 'queued' });
  });

  it('CA-118: does not resolve a debate without an answer in good faith', async () => {
    const { challenge, say, test, state } = await open();
    await withTrackRecords(room);
    await challenge();
    await say('debate.acknowledge', { debate: 'd-1', by: 'bob' });
    await say('debate.respond', { debate: 'd-1', by: 'bob', statement: 'Trust me.' });
    await test.advance(HOUR_MS);
    expect(state()).toEqual({ L3_human: 'queued' });
  });

  it('CA-097: has an hour, across a power cut; after it people decide without the facilitator', async () => {
    const { challenge, defend, test, powerCut, state, context } = await open();
    await challenge();
    await defend();
    await test.shard.admin.suspend(DESKS.debates, { by: 'root' });
    await test.advance(HOUR_MS);
    expect(state()).toEqual({ L2_facilitator: 'gathering' });
    await powerCut();
    await test.advance(HOUR_MS - 1);
    expect(state()).toEqual({ L2_facilitator: 'gathering' });
    await test.advance(1);
    expect(state()).toEqual({ L3_human: 'routing' });
    expect(context().notKnown).toEqual(['the credibility of both']);
  });

  it('CA-106: asks the port for the regime, and goes on without it after 2 s', async () => {
    const never = () => new Promise<never>(() => {});
    const { challenge, defend, test, state, context } = await open({ ports: { regimeDetector: never } });
    await challenge();
    await defend();
    await test.advance(HOUR_MS);
    await test.advance(1_999);
    expect(state()).toEqual({ L2_facilitator: 'detecting' });
    await test.advance(1);
    expect(state()).toEqual({ L3_human: 'queued' });
    expect(context()).toMatchObject({ analysis: { regime: 'UNKNOWN' }, notKnown: ['the regime'] });
  });
});

describe('level 3, an expert', () => {
  it('CA-119: has 6 hours to decide, across a power cut', async () => {
    const { toExpert, powerCut, record, test } = await open();
    await toExpert();
    await powerCut();
    await test.advance(6 * HOUR_MS - 1);
    expect(record()).toMatchObject({ level: 'L3', expert: 'eve' });
    await powerCut();
    await test.advance(1);
    expect(record()).toMatchObject({ level: 'L4', provisional: { trigger: 'timeout' } });
  });

  it('CA-119: decides for one side, or for a third position', async () => {
    const { toExpert, answer, resolution } = await open();
    await toExpert();
    expect(await answer({ action: 'decide', side: 'challenged', note: 'as planned' })).toEqual({
      taken: true,
      problems: [],
    });
    expect(resolution()).toMatchObject({
      outcome: 'human',
      level: 3,
      side: 'challenged',
      position: { value: 0.28 },
      by: 'eve',
      note: 'as planned',
      confidence: 1,
    });
    await toExpert({ id: 'd-2' });
    await answer({ action: 'decide-own', own: { statement: '26 %', value: 0.26 }, confidence: 0.7 }, { debate: 'd-2' });
    expect(resolution('d-2')).toMatchObject({
      outcome: 'human',
      side: null,
      position: { statement: '26 %', value: 0.26 },
      confidence: 0.7,
    });
  });

  it('CA-098: takes the debate into review, which no other agent can do', async () => {
    const { toExpert, say, state, answer, resolution } = await open();
    await toExpert();
    await say('debate.take-up', { debate: 'd-1', by: 'ada' });
    expect(state()).toEqual({ L3_human: 'queued' });
    await say('debate.take-up', { debate: 'd-1', by: 'eve' });
    expect(state()).toEqual({ L3_human: 'in_review' });
    await answer({ action: 'decide', side: 'challenger' });
    expect(resolution()!.outcome).toBe('human');
  });

  it('CA-120: can request more evidence once, which adds 2 hours, across a power cut', async () => {
    const { toExpert, answer, powerCut, state, record, test } = await open();
    await toExpert();
    await test.advance(5 * HOUR_MS);
    expect(await answer({ action: 'request-evidence' })).toEqual({ taken: true, problems: [] });
    expect(state()).toEqual({ L3_human: 'more_evidence' });
    await powerCut();
    await test.advance(2 * HOUR_MS - 1);
    expect(state()).toEqual({ L3_human: 'more_evidence' });
    await test.advance(1);
    expect(state()).toEqual({ L3_human: 'queued' });
    expect(await answer({ action: 'request-evidence' })).toMatchObject({ taken: false });
    await powerCut();
    await test.advance(HOUR_MS - 1);
    expect(record().level).toBe('L3');
    await test.advance(1);
    expect(record().level).toBe('L4');
  });

  it('CA-120: is asked again as soon as the requested evidence arrives', async () => {
    const { toExpert, answer, say, state, gates } = await open();
    await toExpert();
    await answer({ action: 'request-evidence' });
    await say('debate.respond', { debate: 'd-1', by: 'bob', statement: 'Wait.' });
    expect(state()).toEqual({ L3_human: 'more_evidence' });
    await say('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE });
    expect(state()).toEqual({ L3_human: 'queued' });
    expect(gates().map(({ id, phase }) => [id, phase])).toEqual([
      ['d-1+1', 'answered'],
      ['d-1+2', 'open'],
    ]);
  });

  it("CA-120: can accept the facilitator's recommendation", async () => {
    const { toExpert, answer, resolution } = await open();
    await toExpert();
    await answer({ action: 'accept-recommendation' });
    expect(resolution()).toMatchObject({
      outcome: 'human',
      side: 'challenger',
      method: "the facilitator's recommendation, accepted by an expert",
    });
  });

  it('CA-120: can defer only a supporting debate', async () => {
    const { toExpert, answer, state } = await open();
    for (const [id, priority] of [
      ['d-1', 'critical-path'],
      ['d-2', 'valuation'],
    ]) {
      await toExpert({ id, priority });
      expect(await answer({ action: 'defer' }, { debate: id! })).toMatchObject({ taken: false });
    }
    await toExpert({ id: 'd-3', priority: 'supporting' });
    expect(await answer({ action: 'defer' }, { debate: 'd-3' })).toEqual({ taken: true, problems: [] });
    expect(state('d-3')).toBe('deferred');
  });

  it('CA-097: times out after 6 hours even without a gate desk, across a power cut', async () => {
    const { toExpert, powerCut, record, test } = await open({ withGates: false });
    await toExpert();
    await powerCut();
    await test.advance(6 * HOUR_MS + GRACE_MS - 1);
    expect(record().level).toBe('L3');
    await test.advance(1);
    expect(record().level).toBe('L4');
    for (let day = 0; day < 7; day++) await test.advance(DAY_MS + 2 * GRACE_MS);
    expect(record()).toMatchObject({ level: 'confirmed', isOver: true });
  });
});

describe('level 4, the conservative default', () => {
  it('CA-121: applies when the expert is unavailable, or becomes so during the debate', async () => {
    const { toExpert, say, record, gates } = await open();
    await toExpert();
    await say('expert.unavailable', { expert: 'eve' });
    expect(record()).toMatchObject({ level: 'L4', provisional: { trigger: 'expert unavailable' } });
    expect(gates()[0]!.phase).toBe('withdrawn');
    await toExpert({ id: 'd-2' });
    expect(record('d-2')).toMatchObject({ level: 'L4', provisional: { trigger: 'expert unavailable' } });
  });

  it('CA-123: is marked, has a reason, may be overridden until the next gate, and is queued for review', async () => {
    const { toExpert, say, ask, context, test } = await open();
    const atMs = test.clock.wallMs() + 3 * DAY_MS;
    await say('gate.planned', { gate: 'G5', atMs });
    await say('expert.unavailable', { expert: 'eve' });
    await toExpert();
    expect(context().provisional).toMatchObject({
      mark: 'provisional - conservative default',
      side: 'challenger',
      position: { value: 0.25 },
      rationale: 'expert unavailable; the lowest margin: 0.25 is more cautious than 0.28',
      overrideUntilMs: atMs,
    });
    expect(await ask('debate.provisionals')).toMatchObject({
      headline: '1 provisional decisions require review',
      items: [{ debate: 'd-1' }],
    });
  });

  it('CA-124: hands the coordinator the provisional value and its dependents', async () => {
    const { toExpert, say, heard } = await open();
    const dependents = [
      { id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 1 },
      { id: 'sensitivity', measure: 'target_price', current: 85, response: 'proportional', runMs: 1, after: ['dcf'] },
    ];
    await say('expert.unavailable', { expert: 'eve' });
    await toExpert({ dependents });
    expect(heard()).toMatchObject([
      {
        type: 'debate.provisional',
        item: 'ACME',
        provisional: { position: { value: 0.25 }, dependents: ['dcf', 'sensitivity'] },
      },
    ]);
  });

  it('CA-097: is reviewed after 24 hours if no gate is planned, across a power cut', async () => {
    const { toExpert, say, powerCut, record, test } = await open();
    await say('expert.unavailable', { expert: 'eve' });
    await toExpert();
    await powerCut();
    await test.advance(DAY_MS - 1);
    expect(record().level).toBe('L4');
    await powerCut();
    await test.advance(1);
    expect(record().level).toBe('L5');
  });

  it('CA-097: waits for a gate that is planned meanwhile, up to 30 days, across a power cut', async () => {
    const { toExpert, say, powerCut, record, test } = await open();
    await say('expert.unavailable', { expert: 'eve' });
    await toExpert();
    await say('gate.planned', { gate: 'G5', atMs: test.clock.wallMs() + 30 * DAY_MS });
    await powerCut();
    await test.advance(30 * DAY_MS - 1);
    expect(record().level).toBe('L4');
    await powerCut();
    await test.advance(1);
    expect(record().level).toBe('L5');
  });

  it('is overridden by an answer of the expert that was on its way at the timeout', async () => {
    const { toExpert, test, record, resolution } = await open();
    await toExpert();
    const gate = `${DESKS.openGates}/d-1+1`;
    await test.shard.admin.suspend(gate, { by: 'root' });
    await test.shard.send(DESKS.gates, {
      type: 'gate.answer',
      gate: 'd-1+1',
      by: 'eve',
      answer: { action: 'decide', side: 'challenged' },
    });
    await test.advance(6 * HOUR_MS + GRACE_MS);
    expect(record().level).toBe('L4');
    await test.shard.admin.resume(gate, { by: 'root' });
    await test.settle();
    expect(resolution()).toMatchObject({ outcome: 'overridden', side: 'challenged', by: 'eve' });
  });
});

describe('a power cut at any write', () => {
  it(
    'CA-098: does not change the outcome: the debate ends once, as people decided, with no question left open',
    LONG,
    async () => {
      const options = roomOptions();
      const story: Story = [
        (test) => roomOf(test).challenge(),
        (test) => roomOf(test).defend(),
        (test) => test.advance(HOUR_MS),
        (test) => roomOf(test).answer({ action: 'request-evidence' }),
        (test) => test.advance(9 * HOUR_MS),
        (test) => roomOf(test).say('gate.reached', { gate: 'G5' }),
        (test) => roomOf(test).answer({ action: 'override', side: 'challenged' }),
      ];
      const writes = await atEveryWrite(async (cut) => {
        const { test, writes: count } = await tellStory(story, options, cut);
        const told = roomOf(test);
        await test.advance(10 * DAY_MS);
        expect(told.heard().filter(({ type }) => type === 'debate.resolved')).toHaveLength(1);
        expect(told.heard().filter(({ type }) => type === 'debate.provisional')).toHaveLength(1);
        expect(told.resolution()).toMatchObject({ outcome: 'overridden', side: 'challenged' });
        expect(told.gates().filter(({ isOver }) => !isOver)).toEqual([]);
        await test.shard.stop();
        return count;
      });
      expect(writes).toBeGreaterThan(10);
    },
  );
});

describe('level 5, the review at a gate', () => {
  async function provisional(fields: object = {}): Promise<Room> {
    await open();
    await room.toExpert(fields);
    await room.test.advance(6 * HOUR_MS);
    await room.say('gate.reached', { gate: 'G5' });
    return room;
  }

  it('CA-125: shows the provisional decision at the next gate', async () => {
    const { record, gates, heard, test } = await provisional();
    expect(record().level).toBe('L5');
    const open = gates().find(({ isOver }) => !isOver)!;
    expect(open.audience).toEqual(['eve']);
    expect(heard(DESKS.alerts)).toContainEqual(
      expect.objectContaining({ title: '1 provisional decisions require review', data: { audience: ['eve'] } }),
    );
    expect(
      (test.shard.snapshot(`${DESKS.openGates}/${open.id}`)!.context as { question: object }).question,
    ).toMatchObject({
      package: {
        provisional: {
          rationale: expect.stringContaining('more cautious'),
          positions: [
            { side: 'challenger', isApplied: true, score: expect.any(Number) },
            { side: 'challenged', isApplied: false, score: expect.any(Number) },
          ],
        },
      },
    });
  });

  it('CA-133: Confirm makes the decision final', async () => {
    const { answer, resolution } = await provisional();
    await answer({ action: 'confirm' });
    expect(resolution()).toMatchObject({
      outcome: 'confirmed',
      level: 5,
      mark: 'final',
      side: 'challenger',
      by: 'eve',
      impact: null,
    });
  });

  it('CA-133: Override chooses the other position, and checks the dependents of the first', async () => {
    const dependents = [
      { id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 5 * MINUTE_MS },
    ];
    const { answer, resolution } = await provisional({ dependents });
    await answer({ action: 'override' });
    expect(resolution()).toMatchObject({
      outcome: 'overridden',
      side: 'challenged',
      position: { value: 0.28 },
      impact: { flagged: ['dcf'], rerun: [{ id: 'dcf' }] },
    });
  });

  it('CA-133: Override may name a new position, and is a confirmation if it names the applied one', async () => {
    const { answer, resolution } = await provisional();
    await answer({ action: 'override', own: { statement: '30 %', value: 0.3 } });
    expect(resolution()).toMatchObject({ outcome: 'overridden', side: null, position: { value: 0.3 } });
    await room.test.shard.stop();
    const again = await provisional();
    await again.answer({ action: 'override', side: 'challenger' });
    expect(again.resolution()!.outcome).toBe('confirmed');
  });

  it('CA-133: Request Re-debate opens a new debate with the added context', async () => {
    const { answer, resolution, state, context, record } = await provisional();
    await answer({ action: 'redebate', context: 'The new filing is out.' });
    expect(resolution()).toMatchObject({ outcome: 'redebate', again: { id: 'd-1~2' } });
    expect(record().isOver).toBe(true);
    expect(state('d-1~2')).toEqual({ L1_direct: 'awaiting_ack' });
    expect(context('d-1~2').challenge.basis.statement).toBe('The new filing is out.\nThe filing says 25 %.');
    expect(context('d-1~2').precedents).toMatchObject([{ id: 'd-1' }]);
  });

  it('keeps the value provisional if unanswered for 24 hours, and confirms it after three such reviews', async () => {
    const { powerCut, record, resolution, test } = await provisional();
    for (let review = 1; review <= 3; review++) {
      await powerCut();
      await test.advance(DAY_MS - 1);
      expect(record().level).toBe('L5');
      await powerCut();
      await test.advance(1);
      if (review < 3) {
        expect(record().level).toBe('L4');
        await test.advance(DAY_MS);
      }
    }
    expect(resolution()).toMatchObject({
      outcome: 'confirmed',
      by: null,
      confidence: 0.5,
      method: 'the conservative default stands, nobody reviewed it',
    });
  });

  it('decides a deferred debate, or applies the conservative default if the review is not answered', async () => {
    const { toExpert, answer, say, record, resolution, test } = await open();
    for (const id of ['d-1', 'd-2']) {
      await toExpert({ id, priority: 'supporting' });
      await answer({ action: 'defer' }, { debate: id });
      expect(record(id)).toMatchObject({ level: 'deferred', provisional: null });
    }
    await say('gate.reached', { gate: 'G3' });
    expect(await answer({ action: 'confirm' })).toMatchObject({ taken: false });
    await answer({ action: 'decide', side: 'challenged' });
    expect(resolution()).toMatchObject({
      outcome: 'human',
      level: 5,
      side: 'challenged',
      method: 'decision at a gate',
    });
    await test.advance(DAY_MS);
    expect(record('d-2')).toMatchObject({ level: 'L4', provisional: { trigger: 'undecided' } });
  });
});
