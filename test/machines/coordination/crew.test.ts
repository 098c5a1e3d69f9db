/** The crew at work on virtual time: Lead Coordinator, stages under their Bosses, PauseManagers. */
import { describe, expect, it } from 'vitest';
import { COORDINATOR } from '../../../src/machines/crew.ts';
import { resultsOf } from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { type Crew, MINUTE_MS, startCrew as start, type Work } from '../../support/machines/crew-subject.ts';
import { LONG } from '../../support/effort.ts';

const twoStages = {
  stages: { draft: { agent: 'writer' }, print: { agent: 'printer', after: ['draft'], barrier: true } },
  items: ['A', 'B', 'C'],
};

function startCrew(plan: Plan, work?: Work): Promise<Crew> {
  return start(plan, { ...(work && { work }), desks: [] });
}

describe('the Lead Coordinator', () => {
  it('runs a plan to its end, each task once and after its dependencies', async () => {
    const crew = await startCrew(planOf(twoStages));
    const { starts } = crew;
    expect(crew.state()).toBe('completed');
    expect(starts.toSorted()).toEqual(['A/draft', 'A/print', 'B/draft', 'B/print', 'C/draft', 'C/print']);
    expect(starts.slice(0, 3).every((id) => id.endsWith('/draft'))).toBe(true);
  });

  it('hands the results of earlier stages to later ones', async () => {
    const seen: unknown[] = [];
    await startCrew(planOf({ ...twoStages, items: ['A'] }), ({ task, results }) => {
      seen.push(results);
      return `output of ${task.stage}`;
    });
    expect(seen).toEqual([{}, { draft: 'output of draft' }]);
  });

  it('hands each task of a plan of tasks the results of its dependencies, by id', async () => {
    const tasks = [
      { id: 'a', agent: 'x' },
      { id: 'b', agent: 'x' },
      { id: 'c', agent: 'x', after: ['a', 'b'] },
    ];
    const seen = new Map<string, unknown>();
    await startCrew(planOf({ tasks }), ({ task, results }) => {
      seen.set(task.id, results);
      return task.id.toUpperCase();
    });
    expect(seen.get('c')).toEqual({ a: 'A', b: 'B' });
  });

  it('keeps within the capacity of an agent type', async () => {
    let active = 0;
    let most = 0;
    const plan = planOf({ ...twoStages, capacity: { writer: 2 } });
    const crew = await startCrew(plan, async () => {
      most = Math.max(most, ++active);
      await new Promise<void>((resolve) => setImmediate(resolve));
      active -= 1;
    });
    expect(crew.state()).toBe('completed');
    expect(most).toBeLessThanOrEqual(3);
  });

  it('CA-002, CA-005: runs 500 tasks once each, never above the capacity of an agent type', LONG, async () => {
    const active = { one: 0, two: 0 };
    const most = { one: 0, two: 0 };
    const stages = {
      a: { agent: 'one' },
      b: { agent: 'two', after: ['a'] },
      c: { agent: 'one', after: ['b'] },
      d: { agent: 'two', after: ['c'], barrier: true },
      e: { agent: 'one', after: ['d'] },
    };
    const plan = planOf({
      capacity: { one: 50, two: 20 },
      stages,
      items: Array.from({ length: 100 }, (_, n) => `i${n}`),
    });
    const crew = await startCrew(plan, async ({ task }) => {
      const agent = task.agent as 'one' | 'two';
      most[agent] = Math.max(most[agent], ++active[agent]);
      await Promise.resolve();
      active[agent] -= 1;
    });
    while (crew.state() === 'working') await crew.test.settle();
    expect([crew.state(), crew.starts.length, new Set(crew.starts).size]).toEqual(['completed', 500, 500]);
    expect(most.one).toBeLessThanOrEqual(50);
    expect(most.two).toBeLessThanOrEqual(20);
  });

  it('goes on after a power cut: it keeps finished tasks and restarts the running ones', async () => {
    const gates = new Map<string, () => void>();
    const plan = planOf({ ...twoStages, capacity: { writer: 1 } });
    const crew = await startCrew(
      plan,
      ({ task }) => new Promise<string>((resolve) => gates.set(task.id, () => resolve('done'))),
    );
    gates.get('A/draft')!();
    await crew.test.settle();
    expect(crew.starts).toEqual(['A/draft', 'B/draft']);
    await crew.test.crash();
    await crew.test.restart();
    expect(crew.starts).toEqual(['A/draft', 'B/draft', 'B/draft']);
    expect(crew.item('A').done).toEqual(['A/draft']);
  });
});

describe('a task that fails', () => {
  it('CA-040: is retried by its Boss after a backoff until it succeeds', async () => {
    const crew = await startCrew(planOf({ ...twoStages, items: ['A'] }), ({ task }, starts) => {
      if (task.stage === 'draft' && starts < 3) throw new Error('not yet');
      return 'done';
    });
    expect(crew.starts).toEqual(['A/draft']);
    await crew.test.advance(MINUTE_MS);
    expect(crew.starts).toEqual(['A/draft', 'A/draft', 'A/draft', 'A/print']);
    expect(crew.state()).toBe('completed');
  });

  it('CA-028, CA-041: pauses its item with the reason when its attempts are used up; other items finish', async () => {
    const crew = await startCrew(planOf(twoStages), ({ task }) => {
      if (task.id === 'B/draft') throw new Error('no ink');
      return 'done';
    });
    await crew.test.advance(10 * MINUTE_MS);
    expect(crew.state()).toBe('paused');
    expect(crew.starts.filter((id) => id === 'B/draft')).toHaveLength(3);
    expect(crew.phase('B')).toBe('paused');
    expect(crew.item('B').reason).toBe('B/draft failed: no ink');
    expect(crew.starts).toContain('A/print');
    expect(crew.starts).toContain('C/print');
  });

  it('uses up only its own attempts: failures of other tasks do not end it', async () => {
    const plan = planOf({ tasks: Array.from({ length: 8 }, (_, n) => ({ id: `t${n}`, agent: 'x' })) });
    const crew = await startCrew(plan, (_, starts) => {
      if (starts < 3) throw new Error('twice');
      return 'done';
    });
    await crew.test.advance(MINUTE_MS);
    expect(crew.state()).toBe('completed');
  });

  it('keeps its count of attempts across power cuts', async () => {
    const crew = await startCrew(planOf({ ...twoStages, items: ['A'] }), () => {
      throw new Error('never');
    });
    await crew.test.crash();
    await crew.test.restart();
    await crew.test.advance(10 * MINUTE_MS);
    await crew.test.crash();
    await crew.test.restart();
    await crew.test.advance(10 * MINUTE_MS);
    expect(crew.state()).toBe('paused');
    expect(crew.starts).toHaveLength(3);
  });
});

describe('the PauseManager', () => {
  async function pausedCrew(): Promise<{ crew: Crew; mend(): void }> {
    let broken = true;
    const crew = await startCrew(planOf(twoStages), ({ task }) => {
      if (broken && task.id === 'B/draft') throw new Error('no ink');
      return 'done';
    });
    await crew.test.advance(10 * MINUTE_MS);
    return { crew, mend: () => (broken = false) };
  }

  it('CA-016, CA-021: is PAUSED with a checkpoint of the stage boundary', async () => {
    const { crew } = await pausedCrew();
    const manager = crew.test.shard.actor('pauses/B').snapshot();
    expect(manager.value).toBe('PAUSED');
    expect(manager.context).toMatchObject({ checkpoint: { checkpointId: 'B#1', completed: [], failed: ['B/draft'] } });
  });

  it('CA-043, CA-044: resumes the item, which passes the barrier alone and completes the plan', async () => {
    const { crew, mend } = await pausedCrew();
    mend();
    await crew.test.shard.send(COORDINATOR, { type: 'plan.resume', item: 'B' });
    await crew.test.settle();
    expect(crew.state()).toBe('completed');
    expect(crew.starts.slice(-2)).toEqual(['B/draft', 'B/print']);
    expect(crew.test.shard.actor('pauses/B').snapshot().value).toBe('RUNNING');
  });

  it('keeps an item paused across a power cut, and carries out an order that was sent before the cut', async () => {
    const { crew, mend } = await pausedCrew();
    mend();
    await crew.test.shard.send(COORDINATOR, { type: 'plan.resume', item: 'B' });
    await crew.test.crash();
    await crew.test.restart();
    expect(crew.state()).toBe('completed');
  });

  it('CA-017: pauses again when the resumed task fails again', async () => {
    const { crew } = await pausedCrew();
    await crew.test.shard.send(COORDINATOR, { type: 'plan.resume', item: 'B' });
    await crew.test.advance(10 * MINUTE_MS);
    expect(crew.phase('B')).toBe('paused');
    expect(crew.test.shard.actor('pauses/B').snapshot().context).toMatchObject({
      checkpoint: { checkpointId: 'B#2' },
    });
    expect(crew.starts.filter((id) => id === 'B/draft')).toHaveLength(6);
  });

  it('pauses an item by hand only after its running stages have ended, and keeps their results', async () => {
    const gates = new Map<string, () => void>();
    const crew = await startCrew(
      planOf({ ...twoStages, items: ['A'] }),
      ({ task }) => new Promise((resolve) => gates.set(task.id, () => resolve('text'))),
    );
    await crew.test.shard.send(COORDINATOR, { type: 'plan.pause', item: 'A', reason: 'under review' });
    await crew.test.settle();
    expect(crew.phase('A')).toBe('pausing');
    expect(crew.test.shard.actor('pauses/A').snapshot().value).toBe('PAUSING');
    gates.get('A/draft')!();
    await crew.test.settle();
    expect(crew.phase('A')).toBe('paused');
    expect(resultsOf(crew.context(), 'A')).toEqual({ draft: 'text' });
    expect(crew.starts).toEqual(['A/draft']);
    await crew.test.shard.send(COORDINATOR, { type: 'plan.resume', item: 'A' });
    await crew.test.settle();
    expect(crew.starts).toEqual(['A/draft', 'A/print']);
  });

  it('ignores orders about items that are not in the plan, and orders that do not fit the state', async () => {
    const crew = await startCrew(planOf(twoStages));
    for (const type of ['plan.pause', 'plan.resume']) {
      await crew.test.shard.send(COORDINATOR, { type, item: 'Z' });
      await crew.test.shard.send(COORDINATOR, { type, item: 'A' });
    }
    await crew.test.settle();
    expect(crew.state()).toBe('completed');
    expect(crew.test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
  });
});

describe('a crew after its work', () => {
  it('ends the Boss of every completed task', async () => {
    const { test } = await startCrew(planOf(twoStages));
    const tree = test.shard.tree();
    expect(tree.children.map(({ address }) => address)).toEqual(['stages', 'pauses', COORDINATOR]);
    expect(tree.children[0]!.children).toEqual([]);
  });
});
