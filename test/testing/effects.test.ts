/** Effects of agents in a test: stubs, calls, promises that really run, and what a test is told of them. */
import { describe, expect, it } from 'vitest';
import { assign, fromCallback, fromPromise, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { systemClock } from '../../src/clock.ts';
import { isBosunError } from '../../src/errors.ts';
import { type EffectStubs } from '../../src/testing/test-effects.ts';
import { startTestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';

/** A real promise, which virtual time does not move. */
const realMs = (ms: number) => new Promise<void>((resolve) => void systemClock.setTimeout(resolve, ms));

const order = defineAgent({
  name: 'order',
  machine: setup({
    types: {} as {
      context: { receipt: string | null; error: string | null; seen: number };
      events: { type: 'pay'; amount: number } | { type: 'seen' };
    },
    actors: {
      charge: fromPromise<string, { amount: number }>(async ({ input }) => {
        await realMs(20);
        return `real ${input.amount}`;
      }),
      watch: fromCallback(() => {}),
    },
    actions: { mail: () => {} },
  }).createMachine({
    id: 'order',
    context: { receipt: null, error: null, seen: 0 },
    initial: 'open',
    invoke: { src: 'watch', id: 'watch' },
    on: { seen: { actions: assign({ seen: ({ context }) => context.seen + 1 }) } },
    states: {
      open: { on: { pay: 'paying' } },
      paying: {
        entry: 'mail',
        invoke: {
          src: 'charge',
          input: ({ event }) => ({ amount: event.type === 'pay' ? event.amount : 0 }),
          onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output }) },
          onError: { target: 'open', actions: assign({ error: ({ event }) => (event.error as Error).message }) },
        },
        after: { 60_000: 'late' },
      },
      paid: { entry: sendTo('watch', { type: 'paid' }) },
      late: {},
    },
  }),
  events: { pay: z.object({ amount: z.number() }) },
  actions: { mail: { durable: true } },
});

const options: TestSystemOptions = {
  agents: [order],
  tree: { children: [{ id: 'o', agent: 'order' }] },
  effectsMs: 5_000,
};

async function paid(changes: Partial<TestSystemOptions>) {
  const test = await startTestSystem({ ...options, ...changes });
  await test.system.send('o', { type: 'pay', amount: 7 });
  await test.settle();
  return { test, seen: async () => (await test.system.snapshot('o'))! };
}

describe('a stub of an effect', () => {
  it('answers at once in the place of a promise and of an action, and its calls can be read (S14)', async () => {
    const { test, seen } = await paid({
      effects: { 'order.charge': (input: { amount: number }) => `stub ${input.amount}`, 'order.mail': () => {} },
    });
    expect(await seen()).toMatchObject({ value: 'paid', context: { receipt: 'stub 7' } });
    expect(test.calls).toMatchObject([
      { effect: 'order.mail', address: 'o', attempt: 1 },
      { effect: 'order.charge', input: { amount: 7 }, address: 'o', attempt: 1 },
    ]);
    expect(test.warnings).toEqual([]);
    await test.system.stop();
  });

  it('takes virtual time, and is started again with its id after a power cut (S14)', async () => {
    const { test, seen } = await paid({
      effects: { 'order.charge': (_, { sleep, attempt }) => sleep(1_000).then(() => `attempt ${attempt}`) },
    });
    await test.advance(999);
    expect(await seen()).toMatchObject({ value: 'paying' });
    await test.crash();
    await test.restart();
    await test.advance(1_000);
    expect(await seen()).toMatchObject({ value: 'paid', context: { receipt: 'attempt 2' } });
    const ids = test.calls.map(({ effectId }) => effectId);
    expect(ids).toEqual([ids[0], ids[0]]);
    await test.system.stop();
  });

  it('fails the effect by throwing', async () => {
    const { test, seen } = await paid({
      effects: {
        'order.charge': () => {
          throw new Error('no money');
        },
      },
    });
    expect(await seen()).toMatchObject({ value: 'open', context: { error: 'no money' } });
    await test.system.stop();
  });

  it('is logic in the place of a callback', async () => {
    const watch = fromCallback(({ sendBack, receive }) => receive(() => sendBack({ type: 'seen' })));
    const { test, seen } = await paid({ effects: { 'order.charge': () => 'stub', 'order.watch': watch } });
    expect(await seen()).toMatchObject({ context: { seen: 1 } });
    await test.system.stop();
  });

  it.each<[string, EffectStubs, string]>([
    ['of an unknown agent', { 'ordr.charge': () => {} }, 'no agent is named "ordr"; did you mean "order"?'],
    ['without a promise', { 'order.chrage': () => {} }, '"order.chrage" is no promise and no custom action'],
    ['with a near name', { 'order.chrage': () => {} }, 'did you mean "charge"?'],
    ['as a function of a callback', { 'order.watch': () => {} }, 'give logic in its place, not a function'],
    ['as logic without an actor', { 'order.mail': fromCallback(() => {}) }, '"order.mail" is no actor'],
  ])('is refused %s', async (_, effects, message) => {
    const error: unknown = await startTestSystem({ ...options, effects }).catch((reason: unknown) => reason);
    expect(isBosunError(error, 'BOSUN_CONFIG_INVALID')).toBe(true);
    expect((error as Error).message).toContain(message);
  });
});

describe('a promise without a stub', () => {
  it('is waited for by advance before time moves, and not by settle, which warns (S14)', async () => {
    const { test, seen } = await paid({});
    expect(await seen()).toMatchObject({ value: 'paying' });
    expect(test.warnings).toEqual([
      'test: the promise charge of order (o/0.order.paying, attempt 1) is under way, and settle does not wait for ' +
        "it; advance does, for a while; a stub answers at once: effects: { 'order.charge': () => ... }",
    ]);
    await test.advance(60_000);
    expect(await seen()).toMatchObject({ value: 'paid', context: { receipt: 'real 7' } });
    await test.system.stop();
  });

  it('is named where it has not settled in time, and time goes on without it (S14)', async () => {
    const never = fromPromise<string, { amount: number }>(() => new Promise<string>(() => {}));
    const told: string[] = [];
    const stuck = { ...order, machine: order.machine.provide({ actors: { charge: never } }) };
    const { test, seen } = await paid({ agents: [stuck], effectsMs: 5, warn: (line) => void told.push(line) });
    await test.advance(60_000);
    expect(await seen()).toMatchObject({ value: 'late' });
    expect(told.at(-1)).toContain('(o/0.order.paying, attempt 1) has not settled after 5 ms of real time');
    expect(told).toEqual(test.warnings);
    await test.system.stop();
  });
});
