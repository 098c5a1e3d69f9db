/**
 * G19: a start with passive actors on disk, and the cost of waking one. Ten thousand against a million show what grows
 * with their number.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSystem } from '../../dist/index.js';
import { worker } from '../machines.mjs';
import { workerId, workerSystem } from '../population.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile, spread } from '../statistics.mjs';
import { watchedStore } from '../stores.mjs';

/** Addresses spread over the population, so that no block of LevelDB is read twice. */
const STRIDE = 7_919;

export const passive = {
  name: 'G19',
  title: 'A start with actors that rest',
  about: ({ many, few, resident, woken }) =>
    `${many.toLocaleString('en')} (**many**) and ${few.toLocaleString('en')} (**few**) actors under one Boss ` +
    `stored, none with anything to do, \`residentActors: ` +
    `${resident.toLocaleString('en')}\`. From \`createSystem().start()\` to the first event acknowledged, which ` +
    'wakes its actor; heap and resident memory after a ' +
    `collection, beside those before the start; then ${woken.toLocaleString('en')} actors read one by one, each ` +
    'of which wakes: the median of that, and of the ' +
    'acknowledgement of an event to one more that rests.',
  sizes: {
    full: { many: 1_000_000, few: 10_000, resident: 10_000, woken: 500 },
    quick: { many: 2_000, few: 200, resident: 100, woken: 50 },
  },
  ratios: [
    { name: 'many / few, time to the first event', of: ({ many, few }) => many.ms / few.ms },
    { name: 'many / few, waking one', of: ({ many, few }) => many.wakeUs / few.wakeUs },
  ],

  async open({ many, few, resident, woken }, directory) {
    const paths = { many: join(directory, 'many'), few: join(directory, 'few') };
    await populate(paths.many, many, resident);
    await populate(paths.few, few, resident);
    const contender = (path, actors) => () => startAndWake(path, { actors, resident, woken });
    return {
      subject: contender(paths.many, many),
      round: inTurn({ many: contender(paths.many, many), few: contender(paths.few, few) }),
      async close() {
        await Promise.all(Object.values(paths).map((path) => rm(path, { recursive: true })));
      },
    };
  },
};

async function populate(path, actors, residentActors) {
  const { system } = await workerSystem(watchedStore(path).store, actors, { residentActors });
  // Enough epochs for the fold to write all spawned actors.
  for (let n = 0; n < 1_100; n++)
    await system.send(workerId(0), { type: n % 2 === 0 ? 'work.start' : 'work.pause' }).catch(() => {});
  await system.stop();
}

async function startAndWake(path, { actors, resident, woken }) {
  globalThis.gc?.();
  const before = process.memoryUsage();
  const startMs = performance.now();
  const system = await createSystem({
    agents: [worker],
    store: watchedStore(path).store,
    residentActors: resident,
  }).start();
  await system.send(workerId(actors >> 1), { type: 'work.start' });
  const ms = performance.now() - startMs;
  globalThis.gc?.();
  const after = process.memoryUsage();
  const { residents } = await system.health();
  const wakes = await timesOf(woken, async (n) => {
    if ((await system.snapshot(workerId((n * STRIDE) % actors))) === undefined) throw new Error('nobody woke');
  });
  const sends = [];
  for (let n = 0; n < Math.min(woken, 100); n++) {
    const sentMs = performance.now();
    await system.send(workerId((n * STRIDE + 3_967) % actors), { type: 'work.start' });
    sends.push((performance.now() - sentMs) * 1_000);
  }
  await system.stop();
  return {
    ms,
    heapBytes: after.heapUsed - before.heapUsed,
    residentBytes: after.rss - before.rss,
    residents,
    wakeUs: spread(wakes).median,
    wakeP99Us: percentile(wakes, 0.99),
    sendUs: spread(sends).median,
  };
}

async function timesOf(count, task) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    await task(n);
    times.push((performance.now() - startMs) * 1_000);
  }
  return times;
}
