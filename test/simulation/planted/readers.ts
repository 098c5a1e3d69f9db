/**
 * Two systems in which one agent hears of others, each with a fault that shows only where an answer comes late or an
 * agent begins anew, and its mended twin. They were made from the page of the simulator, without a look into it.
 */
import { defer, defineAgent, join, publish } from 'bosun';
import { always, finally_, simulation, sometimes } from 'bosun/testing';
import { assign, enqueueActions, fromPromise, sendTo, setup, type AnyActorRef } from 'xstate';
import { z } from 'zod';

const TAKINGS = { north: 1, south: 20, east: 300 };
const NAMES = Object.keys(TAKINGS) as (keyof typeof TAKINGS)[];

interface Counted {
  readonly type: 'counted';
  readonly branch: string;
  readonly round: number;
  readonly takings: number;
}

/** Counts its takings, which may fail, once for each request, and tells the head office. */
const branch = defineAgent({
  name: 'branch',
  machine: setup({
    types: {} as {
      context: { name: string; round: number };
      input: { name: string };
      events: { type: 'count'; round: number };
    },
    actors: { takings: fromPromise<number, { name: string }>(async () => 0) },
  }).createMachine({
    context: ({ input }) => ({ name: input.name, round: 0 }),
    initial: 'idle',
    states: {
      idle: { on: { count: { target: 'counting', actions: assign({ round: ({ event }) => event.round }) } } },
      counting: {
        on: { count: { actions: defer() } },
        invoke: {
          src: 'takings',
          input: ({ context }) => ({ name: context.name }),
          onDone: {
            target: 'idle',
            actions: sendTo(
              ({ system }) => system.get('head'),
              ({ context, event }) => ({
                type: 'counted',
                branch: context.name,
                round: context.round,
                takings: event.output,
              }),
            ),
          },
          onError: 'resting',
        },
      },
      resting: { on: { count: { actions: defer() } }, after: { 4_000: 'counting' } },
    },
  }),
  events: {},
});

/** Asks all branches, and again where some have not answered. With the bug it counts answers, not branches. */
const headOf = (hasBug: boolean) =>
  defineAgent({
    name: 'head',
    machine: setup({
      types: {} as {
        context: { round: number; answers: readonly Counted[] };
        events: { type: 'tally' } | Counted;
      },
      guards: { isComplete: ({ context }) => context.answers.length === NAMES.length },
    }).createMachine({
      context: { round: 0, answers: [] },
      initial: 'idle',
      states: {
        idle: { on: { tally: 'beginning' } },
        beginning: {
          entry: assign({ round: ({ context }) => context.round + 1, answers: [] }),
          always: 'asking',
        },
        asking: {
          entry: enqueueActions(({ context, enqueue, system }) => {
            for (const name of NAMES) {
              const to: AnyActorRef = system.get(name);
              enqueue.sendTo(to, { type: 'count', round: context.round });
            }
          }),
          always: { guard: 'isComplete', target: 'told' },
          on: {
            counted: {
              guard: ({ context: { answers, round }, event }) =>
                event.round === round && (hasBug || !answers.some((answer) => answer.branch === event.branch)),
              actions: assign({ answers: ({ context, event }) => [...context.answers, event] }),
            },
          },
          after: { 5_000: { target: 'asking', reenter: true } },
        },
        told: { on: { tally: 'beginning' } },
      },
    }),
    events: { tally: z.object({}) },
  });

/** A parent that waits for three answers, and takes the second answer of one child for that of another. */
export function tally(hasBug: boolean) {
  return simulation({
    system: () => ({
      agents: [branch, headOf(hasBug)],
      tree: {
        children: [
          ...NAMES.map((name) => ({ id: name, agent: 'branch', systemId: name, input: { name } })),
          { id: 'head', agent: 'head', systemId: 'head' },
        ],
      },
    }),
    effects: {
      'branch.takings': {
        latencyMs: [0, 500],
        fails: 0.1,
        run: (input) => TAKINGS[(input as { name: keyof typeof TAKINGS }).name],
      },
    },
    properties: [
      always('a tally has each branch once', ({ snapshot }) => {
        const head = snapshot('head');
        if (head?.value !== 'told') return true;
        const { answers } = head.context as { answers: readonly Counted[] };
        const sum = answers.reduce((total, { takings }) => total + takings, 0);
        return sum === 321 || `${sum} are the takings of ${answers.map((answer) => answer.branch).join(', ')}`;
      }),
      finally_('a tally comes to its end', ({ snapshot }) => snapshot('head')?.value !== 'asking'),
      sometimes('a tally is told', ({ snapshot }) => snapshot('head')?.value === 'told'),
    ],
  });
}

interface Price {
  readonly price: number;
}

const priceOf = ({ context }: { context: Price }) => ({ type: 'price', price: context.price }) as const;

/** Shows the price. It has itself put on the list of the feed at its birth. */
const screen = defineAgent({
  name: 'screen',
  machine: setup({
    types: {} as {
      context: { name: string; price: number };
      input: { name: string };
      events: ReturnType<typeof priceOf>;
    },
  }).createMachine({
    context: ({ input }) => ({ name: input.name, price: 0 }),
    entry: [
      join('screens'),
      sendTo(
        ({ system }) => system.get('feed'),
        ({ context }) => ({ type: 'subscribe', name: context.name }),
      ),
    ],
    on: { price: { actions: assign({ price: ({ event }) => event.price }) } },
  }),
  events: {},
});

/**
 * Fetches the price when it begins and when it is told of a change, and hands it on. Where that fails it begins anew.
 * With the bug it hands the price to those on its list, which is empty then, and not to the group of all screens.
 */
const feedOf = (hasBug: boolean) =>
  defineAgent({
    name: 'feed',
    machine: setup({
      types: {} as {
        context: { price: number; names: readonly string[] };
        events: { type: 'change' } | { type: 'subscribe'; name: string };
      },
      actors: { fetch: fromPromise<number>(async () => 0) },
      actions: {
        tellList: enqueueActions(({ context, enqueue, system }) => {
          for (const name of context.names) enqueue.sendTo(system.get(name) as AnyActorRef, priceOf({ context }));
        }),
        tellGroup: publish('screens', ({ context }) => priceOf({ context })),
      },
    }).createMachine({
      context: { price: 0, names: [] },
      initial: 'fetching',
      on: {
        subscribe: {
          actions: [
            assign({ names: ({ context, event }) => [...new Set([...context.names, event.name])] }),
            sendTo(
              ({ system, event }) => system.get(event.name) as AnyActorRef,
              ({ context }) => priceOf({ context }),
            ),
          ],
        },
      },
      states: {
        fetching: {
          on: { change: { actions: defer() } },
          invoke: {
            src: 'fetch',
            onDone: { target: 'idle', actions: assign({ price: ({ event }) => event.output }) },
          },
        },
        idle: { entry: hasBug ? 'tellList' : 'tellGroup', on: { change: 'fetching' } },
      },
    }),
    events: { change: z.object({}) },
  });

/** A subscription that is not renewed when the one subscribed to begins anew. */
export function prices(hasBug: boolean) {
  return simulation<{ price: number }>({
    world: () => ({ price: 100 }),
    system: () => ({
      agents: [feedOf(hasBug), screen],
      tree: {
        intensity: 100,
        children: [
          { id: 'feed', agent: 'feed', systemId: 'feed', resume: 'initial', backoff: { minMs: 1_000 } },
          { id: 'left', agent: 'screen', systemId: 'left', input: { name: 'left' } },
          { id: 'right', agent: 'screen', systemId: 'right', input: { name: 'right' } },
        ],
      },
    }),
    effects: {
      'feed.fetch': {
        latencyMs: [0, 500],
        fails: 0.05,
        losesAnswer: 0.05,
        run: (_input, { world }) => (world.price += 1),
      },
    },
    properties: [
      finally_('every screen shows the price that the feed knows', ({ snapshot }) => {
        const { price } = snapshot('feed')?.context as Price;
        for (const name of ['left', 'right']) {
          const shown = (snapshot(name)?.context as Price).price;
          if (shown !== price) return `${name} shows ${shown}, the feed knows ${price}`;
        }
        return true;
      }),
      sometimes('a price is shown', ({ snapshot }) => Number((snapshot('left')?.context as Partial<Price>)?.price) > 0),
    ],
    steps: 30,
  });
}
