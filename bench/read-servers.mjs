/**
 * One question at several doors, for the row about reads: a procedure of Bosun's, a route of fastify and a tool of the
 * SDK's bare MCP server, all with the same schemas and the same twenty rows.
 */
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import fastify from 'fastify';
import { z } from 'zod';
import { procedure } from '../dist/index.js';

const params = z.object({ of: z.string() });
const result = z.object({ rows: z.array(z.object({ number: z.number(), text: z.string() })) });

const rows = Array.from({ length: 20 }, (_, number) => ({ number, text: `row ${number}` }));
const TOOL = 'bench_rows';
const MEANS = 'Rows for the benchmark.';

export const procedures = {
  'bench.rows': procedure({
    means: MEANS,
    params,
    result,
    example: { p: { of: 'board' }, r: { rows: [] } },
    http: { verb: 'GET', path: '/v1/bench/rows' },
    mcp: { tool: TOOL, profiles: ['runtime'] },
    async read({ of }, reader) {
      // The actor's durable state is read as every procedure reads it.
      await reader.actor(of);
      return { rows };
    },
  }),
};

/** Starts the contenders. @returns Their URLs. */
export async function startReadServers() {
  const app = fastify({ logger: false });
  const schema = { querystring: jsonSchema(params), response: { 200: jsonSchema(result) } };
  app.get('/v1/bench/rows', { schema }, async () => ({ rows }));
  const http = await app.listen({ port: 0, host: '127.0.0.1' });
  const made = () => {
    const server = new McpServer({ name: 'bare', version: '0' });
    server.registerTool(TOOL, { description: MEANS, inputSchema: params, outputSchema: result }, async () => ({
      content: [{ type: 'text', text: JSON.stringify({ rows }) }],
      structuredContent: { rows },
    }));
    return server;
  };
  const handler = createMcpHandler(made);
  const bare = createServer((request, response) => void answered(handler, request, response));
  await new Promise((resolve) => bare.listen(0, '127.0.0.1', resolve));
  return { fastify: http, mcpBare: `http://127.0.0.1:${bare.address().port}` };
}

function jsonSchema(schema) {
  return { ...z.toJSONSchema(schema), $schema: undefined };
}

/** Passes a request of Node on to a handler of the web, as short as that can be. */
async function answered(handler, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, url, headers } = request;
  const given = await handler.fetch(
    new Request(`http://127.0.0.1${url}`, { method, headers, body: Buffer.concat(chunks) }),
  );
  response.writeHead(given.status, Object.fromEntries(given.headers));
  response.end(Buffer.from(await given.arrayBuffer()));
}
