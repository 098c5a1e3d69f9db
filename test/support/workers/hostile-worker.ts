/**
 * The options of a worker with an agent for each hostile place, and one that counts. Bundled into a module by
 * hostile-module.ts, because threads of Node 20 do not read TypeScript.
 */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type WorkerOptions } from '../../../src/workers/options.ts';
import { PLACES } from '../actors/hostile/places.ts';
import { agentOfPlace } from '../actors/hostile/place.ts';

const witness = defineAgent({
  name: 'witness',
  machine: setup({ types: {} as { context: { count: number }; events: { type: 'COUNT' } } }).createMachine({
    context: { count: 0 },
    on: { COUNT: { actions: assign({ count: ({ context }) => context.count + 1 }) } },
  }),
  events: { COUNT: z.object({}) },
});

const forgetful = defineAgent({
  name: 'forgetful',
  machine: setup({ types: {} as { events: { type: 'MAIL' } } }).createMachine({
    on: {
      MAIL: {
        actions: () => {
          // Nothing returns the promise, so that nothing can watch it.
          void Promise.reject(new Error('mail is down'));
        },
      },
    },
  }),
  events: { MAIL: z.object({}) },
});

export const options: WorkerOptions = {
  agents: [witness, forgetful, ...Object.values(PLACES).map((place, index) => agentOfPlace(`place${index}`, place))],
  tree: {
    intensity: 1_000_000,
    children: [...['w', 'x', 'y', 'z'].map((id) => ({ id, agent: 'witness' })), { id: 'f', agent: 'forgetful' }],
  },
};
