/**
 * P1: a thousand counters with 64 increments in progress, compared with common alternatives: the row for comparing
 * systems. A peer that is not installed is left out, and the row says so.
 */
import { join } from 'node:path';
import { HAS_BULLMQ, startJobs } from '../bullmq.mjs';
import { tally } from '../machines.mjs';
import { workerSystem } from '../population.mjs';
import { HAS_REDIS, startRedis } from '../redis.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { rawLevel, watchedStore } from '../stores.mjs';

export const peers = {
  name: 'P1',
  title: 'A thousand counters, beside peers',
  about: ({ counters, outstanding, increments, slower }) =>
    `${increments.toLocaleString('en')} increments of ${counters.toLocaleString('en')} counters in random order, ` +
    `${outstanding} on their way at a time, each acknowledged when it is on disk. **durable**: an actor for each ` +
    'counter, `system.send`, LevelDB. **naive**: a JSON object for each, `put` with sync on LevelDB ' +
    `(${slower.toLocaleString('en')} increments). ` +
    (HAS_REDIS
      ? '**redis**: HINCRBY on one connection, `appendfsync always`; a database, no runtime. '
      : 'No `redis-server` here (Debian: redis-server), so without redis. ') +
    (HAS_BULLMQ
      ? '**bullmq**: a job for each, done by a worker of this process that counts in a redis of its own ' +
        `(${slower.toLocaleString('en')} increments). `
      : 'No bullmq here (`npm install --no-save bullmq ioredis`, and redis), so without it. ') +
    'After every round the counters of each must hold as many as were acknowledged.',
  sizes: {
    full: { counters: 1_000, outstanding: 64, increments: 100_000, slower: 5_000 },
    quick: { counters: 50, outstanding: 8, increments: 500, slower: 50 },
  },
  ratios: [
    ...(HAS_REDIS ? [against('redis', { atLeast: 1, aim: 1.3 })] : []),
    against('naive', { atLeast: 12, aim: 15 }),
    ...(HAS_BULLMQ ? [against('bullmq', { atLeast: 75, aim: 100 })] : []),
  ],

  async open({ counters, outstanding, increments, slower }, directory) {
    const contenders = {
      durable: await durable(join(directory, 'durable'), counters),
      naive: await naive(join(directory, 'naive'), counters),
      ...(HAS_REDIS && { redis: await startRedis(join(directory, 'redis')) }),
      ...(HAS_BULLMQ && { bullmq: await startJobs(join(directory, 'bullmq'), outstanding) }),
    };
    const isSlow = new Set(['naive', 'bullmq']);
    const runs = Object.fromEntries(
      Object.entries(contenders).map(([name, contender]) => [
        name,
        load(contender, { counters, outstanding, count: isSlow.has(name) ? slower : increments }),
      ]),
    );
    return {
      subject: runs.durable,
      round: inTurn(runs),
      async close() {
        for (const { close } of Object.values(contenders)) await close();
      },
    };
  },
};

function against(peer, goals) {
  return {
    name: `durable increments of 1,000 counters, 64 on their way, against ${peer}`,
    of: (sample) => sample.durable.perSecond / sample[peer].perSecond,
    ...goals,
  };
}

/** As many clients as increments in progress, each with one increment at a time. */
function load({ increment, total }, { counters, outstanding, count }) {
  let expected = 0;
  let random = 1;
  return async () => {
    const latencies = [];
    let sent = 0;
    const client = async () => {
      while (sent++ < count) {
        random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
        const startMs = performance.now();
        await increment(Math.floor((random / 2 ** 32) * counters));
        latencies.push(performance.now() - startMs);
      }
    };
    const startMs = performance.now();
    await Promise.all(Array.from({ length: outstanding }, client));
    const seconds = (performance.now() - startMs) / 1_000;
    expected += count;
    const counted = await total();
    if (counted !== expected) throw new Error(`${counted} increments are there, ${expected} were acknowledged`);
    return { perSecond: count / seconds, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
  };
}

async function durable(directory, counters) {
  const { system, addresses } = await workerSystem(watchedStore(directory).store, counters, { agent: tally });
  return {
    increment: (counter) => system.send(addresses[counter], { type: 'tally.add' }),
    async total() {
      await system.idle();
      const states = await Promise.all(addresses.map((address) => system.snapshot(address)));
      return states.reduce((sum, { context }) => sum + context.count, 0);
    },
    close: () => system.stop(),
  };
}

async function naive(directory, counters) {
  const database = await rawLevel(directory, { valueEncoding: 'utf8' });
  const counts = Array.from({ length: counters }, () => ({ count: 0 }));
  return {
    increment(counter) {
      counts[counter].count += 1;
      return database.put(`counter-${counter}`, JSON.stringify(counts[counter]), { sync: true });
    },
    async total() {
      let sum = 0;
      for await (const value of database.values()) sum += JSON.parse(value).count;
      return sum;
    },
    close: () => database.close(),
  };
}
