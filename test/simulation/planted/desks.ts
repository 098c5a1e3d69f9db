/** Two desks, with two classic mistakes of waiting, and a scale that a wrong weight breaks. */
import { ask, defineAgent, reply } from 'bosun';
import { finally_, simulation, type Simulation } from 'bosun/testing';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';

const empty = z.object({});

/** `hasBug`: each asks the other and answers nobody meanwhile. */
export function desks(hasBug: boolean): Simulation<undefined> {
  const machine = setup({
    types: {} as { context: { other: string }; input: { other: string } },
    actors: { ask },
  }).createMachine({
    context: ({ input }) => ({ other: input.other }),
    initial: 'free',
    states: {
      free: { on: { work: 'asking', question: { actions: reply(() => 1) } } },
      asking: {
        on: hasBug ? {} : { question: { actions: reply(() => 0) } },
        invoke: {
          src: 'ask',
          input: ({ context }) => ({ to: context.other, event: { type: 'question' }, timeoutMs: 3_600_000 }),
          onDone: 'free',
          onError: hasBug ? 'stuck' : 'free',
        },
      },
      stuck: {},
    },
  });
  const desk = defineAgent({ name: 'desk', machine, events: { work: empty, question: empty } });
  return simulation<undefined>({
    system: () => ({
      agents: [desk],
      tree: {
        children: [
          { id: 'a', agent: 'desk', input: { other: 'b' } },
          { id: 'b', agent: 'desk', input: { other: 'a' } },
        ],
      },
    }),
    clients: ({ chance }) => [{ address: chance.pick(['a', 'b']), event: { type: 'work' } }],
    properties: [
      finally_('everybody is free', ({ snapshot }) => {
        const busy = ['a', 'b'].find((address) => snapshot(address)?.value !== 'free');
        return busy === undefined || `${busy} is ${String(snapshot(busy)?.value)}`;
      }),
    ],
    // A machine that sleeps for an hour ends an ask, whose reply then comes too late.
    tolerates: ['no dead letter goes unmentioned'],
    steps: 30,
  });
}

/** `hasBug`: it waits for an answer that may never come, without a limit. */
export function caller(hasBug: boolean): Simulation<undefined> {
  const machine = setup({ actors: { call: fromPromise(async () => 0) } }).createMachine({
    initial: 'idle',
    states: {
      idle: { on: { call: 'calling' } },
      calling: { invoke: { src: 'call', onDone: 'idle', onError: 'idle' } },
    },
  });
  const effects = hasBug ? {} : { call: { timeoutMs: 5_000 } };
  const agent = defineAgent({ name: 'caller', machine, events: { call: empty }, effects });
  return simulation<undefined>({
    system: () => ({ agents: [agent], tree: { children: [{ id: 'c1', agent: 'caller' }] } }),
    effects: { 'caller.call': { run: () => 1, hangs: 0.1 } },
    steps: 30,
  });
}

/** `hasBug`: a weight of nothing makes it throw. */
export function scale(hasBug: boolean): Simulation<undefined> {
  const machine = setup({
    types: {} as { context: { n: number }; events: { type: 'weigh'; grams: number } },
  }).createMachine({
    context: { n: 0 },
    on: {
      weigh: {
        actions: assign({
          n: ({ context, event }) => {
            if (hasBug && event.grams === 0) throw new RangeError('nothing on it');
            return context.n + 1;
          },
        }),
      },
    },
  });
  const agent = defineAgent({ name: 'scale', machine, events: { weigh: z.object({ grams: z.int().min(0).max(50) }) } });
  return simulation<undefined>({
    system: () => ({
      agents: [agent],
      tree: { intensity: 1_000, children: [{ id: 's1', agent: 'scale' }] },
    }),
    steps: 30,
  });
}
