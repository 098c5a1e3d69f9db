/** Checkpoints of agents at the boundaries of their subtasks: sealed, checked, migrated, kept and dropped. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromPromise } from 'xstate';
import { effectOf } from '../../../src/actors/model/ref.ts';
import { SEED_AGENT_TYPES, withCapacities } from '../../../src/machines/coordination/coordinator/agent-registry.ts';
import {
  type AgentCheckpoint,
  afterSubtask,
  firstCheckpoint,
  seal,
  unseal,
} from '../../../src/machines/work/checkpoints.ts';
import { checkpointIn } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type StageContext, type WorkInput, stageAgent } from '../../../src/machines/work/stage.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { type Crew, DAY_MS, startCrew } from '../../support/machines/crew-subject.ts';

const { subtasks } = SEED_AGENT_TYPES['strategy']!;

const first = firstCheckpoint(
  {
    item: 'AAPL',
    agentType: 'strategy',
    analysisId: 'AAPL/strategy',
    agentConfig: null,
    agentVersion: 1,
    checkpointTimeMs: 0,
  },
  subtasks,
);

function after(names: readonly string[]): AgentCheckpoint {
  return names.reduce(
    (checkpoint, subtask) => afterSubtask(checkpoint, { subtask, result: `result of ${subtask}`, atMs: 1 }, subtasks),
    first,
  );
}

/** An agent that works its subtasks off, and fails at one as long as it is told to. */
function analyst(runs: string[], failure: () => { at: string; errorType: string } | null) {
  return fromPromise<unknown, WorkInput>(async ({ self }) => {
    const { parent, tellParent } = effectOf(self);
    const progress = (parent!.getSnapshot() as { context: StageContext }).context.progress;
    for (const subtask of progress.pendingSubtasks) {
      runs.push(subtask);
      const { at, errorType } = failure() ?? {};
      if (at === subtask) throw Object.assign(new Error(`${subtask} at 45 %`), { code: errorType });
      await tellParent({ type: 'work.subtask', subtask, result: subtask.length } as { type: string });
    }
    return 'strategy';
  });
}

const plan = planOf({ stages: { strategy: { agent: 'strategy' } }, items: ['AAPL'] });

async function failedAt(at: string, errorType = 'crash'): Promise<{ crew: Crew; runs: string[]; mend(): void }> {
  const runs: string[] = [];
  let broken = true;
  const crew = await startCrew(plan, {
    logic: analyst(runs, () => (broken ? { at, errorType } : null)),
    types: SEED_AGENT_TYPES,
  });
  return { crew, runs, mend: () => (broken = false) };
}

describe('a checkpoint', () => {
  it('CA-033: has all fields of its form at every subtask boundary', () => {
    expect(after(['historical_roi', 'ma_review'])).toEqual({
      item: 'AAPL',
      agentType: 'strategy',
      analysisId: 'AAPL/strategy',
      checkpointTimeMs: 1,
      progressPct: 64,
      currentSubtask: 'mgmt_compensation',
      completedSubtasks: ['historical_roi', 'ma_review'],
      pendingSubtasks: ['mgmt_compensation', 'priorities'],
      workingMemory: null,
      interimResults: { historical_roi: 'result of historical_roi', ma_review: 'result of ma_review' },
      agentConfig: null,
      failureReason: null,
      errorDetails: null,
      retryCount: 0,
      agentVersion: 1,
    });
  });

  it('CA-034: lists no subtask as both completed and pending, and goes on with the first pending one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('historical_roi', 'ma_review', 'mgmt_compensation', 'priorities', 'unlisted')),
        (names) => {
          const { completedSubtasks, pendingSubtasks, currentSubtask } = after(names);
          expect(new Set([...completedSubtasks, ...pendingSubtasks]).size).toBe(
            completedSubtasks.length + pendingSubtasks.length,
          );
          expect(currentSubtask).toBe(pendingSubtasks[0] ?? null);
          expect(completedSubtasks).toEqual([...new Set(names)]);
        },
      ),
    );
  });

  it('CA-037: is refused when a single value of it has changed', () => {
    const sealed = seal(after(['historical_roi']));
    expect(unseal(sealed, 1)).toEqual(sealed.checkpoint);
    expect(
      unseal({ ...sealed, checkpoint: { ...sealed.checkpoint, interimResults: { historical_roi: 'other' } } }, 1),
    ).toEqual({ flaw: 'its hash does not match its content' });
    expect(sealed.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('CA-037: has a hash over every storable value, whatever the order of keys', () => {
    const of = (workingMemory: unknown) => seal({ ...first, workingMemory }).sha256;
    const kinds = [
      1n,
      1,
      '1',
      null,
      new Date(0),
      new Date(1),
      new Uint8Array([1]),
      new Map([['a', 1]]),
      new Set(['a']),
      new Error('a'),
      [1],
      { a: 1 },
      true,
    ];
    expect(new Set(kinds.map(of)).size).toBe(kinds.length);
    expect(of({ a: 1, b: [2] })).toBe(of({ b: [2], a: 1, c: undefined }));
  });

  it('CA-037: is refused when it contradicts itself', () => {
    const both = seal({ ...first, completedSubtasks: ['ma_review'] });
    expect(unseal(both, 1)).toEqual({ flaw: 'ma_review is completed and pending' });
    expect(unseal(seal({ ...first, currentSubtask: 'x' }), 1)).toEqual({ flaw: 'x is current and not pending' });
    expect(unseal(seal({ ...first, progressPct: 101 }), 1)).toEqual({ flaw: '101 is no percentage' });
    for (const agentVersion of [0, -1, 1.5, undefined as never])
      expect(unseal(seal({ ...first, agentVersion }), 1)).toEqual({ flaw: `${agentVersion} is no version` });
  });

  it('CA-035: is migrated step by step from an older version, and refused if a step is missing', () => {
    const note = (text: string) => (checkpoint: AgentCheckpoint) => ({
      ...checkpoint,
      workingMemory: [...((checkpoint.workingMemory as string[] | null) ?? []), text],
    });
    expect(unseal(seal(first), 3, { 2: note('two'), 3: note('three') })).toMatchObject({
      agentVersion: 3,
      workingMemory: ['two', 'three'],
    });
    expect(unseal(seal(first), 3, { 2: note('two') })).toEqual({ flaw: 'no migration leads to version 3' });
    expect(unseal(seal({ ...first, agentVersion: 4 }), 3)).toEqual({
      flaw: 'its version 4 is newer than version 3 of the agent',
    });
  });
});

describe('an agent with subtasks', () => {
  it('CA-E07: resumes at mgmt_compensation after it failed there, and repeats neither subtask before it', async () => {
    const { crew, runs, mend } = await failedAt('mgmt_compensation');
    expect(crew.pause('AAPL')).toBe('PAUSED');
    expect(runs).toEqual(['historical_roi', 'ma_review', 'mgmt_compensation']);
    await crew.crashAndRestart();
    mend();
    await crew.send({ type: 'plan.resume', item: 'AAPL' });
    expect(runs).toEqual(['historical_roi', 'ma_review', 'mgmt_compensation', 'mgmt_compensation', 'priorities']);
    expect(crew.state()).toBe('completed');
  });

  it('CA-034: goes on at the next pending subtask right after a power cut', async () => {
    const runs: string[] = [];
    const gates: (() => void)[] = [];
    const logic = fromPromise<unknown, WorkInput>(async ({ self }) => {
      const { parent, tellParent } = effectOf(self);
      for (const subtask of (parent!.getSnapshot() as { context: StageContext }).context.progress.pendingSubtasks) {
        runs.push(subtask);
        if (subtask === 'mgmt_compensation' && gates.length === 0)
          await new Promise<void>((resolve) => gates.push(resolve));
        await tellParent({ type: 'work.subtask', subtask, result: null } as { type: string });
      }
    });
    const crew = await startCrew(plan, { logic, types: SEED_AGENT_TYPES });
    await crew.crashAndRestart();
    expect(runs.slice(3)).toEqual(['mgmt_compensation', 'priorities']);
    expect(crew.state()).toBe('completed');
  });

  it('CA-034: has a separate checkpoint for each analysis', async () => {
    const two = planOf({
      stages: { strategy: { agent: 'strategy' }, valuation: { agent: 'strategy' } },
      items: ['AAPL', 'MSFT'],
    });
    const runs: string[] = [];
    const crew = await startCrew(two, {
      logic: analyst(runs, () => ({ at: 'ma_review', errorType: 'crash' })),
      types: SEED_AGENT_TYPES,
    });
    const ids = ['AAPL/strategy', 'AAPL/valuation', 'MSFT/strategy', 'MSFT/valuation'];
    expect(ids.map((id) => checkpointIn(crew.context(), id)?.sealed.checkpoint.analysisId)).toEqual(ids);
  });

  it('CA-036: leaves no checkpoint when it has succeeded', async () => {
    const { crew, mend } = await failedAt('priorities');
    expect(checkpointIn(crew.context(), 'AAPL/strategy')?.sealed.checkpoint.completedSubtasks).toHaveLength(3);
    mend();
    await crew.send({ type: 'plan.resume', item: 'AAPL' });
    expect(checkpointIn(crew.context(), 'AAPL/strategy')).toBe(undefined);
  });

  it.each([
    [false, undefined],
    [true, 3],
  ])(
    'CA-036: keeps its checkpoint for 30 days after it failed for good, across power cuts; preserved: %s',
    async (isPreserved, left) => {
      const { crew } = await failedAt('priorities', 'irrecoverable_validation');
      expect(crew.phase('AAPL')).toBe('failed');
      if (isPreserved) await crew.send({ type: 'checkpoint.preserve', task: 'AAPL/strategy', isPreserved });
      await crew.test.advance(15 * DAY_MS);
      await crew.crashAndRestart();
      await crew.test.advance(15 * DAY_MS - 1);
      expect(checkpointIn(crew.context(), 'AAPL/strategy')).toBeDefined();
      await crew.test.advance(1);
      expect(checkpointIn(crew.context(), 'AAPL/strategy')?.sealed.checkpoint.completedSubtasks.length).toBe(left);
    },
  );

  it('CA-035, CN-008: goes on from a checkpoint of its older version', async () => {
    const { crew, runs, mend } = await failedAt('mgmt_compensation');
    mend();
    const renamed = {
      2: (checkpoint: AgentCheckpoint) => ({
        ...checkpoint,
        pendingSubtasks: ['pay', 'priorities'],
        currentSubtask: 'pay',
      }),
    };
    const next = await startCrew(plan, {
      logic: analyst(runs, () => null),
      types: SEED_AGENT_TYPES,
      stage: { version: 2, migrations: renamed },
      store: crew.test.store,
      clock: crew.test.clock,
      before: () => crew.test.crash(),
    });
    await next.send({ type: 'plan.resume', item: 'AAPL' });
    expect(runs.slice(3)).toEqual(['pay', 'priorities']);
  });

  it.each([0, -1, 1.5])('cannot have version %s', (version) => {
    expect(() =>
      stageAgent(
        'analyst',
        fromPromise(() => Promise.resolve()),
        { version },
      ),
    ).toThrow(expect.objectContaining({ code: 'BOSUN_AGENT_INVALID' }) as Error);
  });

  it('CA-037, CN-008: fails its item for good (tier 3) if its checkpoint is unsound', async () => {
    const { crew, runs, mend } = await failedAt('mgmt_compensation');
    mend();
    const next = await startCrew(plan, {
      logic: analyst(runs, () => null),
      types: SEED_AGENT_TYPES,
      stage: { version: 5 },
      store: crew.test.store,
      clock: crew.test.clock,
      before: () => crew.test.crash(),
    });
    await next.send({ type: 'plan.resume', item: 'AAPL' });
    expect(next.item('AAPL')).toMatchObject({
      phase: 'failed',
      reason: 'AAPL/strategy failed: its checkpoint is not sound: no migration leads to version 2',
    });
    expect(runs).toHaveLength(3);
  });
});

describe('the agent types of the seed', () => {
  it('CA-003: are thirteen, each registered with capacity, subtasks and half-life', () => {
    expect(Object.keys(SEED_AGENT_TYPES)).toHaveLength(13);
    const halfLives = Object.entries(SEED_AGENT_TYPES).filter(([, { halfLifeYears }]) => halfLifeYears !== 2);
    expect(halfLives.map(([name, { halfLifeYears }]) => [name, halfLifeYears])).toEqual([
      ['financial', 3],
      ['news-monitor', 0.5],
    ]);
  });

  it('CA-010: have the capacities 5, 3, 2, 3 and 1; the others have no limit', () => {
    const capped = Object.entries(SEED_AGENT_TYPES).filter(([, { capacity }]) => capacity !== null);
    expect(capped.map(([name, { capacity }]) => [name, capacity])).toEqual([
      ['screening', 5],
      ['business', 3],
      ['financial', 2],
      ['strategy', 3],
      ['valuation', 1],
    ]);
  });

  it('CA-010: set the capacities for which a plan names none', () => {
    const tasks = [
      { id: 'a', agent: 'valuation' },
      { id: 'b', agent: 'business' },
      { id: 'c', agent: 'report-writer' },
    ];
    expect(withCapacities(planOf({ tasks, capacity: { business: 9 } }), SEED_AGENT_TYPES).capacity).toEqual({
      valuation: 1,
      business: 9,
    });
  });

  it('CA-038: include the subtasks of the five specialists, with their minutes', () => {
    const minutes = ['screening', 'business', 'financial', 'strategy', 'valuation'].map((name) =>
      SEED_AGENT_TYPES[name]!.subtasks.map((subtask) => subtask.minutes),
    );
    expect(minutes).toEqual([
      [5, 3, 10, 2],
      [20, 15, 15, 10, 5],
      [15, 5, 10, 20],
      [10, 25, 15, 5],
      [10, 15, 5, 5, 15],
    ]);
  });

  it('CA-003: can all be run by one plan', async () => {
    const tasks = Object.keys(SEED_AGENT_TYPES).map((agent) => ({ id: `by-${agent}`, agent }));
    const crew = await startCrew(planOf({ tasks }), { types: SEED_AGENT_TYPES });
    expect([crew.state(), crew.starts.length]).toEqual(['completed', 13]);
  });
});
