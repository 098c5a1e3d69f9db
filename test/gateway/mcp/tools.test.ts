/** Tools of MCP over HTTP: the marked rows of the table of methods, for clients of both protocol eras. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { procedure, type Procedures } from '../../../src/actors/api/procedure.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { startSpreadTestSystem } from '../../../src/testing/spread-test-system.ts';
import { code } from '../../support/actors/account.ts';
import { LONG } from '../../support/effort.ts';
import { ERAS, errorOf, type McpClient, overHttp, toldBy } from '../../support/gateway/mcp-clients.ts';
import { bell } from '../../support/gateway/procedures.ts';
import { counter, shop } from '../../support/gateway/shop.ts';

const COUNT = {
  means: 'What a counter says of itself.',
  params: z.object({ name: z.string() }),
  result: z.object({ count: z.number() }),
  example: { p: { name: 'visits' }, r: { count: 3 } },
};
const SUM = {
  means: 'The sum of all counters.',
  params: z.object({}),
  result: z.object({ total: z.number() }),
  example: { p: {}, r: { total: 3 } },
};

const offered: Procedures = {
  'visits.sum': procedure({
    ...SUM,
    mcp: { tool: 'sum_visits', profiles: ['coder'] },
    async read(_, reader) {
      let total = 0;
      for await (const { address } of reader.actors({ agent: 'counter' }))
        total += ((await reader.actor(address)).context as { readonly count: number }).count;
      return { total };
    },
  }),
  'bell.ring': procedure({
    means: 'Rings the bell.',
    scope: 'actor:admin',
    params: z.object({ times: z.int().min(1) }),
    result: z.number(),
    example: { p: { times: 1 }, r: 1 },
    mcp: { tool: 'ring_bell', profiles: ['hub'], annotations: { title: 'Ring' } },
    port: ({ times }) => (bell.rings += times),
  }),
  'visits.hidden': procedure({ ...COUNT, port: () => ({ count: 1 }) }),
};

const tokens = [
  { id: 'ada', token: 'token-of-ada-0123456789' },
  { id: 'eve', token: 'token-of-eve-0123456789', scopes: ['actor:read'] as const },
];

/** The clock of these gateways stands still, so that each call would be one of the same second. */
const MANY = { perSecond: 1_000_000, perMinute: 1_000_000, allPerMinute: 1_000_000 };

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

interface Kit {
  readonly test: TestSystem;
  readonly gateway: Gateway;
  readonly url: string;
}

async function started(options: GatewayOptions = {}): Promise<Kit> {
  const test = await startTestSystem(shop());
  const gateway = createGateway(test.system, {
    ...{ port: 0, procedures: offered, clock: test.clock, mcpRate: MANY },
    ...options,
  });
  const { url } = await gateway.listen();
  ended.push(async () => {
    await gateway.close();
    await test.system.stop();
  });
  return { test, gateway, url };
}

async function client(era: (typeof ERAS)[number], url: string, token?: string): Promise<McpClient> {
  const made = await overHttp(era, url, token);
  ended.push(() => made.close());
  return made;
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body,
  });
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

describe.each(ERAS)('a client %s', (era) => {
  it('lists the tools of the host and of the runtime, with schemas and hints', async () => {
    const { url } = await started();
    const tools = await (await client(era, `${url}/mcp`)).tools();
    expect(tools.map(({ name }) => name)).toEqual([
      'sum_visits',
      'list_actors',
      'send_event',
      'ask_actor',
      'wait_for_actor',
      'inspect_actor',
      'show_history',
      'list_waits',
      'list_agents',
      'show_chart',
      'list_dead_letters',
    ]);
    const [sum, , send] = tools;
    expect(sum).toMatchObject({ description: 'The sum of all counters.', annotations: { readOnlyHint: true } });
    expect(sum!.outputSchema).toMatchObject({ properties: { total: { type: 'number' } } });
    expect(send).toMatchObject({
      annotations: { readOnlyHint: false, destructiveHint: false },
      inputSchema: { properties: { address: {}, event: {}, timeoutMs: { maximum: 48_000 }, idempotencyKey: {} } },
    });
  });

  it('reads actors, sends, asks and waits', async () => {
    const { url } = await started();
    const { call } = await client(era, `${url}/mcp`);
    const event = { type: 'add', by: 2 };
    for (let times = 0; times < 2; times++)
      expect(toldBy(await call('send_event', { address: 'visits', event, idempotencyKey: 'k1' }))).toHaveProperty(
        'taken',
      );
    expect(toldBy(await call('ask_actor', { address: 'visits', event: { type: 'count' } }))).toEqual({ reply: 2 });
    expect(toldBy(await call('sum_visits'))).toEqual({ total: 2 });
    expect(toldBy(await call('wait_for_actor', { address: 'visits', tag: 'ready' }))).toMatchObject({ value: 'open' });
    const shown = toldBy(await call('inspect_actor', { address: 'visits' }));
    expect(shown).toMatchObject({ context: { count: 2 }, accepts: ['add', 'close', 'count', 'fail'] });
    expect(toldBy(await call('show_chart', { name: 'visits' }))['mermaid']).toContain('state "open" as s1');
    expect(toldBy(await call('show_history', { address: 'visits' }))).toMatchObject({ isKept: false });
    expect(toldBy(await call('list_agents'))).toMatchObject({ agents: [{ name: 'counter' }, {}, {}] });
    for (const tool of ['list_waits', 'list_dead_letters', 'list_actors'])
      expect((await call(tool)).isError, tool).not.toBe(true);
  });

  it('gets errors with codes, message and advice, even after it has read the schemas', async () => {
    const { url } = await started();
    const { call, tools } = await client(era, `${url}/mcp`);
    await tools();
    const unknown = await call('inspect_actor', { address: 'nobody' });
    expect(unknown.isError).toBe(true);
    expect(errorOf(unknown)).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      bosun_code: 'BOSUN_ACTOR_UNKNOWN',
      message: 'no actor at nobody',
      retryable: false,
      fallback_suggested: 'Call list_actors for the addresses of those that live.',
    });
    expect(errorOf(await call('inspect_actor'))).toMatchObject({ bosun_code: 'BOSUN_CALL_INVALID' });
    expect(errorOf(await call('send_event', { address: 'visits', event: { type: 'add', by: 'x' } }))).toMatchObject({
      bosun_code: 'BOSUN_EVENT_INVALID',
      fallback_suggested: expect.stringContaining('list_agents') as string,
    });
    await expect(call('nonsense')).rejects.toThrow('there is no tool "nonsense"');
  });
});

describe('a tool', () => {
  it('is a procedure that the host marks, for callers with its scope', async () => {
    const { url } = await started({ tokens });
    const [ada, eve] = await Promise.all(tokens.map(({ token }) => client('of 2026', `${url}/mcp`, token)));
    const names = async (of: McpClient) => (await of.tools()).map(({ name }) => name);
    expect(await names(ada!)).toEqual(expect.arrayContaining(['sum_visits', 'ring_bell', 'send_event']));
    expect(await names(eve!)).toContain('sum_visits');
    for (const tool of ['ring_bell', 'send_event']) expect(await names(eve!)).not.toContain(tool);
    bell.rings = 0;
    expect(errorOf(await eve!.call('ring_bell', { times: 1 }))).toMatchObject({ bosun_code: 'BOSUN_FORBIDDEN' });
    expect(bell.rings).toBe(0);
    const ring = () => ada!.call('ring_bell', { times: 2, idempotencyKey: 'k1' });
    expect([(await ring()).structuredContent, (await ring()).structuredContent]).toEqual([2, 2]);
    expect(bell.rings).toBe(2);
    await expect(ada!.call('visits.hidden')).rejects.toThrow('there is no tool');
  });

  it('is the same over two workers', async () => {
    const test = await startSpreadTestSystem({
      workers: 2,
      agents: [counter],
      tree: { children: ['c0', 'c1', 'c2', 'c3'].map((id) => ({ id, agent: 'counter' })) },
    });
    const gateway = createGateway(test.system, { port: 0, procedures: offered, tokens });
    const { url } = await gateway.listen();
    ended.push(async () => {
      await gateway.close();
      await test.system.stop();
    });
    const { call } = await client('of 2026', `${url}/mcp`, tokens[0]!.token);
    const eve = await client('of 2026', `${url}/mcp`, tokens[1]!.token);
    for (const address of ['c0', 'c1', 'c2', 'c3'])
      expect(toldBy(await call('send_event', { address, event: { type: 'add', by: 1 } }))).toEqual({ taken: null });
    expect(toldBy(await call('sum_visits'))).toEqual({ total: 4 });
    expect(toldBy(await call('show_history', { address: 'c0' }))).toMatchObject({ isKept: false });
    expect(toldBy(await call('show_chart', { name: 'c1' }))).toMatchObject({ agent: 'counter' });
    expect(errorOf(await eve.call('ring_bell', { times: 1 }))).toMatchObject({ bosun_code: 'BOSUN_FORBIDDEN' });
  });

  it('writes no epoch in 1,000 calls if it only reads', LONG, async () => {
    const { url } = await started({ rate: { burst: 1e9, perSecond: 1e9 }, operator: 'o'.repeat(16) });
    const { call } = await client('of 2026', `${url}/mcp`, 'o'.repeat(16));
    const epoch = async () => ((await (await fetch(`${url}/v1/system`)).json()) as { epoch: number }).epoch;
    const before = await epoch();
    for (let round = 0; round < 100; round++) await Promise.all(Array.from({ length: 10 }, () => call('sum_visits')));
    expect(await epoch()).toBe(before);
  });

  it("answers within 50 s, by the caller's time limit or by its default", async () => {
    const { url, test } = await started();
    const { call } = await client('of 2026', `${url}/mcp`);
    const wait = (args: object = {}) => call('wait_for_actor', { address: 'visits', value: 'closed', ...args });
    expect(errorOf(await wait({ timeoutMs: 48_001 }))).toMatchObject({ bosun_code: 'BOSUN_CALL_INVALID' });
    const late = wait();
    // The request is at the gateway when another that came later has been answered.
    await call('list_actors');
    // What the request took until the desk had it counts, in whole milliseconds of the wall.
    await test.clock.advance(40_000, () => test.settle());
    expect(await Promise.race([late, call('list_waits').then(() => 'waits')])).toBe('waits');
    await test.clock.advance(5_000, () => test.settle());
    expect(errorOf(await late)).toMatchObject({ bosun_code: 'BOSUN_TIMEOUT', retryable: true });
  });

  it("is listed by the client's profiles; without any, at most 12 tools are listed", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 14 }, (_, n) => [
        `many.n${n}`,
        procedure({ ...SUM, mcp: { tool: `many_${n}`, profiles: ['hub'] }, port: () => ({ total: n }) }),
      ]),
    );
    const { url } = await started({ procedures: many });
    const names = async (query: string) =>
      (await (await client('of 2026', `${url}/mcp${query}`)).tools()).map(({ name }) => name);
    expect(await names('')).toEqual(
      Object.keys(many)
        .slice(0, 12)
        .map((name) => name.replace('.n', '_')),
    );
    expect(await names('?profile=runtime')).toHaveLength(10);
    expect(await names('?profile=runtime,hub')).toHaveLength(24);
    expect((await post(url, LIST)).status).toBe(200);
    const odd = await fetch(`${url}/mcp?profile=pirate`, { method: 'POST', body: LIST });
    expect(odd.status).toBe(400);
    expect(await odd.text()).toContain('there is no profile \\"pirate\\"; there are: runtime, coder, hub');
  });

  it('cannot replace another tool: names and parameters are checked when the gateway is made', async () => {
    const { system } = await startTestSystem(shop());
    ended.push(() => system.stop());
    const made = (procedures: Procedures) => () => createGateway(system, { procedures });
    const one = (tool: string, params = z.object({})) =>
      procedure({ ...SUM, params, mcp: { tool, profiles: ['hub'] }, port: () => ({ total: 1 }) } as never);
    expect(made({ 'a.b': one('send_event') })).toThrow('is the tool send_event, and so is another one');
    expect(made({ 'a.b': one('two words') })).toThrow('has the tool name "two words": up to 64 letters');
    expect(made({ 'a.b': one('x', z.object({ timeoutMs: z.number() }) as never) })).toThrow(
      'is a tool with the parameter timeoutMs, which every tool has',
    );
    expect(made({ 'a.b': one('two words') })).toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });
});

describe('an argument of a tool', () => {
  it('is refused by its name if the tool has none such, and missed by its name if the tool needs it', async () => {
    const { url } = await started();
    const agent = await client('of 2026', `${url}/mcp`);
    expect(errorOf(await agent.call('inspect_actor', { adress: 'visits' }))).toMatchObject({
      bosun_code: 'BOSUN_CALL_INVALID',
      message: 'inspect_actor has no argument "adress"; did you mean "address"?',
    });
    expect(errorOf(await agent.call('inspect_actor'))).toMatchObject({
      bosun_code: 'BOSUN_CALL_INVALID',
      message: 'inspect_actor needs the argument address',
    });
  });
});

describe('the MCP endpoint', () => {
  it('refuses other verbs and media types', async () => {
    const { url } = await started();
    expect((await fetch(`${url}/mcp`)).status).toBe(405);
    expect((await post(url, LIST, { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  it('checks token, origin, host and body size like other HTTP requests', async () => {
    const { url } = await started({ tokens });
    const bearer = { Authorization: `Bearer ${tokens[0]!.token}` };
    const none = await post(url, LIST);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await post(url, LIST, bearer)).status).toBe(200);
    expect((await post(url, LIST, { ...bearer, Origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(url, `"${'x'.repeat(1024 * 1024)}"`, bearer)).status).toBe(400);
    expect((await post(url, '['.repeat(10_000) + ']'.repeat(10_000), bearer)).status).toBe(400);
  });

  it('counts each call of a batch against the rate of its caller', async () => {
    const { url } = await started({ tokens, rate: { burst: 3, perSecond: 0.001 } });
    const one = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_waits', arguments: {} } };
    const batch = JSON.stringify([1, 2, 3, 4, 5].map((id) => ({ ...one, id })));
    const text = await (await post(url, batch, { Authorization: `Bearer ${tokens[0]!.token}` })).text();
    expect(text.match(/BOSUN_RATE_LIMITED/g)).toHaveLength(2);
    expect(text.match(/retryAfterMs/g)?.length).toBeGreaterThanOrEqual(2);
  });

  it('ends a call whose client has gone', async () => {
    const { url, gateway, test } = await started();
    const gone = new AbortController();
    const waiting = fetch(`${url}/mcp`, {
      method: 'POST',
      signal: gone.signal,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'wait_for_actor', arguments: { address: 'visits', value: 'closed' } },
      }),
    }).then((response) => response.text());
    const { call } = await client('of 2026', `${url}/mcp`);
    await call('list_actors');
    gone.abort();
    await expect(waiting).rejects.toThrow();
    while ((gateway.counts['refused.BOSUN_CALL_CANCELLED'] ?? 0) === 0) await test.settle();
    expect(gateway.counts['refused.BOSUN_CALL_CANCELLED']).toBe(1);
  });
});
