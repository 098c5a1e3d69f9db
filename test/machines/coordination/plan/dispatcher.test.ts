/** The incremental dispatcher: after any events it equals a new dispatcher that is given the current state. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planIndexOf } from '../../../../src/machines/coordination/plan/plan-index.ts';
import {
  Dispatcher,
  type PlanProgress,
  type ItemStanding,
} from '../../../../src/machines/coordination/plan/dispatcher.ts';
import { itemOf } from '../../../../src/machines/work/task.ts';
import { type Plan } from '../../../../src/machines/coordination/plan/plan.ts';
import { forecast, schedule } from '../../../../src/machines/coordination/plan/schedule.ts';
import { planOf, plans } from '../../../support/fixtures/plans/plans.ts';
import { byEffort, LONG } from '../../../support/effort.ts';
import { ratioOf } from '../../../support/processor-time.ts';

/** The current state, kept in plain sets and maps. */
class Ledger {
  readonly done = new Set<string>();
  readonly running = new Set<string>();
  readonly standings = new Map<string, ItemStanding>();
  capacity: Record<string, number>;

  constructor(plan: Plan) {
    this.capacity = { ...plan.capacity };
  }

  position(): PlanProgress {
    return {
      done: [...this.done],
      running: [...this.running],
      standings: [...this.standings],
      capacity: this.capacity,
    };
  }
}

interface Step {
  readonly what: 'complete' | 'stop' | 'reopen' | 'place' | 'capacity';
  readonly pick: number;
  readonly standing: ItemStanding;
  readonly places: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom('complete', 'complete', 'complete', 'stop', 'reopen', 'place', 'capacity'),
    pick: fc.nat(),
    standing: fc.record({ starts: fc.boolean(), awaited: fc.boolean(), alone: fc.boolean() }),
    places: fc.nat(3),
  }),
  { maxLength: 40 },
);

/** Applies the step to ledger and dispatcher, if there is a task that it can apply to. */
function take({ what, pick, standing, places }: Step, plan: Plan, ledger: Ledger, dispatcher: Dispatcher): void {
  const oneOf = (values: readonly string[]): string | undefined => values[pick % Math.max(1, values.length)];
  const running = oneOf([...ledger.running]);
  const done = oneOf([...ledger.done]);
  if ((what === 'complete' || what === 'stop') && running !== undefined) {
    ledger.running.delete(running);
    if (what === 'complete') ledger.done.add(running);
    dispatcher[what](running);
  } else if (what === 'reopen' && done !== undefined) {
    ledger.done.delete(done);
    dispatcher.reopen(done);
  } else if (what === 'place') {
    const item = oneOf(plan.tasks.map(itemOf))!;
    ledger.standings.set(item, standing);
    dispatcher.place(item, standing);
  } else if (what === 'capacity') {
    const agent = oneOf(plan.tasks.map((task) => task.agent))!;
    ledger.capacity[agent] = places;
    dispatcher.setCapacity(agent, places);
  }
}

describe('an incremental dispatcher', () => {
  it('CA-012, CA-015: starts the same tasks as a new dispatcher, after any sequence of events', () => {
    fc.assert(
      fc.property(plans, steps, (plan, story) => {
        const agenda = planIndexOf(plan);
        const ledger = new Ledger(plan);
        const dispatcher = new Dispatcher(agenda, ledger.position());
        for (const step of [undefined, ...story]) {
          if (step !== undefined) take(step, plan, ledger, dispatcher);
          const fresh = new Dispatcher(agenda, ledger.position());
          const started = dispatcher.start().map(({ id }) => id);
          expect(started).toEqual(fresh.start().map(({ id }) => id));
          for (const id of started) ledger.running.add(id);
        }
      }),
      { numRuns: byEffort({ quick: 100, ci: 300 }) },
    );
  });
});

describe('dynamic re-scheduling', () => {
  const plan = planOf({
    capacity: { writer: 2, printer: 1 },
    stages: { draft: { agent: 'writer', duration: 2 }, print: { agent: 'printer', duration: 1, after: ['draft'] } },
    items: ['A', 'B', 'C', 'D'],
  });

  it('CA-015: forecasts the remaining tasks again when an agent type becomes unavailable', () => {
    const position: PlanProgress = {
      done: ['A/draft'],
      running: ['B/draft'],
      standings: [],
      capacity: { writer: 0, printer: 1 },
    };
    const left = forecast(plan, position);
    expect(left.tasks.map(({ task }) => task)).toEqual(['B/draft', 'A/print', 'B/print']);
    expect(left.blocked).toEqual(['C/draft', 'C/print', 'D/draft', 'D/print']);
    expect(forecast(plan, { ...position, capacity: { writer: 2, printer: 1 } }).blocked).toEqual([]);
  });

  it('CA-015: a forecast from the beginning equals the schedule', () => {
    fc.assert(
      fc.property(plans, (any) => {
        const { tasks, makespan } = schedule(any);
        const from = forecast(any, { done: [], running: [], standings: [], capacity: any.capacity });
        expect(from).toMatchObject({ tasks, makespan, blocked: [] });
      }),
    );
  });

  it('CA-015: gives more work at once to agent types with more places', () => {
    const wide = planOf({
      capacity: { many: 3, few: 1 },
      tasks: Array.from({ length: 8 }, (_, n) => ({ id: `t${n}`, agent: n % 2 === 0 ? 'many' : 'few' })),
    });
    const first = schedule(wide).tasks.filter(({ start }) => start === 0);
    expect(first.filter(({ agent }) => agent === 'many')).toHaveLength(3);
    expect(first.filter(({ agent }) => agent === 'few')).toHaveLength(1);
  });

  it('CA-015: looks three slots ahead: of two equally long paths, the one that unblocks more work goes first', () => {
    const tasks = [
      { id: 'narrow', agent: 'one', duration: 1 },
      { id: 'wide', agent: 'one', duration: 1 },
      { id: 'after-narrow', agent: 'free', duration: 2, after: ['narrow'] },
      { id: 'after-wide-1', agent: 'two', duration: 2, after: ['wide'] },
      { id: 'after-wide-2', agent: 'two', duration: 2, after: ['wide'] },
      { id: 'elsewhere', agent: 'free', duration: 5 },
    ];
    const { tasks: slots, makespan } = schedule(planOf({ capacity: { one: 1, two: 1 }, tasks }));
    expect(slots.find(({ task }) => task === 'wide')?.start).toBe(0);
    // With `narrow` first, the second task behind `wide` would end at 6.
    expect(makespan).toBe(5);
  });

  it('CA-015: takes work up to three steps away into account, and nothing further', () => {
    /** A chain that begins with the named task; `last` tasks end it, `steps` steps away from that task. */
    const chain = (name: string, steps: number, last: number) => [
      { id: name, agent: 'one', duration: 1 },
      ...Array.from({ length: steps - 1 }, (_, n) => ({
        id: `${name}-${n + 1}`,
        agent: 'free',
        duration: 1,
        after: [n === 0 ? name : `${name}-${n}`],
      })),
      ...Array.from({ length: last }, (_, n) => ({
        id: `${name}-last-${n}`,
        agent: 'free',
        duration: 1,
        after: [`${name}-${steps - 1}`],
      })),
    ];
    const firstOf = (steps: number) => {
      const tasks = [
        ...chain('few', steps, 1),
        ...chain('many', steps, 9),
        { id: 'long', agent: 'free', duration: 20 },
      ];
      const slots = schedule(planOf({ capacity: { one: 1 }, tasks })).tasks;
      return slots.find(({ agent }) => agent === 'one')?.task;
    };
    expect([2, 3, 4].map(firstOf)).toEqual(['many', 'many', 'few']);
  });
});

describe('a plan of 10,000 tasks', () => {
  /** Ends the task that has run longest, again and again, until nothing runs: the decisions of a whole run. */
  function decisions(plan: Plan): number {
    const dispatcher = new Dispatcher(planIndexOf(plan), {
      done: [],
      running: [],
      standings: [],
      capacity: plan.capacity,
    });
    const running: string[] = [];
    let ended = 0;
    for (;;) {
      for (const { id } of dispatcher.start()) running.push(id);
      const next = running[ended];
      if (next === undefined) return ended;
      ended += 1;
      dispatcher.complete(next);
    }
  }

  const staged = (count: number) =>
    planOf({
      capacity: { one: 50, two: 7 },
      stages: {
        a: { agent: 'one' },
        b: { agent: 'two', after: ['a'] },
        c: { agent: 'one', after: ['b'] },
        d: { agent: 'two', after: ['c'], barrier: true },
        e: { agent: 'one', after: ['d'] },
      },
      items: Array.from({ length: count / 5 }, (_, n) => `item${n}`),
    });
  const listed = (count: number) =>
    planOf({
      capacity: { one: 20 },
      tasks: Array.from({ length: count }, (_, n) => ({
        id: `t${n}`,
        agent: 'one',
        after: n < 100 ? [] : [`t${n - 100}`, `t${n - 37}`],
      })),
    });

  it('CA-012: is dispatched at one cost for each event, as stages with barrier and as a list', LONG, async () => {
    for (const written of [staged, listed]) {
      const [small, large] = [written(500), written(10_000)];
      expect(decisions(large)).toBe(10_000);
      const ratio = await ratioOf(
        () => decisions(large),
        () => decisions(small),
      );
      // It is some 30 for 20 times as many; a cost by the square of the number would be 400 times as much.
      expect(ratio).toBeLessThan(120);
    }
  });
});
