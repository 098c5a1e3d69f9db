/**
 * W6: one read at a time of a procedure, over HTTP with a connection kept open, compared with a route of fastify that
 * has the same schemas, and over MCP, compared with the bare server of the SDK.
 */
import { Agent, request } from 'node:http';
import { startServers } from '../gateway.mjs';
import { latency, percentile } from '../statistics.mjs';

/** Consecutive calls of one contender, as in W1. */
const BLOCK = 100;

const MCP_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

export const reads = {
  name: 'W6',
  title: 'One read at a time of a procedure',
  about: ({ calls }) =>
    'Servers in a process of their own, one client here, one call outstanding, ' +
    `${calls.toLocaleString('en')} of each a round, in turns of ${BLOCK}; all answer with the same twenty rows. ` +
    '**procedure**: a row with `read` over the durable state of an actor, by GET. **fastify**: a route with the same ' +
    'schemas, its rows in memory. **mcp**: the same procedure by `tools/call` at `/mcp`. **mcpBare**: a tool of the ' +
    "SDK's server behind `node:http`, with the same schemas. Connections are kept open; an answer is read to its end.",
  sizes: { full: { calls: 3_000 }, quick: { calls: 200 } },
  ratios: [
    { name: 'procedure / fastify, p50', of: ({ procedure, fastify }) => procedure.p50Ms / fastify.p50Ms, atMost: 1.5 },
    {
      name: 'procedure / fastify, server time',
      of: ({ procedure, fastify }) => procedure.serverMicrosEach / fastify.serverMicrosEach,
    },
    { name: 'mcp / mcpBare, p50', of: ({ mcp, mcpBare }) => mcp.p50Ms / mcpBare.p50Ms, atMost: 1.5 },
    {
      name: 'mcp / mcpBare, server time',
      of: ({ mcp, mcpBare }) => mcp.serverMicrosEach / mcpBare.serverMicrosEach,
    },
  ],

  async open({ calls }) {
    const servers = await startServers();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { bosun, fastify, mcpBare } = servers.facts;
    const http = bosun.replace('ws', 'http');
    const tool = (url, name) => () =>
      called(agent, url, {
        method: 'POST',
        headers: MCP_HEADERS,
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: { of: 'board' } },
        }),
      });
    const contenders = {
      procedure: () => called(agent, `${http}/v1/bench/rows?of=board`),
      fastify: () => called(agent, `${fastify}/v1/bench/rows?of=board`),
      mcp: tool(`${http}/mcp`, 'bench_rows'),
      mcpBare: tool(`${mcpBare}/mcp`, 'bench_rows'),
    };
    const names = Object.keys(contenders);
    for (const name of names) check((await contenders[name]()).includes('row 19'), name);
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
      for (let turn = 0; turn < calls / BLOCK; turn++)
        for (let place = 0; place < names.length; place++) {
          const name = names[(turn + place) % names.length];
          await block(name, seen[name]);
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
        agent.destroy();
        servers.end();
      },
    };
  },
};

/** The body of an answer. Rejects for any status but 200. */
function called(agent, url, { body, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${url}: ${response.statusCode} ${text}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function check(isSo, what) {
  if (!isSo) throw new Error(`an answer of ${what} is not what was asked for`);
}
