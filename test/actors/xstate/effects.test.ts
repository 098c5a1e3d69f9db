/** Machines with promises, callbacks and observables behave under Bosun as under createActor. */
import { assign, fromCallback, fromEventObservable, fromObservable, fromPromise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { observable } from '../../support/actors/observable.ts';
import { type Record, type Scenario, underBosun, underCreateActor } from '../../support/actors/xstate/scenario.ts';

async function sameAsCreateActor(scenario: Scenario) {
  const expected = await underCreateActor(scenario);
  expect(await underBosun(scenario, { kill: false })).toEqual(expected);
  return expected;
}

describe('an invoked promise', () => {
  it('hands its output to onDone, and the machine then has an output of its own', async () => {
    const machine = () =>
      setup({
        types: {} as { context: { result: number } },
        actors: { double: fromPromise(async ({ input }: { input: { x: number } }) => input.x * 2) },
      }).createMachine({
        context: { result: 0 },
        initial: 'asking',
        states: {
          asking: {
            invoke: {
              src: 'double',
              input: { x: 21 },
              onDone: { target: 'answered', actions: assign({ result: ({ event }) => event.output }) },
            },
          },
          answered: { type: 'final' },
        },
        output: ({ context }) => context.result,
      });
    const { output } = await sameAsCreateActor({ machine, script: ({ settle }) => settle() });
    expect(output).toBe(42);
  });

  it('an invoked promise that rejects gives its error to onError', async () => {
    const { value } = await sameAsCreateActor({
      machine: (record) => refusing(record, { handled: true }),
      script: ({ settle }) => settle(),
    });
    expect(value).toBe('told');
  });

  it('an invoked promise that rejects without a handler fails the machine with its error', async () => {
    const { status, error } = await sameAsCreateActor({
      machine: (record) => refusing(record, { handled: false }),
      script: ({ settle }) => settle(),
    });
    expect([status, error]).toEqual(['error', 'no']);
  });
});

function refusing(record: Record, { handled }: { handled: boolean }) {
  const refuse = fromPromise(async () => {
    throw new Error('no');
  });
  const onError = {
    target: 'told',
    actions: ({ event }: { event: { error: unknown } }) => record('subject', `error ${(event.error as Error).message}`),
  };
  return setup({ actors: { refuse } }).createMachine({
    initial: 'asking',
    states: { asking: { invoke: { src: 'refuse', ...(handled && { onError }) } }, told: {} },
  });
}

describe('an invoked callback', () => {
  it('receives events, answers them, and is cleaned up when its state is left', async () => {
    const { lines } = await sameAsCreateActor({
      machine: echoing,
      events: ['PING', 'LEAVE'],
      script: async ({ send, settle }) => {
        await settle();
        await send({ type: 'PING' });
        await settle();
        await send({ type: 'PING' });
        await settle();
        await send({ type: 'LEAVE' });
        await settle();
      },
    });
    expect(lines.map(([, line]) => line)).toEqual([
      'start 1',
      'received PING',
      'PONG',
      'received PING',
      'PONG',
      'cleanup',
    ]);
  });
});

function echoing(record: Record) {
  const echo = fromCallback<{ type: string }, { k: number }>(({ sendBack, receive, input }) => {
    record('echo', `start ${input.k}`);
    receive(({ type }) => {
      record('echo', `received ${type}`);
      sendBack({ type: 'PONG' });
    });
    return () => record('echo', 'cleanup');
  });
  return setup({ actors: { echo } }).createMachine({
    initial: 'open',
    states: {
      open: {
        invoke: { src: 'echo', id: 'echo', input: { k: 1 } },
        on: {
          PING: { actions: sendTo('echo', { type: 'PING' }) },
          PONG: { actions: () => record('subject', 'PONG') },
          LEAVE: 'closed',
        },
      },
      closed: {},
    },
  });
}

describe('an invoked observable', () => {
  it('hands every value to onSnapshot, also those emitted during the subscription, and then is done', async () => {
    const { context } = await sameAsCreateActor({ machine: counting, script: ({ settle }) => settle() });
    expect(context).toEqual({ values: [undefined, 1, 2, 3] });
  });

  it('an invoked observable of events sends them to its machine', async () => {
    const { context } = await sameAsCreateActor({ machine: summing, script: ({ settle }) => settle() });
    expect(context).toEqual({ sum: 3 });
  });
});

function counting(record: Record) {
  const count = fromObservable(() =>
    observable<number>(({ next, complete }) => {
      next(1);
      next(2);
      setImmediate(() => {
        next(3);
        complete();
      });
    }),
  );
  return setup({ types: {} as { context: { values: unknown[] } }, actors: { count } }).createMachine({
    context: { values: [] },
    invoke: {
      src: 'count',
      id: 'count',
      onSnapshot: { actions: assign({ values: ({ context, event }) => [...context.values, event.snapshot.context] }) },
      onDone: { actions: () => record('subject', 'done') },
    },
  });
}

function summing() {
  const numbers = fromEventObservable(() =>
    observable<{ type: 'ADD'; n: number }>(({ next }) => {
      setImmediate(() => {
        next({ type: 'ADD', n: 1 });
        next({ type: 'ADD', n: 2 });
      });
    }),
  );
  return setup({
    types: {} as { context: { sum: number }; events: { type: 'ADD'; n: number } },
    actors: { numbers },
  }).createMachine({
    context: { sum: 0 },
    invoke: { src: 'numbers' },
    on: { ADD: { actions: assign({ sum: ({ context, event }) => context.sum + event.n }) } },
  });
}

describe('an invoke whose state is entered again', () => {
  it('is cleaned up and started again, and the timers of its state begin again', async () => {
    const { lines, value } = await sameAsCreateActor({
      machine: (record) => {
        const lamp = fromCallback(() => {
          record('lamp', 'on');
          return () => record('lamp', 'off');
        });
        return setup({ actors: { lamp } }).createMachine({
          initial: 'lit',
          states: {
            lit: { invoke: { src: 'lamp' }, after: { 10: 'dark' }, on: { AGAIN: { target: 'lit', reenter: true } } },
            dark: {},
          },
        });
      },
      events: ['AGAIN'],
      script: async ({ send, advance, settle }) => {
        await advance(6);
        await send({ type: 'AGAIN' });
        await settle();
        await advance(6);
        await advance(6);
      },
    });
    expect(lines.map(([, line]) => line)).toEqual(['on', 'off', 'on', 'off']);
    expect(value).toBe('dark');
  });
});
