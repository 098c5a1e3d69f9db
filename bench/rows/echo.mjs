/**
 * W1: one call at a time over a WebSocket to an actor in memory, compared with an echo of `ws` alone and of Socket.IO.
 */
import { bosunClient, rawClient, socketIoClient } from '../gateway-clients.mjs';
import { startServers } from '../gateway.mjs';
import { latency, percentile } from '../statistics.mjs';

const TEXT = 'x'.repeat(64);

/**
 * Consecutive calls of one contender: enough to measure its server's time, few enough that all meet the same
 * conditions.
 */
const BLOCK = 100;

export const echo = {
  name: 'W1',
  title: 'One call at a time over a WebSocket',
  about: ({ calls }) =>
    'Servers in a process of their own, one client of each here, one call outstanding, ' +
    `${calls.toLocaleString('en')} of each a round, in turns of ${BLOCK}; all send and get back the same text. ` +
    '**ask**: `actor.ask`, a turn and its reply, store in memory. **send**: `actor.send` of an event that ' +
    'changes its actor, acknowledged by an epoch of that store. **ws**: the text back from `ws`, which looks at ' +
    'nothing. **socketIo**: `emitWithAck`. All on loopback, JSON, no compression. Server time is what its ' +
    'process used.',
  sizes: { full: { calls: 5_000 }, quick: { calls: 300 } },
  ratios: [
    { name: 'ask / ws, p50', of: ({ ask, ws }) => ask.p50Ms / ws.p50Ms, atMost: 1.35, aim: 1.25 },
    { name: 'send / ws, p50', of: ({ send, ws }) => send.p50Ms / ws.p50Ms },
    { name: 'ask / ws, server time', of: ({ ask, ws }) => ask.serverMicrosEach / ws.serverMicrosEach },
    { name: 'socketIo / ask, p50', of: ({ ask, socketIo }) => socketIo.p50Ms / ask.p50Ms, atLeast: 1 },
    {
      name: 'socketIo / ask, server time',
      of: ({ ask, socketIo }) => socketIo.serverMicrosEach / ask.serverMicrosEach,
    },
  ],

  async open({ calls }) {
    const servers = await startServers();
    const gateway = await bosunClient(servers.facts.bosun);
    const raw = await rawClient(servers.facts.raw);
    const socketIo = await socketIoClient(servers.facts.socketIo);
    const contenders = {
      ask: async () =>
        check(
          (await gateway.call('actor.ask', { address: 'board', event: { type: 'echo', text: TEXT } })).r?.reply ===
            TEXT,
        ),
      send: async () =>
        check((await gateway.call('actor.send', { address: 'board', event: { type: 'write', text: TEXT } })).ok),
      ws: async () => check((await raw.echo({ type: 'echo', text: TEXT })).text === TEXT),
      socketIo: async () => check((await socketIo.echo({ type: 'echo', text: TEXT })).text === TEXT),
    };
    const names = Object.keys(contenders);
    const block = async (name, { latencies, server }) => {
      const before = (await servers.ask('cpu')).cpuMicros;
      for (let call = 0; call < BLOCK; call++) {
        const startMs = performance.now();
        await contenders[name]();
        latencies.push(performance.now() - startMs);
      }
      server.push(((await servers.ask('cpu')).cpuMicros - before) / BLOCK);
    };
    const round = async () => {
      const seen = Object.fromEntries(names.map((name) => [name, { latencies: [], server: [] }]));
      for (let turn = 0; turn < calls / BLOCK; turn++) {
        // Each contender begins equally often, so that the after-effects of one do not always hit the same other one.
        for (let place = 0; place < names.length; place++) {
          const name = names[(turn + place) % names.length];
          await block(name, seen[name]);
        }
      }
      return Object.fromEntries(
        names.map((name) => {
          const { latencies, server } = seen[name];
          return [name, { ...latency(latencies), serverMicrosEach: percentile(server, 0.5) }];
        }),
      );
    };
    return {
      subject: round,
      profiler: servers.profiler,
      round,
      close() {
        for (const { socket } of [gateway, raw]) socket.terminate();
        socketIo.socket.disconnect();
        servers.end();
      },
    };
  },
};

function check(isSo) {
  if (!isSo) throw new Error('an answer is not what was asked for');
}
