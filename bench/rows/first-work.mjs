/** HUB1, HUB7: one session of a hub at a time: from its spawn to its first work, and from its work to its entry. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HANDOFF, HubHost, runSession } from '../hub-host.mjs';
import { inTurn } from '../rounds.mjs';
import { latency, percentile } from '../statistics.mjs';

/** The pause before anything is timed: whatever went before is on disk then, and nothing is under way. */
const PAUSE_MS = 5;

async function spawnsToWork(host, sessions) {
  const timesMs = [];
  const epochs = { first: [], whole: [] };
  let begun;
  await host.run({
    spawns: sessions,
    concurrent: 1,
    coordinate: async (tools) => {
      for (let n = 0; n < sessions; n++) {
        await sleep(PAUSE_MS);
        begun = { ms: performance.now(), epochs: host.seen.epochs };
        await runSession(tools, `s${n}`);
        epochs.whole.push(host.seen.epochs - begun.epochs);
      }
    },
    work: () => {
      timesMs.push(performance.now() - begun.ms);
      epochs.first.push(host.seen.epochs - begun.epochs);
      return HANDOFF;
    },
  });
  return {
    ...latency(timesMs),
    epochs: percentile(epochs.first, 0.5),
    mostEpochs: Math.max(...epochs.first),
    epochsUntilClosed: percentile(epochs.whole, 0.5),
  };
}

export const firstWork = {
  name: 'HUB1',
  title: 'From a spawn to its first work',
  about: ({ sessions }) =>
    `A Coordinator's function spawns ${sessions.toLocaleString('en')} Researchers with \`tools.run\`, one after the ` +
    `other and each after ${PAUSE_MS} ms of rest (LevelDB, durability \`disk\`). The time is from the call until the ` +
    "Researcher's function begins, which it does behind the epoch that has the session on disk; **epochs** are those " +
    'written in that time, and **until closed** those until the call has its result.',
  sizes: { full: { sessions: 500 }, quick: { sessions: 20 } },
  ratios: [
    { name: 'spawn to first work, p50', of: ({ hub }) => hub.p50Ms, atMost: 10, unit: ' ms' },
    { name: 'spawn to first work, p99', of: ({ hub }) => hub.p99Ms, atMost: 40, unit: ' ms' },
    { name: 'epochs of an idle spawn until its first work', of: ({ hub }) => hub.epochs, unit: '' },
  ],
  async open({ sessions }, directory) {
    const host = await HubHost.open(directory);
    const subject = () => spawnsToWork(host, sessions);
    return { subject, round: inTurn({ hub: subject }), close: () => host.stop() };
  },
};

/** A function that returns the time, processor time, epochs and their bytes since now. */
function stopwatch({ seen }) {
  const before = { ...seen, ms: performance.now(), cpu: process.cpuUsage() };
  return () => {
    const { user, system } = process.cpuUsage(before.cpu);
    return {
      ms: performance.now() - before.ms,
      cpuMicros: user + system,
      epochs: seen.epochs - before.epochs,
      bytes: seen.journalBytes - before.journalBytes,
    };
  };
}

/** Latencies of measurements, and the medians of what each has cost. */
function summary(all) {
  const of = (metric) => all.map((one) => one[metric]);
  return {
    ...latency(of('ms')),
    cpuMicros: percentile(of('cpuMicros'), 0.5),
    bytes: percentile(of('bytes'), 0.5),
    epochs: percentile(of('epochs'), 0.5),
    mostEpochs: Math.max(...of('epochs')),
  };
}

/** Hand-offs and idle acknowledgements in turn, in one run on one store. */
async function entries(host, sessions) {
  const { system } = host;
  const handoffs = [];
  const asks = [];
  let sinceReturn;
  let recorded;
  await host.run({
    spawns: sessions,
    concurrent: 1,
    coordinate: async (tools, plan) => {
      const actor = await system.actor(`work-plans/${plan}`);
      const listening = actor.on('handoff.recorded', () => {
        handoffs.push(sinceReturn());
        recorded();
      });
      for (let n = 0; n < sessions; n++) {
        await sleep(PAUSE_MS);
        const sinceAsk = stopwatch(host);
        await system.ask('counter', { type: 'add' });
        asks.push(sinceAsk());
        const entry = new Promise((resolve) => (recorded = resolve));
        await runSession(tools, `s${n}`);
        await entry;
      }
      listening.unsubscribe();
    },
    work: async () => {
      await sleep(PAUSE_MS);
      sinceReturn = stopwatch(host);
      return HANDOFF;
    },
  });
  if (handoffs.length !== sessions) throw new Error(`${handoffs.length} of ${sessions} entries were heard`);
  return { handoff: summary(handoffs), ask: summary(asks) };
}

export const durableEntry = {
  name: 'HUB7',
  title: 'From a hand-off to its entry',
  about: ({ sessions }) =>
    `${sessions.toLocaleString('en')} Researchers of one Coordinator, one after the other (LevelDB, durability ` +
    `\`disk\`), whose functions rest ${PAUSE_MS} ms and return a hand-off. **handoff**: from that return until ` +
    '`handoff.recorded` of the work plan is out, behind the epoch that has the entry; **ask**: before each, an idle ' +
    'ask of a counter in the same system.',
  sizes: { full: { sessions: 300 }, quick: { sessions: 20 } },
  ratios: [
    {
      name: 'hand-off to its durable entry, against an idle ask, p50',
      of: ({ handoff, ask }) => handoff.p50Ms / ask.p50Ms,
      atMost: 1.3,
    },
    {
      name: 'hand-off to its durable entry, against an idle ask, p99',
      of: ({ handoff, ask }) => handoff.p99Ms / ask.p99Ms,
    },
    {
      name: 'the same, processor time, p50',
      of: ({ handoff, ask }) => handoff.cpuMicros / ask.cpuMicros,
    },
  ],
  async open({ sessions }, directory) {
    const host = await HubHost.open(directory);
    const subject = () => entries(host, sessions);
    return { subject, round: subject, close: () => host.stop() };
  },
};
