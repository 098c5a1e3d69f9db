/** HUB3: many sessions of one hub: how long they take, and whether the last hand-off costs what the tenth does. */
import { HubHost, HANDOFF, runSession } from '../hub-host.mjs';
import { inTurn } from '../rounds.mjs';
import { percentile } from '../statistics.mjs';

/** Runs all sessions, so many at once. */
async function allOf(host, { sessions, concurrent }) {
  const cpu = process.cpuUsage();
  const before = { ...host.seen };
  const atEnd = [];
  let ms;
  await host.run({
    spawns: sessions,
    concurrent,
    coordinate: async (tools) => {
      const startMs = performance.now();
      let next = 0;
      const spawner = async () => {
        while (next < sessions) {
          await runSession(tools, `s${next++}`);
          atEnd.push({ cpu: process.cpuUsage(), journalBytes: host.seen.journalBytes });
        }
      };
      await Promise.all(Array.from({ length: concurrent }, spawner));
      ms = performance.now() - startMs;
    },
    work: () => HANDOFF,
  });
  const early = waveCost(atEnd, concurrent, concurrent);
  // In the last wave nothing is spawned any more.
  const late = waveCost(atEnd, sessions - 2 * concurrent, concurrent);
  return {
    ms,
    handoffCpuMicros: cpuSince(cpu) / sessions,
    handoffBytes: (host.seen.journalBytes - before.journalBytes) / sessions,
    epochs: host.seen.epochs - before.epochs,
    earlyCpuMicros: early.cpuMicros,
    lateCpuMicros: late.cpuMicros,
    earlyBytes: early.bytes,
    lateBytes: late.bytes,
  };
}

function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The cost of each of `count` hand-offs from the `first` on, where so many are under way all the time. */
function waveCost(atEnd, first, count) {
  const [from, to] = [atEnd[first - 1], atEnd[first + count - 1]];
  return {
    cpuMicros: (to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system) / count,
    bytes: (to.journalBytes - from.journalBytes) / count,
  };
}

/** Costs of sessions one after the other, each from its spawn until control is back. */
async function costs(host, sessions) {
  const all = [];
  await host.run({
    spawns: sessions,
    concurrent: 1,
    coordinate: async (tools) => {
      for (let n = 0; n < sessions; n++) {
        const before = { ...host.seen, cpu: process.cpuUsage(), ms: performance.now() };
        await runSession(tools, `s${n}`);
        all.push({
          ms: performance.now() - before.ms,
          cpuMicros: cpuSince(before.cpu),
          journalBytes: host.seen.journalBytes - before.journalBytes,
          epochs: host.seen.epochs - before.epochs,
        });
      }
    },
    work: () => HANDOFF,
  });
  return all;
}

const medianOf = (costsOfSome, metric) =>
  percentile(
    costsOfSome.map((one) => one[metric]),
    0.5,
  );

async function earlyAndLate(host, { sessions, warm, measured }) {
  await costs(host, warm);
  globalThis.gc?.();
  const all = await costs(host, sessions);
  const [early, late] = [all.slice(5, 5 + measured), all.slice(-measured)];
  return {
    earlyMs: medianOf(early, 'ms'),
    lateMs: medianOf(late, 'ms'),
    earlyCpuMicros: medianOf(early, 'cpuMicros'),
    lateCpuMicros: medianOf(late, 'cpuMicros'),
    earlyBytes: medianOf(early, 'journalBytes'),
    lateBytes: medianOf(late, 'journalBytes'),
    epochs: medianOf(late, 'epochs'),
  };
}

export const handoffs = {
  name: 'HUB3',
  title: 'A thousand hand-offs of one hub',
  about: ({ sessions, concurrent, warm, measured }) =>
    `A Coordinator's function has ${sessions.toLocaleString('en')} Researchers run and hand off to one work plan ` +
    `(LevelDB, durability \`disk\`). **wide**: ${concurrent} at once, from the first spawn until all are closed. ` +
    `**alone**: one after the other, each from its spawn until control is back, after another run of ${warm} on ` +
    `another plan; **early** are the ${measured} from the sixth on, **late** the last ${measured}, of each the ` +
    `median; in **wide** the second ${concurrent} and the last ${concurrent} but ${concurrent}. Bytes are those of ` +
    'the journal.',
  sizes: {
    full: { sessions: 1_000, concurrent: 64, warm: 200, measured: 20 },
    quick: { sessions: 60, concurrent: 16, warm: 20, measured: 20 },
  },
  ratios: [
    { name: 'all sessions of a hub, 64 at once', of: ({ wide }) => wide.ms, atMost: 5_000, unit: ' ms' },
    {
      name: 'processor time of the last hand-offs, against the first ones',
      of: ({ alone }) => alone.lateCpuMicros / alone.earlyCpuMicros,
      atMost: 2,
    },
    {
      name: 'time of the last hand-offs, against the first ones',
      of: ({ alone }) => alone.lateMs / alone.earlyMs,
      atMost: 2,
    },
    {
      name: 'bytes of the last hand-offs, against the first ones',
      of: ({ alone }) => alone.lateBytes / alone.earlyBytes,
      atMost: 2,
    },
    {
      name: 'processor time of late hand-offs, against early ones, 64 at once',
      of: ({ wide }) => wide.lateCpuMicros / wide.earlyCpuMicros,
      atMost: 2,
    },
    {
      name: 'bytes of late hand-offs, against early ones, 64 at once',
      of: ({ wide }) => wide.lateBytes / wide.earlyBytes,
    },
    {
      name: 'bytes of a hand-off, 64 at once against alone',
      of: ({ wide, alone }) => wide.handoffBytes / alone.lateBytes,
    },
  ],
  async open(size, directory) {
    const host = await HubHost.open(directory);
    const wide = () => allOf(host, size);
    return {
      subject: wide,
      round: inTurn({ wide, alone: () => earlyAndLate(host, size) }),
      close: () => host.stop(),
    };
  },
};
