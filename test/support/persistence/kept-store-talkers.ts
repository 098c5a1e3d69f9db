/** Agents of the kept stores that talk to each other: asks, deferred messages, children of a machine, groups, links. */
import {
  type AnyAgent,
  ask,
  defer,
  defineAgent,
  join,
  leave,
  link,
  monitor,
  register,
  reply,
  type ReplyTo,
} from 'bosun';
import { assign, enqueueActions, sendTo, setup, stopChild } from 'xstate';
import { z } from 'zod';

/** The longest that an ask may wait. */
const DAY_MS = 86_400_000;

/** The Boss under which an actor lives, as its input: names and addresses are made from it. */
interface Home {
  readonly home: string;
}

type ClerkEvent = { type: 'read'; replyTo?: ReplyTo } | { type: 'size' } | { type: 'answer'; value: string };

/** Answers `size` at once, and each `read` with the next `answer`. */
const clerk = defineAgent({
  name: 'clerk',
  machine: setup({
    types: {} as { context: { waiting: ReplyTo[]; answered: number }; events: ClerkEvent },
  }).createMachine({
    id: 'clerk',
    context: { waiting: [], answered: 0 },
    on: {
      size: { actions: reply(({ context }) => ({ waiting: context.waiting.length })) },
      read: { actions: assign({ waiting: ({ context, event }) => [...context.waiting, event.replyTo!] }) },
      answer: {
        actions: enqueueActions(({ enqueue, context, event }) => {
          for (const to of context.waiting) enqueue(reply(event.value, { to }));
          enqueue.assign({ waiting: [], answered: context.answered + 1 });
        }),
      },
    },
  }),
  events: { read: z.object({}), size: z.object({}), answer: z.object({ value: z.string() }) },
});

/** Asks the clerk of its home, and waits for a day. */
const asker = defineAgent({
  name: 'asker',
  machine: setup({
    types: {} as { context: Home & { got: unknown }; input: Home },
    actors: { ask },
  }).createMachine({
    id: 'asker',
    context: ({ input }) => ({ home: input.home, got: null }),
    initial: 'asking',
    states: {
      asking: {
        invoke: {
          src: 'ask',
          input: ({ context }) => ({ to: `${context.home}/clerk`, event: { type: 'read' }, timeoutMs: DAY_MS }),
          onDone: { target: 'answered', actions: assign({ got: ({ event }) => event.output }) },
          onError: 'failed',
        },
      },
      answered: {},
      failed: {},
    },
  }),
  events: {},
});

/** Leaves everybody outside until it is unlocked. */
const door = defineAgent({
  name: 'door',
  machine: setup({
    types: {} as { context: { inside: string[] }; events: { type: 'enter'; who: string } | { type: 'unlock' } },
  }).createMachine({
    id: 'door',
    context: { inside: [] },
    initial: 'shut',
    states: {
      shut: { on: { enter: { actions: defer() }, unlock: 'ajar' } },
      ajar: { on: { enter: { actions: assign({ inside: ({ context, event }) => [...context.inside, event.who] }) } } },
    },
  }),
  events: { enter: z.object({ who: z.string() }), unlock: z.object({}) },
});

const room = setup({
  types: {} as { context: { guests: number }; input: { guests: number }; events: { type: 'enter' } },
}).createMachine({
  id: 'room',
  context: ({ input }) => ({ guests: input.guests }),
  on: { enter: { actions: assign({ guests: ({ context }) => context.guests + 1 }) } },
});

/** A machine with children of its own: one that it invokes, and one that it spawns under a name of the system. */
const hall = defineAgent({
  name: 'hall',
  machine: setup({
    types: {} as {
      context: Home & { annexe: object | null; seen: unknown };
      input: Home;
      events: { type: 'grow' | 'visit' | 'shrink' };
    },
    actors: { room },
  }).createMachine({
    id: 'hall',
    context: ({ input }) => ({ home: input.home, annexe: null, seen: null }),
    invoke: {
      src: 'room',
      id: 'room',
      input: { guests: 5 },
      onSnapshot: { actions: assign({ seen: ({ event }) => event.snapshot.context }) },
    },
    on: {
      grow: {
        actions: assign({
          annexe: ({ context, spawn }) =>
            spawn('room', { id: 'annexe', systemId: `annexe of ${context.home}`, input: { guests: 0 } }),
        }),
      },
      shrink: { actions: stopChild('annexe') },
      visit: {
        actions: [
          sendTo('room', { type: 'enter' }),
          sendTo(({ system, context }) => system.get(`annexe of ${context.home}`) as never, {
            type: 'enter',
          } as never),
        ],
      },
    },
  }),
  events: { grow: z.object({}), visit: z.object({}), shrink: z.object({}) },
});

type FriendEvent =
  | { type: 'meet' | 'marry'; who: string }
  | { type: 'part' }
  | { type: 'bosun.down'; address: string; reason: string }
  | { type: 'bosun.name.taken'; name: string; address: string };

/** Joins a group, takes a name, watches one actor and is linked to another; lists what it loses. */
const friend = defineAgent({
  name: 'friend',
  machine: setup({
    types: {} as { context: Home & { lost: string[] }; input: Home; events: FriendEvent },
  }).createMachine({
    id: 'friend',
    context: ({ input }) => ({ home: input.home, lost: [] }),
    on: {
      meet: {
        actions: [
          // Twice: who has joined twice has to leave twice.
          join(({ context }) => `friends of ${context.home}`),
          join(({ context }) => `friends of ${context.home}`),
          register(
            ({ context }) => `friend of ${context.home}`,
            ({ event }) => ({ met: event.who }),
          ),
          monitor(({ event }) => event.who),
        ],
      },
      part: { actions: leave(({ context }) => `friends of ${context.home}`) },
      marry: { actions: link(({ event }) => event.who) },
      'bosun.name.taken': {
        actions: assign({ lost: ({ context, event }) => [...context.lost, `${event.name} to ${event.address}`] }),
      },
      'bosun.down': {
        actions: assign({ lost: ({ context, event }) => [...context.lost, `${event.address} ${event.reason}`] }),
      },
    },
  }),
  events: { meet: z.object({ who: z.string() }), marry: z.object({ who: z.string() }), part: z.object({}) },
});

/** Has a name that is known on all workers, and lists the letters that reach it. */
const post = defineAgent({
  name: 'post',
  machine: setup({
    types: {} as { context: { letters: number[] }; events: { type: 'open' } | { type: 'letter'; n: number } },
  }).createMachine({
    id: 'post',
    context: { letters: [] },
    on: {
      open: { actions: register('post') },
      letter: { actions: assign({ letters: ({ context, event }) => [...context.letters, event.n] }) },
    },
  }),
  events: { open: z.object({}) },
  internal: ['letter'],
});

/** Writes letters to the post. */
const writer = defineAgent({
  name: 'writer',
  machine: setup({
    types: {} as { context: { written: number }; events: { type: 'write'; n: number } },
  }).createMachine({
    id: 'writer',
    context: { written: 0 },
    on: {
      write: {
        actions: [
          assign({ written: ({ context }) => context.written + 1 }),
          sendTo(
            ({ system }) => system.get('post') as never,
            ({ event }) => ({ type: 'letter', n: event.n }) as never,
          ),
        ],
      },
    },
  }),
  events: { write: z.object({ n: z.number() }) },
});

/** Agents of a spread system. */
export const correspondents: readonly AnyAgent[] = [post, writer];

/** Agents of a single system. */
export const talkers: readonly AnyAgent[] = [clerk, asker, door, hall, friend];
