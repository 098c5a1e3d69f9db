/** W2: one change sent to a thousand clients, compared with a loop over the sockets of `ws` and a room of Socket.IO. */
import { startClients, startServers } from '../gateway.mjs';
import { inTurn } from '../rounds.mjs';
import { latency } from '../statistics.mjs';

const TEXT = 'x'.repeat(200);

/**
 * Characters of a patch in addition to the text; the texts of the other contenders are longer by this number, less
 * their own overhead.
 */
const PATCH_CHARS = 224;
const PADDED = {
  bosun: TEXT,
  raw: TEXT + 'x'.repeat(PATCH_CHARS - '{"text":""}'.length),
  socketIo: TEXT + 'x'.repeat(PATCH_CHARS - '42["told",""]'.length),
};

export const broadcast = {
  name: 'W2',
  title: 'One change told to many',
  about: ({ clients, changes }) =>
    `${clients.toLocaleString('en')} clients of each server, in a third process; ${changes} changes a round, one ` +
    'after the other, each until the last client has it. **bosun**: an actor ' +
    'that all subscribe to takes an event; each gets the patch of its view. **ws**: a frame of as many bytes, ' +
    'made once, to each socket. **socketIo**: `io.to(room).emit`. Server time is what its process used.',
  sizes: { full: { clients: 1_000, changes: 100 }, quick: { clients: 50, changes: 10 } },
  ratios: [
    { name: 'bosun / ws, p50', of: ({ bosun, ws }) => bosun.p50Ms / ws.p50Ms, atMost: 1.35, aim: 1.25 },
    { name: 'bosun / ws, server time', of: ({ bosun, ws }) => bosun.serverMsEach / ws.serverMsEach },
    { name: 'socketIo / bosun, p50', of: ({ bosun, socketIo }) => socketIo.p50Ms / bosun.p50Ms, atLeast: 1 },
    { name: 'socketIo / bosun, server time', of: ({ bosun, socketIo }) => socketIo.serverMsEach / bosun.serverMsEach },
  ],

  async open({ clients, changes }) {
    const servers = await startServers();
    const audience = await startClients({ kind: 'audience', urls: servers.facts, clients });
    const told = async (kind) => {
      const all = audience.ask('all', { kind });
      const startMs = performance.now();
      // An equal text would be no change.
      const text = PADDED[kind] + Math.random().toFixed(16);
      await servers.ask(kind, { text: kind === 'raw' ? JSON.stringify({ text }) : text });
      await all;
      return performance.now() - startMs;
    };
    const contender = (kind) => async () => {
      const before = (await servers.ask('cpu')).cpuMicros;
      const latencies = [];
      for (let change = 0; change < changes; change++) latencies.push(await told(kind));
      const serverMsEach = ((await servers.ask('cpu')).cpuMicros - before) / 1_000 / changes;
      return { ...latency(latencies), serverMsEach };
    };
    const contenders = { bosun: contender('bosun'), ws: contender('raw'), socketIo: contender('socketIo') };
    return {
      subject: contenders.bosun,
      profiler: servers.profiler,
      round: inTurn(contenders),
      close() {
        audience.end();
        servers.end();
      },
    };
  },
};
