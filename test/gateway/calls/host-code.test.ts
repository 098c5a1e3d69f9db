/**
 * Functions and schemas of a host at the doors of its gateway: what they throw, reject with or give instead of what is
 * due is an error answer that names them, and nothing else ends by it.
 */
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createMachine } from 'xstate';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { BosunError } from '../../../src/errors.ts';
import { createGateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { HARMS, hostile } from '../../support/actors/hostile/values.ts';
import { type Frame, type GatewayTest, MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { shop } from '../../support/gateway/shop.ts';
import { sample } from '../../support/effort.ts';
import { unhandled } from '../../support/unhandled.ts';

/** Walking a list of so many items would never end. */
const VALUES = sample(
  HARMS.filter((what) => what !== 'a list of more items than memory has room for'),
  4,
);
const SETTLING = VALUES.filter((what) => what !== 'a promise that never settles');

/** A promise like that of an `async` function of the user, which rejects. */
const rejecting = (): never => Promise.reject(new Error('down')) as never;

const base = { means: 'm', params: z.object({}), result: z.any(), example: { p: {}, r: 1 } };
const asking = () => ({ address: 'visits', event: { type: 'count' } });

async function started(options: GatewayOptions): Promise<GatewayTest> {
  const test = await startGatewayTest(options);
  onTestFinished(() => test.stop());
  return test;
}

async function answered(options: GatewayOptions, method: string, params: object = {}) {
  const test = await started(options);
  let answer: Frame | undefined;
  const left = await unhandled(async () => {
    answer = await test.call(await test.client(), method, params);
  });
  // Whatever has happened, the gateway still serves.
  const after = await test.call(await test.client(), 'actor.get', { address: 'visits' });
  return { answer, left, after, logged: test.logged.map(String) };
}

/** The answer of a gateway of these options to a request. */
async function overHttp(options: GatewayOptions, path: string, body?: object) {
  const test = await startTestSystem(shop());
  onTestFinished(() => test.shard.stop());
  const gateway = createGateway(test.shard, { port: 0, ...options });
  onTestFinished(() => gateway.close());
  const { url } = await gateway.listen();
  let found = { status: 0, body: '' };
  const left = await unhandled(async () => {
    const response = await fetch(`${url}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    });
    found = { status: response.status, body: await response.text() };
  });
  return { ...found, left };
}

const aFailure = expect.stringContaining('BOSUN_HOST_FAILED') as string;
const failed = (message: string) => ({ ok: false, e: { code: 'BOSUN_HOST_FAILED', message } });

describe('a selector of a gateway', () => {
  const select = { address: 'visits', selector: 'odd' };
  const place = 'the selector "odd" of counter, at visits,';

  it('names itself and the actor in an error if it throws, and the log has what it threw (class D)', async () => {
    const odd = () => {
      throw new TypeError('no such field');
    };
    const { answer, logged } = await answered({ selectors: { counter: { odd } } }, 'actor.select', select);
    expect(answer).toMatchObject(failed(`${place} failed`));
    const { reference } = (answer as unknown as { e: { details: { reference: string } } }).e.details;
    expect(logged).toEqual([expect.stringContaining(`${place} failed (${reference}): no such field`)]);
  });

  it('is refused if it gives a promise, whose rejection is handled (class A)', async () => {
    const { answer, left, logged } = await answered(
      { selectors: { counter: { odd: rejecting } } },
      'actor.select',
      select,
    );
    expect([answer, left]).toMatchObject([failed(`${place} failed`), []]);
    expect(String(logged)).toContain('gives a promise');
  });

  it('is told of over HTTP in the same words (class D)', async () => {
    const odd = () => {
      throw hostile('a proxy all of whose traps throw');
    };
    const path = '/v1/actors/visits/selected/odd';
    const thrown = await overHttp({ selectors: { counter: { odd } } }, path);
    expect(thrown).toMatchObject({ status: 500, left: [] });
    expect(JSON.parse(thrown.body)).toMatchObject({
      error: { code: 'BOSUN_HOST_FAILED', message: `${place} failed` },
    });
    const wrong = await overHttp({ selectors: { counter: { odd: () => 1n } } }, path);
    expect(wrong).toMatchObject({ status: 500, body: aFailure, left: [] });
  });

  it.each(VALUES)('may throw, or give, %s (class D)', async (what) => {
    const test = await started({
      selectors: {
        counter: {
          thrower: () => {
            throw hostile(what);
          },
          giver: () => hostile(what),
        },
      },
    });
    const client = await test.client();
    const asked = (selector: string) => test.call(client, 'actor.select', { address: 'visits', selector });
    const left = await unhandled(async () => {
      expect(await asked('thrower')).toMatchObject({ e: { code: 'BOSUN_HOST_FAILED' } });
      const given = await asked('giver');
      if (given['ok'] === false) expect(given).toMatchObject({ e: { code: 'BOSUN_HOST_FAILED' } });
    });
    expect(left).toEqual([]);
    expect(client.closed).toBeUndefined();
  });
});

describe('a procedure of a host', () => {
  const bad = {
    read: { ...base, read: rejecting },
    ask: { ...base, ask: rejecting },
    wait: { ...base, wait: rejecting },
    port: { ...base, port: rejecting },
    'wait with an answer': { ...base, wait: () => ({ address: 'visits', answer: rejecting }) },
    'ask without an address': { ...base, ask: () => ({ address: 7, event: { type: 'count' } }) },
    'port, thrown at once': {
      ...base,
      port: () => {
        throw new Error('down');
      },
    },
    'result that is checked by a promise': { ...base, port: () => 1, result: z.any().refine(rejecting) },
    'result whose check throws': { ...base, port: () => 1, result: z.any().refine(() => rejecting2()) },
    'parameters that are checked by a promise': { ...base, port: () => 1, params: z.object({}).refine(rejecting) },
    'answer that is no JSON': { ...base, port: () => 1n },
  };
  const rejecting2 = () => {
    throw new Error('down');
  };

  it.each(Object.entries(bad))('(%s) fails as the host and not as Bosun (class D)', async (_, row) => {
    const { answer, left, after } = await answered({ procedures: { 'shop.sad': procedure(row as never) } }, 'shop.sad');
    expect(answer).toMatchObject({ ok: false, e: { code: 'BOSUN_HOST_FAILED' } });
    expect((answer as unknown as { e: { message: string } }).e.message).toContain('shop.sad');
    expect([left, after]).toMatchObject([[], { ok: true }]);
  });

  it.each(Object.entries(bad))('(%s) is told of over HTTP and as a tool of MCP (class D)', async (_, row) => {
    const mcp = { tool: 'sad', profiles: ['runtime'] };
    const options = { procedures: { 'shop.sad': procedure({ ...row, mcp } as never) } };
    const told = await overHttp(options, '/v1/procedures/shop.sad', {});
    expect(told).toMatchObject({ status: 500, body: aFailure, left: [] });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'sad', arguments: {} } };
    const asked = await overHttp(options, '/mcp', call);
    expect(asked).toMatchObject({ body: aFailure, left: [] });
  });

  it('refuses its callers by a BosunError, as before', async () => {
    const no = () => {
      throw new BosunError('BOSUN_CALL_INVALID', 'no such shelf');
    };
    const { answer } = await answered({ procedures: { 'shop.no': procedure({ ...base, port: no }) } }, 'shop.no');
    expect(answer).toMatchObject({ e: { code: 'BOSUN_CALL_INVALID', message: 'no such shelf' } });
  });

  it.each(SETTLING)('may throw, reject with, answer and ask with %s (class D)', async (what) => {
    const thrower = () => {
      throw hostile(what);
    };
    const test = await started({
      procedures: {
        'bad.throws': procedure({ ...base, port: thrower }),
        'bad.rejects': procedure({ ...base, read: async () => thrower() }),
        'bad.gives': procedure({ ...base, port: () => hostile(what) }),
        'bad.asks': procedure({ ...base, ask: () => ({ ...asking(), event: hostile(what) as never }) }),
        'bad.names': procedure({ ...base, ask: () => hostile(what) as never }),
        'bad.waits': procedure({ ...base, wait: () => ({ address: 'visits', answer: () => hostile(what) }) }),
        'bad.checks': procedure({ ...base, port: () => 1, result: z.any().refine(thrower) }),
      },
    });
    const client = await test.client();
    const left = await unhandled(async () => {
      for (const method of ['bad.throws', 'bad.rejects', 'bad.checks'])
        expect(await test.call(client, method)).toMatchObject({ e: { code: 'BOSUN_HOST_FAILED' } });
      for (const method of ['bad.gives', 'bad.asks', 'bad.names', 'bad.waits']) {
        const given = await test.call(client, method);
        if (given['ok'] === false)
          expect((given as unknown as { e: { code: string } }).e.code).toMatch(
            /^BOSUN_(HOST_FAILED|EVENT_INVALID|EVENT_REFUSED)$/,
          );
      }
    });
    expect(left).toEqual([]);
    expect(client.closed).toBeUndefined();
  });
});

describe('a schema with code that throws', () => {
  const schema = z.object({
    at: z.number().default(() => {
      throw new Error('no clock');
    }),
    by: z.string().catch(() => {
      throw new Error('nobody');
    }),
  });

  it('is listed as one of any object, and keeps no other agent or method from being listed (class D)', async () => {
    const machine = createMachine({ id: 'clerk', on: { add: {} } });
    const clerk = defineAgent({ name: 'clerk', machine: machine as never, events: { add: schema } as never });
    const { agents, ...rest } = shop();
    const row = { ...base, params: schema, port: () => 1, mcp: { tool: 'sad', profiles: ['runtime'] } };
    const procedures = { 'shop.sad': procedure(row as never) };
    const test = await startGatewayTest({ procedures }, { ...rest, agents: [...agents, clerk] as never });
    onTestFinished(() => test.stop());
    const { r } = (await test.call(await test.client(), 'agent.list')) as unknown as { r: { agents: object[] } };
    expect(r.agents).toContainEqual(expect.objectContaining({ name: 'clerk', events: { add: { type: 'object' } } }));
    expect(await overHttp({ procedures }, '/openapi.json')).toMatchObject({ status: 200 });
  });
});

describe('the log of a host', () => {
  it('may reject, and no process ends by it (class A)', async () => {
    const odd = () => {
      throw new Error('down');
    };
    const log = () => rejecting();
    const { answer, left } = await answered({ selectors: { counter: { odd } }, log }, 'actor.select', {
      address: 'visits',
      selector: 'odd',
    });
    expect([answer, left]).toMatchObject([{ e: { code: 'BOSUN_HOST_FAILED' } }, []]);
  });
});

describe('a function that finds the key of JSON Web Tokens', () => {
  const jwt = (key: () => unknown) => ({ jwt: { key: key as never, audience: 'bosun' } });
  const token = `${btoa('{"alg":"ES256"}')}.${btoa('{}')}.AA`.replaceAll('=', '');

  it.each(SETTLING)('may throw, reject with, or give %s: the client is refused (class D)', async (what) => {
    const keys = [
      () => {
        throw hostile(what);
      },
      async () => {
        throw hostile(what);
      },
      () => hostile(what),
    ];
    const left = await unhandled(async () => {
      for (const key of keys) {
        const test = await started(jwt(key));
        const client = await test.client({ token });
        expect(client.closed).toMatchObject({ code: 4401 });
      }
    });
    expect(left).toEqual([]);
  });

  it('is one line of the log if it fails (class A)', async () => {
    const test = await started(jwt(rejecting));
    await test.client({ token });
    expect(test.logged.map(String)).toEqual([expect.stringMatching(/^jwt\.key failed \(.+\): down/)]);
  });

  it('is one line of the log if it gives none in time (class D)', async () => {
    const test = await started(jwt(() => new Promise(() => {})));
    const client = new MemoryClient(test.gateway);
    client.hello({ token });
    await test.advance(60_000);
    expect(test.logged.map(String)).toEqual([expect.stringContaining('it gave no key within 30000 ms')]);
    expect(client.closed).toBeDefined();
  });
});

describe('a server of the host', () => {
  it('hears of the rejections of its own listeners, as before the gateway came (class A)', async () => {
    const test = await startTestSystem(shop());
    onTestFinished(() => test.shard.stop());
    EventEmitter.captureRejections = true;
    const server = createServer();
    EventEmitter.captureRejections = false;
    server.on('request', () => rejecting());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const gateway = createGateway(test.shard, { server });
    onTestFinished(() => gateway.close());
    await gateway.listen();
    const { port } = server.address() as AddressInfo;
    const left = await unhandled(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/mine`);
      expect(response.status).toBe(500);
    });
    expect(left).toEqual([]);
  });
});
