/** Results and messages that arrive before a power cut and wait for their turn survive the cut. */
import { type AnyStateMachine, assign, createMachine, fromCallback, fromObservable, setup, spawnChild } from 'xstate';
import { describe, expect, it } from 'vitest';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { observable } from '../../../support/actors/observable.ts';
import { asking, promised, settle } from '../../../support/actors/promised.ts';
import { agentOf, contextOf, startSubject, tell, valueOf } from '../../../support/actors/subject.ts';

const BUSY = 130;
const busy = agentOf('busy', createMachine({ on: { HIT: {} } }), ['HIT']);

/** Sends more turns than one epoch takes, all ahead of later messages. */
function flood(test: TestSystem): void {
  for (let actor = 0; actor < BUSY; actor++)
    for (let n = 0; n < 16; n++) void test.shard.send(`busy${actor}`, { type: 'HIT' });
}

async function startBeside(machine: AnyStateMachine, events: readonly string[] = []): Promise<TestSystem> {
  const others = Array.from({ length: BUSY }, (_, actor) => ({ id: `busy${actor}`, agent: 'busy' }));
  return startSubject(machine, {
    events,
    agents: [busy],
    tree: { intensity: 100, children: [...others, { id: 'subject', agent: 'subject' }] },
  });
}

/** Delivers a result when the epoch has no room for its turn, and cuts the power once that epoch is durable. */
async function arriveAndCrash(test: TestSystem, arrive: () => void): Promise<void> {
  flood(test);
  arrive();
  await cutOncePassed(test);
}

async function cutOncePassed(test: TestSystem): Promise<void> {
  const held = test.store.hold('durable');
  await held.reached;
  await test.crash();
  await test.restart();
}

describe('a result that waits for its turn at a power cut', () => {
  it('is kept, and its promise is not started again', async () => {
    const { starts, logic } = promised();
    const test = await startBeside(asking(logic));
    await arriveAndCrash(test, () => starts[0]!.resolve('just in time'));
    expect([starts.length, contextOf(test)]).toEqual([1, { got: ['just in time'] }]);
    await test.shard.stop();
  });

  it('is handled after the restart if it is a rejection', async () => {
    const { starts, logic } = promised();
    const test = await startBeside(asking(logic, { onError: 'left' }));
    await arriveAndCrash(test, () => starts[0]!.reject(new Error('no')));
    expect([starts.length, valueOf(test)]).toEqual([1, 'left']);
    await test.shard.stop();
  });

  it('values of an observable are kept, and the restart subscribes again', async () => {
    const pushes: ((value: string) => void)[] = [];
    const logic = fromObservable(() => observable<string>(({ next }) => void pushes.push(next)));
    const machine = setup({ types: {} as { context: { got: unknown[] } }, actors: { logic } }).createMachine({
      context: { got: [] },
      invoke: {
        src: 'logic',
        id: 'values',
        onSnapshot: { actions: assign({ got: ({ context, event }) => [...context.got, event.snapshot.context] }) },
      },
    });
    const test = await startBeside(machine);
    await arriveAndCrash(test, () => ['a', 'b'].forEach((value) => pushes[0]!(value)));
    await settle(test, () => pushes[1]!('c'));
    await settle(test, () => pushes[0]!('stale'));
    expect((contextOf(test) as { got: unknown[] }).got.filter((value) => value !== undefined)).toEqual(['a', 'b', 'c']);
    await test.shard.stop();
  });
});

describe('a child that is spawned before a power cut', () => {
  it('takes its first turn after the restart, if the cut came before it', async () => {
    const kid = createMachine({ context: ({ input }: { input: unknown }) => ({ input }) });
    const machine = setup({ actors: { kid } }).createMachine({
      on: { GO: { actions: spawnChild('kid', { id: 'kid', input: 'given' }) } },
    });
    const test = await startBeside(machine, ['GO']);
    void test.shard.send('subject', { type: 'GO' });
    flood(test);
    await cutOncePassed(test);
    expect(contextOf(test, 'subject/kid')).toEqual({ input: 'given' });
    await test.shard.stop();
  });
});

describe('a message to an actor in restart backoff', () => {
  const fragile = setup({
    types: {} as { context: { got: number }; events: { type: 'BREAK' } | { type: 'HIT' } | { type: 'END' } },
  }).createMachine({
    context: { got: 0 },
    initial: 'a',
    states: {
      a: {
        on: {
          BREAK: {
            actions: () => {
              throw new Error('broken');
            },
          },
          HIT: { actions: assign({ got: ({ context }) => context.got + 1 }) },
          END: 'over',
        },
      },
      over: { type: 'final' },
    },
  });

  it.each(['BREAK', 'END'])('is taken after the restart (last event before: %s)', async (last) => {
    const child = { id: 'subject', agent: 'subject', backoff: { minMs: 1_000, jitter: 0 } };
    const test = await startSubject(fragile, {
      events: ['BREAK', 'HIT', 'END'],
      tree: { intensity: 10, children: [child] },
    });
    await tell(test, 'HIT');
    await tell(test, last);
    await test.shard.send('subject', { type: 'HIT' });
    await test.crash();
    await test.restart();
    await test.shard.send('subject', { type: 'HIT' });
    await test.advance(1_000);
    // After a failure the actor goes on from its last state, after its end from the initial state.
    expect(contextOf(test)).toEqual({ got: last === 'BREAK' ? 3 : 2 });
    await test.shard.stop();
  });
});

describe('a message of an effect to a machine in restart backoff', () => {
  it('becomes durable at once, before the machine can read it', async () => {
    let back: (event: { type: 'HIT' }) => void = () => {};
    const logic = fromCallback(({ sendBack }) => void (back = sendBack));
    const machine = setup({ types: {} as { context: { got: number } }, actors: { logic } }).createMachine({
      context: { got: 0 },
      invoke: { src: 'logic' },
      on: {
        HIT: { actions: assign({ got: ({ context }) => context.got + 1 }) },
        BREAK: {
          actions: () => {
            throw new Error('broken');
          },
        },
      },
    });
    const child = { id: 'subject', agent: 'subject', backoff: { minMs: 1_000, jitter: 0 } };
    const test = await startSubject(machine, { events: ['BREAK'], tree: { intensity: 10, children: [child] } });
    await tell(test, 'BREAK');
    await settle(test, () => back({ type: 'HIT' }));
    await test.crash();
    await test.restart();
    await test.advance(1_000);
    expect(contextOf(test)).toEqual({ got: 1 });
    await test.shard.stop();
  });
});
