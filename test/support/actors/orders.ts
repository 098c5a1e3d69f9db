/** Orders, which end in every way that an actor can, for tests of results. */
import { assign, createMachine, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type KeepOptions } from '../../../src/actors/model/results.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { record } from '../../../src/actors/model/talk-actions.ts';
import { type TestSystem, type TestSystemOptions } from '../../../src/testing/test-system.ts';
import { counter } from './scribe.ts';
import { started } from './started.ts';

type OrderEvent = { type: 'ship'; to: string } | { type: 'note'; what: string } | { type: 'fail' };

const machine = setup({
  types: {} as { context: { to: string }; events: OrderEvent; output: { shippedTo: string } },
  actors: { packing: createMachine({ initial: 'done', states: { done: { type: 'final' } }, output: 'packed' }) },
}).createMachine({
  context: { to: '' },
  initial: 'packing',
  output: ({ context }) => ({ shippedTo: context.to }),
  on: {
    note: { actions: record('notes', ({ event }) => ({ what: event.what })) },
    fail: {
      actions: () => {
        throw new Error('no stock');
      },
    },
  },
  states: {
    packing: { invoke: { src: 'packing', id: 'pack', onDone: 'open' } },
    open: { on: { ship: { target: 'shipped', actions: assign({ to: ({ event }) => event.to }) } } },
    shipped: { type: 'final' },
  },
});

/** An agent whose machine packs with a child, keeps notes, fails, and ends when it is told to ship. */
export function orderAgent({ keep, isSecret = false }: { keep?: KeepOptions; isSecret?: boolean } = {}) {
  return defineAgent({
    name: 'order',
    machine,
    events: { ship: z.object({ to: z.string() }), note: z.object({ what: z.string() }), fail: z.object({}) },
    records: { notes: { keys: { what: 'what' } } },
    trace: { keep: 50 },
    ...(isSecret && { shown: { output: z.object({ shippedTo: secret(z.string()) }) } }),
    ...(keep && { keep }),
  });
}

export const order = orderAgent();

/** A system of orders with a Boss that gives up at the first failure, and a counter beside them. */
export function startOrders(options: Partial<TestSystemOptions> & Parameters<typeof orderAgent>[0] = {}) {
  const { keep, isSecret = false, ...rest } = options;
  return started({
    agents: [orderAgent({ isSecret, ...(keep && { keep }) }), counter],
    tree: {
      intensity: 1_000,
      children: [
        { id: 'c', agent: 'counter' },
        { id: 'strict', restart: 'transient', boss: { intensity: 0 } },
      ],
    },
    journal: { fold: { windowEpochs: 4, sliceRecords: 3 } },
    ...rest,
  });
}

/** Has an order shipped, as a client does that does not know whether it has asked for it before. */
export async function shipped({ system }: TestSystem, id: string, to = id): Promise<unknown> {
  const actor = await system.spawn(order, id);
  await system.idle();
  if (actor.isLive) await actor.send({ type: 'ship', to });
  return (await actor.result()).output;
}

/** The addresses of ended actors, the oldest end first, read by pages. */
export async function endedIn({ system }: TestSystem, limit = 100): Promise<string[]> {
  const addresses: string[] = [];
  let from: string | null | undefined;
  do {
    const page = await system.runs({ newestFirst: false, limit, from: from ?? undefined });
    addresses.push(...page.runs.map(({ address }) => address));
    from = page.next;
  } while (from !== null);
  return addresses;
}
