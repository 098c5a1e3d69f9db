/**
 * Attackers on real sockets: each attack is answered by a refusal that can be told, changes no state, is counted, and
 * leaves the gateway as it was for everybody else.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { Shard } from '../../../src/shard.ts';
import {
  CLOSE_MS,
  FRAME_BYTES_MAX,
  FRAME_FRAGMENTS_MAX,
  SLOW_MS_MAX,
  STRANGER_SOCKETS_MAX,
} from '../../../src/gateway/limits.ts';
import { LONG } from '../../support/effort.ts';
import { closeCode, frame, handshake, RawPeer } from '../../support/gateway/raw-peer.ts';
import { shop } from '../../support/gateway/shop.ts';
import { until } from '../../support/until.ts';

const TOKEN = 'a-token-of-32-characters-0123456';
const HELLO = frame(JSON.stringify({ t: 'hello', v: 1 }));

let system: Shard;
let open: Gateway;
let guarded: Gateway;
/** A gateway of each test, whose caller has no calls left after a while. */
let flooded: Gateway;
const ports = new Map<Gateway, number>();

const connectRate = { burst: 1e9, perSecond: 1e9 };

beforeAll(async () => {
  system = await new Shard({ ...shop(), store: memoryStore(), durability: 'memory', log: () => {} }).start();
  open = createGateway(system, { port: 0, origins: ['https://app.example'], connectRate });
  guarded = createGateway(system, { port: 0, connectRate, tokens: [{ id: 'ada', token: TOKEN }] });
  for (const gateway of [open, guarded]) ports.set(gateway, (await gateway.listen()).port);
});
afterAll(async () => {
  await Promise.all([open.close(), guarded.close()]);
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

beforeEach(async () => {
  flooded = createGateway(system, { port: 0, connectRate });
  ports.set(flooded, (await flooded.listen()).port);
  onTestFinished(() => flooded.close());
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
    ['from a page of a foreign origin', { Origin: 'https://evil.example' }, 403],
    ['from a page whose origin merely begins like ours', { Origin: 'http://127.0.0.1.evil.example' }, 403],
    ['from a sandboxed page', { Origin: 'null' }, 403],
    ['with a foreign host name that resolves to this machine', { Host: 'evil.example' }, 403],
    ['with a host name that begins like ours', { Host: 'localhost.evil.example:4180' }, 403],
    ['without a host', { Host: undefined }, 403],
    ['with a header of 64 KB', { 'X-Long': 'x'.repeat(65_536) }, 431],
    ['with an unsupported scheme of authorization', { Authorization: 'Basic YTpi' }, 401],
  ])('%s is refused', async (_, headers, wanted) => {
    expect(await status(open, handshake(headers))).toBe(wanted);
  });

  it.each([
    ['of HTTP/1.0', { version: '1.0' }, 400],
    ['at an unknown path', { path: '/v1/ws/../admin' }, 404],
    ['with a token in its URL', { path: `/v1/ws?token=${TOKEN}` }, 404],
  ])('%s is refused', async (_, where, wanted) => {
    const found = await status(open, handshake({}, where));
    expect(found).toBe(wanted);
  });

  it('is accepted from our own page and from an allowed origin', async () => {
    for (const Origin of ['http://127.0.0.1', 'https://app.example'])
      expect(await status(open, handshake({ Origin }))).toBe(101);
    // A refusal to be counted afterwards:
    expect(await status(open, handshake({ Origin: 'http://localhost:3000' }))).toBe(403);
  });

  it('is answered by a close with 4406 if it offers unknown subprotocols only', async () => {
    const peer = await peerOf(open, handshake({ 'Sec-WebSocket-Protocol': 'graphql-ws, soap' }));
    expect(closeCode(await peer.until((text) => closeCode(text) !== undefined))).toBe(4406);
    peer.destroy();
  });

  it('is answered without the token that it carries as a subprotocol', async () => {
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
    ['a wrong token', { token: `${TOKEN.slice(0, -1)}7` }],
    ['an unsigned JWT', { token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.' }],
  ])('is followed by a close with 4401 for %s, before any call is answered', async (_, token) => {
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

  it('delays nothing if it is never finished', async () => {
    const halves = await Promise.all(
      Array.from({ length: 150 }, () => peerOf(open, 'GET /v1/ws HTTP/1.1\r\nHost: loc')),
    );
    expect(await status(open, get('/healthz'))).toBe(200);
    for (const half of halves) half.destroy();
    expect(await status(open, get('/nothing'))).toBe(400);
  });
});

describe('sockets of one address', () => {
  const SOCKETS = 1_300;
  const ELSEWHERE = { from: '127.0.0.2' };

  it.each<[string, string]>([
    ['silent sockets', ''],
    ['sockets that never finish a request', 'GET /v1/ws HTTP/1.1\r\nHost: loc'],
    ['refused sockets that do not close', handshake({ Host: 'evil.example' })],
  ])('%s do not lock out clients of a different address (F2)', LONG, async (_, data) => {
    const halves = await Promise.all(
      Array.from({ length: SOCKETS }, async () => {
        const half = await RawPeer.open(ports.get(open)!, { isStubborn: true });
        half.write(data);
        return half;
      }),
    );
    const probe = await RawPeer.open(ports.get(open)!, ELSEWHERE);
    probe.write(get('/healthz'));
    expect(await probe.status()).toBe(200);
    const peer = await RawPeer.open(ports.get(open)!, ELSEWHERE);
    for (const part of [handshake(), HELLO]) peer.write(part);
    expect(await peer.until((text) => text.includes('"t":"welcome"'))).toContain('"t":"welcome"');
    for (const one of [...halves, probe, peer]) one.destroy();
    expect(await status(open, get('/nothing'))).toBe(400);
  });

  it('sockets of one caller do not lock out other callers (F2)', LONG, async () => {
    const tokens = ['ada', 'bob'].map((id) => ({ id, token: `token-of-${id}-0123456789` }));
    const gateway = createGateway(system, { port: 0, tokens, rate: { burst: 1e9, perSecond: 1e9 } });
    const { port } = await gateway.listen();
    const by = (index: number, path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokens[index]!.token}\r\n\r\n`;
    const unfinished = by(0, '/v1/actors/visits/send')
      .replace('GET', 'POST')
      .replace('\r\n', '\r\nContent-Type: application/json\r\nContent-Length: 9\r\n');
    const answered = async () => {
      const peer = await RawPeer.open(port, { isStubborn: true });
      peer.write(by(0, '/v1/actors/visits'));
      expect(await peer.status()).toBe(200);
      // A socket that is idle for five seconds is closed; a socket with an unfinished request is not idle.
      peer.write(unfinished);
      return peer;
    };
    const idle: RawPeer[] = [];
    while (idle.length < SOCKETS) idle.push(...(await Promise.all(Array.from({ length: 100 }, answered))));
    const other = await RawPeer.open(port);
    other.write(by(1, '/v1/actors/visits'));
    expect(await other.status()).toBe(200);
    expect(gateway.counts['turned away.crowd']).toBeGreaterThan(0);
    for (const one of [...idle, other]) one.destroy();
    await gateway.close();
    expect(await status(open, get('/nothing'))).toBe(400);
  });

  it('are cut off if they do not close after a refusal (F2)', async () => {
    const clock = new VirtualClock();
    const gateway = createGateway(system, { port: 0, clock });
    const { port } = await gateway.listen();
    for (const [data, wanted] of [
      [handshake({ Host: 'evil.example' }), 403],
      ['no request at all\r\n\r\n', 400],
    ] as const) {
      const peer = await RawPeer.open(port, { isStubborn: true });
      peer.write(data);
      expect(await peer.status()).toBe(wanted);
      await clock.advance(CLOSE_MS, () => Promise.resolve());
      await peer.writeToTheEnd();
    }
    await gateway.close();
    expect(await status(open, get('/nothing'))).toBe(400);
  });

  it('silent sockets are closed to make room for new ones, the oldest first (F2, F5)', async () => {
    const [oldest, ...halves] = await Promise.all(
      Array.from({ length: STRANGER_SOCKETS_MAX }, () => RawPeer.open(ports.get(open)!)),
    );
    const newcomer = await RawPeer.open(ports.get(open)!);
    newcomer.write(handshake());
    newcomer.write(HELLO);
    expect(await newcomer.until((text) => text.includes('"t":"welcome"'))).toContain('"t":"welcome"');
    expect(await oldest!.end()).toBe('');
    for (const one of [...halves, newcomer]) one.destroy();
    expect(await status(open, get('/nothing'))).toBe(400);
  });
});

describe('a frame', () => {
  it.each<[string, number | undefined, () => readonly (string | Uint8Array)[]]>([
    ['of text that is not UTF-8', 1007, () => [frame(Buffer.from([0xc3, 0x28]))]],
    ['of a reserved opcode', 1002, () => [frame('', { opcode: 3 })]],
    ['without a mask', 1002, () => [frame('{}', { isMasked: false })]],
    ['that is a ping of more than 125 bytes', 1002, () => [frame('x'.repeat(200), { opcode: 9 })]],
    ['that claims to be compressed', 1002, () => [frame('{}', { rsv1: true })]],
    ['that closes with an invalid code', 1002, () => [frame(Buffer.from([0x00, 0x05]), { opcode: 8 })]],
    ['that continues no message', 1002, () => [frame('{}', { opcode: 0 })]],
    ['that is a fragmented ping', 1002, () => [frame('x', { opcode: 9, isLast: false })]],
    ['that claims a length over the bound', 1009, () => [frame('', { length: BigInt(FRAME_BYTES_MAX) + 1n })]],
    ['that claims 2^63 bytes', 1009, () => [frame('', { length: 2n ** 63n })]],
    [
      'in too many fragments',
      1008,
      () => [
        frame('[', { isLast: false }),
        ...Array.from({ length: FRAME_FRAGMENTS_MAX + 1 }, () => frame('0', { opcode: 0, isLast: false })),
      ],
    ],
    ['of binary data', 4400, () => [frame(Buffer.from([0x80]), { opcode: 2 })]],
    ['that is not JSON', 4400, () => [frame('{"t":')]],
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
    ['with a number that is too large (1e999)', 4400, () => [frame(sendOf('{"type":"add","by":1e999}'))]],
    ['that is null', 4400, () => [frame('null')]],
  ])('%s closes the connection with %s', async (_, code, data) => {
    const peer = await greeted();
    for (const part of data()) peer.write(part);
    expect(closeCode(await peer.until((text) => closeCode(text) !== undefined))).toBe(code);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBe(undefined);
    peer.destroy();
  });

  it('the connection is closed with 4429 when ten thousand pings exceed the rate', LONG, async () => {
    const peer = await greeted(flooded);
    for (let n = 0; n < 10_000; n++) peer.write(frame('', { opcode: 9 }));
    expect(closeCode(await peer.until((text) => closeCode(text) !== undefined))).toBe(4429);
    peer.destroy();
  });

  it('leaves nothing behind when its connection breaks in the middle of it', async () => {
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
    ['from a form of another page', () => post(send, 'text/plain', add), 400],
    [
      'from a page of a foreign origin',
      () => post(send, 'application/json', add, 'Origin: https://evil.example\r\n'),
      403,
    ],
    ['from a picture in another page', () => get('/v1/actors/visits', 'Sec-Fetch-Site: cross-site\r\n'), 403],
    ['with a token in its URL', () => get(`/v1/actors/visits?access_token=${TOKEN}`), 400],
    ['with a body that is not an object', () => post(send, 'application/json', '[1]'), 400],
    ['with a body over the bound', () => post(send, 'application/json', `"${'x'.repeat(FRAME_BYTES_MAX)}"`), 400],
    ['with a path that is badly encoded', () => get('/v1/actors/%zz'), 400],
    ['with an invalid URL', () => get('//['), 400],
    ['with an invalid port in its URL', () => get('http://localhost:port/'), 400],
    ['with a host in its URL', () => get('//evil.example/v1/nothing'), 400],
    ['with a path into a parent folder (F16)', () => get('/v1/actors/..%2f..%2fetc%2fpasswd'), 400],
    ['with a zero byte in an address', () => get('/v1/actors/visits%00'), 400],
    ['with an infinite deadline', () => get('/v1/actors/visits', 'Bosun-Deadline-Ms: Infinity\r\n'), 400],
    ['for a destructive method', () => post('/v1/actors/visits/erase', 'application/json', '{}'), 403],
    ['with an event of the runtime', () => post(send, 'application/json', '{"event":{"type":"xstate.stop"}}'), 403],
    [
      'with two lengths',
      () =>
        `POST ${send} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
  ])('%s is refused', async (_, request, wanted) => {
    expect(await status(open, request())).toBe(wanted);
  });
});

describe('an invalid URL', () => {
  it('is not logged as an internal error, so that it cannot fill a log (F12)', async () => {
    const logged: unknown[] = [];
    const gateway = createGateway(system, { port: 0, log: (...line) => logged.push(line), tokens: [] });
    ports.set(gateway, (await gateway.listen()).port);
    for (const path of ['//[', 'http://[', '//[::1', 'http://a b/', '*', '/\\', '/%', '//', '?', '/v1/events?topic=%'])
      expect(await status(gateway, get(path)), path).toBeLessThan(500);
    expect([logged, gateway.counts['refused.BOSUN_INTERNAL']]).toEqual([[], undefined]);
    await gateway.close();
    expect(await status(open, get('/nothing'))).toBe(400);
  });
});

describe('a probe', () => {
  const by = (host: string | undefined, path: string, version = '1.1') =>
    `GET ${path} HTTP/${version}\r\n${host === undefined ? '' : `Host: ${host}\r\n`}Connection: close\r\n\r\n`;

  it.each(['/healthz', '/readyz', '/readyz?verbose'])(
    'a probe of %s is answered at the IP address of a pod (N5)',
    async (path) => {
      for (const host of ['10.1.2.3:4180', '10.1.2.3', '[fd00::7]:4180'])
        expect([host, await status(open, by(host, path))]).toEqual([host, 200]);
      expect(await status(open, by(undefined, path, '1.0'))).toBe(200);
      expect(await status(open, by('evil.example', path))).toBe(403);
      expect(await status(open, by('10.1.2.3', '/v1/system'))).toBe(403);
      expect(await status(open, `${by('10.1.2.3', path).trimEnd()}\r\nOrigin: https://evil.example\r\n\r\n`)).toBe(403);
    },
  );
});

describe('a network address', () => {
  it('is refused new connections when it connects too often, while others are not', async () => {
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
  it('is limited if it never reads, while others are served', async () => {
    const peer = await greeted(flooded);
    peer.stopReading();
    const ask = (id: number) => frame(JSON.stringify({ t: 'req', id: `${id}`, m: 'agent.list', p: {} }));
    for (let id = 0; id < 5_000; id++) peer.write(ask(id));
    const other = await greeted();
    other.destroy();
    const limited = () =>
      (flooded.counts['refused.BOSUN_RATE_LIMITED'] ?? 0) + (flooded.counts['closed.rate_limited'] ?? 0);
    await until(
      () => limited() > 0,
      () => 'a limit',
    );
    await flooded.close();
    peer.destroy();
  });

  it('is closed if it subscribes and never reads, and the data that waits for it stays bounded', LONG, async () => {
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
    const hoard = await new Shard({
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
    // As many changes as fill the buffers of both sides.
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

  it('is closed with 1009 when it sends a frame over the bound', async () => {
    const ws = new WebSocket(`ws://127.0.0.1:${ports.get(open)}/v1/ws`, ['bosun.v1.json']);
    await new Promise((resolve) => ws.once('open', resolve));
    const closed = new Promise<number>((resolve) => ws.once('close', (code) => resolve(code)));
    ws.send('{"t":"hello","v":1}');
    ws.send('x'.repeat(FRAME_BYTES_MAX + 1));
    expect(await closed).toBe(1009);
  });
});
