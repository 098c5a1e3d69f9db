/** P11 for the kernel: two runs of one script on one seed write the same bytes. */
import { type AnyActorRef, assign, enqueueActions, fromPromise, raise, sendTo, setup } from 'xstate';
import { expect, it } from 'vitest';
import { isBosunError } from '../../../src/errors.ts';
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { seedOf } from '../../support/chance.ts';
import { sample, LONG } from '../../support/effort.ts';
import { agentOf } from '../../support/actors/subject.ts';

type Event =
  | { type: 'ADD' }
  | { type: 'HIT' }
  | { type: 'DROP' }
  | { type: 'BREAK' }
  | { type: 'WAIT' }
  | { type: 'ASK' }
  | { type: 'GOT' };

const EVENTS = ['ADD', 'HIT', 'DROP', 'BREAK', 'WAIT', 'ASK'] as const;

/** A machine with children with and without ids, timers, promises and failures. */
const busy = setup({
  types: {} as { context: { kids: AnyActorRef[]; hits: number }; events: Event },
  actors: {
    kid: setup({ types: {} as { context: { n: number } } }).createMachine({
      context: { n: 0 },
      on: { HIT: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
    }),
    answer: fromPromise(async () => 42),
  },
}).createMachine({
  context: { kids: [], hits: 0 },
  initial: 'idle',
  on: {
    ADD: { actions: assign({ kids: ({ context, spawn }) => [...context.kids, spawn('kid')] }) },
    HIT: {
      actions: enqueueActions(({ context, enqueue }) => {
        for (const kid of context.kids) enqueue.sendTo(kid, { type: 'HIT' });
        enqueue.assign({ hits: context.hits + 1 });
      }),
    },
    DROP: {
      guard: ({ context }) => context.kids.length > 0,
      actions: enqueueActions(({ context, enqueue }) => {
        enqueue.stopChild(context.kids[0]!);
        enqueue.assign({ kids: context.kids.slice(1) });
      }),
    },
    BREAK: {
      actions: assign(() => {
        // The stack text of V8 depends on the code compiled so far, and on other work of the process.
        throw Object.assign(new Error('broken'), { stack: 'Error: broken' });
      }),
    },
    WAIT: {
      actions: [
        raise({ type: 'HIT' }, { delay: 30 }),
        sendTo(({ self }) => self, { type: 'ADD' }, { delay: 50, id: 'add' }),
      ],
    },
    ASK: { target: '.asking' },
  },
  states: { idle: {}, asking: { invoke: { src: 'answer', onDone: 'idle' } } },
});

async function run(script: number): Promise<TestSystem> {
  const seed = seedOf('scripts of the kernel', script);
  const child = (id: string) => ({ id, agent: 'busy', backoff: { minMs: 5, maxMs: 40 } });
  const test = await startTestSystem({
    seed,
    agents: [agentOf('busy', busy, EVENTS)],
    tree: { intensity: 1_000, children: ['a', 'b', 'c'].map(child) },
    journal: { storeId: 'determinism', fold: { windowEpochs: 8 } },
  });
  const random = new SeededRandom(seed);
  for (let step = 0; step < 60; step++) {
    const act = random.integer(10);
    if (act === 0) {
      await test.crash();
      await test.restart();
    } else if (act < 3) await test.advance(random.integer(40));
    else
      await Promise.all(
        Array.from({ length: 3 }, () =>
          test.shard.send(random.pick(['a', 'b', 'c']), { type: random.pick(EVENTS) }).catch(suspect),
        ),
      );
    await test.settle();
  }
  await test.shard.stop();
  return test;
}

/** A suspect actor takes no more events. */
function suspect(error: unknown): void {
  if (!isBosunError(error, 'BOSUN_STATE_SUSPECT')) throw error;
}

const bytesOf = (test: TestSystem) =>
  test.store.entries().map(([key, value]) => `${key} ${Buffer.from(value).toString('hex')}`);

/** Stacks name lines of this file and no times: they are the same in both runs. */
it.each(sample([1, 2], 2))(
  'CN-026: the kernel writes byte-identical entries in two runs of one script (script %i)',
  async (script) => {
    const [first, second] = [await run(script), await run(script)];
    expect(bytesOf(second)).toEqual(bytesOf(first));
    expect(second.store.writes).toBe(first.store.writes);
    expect(first.store.writes).toBeGreaterThan(10);
  },
);

it('the kernel writes different entries on different seeds', LONG, async () => {
  expect(bytesOf(await run(4))).not.toEqual(bytesOf(await run(5)));
});
