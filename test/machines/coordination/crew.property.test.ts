/**
 * Invariants of items, pauses and the ledger under random events: orders of people, ends and failures of work, and
 * power cuts.
 */
import fc from 'fast-check';
import { type AnyActorRef } from 'xstate';
import { describe, expect, it } from 'vitest';
import {
  type CoordinatorContext,
  itemIn,
  newProgress,
} from '../../../src/machines/coordination/coordinator/coordinator-context.ts';
import { PlanLedger } from '../../../src/machines/coordination/coordinator/plan-ledger.ts';
import { type Plan } from '../../../src/machines/coordination/plan/plan.ts';
import { isLost, outcomeOf } from '../../../src/machines/coordination/coordinator/progress.ts';
import { startTasks, taskCompleted } from '../../../src/machines/coordination/coordinator/task-decisions.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { byEffort } from '../../support/effort.ts';
import { ratioOf } from '../../support/processor-time.ts';
import { type Crew, DAY_MS, startCrew, stated } from '../../support/machines/crew-subject.ts';

const plan = planOf({
  stages: { a: { agent: 'x' }, b: { agent: 'y', after: ['a'], barrier: true } },
  items: ['I', 'J'],
  capacity: { x: 1 },
});

type Deed =
  | { readonly do: 'end' | 'fail' | 'ruin' | 'crash'; readonly pick: number }
  | { readonly do: 'wait'; readonly days: number }
  | { readonly do: 'send'; readonly event: { readonly type: string } & Record<string, unknown> };

const item = fc.constantFrom('I', 'J');
const events = fc.oneof(
  fc.record({ type: fc.constant('plan.pause'), item }),
  fc.record({ type: fc.constant('plan.resume'), item }),
  fc.record({
    type: fc.constant('pause.request'),
    item,
    reason: fc.constant('asked'),
    checkpointId: fc.constant(null),
    trigger: fc.constantFrom('MANUAL', 'AUTO_BATCH_CORRELATION'),
  }),
  fc.record({ type: fc.constant('resume.command'), item, resumePlan: fc.constant(null), notify: fc.boolean() }),
  fc.record({ type: fc.constant('cause.cleared'), items: fc.constant(['I', 'J']), cause: fc.constant('x') }),
  fc.record({ type: fc.constant('pause.expire'), item, reason: fc.constant('enough') }),
  fc.record({ type: fc.constant('item.cancel'), item }),
  fc.record({
    type: fc.constant('capacity.set'),
    agentType: fc.constantFrom('x', 'y'),
    capacity: fc.constantFrom(0, 1, 2, null),
  }),
);
const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom('end', 'fail', 'ruin', 'crash'),
        pick: fc.nat(),
      }) as fc.Arbitrary<Deed>,
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 16 }) }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), event: events }) },
  ),
  { minLength: 1, maxLength: 14 },
);

/** Addresses of the live PauseManagers; an item that has never been paused has none. */
function pausesOf(crew: Crew): string[] {
  const bosses = crew.test.shard.tree().children.find(({ address }) => address === 'pauses')!;
  return bosses.children.map(({ address }) => address);
}

class Stage {
  readonly open: { task: string; resolve(value: unknown): void; reject(error: Error): void }[] = [];

  work = ({ task }: { task: { id: string } }): Promise<unknown> =>
    new Promise((resolve, reject) => {
      this.open.push({ task: task.id, resolve, reject });
    });

  take(pick: number) {
    return this.open.splice(pick % Math.max(1, this.open.length), 1)[0];
  }
}

async function perform(crew: Crew, stage: Stage, deed: Deed): Promise<void> {
  if (deed.do === 'send') await crew.test.shard.send('coordinator', deed.event);
  else if (deed.do === 'wait') await crew.test.advance(deed.days * DAY_MS);
  else if (deed.do === 'crash') {
    stage.open.length = 0;
    await crew.crashAndRestart();
  } else {
    const work = stage.take(deed.pick);
    if (deed.do === 'end') work?.resolve('done');
    else work?.reject(stated('no', { errorType: deed.do === 'fail' ? 'crash' : 'integrity_violation' }));
  }
}

describe('a plan under random events', () => {
  it('CA-016, CA-028: has at most one pause per item, whose state the coordinator always knows', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (story) => {
        const stage = new Stage();
        const crew = await startCrew(plan, { work: stage.work, desks: [] });
        for (const deed of story) {
          await perform(crew, stage, deed);
          await crew.test.settle();
          const managers = pausesOf(crew);
          expect(new Set(managers).size).toBe(managers.length);
          for (const name of ['I', 'J']) agrees(crew, name);
          const { tally } = crew.context();
          expect(tally.done).toBe(crew.item('I').done.length + crew.item('J').done.length);
          expect(crew.state()).toBe(outcomeOf(tally, plan.tasks.length));
          expect(crew.test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
        }
        await crew.test.shard.stop();
      }),
      { numRuns: byEffort({ quick: 10, ci: 40 }) },
    );
  });

  it('CA-042: every item ends completed, failed, paused with a reason, or expired', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (story) => {
        const stage = new Stage();
        const crew = await startCrew(plan, { work: stage.work, desks: [] });
        for (const deed of story) {
          await perform(crew, stage, deed);
          await crew.test.settle();
        }
        // From here on all work ends, and no more events are sent.
        await crew.send({ type: 'capacity.set', agentType: 'x', capacity: null });
        await crew.send({ type: 'capacity.set', agentType: 'y', capacity: null });
        while (stage.open.length > 0) {
          stage.take(0)!.resolve('done');
          await crew.test.settle();
        }
        for (const name of ['I', 'J']) {
          const { phase, done, reason, running } = crew.item(name);
          const isWell = phase === 'running' ? done.length === 2 || waitsForOther(crew, name) : reason !== null;
          expect({ name, phase, done, reason, running, isWell }).toMatchObject({ isWell: true, running: [] });
        }
        await crew.test.advance(40 * DAY_MS);
        while (stage.open.length > 0) {
          stage.take(0)!.resolve('done');
          await crew.test.settle();
        }
        for (const name of ['I', 'J']) {
          const { phase, done } = crew.item(name);
          expect(phase === 'running' ? done.length : 2).toBe(2);
          expect(phase === 'running' || isLost(crew.item(name))).toBe(true);
        }
        await crew.test.shard.stop();
      }),
      { numRuns: byEffort({ quick: 7, ci: 25 }) },
    );
  });
});

/** Barriers wait for neither paused nor lost items, so an item that runs waits only for one that runs too. */
function waitsForOther(crew: Crew, name: string): boolean {
  return crew.phase(name === 'I' ? 'J' : 'I') === 'running';
}

function agrees(crew: Crew, name: string): void {
  const { phase, manager, isResuming, reason } = crew.item(name);
  if (manager === null) {
    expect(phase === 'running' || phase === 'failed').toBe(true);
    return;
  }
  const states: Readonly<Record<string, readonly string[]>> = {
    running: [isResuming === true ? 'RESUMING' : 'RUNNING'],
    pausing: ['PAUSING'],
    paused: ['PAUSED', 'STALE'],
    failed: ['EXPIRED'],
    expired: ['EXPIRED'],
  };
  expect(states[phase]).toContain(crew.pause(name));
  expect(phase === 'running' || reason !== null).toBe(true);
}

describe('the ledger', () => {
  /** Ends the task that has run longest, event by event, as the coordinator takes them. */
  function run(of: Plan): { events: number; context: CoordinatorContext } {
    const self = {} as AnyActorRef;
    const context: CoordinatorContext = { plan: of, unitMs: null, ...newProgress() };
    const running: string[] = [];
    let events = 0;
    const turn = (take: (ledger: PlanLedger) => void): void => {
      const ledger = new PlanLedger(context, { nowMs: 0, self, find: () => undefined });
      take(ledger);
      startTasks(ledger, null);
      for (const { event } of ledger.outgoing)
        if (event.type === 'child.start') running.push((event as unknown as { id: string }).id);
      Object.assign(context, ledger.close());
    };
    turn(() => {});
    for (let task = running[0]; task !== undefined; task = running[events]) {
      events += 1;
      const ended = task;
      turn((ledger) =>
        taskCompleted(ledger, { type: 'task.completed', task: ended, output: null, tookMs: 1, expectedMs: null }),
      );
    }
    return { events, context };
  }

  const listed = (count: number) =>
    planOf({
      capacity: { one: 20 },
      tasks: Array.from({ length: count }, (_, n) => ({
        id: `t${n}`,
        agent: 'one',
        after: n < 100 ? [] : [`t${n - 100}`],
      })),
    });

  it('CA-005: takes the ends of 10,000 tasks one by one, at the cost of the ends of 1,000 each', async () => {
    const [small, large] = [listed(1_000), listed(10_000)];
    const { events: ended, context } = run(large);
    expect([ended, outcomeOf(context.tally, 10_000)]).toEqual([10_000, 'completed']);
    expect(itemIn(context, 't9999').done).toEqual(['t9999']);
    const ratio = await ratioOf(
      () => run(large),
      () => run(small),
      { rounds: 2 },
    );
    // An event that cost what the plan has, and not what it changes, would make it a hundred times as much.
    expect(ratio).toBeLessThan(40);
  });
});
