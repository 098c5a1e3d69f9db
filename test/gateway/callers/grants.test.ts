/** Grants: their holders call the methods that they name and nothing else, and nobody else has what is granted. */
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { liveDoor } from '../../../src/cli/serve/live-door.ts';
import { systemClock } from '../../../src/clock.ts';
import { LiveGateway } from '../../../src/cli/reach/live-gateway.ts';
import { BosunError } from '../../../src/errors.ts';
import { issueGrant } from '../../../src/gateway/callers/grants.ts';
import { shownTools } from '../../../src/gateway/calls/tool-row.ts';
import { type StatelyPeer } from '../../../src/gateway/stately/stately-peer.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createSystem, type System } from '../../../src/system.ts';
import { errorOf, type McpClient, overHttp, toldBy } from '../../support/gateway/mcp-clients.ts';
import { type Frame, MemoryClient } from '../../support/gateway/memory-client.ts';
import { counter } from '../../support/gateway/shop.ts';

const KEY = new TextEncoder().encode('the key of grants, of 32 bytes at least');
const OPERATOR = 'token-of-the-operator-0123456789';

const facts = { params: z.object({}), result: z.unknown(), example: { p: {}, r: {} }, isGranted: true as const };
const tool = (name: string) => ({ tool: name, profiles: ['coder' as const] });
const many = Object.fromEntries(
  Array.from({ length: 15 }, (_, n) => [
    `many.tool${n}`,
    procedure({ means: 'One of many.', ...facts, mcp: tool(`many_${n}`), port: () => n }),
  ]),
);
const procedures = {
  ...many,
  'seat.who': procedure({
    means: 'Who calls.',
    ...facts,
    mcp: {
      ...tool('seat_who'),
      prompts: [{ name: 'who-am-i', description: 'Asks.', text: 'Who am I?' }],
    },
    port: (_, { id, claims }) => ({ id, claims }),
  }),
  'seat.count': procedure({
    means: 'The count of the actor that the token names.',
    ...facts,
    mcp: tool('seat_count'),
    ask: (_, { claims }) => ({
      address: claims!['seat']!,
      event: { type: 'count' },
      answer: (reply) => {
        if (reply === 13) throw new BosunError('BOSUN_EVENT_REFUSED', 'not this one');
        return { seat: claims!['seat'], count: reply };
      },
    }),
  }),
  'seat.look': procedure({
    means: 'The state of the actor that the token names.',
    ...facts,
    params: z.object({ name: z.string().default('') }),
    window: { address: 'visits' },
    mcp: {
      resource: { uri: 'seat://{name}', name: 'seat', description: 'A seat.' },
      prompts: [{ name: 'look-there', description: 'Looks.', text: 'Look.' }],
    },
    read: async (_, reader, { claims }) => (await reader.actor(claims!['seat']!)).value,
  }),
  'open.bell': procedure({
    means: 'Rings.',
    ...{ params: z.object({}), result: z.object({}), example: { p: {}, r: {} } },
    mcp: tool('ring'),
    port: () => ({}),
  }),
};

let system: System;
let gateway: Gateway;
let url: string;
let token: string;
const grant = (fields: Partial<Parameters<typeof issueGrant>[0]> = {}) =>
  issueGrant({
    ...{ key: KEY, id: 's-1', methods: ['seat.who', 'seat.count', 'seat.look'], addresses: ['visits'] },
    ...{ claims: { seat: 'visits' }, expiresInMs: 60_000, ...fields },
  });

beforeEach(async () => {
  const children = ['visits', 'others'].map((id) => ({ id, agent: 'counter' }));
  system = await createSystem({ agents: [counter], store: memoryStore(), tree: { children } }).start();
  const MANY = { perSecond: 1_000, perMinute: 1_000 };
  gateway = createGateway(system, { port: 0, procedures, grantKey: KEY, operator: OPERATOR, mcpRate: MANY });
  ({ url } = await gateway.listen());
  token = await grant();
});
afterEach(async () => {
  await gateway.close();
  await system.stop();
});

async function ask(method: string, by?: string, headers: object = {}): Promise<Record<string, unknown>> {
  return post(`/v1/procedures/${method}`, {}, by, headers);
}

async function post(path: string, body: object, by?: string, more: object = {}): Promise<Record<string, unknown>> {
  const bearer = by === undefined ? {} : { Authorization: `Bearer ${by}` };
  const headers = { 'Content-Type': 'application/json', ...bearer, ...more };
  return read(await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function get(path: string, by: string): Promise<Record<string, unknown>> {
  return read(await fetch(url + path, { headers: { Authorization: `Bearer ${by}` } }));
}

async function read(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}

/** A client of the WebSocket protocol, and the frame that answers one. */
async function onSocket(by?: string, hello: object = {}) {
  const client = new MemoryClient(gateway);
  client.hello({ ...(by !== undefined && { token: by }), ...hello });
  await vi.waitFor(() => expect(client.last('welcome')).toBeDefined());
  return async (frame: object): Promise<Frame> => {
    client.send({ id: 'x', ...frame });
    return vi.waitFor(() => client.frames.find((one) => one['id'] === 'x') ?? expect.unreachable());
  };
}

const refused = (code: string, details?: object) => ({ error: { code, ...(details && { details }) } });
const send = { address: 'visits', event: { type: 'add', by: 1 } };
const names = async (client: McpClient) => (await client.tools()).map(({ name }) => name).sort();

describe('the holder of a grant', () => {
  it('calls over HTTP what the grant names, and nothing else', async () => {
    expect(await ask('seat.who', token)).toEqual({ id: 'grant:s-1', claims: { seat: 'visits' } });
    expect(await ask('open.bell', token)).toMatchObject(refused('BOSUN_FORBIDDEN', { method: 'open.bell' }));
    expect(await ask('many.tool1', token)).toMatchObject({
      error: { message: 'this token may call seat.who, seat.count, seat.look, and not many.tool1' },
    });
    expect(await get('/v1/actors/visits', token)).toMatchObject(refused('BOSUN_FORBIDDEN', { method: 'actor.get' }));
    expect(await post('/v1/actors/visits/send', { event: send.event }, token)).toMatchObject(
      refused('BOSUN_FORBIDDEN', { method: 'actor.send' }),
    );
    const stream = await get('/v1/events?topic=actor/visits', token);
    expect(stream).toMatchObject(refused('BOSUN_FORBIDDEN', { method: 'subscribe' }));
    expect(await get('/metrics', token)).toMatchObject(refused('BOSUN_FORBIDDEN'));
  });

  it('calls over WebSocket what the grant names, and nothing else', async () => {
    const call = await onSocket(token);
    expect(await call({ t: 'req', m: 'seat.look' })).toMatchObject({ ok: true, r: 'open' });
    const [other, send1] = [await onSocket(token), await onSocket(token, { session: 's'.repeat(22), acks: true })];
    expect(await other({ t: 'req', m: 'actor.get', p: { address: 'visits' } })).toMatchObject({
      e: { code: 'BOSUN_FORBIDDEN' },
    });
    expect(await send1({ t: 'req', m: 'actor.send', p: send, seq: 1 })).toMatchObject({
      e: { code: 'BOSUN_FORBIDDEN', details: { method: 'actor.send' } },
    });
    expect((await system.snapshot('visits'))!.context).toMatchObject({ count: 0 });
  });

  it('subscribes to the window of a procedure that it may call, and to no other topic', async () => {
    const sub = async (topic: string, mode = 'state') => (await onSocket(token))({ t: 'sub', topic, mode });
    expect(await sub('window/seat.look')).toMatchObject({ t: 'snap', d: 'open' });
    for (const topic of ['actor/visits', 'tree/visits', 'turns/visits', 'window/open.bell'])
      expect(await sub(topic)).toMatchObject({ t: 'end', e: { code: 'BOSUN_FORBIDDEN' } });
    expect(await sub('events/visits', 'events')).toMatchObject({ t: 'end', e: { code: 'BOSUN_FORBIDDEN' } });
    const wire = { send: vi.fn(), close: vi.fn(), terminate: vi.fn(), pause: vi.fn(), resume: vi.fn() };
    const peer: StatelyPeer = gateway.inspect({ ...wire, bufferedBytes: 0 }, { token });
    await vi.waitFor(() => expect(wire.close).toHaveBeenCalledWith(expect.anything(), 'unauthenticated'));
    expect(peer.caller).toBeUndefined();
    expect(wire.send).not.toHaveBeenCalled();
  });

  it('sees by MCP the tools, resources and prompts of its methods alone, whatever their number', async () => {
    const client = await overHttp('of 2026', `${url}/mcp`, token);
    expect(await names(client)).toEqual(['seat_count', 'seat_who']);
    expect(toldBy(await client.call('seat_who'))).toMatchObject({ id: 'grant:s-1' });
    await expect(client.call('list_actors')).rejects.toThrow('there is no tool "list_actors"');
    expect((await client.client.listResources()).resources).toEqual([]);
    await expect(client.client.readResource({ uri: 'bosun://guide' })).rejects.toThrow('there is no resource');
    const { resourceTemplates } = await client.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['seat://{name}']);
    expect((await client.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['who-am-i', 'look-there']);
    expect(client.client.getInstructions()).toBeUndefined();
    const all = await overHttp('of 2026', `${url}/mcp?profile=hub`, await grant({ methods: Object.keys(many) }));
    expect(await all.tools()).toHaveLength(15);
  });

  it('reaches no actors but its addresses, whatever its procedures ask', async () => {
    const elsewhere = await grant({ claims: { seat: 'others' } });
    expect(await ask('seat.count', elsewhere)).toMatchObject(refused('BOSUN_FORBIDDEN'));
    expect(await ask('seat.look', elsewhere)).toMatchObject(refused('BOSUN_FORBIDDEN'));
    expect(await ask('seat.look', token)).toBe('open');
  });

  it('stays what it is under the name of another program', async () => {
    const as = { 'Bosun-As': 'mcp:helper' };
    expect(await ask('seat.who', token, as)).toMatchObject({ id: 'grant:s-1' });
    expect(await ask('open.bell', token, as)).toMatchObject(refused('BOSUN_FORBIDDEN'));
  });
});

describe('the answer of a procedure that asks', () => {
  it('is made of the reply, also for a repeat with the same key', async () => {
    const key = { 'Idempotency-Key': 'k-1' };
    expect(await ask('seat.count', token, key)).toEqual({ seat: 'visits', count: 0 });
    await system.send('visits', { type: 'add', by: 5 });
    expect(await ask('seat.count', token, key)).toEqual({ seat: 'visits', count: 0 });
    expect(await ask('seat.count', token)).toEqual({ seat: 'visits', count: 5 });
  });

  it('has the type of the result, as an answer of any other way', () => {
    const row = { means: 'Counts.', params: z.object({}), result: z.number(), example: { p: {}, r: 1 } };
    const event = { type: 'count' };
    procedure({ ...row, ask: () => ({ address: 'visits', event, answer: (reply) => Number(reply) }) });
    // @ts-expect-error a text is no number
    procedure({ ...row, ask: () => ({ address: 'visits', event, answer: (reply) => String(reply) }) });
  });

  it('may be a refusal', async () => {
    await system.send('visits', { type: 'add', by: 13 });
    expect(await ask('seat.count', token)).toMatchObject(refused('BOSUN_EVENT_REFUSED'));
  });
});

describe('a granted procedure', () => {
  it.each([
    ['a local caller', undefined],
    ['the operator', OPERATOR],
  ])('is refused to %s by HTTP and WebSocket, and is no tool, resource or prompt for it', async (_, by) => {
    expect(await ask('seat.who', by)).toMatchObject({
      error: {
        code: 'BOSUN_FORBIDDEN',
        message: 'seat.who is only for callers whose token names it: connect with the token of a session',
        details: { method: 'seat.who' },
      },
    });
    expect(await (await onSocket(by))({ t: 'req', m: 'seat.who' })).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    const sub = { t: 'sub', topic: 'window/seat.look', mode: 'state' };
    expect(await (await onSocket(by))(sub)).toMatchObject({ t: 'end', e: { code: 'BOSUN_FORBIDDEN' } });
    const client = await overHttp('of 2026', `${url}/mcp?profile=coder`, by);
    expect(await names(client)).toContain('ring');
    expect((await names(client)).filter((name) => /^(seat|many)_/.test(name))).toEqual([]);
    await expect(client.call('seat_who')).rejects.toThrow('there is no tool "seat_who"');
    const { resourceTemplates } = await client.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).not.toContain('seat://{name}');
    expect((await client.client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('who-am-i');
    expect(errorOf(await client.call('inspect_actor', { address: 'x' })).bosun_code).toBe('BOSUN_ACTOR_UNKNOWN');
  });
});

describe('the rows for bosun mcp', () => {
  const doorOf = (by?: string) =>
    liveDoor(
      Promise.resolve({
        gateway: async () => Promise.resolve(new LiveGateway({ url, token: by }, 'mcp:claude')),
        lost: () => Promise.resolve(),
      }),
      { agent: 'mcp:claude', isPerson: true, isProgram: false, log: () => {} },
    );
  const shown = async (by?: string) => {
    const door = doorOf(by);
    return shownTools(await door.rows(), door, undefined).map(({ tool: name }) => name);
  };

  it('are those of its methods for the holder of a grant', async () => {
    expect([...(await shown(token))].sort()).toEqual(['seat_count', 'seat_who']);
    expect(await shown(await grant({ methods: Object.keys(many) }))).toHaveLength(15);
    const { resources, prompts, areGranted } = await doorOf(token).rows();
    expect([resources.length, prompts.length, areGranted]).toEqual([1, 2, true]);
    const how = { key: undefined, timeoutMs: 10_000, signal: new AbortController().signal };
    expect(await doorOf(token).call('seat.who', {}, how)).toMatchObject({ id: 'grant:s-1' });
    await expect(doorOf(token).call('actor.get', { address: 'visits' }, how)).rejects.toThrow('offers no actor.get');
  });

  it('lack what is granted for everybody else, and need no valid token', async () => {
    for (const by of [undefined, OPERATOR, 'no-token-of-anybody', await grant({ key: new Uint8Array(32) })]) {
      const { tools, resources, prompts, areGranted } = await doorOf(by).rows();
      expect(tools.map(({ method }) => method)).toContain('open.bell');
      expect([...tools, ...resources, ...prompts].filter(({ isGranted }) => isGranted)).toEqual([]);
      expect(areGranted).toBeUndefined();
    }
  });
});

describe('a grant', () => {
  const signed = (content: object, audience = 'bosun:grant') =>
    new SignJWT({ bosun_methods: ['seat.who'], bosun_addresses: [], bosun_claims: {}, sub: 's-1', ...content })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setExpirationTime('1h')
      .sign(KEY);

  it.each<[string, () => Promise<string>]>([
    ['expired', () => grant({ clock: { wallMs: () => systemClock.wallMs() - 120_000 } })],
    ['signed with another key', () => grant({ key: new Uint8Array(32) })],
    ['made for another audience', () => signed({}, 'bosun')],
    ['without methods', () => signed({ bosun_methods: undefined })],
    ['with addresses that are no patterns', () => signed({ bosun_addresses: ['a b'] })],
    ['with claims that are no texts', () => signed({ bosun_claims: { seat: 1 } })],
    ['of nobody', () => signed({ sub: ' ' })],
    [
      'with other content than was signed',
      async () => {
        const [head, body, signature] = token.split('.') as [string, string, string];
        const content = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
        const changed = Buffer.from(JSON.stringify({ ...content, sub: 's-2' })).toString('base64url');
        return Promise.resolve([head, changed, signature].join('.'));
      },
    ],
  ])('is no valid token if it is %s', async (_, made) => {
    expect(await ask('seat.who', await made())).toMatchObject(refused('BOSUN_UNAUTHENTICATED'));
  });

  it('is valid with the documented content, whoever has signed it', async () => {
    expect(await ask('seat.who', await signed({}))).toEqual({ id: 'grant:s-1', claims: {} });
  });

  it('is valid beside tokens, and no token of these can have the id of its holder', async () => {
    await gateway.close();
    const id = { id: 'till', token: 'token-of-the-till-0123456789' };
    gateway = createGateway(system, { port: 0, procedures, grantKey: KEY, tokens: [id] });
    ({ url } = await gateway.listen());
    expect(await ask('seat.who', token)).toMatchObject({ id: 'grant:s-1' });
    expect(await ask('seat.who')).toMatchObject(refused('BOSUN_UNAUTHENTICATED'));
    expect(await ask('open.bell', id.token)).toEqual({});
    const taken = () => createGateway(system, { tokens: [{ ...id, id: 'grant:s-1' }] });
    expect(taken).toThrow('the id is that of another caller');
    expect(() => createGateway(system, { tokens: [{ ...id, person: 'grant:s-1' }] })).toThrow('the person is');
  });

  it('needs a key of 32 bytes, patterns, and an id', async () => {
    expect(() => createGateway(system, { grantKey: new Uint8Array(31) })).toThrow('a Uint8Array of 32 bytes or more');
    const CONFIG = { code: 'BOSUN_CONFIG_INVALID' };
    await expect(grant({ key: new Uint8Array(31) })).rejects.toMatchObject(CONFIG);
    await expect(grant({ addresses: ['a b'] })).rejects.toMatchObject(CONFIG);
    await expect(grant({ id: '' })).rejects.toMatchObject(CONFIG);
    await expect(grant({ claims: { long: 'x'.repeat(9_000) } })).rejects.toMatchObject(CONFIG);
  });
});
