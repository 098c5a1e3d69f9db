/**
 * G12: spawns, ordered by actors, which is what a machine's `spawn` does, and by the host, which asks a Boss for each.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createActor } from 'xstate';
import { createSystem } from '../../dist/index.js';
import { nursery, worker, workerMachine } from '../machines.mjs';
import { workerId } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

export const spawns = {
  name: 'G12',
  title: 'Spawns',
  about: ({ spawns: count, brood, outstanding }) =>
    `${count.toLocaleString('en')} actors are born a round, on an empty LevelDB, each with its input and its ` +
    'first turn. **durable**: by actors of the same system that ' +
    `spawn ${brood} each, all at once, until everything is on disk. **host**: by \`system.spawn\`, ` +
    `${outstanding.toLocaleString('en')} outstanding, until each is acknowledged; ` +
    'every one is also a turn and a record of the Boss. **memory**: `createActor(...).start()`. ' +
    'After every round all must be there, in their first state, with their input.',
  sizes: {
    full: { spawns: 20_000, brood: 100, outstanding: 2_000 },
    quick: { spawns: 500, brood: 50, outstanding: 100 },
  },
  ratios: [
    {
      name: 'durable spawns by actors, against createActor().start() in memory',
      of: ({ durable, memory }) => durable.perSecond / memory.perSecond,
      between: { rate: ['durable', 'memory'] },
      atLeast: 1.2,
      aim: 2,
    },
    {
      name: 'durable spawns by the host, against createActor().start() in memory',
      of: ({ host, memory }) => host.perSecond / memory.perSecond,
      between: { rate: ['host', 'memory'] },
    },
  ],

  async open(size, directory) {
    const durable = () => bornOf(size, join(directory, 'durable'), byActors);
    return {
      subject: durable,
      round: inTurn({
        durable,
        host: () => bornOf(size, join(directory, 'host'), byHost),
        memory: () => inMemory(size),
      }),
      async close() {},
    };
  },
};

/** Uses a new system for every round, so that no round finds the actors of another. */
async function bornOf(size, directory, kind) {
  await rm(directory, { recursive: true, force: true });
  const { store, seen } = watchedStore(directory);
  const system = await createSystem({ agents: [nursery, worker], store }).start();
  const bear = await kind(system, size);
  await system.idle();
  const before = { ...seen };
  const startMs = performance.now();
  await bear.run();
  const ms = performance.now() - startMs;
  const figures = {
    perSecond: (size.spawns * 1_000) / ms,
    spawnsPerEpoch: size.spawns / (seen.writes - before.writes),
    journalBytesPerSpawn: (seen.journalBytes - before.journalBytes) / size.spawns,
  };
  assertBorn(await Promise.all((await bear.born()).map(({ address }) => system.snapshot(address))), size.spawns);
  await system.stop();
  return figures;
}

async function byActors(system, { spawns: count, brood }) {
  const parents = await Promise.all(
    Array.from({ length: count / brood }, (_, index) => system.spawn(nursery, `nursery-${index}`)),
  );
  return {
    async run() {
      await Promise.all(parents.map(({ address }) => system.send(address, { type: 'nursery.brood', count: brood })));
      await system.idle();
    },
    born: async () => (await system.tree()).children.flatMap(({ children }) => children),
  };
}

async function byHost(system, { spawns: count, outstanding }) {
  let next = 0;
  const client = async () => {
    while (next < count) {
      const id = workerId(next++);
      await system.spawn(worker, id, { input: { id } });
    }
  };
  return {
    async run() {
      await Promise.all(Array.from({ length: outstanding }, client));
      await system.idle();
    },
    born: async () => (await system.tree()).children,
  };
}

function inMemory({ spawns: count }) {
  const startMs = performance.now();
  const actors = Array.from({ length: count }, (_, index) =>
    createActor(workerMachine, { input: { id: workerId(index) } }).start(),
  );
  const ms = performance.now() - startMs;
  assertBorn(
    actors.map((actor) => actor.getSnapshot()),
    count,
  );
  for (const actor of actors) actor.stop();
  return { perSecond: (count * 1_000) / ms };
}

function assertBorn(snapshots, expected) {
  const sound = snapshots.filter(({ value, context }) => value === 'idle' && context.id.startsWith('worker-'));
  if (sound.length !== expected) throw new Error(`${sound.length} of ${expected} actors were born`);
}
