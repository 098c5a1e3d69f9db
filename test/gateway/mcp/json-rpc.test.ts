/** The endpoint of MCP as JSON-RPC 2.0, by raw requests: one message, a batch, and faults of the protocol. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { shop } from '../../support/gateway/shop.ts';

const broken = procedure({
  means: 'Fails.',
  params: z.object({ name: z.string() }),
  result: z.object({}),
  example: { p: { name: 'a' }, r: {} },
  does: 'nothing',
  mcp: { resource: { uri: 'broken://{name}', name: 'broken', description: 'Cannot be read.' } },
  port: () => {
    throw new Error('no');
  },
});

let test: TestSystem;
let gateway: Gateway;
let url = '';

beforeAll(async () => {
  test = await startTestSystem(shop());
  gateway = createGateway(test.system, { port: 0, procedures: { 'shop.broken': broken } });
  ({ url } = await gateway.listen());
});
afterAll(async () => {
  await gateway.close();
  await test.system.stop();
});

interface Answer {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly result?: { readonly structuredContent?: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Posts a body, and gives the answers in it, whether they come as JSON or as a stream of events. */
async function posted(body: unknown, headers: Record<string, string> = {}): Promise<readonly Answer[]> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data!);
  return (events.length > 0 ? events : text === '' ? [] : [text]).map((one) => JSON.parse(one) as Answer);
}

const call = (id: number, name = 'list_waits', args: object = {}) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: args },
});

/** The same in the protocol of 2026, whose requests carry their version. */
const ofTwentySix = (id: number) => ({
  ...call(id),
  params: {
    ...call(id).params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'list_waits' };

describe('a request at /mcp', () => {
  it.each([
    ['of 2025', () => posted(call(7))],
    ['of 2026', () => posted(ofTwentySix(7), HEADERS)],
  ])('MX-121: is answered once, with its id: %s', async (_, answers) => {
    expect(await answers()).toMatchObject([{ jsonrpc: '2.0', id: 7, result: { structuredContent: { waits: [] } } }]);
  });

  it('MX-121: is answered each in a batch of 2025, and a batch without requests is taken in silence', async () => {
    const [first, second, ...more] = await posted([call(1), call(2, 'no_tool')]);
    expect([first, second].sort((a, b) => Number(a!.id) - Number(b!.id))).toMatchObject([
      { id: 1, result: { structuredContent: { waits: [] } } },
      { id: 2, error: { code: -32_602 } },
    ]);
    expect(more).toEqual([]);
    expect(await posted([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).toEqual([]);
  });

  it('MX-121: is refused in a batch of 2026, which knows none', async () => {
    for (const batch of [[ofTwentySix(1)], [ofTwentySix(1), ofTwentySix(2)], [call(1), ofTwentySix(2)]])
      expect(await posted(batch, HEADERS)).toMatchObject([{ id: null, error: { code: -32_600 } }]);
  });

  it.each<[string, number, unknown, unknown]>([
    ['that is not JSON', -32_700, '{nonsense', null],
    ['without a body', -32_700, '', null],
    ['that is a number', -32_600, '1', null],
    ['that is null', -32_600, 'null', null],
    ['of another version of JSON-RPC', -32_600, { ...call(1), jsonrpc: '1.0' }, 1],
    ['without a version', -32_600, { id: 1, method: 'tools/list' }, 1],
    ['without a method', -32_600, { jsonrpc: '2.0', id: 1 }, null],
    ['whose id is an object', -32_600, { ...call(1), id: {} }, null],
    ['that is an empty batch', -32_600, [], null],
    ['that is a batch with something else in it', -32_600, [call(1), 5], null],
    ['of a method that is not there', -32_601, { jsonrpc: '2.0', id: 1, method: 'no/method' }, 1],
    ['of a tool that is not there', -32_602, call(1, 'no_tool'), 1],
    ['of no tool at all', -32_602, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, 1],
    ['of a prompt that is not there', -32_602, { ...call(1), method: 'prompts/get' }, 1],
    [
      'of a resource that cannot be read',
      -32_603,
      { ...call(1), method: 'resources/read', params: { uri: 'broken://a' } },
      1,
    ],
  ])('MX-121: %s is answered with %i', async (_, code, body, id) => {
    expect(await posted(body)).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }]);
  });

  it('MX-121: tells its faults in the envelope of the errors of tools, where the method is known', async () => {
    const [unknown] = await posted(call(1, 'no_tool'));
    expect(unknown!.error!.data).toMatchObject({ success: false, error: { code: 'TOOL_NOT_FOUND' } });
    const [failed] = await posted({ ...call(1), method: 'resources/read', params: { uri: 'broken://a' } });
    expect(failed!.error).toMatchObject({
      message: expect.stringMatching(/^BOSUN_HOST_FAILED: /) as string,
      data: { error: { code: 'INTERNAL_ERROR', severity: 'HIGH' }, context: { agent_name: 'mcp:local' } },
    });
  });
});
