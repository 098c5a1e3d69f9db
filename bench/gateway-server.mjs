/**
 * The servers of the gateway's rows, in a process of their own: Bosun's gateway over a store in memory, `ws` alone, and
 * Socket.IO, each on a port. They are controlled by messages from the row's process: `{ id, ask, ... }` is answered
 * with `{ id, ... }`.
 */
import { createServer } from 'node:http';
import net from 'node:net';
import { Server as SocketIo } from 'socket.io';
import { WebSocketServer } from 'ws';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { createGateway } from '../dist/gateway/index.js';
import { createSystem, defineAgent, memoryStore, reply } from '../dist/index.js';
import { profiler } from './profile.mjs';
import { procedures, startReadServers } from './read-servers.mjs';

const UNBOUND = { burst: 1e9, perSecond: 1e9 };
const UNBOUND_TOOLS = { perSecond: 1e9, perMinute: 1e9, allPerMinute: 1e9 };

/** Every socket of this process, to read the bytes that wait in it. */
const sockets = new Set();
const emit = net.Server.prototype.emit;
net.Server.prototype.emit = function watched(name, ...args) {
  if (name === 'connection') {
    sockets.add(args[0]);
    args[0].once('close', () => sockets.delete(args[0]));
  }
  return emit.call(this, name, ...args);
};

const board = defineAgent({
  name: 'board',
  machine: setup({}).createMachine({
    context: { count: 0, text: '' },
    on: {
      write: { actions: assign(({ context, event }) => ({ count: context.count + 1, text: event.text })) },
      echo: { actions: reply(({ event }) => event.text) },
    },
  }),
  events: { write: z.object({ text: z.string() }), echo: z.object({ text: z.string() }) },
});

const system = await createSystem({
  agents: [board],
  store: memoryStore(),
  durability: 'memory',
  tree: {
    children: [
      { id: 'board', agent: 'board' },
      { id: 'flood', agent: 'board' },
    ],
  },
}).start();
const gateway = createGateway(system, {
  port: 0,
  rate: UNBOUND,
  mcpRate: UNBOUND_TOOLS,
  connectRate: UNBOUND,
  connections: 20_000,
  connectionsPerCaller: 20_000,
  procedures,
});
const bosun = await gateway.listen();
const readServers = await startReadServers();

const raw = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
raw.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })));

const http = createServer();
const io = new SocketIo(http, { transports: ['websocket'], perMessageDeflate: false });
io.on('connection', (socket) => {
  void socket.join('room');
  socket.on('echo', (value, acknowledge) => acknowledge(value));
});
await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));

/**
 * How long the loop was blocked by the clock, and how much of that this process was working; in the rest, others had
 * the core.
 */
function loopWatch() {
  let longestMs = 0;
  let busiestMs = 0;
  let beforeMs = performance.now();
  let before = process.cpuUsage();
  const beat = setInterval(() => {
    const nowMs = performance.now();
    const now = process.cpuUsage();
    const passedMs = nowMs - beforeMs - 1;
    longestMs = Math.max(longestMs, passedMs);
    busiestMs = Math.max(busiestMs, Math.min(passedMs, (now.user + now.system - before.user - before.system) / 1_000));
    beforeMs = nowMs;
    before = now;
  }, 1);
  return () => {
    clearInterval(beat);
    return { longestMs, busiestMs };
  };
}

const profile = profiler();
let largestQueue = 0;
let watching;
let endWatch;

const ASKS = {
  /** A change of the board, sent to all watchers. */
  bosun: ({ text, to = 'board' }) => system.send(to, { type: 'write', text }),
  raw: ({ text }) => {
    // Bytes made once: the fastest way of `ws`.
    const data = Buffer.from(text);
    for (const socket of raw.clients) socket.send(data, { binary: false });
  },
  socketIo: ({ text }) => void io.to('room').emit('told', text),
  cpu: () => ({ cpuMicros: process.cpuUsage().user + process.cpuUsage().system }),
  beginProfile: () => profile.begin(),
  endProfile: async () => ({ profile: await profile.end() }),
  watch: () => {
    endWatch = loopWatch();
    largestQueue = 0;
    watching = setInterval(() => {
      for (const { writableLength } of sockets) largestQueue = Math.max(largestQueue, writableLength);
    }, 50);
  },
  seen: () => {
    clearInterval(watching);
    const { longestMs, busiestMs } = endWatch();
    return {
      longestMs,
      busiestMs,
      largestQueue,
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      slow: gateway.counts.slow ?? 0,
      closed: gateway.counts['closed.slow_consumer'] ?? 0,
    };
  },
};

/** Changes the flood and the board so many times a second, until stopped. */
let tides = [];
process.on('message', ({ id, ask, ...rest }) => {
  if (ask === 'tide') {
    tides = rest.tides.map(({ to, everyMs, chars }) => {
      let n = 0;
      return setInterval(() => {
        const filler = String(n++ % 10).repeat(chars);
        void system.send(to, { type: 'write', text: `${Date.now()} ${filler}` });
      }, everyMs);
    });
    process.send({ id });
  } else if (ask === 'ebb') {
    tides.forEach(clearInterval);
    process.send({ id });
  } else if (ask === 'end') process.exit(0);
  else Promise.resolve(ASKS[ask](rest)).then((answer) => process.send({ id, ...answer }));
});
// The parent process is gone.
process.on('disconnect', () => process.exit(0));
process.send({
  bosun: bosun.url.replace('http', 'ws'),
  raw: `ws://127.0.0.1:${raw.address().port}`,
  socketIo: `http://127.0.0.1:${http.address().port}`,
  ...readServers,
});
