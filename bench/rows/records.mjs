/** T4: records of many actors, read from the store; and the removal of an actor with very many. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent, record } from '../../dist/index.js';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 64;
const PER_TURN = 100;
const READS = 200;
const ROLES = 10;

const scribe = defineAgent({
  name: 'scribe',
  machine: setup({}).createMachine({
    context: {},
    on: {
      note: {
        actions: enqueueActions(({ enqueue, event }) => {
          for (let n = event.from; n < event.from + PER_TURN; n++) {
            const what = `decision ${n} of a machine that keeps what it decides, and why it did so`;
            enqueue(record('decisions', { number: n, role: `role ${n % ROLES}`, what }));
          }
        }),
      },
    },
  }),
  events: { note: z.object({ from: z.number() }) },
  records: { decisions: { keep: 10_000_000, keys: { role: 'role' } } },
});

async function population(directory, actors) {
  const { store } = watchedStore(directory);
  const children = Array.from({ length: actors }, (_, n) => ({ id: `s${n}`, agent: 'scribe', restart: 'temporary' }));
  const system = createSystem({ agents: [scribe], store, durability: 'process', tree: { children } });
  const startMs = performance.now();
  await system.start();
  return { system, startMs: performance.now() - startMs };
}

/** Makes actors keep so many records in total. */
async function noted(system, actors, records) {
  let next = 0;
  const turns = records / PER_TURN;
  const sender = async () => {
    for (let n = next++; n < turns; n = next++)
      await system.send(`s${n % actors}`, { type: 'note', from: n * PER_TURN });
  };
  await Promise.all(Array.from({ length: OUTSTANDING }, sender));
  await system.idle();
}

async function timesOf(count, read) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    const { records } = await read(n);
    times.push(performance.now() - startMs);
    if (records.length !== 100) throw new Error(`${records.length} records were read instead of 100`);
  }
  return times;
}

async function many(directory, { actors, records }) {
  await rm(directory, { recursive: true, force: true });
  const { system: first } = await population(directory, actors);
  const begunMs = performance.now();
  await noted(first, actors, records);
  const recordMicros = ((performance.now() - begunMs) * 1_000) / records;
  await first.stop();
  const { system, startMs } = await population(directory, actors);
  const last = { newestFirst: true, limit: 100 };
  const byActor = await timesOf(READS, (n) => system.records.list(`s${(n * 7) % actors}`, 'decisions', last));
  const byKey = await timesOf(READS, (n) =>
    system.records.find('scribe', 'decisions', ['role', `role ${n % ROLES}`], last),
  );
  await system.stop();
  return { recordMicros, startMs, actorP99Ms: percentile(byActor, 0.99), keyP99Ms: percentile(byKey, 0.99) };
}

/** The same actors after as many turns, without a record. */
async function none(directory, { actors }) {
  await rm(directory, { recursive: true, force: true });
  const { system } = await population(directory, actors);
  await system.stop();
  const again = await population(directory, actors);
  await again.system.stop();
  return { startMs: again.startMs };
}

/** How long the loop stops while the records of one actor are removed, a timer of 1 ms included. */
async function end(directory, { records }) {
  await rm(directory, { recursive: true, force: true });
  const { system } = await population(directory, 1);
  await noted(system, 1, records);
  globalThis.gc?.();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const startMs = performance.now();
  await system.boss().terminateChild('s0');
  await system.idle();
  delays.disable();
  const ms = performance.now() - startMs;
  const { records: left } = await system.records.find('scribe', 'decisions', ['role', 'role 1']);
  if (left.length > 0) throw new Error(`${left.length} records of an actor that has ended are left`);
  await system.stop();
  return { longestMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6, seconds: ms / 1_000 };
}

export const records = {
  name: 'T4',
  title: 'Records',
  about: ({ actors, records }) =>
    `${actors.toLocaleString('en')} actors keep ${records.toLocaleString('en')} records with one key, ${PER_TURN} a ` +
    'turn (LevelDB, durability `process`). After a restart the last 100 of one actor are read, and the last 100 of ' +
    'one key over all actors, one read after the other. **none**: a start of the same actors without a record. ' +
    `**end**: one actor that has ${records.toLocaleString('en')} is removed.`,
  sizes: { full: { actors: 1_000, records: 1_000_000 }, quick: { actors: 10, records: 20_000 } },
  ratios: [
    { name: 'the last 100 of one actor, p99', of: ({ many }) => many.actorP99Ms, atMost: 5, unit: ' ms' },
    { name: 'the last 100 of one key, p99', of: ({ many }) => many.keyP99Ms, atMost: 20, unit: ' ms' },
    { name: 'a start, against the same actors without records', of: ({ many, none }) => many.startMs / none.startMs },
    {
      name: 'longest stop of the event loop while the records of an actor are removed',
      of: ({ end }) => end.longestMs,
      atMost: 10,
      unit: ' ms',
    },
  ],

  async open(size, directory) {
    const subject = () => many(join(directory, 'many'), size);
    return {
      subject,
      round: inTurn({
        many: subject,
        none: () => none(join(directory, 'none'), size),
        end: () => end(join(directory, 'end'), size),
      }),
      close: () => Promise.resolve(),
    };
  },
};
