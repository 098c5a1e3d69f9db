/** Checkpoints in the whole crew: made at every boundary, restored, migrated, checked, kept and dropped. */
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import {
  checkpointIn,
  type CoordinatorContext,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { leadCoordinator } from '../../../src/machines/coordination/coordinator/lead-coordinator.ts';
import { asBefore } from '../../../src/machines/rules/turn.ts';
import { nameKey } from '../../../src/machines/rules/table-keys.ts';
import { withWideRow } from '../../../src/machines/rules/wide-rows.ts';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { type AgentCheckpoint, seal, type SealedCheckpoint } from '../../../src/machines/work/checkpoints.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { laterBuild, startWholeCrew, type WholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Subtasks of the Strategy Analyst, of which the first two are 45 % of the work. */
const SUBTASKS = { historical_roi: 10, ma_review: 35, mgmt_compensation: 15, priorities: 40 };

const plan = planOf({
  agentTypes: { strategy: { subtasks: SUBTASKS }, valuation: { subtasks: SUBTASKS } },
  stages: { strategy: { agent: 'strategy' }, valuation: { agent: 'valuation' } },
  items: { AAPL: { years: 5 }, MSFT: { years: 3 } },
});

const TASKS = ['AAPL/strategy', 'AAPL/valuation', 'MSFT/strategy', 'MSFT/valuation'];

interface Analysis {
  readonly crew: WholeCrew;
  /** Subtasks in the order of their starts, with the task of each. */
  readonly runs: string[];
  /** The subtask at which a task fails, by task, and how; tasks that are not named succeed. */
  readonly faults: Record<string, { readonly at: string; readonly errorType: string }>;
  /** The work of both agents, with these subtasks. */
  agentsWith(subtasks: readonly string[]): Readonly<Record<string, AgentFunction>>;
}

/** Analyses of two items by two agents, in which each subtask takes a minute. */
async function analysing(faults: Analysis['faults']): Promise<Analysis> {
  const clock = new VirtualClock();
  const runs: string[] = [];
  const analyst =
    (agent: string, subtasks: readonly string[]): AgentFunction =>
    async (_, { item, subtask, checkpoint, checkpointed, signal }) => {
      const task = `${item}/${agent}`;
      if (checkpointed === undefined) await checkpoint(`notes on ${task}`);
      for (const name of subtasks)
        await subtask(name, async () => {
          runs.push(`${task}: ${name}`);
          await new Promise<void>((resolve, reject) => {
            const stop = clock.setTimeout(() => resolve(), MINUTE_MS);
            signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
          });
          const { at, errorType } = faults[task] ?? {};
          if (at === name) throw Object.assign(new Error(`${name} at 45 %`), { errorType, dataSource: 'proxy' });
          return `${name} of ${task}`;
        });
      return task;
    };
  const agentsWith = (subtasks: readonly string[]) => ({
    strategy: analyst('strategy', subtasks),
    valuation: analyst('valuation', subtasks),
  });
  const crew = await startWholeCrew(plan, agentsWith(Object.keys(SUBTASKS)), {}, clock);
  return { crew, runs, faults, agentsWith };
}

function sealedIn(crew: WholeCrew, task: string): SealedCheckpoint | undefined {
  return checkpointIn(crew.coordinator(), task)?.sealed;
}

async function resumed(crew: WholeCrew, item: string): Promise<void> {
  await crew.ask('coordinator', { type: 'resume.command', item, resumePlan: null, notify: true });
}

const FAILED = { at: 'mgmt_compensation', errorType: 'crash' };
const LOST = { at: 'priorities', errorType: 'irrecoverable_validation' };

describe('the checkpoint of an agent', () => {
  it('CA-033: has every field of its form at each boundary of a subtask, and at a failure', async () => {
    const { crew } = await analysing({ 'AAPL/strategy': FAILED });
    const beganMs = crew.test.clock.wallMs();
    const begun: AgentCheckpoint = {
      item: 'AAPL',
      agentType: 'strategy',
      analysisId: 'AAPL/strategy',
      checkpointTimeMs: beganMs,
      progressPct: 0,
      currentSubtask: 'historical_roi',
      completedSubtasks: [],
      pendingSubtasks: ['historical_roi', 'ma_review', 'mgmt_compensation', 'priorities'],
      workingMemory: 'notes on AAPL/strategy',
      interimResults: {},
      agentConfig: { years: 5 },
      failureReason: null,
      errorDetails: null,
      retryCount: 0,
      agentVersion: 1,
    };
    const now = () => sealedIn(crew, 'AAPL/strategy')!.checkpoint;
    expect(now()).toEqual(begun);
    await crew.test.advance(MINUTE_MS);
    expect(now()).toEqual({
      ...begun,
      checkpointTimeMs: beganMs + MINUTE_MS,
      progressPct: 10,
      currentSubtask: 'ma_review',
      completedSubtasks: ['historical_roi'],
      pendingSubtasks: ['ma_review', 'mgmt_compensation', 'priorities'],
      interimResults: { historical_roi: 'historical_roi of AAPL/strategy' },
    });
    await crew.test.advance(MINUTE_MS);
    const second: AgentCheckpoint = {
      ...begun,
      checkpointTimeMs: beganMs + 2 * MINUTE_MS,
      progressPct: 45,
      currentSubtask: 'mgmt_compensation',
      completedSubtasks: ['historical_roi', 'ma_review'],
      pendingSubtasks: ['mgmt_compensation', 'priorities'],
      interimResults: {
        historical_roi: 'historical_roi of AAPL/strategy',
        ma_review: 'ma_review of AAPL/strategy',
      },
    };
    expect(now()).toEqual(second);
    await crew.test.advance(MINUTE_MS);
    const message = 'mgmt_compensation at 45 %';
    const failed = {
      ...second,
      checkpointTimeMs: beganMs + 3 * MINUTE_MS,
      failureReason: message,
      errorDetails: { tier: 2, errorType: 'crash', message, dataSource: 'proxy', isStated: true },
      retryCount: 1,
    };
    expect(now()).toEqual(failed);
    await crew.powerCut();
    expect(now()).toEqual(failed);
  });

  it(
    'CA-034, CA-E07: resumes at mgmt_compensation, where it failed at 45 % after historical_roi and ma_review, ' +
      'repeats neither, waits for nothing, and leaves other analyses alone',
    async () => {
      const { crew, runs, faults } = await analysing({ 'AAPL/strategy': FAILED });
      await crew.test.advance(3 * MINUTE_MS);
      const doneBy = (task: string) => sealedIn(crew, task)?.checkpoint.completedSubtasks.length;
      expect(TASKS.map(doneBy)).toEqual([2, 3, 3, 3]);
      await crew.test.advance(MINUTE_MS);
      expect(crew.phases()).toEqual(['paused', 'running']);
      expect(crew.item('MSFT').done).toEqual(['MSFT/strategy', 'MSFT/valuation']);
      expect(crew.item('AAPL').done).toEqual(['AAPL/valuation']);

      delete faults['AAPL/strategy'];
      runs.length = 0;
      const beforeMs = crew.test.clock.wallMs();
      await resumed(crew, 'AAPL');
      expect(runs).toEqual(['AAPL/strategy: mgmt_compensation']);
      await crew.powerCut();
      expect(runs).toEqual(['AAPL/strategy: mgmt_compensation', 'AAPL/strategy: mgmt_compensation']);
      expect(crew.test.clock.wallMs()).toBe(beforeMs);
      await crew.test.advance(2 * MINUTE_MS);
      expect(runs.slice(2)).toEqual(['AAPL/strategy: priorities']);
      expect(crew.state()).toBe('completed');
    },
  );

  it('CA-035: states the version of its agent, and is converted by the migrations of a later one', async () => {
    const { crew, runs, faults, agentsWith } = await analysing({ 'AAPL/strategy': FAILED });
    await crew.test.advance(4 * MINUTE_MS);
    expect(sealedIn(crew, 'AAPL/strategy')!.checkpoint.agentVersion).toBe(1);
    delete faults['AAPL/strategy'];
    runs.length = 0;
    const renamed = (from: string, to: string) => (checkpoint: AgentCheckpoint) => {
      const pendingSubtasks = checkpoint.pendingSubtasks.map((name) => (name === from ? to : name));
      return { ...checkpoint, pendingSubtasks, currentSubtask: pendingSubtasks[0]! };
    };
    const migrations = { 2: renamed('mgmt_compensation', 'salaries'), 3: renamed('salaries', 'pay') };
    const agents = agentsWith(['historical_roi', 'ma_review', 'pay', 'priorities']);
    await laterBuild(crew, plan, { agents, stage: { version: 3, migrations } });
    await resumed(crew, 'AAPL');
    await crew.test.advance(MINUTE_MS);
    expect(sealedIn(crew, 'AAPL/strategy')!.checkpoint).toMatchObject({
      agentVersion: 3,
      completedSubtasks: ['historical_roi', 'ma_review', 'pay'],
      pendingSubtasks: ['priorities'],
    });
    await crew.test.advance(MINUTE_MS);
    expect(runs).toEqual(['AAPL/strategy: pay', 'AAPL/strategy: priorities']);
    expect(crew.state()).toBe('completed');
  });

  it('CA-036: is deleted 30 days after its item failed, unless a person preserves it', async () => {
    const { crew } = await analysing({ 'AAPL/strategy': LOST, 'MSFT/strategy': LOST });
    await crew.test.advance(3 * MINUTE_MS);
    const kept = () => TASKS.map((task) => sealedIn(crew, task) !== undefined);
    expect(kept()).toEqual([true, true, true, true]);
    await crew.ask('coordinator', { type: 'checkpoint.preserve', task: 'MSFT/strategy', isPreserved: true });
    await crew.test.advance(MINUTE_MS);
    expect(crew.phases()).toEqual(['failed', 'failed']);
    const [aapl, msft] = [sealedIn(crew, 'AAPL/strategy'), sealedIn(crew, 'MSFT/strategy')];
    await crew.test.advance(15 * DAY_MS);
    await crew.powerCut();
    await crew.test.advance(15 * DAY_MS - 1);
    expect([sealedIn(crew, 'AAPL/strategy'), sealedIn(crew, 'MSFT/strategy')]).toEqual([aapl, msft]);
    await crew.test.advance(1);
    expect([sealedIn(crew, 'AAPL/strategy'), sealedIn(crew, 'MSFT/strategy')]).toEqual([undefined, msft]);
  });

  it('CA-036: is deleted when its task succeeds', async () => {
    const { crew } = await analysing({});
    await crew.test.advance(3 * MINUTE_MS);
    expect(TASKS.every((task) => sealedIn(crew, task) !== undefined)).toBe(true);
    await crew.test.advance(MINUTE_MS);
    expect(crew.state()).toBe('completed');
    expect(TASKS.every((task) => sealedIn(crew, task) === undefined)).toBe(true);
  });

  it.each([
    [
      'with another value than its SHA-256 was taken of',
      ({ checkpoint, sha256 }: SealedCheckpoint) => ({ sha256, checkpoint: { ...checkpoint, progressPct: 46 } }),
      'its hash does not match its content',
    ],
    [
      'with contradictory data',
      ({ checkpoint }: SealedCheckpoint) => seal({ ...checkpoint, pendingSubtasks: ['ma_review', 'priorities'] }),
      'ma_review is completed and pending',
    ],
  ] as const)('CA-037: %s, fails its item for good (tier 3) when it is restored', async (_, damage, flaw) => {
    const { crew, runs, faults, agentsWith } = await analysing({ 'AAPL/strategy': FAILED });
    await crew.test.advance(4 * MINUTE_MS);
    const sealed = sealedIn(crew, 'AAPL/strategy')!;
    expect(sealed.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(seal(sealed.checkpoint)).toEqual(sealed);
    delete faults['AAPL/strategy'];
    runs.length = 0;
    // A later build damages what the store holds, as a faulty migration may.
    const damaged = ({ value, context }: { readonly value: unknown; readonly context: CoordinatorContext }) => {
      const kept = { sealed: damage(sealed), isPreserved: false };
      const patch = withWideRow(context, 'checkpoints', nameKey('AAPL/strategy'), kept);
      return { value, context: { ...context, ...patch } } as never;
    };
    const { name, machine, events } = leadCoordinator;
    const migrate = { 2: asBefore, 3: asBefore, 4: damaged as never };
    const coordinator = defineAgent({ name, machine, events, version: 4, migrate });
    await laterBuild(crew, plan, { agents: agentsWith(Object.keys(SUBTASKS)), coordinator });
    await resumed(crew, 'AAPL');
    expect(crew.item('AAPL')).toMatchObject({
      phase: 'failed',
      reason: `AAPL/strategy failed: its checkpoint is not sound: ${flaw}`,
    });
    expect(runs).toEqual([]);
    expect(crew.openCards()).toMatchObject([{ item: 'AAPL', kind: 'item.lost', priority: 'CRITICAL' }]);
  });
});
