/**
 * HUB2, HUB4: commands of the sessions of a hub, in this process and with the runner of `bosun hub run`: from a spawn
 * to the first byte that its command writes, and a thousand of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataDirectory } from '../../dist/cli/store/data-directory.js';
import { sessionRunner } from '../../dist/cli/hubs/session-runner.js';
import { HubHost, runSession } from '../hub-host.mjs';
import { inTurn } from '../rounds.mjs';
import { latency } from '../statistics.mjs';

/** The pause before anything is timed: whatever went before is on disk then, and nothing is under way. */
const PAUSE_MS = 5;

/** As in G15: the finest of Node, and the figure includes the wait for it. */
const DELAY_RESOLUTION_MS = 1;

/** A host whose spokes are commands in a directory, as those of `bosun hub run` are. */
async function commandHost(directory) {
  const data = dataDirectory({ data: 'data', cwd: directory });
  await rm(data.path, { recursive: true, force: true });
  await mkdir(data.path, { recursive: true });
  const key = new Uint8Array(32);
  const runner = sessionRunner(data, {
    ...{ env: process.env, key, url: undefined },
    order: { workspace: directory, agents: {} },
  });
  const host = await HubHost.open(data.store, { runCommand: runner.runCommand, kill: runner.kill });
  await runner.clear();
  return {
    run: (order) => host.run(order),
    async close() {
      await host.stop();
      await runner.ended();
    },
  };
}

/** A named pipe in a directory, read by this process as long as it lives. */
class Pipe {
  #socket;

  constructor(directory) {
    this.path = join(directory, 'first-bytes');
    execFileSync('mkfifo', [this.path]);
    // Open for both, it has no end when a command closes it.
    this.#socket = new Socket({ fd: openSync(this.path, constants.O_RDWR | constants.O_NONBLOCK), writable: false });
  }

  /** Resolves with the time at which the next byte is there. */
  async next() {
    await once(this.#socket, 'data');
    return performance.now();
  }

  close() {
    this.#socket.destroy();
  }
}

/** Commands of a hub and bare ones in turn, in one run. */
async function firstBytes(host, pipe, sessions) {
  const run = `printf x > '${pipe.path}'`;
  const timesMs = { hub: [], bare: [] };
  await host.run({
    spawns: sessions,
    concurrent: 1,
    does: { kind: 'command', run, handoff: 'exit' },
    coordinate: async (tools) => {
      for (let n = 0; n < sessions; n++) {
        await sleep(PAUSE_MS);
        let startMs = performance.now();
        const [byHubMs] = await Promise.all([pipe.next(), runSession(tools, `s${n}`)]);
        timesMs.hub.push(byHubMs - startMs);
        await sleep(PAUSE_MS);
        startMs = performance.now();
        const bare = spawn('/bin/sh', ['-c', run], { stdio: ['ignore', 'pipe', 'pipe'] });
        const [bareMs] = await Promise.all([pipe.next(), once(bare, 'close')]);
        timesMs.bare.push(bareMs - startMs);
      }
    },
  });
  return { hub: latency(timesMs.hub), bare: latency(timesMs.bare) };
}

export const firstByte = {
  name: 'HUB2',
  title: 'From a spawn to the first byte of its command',
  about: ({ sessions }) =>
    `A Coordinator's function spawns ${sessions.toLocaleString('en')} Researchers with \`tools.run\`, one after the ` +
    `other and each after ${PAUSE_MS} ms of rest, whose agent is a shell command (LevelDB, durability \`disk\`, the ` +
    'runner of `bosun hub run`). The time is from the call until this process has the byte that the command writes ' +
    'to a named pipe. **bare**: after each, `child_process.spawn` of `/bin/sh -c` with the same command.',
  sizes: { full: { sessions: 200 }, quick: { sessions: 10 } },
  ratios: [
    {
      name: 'spawn to first byte of a command, beyond a bare spawn of it, p50',
      of: ({ hub, bare }) => hub.p50Ms - bare.p50Ms,
      atMost: 15,
      aim: 5,
      unit: ' ms',
    },
    { name: 'spawn to first byte of a command, against a bare spawn of it, p50', of: byBare('p50Ms') },
    { name: 'spawn to first byte of a command, against a bare spawn of it, p99', of: byBare('p99Ms') },
  ],
  async open({ sessions }, directory) {
    await mkdir(directory, { recursive: true });
    const pipe = new Pipe(directory);
    const host = await commandHost(directory);
    const subject = () => firstBytes(host, pipe, sessions);
    return {
      subject,
      round: subject,
      async close() {
        await host.close();
        pipe.close();
      },
    };
  },
};

function byBare(metric) {
  return ({ hub, bare }) => hub[metric] / bare[metric];
}

/** Runs all commands, so many at once. */
async function manyOf(host, { sessions, concurrent }) {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  let ms;
  await host.run({
    spawns: sessions,
    concurrent,
    does: { kind: 'command', run: 'true', handoff: 'exit' },
    coordinate: async (tools) => {
      delay.enable();
      const startMs = performance.now();
      let next = 0;
      const spawner = async () => {
        while (next < sessions) await runSession(tools, `s${next++}`);
      };
      await Promise.all(Array.from({ length: concurrent }, spawner));
      ms = performance.now() - startMs;
      delay.disable();
    },
  });
  return {
    ms,
    perSecond: (sessions * 1_000) / ms,
    loopP50Ms: delay.percentile(50) / 1e6,
    loopP99Ms: delay.percentile(99) / 1e6,
    loopMaxMs: delay.max / 1e6,
  };
}

export const manyCommands = {
  name: 'HUB4',
  title: 'A thousand commands of one hub',
  about: ({ sessions, concurrent }) =>
    `A Coordinator's function has ${sessions.toLocaleString('en')} Researchers run, ${concurrent} at once, whose ` +
    'agent is the shell command `true` and which hand off by its exit code (LevelDB, durability `disk`, the runner ' +
    'of `bosun hub run`), from the first spawn until control is back from the last; and how late a timer of a ' +
    'millisecond fires meanwhile, that millisecond included.',
  sizes: { full: { sessions: 1_000, concurrent: 8 }, quick: { sessions: 40, concurrent: 8 } },
  ratios: [
    { name: 'all commands of a hub, 8 at once', of: ({ hub }) => hub.ms, atMost: 6_000, aim: 4_000, unit: ' ms' },
    { name: 'event-loop delay p99 meanwhile', of: ({ hub }) => hub.loopP99Ms, atMost: 20, unit: ' ms' },
  ],
  async open(size, directory) {
    const host = await commandHost(directory);
    const subject = () => manyOf(host, size);
    return { subject, round: inTurn({ hub: subject }), close: () => host.close() };
  },
};
