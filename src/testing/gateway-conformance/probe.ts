/**
 * The agent on which conformance rows run if the server has it: state that changes, a reply, events, a secret, an end.
 * Add it to a system like any other: `createSystem({ agents: [..., conformanceProbe] })`.
 */
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../actors/api/define-agent.ts';
import { secret } from '../../actors/model/secret.ts';
import { reply, type ReplyTo } from '../../actors/model/talk-actions.ts';

type ProbeEvent =
  | { type: 'add'; by: number }
  | { type: 'keep'; pin: string }
  | { type: 'close' }
  | { type: 'count'; replyTo: ReplyTo }
  | { type: 'end' };

const machine = setup({ types: {} as { context: { count: number; pin: string }; events: ProbeEvent } }).createMachine({
  context: { count: 0, pin: '' },
  initial: 'open',
  on: { count: { actions: reply(({ context }) => context.count) }, end: '.ended' },
  states: {
    open: {
      tags: ['ready'],
      on: {
        add: {
          actions: [
            assign({ count: ({ context, event }) => context.count + event.by }),
            emit(({ context }) => ({ type: 'counted', count: context.count })),
          ],
        },
        keep: { actions: assign({ pin: ({ event }) => event.pin }) },
        close: 'closed',
      },
    },
    closed: {},
    ended: { type: 'final' },
  },
});

/** The agent that a server includes to be checked for conformance. */
export const conformanceProbe = defineAgent({
  name: 'bosun-conformance',
  machine,
  events: {
    add: z.object({ by: z.number() }),
    keep: z.object({ pin: secret(z.string()) }),
    close: z.object({}),
    count: z.object({}),
    end: z.object({}),
  },
  shown: {
    context: z.object({ count: z.number(), pin: secret(z.string()) }),
    emitted: { counted: z.object({ count: z.number() }) },
  },
});
