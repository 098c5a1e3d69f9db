/** A small system for the gateway's tests: a counter, a till with secrets, and an agent that answers questions. */
import { assign, createMachine, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { reply, type ReplyTo } from '../../../src/actors/model/talk-actions.ts';
import { type TestSystemOptions } from '../../../src/testing/test-system.ts';

export const counter = defineAgent({
  name: 'counter',
  machine: setup({
    types: {} as {
      context: { count: number; seen: readonly string[] };
      events:
        | { type: 'add'; by: number; tag?: string }
        | { type: 'close' }
        | { type: 'count'; replyTo: ReplyTo }
        | { type: 'fail' };
    },
  }).createMachine({
    context: { count: 0, seen: [] },
    initial: 'open',
    on: { count: { actions: reply(({ context }) => context.count) } },
    states: {
      open: {
        tags: ['ready'],
        on: {
          add: {
            actions: [
              assign(({ context, event }) => ({
                count: context.count + event.by,
                seen: event.tag === undefined ? context.seen : [...context.seen, event.tag],
              })),
              emit(({ context }) => ({ type: 'counted', count: context.count })),
            ],
          },
          close: 'closed',
          fail: {
            actions: assign(() => {
              throw new Error('cannot');
            }),
          },
        },
      },
      closed: {},
    },
  }),
  events: {
    add: z.object({ by: z.number(), tag: z.string().optional() }),
    close: z.object({}),
    count: z.object({}),
    fail: z.object({}),
  },
});

export const till = defineAgent({
  name: 'till',
  machine: setup({
    types: {} as {
      context: { card: string; owner: { name: string; pin: string }; notes: readonly string[] };
      events: { type: 'pay'; card: string; amount: number };
    },
  }).createMachine({
    context: { card: '', owner: { name: 'Ada', pin: '4711' }, notes: [] },
    on: { pay: { actions: [assign({ card: ({ event }) => event.card }), emit(({ event }) => event)] } },
  }),
  events: { pay: z.object({ card: secret(z.string()).min(4), amount: z.number() }) },
  shown: {
    context: z.object({
      card: secret(z.string()).optional(),
      owner: z.object({ name: z.string(), pin: secret(z.string()) }),
    }),
  },
});

/** An agent that accepts questions and never replies. */
export const deaf = defineAgent({
  name: 'deaf',
  machine: createMachine({ context: {}, on: { hear: { actions: () => {} } } }),
  events: { hear: z.object({}) },
});

export const shop = (changes: Partial<TestSystemOptions> = {}): TestSystemOptions => ({
  agents: [counter, till, deaf],
  tree: {
    intensity: 100,
    children: [
      { id: 'visits', agent: 'counter' },
      { id: 'till', agent: 'till' },
      { id: 'back/visits', agent: 'counter' },
      { id: 'deaf', agent: 'deaf' },
    ],
  },
  ...changes,
});
