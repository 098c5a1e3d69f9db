/**
 * Whoever means harm, on real sockets: each attack is answered by a refusal that can be told, changes no state, is
 * counted, and leaves the gateway as it was for everybody else.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { createSystem, type System } from '../../../src/system.ts';
import { CLOSE_MS, FRAME_BYTES_MAX, FRAME_FRAGMENTS_MAX, SLOW_MS_MAX } from '../../../src/limits.ts';
import { LONG } from '../../support/effort.ts';
import { closeCode, frame, handshake, RawPeer } from '../../support/gateway/raw-peer.ts';
import { shop } from '../../support/gateway/shop.ts';

const TOKEN = 'a-token-of-32-characters-0123456';
const HELLO = frame(JSON.stringify({ t: 'hello', v: 1 }));

let system: System;
let open: Gateway;
let guarded: Gateway;
/** Whose caller has no calls left after a while. */
let flooded: Gateway;
const ports = new Map<Gateway, number>();

beforeAll(async () => {
  system = await createSystem({ ...shop(), store: memoryStore(), durability: 'memory', log: () => {} }).start();
  const connectRate = { burst: 1e9, perSecond: 1e9 };
  open = createGateway(system, { port: 0, origins: ['https://app.example'], connectRate });
  guarded = createGateway(system, { port: 0, connectRate, tokens: [{ id: 'ada', token: TOKEN }] });
  flooded = createGateway(system, { port: 0, connectRate });
  for (const gateway of [open, guarded, flooded]) ports.set(gateway, (await gateway.listen()).port);
});
afterAll(async () => {
  await Promise.all([open.close(), guarded.close(), flooded.close()]);
  await system.stop();
});

let stateBefore: unknown;
let countsBefore: Readonly<Record<string, number>>;
const refusals = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .filter(([name]) => /^(turned away|refused|closed)/.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
const all = () =>
  Object.fromEntries(
    [open, guarded, flooded].flatMap((gateway, index) =>
      Object.entries(gateway.counts).map(([name, count]) => [`${name} ${index}`, count]),
    ),
  );

beforeEach(() => {
  stateBefore = system.snapshot('visits');
  countsBefore = all();
});
afterEach(async () => {
  expect(system.snapshot('visits')).toEqual(stateBefore);
  expect(refusals(all())).toBeGreaterThan(refusals(countsBefore));
  const peer = await greeted();
  expect(peer.text).toContain('welcome');
  peer.destroy();
});

async function peerOf(gateway: Gateway, ...data: (string | Uint8Array)[]): Promise<RawPeer> {
  const peer = await RawPeer.open(ports.get(gateway)!);
  for (const part of data) peer.write(part);
  return peer;
}

async function greeted(gateway = open): Promise<RawPeer> {
  const peer = await peerOf(gateway, handshake(), HELLO);
  await peer.until((text) => text.includes('"t":"welcome"'));
  return peer;
}

async function status(gateway: Gateway, request: string): Promise<number> {
  const peer = await peerOf(gateway, request);
  const found = await peer.status();
  peer.destroy();
  return found;
}

/** @param event As it is written: some have keys that an object would lose. */
const sendOf = (event: string) => `{"t":"req","id":"1","m":"actor.send","p":{"address":"visits","event":${event}}}`;
const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;

describe('a handshake', () => {
  it.each([
    ['of a page of another origin', { Origin: 'https://evil.example' }, 403],
    ['of a page whose origin only looks like ours', { Origin: 'http://127.0.0.1.evil.example' }, 403],
    ['of a page in a sandbox', { Origin: 'null' }, 403],
    ['under a name that was made to point here', { Host: 'evil.example' }, 403],
    ['under a name that begins like ours', { Host: 'localhost.evil.example:4180' }, 403],
    ['without a host', { Host: undefined }, 403],
    ['with a header of 64 KB', { 'X-Long': 'x'.repeat(65_536) }, 431],
    ['of another scheme of authorization', { Authorization: 'Basic YTpi' }, 401],
  ])('%s is refused', async (_, headers, wanted) => {
    expect(await status(open, handshake(headers))).toBe(wanted);
  });

  it.each([
    ['of HTTP/1.0', { version: '1.0' }, 400],
    ['at another path', { path: '/v1/ws/../admin' }, 404],
    ['with a token in its address', { path: `/v1/ws?token=${TOKEN}` }, 404],
  ])('%s is refused', async (_, where, wanted) => {
    const found = await status(open, handshake({}, where));
    expect(found).toBe(wanted);
  });

  it('of our own page, and of one that is allowed, is not', async () => {
    for (const Origin of ['http://127.0.0.1', 'https://app.example'])
      expect(await status(open, handshake({ Origin }))).toBe(101);
    // The others in this list are; so that there is something to count:
    expect(await status(open, handshake({ Origin: 'http://localhost:3000' }))).toBe(403);
  });

  it('in a subprotocol that nobody speaks is told so by a close', async () => {
    const peer = await peerOf(open, handshake({ 'Sec-WebSocket-Protocol': 'graphql-ws, soap' }));
    expect(closeCode(await peer.until((text) => closeCode(text) !== undefined))).toBe(4406);
    peer.destroy();
  });

  it('with a token as subprotocol does not get it back', async () => {
    const carried = `bosun.bearer.${Buffer.from(TOKEN).toString('base64url')}`;
    const peer = await peerOf(guarded, handshake({ 'Sec-WebSocket-Protocol': `${carried}, bosun.v1.json` }), HELLO);
    const text = await peer.until((all) => all.includes('welcome'));
    expect(text).toContain('Sec-WebSocket-Protocol: bosun.v1.json\r\n');
    expect(text).not.toContain(carried);
    peer.destroy();
    expect(await status(guarded, get('/v1/system'))).toBe(401);
  });

  it.each([
    ['no token', {}],
    ['another token', { token: `${TOKEN.slice(0, -1)}7` }],
    ['an unsigned web token', { token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.' }],
  ])('with %s is closed with 4401, before anything is said', async (_, token) => {
    const peer = await peerOf(
      guarded,
      handshake(),
      frame(JSON.stringify({ t: 'hello', v: 1, ...token })),
      frame(JSON.stringify({ t: 'req', id: '1', m: 'actor.get', p: { address: 'visits' } })),
    );
    const text = await peer.until((received) => closeCode(received) !== undefined);
    expect(closeCode(text)).toBe(4401);
    expect(text).not.toMatch(/"t":"(res|welcome)"/);
    peer.destroy();
  });

  it('that is never finished holds nobody up', async () => {
    const halves = await Promise.all(
      Array.from({ length: 150 }, () => peerOf(open, 'GET /v1/ws HTTP/1.1\r\nHost: loc')),
    );
    expect(await status(open, get('/healthz'))).toBe(200);
    for (const half of halves) half.destroy();
    expect(await status(open, get('/nothing'))).toBe(400);
  });
});

describe('a frame', () => {
  it.each<[string, number | undefined, () => readonly (string | Uint8Array)[]]>([
    ['of text that is no UTF-8', 1007, () => [frame(Buffer.from([0xc3, 0x28]))]],
    ['of a reserved opcode', 1002, () => [frame('', { opcode: 3 })]],
    ['without a mask', 1002, () => [frame('{}', { isMasked: false })]],
    ['that is a ping of more than 125 bytes', 1002, () => [frame('x'.repeat(200), { opcode: 9 })]],
    ['that claims to be compressed', 1002, () => [frame('{}', { rsv1: true })]],
    ['that closes with a code that there is not', 1002, () => [frame(Buffer.from([0x00, 0x05]), { opcode: 8 })]],
    ['that goes on with nothing', 1002, () => [frame('{}', { opcode: 0 })]],
    ['that is a ping in parts', 1002, () => [frame('x', { opcode: 9, isLast: false })]],
    ['that claims to be larger than any', 1009, () => [frame('', { length: BigInt(FRAME_BYTES_MAX) + 1n })]],
    ['that claims 2^63 bytes', 1009, () => [frame('', { length: 2n ** 63n })]],
    [
      'in more parts than it may have',
      1008,
      () => [
        frame('[', { isLast: false }),
        ...Array.from({ length: FRAME_FRAGMENTS_MAX + 1 }, () => frame('0', { opcode: 0, isLast: false })),
      ],
    ],
    ['of bytes where text is spoken', 4400, () => [frame(Buffer.from([0x80]), { opcode: 2 })]],
    ['that is no JSON', 4400, () => [frame('{"t":')]],
    ['that is nested 100,000 deep', 4400, () => [frame(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)]],
    ['of 200,000 values', 4400, () => [frame(`[${'0,'.repeat(200_000)}0]`)]],
    [
      'with a key that reaches a prototype',
      4400,
      () => [frame(sendOf('{"type":"add","by":1,"__proto__":{"isAdmin":true}}'))],
    ],
    [
      'with the mark by which XState revives actors',
      4400,
      () => [frame(sendOf('{"type":"add","by":1,"tag":{"xstate$$type":1,"id":"till"}}'))],
    ],
    ['that is null', 4400, () => [frame('null')]],
  ])('%s closes with %s', async (_, code, data) => {
    const peer = await greeted();
    for (const part of data()) peer.write(part);
    expect(closeCode(await peer.until((text) => closeCode(text) !== undefined))).toBe(code);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBe(undefined);
    peer.destroy();
  });

  it(
    'of a ping that comes ten thousand times is answered as often as a call may be made, then closed',
    LONG,
    async () => {
      const peer = await greeted(flooded);
      for (let n = 0; n < 10_000; n++) peer.write(frame('', { opcode: 9 }));
      expect(closeCode(await peer.until((text) => closeCode(text) !== undefined))).toBe(4429);
      peer.destroy();
    },
  );

  it('that is broken off leaves nothing behind', async () => {
    const peer = await greeted();
    peer.write(frame('{"t":"ping"}').subarray(0, 7));
    peer.destroy();
    expect(await status(open, get('/v1/nothing'))).toBe(400);
  });
});

describe('a request', () => {
  const post = (path: string, type: string, body: string, headers = '') =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ` +
    `${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
  const send = '/v1/actors/visits/send';
  const add = '{"event":{"type":"add","by":1}}';

  it.each([
    ['a form of another page', () => post(send, 'text/plain', add), 400],
    ['a page of another origin', () => post(send, 'application/json', add, 'Origin: https://evil.example\r\n'), 403],
    ['a picture in another page', () => get('/v1/actors/visits', 'Sec-Fetch-Site: cross-site\r\n'), 403],
    ['a token in an address', () => get(`/v1/actors/visits?access_token=${TOKEN}`), 400],
    ['a body that is none', () => post(send, 'application/json', '[1]'), 400],
    ['a body that is too large', () => post(send, 'application/json', `"${'x'.repeat(FRAME_BYTES_MAX)}"`), 400],
    ['a path that is not encoded', () => get('/v1/actors/%zz'), 400],
    ['a path into another folder', () => get('/v1/actors/..%2f..%2fetc%2fpasswd'), 404],
    ['a name with a zero in it', () => get('/v1/actors/visits%00'), 400],
    ['a deadline of never', () => get('/v1/actors/visits', 'Bosun-Deadline-Ms: Infinity\r\n'), 400],
    ['a verb that destroys', () => post('/v1/actors/visits/erase', 'application/json', '{}'), 403],
    ['an event of the runtime', () => post(send, 'application/json', '{"event":{"type":"xstate.stop"}}'), 403],
    [
      'two lengths',
      () =>
        `POST ${send} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
  ])('of %s is refused', async (_, request, wanted) => {
    expect(await status(open, request())).toBe(wanted);
  });
});

describe('a network address', () => {
  it('that connects too often has to wait, and nobody else', async () => {
    const strict = createGateway(system, { port: 0, connectRate: { burst: 3, perSecond: 0.001 } });
    ports.set(strict, (await strict.listen()).port);
    const found = [];
    for (let n = 0; n < 4; n++) found.push(await status(strict, handshake()));
    expect(found).toEqual([101, 101, 101, 429]);
    expect(strict.counts['turned away.rate']).toBe(1);
    expect(await status(strict, get('/healthz'))).toBe(200);
    await strict.close();
    expect(await status(open, get('/nothing'))).toBe(400);
  });
});

describe('a client', () => {
  it('that never reads is cut off, and others are served meanwhile', async () => {
    const peer = await greeted(flooded);
    peer.stopReading();
    const ask = (id: number) => frame(JSON.stringify({ t: 'req', id: `${id}`, m: 'agent.list', p: {} }));
    for (let id = 0; id < 5_000; id++) peer.write(ask(id));
    const other = await greeted();
    other.destroy();
    await flooded.close();
    peer.destroy();
    const limits = flooded.counts;
    expect((limits['refused.BOSUN_RATE_LIMITED'] ?? 0) + (limits['closed.rate_limited'] ?? 0)).toBeGreaterThan(0);
  });

  it('that subscribes and never reads is told, then cut off, and what waits for it stays bounded', LONG, async () => {
    const clock = new VirtualClock();
    const hoarder = defineAgent({
      name: 'hoarder',
      machine: setup({
        types: {} as { context: { text: string }; events: { type: 'fill'; with: string } },
      }).createMachine({
        context: { text: '' },
        on: { fill: { actions: assign({ text: ({ event }) => event.with.repeat(2_000_000) }) } },
      }),
      events: { fill: z.object({ with: z.string() }) },
    });
    const hoard = await createSystem({
      agents: [hoarder],
      tree: { children: [{ id: 'h', agent: 'hoarder' }] },
      store: memoryStore(),
      durability: 'memory',
      log: () => {},
    }).start();
    const gateway = createGateway(hoard, { port: 0, clock });
    ports.set(gateway, (await gateway.listen()).port);
    const peer = await greeted(gateway);
    peer.write(frame(JSON.stringify({ t: 'sub', id: 's', topic: 'actor/h' })));
    await peer.until((text) => text.includes('"t":"snap"'));
    peer.stopReading();
    // As many as the buffers of both machines take.
    for (let n = 0; gateway.counts['slow'] === undefined; n++) {
      await hoard.send('h', { type: 'fill', with: String.fromCharCode(97 + (n % 26)) });
      await new Promise<void>((resolve) => clock.defer(resolve));
    }
    for (let n = 0; n < 50; n++) await hoard.send('h', { type: 'fill', with: String.fromCharCode(65 + (n % 26)) });
    await clock.advance(SLOW_MS_MAX, () => new Promise<void>((resolve) => clock.defer(resolve)));
    expect(gateway.counts['closed.slow_consumer']).toBe(1);
    await clock.advance(CLOSE_MS, () => new Promise<void>((resolve) => clock.defer(resolve)));
    await peer.resume();
    expect(peer.text.length).toBeLessThan(60_000_000);
    gateway.abandon();
    await hoard.stop();
    expect(await status(open, get('/nothing'))).toBe(400);
  });

  it('of `ws` itself that sends what it cannot is refused by a code that it can tell', async () => {
    const ws = new WebSocket(`ws://127.0.0.1:${ports.get(open)}/v1/ws`, ['bosun.v1.json']);
    await new Promise((resolve) => ws.once('open', resolve));
    const closed = new Promise<number>((resolve) => ws.once('close', (code) => resolve(code)));
    ws.send('{"t":"hello","v":1}');
    ws.send('x'.repeat(FRAME_BYTES_MAX + 1));
    expect(await closed).toBe(1009);
  });
});
