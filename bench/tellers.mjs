/**
 * The module of the measured workers: tellers, which pass a token on to each other. Loaded by the benchmark's threads.
 */
import { assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { ask, defineAgent, reply } from '../dist/index.js';

/**
 * A teller that first gets references to two others: a near one on its own worker, and a far one on another, if there
 * is one.
 */
const tellerMachine = setup({ actors: { ask } }).createMachine({
  id: 'teller',
  context: { told: 0, near: null, far: null, meets: null },
  initial: 'new',
  on: {
    who: { actions: reply(({ self }) => ({ ref: self })) },
  },
  states: {
    new: { on: { meet: { target: 'meetingNear', actions: assign({ meets: ({ event }) => event }) } } },
    meetingNear: {
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ to: context.meets.near, event: { type: 'who' }, timeoutMs: 60_000 }),
        onDone: { target: 'meetingFar', actions: assign({ near: ({ event }) => event.output.ref }) },
      },
    },
    meetingFar: {
      invoke: {
        src: 'ask',
        input: ({ context }) => ({ to: context.meets.far, event: { type: 'who' }, timeoutMs: 60_000 }),
        onDone: { target: 'ready', actions: assign({ far: ({ event }) => event.output.ref, meets: null }) },
      },
    },
    ready: {
      on: {
        pass: {
          actions: [
            assign({ told: ({ context }) => context.told + 1 }),
            enqueueActions(({ context, event: { left, farEvery }, enqueue }) => {
              if (left > 0)
                enqueue.sendTo(left % farEvery === 0 ? context.far : context.near, {
                  type: 'pass',
                  left: left - 1,
                  farEvery,
                });
            }),
          ],
        },
      },
    },
  },
});

const teller = defineAgent({
  name: 'teller',
  machine: tellerMachine,
  events: {
    meet: z.object({ near: z.string(), far: z.string() }),
    pass: z.object({ left: z.number(), farEvery: z.number() }),
    who: z.object({}),
  },
});

export const options = {
  agents: [teller],
  tree: { children: [{ id: 'tellers', boss: { strategy: 'dynamic', template: { agent: 'teller' } } }] },
};
