/**
 * S5: a deep tree of Bosses: its start, until every actor's first turn is durable; its memory; and its end in order,
 * the youngest first. Every worker is told to end and takes a turn for it, and its Boss waits for that before it tells
 * the next.
 *
 * The Bosses are declared and the workers started by order: a declared tree is one value, and a hundred thousand
 * specifications exceed the bound of a value.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setup } from 'xstate';
import { createSystem, defineAgent } from '../../dist/index.js';
import { HAS_OTP, OTP_WORDS, startOtp } from '../otp.mjs';
import { inTurn } from '../rounds.mjs';
import { watchedStore } from '../stores.mjs';

/** A worker that ends by itself when told to, which makes the order of ends visible. */
const leaf = defineAgent({
  name: 'leaf',
  machine: setup({}).createMachine({
    id: 'leaf',
    context: { count: 0 },
    initial: 'working',
    states: { working: { on: { 'bosun.shutdown': 'over' } }, over: { type: 'final' } },
  }),
  events: {},
});

/** Orders of hosts in progress at a time. */
const STARTS_IN_FLIGHT = 2_000;

const OTP_TREE_WORDS =
  'In **otp** the same tree of supervisors and gen_servers: `supervisor:start_link`, and `exit(Pid, shutdown)` until ' +
  'it is down.';

export const tree = {
  name: 'S5',
  title: 'A deep tree, start and end',
  about: (size) =>
    `${actorsOf(size).toLocaleString('en')} actors, ${size.levels + 1} levels below the root: each Boss has ` +
    `${size.fanout} Bosses below it, those of the last level of Bosses ` +
    `${size.workers} workers each. **durable**: on an empty LevelDB, from \`createSystem\` with the Bosses ` +
    `declared until every \`startChild\` of a worker has ` +
    'resolved; then `terminateChild` of the topmost, until that is durable; memory after a collection, beside ' +
    'that of before. ' +
    (HAS_OTP ? OTP_TREE_WORDS : OTP_WORDS),
  sizes: {
    // 2^0 + ... + 2^8 = 511 Bosses, 256 of them with workers.
    full: { levels: 9, fanout: 2, workers: 389 },
    quick: { levels: 3, fanout: 2, workers: 10 },
  },
  ratios: HAS_OTP
    ? [
        { name: 'otp / durable, start', of: ({ durable, otp }) => otp.startMs / durable.startMs },
        { name: 'otp / durable, end in order', of: ({ durable, otp }) => otp.shutdownMs / durable.shutdownMs },
      ]
    : [],

  async open(size, directory) {
    const otp = await startOtp(directory);
    const durable = () => growAndFell(size, join(directory, 'durable'));
    return {
      subject: durable,
      round: inTurn({ durable, ...(otp && { otp: () => otp.ask('tree', size.levels, size.fanout, size.workers) }) }),
      async close() {
        otp?.close();
      },
    };
  },
};

async function growAndFell(size, directory) {
  await rm(directory, { recursive: true, force: true });
  const { store, seen } = watchedStore(directory);
  const before = memory();
  const top = { id: 't', ...bossOf(size, size.levels) };
  const starts = workersOf(size, 't', size.levels);
  const startMs = performance.now();
  const system = await createSystem({ agents: [leaf], store, tree: { children: [top] } }).start();
  await Promise.all(Array.from({ length: STARTS_IN_FLIGHT }, () => startWorkers(system, starts)));
  const startedMs = performance.now();
  const startJournalMb = seen.journalBytes / 2 ** 20;
  await system.idle();
  await assertStands(system, actorsOf(size));
  const held = memory();
  const endMs = performance.now();
  await system.boss().terminateChild('t');
  const endedMs = performance.now();
  await assertStands(system, 0);
  const endJournalMb = seen.journalBytes / 2 ** 20 - startJournalMb;
  await system.stop();
  return {
    startMs: startedMs - startMs,
    shutdownMs: endedMs - endMs,
    heapBytesPerActor: (held.heap - before.heap) / actorsOf(size),
    residentMb: held.resident / 2 ** 20,
    startJournalMb,
    endJournalMb,
  };
}

function bossOf({ fanout }, levels) {
  const below = () =>
    Array.from({ length: fanout }, (_, index) => ({ id: `${index}`, ...bossOf({ fanout }, levels - 1) }));
  return { boss: { children: levels === 1 ? [] : below() } };
}

/** The workers to start, one Boss after the other. */
function* workersOf({ fanout, workers }, boss, levels) {
  if (levels === 1) for (let worker = 0; worker < workers; worker++) yield { boss, id: `${worker}` };
  else
    for (let index = 0; index < fanout; index++) yield* workersOf({ fanout, workers }, `${boss}/${index}`, levels - 1);
}

async function startWorkers(system, starts) {
  for (let next = starts.next(); !next.done; next = starts.next()) {
    const { boss, id } = next.value;
    await system.boss(boss).startChild({ id, agent: 'leaf' });
  }
}

function actorsOf({ levels, fanout, workers }) {
  const bosses = (fanout ** levels - 1) / (fanout - 1);
  return bosses + fanout ** (levels - 1) * workers;
}

async function assertStands(system, expected) {
  let seen = -1;
  const count = ({ children }) => {
    seen += 1;
    children.forEach(count);
  };
  count(await system.tree());
  if (seen !== expected) throw new Error(`${seen} actors below the root, ${expected} expected`);
}

function memory() {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}
