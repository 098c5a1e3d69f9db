/** A plan as the page shows it: read off its coordinator, and laid out in time by the same rule as the schedule's. */
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlanFile } from '../../src/cli/plan-file.ts';
import { planProgress } from '../../src/inspector/plan/plan-progress.ts';
import { lanesOf, timetable } from '../../src/inspector/plan/timetable.ts';
import { normalisePlan, type Plan, planFileSchema } from '../../src/machines/coordination/plan/plan.ts';
import { schedule } from '../../src/machines/coordination/plan/schedule.ts';

const EQUITY = fileURLToPath(new URL('../../examples/equity-research/plan.yaml', import.meta.url));

const slots = (plan: Plan) =>
  timetable(plan)
    .map(({ task, start, end }) => `${task.id} ${start} ${end}`)
    .sort();
const scheduled = (plan: Plan) =>
  schedule(plan)
    .tasks.map(({ task, start, end }) => `${task} ${start} ${end}`)
    .sort();

describe('the timetable', () => {
  it('is that of `bosun schedule`, for the example', async () => {
    const { plan } = await readPlanFile({ file: EQUITY, cwd: '/' });
    expect(slots(plan)).toEqual(scheduled(plan));
  });

  it('is that of `bosun schedule`, for plans of any stages, capacities and barriers', () => {
    const stage = fc.record({
      agent: fc.constantFrom('a', 'b', 'c'),
      duration: fc.constantFrom(0, 0.1, 1, 2.5, 3),
      waits: fc.array(fc.nat(4), { maxLength: 2 }),
      barrier: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(stage, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 2 })),
        (all, count, capacity) => {
          const stages = Object.fromEntries(
            all.map(({ agent, duration, waits, barrier }, index) => {
              const after = [...new Set(waits.filter((other) => other < index))].map((other) => `s${other}`);
              return [`s${index}`, { agent, duration, after, barrier: barrier && after.length > 0 }];
            }),
          );
          const { plan } = normalisePlan(
            planFileSchema.parse({
              version: 1,
              plan: 'p',
              capacity,
              stages,
              items: Array.from({ length: count }, (_, n) => `i${n}`),
            }),
          ) as { readonly plan: Plan };
          expect(slots(plan)).toEqual(scheduled(plan));
        },
      ),
    );
  });

  it('puts what overlaps into lanes, and no more of them than that takes', () => {
    const task = { id: 't', item: 'i', stage: 's', agent: 'a', duration: 1, after: [], barrier: false } as const;
    const { slots: placed, count } = lanesOf(
      [
        [0, 2],
        [2, 4],
        [1, 3],
        [3, 5],
        [5, 5],
      ].map(([start, end]) => ({ task, start: start!, end: end! })),
    );
    expect([count, placed.map(({ start, lane }) => `${start}:${lane}`)]).toEqual([
      2,
      ['0:0', '1:1', '2:0', '3:1', '5:0'],
    ]);
    expect(lanesOf([]).count).toBe(1);
  });
});

describe('progress', () => {
  const task = (item: string, stage: string) => ({
    id: `${item}/${stage}`,
    item,
    stage,
    agent: stage,
    duration: 1,
    after: [],
    barrier: false,
  });
  const plan = {
    name: 'p',
    unit: 'minutes',
    capacity: {},
    tasks: [task('A', 'x'), task('A', 'y'), task('B', 'x'), task('B', 'y')],
  };

  it('is what the coordinator knows of each item', () => {
    const progress = planProgress({
      plan,
      'item:A': { phase: 'running', done: ['A/x'], running: ['A/y'], failed: [], reason: null },
      'item:B': {
        phase: 'paused',
        done: [],
        running: [],
        failed: [{ task: 'B/x', error: 'no data' }],
        reason: 'B/x failed: no data',
      },
    })!;
    expect(progress).toMatchObject({ stages: ['x', 'y'], done: 1, running: 1, total: 4 });
    expect(
      progress.items.map(({ item, phase, reason, tasks }) => [
        item,
        phase,
        reason,
        ...[...tasks.values()].map(({ state }) => state),
      ]),
    ).toEqual([
      ['A', 'running', null, 'done', 'running'],
      ['B', 'paused', 'B/x failed: no data', 'failed', 'waiting'],
    ]);
    expect(progress.items[1]!.tasks.get('x')!.error).toBe('no data');
  });

  it('says of an item that it is completed when all of it is, and of one that nobody touched that it waits', () => {
    const { items } = planProgress({
      plan,
      'item:A': { phase: 'running', done: ['A/x', 'A/y'], running: [], failed: [], reason: null },
    })!;
    expect(items.map(({ phase, done, total }) => [phase, done, total])).toEqual([
      ['completed', 2, 2],
      ['running', 0, 2],
    ]);
  });

  it('has in a plan of tasks an item for each, and knows what is no plan', () => {
    const { items, stages } = planProgress({
      plan: { ...plan, tasks: [{ ...task('A', 'x'), id: 'a', item: null, stage: null }] },
    })!;
    expect([stages, items.map(({ item }) => item)]).toEqual([[], ['a']]);
    expect([planProgress(null), planProgress({ count: 1 }), planProgress({ plan: {} })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
