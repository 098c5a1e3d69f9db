/** T8: the results of very many ended actors: pages of them, single ones, a start, and what one takes on disk. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setup } from 'xstate';
import { createSystem, defineAgent, levelStore } from '../../dist/index.js';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';
import { bytesOfValue, randomText, settle } from '../stored-bytes.mjs';

/** Actors that are born and end before the next ones: each is two messages to its Boss. */
const AT_ONCE = 2_000;
const READS = 1_000;
const PAGE = 100;
const STARTS = 3;
const TEXT_CHARS = 32;
/** An actor that is erased, so that nothing is left to fold. */
const SPARE = 'spare';

/** Ends at once, with the text that it is given. */
const run = defineAgent({
  name: 'run',
  machine: setup({}).createMachine({
    context: ({ input }) => ({ text: input.text }),
    initial: 'over',
    states: { over: { type: 'final' } },
    output: ({ context }) => context.text,
  }),
  events: {},
  keep: { ended: { count: 2_000_000 } },
});

const living = defineAgent({ name: 'living', machine: setup({}).createMachine({ context: {} }), events: {} });

async function population(directory, actors) {
  const ids = [...Array.from({ length: actors }, (_, n) => `a${n}`), SPARE];
  const children = ids.map((id) => ({ id, agent: 'living' }));
  const store = levelStore(directory);
  const system = createSystem({ agents: [run, living], store, durability: 'process', tree: { children } });
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  await system.start();
  const { user, system: ofSystem } = process.cpuUsage(cpu);
  return { system, startMs: performance.now() - startMs, startCpuMs: (user + ofSystem) / 1_000 };
}

function idOf(n) {
  return `r${String(n).padStart(7, '0')}`;
}

/** Lets so many actors live and end, and leaves their results in a compacted store. */
async function filled(directory, { actors, ended }) {
  await rm(directory, { recursive: true, force: true });
  const { system } = await population(directory, actors);
  const begunMs = performance.now();
  const cpu = process.cpuUsage();
  for (let first = 0; first < ended; first += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, ended - first) }, (_, n) => idOf(first + n));
    const spawn = (id) => system.spawn(run, id, { input: { text: randomText(TEXT_CHARS) }, restart: 'temporary' });
    await Promise.all(ids.map(spawn));
    await system.idle();
  }
  const ms = performance.now() - begunMs;
  const { user, system: ofSystem } = process.cpuUsage(cpu);
  await system.stop();
  const { system: again, startMs } = await population(directory, actors);
  const bytes = await settle(again, SPARE, directory);
  return { endsPerSecond: (ended * 1_000) / ms, endCpuMicros: (user + ofSystem) / ended, startMs, bytes };
}

/** Times of reads in wall time and in processor time. */
async function timesOf(read) {
  const times = { wall: [], processor: [] };
  for (let n = 0; n < READS; n++) {
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await read(n);
    times.wall.push(performance.now() - startMs);
    const { user, system } = process.cpuUsage(cpu);
    times.processor.push((user + system) / 1_000);
  }
  return times;
}

/** The latest page, pages behind random ends, and single results. */
async function read(system, ended) {
  const page = async (from) => {
    const { runs, next } = await system.runs({ agent: 'run', limit: PAGE, from });
    if (runs.length !== PAGE) throw new Error(`${runs.length} results were read instead of ${PAGE}`);
    return next;
  };
  const anywhere = () => idOf(PAGE + Math.floor(Math.random() * (ended - PAGE)));
  const cursors = [];
  for (let n = 0; n < READS; n++) {
    const { endedAtMs, life } = await system.result(anywhere());
    cursors.push([endedAtMs, life].map((part) => part.toString(16).padStart(14, '0')).join(''));
  }
  const latest = await timesOf(() => page());
  const random = await timesOf((n) => page(cursors[n]));
  const one = await timesOf(async () => {
    const { status, output } = await system.result(anywhere());
    if (status !== 'done' || output.length !== TEXT_CHARS) throw new Error('a result is not what its actor left');
  });
  return {
    pageP50Ms: percentile(latest.wall, 0.5),
    pageP99Ms: percentile(latest.wall, 0.99),
    pageCpuP99Ms: percentile(latest.processor, 0.99),
    randomPageP50Ms: percentile(random.wall, 0.5),
    randomPageP99Ms: percentile(random.wall, 0.99),
    randomPageCpuP99Ms: percentile(random.processor, 0.99),
    oneP50Ms: percentile(one.wall, 0.5),
    oneP99Ms: percentile(one.wall, 0.99),
    oneCpuP99Ms: percentile(one.processor, 0.99),
  };
}

/** Starts with nothing to replay but the starts themselves; the median of some. */
async function starts(directory, actors) {
  const all = [];
  for (let n = 0; n < STARTS; n++) {
    const { system, startMs, startCpuMs } = await population(directory, actors);
    await system.stop();
    all.push([startMs, startCpuMs]);
  }
  const [startMs, startCpuMs] = [0, 1].map((i) =>
    percentile(
      all.map((start) => start[i]),
      0.5,
    ),
  );
  return { startMs, startCpuMs };
}

export const results = {
  name: 'T8',
  title: 'Results of ended actors',
  about: ({ actors, ended }) =>
    `${actors.toLocaleString('en')} actors live beside the results of ${ended.toLocaleString('en')} that have ended, ` +
    'each with an output of random text (LevelDB, durability `process`), all folded and compacted. **many**: starts, ' +
    `then pages of ${PAGE}, the latest and those behind random ends, and single results, one read after the other. ` +
    '**none**: the same living actors without a result. **filled**: how the results came about, once: the ends a ' +
    'second, a start right after them, and what each takes on disk beside its output and address.',
  sizes: { full: { actors: 1_000, ended: 1_000_000 }, quick: { actors: 10, ended: 10_000 } },
  ratios: [
    { name: 'a page of the latest results, p99', of: ({ many }) => many.pageP99Ms, atMost: 5, unit: ' ms' },
    {
      name: 'a page of results behind a random one, p99',
      of: ({ many }) => many.randomPageP99Ms,
      atMost: 5,
      unit: ' ms',
    },
    { name: 'the same, processor time', of: ({ many }) => many.randomPageCpuP99Ms, unit: ' ms' },
    { name: 'the result of an address, p99', of: ({ many }) => many.oneP99Ms, unit: ' ms' },
    { name: 'a start, against the same actors without results', of: ({ many, none }) => many.startMs / none.startMs },
    { name: 'the same start, processor time', of: ({ many, none }) => many.startCpuMs / none.startCpuMs },
    {
      name: 'a result on disk, beside output and address',
      of: ({ filled }) => filled.bytesEach,
      atMost: 60,
      unit: ' B',
    },
  ],

  async open({ actors, ended }, directory) {
    const [many, none] = [join(directory, 'many'), join(directory, 'none')];
    const { bytes: emptyBytes } = await filled(none, { actors, ended: 0 });
    const { bytes, ...made } = await filled(many, { actors, ended });
    const ownBytes = bytesOfValue(randomText(TEXT_CHARS)) + idOf(0).length;
    const subject = async () => {
      const began = await starts(many, actors);
      const { system } = await population(many, actors);
      const reads = await read(system, ended);
      await system.stop();
      return { ...began, ...reads };
    };
    return {
      subject,
      round: inTurn({
        many: subject,
        none: () => starts(none, actors),
        filled: () => ({ ...made, bytesEach: (bytes - emptyBytes) / ended - ownBytes }),
      }),
      close: () => rm(directory, { recursive: true, force: true }),
    };
  },
};
