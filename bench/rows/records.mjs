/** T4: records of many actors, read from the store; and the removal of an actor with very many. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { createSystem, defineAgent, record } from '../../dist/index.js';
import { watchLoop } from '../loop-stops.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { bytesOfValue, randomText, settle } from '../stored-bytes.mjs';
import { watchedStore } from '../stores.mjs';

const OUTSTANDING = 64;
const PER_TURN = 100;
const READS = 200;
const ROLES = 10;
const STARTS = 3;

/** An actor that is erased, so that nothing is left to fold. */
const SPARE = 'spare';
/** Characters of a record whose bytes are counted. */
const TEXT_CHARS = 64;

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
  records: { decisions: { keep: { count: 10_000_000 }, keys: { role: 'role' } } },
  keep: { ended: { count: 0 } },
});

/** Keeps the given texts, with a key and without. */
const clerk = defineAgent({
  name: 'clerk',
  machine: setup({}).createMachine({
    context: {},
    on: {
      keep: {
        actions: enqueueActions(({ enqueue, event }) => {
          event.texts.forEach((what, n) => enqueue(record(event.name, { role: `role ${n % ROLES}`, what })));
        }),
      },
    },
  }),
  events: { keep: z.object({ name: z.string(), texts: z.array(z.string()) }) },
  records: { plain: { keep: { count: 10_000_000 } }, keyed: { keep: { count: 10_000_000 }, keys: { role: 'role' } } },
});

async function population(directory, actors, agent = 'scribe') {
  const { store } = watchedStore(directory);
  const ids = [...Array.from({ length: actors }, (_, n) => `s${n}`), SPARE];
  const children = ids.map((id) => ({ id, agent, restart: 'temporary' }));
  const system = createSystem({ agents: [scribe, clerk], store, durability: 'process', tree: { children } });
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  await system.start();
  const { user, system: ofSystem } = process.cpuUsage(cpu);
  return { system, startMs: performance.now() - startMs, startCpuMs: (user + ofSystem) / 1_000 };
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
  const { system, startMs, startCpuMs } = await population(directory, actors);
  const last = { newestFirst: true, limit: 100 };
  const byActor = await timesOf(READS, (n) => system.records.list(`s${(n * 7) % actors}`, 'decisions', last));
  const byKey = await timesOf(READS, (n) =>
    system.records.find('scribe', 'decisions', ['role', `role ${n % ROLES}`], last),
  );
  await settle(system, SPARE, directory);
  return {
    recordMicros,
    startMs,
    startCpuMs,
    ...(await settledStarts(directory, actors)),
    actorP99Ms: percentile(byActor, 0.99),
    keyP50Ms: percentile(byKey, 0.5),
    keyP99Ms: percentile(byKey, 0.99),
  };
}

/** The same actors after a stop, without a record. */
async function none(directory, { actors }) {
  await rm(directory, { recursive: true, force: true });
  const { system: first } = await population(directory, actors);
  await first.stop();
  const { system, startMs, startCpuMs } = await population(directory, actors);
  await settle(system, SPARE, directory);
  return { startMs, startCpuMs, ...(await settledStarts(directory, actors)) };
}

/** Starts with nothing to replay but the starts themselves; the median of some. */
async function settledStarts(directory, actors) {
  const starts = [];
  for (let n = 0; n < STARTS; n++) {
    const { system, startMs, startCpuMs } = await population(directory, actors);
    await system.stop();
    starts.push({ startMs, startCpuMs });
  }
  return {
    settledStartMs: percentile(
      starts.map(({ startMs }) => startMs),
      0.5,
    ),
    settledStartCpuMs: percentile(
      starts.map(({ startCpuMs }) => startCpuMs),
      0.5,
    ),
  };
}

/** Counts the bytes on disk of a record beside its value, without a key and with one. */
async function bytes(directory, { counted }) {
  const valueBytes = bytesOfValue({ role: 'role 1', what: randomText(TEXT_CHARS) });
  const of = async (records) => (await sizeWith(directory, { ...records, counted })) / counted;
  const emptyBytes = await of({});
  const plainBytes = (await of({ name: 'plain' })) - emptyBytes - valueBytes;
  const keyedBytes = (await of({ name: 'keyed' })) - emptyBytes - valueBytes;
  return { valueBytes, plainBytes, keyedBytes };
}

/** The bytes of a store of one actor and its records of a name, with nothing left to fold. */
async function sizeWith(directory, { name, counted }) {
  await rm(directory, { recursive: true, force: true });
  const { system } = await population(directory, 1, 'clerk');
  for (let n = 0; name !== undefined && n < counted; n += PER_TURN) {
    const texts = Array.from({ length: PER_TURN }, () => randomText(TEXT_CHARS));
    await system.send('s0', { type: 'keep', name, texts });
  }
  await system.idle();
  return settle(system, SPARE, directory);
}

/** How long the loop stops while the records of one actor are removed, a timer of 1 ms included. */
async function end(directory, { records }) {
  await rm(directory, { recursive: true, force: true });
  const { system } = await population(directory, 1);
  await noted(system, 1, records);
  globalThis.gc?.();
  const stopWatch = watchLoop();
  const startMs = performance.now();
  await system.boss().terminateChild('s0');
  await system.idle();
  const seconds = (performance.now() - startMs) / 1_000;
  const stops = stopWatch();
  const { records: left } = await system.records.find('scribe', 'decisions', ['role', 'role 1']);
  if (left.length > 0) throw new Error(`${left.length} records of an actor that has ended are left`);
  await system.stop();
  return { ...stops, seconds };
}

export const records = {
  name: 'T4',
  title: 'Records',
  about: ({ actors, records, counted }) =>
    `${actors.toLocaleString('en')} actors keep ${records.toLocaleString('en')} records with one key, ${PER_TURN} a ` +
    'turn (LevelDB, durability `process`). After a restart the last 100 of one actor are read, and the last 100 of ' +
    'one key over all actors, one read after the other. **none**: the same actors without a record. A **settled** ' +
    'start finds no journal to replay; the other one comes right after the records. ' +
    `**bytes**: what each of ${counted.toLocaleString('en')} records of random text takes on disk beside its value, ` +
    'plain and with one key, when all is folded and compacted. ' +
    `**end**: one actor that has ${records.toLocaleString('en')} is removed, which keeps no result.`,
  sizes: {
    full: { actors: 1_000, records: 1_000_000, counted: 200_000 },
    quick: { actors: 10, records: 20_000, counted: 10_000 },
  },
  ratios: [
    { name: 'the last 100 of one actor, p99', of: ({ many }) => many.actorP99Ms, atMost: 5, unit: ' ms' },
    { name: 'the last 100 of one key, p99', of: ({ many }) => many.keyP99Ms, atMost: 20, unit: ' ms' },
    { name: 'a start, against the same actors without records', of: ({ many, none }) => many.startMs / none.startMs },
    {
      name: 'a settled start, against the same actors without records',
      of: ({ many, none }) => many.settledStartMs / none.settledStartMs,
    },
    {
      name: 'the same, processor time',
      of: ({ many, none }) => many.settledStartCpuMs / none.settledStartCpuMs,
    },
    { name: 'a record on disk, beside its value', of: ({ bytes }) => bytes.plainBytes, atMost: 60, unit: ' B' },
    { name: 'a record with a key on disk, beside its value', of: ({ bytes }) => bytes.keyedBytes, unit: ' B' },
    {
      name: 'longest stop of the event loop while the records of an actor are removed',
      of: ({ end }) => end.longestMs,
      atMost: 10,
      unit: ' ms',
    },
    { name: 'the same, processor time', of: ({ end }) => end.longestCpuMs, unit: ' ms' },
  ],

  async open(size, directory) {
    const subject = () => many(join(directory, 'many'), size);
    return {
      subject,
      round: inTurn({
        many: subject,
        none: () => none(join(directory, 'none'), size),
        bytes: () => bytes(join(directory, 'bytes'), size),
        end: () => end(join(directory, 'end'), size),
      }),
      close: () => Promise.resolve(),
    };
  },
};
