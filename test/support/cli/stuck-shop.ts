/**
 * A config whose order hangs: it was paid while the warehouse counts its stock, and the warehouse puts reservations off
 * until it has counted. It imports the built package, as a process of its own does.
 */
import { fileURLToPath } from 'node:url';

const PACKAGE = JSON.stringify(fileURLToPath(new URL('../../../dist/index.js', import.meta.url)));

export const STUCK_SHOP = `
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { ask, defer, defineAgent, reply } from ${PACKAGE};

const warehouse = defineAgent({
  name: 'warehouse',
  machine: setup({ types: {} as { context: { parcels: number; note: string } } }).createMachine({
    context: { parcels: 0, note: '' },
    initial: 'open',
    states: {
      open: {
        on: {
          reserve: {
            actions: [
              assign({ parcels: ({ context }) => context.parcels + 1 }),
              reply(({ context }) => 'parcel ' + context.parcels),
            ],
          },
          count: 'counting',
        },
      },
      counting: {
        entry: assign({ note: 'stocktaking: nothing leaves until the pieces are counted' }),
        on: { reserve: { actions: defer() }, counted: 'open' },
      },
    },
  }),
  events: { reserve: z.object({ order: z.string() }), count: z.object({}), counted: z.object({ pieces: z.int() }) },
});

const order = defineAgent({
  name: 'order',
  machine: setup({
    types: {} as { context: { item: string; parcel: string | null } },
    actors: { ask },
  }).createMachine({
    context: { item: '', parcel: null },
    initial: 'open',
    on: { status: { actions: reply(({ context }) => context.parcel ?? 'not sent') } },
    states: {
      open: { on: { pay: { target: 'reserving', actions: assign({ item: ({ event }) => event.item }) } } },
      reserving: {
        invoke: {
          src: 'ask',
          input: ({ context }) => ({
            to: 'warehouse',
            event: { type: 'reserve', order: context.item },
            timeoutMs: 86_400_000,
          }),
          onDone: { target: 'sent', actions: assign({ parcel: ({ event }) => String(event.output) }) },
          onError: 'failed',
        },
      },
      sent: {},
      failed: {},
    },
  }),
  events: { pay: z.object({ item: z.string() }), status: z.object({}) },
});

const orders = ['o-1', 'o-2', 'o-3'].map((id) => ({ id, agent: 'order' }));

export default {
  agents: [warehouse, order],
  tree: { children: [{ id: 'warehouse', agent: 'warehouse' }, { id: 'orders', boss: { children: orders } }] },
};
`;
