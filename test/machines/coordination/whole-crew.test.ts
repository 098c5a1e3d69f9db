/**
 * All desks together, as they are in `bosun run`: failures that belong together, a debate, a gate, with power cuts
 * between.
 */
import { fromPromise } from 'xstate';
import { describe, expect, it } from 'vitest';
import { LONG } from '../../support/effort.ts';
import { coordinatorChildren, crewAgents, crewTree } from '../../../src/machines/coordination/crew.ts';
import {
  type CoordinatorContext,
  itemIn,
  resultsOf,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type ItemDebate } from '../../../src/machines/work/agent-function.ts';
import { withDebate } from '../../../src/machines/coordination/coordinator/item-debates.ts';
import { ITEM_DEBATES_KEPT_MAX } from '../../../src/limits.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { stageAgent } from '../../../src/machines/work/stage.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const FIVE = ['AAPL', 'MSFT', 'GOOGL', 'AMZN', 'TSLA'];

describe('five items that fail of one cause', () => {
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
    'CA-E10, CA-056: make five pauses, one correlation, one batch and five cards, and "Resume All" has all of them ' +
      'go on',
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
    'CA-075: take their cards away with them when they go on: one was acknowledged by who resumed all, the ' +
      'others are settled',
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

  it('CA-055: that fail again when resumed are paused again as one batch, and nobody talks without end', async () => {
    const { crew, calls } = await fiveFailed();
    const before = calls.length;
    await crew.ask('batches', { type: 'batch.resume', batchId: 'batch-1' });
    await crew.test.advance(10 * MINUTE_MS);
    expect(crew.phases()).toEqual(FIVE.map(() => 'paused'));
    expect(calls.length - before).toBeLessThanOrEqual(2 * FIVE.length);
    expect(crew.batches().filter(({ phase }) => phase !== 'finished').length).toBeLessThanOrEqual(1);
  });

  it('CA-032, CA-054: go on by themselves when the source says that its quota is there again', async () => {
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

describe('a debate that an agent of the plan begins', () => {
  const doubts = {
    id: 'margin',
    topic: 'Margin of ACME',
    challenged: { agent: 'strategy' },
    disputedFinding: 'The margin is 28 %.',
    basis: { statement: 'The filing says 25 %.', evidence: [{ kind: 'filing', source: 'page 40', strength: 0.8 }] },
    priority: 'critical-path',
    valueKind: 'margin',
    positions: { challenger: { statement: '25 %', value: 0.25 }, challenged: { statement: '28 %', value: 0.28 } },
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
    const plan = planOf({ stages, items: ['ACME'] });
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

  it('CA-007, CA-091: is opened in its name and about its item, and the plan goes on meanwhile', async () => {
    const { crew } = await disputed();
    expect(crew.debates()).toMatchObject([
      { id: 'margin', item: 'ACME', challenger: 'checker', challenged: 'strategy', level: 'L1' },
    ]);
    expect(crew.state()).toBe('completed');
  });

  it(
    'CA-124: unanswered, has its cautious value gone on with: what rests on it is flagged, and later work is given ' +
      'it',
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
    'CA-134, CA-135, CA-E15: overridden, has what it moves run again, one after the other, and what is behind it; ' +
      'the rest is only flagged',
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

  it('CA-135: more than two run again side by side', async () => {
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

  it('CA-134: what still runs with the old value ends first, and its result does not count', async () => {
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

  it('CA-134: in a plan of tasks runs again what waits for it too, whoever does it', async () => {
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
    const crew = await startWholeCrew(planOf({ tasks }), {
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

  it('CA-133: held again keeps its value until the debate that follows has ended', async () => {
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

  it(`remembers the last ${ITEM_DEBATES_KEPT_MAX} that are decided, and all that are not`, () => {
    const debate = (id: string, state: ItemDebate['state']): ItemDebate => ({
      debate: id,
      topic: id,
      state,
      statement: null,
      value: null,
      mark: '',
      confidence: null,
      flagged: [],
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

  it('CA-134: survives a power cut in the middle of running again', async () => {
    const { crew } = await disputed();
    await crew.test.advance(26 * HOUR_MS);
    const gate = crew.gates().find(({ isOver }) => !isOver)!;
    await crew.test.system.send('gates', {
      type: 'gate.answer',
      gate: gate.id,
      by: 'ada',
      answer: { action: 'override' },
    });
    await crew.powerCut();
    await crew.test.advance(MINUTE_MS);
    expect([crew.state(), crew.item('ACME').done.length, crew.item('ACME').rerun]).toEqual(['completed', 6, null]);
  });

  it('CA-075: takes its cards away when it is resolved', async () => {
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
    'CA-008, CA-137: asks people when the stage is done, reminds them, and the item goes on when they have ' +
      'answered; its card ends',
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

  it('CA-031: turned down for changes pauses the item; resumed, the stage runs and people are asked anew', async () => {
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
    'CA-031: that nobody answers pauses the item; resumed, it comes to the gate again, and a validated one is ' +
      'passed',
    async () => {
      const { crew, runs } = await start({ preset: 'G3', deadlineMs: HOUR_MS, remindAfterMs: [] });
      await crew.test.advance(HOUR_MS);
      expect(crew.phases()).toEqual(['paused', 'paused']);
      await crew.ask('coordinator', { type: 'resume.command', item: 'A', resumePlan: null, notify: true });
      expect(crew.gates().filter(({ isOver }) => !isOver)).toHaveLength(1);
      await crew.powerCut();
      await answer(crew, 0, 'approve');
      expect(runs.filter((run) => run.startsWith('A/'))).toEqual(['A/draft', 'A/print']);
      await crew.test.system.send('coordinator', { type: 'gate.validate', item: 'B', gate: 'G3', by: 'ada' });
      await crew.ask('coordinator', { type: 'resume.command', item: 'B', resumePlan: null, notify: true });
      expect(crew.state()).toBe('completed');
    },
  );

  it('CA-031: is withdrawn when its item is given up, and so is its card', async () => {
    const { crew } = await start({ name: 'legal', title: 'May we print it?', audience: ['ada'] });
    await crew.test.system.send('coordinator', { type: 'item.cancel', item: 'A' });
    await crew.test.settle();
    expect(crew.gates().map(({ kind, phase }) => [kind, phase])).toEqual([
      ['legal', 'withdrawn'],
      ['legal', 'open'],
    ]);
    expect(crew.openCards().filter(({ kind }) => kind === 'gate.waiting')).toHaveLength(1);
  });
});

describe('a store of a Lead Coordinator without desks', () => {
  it('goes on with the desks beside it: a paused item resumes, work under way ends, a failure is told', async () => {
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
    const test = await startTestSystem({
      agents: [...crewAgents, ...stages],
      tree: { children: coordinatorChildren(plan) },
    });
    await test.advance(MINUTE_MS);
    const { value, context } = test.system.snapshot('coordinator')!;
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
