/** An order in three versions of its machine: states are renamed, split and given invokes; the context is reshaped. */
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type StoredState } from '../../../../src/actors/model/version-rules.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../../../src/testing/test-system.ts';

const events = { add: z.object({ amount: z.number() }), pay: z.object({}) };
type Events = { type: 'add'; amount: number } | { type: 'pay' };

export const first = defineAgent({
  name: 'order',
  version: 1,
  machine: setup({ types: {} as { context: { sum: number }; events: Events } }).createMachine({
    id: 'order',
    context: { sum: 0 },
    initial: 'open',
    states: {
      open: {
        on: { add: { actions: assign({ sum: ({ context, event }) => context.sum + event.amount }) }, pay: 'paid' },
        after: { 1_000: 'lapsed' },
      },
      paid: {},
      lapsed: {},
    },
  }),
  events,
});

/** The second version: `open` has become `active.open`, with the same deadline; `paid` sends a receipt. */
const secondMachine = setup({
  types: {} as { context: { total: number; receipt: string | null }; events: Events },
  actors: { receipt: fromPromise<string, { total: number }>(async ({ input }) => `for ${input.total}`) },
}).createMachine({
  id: 'order',
  context: { total: 0, receipt: null },
  initial: 'active',
  states: {
    active: {
      initial: 'open',
      states: { open: { on: { pay: '#order.paid' } } },
      on: { add: { actions: assign({ total: ({ context, event }) => context.total + event.amount }) } },
      after: { 2_000: 'lapsed' },
    },
    paid: {
      invoke: {
        src: 'receipt',
        input: ({ context }) => ({ total: context.total }),
        onDone: { actions: assign({ receipt: ({ event }) => event.output }) },
      },
    },
    lapsed: {},
  },
});

const toSecond = ({ value, context }: StoredState<{ sum: number }>) => ({
  value: value === 'open' ? ({ active: 'open' } as const) : (value as 'paid' | 'lapsed'),
  context: { total: context.sum, receipt: null },
});

export const second = defineAgent({
  name: 'order',
  version: 2,
  machine: secondMachine,
  events,
  migrate: { 2: toSecond },
});

const thirdMachine = setup({ types: {} as { context: { cents: number }; events: Events } }).createMachine({
  id: 'order',
  context: { cents: 0 },
  initial: 'open',
  states: {
    open: {
      on: {
        add: { actions: assign({ cents: ({ context, event }) => context.cents + event.amount * 100 }) },
        pay: 'closed',
      },
    },
    closed: {},
    lapsed: {},
  },
});

const toThird = ({ value, context }: StoredState<{ total: number }>) => ({
  value: typeof value === 'object' ? ('open' as const) : value === 'paid' ? ('closed' as const) : ('lapsed' as const),
  context: { cents: context.total * 100 },
});

export const third = defineAgent({
  name: 'order',
  version: 3,
  machine: thirdMachine,
  events,
  migrate: { 2: toSecond, 3: toThird },
});

/** The third version, without a migration from the first to the second. */
export const thirdFromSecond = defineAgent({
  name: 'order',
  version: 3,
  machine: thirdMachine,
  events,
  migrate: { 3: toThird },
});

/** The third version; actors stored by the second stay on the second. */
export const thirdBesideSecond = defineAgent({
  name: 'order',
  version: 3,
  machine: thirdMachine,
  events,
  previous: [second],
});

export type Order = typeof first | typeof second | typeof third;

export async function startOrders(
  agent: Order,
  addresses: readonly string[] = ['o'],
  options: Partial<TestSystemOptions> = {},
): Promise<TestSystem> {
  const test = await startTestSystem({ agents: [agent], ...options });
  for (const address of addresses) await test.shard.spawn(agent as typeof first, address);
  await test.settle();
  return test;
}

/** Restarts the system with other code. */
export async function deploy(test: TestSystem, ...agents: readonly Order[]): Promise<void> {
  await test.crash();
  await test.restart({ agents });
}

export async function send(test: TestSystem, address: string, event: Events): Promise<void> {
  await test.shard.send(address, event);
  await test.settle();
}

export function stateOf(test: TestSystem, address = 'o'): unknown {
  const { status, value, context } = test.shard.snapshot(address)!;
  return [status, value, context];
}
