/** The measured machines and their events. The same code runs on Bosun and on plain XState. */
import { assign, emit, enqueueActions, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../dist/index.js';

const WORK = {
  'work.start': z.object({}),
  'work.progress': z.object({ n: z.number() }),
  'work.pause': z.object({}),
  'work.resume': z.object({}),
  'work.finish': z.object({ by: z.string() }),
  'work.accept': z.object({}),
  'work.reject': z.object({}),
};

/** A machine with four states, three counters and one guard: as small as a useful agent gets. */
export const workerMachine = machineOfWork('worker', {
  context: () => ({}),
  onFinish: assign({ last: ({ event }) => event.by }),
});

export const worker = defineAgent({ name: 'worker', machine: workerMachine, events: WORK });

/** The worker machine with an order of some 150 bytes in its context; one event in four replaces part of it. */
export const richWorkerMachine = machineOfWork('rich', {
  context: ({ id }) => ({
    order: {
      number: `ord-${id}`,
      customer: { id: 'cus-881', email: 'alice@example.com', tier: 'gold' },
      items: [
        { sku: 'A-1', quantity: 2, price: 19.5 },
        { sku: 'B-7', quantity: 1, price: 5.25 },
        { sku: 'C-3', quantity: 4, price: 1.1 },
      ],
      createdMs: 1_732_212_345_678,
      notes: ['created', 'priced', 'reserved'],
      reviewer: '',
    },
  }),
  onFinish: assign({
    last: ({ event }) => event.by,
    order: ({ context, event }) => ({ ...context.order, reviewer: event.by }),
  }),
});

export const richWorker = defineAgent({ name: 'rich', machine: richWorkerMachine, events: WORK });

function machineOfWork(id, { context, onFinish }) {
  return setup({
    guards: { isSound: ({ context }) => context.count >= 0 },
  }).createMachine({
    id,
    context: ({ input }) => ({ id: input.id, count: 0, last: '', total: 0, ...context(input) }),
    initial: 'idle',
    states: {
      idle: {
        on: { 'work.start': { target: 'working', actions: assign({ count: ({ context }) => context.count + 1 }) } },
      },
      working: {
        on: {
          'work.progress': { actions: assign({ total: ({ context, event }) => context.total + event.n }) },
          'work.pause': 'paused',
          'work.finish': { target: 'review', guard: 'isSound', actions: onFinish },
        },
      },
      paused: { on: { 'work.resume': 'working' } },
      review: { on: { 'work.accept': 'idle', 'work.reject': 'working' } },
    },
  });
}

/** The cycle of events. Each changes something, so no contender profits from an event that it may ignore. */
const CYCLE = [
  { type: 'work.start' },
  { type: 'work.progress', n: 2 },
  { type: 'work.finish', by: 'alice' },
  { type: 'work.accept' },
];

/**
 * An endless sequence of (actor, event), random over the actors and in the order of the cycle for each. Always the
 * same.
 */
export function workload(actors, cycle = CYCLE) {
  const phases = new Uint8Array(actors);
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The high bits: the low ones of a linear congruential generator repeat early.
    const actor = Math.floor((state / 2 ** 32) * actors);
    return { actor, event: cycle[phases[actor]++ % cycle.length] };
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
  entry: sendTo(
    ({ context }) => context.relays[0],
    ({ context }) => ({ type: 'relay.link', next: context.relays.at(-1) }),
  ),
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

/** Spawns workers. */
export const nursery = defineAgent({
  name: 'nursery',
  machine: setup({ actors: { worker: workerMachine } }).createMachine({
    id: 'nursery',
    on: {
      'nursery.brood': {
        actions: enqueueActions(({ enqueue, event }) => {
          for (let index = 0; index < event.count; index++)
            enqueue.spawnChild('worker', { id: `worker-${index}`, input: { id: `worker-${index}` } });
        }),
      },
    },
  }),
  events: { 'nursery.brood': z.object({ count: z.number() }) },
});

const counting = assign({ count: ({ context }) => context.count + 1 });

/** A counter: something that any database can do too. */
export const tally = defineAgent({
  name: 'tally',
  machine: setup({}).createMachine({ id: 'tally', context: { count: 0 }, on: { 'tally.add': { actions: counting } } }),
  events: { 'tally.add': z.object({}) },
});

/**
 * Fills its own mailbox on order, and reports when the last order is carried out and when its last message has been
 * read.
 */
export const hog = defineAgent({
  name: 'hog',
  machine: setup({}).createMachine({
    id: 'hog',
    context: { count: 0 },
    on: {
      'hog.queue': {
        actions: enqueueActions(({ enqueue, self, event: { count, isLast } }) => {
          for (let left = isLast ? count - 1 : count; left > 0; left--) enqueue.sendTo(self, { type: 'hog.work' });
          if (!isLast) return;
          enqueue.sendTo(self, { type: 'hog.end' });
          enqueue.emit({ type: 'hog.queued' });
        }),
      },
      'hog.work': { actions: counting },
      'hog.end': { actions: [counting, emit({ type: 'hog.over' })] },
    },
  }),
  events: { 'hog.queue': z.object({ count: z.number(), isLast: z.boolean() }) },
});

export const quiet = defineAgent({
  name: 'quiet',
  machine: setup({}).createMachine({ id: 'quiet', context: { count: 0 }, on: { 'quiet.note': { actions: counting } } }),
  events: { 'quiet.note': z.object({}) },
});
