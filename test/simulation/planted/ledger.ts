/** Tellers who keep a ledger outside, with two classic mistakes of writing there, each beside its mended twin. */
import { defineAgent } from 'bosun';
import { finally_, simulation, sometimes, type Simulation } from 'bosun/testing';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';

interface Ledger {
  sum: number;
  /** Entries by the payment that they are for: a repeat is known. */
  readonly entries: Set<string>;
}

const PAID = 5;
const events = { pay: z.object({}) };

/** `hasBug`: two read the sum, add to it and write it, and one overwrites what the other has added. */
export function tellers(hasBug: boolean): Simulation<Ledger> {
  const machine = setup({
    types: {} as { context: { paid: number; seen: number }; events: { type: 'pay' } },
    actors: {
      read: fromPromise(async () => 0),
      write: fromPromise(async (_: { input: { payment: number; seen: number } }) => {}),
    },
  }).createMachine({
    context: { paid: 0, seen: 0 },
    initial: 'free',
    states: {
      free: { on: { pay: { target: 'reading', actions: assign({ paid: ({ context }) => context.paid + 1 }) } } },
      reading: {
        invoke: {
          src: 'read',
          onDone: { target: 'writing', actions: assign({ seen: ({ event }) => event.output }) },
          onError: { target: 'reading', reenter: true },
        },
      },
      writing: {
        invoke: {
          src: 'write',
          input: ({ context }) => ({ payment: context.paid, seen: context.seen }),
          onDone: 'free',
          onError: { target: 'writing', reenter: true },
        },
      },
    },
  });
  const agents = [defineAgent({ name: 'teller', machine, events })];
  return simulation<Ledger>({
    world: () => ({ sum: 0, entries: new Set() }),
    system: () => ({ agents, tree: { children: ['t1', 't2'].map((id) => ({ id, agent: 'teller' })) } }),
    effects: {
      'teller.read': { run: (_, { world }) => world.sum },
      'teller.write': {
        losesAnswer: 0,
        run: (input, { world, address }) => {
          const { payment, seen } = input as { payment: number; seen: number };
          // Not by the effect's id: a machine that tries again invokes another effect, and the first may still arrive.
          const entry = `${address} ${payment}`;
          if (!world.entries.has(entry)) world.sum = (hasBug ? seen : world.sum) + PAID;
          world.entries.add(entry);
        },
      },
    },
    properties: [
      finally_('what was paid is in the ledger', ({ world, actors }) => {
        const paid = actors('teller').reduce((sum, { context }) => sum + (context as { paid: number }).paid, 0);
        return world.sum === paid * PAID || `${world.sum} of ${paid * PAID}`;
      }),
      sometimes('both pay', ({ actors }) =>
        actors('teller').every(({ context }) => (context as { paid: number }).paid > 0),
      ),
    ],
    steps: 30,
  });
}

/** `hasBug`: money is taken from one side, and not given back where the other side refuses it. */
export function transfers(hasBug: boolean): Simulation<undefined> {
  const machine = setup({
    types: {} as { context: { own: number; gone: number }; events: { type: 'pay' } },
    actors: { give: fromPromise(async () => {}) },
  }).createMachine({
    context: { own: 100, gone: 0 },
    initial: 'free',
    states: {
      free: {
        on: {
          pay: {
            guard: ({ context }) => context.own >= PAID,
            target: 'giving',
            actions: assign({ own: ({ context }) => context.own - PAID }),
          },
        },
      },
      giving: {
        invoke: {
          src: 'give',
          onDone: { target: 'free', actions: assign({ gone: ({ context }) => context.gone + PAID }) },
          onError: hasBug ? 'free' : { target: 'free', actions: assign({ own: ({ context }) => context.own + PAID }) },
        },
      },
    },
  });
  const agents = [defineAgent({ name: 'payer', machine, events })];
  return simulation<undefined>({
    system: () => ({ agents, tree: { children: [{ id: 'p1', agent: 'payer' }] } }),
    effects: { 'payer.give': { run: () => {}, fails: 0.1, losesAnswer: 0 } },
    properties: [
      finally_('nothing is lost', ({ snapshot }) => {
        const { own, gone } = snapshot('p1')?.context as { own: number; gone: number };
        return own + gone === 100 || `p1 has ${own} and has given ${gone}`;
      }),
    ],
    steps: 30,
  });
}
