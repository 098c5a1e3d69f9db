/** The course of debates in the whole crew: every state and end, what is recorded, and the seed's eight scenarios. */
import { describe, expect, it } from 'vitest';
import { debatesIn } from '../../../src/machines/coordination/debates/debate-facilitator.ts';
import {
  CHALLENGE,
  DAY_MS,
  EVIDENCE,
  HOUR_MS,
  MINUTE_MS,
  type Room,
  withTrackRecords,
} from '../../support/machines/debate-room.ts';
import { startDebating, type WholeCrew } from '../../support/machines/whole-crew.ts';

const TAKEN = { taken: true, problems: [] };

const DCF = { id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 5 * MINUTE_MS };

function levels({ desk }: Room): readonly string[] {
  return debatesIn(desk()).map(({ level }) => level);
}

/** Debates of these priorities, all at the expert's door an hour later. */
async function debates(crew: WholeCrew, room: Room, priorities: readonly string[], facts: object = {}): Promise<void> {
  const first = levels(room).length + 1;
  for (const [n, priority] of priorities.entries()) {
    const id = `d-${first + n}`;
    await room.challenge({ id, priority, ...facts });
    await room.defend(id);
  }
  await crew.test.advance(HOUR_MS);
}

describe('a debate that is over', () => {
  it('leaves no question to its expert, also if both sides agree first (S18)', async () => {
    const { crew, room } = await startDebating();
    await debates(crew, room, ['valuation']);
    const open = () => crew.gates().filter(({ isOver }) => !isOver);
    expect(open()).toMatchObject([{ kind: 'G4' }]);
    expect(await room.ask('debate.accept', { debate: 'd-1', by: 'bob' })).toEqual(TAKEN);
    expect(room.record()).toMatchObject({ level: 'consensus', isOver: true });
    expect([open(), crew.test.shard.deadLetters.list()]).toEqual([[], []]);
  });

  it('leaves no card at a gate of the host once every provisional decision of it is reviewed', async () => {
    const { crew, room } = await startDebating();
    await debates(crew, room, ['valuation', 'valuation']);
    await crew.test.advance(6 * HOUR_MS);
    await room.say('gate.reached', { gate: 'G5', debates: ['d-1', 'd-2'] });
    const due = () => crew.openCards().filter(({ kind }) => kind === 'provisionals.due');
    expect(due()).toMatchObject([{ item: 'gate G5', title: '2 provisional decisions require review' }]);
    await room.answer({ action: 'confirm' }, { debate: 'd-1' });
    await crew.powerCut();
    expect(due()).toHaveLength(1);
    await room.answer({ action: 'override' }, { debate: 'd-2' });
    expect(due()).toEqual([]);
  });
});

describe('the states of a debate', () => {
  it('CA-098: go from the setup through five levels to its confirmation, across power cuts', async () => {
    const waiting: (() => void)[] = [];
    const held = <Value>(value: Value) => new Promise<Value>((resolve) => waiting.push(() => resolve(value)));
    const ports = { takeSnapshot: () => held('facts-17'), regimeDetector: () => held('NORMAL') };
    const { crew, room } = await startDebating(ports);
    const release = async () => {
      for (const go of waiting.splice(0)) go();
      await crew.test.settle();
    };
    await room.challenge();
    expect(room.state()).toMatchObject({ setup: { snapshot: 'taking' } });
    await release();
    expect(room.state()).toEqual({ L1_direct: 'awaiting_ack' });
    await room.say('debate.acknowledge', { debate: 'd-1', by: 'bob' });
    expect(room.state()).toEqual({ L1_direct: 'awaiting_evidence' });
    await crew.powerCut();
    await room.say('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE });
    await crew.test.advance(HOUR_MS);
    expect(room.state()).toEqual({ L2_facilitator: 'detecting' });
    await release();
    expect(room.state()).toEqual({ L3_human: 'queued' });
    await room.say('debate.take-up', { debate: 'd-1', by: 'ada' });
    expect(room.state()).toEqual({ L3_human: 'queued' });
    await room.say('debate.take-up', { debate: 'd-1', by: 'eve' });
    expect(room.state()).toEqual({ L3_human: 'in_review' });
    await crew.powerCut();
    await crew.test.advance(6 * HOUR_MS);
    expect(room.state()).toBe('L4_provisional');
    await crew.powerCut();
    await crew.test.advance(DAY_MS);
    expect(room.state()).toBe('L5_gate_review');
    expect(await room.answer({ action: 'confirm' })).toEqual(TAKEN);
    expect(room.record()).toMatchObject({ level: 'confirmed', isOver: true });
  });

  it('CA-098: end in consensus, by the facilitator, by people, overridden, or debated again; or wait', async () => {
    const { crew, room } = await startDebating();
    await debates(crew, room, ['valuation', 'valuation', 'supporting']);
    await room.answer({ action: 'decide', side: 'challenger' });
    await room.say('debate.accept', { debate: 'd-2', by: 'bob' });
    await room.answer({ action: 'defer' }, { debate: 'd-3' });
    expect(room.state('d-3')).toBe('deferred');
    await debates(crew, room, ['valuation', 'valuation']);
    await crew.test.advance(6 * HOUR_MS);
    await room.say('gate.reached', { gate: 'G5', debates: ['d-4', 'd-5'] });
    await room.answer({ action: 'override' }, { debate: 'd-4' });
    await room.answer({ action: 'redebate', context: 'a new filing' }, { debate: 'd-5' });
    await withTrackRecords(room);
    await room.toExpert({ id: 'd-9' });
    expect(Object.fromEntries(debatesIn(room.desk()).map(({ id, level }) => [id, level]))).toEqual({
      'd-1': 'human',
      'd-2': 'consensus',
      'd-3': 'deferred',
      'd-4': 'overridden',
      'd-5': 'redebate',
      'd-5~2': expect.any(String) as string,
      'd-9': 'facilitator_resolved',
    });
    expect(crew.told('debate.decided').map(({ debate, outcome }) => [debate, outcome])).toEqual([
      ['d-1', 'human'],
      ['d-2', 'consensus'],
      ['d-4', 'overridden'],
      ['d-5', 'redebate'],
      ['d-9', 'facilitator_resolved'],
    ]);
  });
});

it(
  'CA-099: a resolution records final position, evidence, level and method, confidence, impact, and the window in ' +
    'which the provisional value could be overridden',
  async () => {
    const { crew, room, runs } = await startDebating();
    await debates(crew, room, ['valuation'], { dependents: [DCF] });
    await crew.test.advance(6 * HOUR_MS);
    const provisionalMs = crew.test.clock.wallMs();
    await room.say('gate.reached', { gate: 'G5' });
    await crew.powerCut();
    await room.answer({ action: 'override', side: 'challenged', confidence: 0.9 });
    expect(room.heard('ada').at(-1)).toMatchObject({
      type: 'debate.resolved',
      resolution: {
        debate: 'd-1',
        item: 'ACME',
        outcome: 'overridden',
        level: 5,
        method: expect.any(String) as string,
        mark: 'final',
        position: { statement: '28 %', value: 0.28 },
        evidence: [...CHALLENGE.basis.evidence, ...EVIDENCE.evidence],
        confidence: 0.9,
        by: 'eve',
        impact: { flagged: ['dcf'], rerun: [{ id: 'dcf' }], totalMs: 5 * MINUTE_MS },
        provisional: { position: { value: 0.25 }, overrideUntilMs: provisionalMs + DAY_MS },
      },
    });
    expect(crew.item('ACME').debates!['d-1']).toMatchObject({ state: 'decided', value: 0.28, confidence: 0.9 });
    expect(room.record().summary).toMatchObject({
      level: 5,
      outcome: 'overridden',
      evidenceKinds: ['filing', 'calculation'],
    });
    await crew.test.settle();
    expect(runs).toEqual(['dcf', 'report', 'dcf', 'report']);
  },
);

describe('the snapshot of facts', () => {
  it('CA-100: locks both sides to one id, which is used throughout the debate and cannot be changed', async () => {
    const asked: object[] = [];
    const takeSnapshot = (input: object) => {
      asked.push(input);
      return Promise.resolve('facts-17');
    };
    const { crew, room } = await startDebating({ takeSnapshot });
    await room.challenge();
    expect(asked).toEqual([{ debate: 'd-1', participants: ['ada', 'bob'] }]);
    expect(room.heard('ada')).toMatchObject([{ type: 'debate.locked', debate: 'd-1', snapshotId: 'facts-17' }]);
    const respond = (snapshotId: string) =>
      room.ask('debate.respond', { debate: 'd-1', by: 'bob', ...EVIDENCE, snapshotId });
    expect(await respond('facts-16')).toEqual({
      taken: false,
      problems: ['this debate uses the snapshot "facts-17"'],
    });
    await crew.powerCut();
    expect(await respond('facts-17')).toEqual(TAKEN);
    await crew.test.advance(HOUR_MS);
    const [gate] = crew.gates().filter(({ isOver }) => !isOver);
    expect(crew.packageOf(gate!.id)).toMatchObject({ snapshotId: 'facts-17' });
    await room.answer({ action: 'decide', side: 'challenger' });
    expect(room.heard('ada').at(-1)).toMatchObject({ resolution: { snapshotId: 'facts-17' } });
    expect(asked).toHaveLength(1);
  });

  it('CA-100: is awaited for less than 2 s; then the debate goes on and says that it is not known', async () => {
    const { crew, room } = await startDebating({ takeSnapshot: () => new Promise<never>(() => {}) });
    await room.challenge();
    await crew.test.advance(1_999);
    expect(room.state()).toMatchObject({ setup: { snapshot: 'taking' } });
    await crew.test.advance(1);
    expect(room.state()).toEqual({ L1_direct: 'awaiting_ack' });
    expect(room.context()).toMatchObject({ snapshotId: 'facts-of-d-1', notKnown: ['the snapshot of facts'] });
  });
});

it(
  'CA-120: an expert may ask for more evidence once, for 2 hours more, accept the recommendation, and defer a debate ' +
    'of low priority only',
  async () => {
    const { crew, room } = await startDebating();
    await debates(crew, room, ['valuation', 'critical-path', 'supporting']);
    const refused = { taken: false };
    expect(await room.answer({ action: 'defer' }, { debate: 'd-1' })).toMatchObject(refused);
    expect(await room.answer({ action: 'defer' }, { debate: 'd-2' })).toMatchObject(refused);
    expect(await room.answer({ action: 'defer' }, { debate: 'd-3' })).toEqual(TAKEN);
    expect(room.state('d-3')).toBe('deferred');

    expect(await room.answer({ action: 'accept-recommendation' }, { debate: 'd-2' })).toEqual(TAKEN);
    expect(room.heard('ada').findLast(({ type }) => type === 'debate.resolved')).toMatchObject({
      resolution: { debate: 'd-2', method: "the facilitator's recommendation, accepted by an expert" },
    });

    await crew.test.advance(5 * HOUR_MS);
    expect(await room.answer({ action: 'request-evidence' })).toEqual(TAKEN);
    expect(room.state()).toEqual({ L3_human: 'more_evidence' });
    await crew.powerCut();
    await crew.test.advance(2 * HOUR_MS);
    expect(room.state()).toEqual({ L3_human: 'queued' });
    expect(await room.answer({ action: 'request-evidence' })).toMatchObject(refused);
    await crew.test.advance(HOUR_MS - 1);
    expect(room.record().level).toBe('L3');
    await crew.test.advance(1);
    expect(room.record().level).toBe('L4');
  },
);

describe('the eight scenarios', () => {
  it(
    'CA-138: 1, 5 and 6, without an expert the lowest target price applies and the pipeline goes on; overridden at ' +
      'the gate, its dependents run again',
    async () => {
      const { crew, room, runs } = await startDebating({}, []);
      const positions = {
        challenger: { statement: 'to 95', value: 95 },
        challenged: { statement: 'to 85', value: 85 },
      };
      await debates(crew, room, ['critical-path'], { valueKind: 'target-price', positions, dependents: [DCF] });
      expect(room.record()).toMatchObject({
        level: 'L4',
        provisional: {
          trigger: 'expert unavailable',
          side: 'challenged',
          position: { value: 85 },
          alternatives: [{ position: { value: 95 } }],
        },
      });
      expect(crew.told('debate.provisional')).toMatchObject([{ statement: 'to 85', flagged: ['ACME/dcf'] }]);
      expect([crew.state(), runs]).toEqual(['completed', ['dcf', 'report']]);
      await room.say('expert.available', { expert: 'eve' });
      await room.say('gate.reached', { gate: 'G5' });
      const [gate] = crew.gates().filter(({ isOver }) => !isOver);
      const answer = { action: 'override' };
      expect(await crew.ask('gates', { type: 'gate.answer', gate: gate!.id, by: 'eve', answer })).toEqual(TAKEN);
      await crew.test.settle();
      expect(crew.told('debate.decided')).toMatchObject([{ outcome: 'overridden', rerun: ['ACME/dcf'] }]);
      expect(runs).toEqual(['dcf', 'report', 'dcf', 'report']);
    },
  );

  it(
    'CA-138: 2, 3 and 8, of six debates an expert gets three, by priority; the others overflow, and a freed place ' +
      'goes to the next debate',
    async () => {
      const { crew, room } = await startDebating();
      const six = ['supporting', 'valuation', 'critical-path', 'critical-path', 'valuation', 'supporting'];
      await debates(crew, room, six);
      expect(levels(room)).toEqual(['L3', 'L3', 'L3', 'L4', 'deferred', 'deferred']);
      expect(await room.ask('debate.loads')).toEqual({ eve: '3/3 debates' });
      expect(await room.ask('debate.queue', { expert: 'eve' })).toMatchObject([
        { id: 'd-3' },
        { id: 'd-2' },
        { id: 'd-1' },
      ]);
      await crew.powerCut();
      await room.answer({ action: 'decide', side: 'challenger' }, { debate: 'd-3' });
      expect(await room.ask('debate.loads')).toEqual({ eve: '2/3 debates' });
      await debates(crew, room, ['critical-path', 'critical-path']);
      expect(levels(room).slice(6)).toEqual(['L3', 'L4']);
      expect(await room.ask('debate.loads')).toEqual({ eve: '3/3 debates' });
    },
  );

  it('CA-138: 4, a clear difference in credibility decides, and is binding', async () => {
    const { crew, room } = await startDebating();
    await withTrackRecords(room);
    await debates(crew, room, ['valuation']);
    expect(room.heard('ada').at(-1)).toMatchObject({
      resolution: { mark: 'facilitator-resolved', side: 'challenger', position: { value: 0.25 } },
    });
    expect(await room.ask('debate.provisionals')).toMatchObject({ items: [] });
    expect(crew.gates()).toEqual([]);
  });

  it('CA-138: 7, every level times out, with a power cut before each, and the debate still ends', async () => {
    const { crew, room } = await startDebating();
    await room.challenge();
    const seen: string[] = [];
    for (const waitMs of [15 * MINUTE_MS, 6 * HOUR_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS]) {
      await crew.powerCut();
      await crew.test.advance(waitMs);
      seen.push(room.record().level);
    }
    expect(seen).toEqual(['L3', 'L4', 'L5', 'L4', 'L5', 'L4', 'L5', 'confirmed']);
    expect(crew.told('debate.decided')).toMatchObject([{ outcome: 'confirmed', by: null, statement: '25 %' }]);
  });
});
