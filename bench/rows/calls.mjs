/** W4: a thousand clients that call an actor in memory at once, compared with echoes of `ws` alone and of Socket.IO. */
import { startClients, startServers } from '../gateway.mjs';
import { inTurn } from '../rounds.mjs';

const TEXT = 'x'.repeat(64);

export const calls = {
  name: 'W4',
  title: 'Many clients call at once',
  about: ({ clients, each }) =>
    `${clients.toLocaleString('en')} clients of each server, in a third process, each with one call outstanding; ` +
    `${each} calls each a round, one server after the other; all send and get back the same text. **ask**: ` +
    '`actor.ask` of one actor for all, a turn and its reply each, store in memory. **ws**: the text back from ' +
    '`ws`. **socketIo**: `emitWithAck`. Server time is what its process used. Clients and server share what ' +
    'cores there are, so a rate is that of both together.',
  sizes: { full: { clients: 1_000, each: 20 }, quick: { clients: 50, each: 10 } },
  ratios: [
    { name: 'ask / ws, p50', of: ({ ask, ws }) => ask.p50Ms / ws.p50Ms, atMost: 1.8, aim: 1.6 },
    { name: 'ask / ws, server time', of: ({ ask, ws }) => ask.serverMicrosEach / ws.serverMicrosEach },
    { name: 'socketIo / ask, p50', of: ({ ask, socketIo }) => socketIo.p50Ms / ask.p50Ms, atLeast: 1 },
    {
      name: 'socketIo / ask, server time',
      of: ({ ask, socketIo }) => socketIo.serverMicrosEach / ask.serverMicrosEach,
    },
  ],

  async open({ clients, each }) {
    const servers = await startServers();
    const callers = await startClients({ kind: 'callers', urls: servers.facts, clients, text: TEXT });
    const contender = (kind) => async () => {
      const before = (await servers.ask('cpu')).cpuMicros;
      const { tookMs, p50Ms, p99Ms } = await callers.ask('run', { kind, each });
      const serverMicrosEach = ((await servers.ask('cpu')).cpuMicros - before) / (clients * each);
      return { perSecond: (clients * each) / (tookMs / 1_000), p50Ms, p99Ms, serverMicrosEach };
    };
    const contenders = { ask: contender('ask'), ws: contender('ws'), socketIo: contender('socketIo') };
    return {
      subject: contenders.ask,
      profiler: servers.profiler,
      round: inTurn(contenders),
      close() {
        callers.end();
        servers.end();
      },
    };
  },
};
