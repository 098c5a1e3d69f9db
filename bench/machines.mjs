/** The machines that are measured, and the events they get. The same code runs on Bosun and on plain XState. */
import { assign, enqueueActions, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../dist/index.js';

/** Four states, three counters, one guard: as small as an agent gets that does something. */
export const workerMachine = setup({
  guards: { isSound: ({ context }) => context.count >= 0 },
}).createMachine({
  id: 'worker',
  context: ({ input }) => ({ id: input.id, count: 0, last: '', total: 0 }),
  initial: 'idle',
  states: {
    idle: { on: { 'work.start': { target: 'working', actions: assign({ count: ({ context }) => context.count + 1 }) } } },
    working: {
      on: {
        'work.progress': { actions: assign({ total: ({ context, event }) => context.total + event.n }) },
        'work.pause': 'paused',
        'work.finish': { target: 'review', guard: 'isSound', actions: assign({ last: ({ event }) => event.by }) },
      },
    },
    paused: { on: { 'work.resume': 'working' } },
    review: { on: { 'work.accept': 'idle', 'work.reject': 'working' } },
  },
});

export const worker = defineAgent({
  name: 'worker',
  machine: workerMachine,
  events: {
    'work.start': z.object({}),
    'work.progress': z.object({ n: z.number() }),
    'work.pause': z.object({}),
    'work.resume': z.object({}),
    'work.finish': z.object({ by: z.string() }),
    'work.accept': z.object({}),
    'work.reject': z.object({}),
  },
});

/** Every one of them changes something: no contender gets away with an event that it may ignore. */
const CYCLE = [{ type: 'work.start' }, { type: 'work.progress', n: 2 }, { type: 'work.finish', by: 'alice' }, { type: 'work.accept' }];

/** An endless sequence of (actor, event), random over the actors, in cycle order for each of them. Equal for equal seeds. */
export function workload(actors, seed = 1) {
  const phases = new Uint8Array(actors);
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The high bits: the low ones of a linear congruential generator repeat early.
    const actor = Math.floor((state / 2 ** 32) * actors);
    return { actor, event: CYCLE[phases[actor]++ % CYCLE.length] };
  };
}

/** Passes a token on until it has made its hops. */
const relayMachine = setup({}).createMachine({
  id: 'relay',
  context: ({ input }) => ({ hops: 0, next: input.next }),
  on: {
    'relay.link': { actions: assign({ next: ({ event }) => event.next }) },
    'relay.hop': {
      actions: [
        assign({ hops: ({ context }) => context.hops + 1 }),
        enqueueActions(({ enqueue, context, event }) => {
          if (event.left > 1) enqueue.sendTo(context.next, { type: 'relay.hop', left: event.left - 1 });
        }),
      ],
    },
  },
});

/** Spawns a ring of relays and starts tokens, spread evenly over it. */
export const ringMachine = setup({ actors: { relay: relayMachine } }).createMachine({
  id: 'ring',
  context: ({ input, spawn }) => ({ relays: spawnChain(input.relays, spawn) }),
  entry: sendTo(({ context }) => context.relays[0], ({ context }) => ({ type: 'relay.link', next: context.relays.at(-1) })),
  on: {
    'ring.start': {
      actions: enqueueActions(({ enqueue, context: { relays }, event: { tokens, hops } }) => {
        for (let token = 0; token < tokens; token++) {
          enqueue.sendTo(relays[Math.floor((token * relays.length) / tokens)], { type: 'relay.hop', left: hops });
        }
      }),
    },
  },
});

export const ring = defineAgent({
  name: 'ring',
  machine: ringMachine,
  events: { 'ring.start': z.object({ tokens: z.number(), hops: z.number() }) },
});

function spawnChain(count, spawn) {
  const relays = [];
  for (let index = 0; index < count; index++) {
    relays.push(spawn('relay', { id: `relay-${index}`, input: { next: relays.at(-1) ?? null } }));
  }
  return relays;
}
