/** G9: the wait of a single client on an idle system. The lower bound is one synced write. */
import { join } from 'node:path';
import { workload } from '../machines.mjs';
import { workerSystem } from '../population.mjs';
import { inPairs } from '../rounds.mjs';
import { epochLikeKey, rawLevel, watchedStore } from '../stores.mjs';

export const idle = {
  name: 'G9',
  title: 'Idle acknowledgement',
  about: ({ actors, pairs }) =>
    `One send outstanding at a time (${actors.toLocaleString('en')} actors, one session, ` +
    `${pairs.toLocaleString('en')} sends a round), against ` +
    '`put` with sync of a value as large as the epoch record just written, on a LevelDB of its own, in the same ' +
    'loop: one of each in turn, order swapped every time.',
  sizes: {
    full: { actors: 1_000, pairs: 2_000 },
    quick: { actors: 50, pairs: 50 },
  },
  ratios: [
    {
      name: 'idle acknowledgement against raw put sync, p50',
      of: ({ durable, put }) => durable.p50Ms / put.p50Ms,
      atMost: 1.3,
      aim: 1.2,
    },
    { name: 'idle acknowledgement against raw put sync, p99', of: ({ durable, put }) => durable.p99Ms / put.p99Ms },
  ],

  async open({ actors, pairs }, directory) {
    const { store, seen } = watchedStore(join(directory, 'durable'));
    const { system, addresses } = await workerSystem(store, actors);
    const database = await rawLevel(join(directory, 'raw'));
    const send = sender(system, addresses);
    // Bytes of an epoch of one turn; known after the first.
    await send();
    const put = putter(database, seen);
    return {
      subject: async () => {
        for (let sent = 0; sent < pairs; sent++) await send();
      },
      async round() {
        const sample = await inPairs(pairs, { durable: send, put });
        return { ...sample, durable: { ...sample.durable, epochBytes: seen.epochBytes } };
      },
      async close() {
        await system.stop();
        await database.close();
      },
    };
  },
};

function sender(system, addresses) {
  const next = workload(addresses.length);
  let sequence = 0;
  return () => {
    const { actor, event } = next();
    return system.send(addresses[actor], event, { session: { id: 'client', sequence: ++sequence } });
  };
}

function putter(database, seen) {
  let number = 0;
  return () => database.put(epochLikeKey(++number), new Uint8Array(seen.epochBytes).fill(7), { sync: true });
}
