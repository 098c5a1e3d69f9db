/** A shop whose orders are paid through an effect, with three classic mistakes, each beside its mended twin. */
import { defineAgent } from 'bosun';
import { always, finally_, simulation, sometimes, type Simulation } from 'bosun/testing';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';

/** Charges by order: the keys that the bank knows them by. */
export interface Bank {
  readonly charged: Map<string, Set<string>>;
  tries: number;
}

/**
 * `key`: the bank is given a new key by each try, so that a repeat is charged again. `timer`: an order expires while it
 * is being paid. `memory`: items are counted in a variable of the module.
 */
export type ShopBug = 'key' | 'timer' | 'memory';

const empty = z.object({});

function orderAgent(bug: ShopBug | null) {
  const counted = new Map<string, number>();
  const machine = setup({
    types: {} as {
      context: { id: string; items: number };
      input: { id: string };
      events: { type: 'add' } | { type: 'pay' };
    },
    actors: { charge: fromPromise(async (_: { input: { id: string } }) => 0) },
    actions: {
      count:
        bug === 'memory'
          ? ({ context: { id } }) => void counted.set(id, (counted.get(id) ?? 0) + 1)
          : assign({ items: ({ context }) => context.items + 1 }),
      total: assign({
        items: ({ context: { id, items } }) => (bug === 'memory' ? (counted.get(id) ?? 0) : items),
      }),
    },
  }).createMachine({
    id: 'order',
    context: ({ input }) => ({ id: input.id, items: 0 }),
    initial: 'open',
    states: {
      open: { on: { add: { actions: 'count' }, pay: 'paying' } },
      paying: {
        invoke: {
          src: 'charge',
          input: ({ context }) => ({ id: context.id }),
          onDone: { target: 'paid', actions: 'total' },
          onError: { target: 'paying', reenter: true },
        },
        ...(bug === 'timer' && { after: { 50: 'expired' } }),
      },
      paid: {},
      expired: {},
    },
  });
  return defineAgent({ name: 'order', machine, events: { add: empty, pay: empty } });
}

export function shop(bug: ShopBug | null): Simulation<Bank> {
  return simulation({
    world: (): Bank => ({ charged: new Map(), tries: 0 }),
    effects: {
      'order.charge': {
        latencyMs: [0, 100],
        run: (input, { world, address, effectId }) => {
          const { id } = input as { id: string };
          // Another order of the same customer is another charge; a repeat of this one is not.
          const key = bug === 'key' ? `try ${++world.tries}` : `${address} ${effectId.split('/', 1)[0]}`;
          world.charged.set(id, (world.charged.get(id) ?? new Set()).add(key));
          return world.charged.get(id)!.size;
        },
      },
    },
    system: () => ({
      agents: [orderAgent(bug)],
      tree: { intensity: 1_000, children: ['o1', 'o2'].map((id) => ({ id, agent: 'order', input: { id } })) },
    }),
    properties: [
      always('an order is charged once', ({ world }) => {
        for (const [id, keys] of world.charged) if (keys.size > 1) return `${id} was charged ${keys.size} times`;
        return true;
      }),
      finally_('who was charged is paid', ({ world, snapshot }) => {
        for (const id of world.charged.keys())
          if (snapshot(id)?.value !== 'paid') return `${id} was charged and is ${JSON.stringify(snapshot(id)?.value)}`;
        return true;
      }),
      finally_('no item is forgotten', ({ acked, snapshot }) => {
        for (const id of ['o1', 'o2']) {
          const own = acked.filter(({ address }) => address === id);
          const pay = own.findIndex(({ event }) => event.type === 'pay');
          const sure = own.slice(0, Math.max(0, pay)).length;
          const { items = 0 } = (snapshot(id)?.context ?? {}) as { items?: number };
          // Two events that are on their way together may come in either order.
          if (bug === 'memory' && snapshot(id)?.value === 'paid' && items < sure)
            return `${id}: ${sure} were added, it has ${items}`;
        }
        return true;
      }),
      sometimes('an order is paid', ({ snapshot }) => snapshot('o1')?.value === 'paid'),
    ],
  });
}
