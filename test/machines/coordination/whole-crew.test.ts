/**
 * All desks together, as they are in `bosun run`: failures that belong together, a debate, a gate, with power cuts
 * between.
 */
import { fromPromise } from 'xstate';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../support/effort.ts';
import { coordinatorChildren, crewAgents, crewTree } from '../../../src/machines/crew.ts';
import {
  type CoordinatorContext,
  itemIn,
  resultsOf,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type ItemDebate } from '../../../src/machines/work/agent-function.ts';
import { openGatesOf, toldPhase } from '../../../src/machines/coordination/coordinator/progress.ts';
import { withDebate } from '../../../src/machines/coordination/coordinator/item-debates.ts';
import { ITEM_DEBATES_KEPT_MAX } from '../../../src/machines/limits.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { stageAgent } from '../../../src/machines/work/stage.ts';
import { startMachines } from '../../support/machines/machines-under-test.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { MARGIN_CHALLENGE } from '../../support/machines/margin-challenge.ts';
import { startWholeCrew, WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const FIVE = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];

describe('five items that fail from one cause', () => {
  /** Each company a few seconds after the other, as the quota of Koyfin runs out. */
  async function fiveFailed(): Promise<{ crew: WholeCrew; mend(): void; calls: string[] }> {
    let isOver = true;
    const calls: string[] = [];
    const retry = { attempts: 2, backoff: { minMs: 1_000, maxMs: 1_000 } };
    const plan = planOf({
      capacity: { financial: 1 },
      stages: { screening: { agent: 'screening' }, financial: { agent: 'financial', after: ['screening'], retry } },
      items: FIVE,
    });
    const financial: AgentFunction = async (_, { item }) => {
      calls.push(item);
      if (isOver)
        throw Object.assign(new Error(`API quota exceeded: 1000/1000 (request id: ${calls.length})`), {
          status: 429,
          dataSource: 'Koyfin',
        });
      return 'figures';
    };
    const crew = await startWholeCrew(plan, { screening: async () => 'ok', financial });
    await crew.test.advance(30_000);
    return { crew, mend: () => (isOver = false), calls };
  }

  it(
    'CA-E10, CA-056, CN-018, CN-023, DC-005: make five pauses, one correlation, one batch and five cards; "Resume ' +
      'All" resumes all five',
    async () => {
      const { crew, mend } = await fiveFailed();
      expect(crew.phases()).toEqual(FIVE.map(() => 'paused'));
      expect(crew.correlations()).toMatchObject([
        { items: FIVE, failureCount: 5, rootCause: 'Koyfin API quota exceeded', batchId: 'batch-1' },
      ]);
      expect(crew.batches()).toMatchObject([
        {
          id: 'batch-1',
          phase: 'paused',
          status: 'IN_PROGRESS',
          total: 5,
          paused: 5,
          reason: 'Koyfin API quota exceeded',
        },
      ]);
      expect(crew.openCards().map(({ item, priority }) => [item, priority])).toEqual(
        FIVE.map((item) => [item, 'AGENT_FAILURE']),
      );

      await crew.powerCut();
      mend();
      const [card] = crew.openCards();
      expect(await crew.ask('alerts', { type: 'alert.choose', id: card!.id, action: 'resume-all', by: 'ada' })).toEqual(
        {
          taken: true,
          problems: [],
        },
      );
      await crew.test.advance(MINUTE_MS);
      expect(crew.state()).toBe('completed');
      expect(crew.batches()).toMatchObject([{ phase: 'finished', status: 'COMPLETED', resumed: 5 }]);
      expect(crew.correlations()).toMatchObject([{ resolutionAction: 'batch_resumed' }]);
    },
  );

  it(
    'CA-075: close their cards when they go on: the card of "Resume All" is acknowledged, the others are settled',
    LONG,
    async () => {
      const { crew, mend } = await fiveFailed();
      mend();
      const cards = crew.openCards();
      await crew.ask('alerts', { type: 'alert.choose', id: cards[0]!.id, action: 'resume-all', by: 'ada' });
      await crew.powerCut();
      await crew.test.advance(MINUTE_MS);
      const ended = crew.cards().filter(({ id }) => cards.some((card) => card.id === id));
      expect(ended.map(({ state }) => state)).toEqual(['ACKNOWLEDGED', 'SETTLED', 'SETTLED', 'SETTLED', 'SETTLED']);
      expect(ended[1]).toMatchObject({ acknowledgedBy: null, settledBecause: 'MSFT goes on' });
      expect(crew.openCards().filter(({ kind }) => kind === 'item.failed' || kind === 'item.paused')).toEqual([]);
    },
  );

  it('CN-010: record why they are correlated, and by what share of failures their batch goes on', async () => {
    const { crew, mend } = await fiveFailed();
    expect(crew.correlations()[0]!.decision).toEqual({
      gate: 'items that failed alike within a window',
      passes: 'atLeast',
      threshold: 3,
      value: 5,
      isPassed: true,
      outcome: 'correlated',
    });
    mend();
    await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
    await crew.powerCut();
    await crew.test.advance(MINUTE_MS);
    expect(crew.batches()[0]!.decision).toEqual({
      gate: 'failed share of a batch',
      passes: 'atMost',
      threshold: 0.5,
      value: 0,
      isPassed: true,
      outcome: 'goes on',
    });
  });

  it('CA-055: are paused again as one batch when they fail again, without endless messages', async () => {
    const { crew, calls } = await fiveFailed();
    const before = calls.length;
    await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
    await crew.test.advance(10 * MINUTE_MS);
    expect(crew.phases()).toEqual(FIVE.map(() => 'paused'));
    expect(calls.length - before).toBeLessThanOrEqual(2 * FIVE.length);
    expect(crew.batches().filter(({ phase }) => phase !== 'finished').length).toBeLessThanOrEqual(1);
  });

  it('CA-032, CA-054: go on by themselves when the source reports that its quota is reset', async () => {
    const clock = new VirtualClock();
    const resetAtMs = clock.wallMs() + HOUR_MS;
    const isOver = () => clock.wallMs() < resetAtMs;
    const plan = planOf({ stages: { fetch: { agent: 'fetch', retry: { attempts: 1 } } }, items: FIVE });
    const fetch: AgentFunction = async () => {
      if (isOver()) throw Object.assign(new Error('Too many requests'), { status: 429, dataSource: 'prices' });
      return 'figures';
    };
    const free = { isFree: true } as const;
    const resources = () =>
      Promise.resolve({
        apiQuota: isOver() ? { isFree: false as const, notBeforeMs: resetAtMs } : free,
        compute: free,
        connections: free,
      });
    const crew = await startWholeCrew(plan, { fetch }, { resources }, clock);
    await crew.test.advance(MINUTE_MS);
    expect(crew.phases()).toEqual(FIVE.map(() => 'paused'));
    await crew.powerCut();
    await crew.test.advance(HOUR_MS);
    expect(crew.state()).toBe('completed');
    expect(crew.batches()).toMatchObject([{ status: 'COMPLETED', resumed: 5 }]);
  });
});

describe('a debate begun by an agent of the plan', () => {
  const doubts = {
    ...MARGIN_CHALLENGE,
    priority: 'critical-path',
    valueKind: 'margin',
    dependents: [
      { id: 'dcf', measure: 'target_price', current: 85, response: 'proportional', runMs: 5 * MINUTE_MS },
      { id: 'sensitivity', measure: 'target_price', current: 85, response: 'proportional', runMs: 10 * MINUTE_MS },
      { id: 'risk', measure: 'risk', current: 0.3, response: { perUnit: 1 }, runMs: MINUTE_MS },
    ],
  };
  const stages = {
    strategy: { agent: 'strategy' },
    check: { agent: 'checker', after: ['strategy'] },
    dcf: { agent: 'dcf', after: ['check'] },
    sensitivity: { agent: 'sensitivity', after: ['check'] },
    risk: { agent: 'risk', after: ['check'] },
    report: { agent: 'report', after: ['dcf', 'sensitivity', 'risk'] },
  };

  async function disputed(
    challenge: object = doubts,
    held: Promise<void> = Promise.resolve(),
  ): Promise<{ crew: WholeCrew; runs: string[] }> {
    const runs: string[] = [];
    const work =
      (name: string): AgentFunction =>
      async (_, { decisions }) => {
        const known = Object.values(decisions).map(({ statement, state }) => `${state}: ${statement}`);
        runs.push([name, ...known].join(', '));
        if (name === 'risk') await held;
        return known;
      };
    const checker: AgentFunction = async (_, { say }) => {
      await say({ kind: 'challenge', content: challenge });
      return 'doubted';
    };
    const plan = planOf({ pack: 'finance', stages, items: ['ACME'] });
    const crew = await startWholeCrew(plan, {
      strategy: async () => 0.28,
      checker,
      dcf: work('dcf'),
      sensitivity: work('sensitivity'),
      risk: work('risk'),
      report: work('report'),
    });
    return { crew, runs };
  }

  it('CA-007, CA-091: is opened in the name of the agent and about its item, while the plan goes on', async () => {
    const { crew } = await disputed();
    expect(crew.debates()).toMatchObject([
      { id: 'margin', item: 'ACME', challenger: 'checker', challenged: 'strategy', level: 'L1' },
    ]);
    expect(crew.state()).toBe('completed');
  });

  it(
    'CA-124: goes on with the cautious value if unanswered: its dependents are flagged, and later work is ' +
      'given the value',
    async () => {
      const { crew } = await disputed();
      await crew.test.advance(30 * MINUTE_MS);
      await crew.powerCut();
      await crew.test.advance(HOUR_MS);
      expect(crew.item('ACME').debates).toEqual({
        margin: expect.objectContaining({
          state: 'provisional',
          statement: '25 %',
          value: 0.25,
          flagged: ['ACME/dcf', 'ACME/sensitivity', 'ACME/risk'],
        }) as unknown,
      });
      expect(crew.told('debate.provisional')).toMatchObject([
        { debate: 'margin', item: 'ACME', statement: '25 %', flagged: ['ACME/dcf', 'ACME/sensitivity', 'ACME/risk'] },
      ]);
    },
  );

  it(
    'CA-134, CA-135, CA-E15, CN-005, CN-013: runs the affected dependents and their downstream again in series when ' +
      'overridden, and flags the rest',
    async () => {
      const { crew, runs } = await disputed();
      await crew.test.advance(2 * HOUR_MS);
      expect(runs.toSorted()).toEqual(['dcf', 'report', 'risk', 'sensitivity']);
      runs.length = 0;
      await crew.test.advance(DAY_MS);
      const gate = crew.gates().find(({ isOver }) => !isOver)!;
      await crew.powerCut();
      expect(
        await crew.ask('gates', {
          type: 'gate.answer',
          gate: gate.id,
          by: 'ada',
          answer: { action: 'override', side: 'challenged', confidence: 0.9 },
        }),
      ).toEqual({ taken: true, problems: [] });
      await crew.test.settle();
      expect(runs).toEqual(['dcf, decided: 28 %', 'sensitivity, decided: 28 %', 'report, decided: 28 %']);
      expect(crew.told('debate.decided')).toMatchObject([
        { debate: 'margin', outcome: 'overridden', by: 'ada', rerun: ['ACME/dcf', 'ACME/sensitivity'] },
      ]);
      expect(crew.item('ACME').debates!['margin']).toMatchObject({
        state: 'decided',
        value: 0.28,
        confidence: 0.9,
        mark: 'final',
      });
      expect([crew.state(), crew.item('ACME').done.length]).toEqual(['completed', 6]);
    },
  );

  const override = async (crew: WholeCrew) => {
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    await crew.ask('gates', {
      type: 'gate.answer',
      gate: gate.id,
      by: 'ada',
      answer: { action: 'override', side: 'challenged' },
    });
    await crew.test.settle();
  };

  it('CA-135: runs more than two dependents again in parallel', async () => {
    const [dcf, sensitivity, risk] = doubts.dependents;
    const { crew, runs } = await disputed({
      ...doubts,
      dependents: [dcf, sensitivity, { ...risk, response: { perUnit: 10 } }],
    });
    await crew.test.advance(26 * HOUR_MS);
    runs.length = 0;
    await override(crew);
    expect(crew.told('debate.decided')).toMatchObject([{ rerun: ['ACME/risk', 'ACME/dcf', 'ACME/sensitivity'] }]);
    expect(runs.map((run) => run.split(',')[0]).toSorted()).toEqual(['dcf', 'report', 'risk', 'sensitivity']);
    expect(runs.at(-1)).toBe('report, decided: 28 %');
    expect([crew.state(), crew.item('ACME').rerun]).toEqual(['completed', undefined]);
  });

  it('CA-134: lets running tasks with the old value end first, and discards their results', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const [dcf, , risk] = doubts.dependents;
    const { crew, runs } = await disputed(
      { ...doubts, dependents: [{ ...risk, response: { perUnit: 10 } }, dcf] },
      held,
    );
    await crew.test.advance(26 * HOUR_MS);
    expect(crew.item('ACME').running).toEqual(['ACME/risk']);
    runs.length = 0;
    await override(crew);
    expect([crew.item('ACME').stale, runs]).toEqual([['ACME/risk'], []]);
    release();
    await crew.test.advance(MINUTE_MS);
    expect(runs).toEqual(['risk, decided: 28 %', 'dcf, decided: 28 %', 'report, decided: 28 %']);
    expect(resultsOf(crew.coordinator(), 'ACME')['risk']).toEqual(['decided: 28 %']);
    expect([crew.state(), crew.item('ACME').stale]).toEqual(['completed', []]);
  });

  it('CA-134: runs dependents again in a plan of tasks too, whichever agents do them', async () => {
    const runs: string[] = [];
    const work =
      (name: string): AgentFunction =>
      async () =>
        void runs.push(name);
    const checker: AgentFunction = async (_, { say }) =>
      say({ kind: 'challenge', content: { ...doubts, dependents: [{ ...doubts.dependents[0], id: 'dcf' }] } });
    const tasks = [
      { id: 'check', agent: 'checker' },
      { id: 'dcf', agent: 'dcf', after: ['check'] },
      { id: 'report', agent: 'report', after: ['dcf'] },
      { id: 'other', agent: 'other' },
    ];
    const crew = await startWholeCrew(planOf({ pack: 'finance', tasks }), {
      checker,
      dcf: work('dcf'),
      report: work('report'),
      other: work('other'),
    });
    await crew.test.advance(26 * HOUR_MS);
    runs.length = 0;
    await override(crew);
    expect([runs, crew.state()]).toEqual([['dcf', 'report'], 'completed']);
  });

  it('CA-123, CA-125, CA-132: is in the package of the next gate, and is reviewed there (D6)', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const plan = planOf({
      pack: 'finance',
      stages: {
        strategy: { agent: 'strategy' },
        check: { agent: 'checker', after: ['strategy'] },
        dcf: { agent: 'dcf', after: ['check'], gate: { name: 'print', audience: ['ada'] } },
      },
      items: ['ACME', 'OTHER'],
    });
    const crew = await startWholeCrew(plan, {
      strategy: async () => 0.28,
      checker: async (_, { item, say }) =>
        item === 'ACME' ? say({ kind: 'challenge', content: { ...doubts, priority: 'critical-path' } }) : null,
      dcf: () => held,
    });
    await crew.test.advance(90 * MINUTE_MS);
    expect(crew.debates()).toMatchObject([{ id: 'margin', level: 'L4' }]);
    await crew.powerCut();
    release();
    await crew.test.advance(MINUTE_MS);
    expect(crew.debates()).toMatchObject([{ id: 'margin', level: 'L5' }]);
    const gates = crew.gates().filter(({ isOver }) => !isOver);
    expect(gates.map(({ kind }) => kind).toSorted()).toEqual(['G4', 'print', 'print']);
    const packages = gates.map(({ id }) => crew.packageOf(id) as { item: string; debates: unknown });
    expect(packages.find(({ item, debates }) => item === 'ACME' && debates !== undefined)!.debates).toEqual({
      headline: '1 provisional decisions require review',
      provisional: [
        {
          debate: 'margin',
          topic: 'Margin',
          mark: 'provisional - conservative default',
          positions: [
            {
              side: 'challenger',
              position: expect.objectContaining({ value: 0.25 }) as unknown,
              isApplied: true,
              score: expect.any(Number) as unknown,
            },
            {
              side: 'challenged',
              position: expect.objectContaining({ value: 0.28 }) as unknown,
              isApplied: false,
              score: expect.any(Number) as unknown,
            },
          ],
          rationale: expect.stringContaining('0.25 is more cautious than 0.28') as unknown,
          dependents: ['dcf', 'sensitivity', 'risk'],
        },
      ],
      deferred: [],
    });
    expect(packages.find(({ item }) => item === 'OTHER')!.debates).toBeNull();
    const due = () => crew.openCards().filter(({ kind }) => kind === 'provisionals.due');
    expect(due()).toHaveLength(1);
    const review = gates.find(({ kind }) => kind === 'G4')!;
    const answer = { action: 'override', side: 'challenged' };
    expect(await crew.ask('gates', { type: 'gate.answer', gate: review.id, by: 'ada', answer })).toMatchObject({
      taken: true,
    });
    await crew.test.settle();
    expect(crew.item('ACME').debates!['margin']).toMatchObject({ state: 'decided', value: 0.28, review: null });
    expect(due()).toEqual([]);
    // The stage is made again by the new value, so what people were asked about it is asked anew.
    const stage = gates.find(({ kind, item }) => kind === 'print' && item === 'ACME')!;
    const approve = (gate: string) =>
      crew.ask('gates', { type: 'gate.answer', gate, by: 'ada', answer: { decision: 'approve' } });
    expect(await approve(stage.id)).toMatchObject({ taken: false });
    const again = crew.gates().find(({ kind, item, isOver }) => kind === 'print' && item === 'ACME' && !isOver)!;
    expect(await approve(again.id)).toMatchObject({ taken: true });
    await crew.test.settle();
    expect(crew.item('ACME').done).toHaveLength(3);
  });

  it('CA-134: asks people again about results that an override changes, also after they have approved', async () => {
    const results: unknown[] = [];
    const plan = planOf({
      pack: 'finance',
      stages: {
        check: { agent: 'checker' },
        dcf: { agent: 'dcf', after: ['check'], gate: { name: 'print', audience: ['ada'] } },
        report: { agent: 'report', after: ['dcf'] },
      },
      items: ['ACME'],
    });
    const [dcf] = doubts.dependents;
    const content = { ...doubts, priority: 'critical-path', dependents: [dcf] };
    const crew = await startWholeCrew(plan, {
      checker: (_, { say }) => say({ kind: 'challenge', content }),
      dcf: async (_, { decisions }) => `worth ${String(Object.values(decisions)[0]?.value)}`,
      report: async (_, { results: { dcf: known } }) => void results.push(known),
    });
    const open = (kind: string) => crew.gates().filter((gate) => gate.kind === kind && !gate.isOver);
    const answer = async (gate: string, said: object) => {
      expect(await crew.ask('gates', { type: 'gate.answer', gate, by: 'ada', answer: said })).toMatchObject({
        taken: true,
      });
      await crew.test.advance(MINUTE_MS);
    };
    await crew.test.advance(90 * MINUTE_MS);
    const [first] = open('print');
    await answer(first!.id, { decision: 'approve' });
    const before = results.length;
    await crew.powerCut();
    await crew.test.advance(DAY_MS);
    await answer(open('G4')[0]!.id, { action: 'override', side: 'challenged' });
    const [second] = open('print');
    expect([second!.proposal, results.length]).toEqual(['worth 0.28', before]);
    await crew.powerCut();
    await answer(second!.id, { decision: 'approve' });
    expect([results.at(-1), crew.state(), crew.item('ACME').pauses]).toEqual(['worth 0.28', 'completed', 0]);
  });

  it('CA-133: keeps its value during a re-debate, until the re-debate has ended', async () => {
    const { crew } = await disputed();
    await crew.test.advance(26 * HOUR_MS);
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    await crew.ask('gates', {
      type: 'gate.answer',
      gate: gate.id,
      by: 'ada',
      answer: { action: 'redebate', context: 'a new filing' },
    });
    expect(crew.item('ACME').debates).toEqual({
      'margin~2': expect.objectContaining({ debate: 'margin~2', state: 'provisional', value: 0.25 }) as unknown,
    });
  });

  it(`is kept on record while undecided; of decided debates an item keeps the last ${ITEM_DEBATES_KEPT_MAX}`, () => {
    const debate = (id: string, state: ItemDebate['state']): ItemDebate => ({
      debate: id,
      topic: id,
      state,
      statement: null,
      value: null,
      mark: '',
      confidence: null,
      flagged: [],
      review: null,
    });
    let debates: Readonly<Record<string, ItemDebate>> = withDebate({}, debate('open', 'provisional'));
    for (let n = 0; n <= ITEM_DEBATES_KEPT_MAX; n += 1) debates = withDebate(debates, debate(`d${n}`, 'decided'));
    expect(Object.keys(debates)).toHaveLength(ITEM_DEBATES_KEPT_MAX + 1);
    expect([debates['open'], debates['d0'], debates['d1']]).toMatchObject([
      { state: 'provisional' },
      undefined,
      { state: 'decided' },
    ]);
  });

  it('CA-134: survives a power cut while dependents run again', async () => {
    const { crew } = await disputed();
    await crew.test.advance(26 * HOUR_MS);
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    await crew.test.shard.send('gates', {
      type: 'gate.answer',
      gate: gate.id,
      by: 'ada',
      answer: { action: 'override' },
    });
    await crew.powerCut();
    await crew.test.advance(MINUTE_MS);
    expect([crew.state(), crew.item('ACME').done.length, crew.item('ACME').rerun]).toEqual(['completed', 6, null]);
  });

  it('CA-075: closes its cards when it is resolved', async () => {
    const { crew } = await disputed();
    await crew.test.advance(26 * HOUR_MS);
    const about = () =>
      crew
        .openCards()
        .filter(({ kind }) => kind === 'debate.opened' || kind === 'debate.provisional' || kind === 'gate.waiting');
    expect(about().length).toBeGreaterThan(0);
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    await crew.ask('gates', { type: 'gate.answer', gate: gate.id, by: 'ada', answer: { action: 'confirm' } });
    expect(about()).toEqual([]);
  });
});

describe('a gate of a stage', () => {
  const gated = (gate: object) =>
    planOf({
      stages: { draft: { agent: 'draft', gate }, print: { agent: 'print', after: ['draft'] } },
      items: ['A', 'B'],
    });
  const start = (gate: object = { preset: 'G3' }) => {
    const runs: string[] = [];
    const work =
      (name: string): AgentFunction =>
      async (_, { item }) =>
        runs.push(`${item}/${name}`);
    return startWholeCrew(gated(gate), { draft: work('draft'), print: work('print') }).then((crew) => ({ crew, runs }));
  };
  const answer = (crew: WholeCrew, item: number, decision: string) =>
    crew.ask('gates', {
      type: 'gate.answer',
      gate: crew.gates().filter(({ isOver }) => !isOver)[item]!.id,
      by: 'ada',
      answer: { decision },
    });

  it(
    'CA-008, CA-137: asks people after its stage, reminds them, and lets the item go on when they answer; ' +
      'its card ends',
    async () => {
      const { crew, runs } = await start();
      expect(crew.gates()).toMatchObject([
        { kind: 'G3', title: 'Assumptions', phase: 'open' },
        { kind: 'G3', phase: 'open' },
      ]);
      expect([crew.state(), runs.toSorted()]).toEqual(['working', ['A/draft', 'B/draft']]);
      await crew.powerCut();
      await crew.test.advance(22 * HOUR_MS);
      expect(crew.gates().map(({ phase }) => phase)).toEqual(['reminded', 'reminded']);
      expect(crew.openCards().filter(({ kind }) => kind === 'gate.waiting')).toHaveLength(2);
      await answer(crew, 0, 'approve');
      expect(runs).toContain('A/print');
      expect(runs).not.toContain('B/print');
      expect(crew.openCards().filter(({ kind }) => kind === 'gate.waiting')).toHaveLength(1);
      await answer(crew, 0, 'approve');
      expect(crew.state()).toBe('completed');
    },
  );

  it('is identified by item, stage and proposal, and its item waits for people (N4)', async () => {
    const crew = await startWholeCrew(gated({ preset: 'G3' }), {
      draft: async (_, { item }) => ({ proposal: `print ${item} in red`, pages: 3 }),
      print: async () => {},
    });
    const about = (item: string) => ({ item, stage: 'draft', title: 'Assumptions', proposal: `print ${item} in red` });
    expect(crew.gates()).toMatchObject([about('A'), about('B')]);
    expect(crew.cards().map(({ title }) => title)).toEqual(['A/draft: Assumptions', 'B/draft: Assumptions']);
    const [first, second] = crew.gates().map(({ id }) => id);
    const phases = () => ['A', 'B'].map((item) => toldPhase(crew.item(item), 2));
    expect([phases(), openGatesOf(crew.item('A'))]).toEqual([['waitingForHuman', 'waitingForHuman'], [first]]);
    await crew.powerCut();
    await answer(crew, 0, 'approve');
    expect([phases(), openGatesOf(crew.item('A'))]).toEqual([['completed', 'waitingForHuman'], []]);
    expect(await crew.ask('coordinator', { type: 'plan.report' })).toMatchObject({
      waitingForHuman: [{ item: 'B', gate: second }],
    });
  });

  it('CA-031: pauses the item for changes; on resume the stage runs again and people are asked again', async () => {
    const { crew, runs } = await start();
    await answer(crew, 0, 'revise');
    expect(crew.item('A')).toMatchObject({ phase: 'paused', reason: 'Gate 3 asks for changes: no reason given' });
    await crew.powerCut();
    await crew.ask('coordinator', { type: 'resume.command', item: 'A', resumePlan: null, notify: true });
    expect(runs.filter((run) => run === 'A/draft')).toHaveLength(2);
    await answer(crew, 1, 'approve');
    await answer(crew, 0, 'approve');
    expect(crew.state()).toBe('completed');
  });

  it(
    'CA-031: pauses the item if unanswered; on resume the item reaches the gate again, or passes it if ' + 'validated',
    async () => {
      const { crew, runs } = await start({ preset: 'G3', deadlineMs: HOUR_MS, remindAfterMs: [] });
      await crew.test.advance(HOUR_MS);
      expect(crew.phases()).toEqual(['paused', 'paused']);
      await crew.ask('coordinator', { type: 'resume.command', item: 'A', resumePlan: null, notify: true });
      expect(crew.gates().filter(({ isOver }) => !isOver)).toHaveLength(1);
      await crew.powerCut();
      await answer(crew, 0, 'approve');
      expect(runs.filter((run) => run.startsWith('A/'))).toEqual(['A/draft', 'A/print']);
      await crew.test.shard.send('coordinator', { type: 'gate.validate', item: 'B', gate: 'G3', by: 'ada' });
      await crew.ask('coordinator', { type: 'resume.command', item: 'B', resumePlan: null, notify: true });
      expect(crew.state()).toBe('completed');
    },
  );

  it('CA-031: is withdrawn with its card when its item is given up', async () => {
    const { crew } = await start({ name: 'legal', title: 'May we print it?', audience: ['ada'] });
    await crew.test.shard.send('coordinator', { type: 'item.cancel', item: 'A' });
    await crew.test.settle();
    expect(crew.gates().map(({ kind, phase }) => [kind, phase])).toEqual([
      ['legal', 'withdrawn'],
      ['legal', 'open'],
    ]);
    expect(crew.openCards().filter(({ kind }) => kind === 'gate.waiting')).toHaveLength(1);
  });
});

describe('an item that is paused while it works', () => {
  async function pausing(request: object = {}) {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const plan = planOf({
      stages: {
        fetch: { agent: 'quick' },
        read: { agent: 'slow', after: ['fetch'] },
        print: { agent: 'quick', after: ['read'] },
      },
      items: ['ACME'],
    });
    const crew = await startWholeCrew(plan, { quick: async () => 'done', slow: () => held });
    await crew.test.settle();
    const order = { type: 'pause.request', item: 'ACME', reason: 'audit', checkpointId: null, trigger: 'MANUAL' };
    expect(await crew.ask('coordinator', { ...order, ...request })).toMatchObject({ taken: true });
    return { crew, release, state: () => crew.ask<object>('coordinator', { type: 'pause.state', item: 'ACME' }) };
  }

  it('CA-024, CA-044: says what it waits for; once paused, it waits for nothing and skips finished tasks', async () => {
    const { crew, release, state } = await pausing();
    expect(await state()).toMatchObject({
      status: 'PAUSING',
      checkpointId: null,
      resumeDependencies: { skip: ['ACME/fetch'], wait: ['ACME/read'], restart: ['ACME/print'] },
    });
    await crew.powerCut();
    release();
    await crew.test.settle();
    expect(await state()).toMatchObject({
      status: 'PAUSED',
      checkpointId: 'ACME#1',
      resumeDependencies: { skip: ['ACME/fetch', 'ACME/read'], wait: [], restart: ['ACME/print'] },
    });
  });

  it('CA-022: keeps the checkpoint that the request names (X-51)', async () => {
    const { crew, release, state } = await pausing({ checkpointId: 'nightly-7' });
    expect(await state()).toMatchObject({ status: 'PAUSING', checkpointId: 'nightly-7' });
    release();
    await crew.test.settle();
    expect(await state()).toMatchObject({ status: 'PAUSED', checkpointId: 'nightly-7' });
  });
});

describe('a store written by a Lead Coordinator without desks', () => {
  it('can be reopened with desks: a paused item resumes, running work ends, and the resume is reported', async () => {
    const plan = planOf({
      stages: { one: { agent: 'one', retry: { attempts: 1 } }, two: { agent: 'two', after: ['one'] } },
      items: ['A', 'B'],
    });
    let isBroken = true;
    const logic = fromPromise<unknown, unknown>(({ input }) => {
      const { item } = input as { item: string };
      if (item === 'A' && isBroken) throw new Error('no ink');
      return item === 'B' && isBroken ? new Promise(() => {}) : Promise.resolve('done');
    });
    const stages = ['one', 'two'].map((type) => stageAgent(type, logic));
    const test = await startMachines({
      agents: [...crewAgents, ...stages],
      tree: { children: coordinatorChildren(plan) },
    });
    await test.advance(MINUTE_MS);
    const { value, context } = test.shard.snapshot('coordinator')!;
    expect([value, itemIn(context as CoordinatorContext, 'A').phase]).toEqual(['working', 'paused']);
    await test.crash();
    isBroken = false;
    await test.restart({ agents: [...crewAgents, ...stages], tree: crewTree(plan) });
    const crew = new WholeCrew(test, []);
    expect(test.logged.filter((line) => line.join(' ').includes('suspended'))).toEqual([]);
    expect(crew.item('B').done).toEqual(['B/one', 'B/two']);
    await crew.ask('coordinator', { type: 'resume.command', item: 'A', resumePlan: null, notify: true });
    await test.advance(MINUTE_MS);
    expect(crew.state()).toBe('completed');
    expect(crew.cards().map(({ item, kind }) => [item, kind])).toEqual([['A', 'item.resumed']]);
  });
});
