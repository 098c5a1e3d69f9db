/**
 * One row, written in this file alone, at every door: WebSocket, HTTP, the typed client, the command line, MCP, the
 * documents. Each enforces its scope and takes its cost.
 */
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { commandLine } from '../../../src/cli/command-line.ts';
import { createClient } from '../../../src/client/client.ts';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { shop } from '../../support/gateway/shop.ts';

const scratch = {
  'scratch.doubled': procedure({
    means: 'Twice what a counter shows.',
    scope: 'actor:admin',
    cost: 3,
    params: z.object({ name: z.string().min(1), plus: z.coerce.number().default(0) }),
    result: z.object({ doubled: z.number() }),
    example: { p: { name: 'visits' }, r: { doubled: 6 } },
    http: { verb: 'GET', path: '/v1/scratch/{name}' },
    mcp: { tool: 'double_counter', profiles: ['runtime'] },
    async read({ name, plus }, reader) {
      const { context } = await reader.actor(name);
      return { doubled: 2 * (context as { readonly count: number }).count + plus };
    },
  }),
};

const ADMIN = 'token-of-an-admin-0123456789';
const READER = 'token-of-a-reader-0123456789';

async function start() {
  const test = await startTestSystem(shop());
  const { shard } = test;
  onTestFinished(() => shard.stop());
  await shard.send('visits', { type: 'add', by: 3 });
  await test.settle();
  const gateway = createGateway(shard, {
    port: 0,
    procedures: scratch,
    rate: { burst: 40, perSecond: 0.001 },
    tokens: [
      { id: 'ada', token: ADMIN, scopes: ['actor:admin', 'actor:read', 'system:read'] },
      { id: 'eve', token: READER, scopes: ['actor:read', 'system:read'] },
    ],
  });
  onTestFinished(() => gateway.close());
  const { url } = await gateway.listen();
  const http = async (path: string, token?: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        }),
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const client = (token: string) => {
    const made = createClient(url.replace('http', 'ws'), { WebSocket: WebSocket as never, token });
    onTestFinished(() => made.close());
    return made;
  };
  return { url, http, client };
}

async function bosun(...words: string[]) {
  const said = { out: '', err: '' };
  const into = (stream: 'out' | 'err') => ({ write: (text: string) => (said[stream] += text) });
  const interruption = () => new AbortController().signal;
  const code = await commandLine(words, { out: into('out'), err: into('err'), env: {}, cwd: '/', interruption });
  return { code, ...said };
}

const FORBIDDEN = { code: 'BOSUN_FORBIDDEN' };

it('is called by HTTP with its parameters in path and query', async () => {
  const { http } = await start();
  expect(await http('/v1/scratch/visits?plus=1', ADMIN)).toEqual({ status: 200, text: '{"doubled":7}' });
  const { status, text } = await http('/v1/scratch/visits', READER);
  expect([status, JSON.parse(text)]).toMatchObject([403, { error: FORBIDDEN }]);
});

it('is called by WebSocket, through the client that has its types', async () => {
  const { client } = await start();
  const { doubled } = await client(ADMIN).procedures<typeof scratch>()['scratch.doubled']({ name: 'visits' });
  expect(doubled satisfies number).toBe(6);
  const refused = client(READER).procedures<typeof scratch>()['scratch.doubled']({ name: 'visits' });
  await expect(refused).rejects.toMatchObject(FORBIDDEN);
});

it('is called on the command line', async () => {
  const { url } = await start();
  const call = (token: string) =>
    bosun('call', 'scratch.doubled', 'name=visits', 'plus=1', '--url', url, '--token', token, '--json');
  const { code, out } = await call(ADMIN);
  expect([code, JSON.parse(out)]).toMatchObject([0, { answer: { doubled: 7 } }]);
  const json = await bosun('call', 'scratch.doubled', '{"name":"visits"}', '--url', url, '--token', ADMIN);
  expect(json.out).toBe('{\n  "doubled": 6\n}\n');
  expect((await bosun('call', '--url', url, '--token', READER)).out).toMatch(
    /^scratch\.doubled +name plus\? +actor:admin +Twice what a counter shows\.$/m,
  );
  const refused = await call(READER);
  expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('actor:admin')]);
});

it('is a tool of MCP', async () => {
  const { http } = await start();
  const call = async (token: string) => {
    const params = { name: 'double_counter', arguments: { name: 'visits' } };
    return (await http('/mcp', token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text;
  };
  expect(await call(ADMIN)).toContain('"doubled":6');
  expect(await call(READER)).not.toContain('"doubled":6');
});

it('stands in the documents with its scope: OpenAPI, AsyncAPI, and the page of methods', async () => {
  const { http } = await start();
  const openapi = JSON.parse((await http('/openapi.json')).text) as { readonly paths: object };
  expect(openapi.paths).toMatchObject({
    '/v1/scratch/{name}': { get: { operationId: 'scratch.doubled', 'x-scope': 'actor:admin' } },
  });
  const asyncapi = JSON.parse((await http('/asyncapi.json')).text) as { readonly operations: object };
  expect(asyncapi.operations).toMatchObject({ 'scratch.doubled': { 'x-scope': 'actor:admin' } });
  expect((await http('/methods.md')).text).toContain(
    '| `scratch.doubled` | `name` `plus?` | `GET /v1/scratch/{name}` | `actor:admin` |  | Twice what a counter',
  );
});

it('takes as many calls of the rate as it costs', async () => {
  const { http } = await start();
  // 13 calls of three leave one of the forty; the next overdraws the rate, and the one after that waits.
  const statuses: number[] = [];
  for (let call = 0; call < 15; call++) statuses.push((await http('/v1/scratch/visits', ADMIN)).status);
  expect(statuses).toEqual([...Array<number>(14).fill(200), 429]);
});

it('does not compile with an answer of another type, and is refused with a cost out of range', () => {
  const row = {
    means: 'm',
    params: z.object({}),
    result: z.object({ doubled: z.number() }),
    example: { p: {}, r: { doubled: 1 } },
  };
  // @ts-expect-error: the result is an object with a number.
  procedure({ ...row, read: () => ({ doubled: 'twice' }) });
  for (const cost of [0, 1.5, 1_001])
    expect(() => procedure({ ...row, cost, port: () => ({ doubled: 1 }) })).toThrow(
      'procedure: cost must be an integer from 1 to 1000',
    );
});
