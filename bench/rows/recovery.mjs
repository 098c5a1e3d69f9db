/**
 * G13: from a cold start to the first acknowledged event, on a store with a population, with all actors in memory, and
 * with only those that have something to do.
 */
import { join } from 'node:path';
import { createActor } from 'xstate';
import { createSystem } from '../../dist/index.js';
import { worker, workerMachine, workload } from '../machines.mjs';
import { plainWorkers, workerId, workerSystem } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { openLevel, rawLevel, watchedStore } from '../stores.mjs';

export const recovery = {
  name: 'G13',
  title: 'Recovery',
  about: ({ actors, inputs }) =>
    `${actors.toLocaleString('en')} actors stored, after ${inputs.toLocaleString('en')} inputs and a stop. ` +
    '**durable**: from ' +
    '`createSystem().start()` to the first event acknowledged. **scan**: opening the same LevelDB and reading ' +
    'every entry, nothing ' +
    'decoded. **resting**: as durable, with `residentActors: 10_000`. **json**: a LevelDB of JSON snapshots, ' +
    '`createActor({ snapshot }).start()` for each, one event sent and put with sync.',
  sizes: {
    full: { actors: 100_000, inputs: 200_000 },
    quick: { actors: 200, inputs: 200 },
  },
  ratios: [
    { name: 'durable / scan, time', of: ({ durable, scan }) => durable.ms / scan.ms, atMost: 4, aim: 2 },
    {
      name: 'json / durable, time',
      of: ({ durable, json }) => json.ms / durable.ms,
      between: { time: ['json', 'durable'] },
      atLeast: 5,
      aim: 15,
    },
    {
      name: 'the same with residentActors: resting / scan, time',
      of: ({ resting, scan }) => resting.ms / scan.ms,
      atMost: 2,
      aim: 0.6,
    },
    {
      name: 'the same with residentActors: json / resting, time',
      of: ({ resting, json }) => json.ms / resting.ms,
      atLeast: 5,
      aim: 15,
    },
  ],
  open,
};

async function open({ actors, inputs }, directory) {
  const path = join(directory, 'durable');
  const jsonPath = join(directory, 'json');
  const { system, addresses } = await workerSystem(watchedStore(path).store, actors);
  const next = workload(actors);
  await Promise.all(
    Array.from({ length: inputs }, () => next()).map(({ actor, event }) => system.send(addresses[actor], event)),
  );
  await system.stop();
  await storeAsJson(jsonPath, actors, inputs);
  const durable = durableContender(path, { address: addresses[0], actors });
  return {
    subject: durable,
    round: inTurn({
      durable,
      resting: durableContender(path, { address: addresses[0], residentActors: 10_000 }),
      scan: scanContender(path),
      json: jsonContender(jsonPath, actors),
    }),
    async close() {},
  };
}

/** Reads all actors, unless `residentActors` is set. */
function durableContender(path, { address, actors, residentActors }) {
  return async () => {
    const startMs = performance.now();
    const system = await createSystem({ agents: [worker], store: watchedStore(path).store, residentActors }).start();
    await system.send(address, { type: 'work.start' });
    const ms = performance.now() - startMs;
    const children = actors === undefined ? [] : (await system.tree()).children;
    await system.stop();
    if (actors !== undefined && children.length !== actors)
      throw new Error(`${children.length} of ${actors} actors came back`);
    return { ms };
  };
}

function scanContender(path) {
  return async () => {
    const startMs = performance.now();
    const database = await openLevel(path);
    const iterator = database.iterator({ highWaterMarkBytes: 256 * 1024 });
    let entries = 0;
    for (let batch = await iterator.nextv(1_000); batch.length > 0; batch = await iterator.nextv(1_000))
      entries += batch.length;
    const ms = performance.now() - startMs;
    await iterator.close();
    await database.close();
    return { ms, entries };
  };
}

function jsonContender(path, actors) {
  return async () => {
    const startMs = performance.now();
    const database = await openLevel(path, { valueEncoding: 'utf8' });
    const plain = new Map();
    for await (const [key, value] of database.iterator()) {
      plain.set(key, createActor(workerMachine, { snapshot: JSON.parse(value), input: { id: key } }).start());
    }
    const first = plain.get(workerId(0));
    first.send({ type: 'work.start' });
    await database.put(workerId(0), JSON.stringify(first.getPersistedSnapshot()), { sync: true });
    const ms = performance.now() - startMs;
    await database.close();
    if (plain.size !== actors) throw new Error(`${plain.size} of ${actors} actors came back`);
    return { ms };
  };
}

async function storeAsJson(path, actors, inputs) {
  const database = await rawLevel(path, { valueEncoding: 'utf8' });
  const plain = plainWorkers(actors);
  const next = workload(actors);
  for (let sent = 0; sent < inputs; sent++) {
    const { actor, event } = next();
    plain[actor].send(event);
  }
  const batch = database.batch();
  plain.forEach((actor, index) => batch.put(workerId(index), JSON.stringify(actor.getPersistedSnapshot())));
  await batch.write({ sync: true });
  await database.close();
}
