/** A till that counts, rings and tells the outside: what it shows is wrong as soon as the kernel breaks a promise. */
import { defineAgent } from 'bosun';
import { finally_, simulation, type Simulation, type SimulatedSystem } from 'bosun/testing';
import { assign, setup } from 'xstate';
import { z } from 'zod';

interface Outside {
  readonly told: Set<string>;
}

interface Context {
  readonly count: number;
  readonly wanted: number;
}

const empty = z.object({});

function tillAgent(isDurable: boolean) {
  return defineAgent({
    name: 'till',
    machine: setup({
      types: {} as { context: Context; events: { type: 'add' } | { type: 'arm' } | { type: 'tell' } },
      actions: { notify: (_, params: { n: number }) => void params },
    }).createMachine({
      context: { count: 0, wanted: 0 },
      initial: 'idle',
      states: { idle: { on: { arm: 'armed' } }, armed: { after: { 1_000: 'idle' } } },
      on: {
        add: { actions: assign({ count: ({ context }) => context.count + 1 }) },
        tell: {
          actions: [
            assign({ wanted: ({ context }) => context.wanted + 1 }),
            { type: 'notify', params: ({ context }) => ({ n: context.wanted }) },
          ],
        },
      },
    }),
    events: { add: empty, arm: empty, tell: empty },
    ...(isDurable && { actions: { notify: { durable: true } } }),
  });
}

export function till(options: Partial<SimulatedSystem> & { isDurable?: boolean } = {}): Simulation<Outside> {
  const { isDurable = true, ...system } = options;
  const agents = [tillAgent(isDurable)];
  return simulation<Outside>({
    world: () => ({ told: new Set() }),
    system: () => ({ agents, tree: { children: [{ id: 't1', agent: 'till' }] }, ...system }),
    effects: {
      'till.notify': {
        fails: isDurable ? 0.1 : 0,
        losesAnswer: 0,
        run: (params, { world }) => void world.told.add(String((params as { n: number }).n)),
      },
    },
    properties: [
      finally_('everything is counted once', ({ acked, snapshot }) => {
        const adds = acked.filter(({ event }) => event.type === 'add').length;
        const { count } = snapshot('t1')?.context as Context;
        return count === adds || `t1 has counted ${count} of ${adds}`;
      }),
      finally_('it rings', ({ snapshot }) => snapshot('t1')?.value === 'idle' || 't1 has never rung'),
      finally_('everything is told', ({ world, snapshot }) => {
        const { wanted } = snapshot('t1')?.context as Context;
        return world.told.size === wanted || `t1 wanted to tell ${wanted} times, ${world.told.size} were heard`;
      }),
    ],
    steps: 30,
  });
}
