/** R1: events from outside, acknowledged once they are on disk. The row that says what durability costs. */
import { join } from 'node:path';
import { workload } from '../machines.mjs';
import { assertSameWork, plainWorkers, workerId, workerSystem } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { rawLevel, watchedStore } from '../stores.mjs';

/** Latency is taken of every so many sends: enough for a p99, too few to cost. */
const LATENCY_EVERY = 16;

export const inputs = {
  name: 'R1',
  title: 'Durable inputs',
  about: ({ actors, outstanding }) =>
    `${actors.toLocaleString('en')} actors of four states, random actor, every event changes its state. **durable**: \`system.send\` ` +
    `on LevelDB, disk durability, ${outstanding.toLocaleString('en')} sends outstanding over ${SESSIONS} sessions (dedupe on), until everything ` +
    'is acknowledged and processed. **memory**: `createActor(...).send`, same population and events. **naive**: per event `send`, ' +
    '`getPersistedSnapshot`, `JSON.stringify`, `put` with sync, one after the other (fewer events). After every round the ' +
    'states of durable and memory are compared.',
  sizes: {
    full: { actors: 10_000, outstanding: 4_000, inputs: 100_000, naiveInputs: 2_000 },
    quick: { actors: 200, outstanding: 80, inputs: 2_000, naiveInputs: 50 },
  },
  ratios: [
    { name: 'durable / memory, inputs per second', of: ({ durable, memory }) => durable.perSecond / memory.perSecond },
    { name: 'durable / naive, inputs per second', of: ({ durable, naive }) => durable.perSecond / naive.perSecond, atLeast: 20 },
  ],

  async open({ actors, outstanding, inputs: count, naiveInputs }, directory) {
    const { store, seen } = watchedStore(join(directory, 'durable'));
    const { system, addresses } = await workerSystem(store, actors);
    const plain = plainWorkers(actors);
    const naive = await naiveContender(join(directory, 'naive'), { actors, count: naiveInputs });
    const durable = durableContender({ system, addresses, seen, outstanding, count });
    const round = inTurn({ durable, memory: memoryContender(plain, count), naive: naive.run });
    return {
      subject: durable,
      async round() {
        const sample = await round();
        assertSameWork(system, addresses, plain);
        return sample;
      },
      async close() {
        await system.stop();
        await naive.close();
      },
    };
  },
};

/** Connections that pipeline, as a gateway's do. */
const SESSIONS = 64;

function durableContender({ system, addresses, seen, outstanding, count }) {
  const next = workload(addresses.length);
  const sequences = new Uint32Array(SESSIONS);
  return async () => {
    const before = { ...seen };
    const latencies = [];
    let sent = 0;
    const client = async (index) => {
      const session = index % SESSIONS;
      const id = `client-${session}`;
      while (sent < count) {
        const isTimed = sent++ % LATENCY_EVERY === 0;
        const { actor, event } = next();
        const startMs = isTimed ? performance.now() : 0;
        await system.send(addresses[actor], event, { session: { id, sequence: ++sequences[session] } });
        if (isTimed) latencies.push(performance.now() - startMs);
      }
    };
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await Promise.all(Array.from({ length: outstanding }, (_, index) => client(index)));
    // Acknowledged is not processed: without this a backlog would go unmeasured.
    await system.idle();
    const seconds = (performance.now() - startMs) / 1_000;
    const { user, system: kernelSpace } = process.cpuUsage(cpu);
    return {
      perSecond: count / seconds,
      ackP50Ms: percentile(latencies, 0.5),
      ackP99Ms: percentile(latencies, 0.99),
      cpuMicrosPerInput: (user + kernelSpace) / count,
      inputsPerEpoch: count / (seen.writes - before.writes),
      journalBytesPerInput: (seen.journalBytes - before.journalBytes) / count,
      storedBytesPerInput: (seen.bytes - before.bytes) / count,
    };
  };
}

function memoryContender(plain, count) {
  const next = workload(plain.length);
  return () => {
    const startMs = performance.now();
    for (let sent = 0; sent < count; sent++) {
      const { actor, event } = next();
      plain[actor].send(event);
    }
    return { perSecond: (count * 1_000) / (performance.now() - startMs) };
  };
}

async function naiveContender(directory, { actors, count }) {
  const database = await rawLevel(directory, { valueEncoding: 'utf8' });
  const plain = plainWorkers(actors);
  const next = workload(actors);
  const run = async () => {
    const startMs = performance.now();
    for (let sent = 0; sent < count; sent++) {
      const { actor, event } = next();
      plain[actor].send(event);
      await database.put(workerId(actor), JSON.stringify(plain[actor].getPersistedSnapshot()), { sync: true });
    }
    return { perSecond: (count * 1_000) / (performance.now() - startMs) };
  };
  return { run, close: () => database.close() };
}
