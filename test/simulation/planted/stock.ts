/**
 * A buyer that takes silence for a no, and its mended twin. The fault shows only where an answer comes too late. It was
 * made from the page of the simulator, without a look into it.
 */
import { ask, defer, defineAgent, reply } from 'bosun';
import { finally_, simulation, sometimes } from 'bosun/testing';
import { assign, fromPromise, sendTo, setup } from 'xstate';
import { z } from 'zod';

const STORES = ['near', 'far'];

/** Reserves goods for a buyer, and looks at the shelf before. It is asked by one buyer at a time. */
const store = defineAgent({
  name: 'store',
  machine: setup({
    types: {} as {
      context: { reserved: readonly string[]; buyer: string; asker: unknown };
      events: { type: 'reserve'; buyer: string } | { type: 'release'; buyer: string };
    },
    actors: { look: fromPromise<void>(async () => {}) },
  }).createMachine({
    context: { reserved: [], buyer: '', asker: null },
    initial: 'open',
    states: {
      open: {
        on: {
          reserve: {
            target: 'looking',
            actions: assign(({ event }) => ({
              buyer: event.buyer,
              asker: (event as unknown as { replyTo: unknown }).replyTo,
            })),
          },
          release: {
            actions: assign({
              reserved: ({ context, event }) => context.reserved.filter((buyer) => buyer !== event.buyer),
            }),
          },
        },
      },
      looking: {
        on: { reserve: { actions: defer() }, release: { actions: defer() } },
        invoke: {
          src: 'look',
          onDone: {
            target: 'open',
            actions: [
              assign({ reserved: ({ context }) => [...context.reserved, context.buyer] }),
              reply('yes', { to: ({ context }) => context.asker as never }),
            ],
          },
        },
      },
    },
  }),
  events: {},
  effects: { look: { retry: { attempts: 20 }, timeoutMs: 8_000 } },
});

/** Reserves with the near store, and with the far one where that says no. With the bug, silence is a no. */
const buyerOf = (hasBug: boolean) =>
  defineAgent({
    name: 'buyer',
    machine: setup({
      types: {} as { context: { name: string }; input: { name: string }; events: { type: 'buy' } },
      actors: { ask },
      actions: {
        release: sendTo(
          ({ system }) => system.get('near'),
          ({ context }) => ({ type: 'release', buyer: context.name }),
        ),
      },
    }).createMachine({
      context: ({ input }) => ({ name: input.name }),
      initial: 'idle',
      states: {
        idle: { on: { buy: 'askingNear' } },
        askingNear: {
          invoke: {
            src: 'ask',
            input: ({ context }) => ({
              to: 'near',
              event: { type: 'reserve', buyer: context.name },
              timeoutMs: 5_000,
            }),
            onDone: 'bought',
            onError: { target: 'askingFar', actions: hasBug ? [] : ['release'] },
          },
        },
        askingFar: {
          invoke: {
            src: 'ask',
            input: ({ context }) => ({
              to: 'far',
              event: { type: 'reserve', buyer: context.name },
              timeoutMs: 3_600_000,
            }),
            onDone: 'bought',
          },
        },
        bought: {},
      },
    }),
    events: { buy: z.object({}) },
  });

/** A question that was not answered in time, taken for a no. */
export function reservations(hasBug: boolean) {
  const buyers = ['ann', 'bob'];
  return simulation({
    system: () => ({
      agents: [store, buyerOf(hasBug)],
      tree: {
        children: [
          ...STORES.map((id) => ({ id, agent: 'store', systemId: id })),
          ...buyers.map((name) => ({ id: name, agent: 'buyer', input: { name } })),
        ],
      },
    }),
    effects: { 'store.look': { latencyMs: [0, 500], fails: 0.05, hangs: 0.02, run: () => undefined } },
    properties: [
      finally_('a buyer has one reservation', ({ snapshot }) => {
        const reserved = STORES.flatMap((id) => (snapshot(id)?.context as { reserved: string[] }).reserved);
        for (const name of buyers) {
          const count = reserved.filter((buyer) => buyer === name).length;
          if (count !== (snapshot(name)?.value === 'idle' ? 0 : 1)) return `${name} has ${count} reservations`;
        }
        return true;
      }),
      sometimes('somebody has bought', ({ snapshot }) => snapshot('ann')?.value === 'bought'),
    ],
    tolerates: ['no dead letter goes unmentioned'], // the late answer of the store
    steps: 20,
  });
}
