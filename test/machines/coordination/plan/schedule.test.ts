/**
 * The schedule against the seed's printed numbers and against the rules that any schedule keeps, and the rule that
 * picks the tasks to start.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTime } from '../../../../src/machines/work/dependency-graph.ts';
import { Dispatcher } from '../../../../src/machines/coordination/plan/dispatcher.ts';
import { planIndexOf } from '../../../../src/machines/coordination/plan/plan-index.ts';
import { capacityOf, type Plan } from '../../../../src/machines/coordination/plan/plan.ts';
import { schedule, type ScheduledTask } from '../../../../src/machines/coordination/plan/schedule.ts';
import { fixture, planOf, plans } from '../../../support/fixtures/plans/plans.ts';
import { ratioOf } from '../../../support/processor-time.ts';

const CAPACITY = { screening: 5, business: 3, financial: 2, strategy: 3, valuation: 1 };

/** `AAPL/screening` to `[start, end]`. */
function timetable(plan: Plan): Record<string, [number, number]> {
  return Object.fromEntries(schedule(plan).tasks.map(({ task, start, end }) => [task, [start, end]]));
}

/** How far a plan has come, in items. */
interface Progress {
  readonly done: Iterable<string>;
  readonly running: Iterable<string>;
  readonly paused: Iterable<string>;
  readonly failed: Iterable<string>;
  readonly resumed: Iterable<string>;
}

/** Ids of the tasks that a new dispatcher starts. */
function pickReady(plan: Plan, { done, running, paused, failed, resumed }: Progress, capacity = plan.capacity) {
  const standings = new Map([...resumed].map((item) => [item, { starts: true, awaited: true, alone: true }]));
  for (const item of [...paused, ...failed])
    standings.set(item, { starts: false, awaited: false, alone: standings.has(item) });
  return new Dispatcher(planIndexOf(plan), { done, running, standings, capacity }).start();
}

function picked(plan: Plan, progress: Partial<Progress>, capacity?: Plan['capacity']): string[] {
  const nothing: Progress = { done: [], running: [], paused: [], failed: [], resumed: [] };
  return pickReady(plan, { ...nothing, ...progress }, capacity).map(({ id }) => id);
}

describe("the seed's example of two stocks", () => {
  const plan = fixture('equity-research');

  it('CA-E01, CA-012, CA-013: has the printed timetable', () => {
    expect(timetable(plan)).toEqual({
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

  it('CA-E02: has the critical path screening, business, financial, valuation, report and marks only its tasks', () => {
    const { criticalPath, tasks } = schedule(plan);
    expect(criticalPath).toEqual([
      'AAPL/screening',
      'AAPL/business',
      'AAPL/financial',
      'AAPL/valuation',
      'AAPL/report',
    ]);
    expect(tasks.filter(({ critical }) => critical).map(({ task }) => task)).toEqual(criticalPath);
  });

  it('CA-E03, CA-011: takes 9 units instead of 18 in sequence, a factor of 2', () => {
    expect(schedule(plan)).toMatchObject({
      plan: 'equity-research',
      makespan: 9,
      work: 20,
      sequential: 18,
      parallelismFactor: 2,
    });
  });

  it('CA-E04: has valuation as its bottleneck; with two valuation agents it takes 8 and has no bottleneck', () => {
    expect(schedule(plan).bottleneck).toBe('valuation');
    expect(schedule(fixture('equity-research', { capacity: { ...CAPACITY, valuation: 2 } }))).toMatchObject({
      makespan: 8,
      bottleneck: null,
    });
  });

  it('CA-E05: writes the report of AAPL at 7 without the barrier, and still takes 9', () => {
    const open = { ...plan, tasks: plan.tasks.map((task) => ({ ...task, barrier: false as const })) };
    expect(timetable(open)).toMatchObject({ 'AAPL/report': [7, 8], 'MSFT/report': [8, 9] });
    expect(schedule(open).makespan).toBe(9);
  });

  it('takes 9 with the graph as the seed draws it, with the critical path through strategy (X-16)', () => {
    const { makespan, criticalPath, bottleneck } = schedule(fixture('drawn-graph'));
    expect({ makespan, bottleneck }).toEqual({ makespan: 9, bottleneck: 'valuation' });
    expect(criticalPath).toEqual([
      'AAPL/screening',
      'AAPL/financial',
      'AAPL/strategy',
      'AAPL/valuation',
      'AAPL/report',
    ]);
  });
});

describe('a schedule', () => {
  it('sums all durations for the sequential time if no agent type of the plan has a capacity (X-17, X-18)', () => {
    expect(schedule(fixture('equity-research', { capacity: { other: 1 } }))).toMatchObject({
      makespan: 8,
      sequential: 20,
      parallelismFactor: 2.5,
    });
  });

  it('CA-012, CA-015: prefers the critical path, then the longest remaining path, then file order', () => {
    const plan = planOf({
      capacity: { one: 1 },
      tasks: [
        { id: 'short', agent: 'one', duration: 1 },
        { id: 'late', agent: 'one', duration: 1 },
        { id: 'middle', agent: 'one', duration: 1 },
        { id: 'middle-end', agent: 'free', duration: 4, after: ['middle'] },
        { id: 'critical', agent: 'one', duration: 1 },
        { id: 'critical-end', agent: 'free', duration: 9, after: ['critical'] },
      ],
    });
    expect(timetable(plan)).toMatchObject({ critical: [0, 1], middle: [1, 2], short: [2, 3], late: [3, 4] });
  });

  it('CA-015: prefers the critical path even to a longer remaining path', () => {
    const plan = planOf({
      capacity: { one: 1 },
      tasks: [
        { id: 'first', agent: 'free', duration: 1 },
        { id: 'long', agent: 'one', duration: 4, after: ['first'] },
        { id: 'waiting', agent: 'one', duration: 2, after: ['first'] },
        { id: 'critical', agent: 'free', duration: 5 },
        { id: 'critical-end', agent: 'one', duration: 1, after: ['critical'] },
      ],
    });
    expect(timetable(plan)).toMatchObject({ long: [1, 5], 'critical-end': [5, 6], waiting: [6, 8] });
  });

  it('names the capped agent type with the longest total wait as bottleneck, the first in the file on a tie', () => {
    const tasks = ['x', 'x', 'y', 'y', 'z', 'z', 'z'].map((agent, index) => ({
      id: `t${index}`,
      agent,
      duration: agent === 'z' ? 1 : 3,
    }));
    expect(schedule(planOf({ capacity: { y: 1, x: 1, z: 1 }, tasks })).bottleneck).toBe('y');
  });

  it('allows tasks of zero duration (X-18)', () => {
    const plan = planOf({
      capacity: { a: 1 },
      tasks: [
        { id: 'z', agent: 'a', duration: 0 },
        { id: 'y', agent: 'a', duration: 0, after: ['z'] },
      ],
    });
    expect(schedule(plan)).toMatchObject({ makespan: 0, work: 0, parallelismFactor: 1, bottleneck: null });
  });

  it('adds decimal durations without drift: 0.1 plus 0.2 ends together with 0.3', () => {
    const plan = planOf({
      tasks: [
        { id: 'a', agent: 'x', duration: 0.1 },
        { id: 'b', agent: 'x', duration: 0.2, after: ['a'] },
        { id: 'c', agent: 'x', duration: 0.3 },
        { id: 'd', agent: 'x', duration: 1, after: ['b', 'c'] },
      ],
    });
    expect(timetable(plan)['d']).toEqual([0.3, 1.3]);
  });

  /** Tasks of five stages behind one barrier. */
  const staged = (items: number) =>
    planOf({
      capacity: { collect: 50, analyse: 4 },
      stages: {
        collect: { agent: 'collect', duration: 1 },
        clean: { agent: 'clean', duration: 1, after: ['collect'] },
        analyse: { agent: 'analyse', duration: 1, after: ['clean'] },
        check: { agent: 'check', duration: 0, after: ['analyse'] },
        report: { agent: 'report', duration: 1, after: ['check'], barrier: true },
      },
      items: Array.from({ length: items }, (_, index) => `item${index}`),
    });

  it('is computed for 2,000 tasks behind one barrier', () => {
    const { tasks, makespan, bottleneck } = schedule(staged(400));
    // The first analysis begins at 2; 400 of them, 4 at a time, take 100; one report after the last.
    expect({ tasks: tasks.length, makespan, bottleneck }).toEqual({
      tasks: 2_000,
      makespan: 103,
      bottleneck: 'analyse',
    });
  });

  it('costs some ten times as much for ten times as many tasks', async () => {
    const [small, large] = [staged(200), staged(2_000)];
    const ratio = await ratioOf(
      () => schedule(large),
      () => schedule(small),
    );
    // A cost by the square of the number would be a hundred times as much.
    expect(ratio).toBeLessThan(40);
  });
});

describe('any schedule', () => {
  it('CA-012: never exceeds a capacity', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { tasks } = schedule(plan);
        return tasks.every(
          ({ agent, start }) => runningAt(tasks, agent, start).length <= capacityOf(plan.capacity, agent),
        );
      }),
    );
  });

  it('CA-012: never starts a task before its dependencies end, nor before its barrier opens', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const times = timetable(plan);
        return plan.tasks.every(({ id }) => times[id]![0] >= readyAt(plan, times, id));
      }),
    );
  });

  it('CA-014: lets no ready task wait while its agent type has a free place', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { tasks } = schedule(plan);
        const times = timetable(plan);
        const moments = [...new Set(tasks.flatMap(({ start, end }) => [start, end]))];
        return tasks.every(({ task, agent, start }) =>
          moments
            .filter((moment) => moment >= readyAt(plan, times, task) && moment < start)
            .every((moment) => runningAt(tasks, agent, moment).length === capacityOf(plan.capacity, agent)),
        );
      }),
    );
  });

  it('CA-009: keeps critical path <= makespan <= work', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const { criticalPath, makespan, work, tasks } = schedule(plan);
        const length = tasks
          .filter(({ critical }) => critical)
          .reduce((sum, { start, end }) => addTime(sum, end - start), 0);
        expect(tasks.filter(({ critical }) => critical).map(({ task }) => task)).toEqual(criticalPath);
        return length <= makespan && makespan <= work;
      }),
    );
  });

  it('CA-012: is deterministic', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(schedule(structuredClone(plan))).toEqual(schedule(plan));
      }),
    );
  });

  it('CA-012: equals what the coordinator starts when it picks again after every completion', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(pickedOneByOne(plan)).toEqual(schedule(plan).tasks.map(({ task, start }) => ({ task, start })));
      }),
    );
  });
});

describe('picking the tasks to start', () => {
  const plan = fixture('equity-research', { items: ['AAPL', 'MSFT', 'GOOG'] });
  const upTo = (stage: string, items: string[]): string[] => {
    const stages = ['screening', 'business', 'financial', 'strategy', 'valuation', 'report'];
    return items.flatMap((item) => stages.slice(0, stages.indexOf(stage) + 1).map((name) => `${item}/${name}`));
  };

  it('begins with tasks without dependencies, within their capacities', () => {
    expect(picked(plan, {})).toEqual(['AAPL/screening', 'MSFT/screening', 'GOOG/screening']);
    expect(picked(plan, { running: ['AAPL/screening'] }, { screening: 2 })).toEqual(['MSFT/screening']);
  });

  it('CA-015: skips an unavailable agent type, and starts the other tasks', () => {
    expect(picked(plan, { done: upTo('business', ['AAPL']) }, { ...CAPACITY, screening: 0 })).toEqual([
      'AAPL/financial',
      'AAPL/strategy',
    ]);
  });

  it('starts nothing if more tasks run than a lowered capacity allows', () => {
    expect(picked(plan, { running: ['AAPL/screening', 'MSFT/screening'] }, { screening: 1 })).toEqual([]);
  });

  it('CA-028: starts nothing of a paused or failed item and goes on with the others', () => {
    expect(picked(plan, { paused: ['AAPL'], failed: ['MSFT'] })).toEqual(['GOOG/screening']);
  });

  it('keeps a barrier closed while an item is on its way to it', () => {
    const done = [...upTo('valuation', ['AAPL', 'MSFT']), ...upTo('strategy', ['GOOG'])];
    expect(picked(plan, { done, running: ['GOOG/valuation'] })).toEqual([]);
    expect(picked(plan, { done: [...done, 'GOOG/valuation'] })).toEqual(['AAPL/report', 'MSFT/report', 'GOOG/report']);
  });

  it('opens a barrier once every item that is neither paused nor failed has reached it', () => {
    const done = [...upTo('valuation', ['AAPL']), ...upTo('strategy', ['MSFT'])];
    expect(picked(plan, { done, running: ['MSFT/valuation'], paused: ['GOOG'] })).toEqual([]);
    expect(picked(plan, { done, running: ['MSFT/valuation'], paused: ['GOOG', 'MSFT'] })).toEqual(['AAPL/report']);
    expect(picked(plan, { done, paused: ['GOOG'], failed: ['MSFT'] })).toEqual(['AAPL/report']);
  });

  it('lets a resumed item pass a barrier alone, once it has reached it', () => {
    const done = upTo('strategy', ['AAPL', 'MSFT']);
    const progress = { running: ['MSFT/valuation'], paused: ['GOOG'], resumed: ['AAPL'] };
    expect(picked(plan, { ...progress, done })).toEqual([]);
    expect(picked(plan, { ...progress, done: [...done, 'AAPL/valuation'] })).toEqual(['AAPL/report']);
  });

  it('keeps a barrier closed to the other items while a resumed item has not reached it', () => {
    const done = [...upTo('valuation', ['AAPL', 'MSFT']), ...upTo('business', ['GOOG'])];
    const running = ['GOOG/financial', 'GOOG/strategy'];
    expect(picked(plan, { done, running, resumed: ['GOOG'] })).toEqual([]);
  });

  it('pauses a task of a plan of tasks by its own id', () => {
    const listed = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x' },
        { id: 'c', agent: 'x', after: ['b'] },
      ],
    });
    expect(picked(listed, { paused: ['a'] })).toEqual(['b']);
    expect(picked(listed, { done: ['b'], paused: ['a'] })).toEqual(['c']);
  });
});

/** Tasks that hold a place at a moment; a task of zero duration holds none. */
function runningAt(tasks: readonly ScheduledTask[], agent: string, moment: number): readonly ScheduledTask[] {
  return tasks.filter((task) => task.agent === agent && task.start <= moment && moment < task.end);
}

function readyAt(plan: Plan, times: Record<string, [number, number]>, id: string): number {
  const { after, barrier } = plan.tasks.find((task) => task.id === id)!;
  const awaited = plan.tasks
    .filter(({ stage }) => barrier !== false && stage !== null && barrier.includes(stage))
    .map((task) => task.id);
  return [...after, ...awaited].reduce((latest, dependency) => Math.max(latest, times[dependency]![1]), 0);
}

/** A coordinator without memory: asks a new dispatcher each time something ends. */
function pickedOneByOne(plan: Plan): { task: string; start: number }[] {
  const started: { task: string; start: number }[] = [];
  const done: string[] = [];
  const running = new Map<string, number>();
  let now = 0;
  for (;;) {
    for (const { id, duration } of pickReady(plan, {
      done,
      running: running.keys(),
      paused: [],
      failed: [],
      resumed: [],
    })) {
      started.push({ task: id, start: now });
      running.set(id, addTime(now, duration));
    }
    if (running.size === 0) return started;
    now = Math.min(...running.values());
    for (const [id, end] of running) {
      if (end !== now) continue;
      running.delete(id);
      done.push(id);
    }
  }
}
