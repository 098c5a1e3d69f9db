/**
 * Agents that talk to each other: a teller that is asked, a clerk that asks, and a member that watches, links and
 * joins.
 */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { ask } from '../../../src/actors/model/ask.ts';
import {
  demonitor,
  join,
  leave,
  link,
  monitor,
  publish,
  register,
  reply,
  type ReplyTo,
  unlink,
  unregister,
} from '../../../src/actors/model/talk-actions.ts';

type TellerEvent =
  | { type: 'read' }
  | { type: 'add'; amount: number }
  | { type: 'hold'; replyTo?: ReplyTo }
  | { type: 'answer'; value: unknown }
  | { type: 'twice' }
  | { type: 'last' }
  | { type: 'choke' }
  | { type: 'crash' }
  | { type: 'never' };

/**
 * Replies to `read` and `add` with the sum; to `hold` when it gets `answer`; to `twice` two times; to `last` as it
 * ends.
 */
export const teller = defineAgent({
  name: 'teller',
  machine: setup({
    types: {} as { context: { sum: number; asks: number; held: ReplyTo[] }; events: TellerEvent },
  }).createMachine({
    context: { sum: 0, asks: 0, held: [] },
    initial: 'open',
    states: {
      open: {
        on: {
          read: { actions: reply(({ context }) => context.sum) },
          add: {
            actions: [
              assign({ sum: ({ context, event }) => context.sum + event.amount }),
              reply(({ context }) => context.sum),
            ],
          },
          hold: {
            actions: assign({
              asks: ({ context }) => context.asks + 1,
              held: ({ context, event }) => [...context.held, event.replyTo!],
            }),
          },
          answer: {
            actions: [
              reply(({ event }) => event.value, { to: ({ context }) => context.held[0] }),
              assign({ held: ({ context }) => context.held.slice(1) }),
            ],
          },
          twice: { actions: [reply('one'), reply('two')] },
          last: { target: 'closed', actions: reply('goodbye') },
          choke: {
            actions: assign(() => {
              throw new Error('choked');
            }),
          },
          never: {},
          crash: {},
        },
      },
      closed: { type: 'final' },
    },
  }),
  events: {
    read: z.object({}),
    add: z.object({ amount: z.number() }),
    hold: z.object({}),
    answer: z.object({ value: z.unknown() }),
    twice: z.object({}),
    last: z.object({}),
    choke: z.object({}),
    never: z.object({}),
  },
  internal: ['crash'],
});

type ClerkEvent =
  | { type: 'go'; to: string; event: { type: string; [field: string]: unknown }; timeoutMs?: number }
  | { type: 'stop' };

/** On `go` asks the given actor, and records the reply or the code of the failure. */
export const clerk = defineAgent({
  name: 'clerk',
  machine: setup({
    types: {} as {
      context: { notes: unknown[]; order: Extract<ClerkEvent, { type: 'go' }> | null };
      events: ClerkEvent;
    },
    actors: { ask },
  }).createMachine({
    context: { notes: [], order: null },
    initial: 'idle',
    states: {
      idle: { on: { go: { target: 'asking', actions: assign({ order: ({ event }) => event }) } } },
      asking: {
        on: { stop: 'idle' },
        invoke: {
          src: 'ask',
          input: ({ context: { order } }) => ({
            to: order!.to,
            event: order!.event,
            ...(order!.timeoutMs !== undefined && { timeoutMs: order!.timeoutMs }),
          }),
          onDone: {
            target: 'idle',
            actions: assign({ notes: ({ context, event }) => [...context.notes, event.output] }),
          },
          onError: {
            target: 'idle',
            actions: assign({
              notes: ({ context, event }) => [...context.notes, (event.error as { code?: string }).code],
            }),
          },
        },
      },
    },
  }),
  events: {
    go: z.object({ to: z.string(), event: z.looseObject({ type: z.string() }), timeoutMs: z.number().optional() }),
    stop: z.object({}),
  },
});

const text = z.object({ what: z.string() });

/** Does as it is told, and records the events that reach it. */
export const member = defineAgent({
  name: 'member',
  machine: setup({
    types: {} as { context: { notes: unknown[] }; events: { type: string; what: string; [field: string]: unknown } },
  }).createMachine({
    context: { notes: [] },
    initial: 'on',
    states: {
      on: {
        on: {
          monitor: { actions: monitor(({ event }) => event.what) },
          demonitor: { actions: demonitor(({ event }) => event.what) },
          link: { actions: link(({ event }) => event.what) },
          unlink: { actions: unlink(({ event }) => event.what) },
          join: { actions: join(({ event }) => event.what) },
          leave: { actions: leave(({ event }) => event.what) },
          publish: { actions: publish(({ event }) => event.what, { type: 'news', what: 'n' }) },
          register: {
            actions: register(
              ({ event }) => event.what,
              ({ event }) => event['value'],
            ),
          },
          unregister: { actions: unregister(({ event }) => event.what) },
          note: { actions: assign({ notes: ({ context, event }) => [...context.notes, event.what] }) },
          news: { actions: assign({ notes: ({ context }) => [...context.notes, 'news'] }) },
          'bosun.down': {
            actions: assign({
              notes: ({ context, event }) => [...context.notes, ['down', event['address'], event['reason']]],
            }),
          },
          'bosun.name.taken': {
            actions: assign({ notes: ({ context, event }) => [...context.notes, ['taken', event['address']]] }),
          },
          fail: {
            actions: assign(() => {
              throw new Error('failed');
            }),
          },
          end: 'over',
        },
      },
      over: { type: 'final' },
    },
  }),
  events: {
    monitor: text,
    demonitor: text,
    link: text,
    unlink: text,
    join: text,
    leave: text,
    publish: text,
    unregister: text,
    note: text,
    register: text.extend({ value: z.unknown().optional() }),
    fail: z.object({}),
    end: z.object({}),
  },
  internal: ['news'],
});
