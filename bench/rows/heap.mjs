/** G11: the memory of an idle actor. */
import { memoryStore, createSystem } from '../../dist/index.js';
import { createActor, setup } from 'xstate';
import { defineAgent } from '../../dist/index.js';
import { inTurn } from '../rounds.mjs';

/** A machine with an empty context, so that the rest is the runtime's. */
const idlerMachine = setup({}).createMachine({
  id: 'idler',
  context: {},
  initial: 'idle',
  states: { idle: { on: { 'idler.go': 'gone' } }, gone: {} },
});
const idler = defineAgent({ name: 'idler', machine: idlerMachine, events: {} });

const IN_FLIGHT = 1_000;

export const heap = {
  name: 'G11',
  title: 'Memory of an idle actor',
  about: ({ actors }) =>
    `${actors.toLocaleString('en')} actors with an empty context, in memory and idle; the heap after a ` +
    'collection, beside that of before, for each of them. **durable**: ' +
    'children of the root Boss after a restart, on a store in memory whose own records do not count (they are ' +
    'off the heap or gone before the second look). ' +
    '**memory**: `createActor(...).start()`.',
  sizes: { full: { actors: 100_000 }, quick: { actors: 500 } },
  ratios: [
    { name: 'heap of one', of: ({ durable }) => durable.bytesPerActor, atMost: 1_100, aim: 800, unit: ' B' },
    { name: 'memory / durable, heap', of: ({ durable, memory }) => memory.bytesPerActor / durable.bytesPerActor },
  ],

  async open({ actors }) {
    const durable = () => durableHeap(actors);
    return {
      subject: durable,
      round: inTurn({ durable, memory: () => plainHeap(actors) }),
      async close() {},
    };
  },
};

async function durableHeap(actors) {
  const options = { agents: [idler], store: memoryStore(), durability: 'memory' };
  await populate(options, actors);
  const before = await heapUsed();
  const system = await createSystem(options).start();
  await system.idle();
  const bytesPerActor = ((await heapUsed()) - before) / actors;
  await system.stop();
  return { bytesPerActor };
}

/** A function of its own, so that nothing of its system is kept when it returns. */
async function populate(options, actors) {
  const system = await createSystem(options).start();
  for (let started = 0; started < actors; started += IN_FLIGHT) {
    await Promise.all(
      Array.from({ length: Math.min(IN_FLIGHT, actors - started) }, (_, n) =>
        system.spawn(idler, `idler-${started + n}`),
      ),
    );
  }
  await system.stop();
}

async function plainHeap(actors) {
  const before = await heapUsed();
  const all = Array.from({ length: actors }, () => createActor(idlerMachine).start());
  const bytesPerActor = ((await heapUsed()) - before) / all.length;
  return { bytesPerActor };
}

async function heapUsed() {
  // References held by a resolved promise go with the next round of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
