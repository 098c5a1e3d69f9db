/**
 * SEL1 and SEL2: the agent for a task, from registries of three sizes, and the index of the largest, made in slices as
 * behind a gateway. Beside them a library of search over the same texts, which only finds and neither weighs nor
 * explains.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import MiniSearch from 'minisearch';
import { systemClock } from '../../dist/clock.js';
import { indexInSlices } from '../../dist/crew-agents.js';
import { indexFor, recommend, SHIPPED_PROFILES } from '../../dist/machines/index.js';
import { inTurn } from '../rounds.mjs';
import { latency } from '../statistics.mjs';

const TASKS = new URL('../../test/support/machines/selection-tasks/', import.meta.url);

export const selection = {
  name: 'SEL1',
  title: 'The agent for a task',
  about: ({ sizes, calls }) =>
    `${calls.toLocaleString('en')} labelled tasks, one after the other, against registries of ` +
    `${sizes.map((size) => size.toLocaleString('en')).join(', ')} profiles: the 22 of the package, again and again, ` +
    'each with a word of its own. **library**: minisearch over the texts of the smallest, with the same words.',
  sizes: { full: { sizes: [22, 1_000, 10_000], calls: 500 }, quick: { sizes: [22, 50, 100], calls: 50 } },
  ratios: [
    { name: '22 profiles, p99', of: ({ small }) => small.p99Ms, atMost: 2, unit: ' ms' },
    { name: '1,000 profiles, p99', of: ({ medium }) => medium.p99Ms, atMost: 5, unit: ' ms' },
    { name: '10,000 profiles, p99', of: ({ large }) => large.p99Ms, atMost: 30, unit: ' ms' },
    { name: '22 profiles / library, p50', of: ({ small, library }) => small.p50Ms / library.p50Ms },
  ],

  open({ sizes, calls }) {
    const tasks = labelled(calls);
    const asking = (size) => {
      const index = indexFor(registry(size));
      return timed(tasks, (task) => {
        const { recommended } = recommend(index, { task });
        if (recommended === '') throw new Error(`nobody is recommended for ${task}`);
      });
    };
    const small = asking(sizes[0]);
    const search = searchOf(registry(sizes[0]));
    return {
      subject: small,
      round: inTurn({
        small,
        medium: asking(sizes[1]),
        large: asking(sizes[2]),
        library: timed(tasks, (task) => search.search(task)),
      }),
      close: () => {},
    };
  },
};

export const selectionIndex = {
  name: 'SEL2',
  title: 'The index of a large registry',
  about: ({ size }) =>
    `The index of ${size.toLocaleString('en')} profiles, made in slices between which the event loop goes on, and ` +
    'how late a timer of 1 ms fires meanwhile, that millisecond included. **library**: minisearch over the same ' +
    'texts, in one piece.',
  sizes: { full: { size: 10_000 }, quick: { size: 100 } },
  ratios: [
    { name: 'longest stop of the event loop', of: ({ index }) => index.longestMs, atMost: 10, unit: ' ms' },
    { name: 'time until it is ready', of: ({ index }) => index.ms, atMost: 3_000, unit: ' ms' },
    { name: 'library / index, time', of: ({ index, library }) => library.ms / index.ms },
  ],

  open({ size }) {
    const profiles = registry(size);
    const index = async () => {
      const delays = monitorEventLoopDelay({ resolution: 1 });
      delays.enable();
      const startMs = performance.now();
      const made = await indexInSlices(profiles, systemClock);
      const ms = performance.now() - startMs;
      delays.disable();
      if (made.profiles.length !== size) throw new Error(`${made.profiles.length} of ${size} profiles are indexed`);
      return { ms, longestMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6 };
    };
    const library = async () => {
      const startMs = performance.now();
      searchOf(profiles);
      return { ms: performance.now() - startMs };
    };
    return { subject: index, round: inTurn({ index, library }), close: () => {} };
  },
};

/** Labelled tasks, the same ones again if there are not enough. */
function labelled(count) {
  const all = readdirSync(TASKS)
    .sort()
    .flatMap((file) => readFileSync(new URL(file, TASKS), 'utf8').trim().split('\n'))
    .map((line) => line.split(' ').slice(2).join(' '));
  return Array.from({ length: count }, (_, at) => all[at % all.length]);
}

/** A registry of a size: the profiles of the package again and again, each time with a word of its own. */
function registry(size) {
  return Array.from({ length: size }, (_, at) => {
    const one = SHIPPED_PROFILES[at % SHIPPED_PROFILES.length];
    if (at < SHIPPED_PROFILES.length) return one;
    const { selectionMetadata: meta } = one;
    const keywords = [...meta.keywords.slice(0, 40), `topic${at}`];
    return { ...one, agentId: `${one.agentId}-${at}`, selectionMetadata: { ...meta, keywords } };
  });
}

function searchOf(profiles) {
  const search = new MiniSearch({ fields: ['text'] });
  search.addAll(
    profiles.map(({ role, description, expertise, systemPrompt, selectionMetadata: meta }, id) => ({
      id,
      text: [role, description, ...expertise, ...meta.keywords, ...meta.exampleTasks, systemPrompt].join('\n'),
    })),
  );
  return search;
}

/** Times a call for each task. */
function timed(tasks, call) {
  return async () => {
    const times = tasks.map((task) => {
      const startMs = performance.now();
      call(task);
      return performance.now() - startMs;
    });
    return latency(times);
  };
}
