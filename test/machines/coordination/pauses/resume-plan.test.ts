/** Resume plans: the tasks that a paused item restarts, skips and waits for when it goes on (CA-043..CA-047). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createResumePlan,
  resolveDependencies,
  flawOfPlan,
} from '../../../../src/machines/coordination/pauses/resume-plan.ts';
import { type ResumePlan } from '../../../../src/machines/coordination/messages/messages.ts';
import { fixture, listedPlans, planOf } from '../../../support/fixtures/plans/plans.ts';

const STATES = ['completed', 'running', 'failed', 'not started'] as const;

/** A plan and any state of each of its tasks, contradictions included. */
const checkpoints = listedPlans.chain((plan) =>
  fc.array(fc.constantFrom(...STATES), { minLength: plan.tasks.length, maxLength: plan.tasks.length }).map((states) => {
    const inState = (state: (typeof STATES)[number]): string[] =>
      plan.tasks.filter((_, index) => states[index] === state).map(({ id }) => id);
    return { plan, failed: inState('failed'), completed: inState('completed'), running: inState('running') };
  }),
);

describe('a resume plan', () => {
  it('CA-E08: restarts the failed task and its dependents, skips completed tasks, waits for running ones', () => {
    const { tasks } = planOf({
      tasks: [
        { id: 'screening', agent: 'screening' },
        { id: 'business', agent: 'business', after: ['screening'] },
        { id: 'financial', agent: 'financial', after: ['business'] },
        { id: 'strategy', agent: 'strategy', after: ['financial'] },
        { id: 'news', agent: 'news', after: ['screening'] },
        { id: 'valuation', agent: 'valuation', after: ['financial', 'strategy', 'news'] },
        { id: 'report', agent: 'report', after: ['valuation'] },
      ],
    });
    expect(
      resolveDependencies(tasks, ['financial'], {
        completed: ['screening', 'business'],
        running: ['strategy', 'news'],
      }),
    ).toEqual({
      skip: ['screening', 'business'],
      restart: ['financial', 'strategy', 'valuation', 'report'],
      wait: ['news'],
    });
  });

  it('CA-045: is made for one item, and leaves other items alone', () => {
    const plan = fixture('equity-research');
    const completed = ['AAPL/screening', 'AAPL/business', 'AAPL/strategy', 'MSFT/screening'];
    expect(createResumePlan(plan, 'AAPL', ['AAPL/financial', 'MSFT/business'], { completed, running: [] })).toEqual({
      skip: ['AAPL/screening', 'AAPL/business', 'AAPL/strategy'],
      restart: ['AAPL/financial', 'AAPL/valuation', 'AAPL/report'],
      wait: [],
    });
  });

  it('CA-045: covers a whole plan of tasks if no item is named', () => {
    const plan = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x' },
        { id: 'c', agent: 'x', after: ['b'] },
      ],
    });
    expect(createResumePlan(plan, null, ['b'], { completed: ['a'], running: [] })).toEqual({
      skip: ['a'],
      restart: ['b', 'c'],
      wait: [],
    });
  });

  it('CA-044: restarts a failed task even if the checkpoint lists it as completed', () => {
    const { tasks } = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x', after: ['a'] },
      ],
    });
    expect(resolveDependencies(tasks, ['a'], { completed: ['a', 'b'], running: [] }).restart).toEqual(['a', 'b']);
  });

  it('CA-044: treats a task as failed before completed, and as completed before running', () => {
    const plan = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x' },
        { id: 'c', agent: 'x' },
      ],
    });
    expect(createResumePlan(plan, null, ['a', 'b'], { completed: ['a', 'c'], running: ['b', 'c'] })).toEqual({
      skip: ['c'],
      restart: ['a', 'b'],
      wait: [],
    });
  });

  it('CA-045: waits for no task of another item', () => {
    const plan = planOf({
      stages: {
        collect: { agent: 'x', duration: 1 },
        report: { agent: 'x', duration: 1, after: ['collect'] },
      },
      items: ['A', 'B'],
    });
    const mixed = {
      ...plan,
      tasks: plan.tasks.map((task) => (task.id === 'B/collect' ? { ...task, after: ['A/collect'] } : task)),
    };
    expect(createResumePlan(mixed, 'B', ['A/collect'], { completed: ['B/collect'], running: [] })).toEqual({
      skip: ['B/collect'],
      restart: ['B/report'],
      wait: [],
    });
  });

  it('CA-045: is made only for an item of the plan', () => {
    const plan = fixture('equity-research');
    expect(() => createResumePlan(plan, 'TSLA', [], { completed: [], running: [] })).toThrow(/an item of the plan/);
  });

  it('restarts a task whose dependency is not complete', () => {
    const { tasks } = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x', after: ['a'] },
      ],
    });
    expect(resolveDependencies(tasks, [], { completed: ['b'], running: ['a'] })).toEqual({
      skip: [],
      restart: ['b'],
      wait: ['a'],
    });
  });

  it('CA-047: puts every task into exactly one of three lists, and restarts all dependents of a restarted task', () => {
    fc.assert(
      fc.property(checkpoints, ({ plan, failed, completed, running }) => {
        const { restart, skip, wait } = createResumePlan(plan, null, failed, { completed, running });
        expect([...restart, ...skip, ...wait].sort()).toEqual(plan.tasks.map(({ id }) => id).sort());
        expect(completed).toEqual(expect.arrayContaining([...skip]));
        expect(running).toEqual(expect.arrayContaining([...wait]));
        expect(restart).toEqual(expect.arrayContaining(failed));
        const again = new Set(restart);
        return plan.tasks.every(({ id, after }) => again.has(id) || !after.some((dependency) => again.has(dependency)));
      }),
    );
  });

  it('CA-043: lists tasks in an order in which they can run', () => {
    fc.assert(
      fc.property(listedPlans, (plan) => {
        const { restart } = createResumePlan(plan, null, [], { completed: [], running: [] });
        const place = new Map(restart.map((id, index) => [id, index]));
        return plan.tasks.every(({ id, after }) =>
          after.every((dependency) => place.get(dependency)! < place.get(id)!),
        );
      }),
    );
  });
});

describe('a resume plan supplied by a caller', () => {
  const { tasks } = planOf({
    tasks: [
      { id: 'a', agent: 'x' },
      { id: 'b', agent: 'x', after: ['a'] },
      { id: 'c', agent: 'x', after: ['b'] },
      { id: 'd', agent: 'x' },
    ],
  });
  const checkpoint = { completed: ['a', 'b'], running: ['d'] };
  const flaw = (given: Partial<ResumePlan>, failed: readonly string[] = []) =>
    flawOfPlan({ restart: ['c'], skip: ['a', 'b'], wait: ['d'], ...given }, tasks, failed, checkpoint);

  it('CA-047: is accepted if it keeps the rules, even if it restarts more than necessary', () => {
    expect(flaw({})).toBe(undefined);
    expect(flaw({ restart: ['b', 'c', 'd'], skip: ['a'], wait: [] })).toBe(undefined);
  });

  it('CA-047: must name every task of the item once, and no other task', () => {
    expect(flaw({ restart: ['c', 'z'] })).toBe('z is no task of the item');
    const once = 'every task of the item must be in exactly one of the three lists';
    expect(flaw({ wait: [] })).toBe(once);
    expect(flaw({ restart: ['c', 'd'] })).toBe(once);
    expect(flaw({ restart: ['d'] })).toBe(once);
  });

  it('CA-047: must not skip a task that is not complete', () => {
    expect(flaw({ restart: [], skip: ['a', 'b', 'c'] })).toBe('c is not complete and cannot be skipped');
    expect(flaw({}, ['b'])).toBe('b is not complete and cannot be skipped');
  });

  it('CA-047: must not wait for a task that is not running', () => {
    expect(flaw({ skip: ['a'], wait: ['b', 'd'] })).toBe('b does not run and cannot be waited for');
  });

  it('CA-047: must neither skip nor wait for a task whose dependency runs again', () => {
    expect(flaw({ restart: ['a', 'c'], skip: ['b'] })).toBe('b waits for a task that runs again');
    const running = { completed: [], running: ['b', 'd'] };
    const given = { restart: ['a', 'c'], skip: [], wait: ['b', 'd'] };
    expect(flawOfPlan(given, tasks, [], running)).toBe('b waits for a task that runs again');
  });
});
