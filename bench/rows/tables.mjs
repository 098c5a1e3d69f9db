/**
 * T1 and T2: collections in a context: the cost of one changed row at any size, and the pause by a fold of many rows.
 */
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent, table } from '../../dist/index.js';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 64;

const keyOf = (n) => `row ${String(n).padStart(6, '0')}`;

/** Agents that hold `count` rows from their first turn on, each in another form. */
function holder(name, { make, set }) {
  return defineAgent({
    name,
    machine: setup({}).createMachine({
      context: ({ input }) => make(Array.from({ length: input.count }, (_, n) => [keyOf(n), { n }])),
      on: { change: { actions: assign(({ context, event }) => set(context, event.key, { n: event.n })) } },
    }),
    events: { change: z.object({ key: z.string(), n: z.number() }) },
  });
}

const inTable = holder('in-table', {
  make: (rows) => ({ items: table(rows) }),
  set: ({ items }, key, row) => ({ items: items.set(key, row) }),
});

const inKeys = holder('in-keys', {
  make: (rows) => Object.fromEntries(rows),
  set: (_context, key, row) => ({ [key]: row }),
});

async function holding(directory, agent, count) {
  const { store, seen } = watchedStore(directory);
  const child = { id: 'holder', agent: agent.name, input: { count } };
  const system = createSystem({ agents: [agent], store, durability: 'process', tree: { children: [child] } });
  await system.start();
  let next = 0;
  const change = async () => {
    const n = next++;
    await system.send('holder', { type: 'change', key: keyOf((n * 7_919) % count), n });
  };
  return { system, seen, change };
}

/** Changes rows, one send after the other, from some senders at once. */
function changing({ system, seen, change }, turns) {
  return async () => {
    const before = { ...seen };
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    let left = turns;
    const sender = async () => {
      while (left-- > 0) await change();
    };
    await Promise.all(Array.from({ length: OUTSTANDING }, sender));
    await system.idle();
    const { user, system: kernelSpace } = process.cpuUsage(cpu);
    return {
      turnMicros: ((performance.now() - startMs) * 1_000) / turns,
      cpuMicros: (user + kernelSpace) / turns,
      journalBytesPerTurn: (seen.journalBytes - before.journalBytes) / turns,
      storedBytesPerTurn: (seen.bytes - before.bytes) / turns,
    };
  };
}

export const tableTurn = {
  name: 'T1',
  title: 'A changed row of a table',
  about: ({ sizes, turns, keyTurns }) =>
    `One actor changes one row a turn, ${turns.toLocaleString('en')} turns over ${OUTSTANDING} senders, at ` +
    `${sizes.map((size) => size.toLocaleString('en')).join(', ')} rows (LevelDB, durability \`process\`; folds take ` +
    `part). **keys**: the same at ${sizes[1].toLocaleString('en')} with a key of the context per row, ` +
    `${keyTurns.toLocaleString('en')} turns.`,
  sizes: {
    full: { sizes: [100, 10_000, 100_000], turns: 20_000, keyTurns: 500 },
    quick: { sizes: [10, 100, 1_000], turns: 500, keyTurns: 50 },
  },
  ratios: [
    {
      name: 'processor time of a turn at 10,000 rows, against 100',
      of: ({ medium, small }) => medium.cpuMicros / small.cpuMicros,
      atMost: 1.5,
    },
    {
      name: 'processor time of a turn at 100,000 rows, against 100',
      of: ({ large, small }) => large.cpuMicros / small.cpuMicros,
      atMost: 2,
    },
    {
      name: 'a key of the context per row, against a table of 10,000 rows',
      of: ({ keys, medium }) => keys.turnMicros / medium.turnMicros,
    },
  ],

  async open({ sizes, turns, keyTurns }, directory) {
    const [small, medium, large] = await Promise.all(
      sizes.map((count) => holding(join(directory, `table-${count}`), inTable, count)),
    );
    const keys = await holding(join(directory, 'keys'), inKeys, sizes[1]);
    const subject = changing(medium, turns);
    return {
      subject,
      round: inTurn({
        small: changing(small, turns),
        medium: subject,
        large: changing(large, turns),
        keys: changing(keys, keyTurns),
      }),
      close: () => Promise.all([small, medium, large, keys].map(({ system }) => system.stop())),
    };
  },
};

export const tableFold = {
  name: 'T2',
  title: 'The fold of a large table',
  about: ({ rows, turns }) =>
    `An actor is given ${rows.toLocaleString('en')} rows, then changes one a turn until they have been folded, ` +
    `${turns.toLocaleString('en')} turns. How late a timer of 1 ms fires meanwhile, that millisecond included.`,
  sizes: { full: { rows: 100_000, turns: 20_000 }, quick: { rows: 1_000, turns: 500 } },
  ratios: [
    {
      name: 'longest stop of the event loop while the rows are folded',
      of: ({ fold }) => fold.longestMs,
      atMost: 10,
      unit: ' ms',
    },
  ],

  async open({ rows, turns }, directory) {
    let number = 0;
    const fold = async () => {
      const held = await holding(join(directory, `fold-${number++}`), inTable, rows);
      const delays = monitorEventLoopDelay({ resolution: 1 });
      // The spawn itself admits and writes all rows.
      await held.system.idle();
      globalThis.gc?.();
      delays.enable();
      const { turnMicros, storedBytesPerTurn } = await changing(held, turns)();
      delays.disable();
      await held.system.stop();
      return { longestMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6, turnMicros, storedBytesPerTurn };
    };
    return { subject: fold, round: inTurn({ fold }), close: () => Promise.resolve() };
  },
};
