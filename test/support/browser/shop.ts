/**
 * A served system without a plan: orders with a chart worth seeing, a ledger that fails on some events, and a Boss over
 * some of them.
 */
import { fileURLToPath } from 'node:url';
import { Served } from './served.ts';

/** The package as the server imports it: marks of secrets are specific to the package instance that made them. */
const BOSUN = JSON.stringify(fileURLToPath(new URL('../../../dist/index.js', import.meta.url)));

const CONFIG = (gateway: string) => `
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent, record, secret } from ${BOSUN};

const isPaid = ({ context, event }) => context.paid + event.amount >= context.total;
const pay = assign({ paid: ({ context, event }) => context.paid + event.amount });

const order = defineAgent({
  name: 'order',
  machine: setup({ delays: { PATIENCE: 3600000 }, guards: { isPaid }, actions: { pay } }).createMachine({
    id: 'order',
    context: { total: 120, paid: 0, card: '4111-1111', lines: [{ sku: 'A-1', count: 2 }, { sku: 'B-7', count: 1 }] },
    initial: 'open',
    output: ({ context: { paid, lines } }) => ({ paid, lines }),
    states: {
      open: {
        tags: ['billable'],
        description: 'Waits for payment.',
        on: {
          pay: [{ guard: 'isPaid', target: 'fulfilling', actions: 'pay' }, { actions: 'pay' }],
          cancel: 'cancelled',
        },
        after: { PATIENCE: 'reminded' },
      },
      reminded: { on: { pay: { target: 'fulfilling', actions: 'pay' }, cancel: 'cancelled' } },
      fulfilling: {
        type: 'parallel',
        onDone: 'shipped',
        on: { cancel: 'cancelled' },
        states: {
          stock: {
            initial: 'reserving',
            states: { reserving: { on: { reserved: 'reserved' } }, reserved: { type: 'final' } },
          },
          papers: {
            initial: 'printing',
            states: { printing: { on: { printed: 'printed' } }, printed: { type: 'final' } },
          },
        },
      },
      shipped: {},
      cancelled: { type: 'final' },
    },
  }),
  events: {
    pay: z.object({
      amount: z.number().int().min(1).max(1000).describe('In euros.'),
      by: z.enum(['card', 'cash']),
      note: z.string().max(80).optional(),
    }),
    cancel: z.object({}),
    reserved: z.object({}),
    printed: z.object({}),
  },
  shown: { context: z.looseObject({ card: secret(z.string()) }) },
  trace: { keep: 100 },
});

const ledger = defineAgent({
  name: 'ledger',
  machine: setup({}).createMachine({
    id: 'ledger',
    context: { sum: 0 },
    on: {
      add: {
        actions: [
          assign({
            sum: ({ context, event }) => {
              if (event.by < 0) throw new Error('cannot add ' + event.by);
              return context.sum + event.by;
            },
          }),
          record('entries', ({ context, event }) => ({ by: event.by, sum: context.sum, pin: '4711' })),
        ],
      },
    },
  }),
  events: { add: z.object({ by: z.number() }) },
  records: { entries: { schema: z.object({ by: z.number(), sum: z.number(), pin: secret(z.string()) }) } },
});

export default {
  agents: [order, ledger],
  tree: {
    intensity: 100,
    children: [
      {
        id: 'orders',
        boss: {
          intensity: 5,
          periodMs: 60000,
          children: ['1001', '1002', '1003'].map((id) => ({ id, agent: 'order', restart: 'transient' })),
        },
      },
      { id: 'ledger', agent: 'ledger' },
    ],
  },
  gateway: ${gateway},
};
`;

export async function servedShop(gateway = '{ destructive: true }'): Promise<Served> {
  const served = new Served([]);
  served.work.write('bosun.config.mjs', CONFIG(gateway));
  return served.start();
}
