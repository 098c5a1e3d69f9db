/** Agents for tests of workers: one that breaks, one that asks, one that listens. */
import { assign, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { type AnyAgent } from '../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { ask } from '../../../src/actors/model/ask.ts';
import {
  demonitor,
  join,
  link,
  monitor,
  publish,
  register,
  reply,
  unlink,
  unregister,
} from '../../../src/actors/model/talk-actions.ts';

type WorkerEvent =
  | { type: 'work' }
  | { type: 'break' }
  | { type: 'finish' }
  | { type: 'who' }
  | { type: 'order'; event: object };

/** Counts work, breaks when told to, and hands orders to its Boss. */
export const workerAgent: AnyAgent = defineAgent({
  name: 'worker',
  machine: setup({ types: {} as { context: { done: number; input: unknown }; events: WorkerEvent } }).createMachine({
    id: 'worker',
    context: ({ input }) => ({ done: 0, input }),
    initial: 'working',
    states: {
      working: {
        on: {
          work: { actions: assign({ done: ({ context }) => context.done + 1 }) },
          break: {
            actions: assign(() => {
              throw new Error('broken');
            }),
          },
          finish: 'finished',
          who: { actions: reply(({ self }: { self: object }) => ({ ref: self })) },
          order: {
            actions: sendTo(
              ({ self }) => (self as unknown as { _parent: never })._parent,
              ({ event }) => event.event as never,
            ),
          },
        },
      },
      finished: { type: 'final' },
    },
  }),
  events: {
    work: z.object({}),
    break: z.object({}),
    finish: z.object({}),
    who: z.object({}),
    order: z.object({ event: z.looseObject({ type: z.string() }) }),
  },
});

type AskerEvent =
  | { type: 'ask'; to: string; event: { type: string } }
  | { type: 'later'; ms: number }
  | { type: 'watch' | 'unwatch' | 'bind' | 'unbind' }
  | { type: 'watchAddress'; address: string }
  | { type: 'bosun.down'; address: string; reason: string };

/** Asks the given actor and keeps the result. */
export const askerAgent: AnyAgent = defineAgent({
  name: 'asker',
  machine: setup({
    types: {} as {
      context: { got: unknown; ref: object | null; asked: { to: string; event: { type: string } } | null };
      events: AskerEvent;
    },
    actors: { ask },
  }).createMachine({
    id: 'asker',
    context: { got: null, ref: null, asked: null },
    initial: 'ready',
    states: {
      ready: {
        on: {
          ask: { target: 'asking', actions: assign({ asked: ({ event }) => ({ to: event.to, event: event.event }) }) },
          later: {
            actions: sendTo(({ context }) => context.ref as never, { type: 'work' } as never, {
              delay: ({ event }) => event.ms,
            }),
          },
          watch: { actions: monitor(({ context }) => context.ref!) },
          unwatch: { actions: demonitor(({ context }) => context.ref!) },
          bind: { actions: link(({ context }) => context.ref!) },
          unbind: { actions: unlink(({ context }) => context.ref!) },
          watchAddress: {
            actions: monitor(({ event }: { event: AskerEvent }) => (event as { address: string }).address),
          },
          'bosun.down': { actions: assign({ got: ({ event }) => `${event.address} ${event.reason}` }) },
        },
      },
      asking: {
        invoke: {
          src: 'ask',
          input: ({ context }) => ({ ...context.asked!, timeoutMs: 60_000 }),
          onDone: {
            target: 'ready',
            actions: assign({
              got: ({ event }) => event.output,
              ref: ({ event, context }) => (event.output as { ref?: object }).ref ?? context.ref,
            }),
          },
          onError: {
            target: 'ready',
            actions: assign({ got: ({ event }) => ({ code: (event.error as { code?: string }).code }) }),
          },
        },
      },
    },
  }),
  events: {
    ask: z.object({ to: z.string(), event: z.looseObject({ type: z.string() }) }),
    later: z.object({ ms: z.number() }),
    watchAddress: z.object({ address: z.string() }),
    ...Object.fromEntries(['watch', 'unwatch', 'bind', 'unbind'].map((type) => [type, z.object({})])),
  },
});

type ListenerEvent = { type: 'news'; text: string } | { type: 'tell'; text: string };

/** Registers names, and sends to the owner of a name. */
export const bearerAgent: AnyAgent = defineAgent({
  name: 'bearer',
  machine: setup({
    types: {} as {
      context: { got: readonly string[] };
      events:
        | { type: 'take' | 'give' | 'call'; name: string }
        | { type: 'called' }
        | { type: 'bosun.name.taken'; address: string };
    },
  }).createMachine({
    id: 'bearer',
    context: { got: [] },
    on: {
      take: { actions: register(({ event }: { event: { type: string; name?: string } }) => event.name!) },
      give: { actions: unregister(({ event }: { event: { type: string; name?: string } }) => event.name!) },
      call: { actions: sendTo(({ system, event }) => system.get(event.name) as never, { type: 'called' } as never) },
      called: { actions: assign({ got: ({ context }) => [...context.got, 'called'] }) },
      'bosun.name.taken': {
        actions: assign({ got: ({ context, event }) => [...context.got, `taken by ${event.address}`] }),
      },
    },
  }),
  events: Object.fromEntries(['take', 'give', 'call'].map((type) => [type, z.object({ name: z.string() })])),
});

/** A member of a group, which sends events to it. */
export const listenerAgent: AnyAgent = defineAgent({
  name: 'listener',
  machine: setup({ types: {} as { context: { heard: readonly string[] }; events: ListenerEvent } }).createMachine({
    id: 'listener',
    context: { heard: [] },
    entry: join('listeners'),
    on: {
      news: { actions: assign({ heard: ({ context, event }) => [...context.heard, event.text] }) },
      tell: {
        actions: publish('listeners', ({ event }: { event: ListenerEvent }) => ({ type: 'news', text: event.text })),
      },
    },
  }),
  events: { tell: z.object({ text: z.string() }) },
});

export const AGENTS = [workerAgent, askerAgent, listenerAgent, bearerAgent];

/** `count` names on each of two workers, by worker. */
export function placedNames(
  workerOf: (address: string) => number | undefined,
  { count, under }: { count: number; under?: string },
): [string[], string[]] {
  const names: [string[], string[]] = [[], []];
  for (let n = 0; names.some((some) => some.length < count); n++) {
    const some = names[workerOf(under === undefined ? `w${n}` : `${under}/w${n}`)!]!;
    if (some.length < count) some.push(`w${n}`);
  }
  return names;
}
