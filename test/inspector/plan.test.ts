/** A plan as the page shows it: read from its coordinator, and laid out in time by the schedule of a selector. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PLAN_SELECTORS } from '../../src/cli/reach/front-door.ts';
import { readPlanFile } from '../../src/cli/files/plan-file.ts';
import { lanesOf } from '../../src/inspector/plan/gantt-lanes.ts';
import { type CoordinatorShown, phaseBadge, planProgress } from '../../src/inspector/plan/plan-progress.ts';
import {
  type ItemGate,
  type ItemPhase,
  type ItemProgress,
  questionsOf,
  toldPhase,
  UNTOUCHED,
} from '../../src/machines/coordination/coordinator/progress.ts';
import { schedule, type ScheduledTask } from '../../src/machines/coordination/plan/schedule.ts';

const EQUITY = fileURLToPath(new URL('../../examples/equity-research/plan.yaml', import.meta.url));

describe('the timetable', () => {
  it('comes from a selector, and equals the output of `bosun schedule`', async () => {
    const { plan } = await readPlanFile({ file: EQUITY, cwd: '/' });
    const { tasks }: { readonly tasks: readonly ScheduledTask[] } = PLAN_SELECTORS['lead-coordinator']!.schedule({
      plan,
    });
    expect(tasks).toEqual(schedule(plan).tasks);
    expect(tasks.some(({ critical }) => critical)).toBe(true);
  });

  it('puts overlapping tasks into as few lanes as possible', () => {
    const bar = { task: 't', item: 'i', stage: 's', agent: 'a', critical: false };
    const { slots: placed, count } = lanesOf(
      [
        [0, 2],
        [2, 4],
        [1, 3],
        [3, 5],
        [5, 5],
      ].map(([start, end]) => ({ ...bar, start: start!, end: end! })),
    );
    expect([count, placed.map(({ start, lane }) => `${start}:${lane}`)]).toEqual([
      2,
      ['0:0', '1:1', '2:0', '3:1', '5:0'],
    ]);
    expect(lanesOf([]).count).toBe(1);
  });
});

/** The progress in a context as it comes off a wire. */
const progressOf = (context: object | null) => planProgress(context as CoordinatorShown | null);

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

  const viewOf = (rows: Readonly<Record<string, object>>) => ({ size: Object.keys(rows).length, rows, next: null });

  it('shows the record of the coordinator for each item', () => {
    const progress = progressOf({
      plan,
      tally: { running: 1, done: 1, lost: 0, undecided: 0 },
      items: viewOf({
        A: { phase: 'running', done: ['A/x'], running: ['A/y'], failed: [], reason: null },
        B: {
          phase: 'paused',
          done: [],
          running: [],
          failed: [{ task: 'B/x', error: 'no data' }],
          reason: 'B/x failed: no data',
        },
      }),
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

  it('includes an item whose record is too large for a row, and totals over items out of view', () => {
    const wide = { phase: 'paused', done: ['A/x'], running: [], failed: [], reason: 'why' };
    const tally = { running: 7, done: 100, lost: 0, undecided: 0 };
    const index = { size: 1, rows: { A: 2 }, next: null };
    const slots = { 'items/slots': index, 'items/free': 1, 'items/1': 0, 'items/2': { key: 'A', row: wide } };
    const shown = progressOf({ plan, tally, items: viewOf({}), ...slots })!;
    expect(progressOf({ plan, tally, items: viewOf({}), 'items:A': wide })).toEqual(shown);
    expect(shown.items[0]).toMatchObject({ phase: 'paused', done: 1 });
    expect([shown.done, shown.running]).toEqual([100, 7]);
  });

  it.each<ItemPhase>(['running', 'pausing', 'paused', 'failed', 'expired'])('shows an item that is %s', (phase) => {
    const { items } = progressOf({
      plan,
      items: viewOf({
        A: { phase, done: [], running: [], failed: [{ task: 'A/x', error: 'no data' }], reason: 'why' },
      }),
    })!;
    expect(items[0]).toMatchObject({ phase, reason: 'why' });
    expect(phaseBadge(items[0]!.phase).sign).not.toBe(phaseBadge('dreaming').sign);
  });

  it('shows an unknown phase by its name', () => {
    expect(phaseBadge('dreaming')).toEqual({ words: 'dreaming', sign: '\u00b7', tone: 'calm', order: null });
  });

  it('shows an item that waits for people with its gates, even if it has unfinished tasks (N4)', () => {
    const gate = (id: string, state: ItemGate['state']): ItemGate => ({
      ...{ gate: id, id: `plan.${id}.1`, state },
      ...{ audience: ['*'], openedAtMs: 0, answeredAfterMs: null },
    });
    const gates = { G2: gate('G2', 'validated'), G3: gate('G3', 'waiting') };
    const row = { phase: 'running', running: [], failed: [], reason: null, gates };
    const { items } = progressOf({
      plan,
      items: viewOf({ A: { ...row, done: ['A/x'] }, B: { ...row, done: ['B/x', 'B/y'] } }),
    })!;
    const asks = [{ view: 'gates', id: 'plan.G3.1' }];
    expect(items.map(({ phase, asks: open }) => [phase, open])).toEqual([
      ['waitingForHuman', asks],
      ['waitingForHuman', asks],
    ]);
    expect(phaseBadge('waitingForHuman').words).toBe('waits for people');
  });

  it('shows the same phase of an item as the coordinator (N4)', () => {
    const phases: readonly ItemPhase[] = ['running', 'pausing', 'paused', 'failed', 'expired'];
    const states: readonly (ItemGate['state'] | undefined)[] = [undefined, 'waiting', 'validated', 'timedOut'];
    for (const phase of phases)
      for (const state of states)
        for (const done of [[], ['A/x'], ['A/x', 'A/y']]) {
          const gate = { gate: 'G3', id: 'plan.G3.1', audience: ['*'], openedAtMs: 0, answeredAfterMs: null };
          for (const tickets of [{}, { 'TK-0001': 'A/y' }]) {
            const known: ItemProgress = {
              ...UNTOUCHED,
              ...{ phase, done, tickets, gates: state === undefined ? {} : { G3: { ...gate, state } } },
            };
            const [shown] = progressOf({ plan, items: viewOf({ A: known }) })!.items;
            expect([shown!.phase, shown!.asks.map(({ id }) => id)]).toEqual([toldPhase(known, 2), questionsOf(known)]);
          }
        }
  });

  it('shows an item as completed when all its tasks are done, and an item without a record as running', () => {
    const { items } = progressOf({
      plan,
      items: viewOf({ A: { phase: 'running', done: ['A/x', 'A/y'], running: [], failed: [], reason: null } }),
    })!;
    expect(items.map(({ phase, done, total }) => [phase, done, total])).toEqual([
      ['completed', 2, 2],
      ['running', 0, 2],
    ]);
  });

  it('has an item for each task in a plan of tasks, and is undefined for data that is not a plan', () => {
    const { items, stages } = progressOf({
      plan: { ...plan, tasks: [{ ...task('A', 'x'), id: 'a', item: null, stage: null }] },
    })!;
    expect([stages, items.map(({ item }) => item)]).toEqual([[], ['a']]);
    expect([progressOf(null), progressOf({ count: 1 }), progressOf({ plan: {} })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
