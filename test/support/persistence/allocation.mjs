/**
 * Prints as JSON how many bytes an input, a hop, a spawn and a failure with its restarts allocate, in a process of its
 * own whose young generation is so large that nothing is collected while they are counted; and how many bytes an idle
 * actor keeps after a restart.
 */
import { assign, enqueueActions, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent, memoryStore } from '../../../dist/index.js';

/** Rounds until the measured code is compiled for good. */
const WARM_ROUNDS = 12;

/** Rounds of which the least counts: timers and the collector allocate beside them. */
const MEASURED_ROUNDS = 8;

const counting = assign({ count: ({ context }) => context.count + 1 });

const worker = defineAgent({
  name: 'worker',
  machine: setup({}).createMachine({
    context: { count: 0 },
    on: {
      'work.go': { actions: counting },
      'work.fail': {
        actions: assign(() => {
          throw new Error('the tool broke');
        }),
      },
    },
  }),
  events: { 'work.go': z.object({ n: z.number() }), 'work.fail': z.object({}) },
});

const relay = setup({}).createMachine({
  context: { count: 0 },
  on: {
    hop: {
      actions: [
        counting,
        enqueueActions(({ enqueue, event, self }) => {
          if (event.left > 1) enqueue.sendTo(self, { type: 'hop', left: event.left - 1 });
        }),
      ],
    },
  },
});

const parent = defineAgent({
  name: 'parent',
  machine: setup({ actors: { relay } }).createMachine({
    context: {},
    invoke: { id: 'relay', src: 'relay' },
    on: {
      'parent.play': { actions: sendTo('relay', ({ event }) => ({ type: 'hop', left: event.hops })) },
      'parent.bear': {
        actions: enqueueActions(({ enqueue, event }) => {
          for (let n = 0; n < event.count; n++) enqueue.spawnChild('relay', { id: `child-${event.round}-${n}` });
        }),
      },
    },
  }),
  events: {
    'parent.play': z.object({ hops: z.number() }),
    'parent.bear': z.object({ round: z.number(), count: z.number() }),
  },
});

const ids = Array.from({ length: 500 }, (_, index) => `worker-${index}`);
const children = ids.map((id) => ({ id, agent: 'worker', resume: 'initial' }));
const tree = { intensity: 1_000_000, children: [...children, { id: 'parent', agent: 'parent' }] };
const system = await createSystem({
  agents: [worker, parent],
  store: memoryStore(),
  scrub: false,
  tree,
  log: () => {},
}).start();

const toAll = (event) => system.sendMany(ids.map((to) => ({ to, event })));

const bytes = {
  input: await bytesOf(2_000, async () => {
    for (let n = 0; n < 4; n++) await toAll({ type: 'work.go', n });
  }),
  hop: await bytesOf(5_000, () => system.send('parent', { type: 'parent.play', hops: 5_000 })),
  spawn: await bytesOf(200, (round) => system.send('parent', { type: 'parent.bear', round, count: 200 })),
  // Events processed in between keep the workers from being suspended.
  failure: await bytesOf(500, async () => {
    await toAll({ type: 'work.fail' });
    await toAll({ type: 'work.go', n: 0 });
  }),
};
await system.stop();
bytes.idle = await bytesOfIdle(20_000);
process.stdout.write(JSON.stringify(bytes));

/** Bytes per unit: the least of some rounds of `units` units each, since other work only adds to it. */
async function bytesOf(units, round) {
  let least = Infinity;
  for (let n = 0; n < WARM_ROUNDS + MEASURED_ROUNDS; n++) {
    globalThis.gc();
    const before = process.memoryUsage().heapUsed;
    await round(n);
    await system.idle();
    if (n >= WARM_ROUNDS) least = Math.min(least, (process.memoryUsage().heapUsed - before) / units);
  }
  return Math.round(least);
}

/** Bytes in memory per actor that has not been needed since the start. The store is there before and after. */
async function bytesOfIdle(actors) {
  const options = { agents: [worker], store: memoryStore(), durability: 'memory', log: () => {} };
  await populate(options, actors);
  const before = await bytesUsed();
  const started = await createSystem(options).start();
  await started.idle();
  const used = (await bytesUsed()) - before;
  await started.stop();
  return Math.round(used / actors);
}

/** A function of its own, so that nothing of its system is kept when it returns. */
async function populate(options, actors) {
  const started = await createSystem(options).start();
  const born = (first) => Array.from({ length: 1_000 }, (_, n) => started.spawn(worker, `idler-${first + n}`));
  for (let first = 0; first < actors; first += 1_000) await Promise.all(born(first));
  // Epochs until the journal is folded: what it says of an actor is in memory until then.
  for (let n = 0; n < 3_000; n++) await started.send('idler-0', { type: 'work.go', n });
  await started.stop();
}

async function bytesUsed() {
  // References held by a resolved promise go with the next round of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
