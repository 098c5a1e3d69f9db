/** What a paused item does when it goes on (spec CA-043..CA-047). */
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
  it('CA-E08: restarts what failed and all behind it, skips what is complete, waits for what runs beside it', () => {
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

  it('CA-045: is made for one item and leaves the others alone', () => {
    const plan = fixture('equity-research');
    const completed = ['AAPL/screening', 'AAPL/business', 'AAPL/strategy', 'MSFT/screening'];
    expect(createResumePlan(plan, 'AAPL', ['AAPL/financial', 'MSFT/business'], { completed, running: [] })).toEqual({
      skip: ['AAPL/screening', 'AAPL/business', 'AAPL/strategy'],
      restart: ['AAPL/financial', 'AAPL/valuation', 'AAPL/report'],
      wait: [],
    });
  });

  it('CA-045: covers a whole plan of tasks where no item is named', () => {
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

  it('CA-044: takes the word of a failure over that of the checkpoint', () => {
    const { tasks } = planOf({
      tasks: [
        { id: 'a', agent: 'x' },
        { id: 'b', agent: 'x', after: ['a'] },
      ],
    });
    expect(resolveDependencies(tasks, ['a'], { completed: ['a', 'b'], running: [] }).restart).toEqual(['a', 'b']);
  });

  it('CA-044: runs what has failed, whatever else is said of it, and waits for nothing that is complete', () => {
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

  it('CA-045: of an item waits for no task of another one', () => {
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

  it('CA-045: is made for nothing but an item of the plan', () => {
    const plan = fixture('equity-research');
    expect(() => createResumePlan(plan, 'TSLA', [], { completed: [], running: [] })).toThrow(/an item of the plan/);
  });

  it('runs again what was built on a task that is not complete', () => {
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

  it(
    'CA-047: sorts every task into exactly one of three sets, and nothing behind a restarted task is skipped or ' +
      'waited for',
    () => {
      fc.assert(
        fc.property(checkpoints, ({ plan, failed, completed, running }) => {
          const { restart, skip, wait } = createResumePlan(plan, null, failed, { completed, running });
          expect([...restart, ...skip, ...wait].sort()).toEqual(plan.tasks.map(({ id }) => id).sort());
          expect(completed).toEqual(expect.arrayContaining([...skip]));
          expect(running).toEqual(expect.arrayContaining([...wait]));
          expect(restart).toEqual(expect.arrayContaining(failed));
          const again = new Set(restart);
          return plan.tasks.every(
            ({ id, after }) => again.has(id) || !after.some((dependency) => again.has(dependency)),
          );
        }),
      );
    },
  );

  it('CA-043: lists tasks in an order in which they may run', () => {
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

describe('a resume plan made by somebody else', () => {
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

  it('CA-047: can be carried out as it is where it keeps the rules, whatever more it runs again', () => {
    expect(flaw({})).toBe(undefined);
    expect(flaw({ restart: ['b', 'c', 'd'], skip: ['a'], wait: [] })).toBe(undefined);
  });

  it('CA-047: names every task of the item once, and no other', () => {
    expect(flaw({ restart: ['c', 'z'] })).toBe('z is no task of the item');
    const once = 'every task of the item is in one of the three lists, and in one only';
    expect(flaw({ wait: [] })).toBe(once);
    expect(flaw({ restart: ['c', 'd'] })).toBe(once);
    expect(flaw({ restart: ['d'] })).toBe(once);
  });

  it('CA-047: skips nothing that is not complete', () => {
    expect(flaw({ restart: [], skip: ['a', 'b', 'c'] })).toBe('c is not complete and cannot be skipped');
    expect(flaw({}, ['b'])).toBe('b is not complete and cannot be skipped');
  });

  it('CA-047: waits for nothing that does not run', () => {
    expect(flaw({ skip: ['a'], wait: ['b', 'd'] })).toBe('b does not run and cannot be waited for');
  });

  it('CA-047: neither skips nor waits for what is built on a task that runs again', () => {
    expect(flaw({ restart: ['a', 'c'], skip: ['b'] })).toBe('b waits for a task that runs again');
    const running = { completed: [], running: ['b', 'd'] };
    const given = { restart: ['a', 'c'], skip: [], wait: ['b', 'd'] };
    expect(flawOfPlan(given, tasks, [], running)).toBe('b waits for a task that runs again');
  });
});
