/** Plans that the whole crew runs as the seed prints them: the timetable, the bottleneck, and resumed items. */
import { describe, expect, it } from 'vitest';
import { SEED_AGENT_TYPES } from '../../../src/machines/coordination/coordinator/agent-registry.ts';
import { type CrewPorts } from '../../../src/machines/crew.ts';
import { type PlanReport } from '../../../src/machines/coordination/coordinator/capacity-decisions.ts';
import { type PauseState } from '../../../src/machines/coordination/pauses/pause-messages.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { DESKS } from '../../../src/machines/desks.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { fixture, planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface Facts {
  readonly broken?: ReadonlySet<string>;
  readonly ports?: CrewPorts;
}

interface Run {
  readonly crew: WholeCrew;
  /** Minutes in which each task ran, by its id. */
  readonly ran: Record<string, [start: number, end: number]>;
  /** Tasks in the order of their starts. */
  readonly starts: string[];
}

/** Runs the plan: every task takes its minutes, and fails as long as its id is in `broken`. */
async function carriedOut(plan: Plan, { broken = new Set(), ports = {} }: Facts = {}): Promise<Run> {
  const clock = new VirtualClock();
  const beginMs = clock.wallMs();
  const minute = () => Math.round((clock.wallMs() - beginMs) / MINUTE_MS);
  const ran: Run['ran'] = {};
  const starts: string[] = [];
  const work =
    (stage: string): AgentFunction =>
    async (_, { item, signal }) => {
      const task = `${item}/${stage}`;
      starts.push(task);
      if (broken.has(task)) throw Object.assign(new Error(`${task} has no data`), { errorType: 'data_quality' });
      const start = minute();
      const { duration } = plan.tasks.find(({ id }) => id === task)!;
      await new Promise<void>((resolve, reject) => {
        const stop = clock.setTimeout(() => resolve(), duration * MINUTE_MS);
        signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
      });
      ran[task] = [start, minute()];
      return task;
    };
  const stages = new Map(plan.tasks.map(({ agent, stage }) => [agent, stage!]));
  const agents = Object.fromEntries([...stages].map(([agent, stage]) => [agent, work(stage)]));
  const crew = await startWholeCrew(plan, agents, ports, clock, SEED_AGENT_TYPES);
  return { crew, ran, starts };
}

/** The seed's example without capacities of its own, so that those of the agent types hold, and without time limits. */
function equity(): Plan {
  const plan = fixture('equity-research', { capacity: {} });
  return { ...plan, tasks: plan.tasks.map((task) => ({ ...task, timeoutMs: null })) };
}

describe('the example of the seed', () => {
  it('CA-001: is led by a Lead Coordinator, beside a Debate Facilitator', async () => {
    const { crew } = await carriedOut(equity());
    const agents = [DESKS.coordinator, DESKS.debates].map((id) => crew.test.shard.snapshot(id)!.agent);
    expect(agents).toEqual(['lead-coordinator', 'debate-facilitator']);
  });

  it('CA-004, CA-005, CA-009, CA-010, CA-012, CA-013, CA-E01, CN-006: runs by the printed timetable', async () => {
    const { crew, ran } = await carriedOut(equity());
    await crew.test.advance(9 * MINUTE_MS);
    expect(crew.state()).toBe('completed');
    expect(ran).toEqual({
      'AAPL/screening': [0, 2],
      'MSFT/screening': [0, 2],
      'AAPL/business': [2, 4],
      'MSFT/business': [2, 4],
      'AAPL/financial': [4, 6],
      'AAPL/strategy': [4, 6],
      'MSFT/financial': [4, 6],
      'MSFT/strategy': [4, 6],
      'AAPL/valuation': [6, 7],
      'MSFT/valuation': [7, 8],
      'AAPL/report': [8, 9],
      'MSFT/report': [8, 9],
    });
  });

  it('CA-E04, CA-015: has valuation as its bottleneck, and takes a minute less with two valuation agents', async () => {
    const { crew, ran } = await carriedOut(equity());
    await crew.test.advance(MINUTE_MS);
    const { bottleneck } = await crew.ask<PlanReport>('coordinator', { type: 'plan.report' });
    expect(bottleneck).toMatchObject({ agentType: 'valuation', capacity: 1, makespan: 9, makespanWithOneMore: 8 });
    await crew.test.shard.send('coordinator', { type: 'capacity.set', agentType: 'valuation', capacity: 2 });
    await crew.test.advance(7 * MINUTE_MS);
    expect(crew.state()).toBe('completed');
    expect(ran['MSFT/valuation']).toEqual([6, 7]);
  });
});

describe('an item that fails', () => {
  const plan = planOf({
    unit: 'minutes',
    stages: {
      screening: { agent: 'screening', duration: 1 },
      business: { agent: 'business', duration: 1, after: ['screening'] },
      financial: { agent: 'financial', duration: 2, after: ['business'], retry: { attempts: 1 } },
      strategy: { agent: 'strategy', duration: 2, after: ['business'] },
      news: { agent: 'news', duration: 4 },
      valuation: { agent: 'valuation', duration: 1, after: ['financial', 'strategy'] },
    },
    items: ['AAPL', 'MSFT'],
  });

  it(
    'CA-016, CA-020, CA-021, CA-039, CA-041, CA-043, CA-044, CA-045, CA-046, CN-005, CN-019: pauses with a ' +
      'checkpoint and a resume plan, and resumes with the failed task and its dependents',
    async () => {
      const broken = new Set(['AAPL/financial']);
      const { crew, starts } = await carriedOut(plan, { broken });
      await crew.test.advance(3 * MINUTE_MS);
      expect(crew.item('AAPL').phase).toBe('pausing');
      await crew.test.advance(2 * MINUTE_MS);
      const state = await crew.ask<PauseState>('coordinator', { type: 'pause.state', item: 'AAPL' });
      expect(state).toMatchObject({
        status: 'PAUSED',
        reason: 'AAPL/financial failed: AAPL/financial has no data',
        checkpointId: 'AAPL#1',
        resumeDependencies: {
          skip: ['AAPL/screening', 'AAPL/news', 'AAPL/business', 'AAPL/strategy'],
          restart: ['AAPL/financial', 'AAPL/valuation'],
          wait: [],
        },
      });
      expect(crew.openCards()).toMatchObject([{ item: 'AAPL', priority: 'AGENT_FAILURE' }]);
      expect(crew.item('MSFT').done).toHaveLength(6);

      await crew.powerCut();
      broken.clear();
      starts.length = 0;
      await crew.ask('coordinator', { type: 'resume.command', item: 'AAPL', resumePlan: null, notify: true });
      await crew.test.advance(3 * MINUTE_MS);
      expect([crew.state(), starts]).toEqual(['completed', ['AAPL/financial', 'AAPL/valuation']]);
    },
  );

  it('CA-022, CA-023: is paused by hand, and goes on by a resume plan given by hand', async () => {
    const { crew, starts } = await carriedOut(plan);
    await crew.test.advance(MINUTE_MS);
    const pause = { item: 'AAPL', reason: 'looks odd', checkpointId: null, trigger: 'MANUAL' };
    expect(await crew.ask('coordinator', { type: 'pause.request', ...pause })).toEqual({ taken: true, problems: [] });
    await crew.test.advance(4 * MINUTE_MS);
    expect(crew.item('AAPL')).toMatchObject({
      phase: 'paused',
      done: ['AAPL/screening', 'AAPL/business', 'AAPL/news'],
    });
    starts.length = 0;
    const resumePlan = {
      restart: ['AAPL/news', 'AAPL/business', 'AAPL/financial', 'AAPL/strategy', 'AAPL/valuation'],
      skip: ['AAPL/screening'],
      wait: [],
    };
    const order = { type: 'resume.command', item: 'AAPL', resumePlan, notify: true };
    expect(await crew.ask('coordinator', order)).toEqual({ taken: true, problems: [] });
    await crew.test.advance(10 * MINUTE_MS);
    expect(crew.state()).toBe('completed');
    expect(starts.toSorted()).toEqual(resumePlan.restart.toSorted());
  });

  it('CA-018, CA-020, CA-026, CA-027, CN-002: alerts on days 0, 3, 7, 14 and 30; keeps memory 14 days', async () => {
    const kept: [string, number][] = [];
    const setMemoryTtl = ({ item, ttlMs }: { readonly item: string; readonly ttlMs: number }) =>
      Promise.resolve(void kept.push([item, ttlMs / DAY_MS]));
    const broken = new Set(['AAPL/financial']);
    const { crew } = await carriedOut(plan, { broken, ports: { setMemoryTtl } });
    await crew.test.advance(10 * MINUTE_MS);
    const days: number[] = [];
    for (let day = 0, known = 0; day <= 30; day += 1) {
      const told = crew.cards().filter(({ item }) => item === 'AAPL').length;
      if (told > known) days.push(day);
      known = told;
      if (day === 5) await crew.powerCut();
      await crew.test.advance(DAY_MS);
    }
    expect(days).toEqual([0, 3, 7, 14, 30]);
    expect(kept).toEqual([['AAPL', 14]]);
    expect(crew.item('AAPL').phase).toBe('expired');
  });
});
