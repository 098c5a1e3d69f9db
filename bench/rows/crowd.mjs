/**
 * W3: ten thousand clients, of whom one in a hundred never reads: the delay of the others, and the cost of the slow
 * ones.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { checkFiles, startClients, startServers } from '../gateway.mjs';
import { latency } from '../statistics.mjs';

const LATE_MS = 500;
const BLOCK_MS = 50;
const QUEUE_BYTES = 2 ** 20;

export const crowd = {
  name: 'W3',
  title: 'Ten thousand clients, some of whom never read',
  about: ({ clients, share, chars, everyMs, floodChars, floodMs, seconds }) =>
    `${clients.toLocaleString('en')} clients in one process, the gateway in another. ${100 * (1 - share)} % ` +
    `subscribe to an actor that changes every ${everyMs} ms, ${chars} characters each; ` +
    `${100 * share} % to one of ${floodChars.toLocaleString('en')} characters every ${floodMs} ms, and never ` +
    `read. For ${seconds} s: how late what healthy clients are told is, the largest ` +
    'queue of any socket in the server (what the operating system holds comes on top), and the longest time for ' +
    'which its event loop did nothing else: by the clock, and what of it the server itself was at work. A ' +
    'healthy client that is left a change out counts as missing.',
  sizes: {
    full: {
      clients: 10_000,
      share: 0.01,
      chars: 200,
      everyMs: 1_000,
      floodChars: 64 * 1024,
      floodMs: 100,
      seconds: 20,
    },
    quick: { clients: 200, share: 0.05, chars: 200, everyMs: 250, floodChars: 256 * 1024, floodMs: 50, seconds: 3 },
  },
  ratios: [
    { name: `healthy p99 / ${LATE_MS} ms`, of: ({ healthy }) => healthy.p99Ms / LATE_MS, atMost: 1 },
    {
      name: `longest block of the loop / ${BLOCK_MS} ms`,
      of: ({ server }) => server.longestBlockMs / BLOCK_MS,
      atMost: 1,
    },
    // If others want the cores, the rest of a block is their time.
    { name: `of it the server's own / ${BLOCK_MS} ms`, of: ({ server }) => server.atWorkMs / BLOCK_MS, atMost: 1 },
    // One frame may exceed the mark above which a client gets only the latest.
    { name: 'largest queue / 1 MiB', of: ({ server }) => server.largestQueueMib, atMost: 1.1 },
  ],

  check: ({ clients }) => checkFiles(clients + 100),

  async open({ clients, share, chars, everyMs, floodChars, floodMs, seconds }) {
    const servers = await startServers();
    const lazy = Math.ceil(clients * share);
    const crowd = await startClients({
      kind: 'crowd',
      urls: servers.facts,
      clients: clients - lazy,
      lazy,
      topic: 'board',
    });
    const round = async () => {
      await servers.ask('watch');
      await crowd.ask('begin');
      await servers.ask('tide', {
        tides: [
          { to: 'board', everyMs, chars },
          { to: 'flood', everyMs: floodMs, chars: floodChars },
        ],
      });
      await wait(seconds * 1_000);
      await servers.ask('ebb');
      // Frames in transit still count.
      await wait(LATE_MS);
      const { lateMs, missing } = await crowd.ask('end');
      const { longestMs, busiestMs, largestQueue, rssMb, slow, closed } = await servers.ask('seen');
      if (lateMs.length === 0) throw new Error('no client was told anything');
      return {
        healthy: { ...latency(lateMs), told: lateMs.length, missing },
        server: {
          longestBlockMs: longestMs,
          atWorkMs: busiestMs,
          largestQueueMib: largestQueue / QUEUE_BYTES,
          rssMb,
          foundSlow: slow,
          closedSlow: closed,
        },
      };
    };
    return {
      subject: round,
      profiler: servers.profiler,
      round,
      close() {
        crowd.end();
        servers.end();
      },
    };
  },
};
