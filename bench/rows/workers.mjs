/** G18: one system over two worker threads, against one. The row shows the value of a second core. */
import { join } from 'node:path';
import { createSystem } from '../../dist/index.js';
import { inTurn } from '../rounds.mjs';

const MODULE = new URL('../tellers.mjs', import.meta.url);

/** One message in so many goes to the other worker, if that is measured. */
const FAR_EVERY = 10;

/** Otherwise: more than any token has hops. */
const NEVER = 1_000_000;

/** Starts in flight at a time. */
const STARTS = 500;

export const workers = {
  name: 'G18',
  title: 'Two workers',
  about: ({ actors, tokens, hops }) =>
    `${actors.toLocaleString('en')} actors; ${tokens.toLocaleString('en')} tokens at a time, which are passed on ` +
    `${hops.toLocaleString('en')} times each, on LevelDB, disk durability, until all of that is durable. ` +
    '**one**: a system of one worker thread. **two**: of two, all passed on within a worker. **across**: of two, ' +
    `one message in ${FAR_EVERY} goes to the other.`,
  sizes: {
    full: { actors: 2_000, tokens: 2_000, hops: 100 },
    quick: { actors: 200, tokens: 20, hops: 100 },
  },
  ratios: [
    {
      name: 'two / one, messages per second',
      of: ({ two, one }) => two.perSecond / one.perSecond,
      between: { rate: ['two', 'one'] },
      atLeast: 1.5,
      aim: 1.7,
    },
    {
      name: 'across / one, messages per second',
      of: ({ across, one }) => across.perSecond / one.perSecond,
      between: { rate: ['across', 'one'] },
      atLeast: 1.1,
      aim: 1.3,
    },
  ],

  async open({ actors, tokens, hops }, directory) {
    const one = await tellers(join(directory, 'one'), { count: 1, actors });
    const two = await tellers(join(directory, 'two'), { count: 2, actors });
    const contender = (population, farEvery) => () => run(population, { tokens, hops, farEvery });
    const round = inTurn({ one: contender(one, NEVER), two: contender(two, NEVER), across: contender(two, FAR_EVERY) });
    return {
      subject: contender(two, FAR_EVERY),
      round,
      async close() {
        await one.system.stop();
        await two.system.stop();
      },
    };
  },
};

async function tellers(directory, { count, actors }) {
  const system = await createSystem({ workers: { count, module: MODULE, directory } }).start();
  const boss = system.boss('tellers');
  const ids = Array.from({ length: actors }, (_, index) => `t${index}`);
  const addresses = [];
  for (let first = 0; first < actors; first += STARTS)
    addresses.push(...(await Promise.all(ids.slice(first, first + STARTS).map((id) => boss.startChild({ id })))));
  const byWorker = Array.from({ length: count }, (_, worker) =>
    addresses.filter((address) => system.workerOf(address) === worker),
  );
  const meet = (address, index) => {
    const home = byWorker[system.workerOf(address)];
    const away = byWorker[(system.workerOf(address) + 1) % count];
    return system.send(address, {
      type: 'meet',
      near: home[(home.indexOf(address) + 1) % home.length],
      far: away[index % away.length],
    });
  };
  for (let first = 0; first < actors; first += STARTS)
    await Promise.all(addresses.slice(first, first + STARTS).map((address, index) => meet(address, index)));
  await Promise.all(
    addresses.map(async (address) => (await system.actor(address)).waitFor(({ value }) => value === 'ready')),
  );
  return { system, addresses, told: 0 };
}

/**
 * Starts tokens evenly over all actors. The measured time ends when no work is left; losses and duplicates are checked
 * afterwards.
 */
async function run(population, { tokens, hops, farEvery }) {
  const { system, addresses } = population;
  const count = tokens * (hops + 1);
  const stride = Math.floor(addresses.length / tokens);
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await Promise.all(
    Array.from({ length: tokens }, (_, token) =>
      system.send(addresses[token * stride], { type: 'pass', left: hops, farEvery }),
    ),
  );
  population.told += count;
  let seconds;
  do {
    await system.idle();
    seconds = (performance.now() - startMs) / 1_000;
  } while (!(await isAllTold(population)));
  const { user, system: kernelSpace } = process.cpuUsage(cpu);
  return { perSecond: count / seconds, cpuMicrosPerMessage: (user + kernelSpace) / count };
}

async function isAllTold({ system, addresses, told: expected }) {
  const contexts = await Promise.all(addresses.map((address) => system.snapshot(address)));
  const told = contexts.reduce((sum, { context }) => sum + context.told, 0);
  if (told > expected) throw new Error(`${told} messages were passed on, of ${expected}`);
  return told === expected;
}
