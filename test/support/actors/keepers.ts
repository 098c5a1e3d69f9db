/** Agents that store values, set reminders for themselves, and ask each other in cycles. */
import { assign, cancel, enqueueActions, fromPromise, raise, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { ask } from '../../../src/actors/model/ask.ts';
import { reply, type ReplyTo } from '../../../src/actors/model/talk-actions.ts';

/** Stores one value, and a list; the reply to an append is the list's length. */
export const keeper = defineAgent({
  name: 'keeper',
  machine: setup({
    types: {} as {
      context: { value: unknown; list: number[]; input: unknown };
      input: unknown;
      events: { type: 'put'; value?: unknown } | { type: 'get' } | { type: 'append'; n: number } | { type: 'list' };
    },
  }).createMachine({
    context: ({ input }) => ({ value: 'nothing yet', list: [], input: input ?? null }),
    on: {
      put: { actions: [assign({ value: ({ event }) => event.value }), reply('kept')] },
      get: { actions: reply(({ context }) => context.value) },
      append: {
        actions: [
          assign({ list: ({ context, event }) => [...context.list, event.n] }),
          reply(({ context }) => context.list.length),
        ],
      },
      list: { actions: reply(({ context }) => context.list) },
    },
  }),
  events: {
    put: z.object({ value: z.unknown() }),
    get: z.object({}),
    append: z.object({ n: z.number() }),
    list: z.object({}),
  },
  keep: { ended: { count: 0 } },
});

/**
 * Reminders by name: `remind` sets or resets one, `forget` removes it, `every` sets one that repeats itself, with twice
 * the delay from the third time on, and stops after the fifth.
 */
export const waker = defineAgent({
  name: 'waker',
  machine: setup({
    types: {} as {
      context: { rung: string[]; ticks: number };
      events:
        | { type: 'remind'; name: string; ms: number }
        | { type: 'forget'; name: string }
        | { type: 'every'; ms: number }
        | { type: 'ring'; name: string }
        | { type: 'tick'; ms: number };
    },
  }).createMachine({
    context: { rung: [], ticks: 0 },
    on: {
      remind: {
        actions: enqueueActions(({ event: { name, ms }, enqueue }) =>
          enqueue.raise({ type: 'ring', name }, { id: name, delay: ms }),
        ),
      },
      forget: { actions: cancel(({ event }) => event.name) },
      ring: {
        actions: [
          assign({ rung: ({ context, event }) => [...context.rung, event.name] }),
          cancel(({ event }) => event.name),
        ],
      },
      every: {
        actions: raise(({ event }) => ({ type: 'tick', ms: event.ms }), { id: 'tick', delay: ({ event }) => event.ms }),
      },
      tick: [
        { guard: ({ context }) => context.ticks === 4, actions: [assign({ ticks: 5 }), cancel('tick')] },
        {
          actions: [
            assign({ ticks: ({ context }) => context.ticks + 1 }),
            raise(({ event }) => ({ type: 'tick', ms: event.ms }), {
              id: 'tick',
              delay: ({ context, event }) => event.ms * (context.ticks >= 3 ? 2 : 1),
            }),
          ],
        },
      ],
    },
  }),
  events: {
    remind: z.object({ name: z.string(), ms: z.number() }),
    forget: z.object({ name: z.string() }),
    every: z.object({ ms: z.number() }),
  },
  internal: ['ring', 'tick'],
});

type RelayEvent =
  | { type: 'go'; to: string; back: string }
  | { type: 'fetch'; back: string; replyTo?: ReplyTo }
  | { type: 'read' };

/**
 * On `go` asks `to` to fetch the reply of `back` to `read`. Replies with its own value at any time, also while it
 * waits.
 */
export const relay = defineAgent({
  name: 'relay',
  machine: setup({
    types: {} as {
      context: { got: unknown; event: { to: string; type: string; back: string }; replyTo: ReplyTo | undefined };
      events: RelayEvent;
    },
    actors: { ask },
  }).createMachine({
    context: { got: null, event: { to: '', type: '', back: '' }, replyTo: undefined },
    initial: 'idle',
    on: { read: { actions: reply('read') } },
    states: {
      idle: {
        on: {
          go: {
            target: 'asking',
            actions: assign({
              event: ({ event }) => ({ to: event.to, type: 'fetch', back: event.back }),
              replyTo: undefined,
            }),
          },
          fetch: {
            target: 'asking',
            actions: assign({
              event: ({ event }) => ({ to: event.back, type: 'read', back: '' }),
              replyTo: ({ event }) => event.replyTo,
            }),
          },
        },
      },
      asking: {
        invoke: {
          src: 'ask',
          input: ({
            context: {
              event: { to, type, back },
            },
          }) => ({ to, event: { type, ...(back !== '' && { back }) } }),
          onDone: {
            target: 'idle',
            actions: [
              assign({ got: ({ event }) => event.output }),
              reply(({ event }) => event.output, { to: ({ context }) => context.replyTo }),
            ],
          },
          onError: { target: 'idle', actions: assign({ got: ({ event }) => (event.error as { code?: string }).code }) },
        },
      },
    },
  }),
  events: {
    go: z.object({ to: z.string(), back: z.string() }),
    fetch: z.object({ back: z.string() }),
    read: z.object({}),
  },
});

/** An agent that invokes work which fails so often, at once, before it succeeds; the agent allows three failures. */
export function tried(failures: { left: number; starts: number }) {
  const work = fromPromise(() => {
    failures.starts += 1;
    return failures.left-- > 0 ? Promise.reject(new Error('not yet')) : Promise.resolve('at last');
  });
  return defineAgent({
    name: 'tried',
    machine: setup({ types: {} as { context: { end: unknown } }, actors: { work } }).createMachine({
      context: { end: null },
      initial: 'working',
      states: {
        working: {
          invoke: {
            src: 'work',
            onDone: { target: 'over', actions: assign({ end: ({ event }) => event.output }) },
            onError: { target: 'over', actions: assign({ end: ({ event }) => (event.error as Error).message }) },
          },
        },
        over: {},
      },
    }),
    events: {},
    effects: { work: { retry: { attempts: 4, backoff: { minMs: 100, maxMs: 100, jitter: 0 } } } },
  });
}
