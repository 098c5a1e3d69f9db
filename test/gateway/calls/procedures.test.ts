/** Procedures of a host: the same at every door, in front of one kernel and of two workers. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { createClient } from '../../../src/client/client.ts';
import { commandLine } from '../../../src/cli/command-line.ts';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { type asyncapi } from '../../../src/gateway/network/documents.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';
import { type Frame, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { bell, procedures } from '../../support/gateway/procedures.ts';
import { shop } from '../../support/gateway/shop.ts';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';
import { WebSocket } from 'ws';
import { byEffort } from '../../support/effort.ts';

/** A call that took a turn would show at the first. */
const CALLS = byEffort({ quick: 100, ci: 1_000 });

const READER = 'token-of-a-reader-0123456789';
const tokens = [
  { id: 'ada', token: 'token-of-ada-0123456789' },
  { id: 'eve', token: READER, scopes: ['actor:read'] as const },
];

interface Kit {
  client(hello?: object): Promise<MemoryClient>;
  call(client: MemoryClient, m: string, p?: object, fields?: object): Promise<Frame>;
}

/** A gateway with the procedures, and two counters. */
const kits: [name: string, start: (options?: object) => Promise<{ kit: Kit; counters: readonly [string, string] }>][] =
  [
    [
      'one kernel',
      async (options) => {
        const kit = await startGatewayTest({ procedures, ...options });
        return { kit, counters: ['visits', 'back/visits'] };
      },
    ],
    [
      'two workers',
      async (options) => {
        const kit = await startSpreadGateway({ procedures, ...options });
        return { kit, counters: kit.pair };
      },
    ],
  ];

beforeEach(() => void (bell.rings = 0));

describe.each(kits)('procedures in front of %s', (_, start) => {
  it('read durable state, whichever worker holds it', async () => {
    const { kit, counters } = await start();
    const client = await kit.client();
    for (const [index, address] of counters.entries())
      await kit.call(client, 'actor.send', { address, event: { type: 'add', by: index + 1 } });
    const { r } = (await kit.call(client, 'visits.total')) as unknown as { r: { total: number; counters: string[] } };
    expect(r.total).toBe(3);
    expect(r.counters).toEqual(expect.arrayContaining([...counters]));
  });

  it('ask an actor, and repeat its answer to a call with the same key', async () => {
    const { kit, counters } = await start();
    const client = await kit.client();
    const [name] = counters;
    const count = () => kit.call(client, 'visits.count', { name }, { key: 'k1' });
    expect(await count()).toMatchObject({ ok: true, r: 0 });
    await kit.call(client, 'actor.send', { address: name, event: { type: 'add', by: 5 } });
    expect(await count()).toMatchObject({ ok: true, r: 0 });
    expect(await kit.call(client, 'visits.count', { name })).toMatchObject({ ok: true, r: 5 });
  });

  it('wait for the state of an actor', async () => {
    const { kit, counters } = await start();
    const client = await kit.client();
    const [name] = counters;
    await kit.call(client, 'actor.send', { address: name, event: { type: 'add', by: 4 } });
    client.send({ t: 'req', id: 'waits', m: 'visits.closed', p: { name } });
    await kit.call(client, 'actor.get', { address: name });
    expect(client.last('res', 'waits')).toBeUndefined();
    await kit.call(client, 'actor.send', { address: name, event: { type: 'close' } });
    await kit.call(client, 'actor.get', { address: name });
    expect(client.last('res', 'waits')).toMatchObject({ ok: true, r: { finalCount: 4 } });
  });

  it('call a function of the host once per key, and pass it the caller', async () => {
    const { kit } = await start({ tokens });
    const client = await kit.client({ token: tokens[0]!.token });
    const ring = () => kit.call(client, 'bell.ring', { times: 2 }, { key: 'k1' });
    expect(await ring()).toMatchObject({ r: { rings: 2, by: 'ada' } });
    expect(await ring()).toMatchObject({ r: { rings: 2, by: 'ada' }, replayed: true });
    expect(bell.rings).toBe(2);
  });

  it('refuse calls that the scope, the address rights or the parameter schema do not allow', async () => {
    const { kit } = await start({
      tokens: [...tokens, { id: 'tom', token: 'token-of-tom-0123456789', addresses: ['x'] }],
    });
    const codeOf = async (token: string, m: string, p: object) =>
      ((await kit.call(await kit.client({ token }), m, p)) as unknown as { e: { code: string } }).e.code;
    expect(await codeOf(READER, 'bell.ring', {})).toBe('BOSUN_FORBIDDEN');
    expect(await codeOf(READER, 'visits.count', { name: 'visits' })).toBe('BOSUN_FORBIDDEN');
    expect(await codeOf('token-of-tom-0123456789', 'visits.count', { name: 'visits' })).toBe('BOSUN_FORBIDDEN');
    expect(await codeOf(tokens[0]!.token, 'bell.ring', { times: 0 })).toBe('BOSUN_CALL_INVALID');
    expect(bell.rings).toBe(0);
  });
});

describe('a procedure that reads', () => {
  it(`takes no turn and writes no epoch in ${CALLS} calls`, async () => {
    const test = await startGatewayTest({ procedures, rate: { burst: 1e9, perSecond: 1e9 }, operator: 'o'.repeat(16) });
    const client = await test.client({ token: 'o'.repeat(16) });
    const epochOf = async () =>
      ((await test.call(client, 'system.info')) as unknown as { r: { epoch: number } }).r.epoch;
    const before = await epochOf();
    for (let n = 0; n < CALLS; n++) await test.call(client, 'visits.total');
    expect(await epochOf()).toBe(before);
    await test.stop();
  });
});

describe('an answer that does not fit its schema', () => {
  it('is an error of the host for the caller, and is described in the log', async () => {
    const liar = procedure({
      means: 'Says a word.',
      params: z.object({}),
      result: z.string(),
      example: { p: {}, r: 'a word' },
      port: () => 1 as unknown as string,
    });
    const test = await startGatewayTest({ procedures: { 'liar.say': liar } });
    const answer = await test.call(await test.client(), 'liar.say');
    expect(answer).toMatchObject({ ok: false, e: { code: 'BOSUN_HOST_FAILED' } });
    expect(String(test.logged)).toMatch(
      /the procedure liar\.say failed \(.+\): it answered something else than its schema says: r:/,
    );
    await test.stop();
  });
});

describe('createGateway', () => {
  const gatewayWith =
    (row: object, name = 'shop.stock') =>
    async () => {
      const { shard: system } = await startTestSystem(shop());
      const stock = { means: 'm', params: z.object({}), result: z.number(), example: { p: {}, r: 1 }, port: () => 1 };
      createGateway(system, { procedures: { [name]: procedure({ ...stock, ...row } as never) } });
    };

  it.each<[string, () => Promise<void>, string]>([
    ['a name of one word', gatewayWith({}, 'stock'), 'needs a name of two words, such as shop.stock'],
    ['the name of a method', gatewayWith({}, 'actor.send'), 'actor.send has the name of a method of the gateway'],
    [
      'a route elsewhere',
      gatewayWith({ http: { verb: 'GET', path: '/stock' } }),
      'a route begins with /v1/ or /.well-known/',
    ],
    [
      'a route that is taken',
      gatewayWith({ http: { verb: 'GET', path: '/v1/actors/all' } }),
      'has the route of actor.get: GET /v1/actors/all',
    ],
    [
      'a parameter of the route that is none',
      gatewayWith({ http: { verb: 'GET', path: '/v1/stock/{sku}' } }),
      'has the route /v1/stock/{sku}, and no parameter sku',
    ],
    ['two ways at once', gatewayWith({ read: () => 1 }), 'procedure: give it one of read, ask, wait and port'],
  ])('refuses a procedure with %s', async (_, make, message) => {
    await expect(make()).rejects.toThrow(message);
    await expect(make()).rejects.toThrow(code('BOSUN_CONFIG_INVALID') as never);
  });
});

describe('procedures over a network', () => {
  it('are reached by HTTP, the typed client and the command line, and are listed in the documents', async () => {
    const test = await startTestSystem(shop());
    onTestFinished(() => test.shard.stop());
    const gateway = createGateway(test.shard, { port: 0, procedures });
    onTestFinished(() => gateway.close());
    const { url } = await gateway.listen();
    await test.shard.send('visits', { type: 'add', by: 3 });
    await test.settle();

    const http = await fetch(`${url}/v1/visits/total`);
    expect(await http.json()).toMatchObject({ total: 3 });

    const client = createClient(url.replace('http', 'ws'), { WebSocket: WebSocket as never });
    onTestFinished(() => client.close());
    const offered = client.procedures<typeof procedures>();
    const { total } = await offered['visits.total']({});
    expect(total satisfies number).toBe(3);

    const said = { out: '', err: '' };
    const into = (stream: 'out' | 'err') => ({ write: (text: string) => (said[stream] += text) });
    const surroundings = {
      out: into('out'),
      err: into('err'),
      env: {},
      cwd: '/',
      interruption: () => new AbortController().signal,
    };
    expect(await commandLine(['call', 'visits.total', '--url', url, '--json'], surroundings)).toBe(0);
    expect(JSON.parse(said.out)).toMatchObject({ method: 'visits.total', answer: { total: 3 } });
    said.out = '';
    expect(await commandLine(['call', '--url', url], surroundings)).toBe(0);
    expect(said.out).toMatch(/^bell\.ring +times\? +actor:admin +Rings the bell of the host\.$/m);
    expect(await commandLine(['call', 'visits.totl', '--url', url], surroundings)).toBe(2);
    expect(said.err).toContain('there is no method "visits.totl"; did you mean "visits.total"?');

    const openapi = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(openapi.paths).toMatchObject({
      '/v1/visits/total': { get: { operationId: 'visits.total', 'x-scope': 'actor:read' } },
      '/v1/procedures/bell.ring': { post: { operationId: 'bell.ring', 'x-scope': 'actor:admin' } },
    });
    const spoken = (await (await fetch(`${url}/asyncapi.json`)).json()) as ReturnType<typeof asyncapi>;
    expect(Object.keys(spoken['operations'] as object)).toContain('visits.closed');
  });
});
