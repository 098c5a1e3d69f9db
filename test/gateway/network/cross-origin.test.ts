/**
 * Pages of other origins: those in `origins` ask by a preflight and read every answer of HTTP, server-sent events and
 * passes included; all others neither.
 */
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { PREFLIGHT_SECONDS } from '../../../src/gateway/limits.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { RawPeer } from '../../support/gateway/raw-peer.ts';
import { shop } from '../../support/gateway/shop.ts';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';
import { until } from '../../support/until.ts';

const PAGE = 'https://app.example';
const STRANGE = 'https://evil.example';
const TOKEN = 'a-token-of-32-characters-0123456';
const AUTHORIZATION = { Authorization: `Bearer ${TOKEN}` };
const JSON_TYPE = { 'Content-Type': 'application/json' };

const OPTIONS: GatewayOptions = {
  port: 0,
  origins: ['https://first.example', PAGE],
  tokens: [{ id: 'ada', token: TOKEN }],
  selectors: {
    counter: {
      broken: () => {
        throw new Error('of the host');
      },
    },
  },
};

let test: TestSystem;
let gateway: Gateway;
let url: string;

beforeEach(async () => {
  test = await startTestSystem(shop());
  gateway = createGateway(test.shard, OPTIONS);
  ({ url } = await gateway.listen());
});
afterEach(async () => {
  await gateway.close();
  await test.shard.stop();
});

interface Asked extends Readonly<Record<string, unknown>> {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Makes a request as a page of an origin, or as a program, and ends the answer. */
async function asked(at: string, origin: string | undefined, { headers, ...init }: Asked = {}): Promise<Response> {
  const response = await fetch(at, {
    ...init,
    headers: { ...(origin !== undefined && { Origin: origin }), ...headers },
  });
  await response.body?.cancel();
  return response;
}

/** The status of an answer, the origin whose pages may read it, and whether caches keep it for that origin alone. */
function shared({ status, headers }: Response): readonly [number, string | null, boolean] {
  return [status, headers.get('access-control-allow-origin'), /\borigin\b/i.test(headers.get('vary') ?? '')];
}

const PREFLIGHT: Asked = {
  method: 'OPTIONS',
  headers: {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  },
};

/** The names of the headers of an answer that speak to pages of other origins. */
const permissions = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

const list = (response: Response, name: string) =>
  (response.headers.get(name) ?? '').split(',').map((one) => one.trim().toLowerCase());

describe('a preflight of a page in `origins`', () => {
  it.each(['/v1/actors/visits/send', '/v1/passes', '/v1/events', '/mcp', '/healthz', '/', '/v1/nothing'])(
    'is answered for %s without a token',
    async (path) => {
      const response = await asked(url + path, PAGE, PREFLIGHT);
      expect(shared(response)).toEqual([204, PAGE, true]);
      expect(list(response, 'access-control-allow-methods')).toEqual(expect.arrayContaining(['get', 'post']));
    },
  );

  it('allows every header that the gateway reads', async () => {
    const mcp = ['mcp-protocol-version', 'mcp-method', 'mcp-param-city'];
    const response = await asked(`${url}/mcp`, PAGE, {
      method: 'OPTIONS',
      headers: {
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': [...mcp, 'x-other', 'mcp-"'].join(),
      },
    });
    expect(list(response, 'access-control-allow-headers').sort()).toEqual(
      [
        'authorization',
        'bosun-as',
        'bosun-deadline-ms',
        'bosun-sequence',
        'bosun-session',
        'content-type',
        'idempotency-key',
        'if-none-match',
        'last-event-id',
        ...mcp,
      ].sort(),
    );
  });

  it('is remembered by browsers for two hours, and allows no credentials', async () => {
    const { headers } = await asked(`${url}/v1/passes`, PAGE, PREFLIGHT);
    expect(headers.get('access-control-max-age')).toBe('7200');
    expect(PREFLIGHT_SECONDS).toBe(7_200);
    expect(headers.get('access-control-allow-credentials')).toBe(null);
  });

  it('allows a page of a public address to reach this machine, if its browser asks', async () => {
    const name = 'access-control-allow-private-network';
    const private_ = { ...PREFLIGHT.headers, 'Access-Control-Request-Private-Network': 'true' };
    const told = await asked(`${url}/v1/passes`, PAGE, { method: 'OPTIONS', headers: private_ });
    const untold = await asked(`${url}/v1/passes`, PAGE, PREFLIGHT);
    const strange = await asked(`${url}/v1/passes`, STRANGE, { method: 'OPTIONS', headers: private_ });
    expect([told, untold, strange].map(({ headers }) => headers.get(name))).toEqual(['true', null, null]);
  });

  it('costs its caller no call, and is answered when none is left', async () => {
    const { url: at } = await listening({ ...OPTIONS, rate: { burst: 1, perSecond: 1e-9 } });
    const read = () => asked(`${at}/v1/actors/visits`, PAGE, { headers: AUTHORIZATION });
    expect((await asked(`${at}/v1/actors/visits`, PAGE, PREFLIGHT)).status).toBe(204);
    expect((await read()).status).toBe(200);
    const refused = await read();
    expect(shared(refused)).toEqual([429, PAGE, true]);
    expect(list(refused, 'access-control-expose-headers')).toContain('retry-after');
    expect((await asked(`${at}/v1/actors/visits`, PAGE, PREFLIGHT)).status).toBe(204);
  });
});

describe('an answer to a page in `origins`', () => {
  const POST = { method: 'POST', headers: { ...AUTHORIZATION, ...JSON_TYPE } };
  it.each<[string, number, string, Asked]>([
    ['a method', 200, '/v1/actors/visits', { headers: AUTHORIZATION }],
    ['a pass', 200, '/v1/passes', { ...POST, body: '{}' }],
    ['an event stream', 200, '/v1/events?topic=actor/visits', { headers: AUTHORIZATION }],
    ['a refused event stream', 404, '/v1/events?topic=actor/nobody', { headers: AUTHORIZATION }],
    ['a request without a token', 401, '/v1/actors/visits', {}],
    ['an event stream without a token', 401, '/v1/events?topic=actor/visits', {}],
    ['a wrong scheme', 401, '/v1/actors/visits', { headers: { Authorization: 'Basic YTpi' } }],
    ['an OPTIONS that is no preflight', 401, '/v1/actors/visits', { method: 'OPTIONS' }],
    ['an unknown actor', 404, '/v1/actors/nobody', { headers: AUTHORIZATION }],
    ['an unknown path', 400, '/v1/nothing', { headers: AUTHORIZATION }],
    ['a refused order', 403, '/v1/actors/visits/erase', { ...POST, body: '{}' }],
    ['a body that is not JSON', 400, '/v1/actors/visits/send', { ...POST, body: '{' }],
    ['a body of another type', 400, '/v1/actors/visits/send', { method: 'POST', headers: AUTHORIZATION, body: 'x' }],
    ['a body over the bound', 400, '/v1/actors/visits/send', { ...POST, body: `"${'x'.repeat(1 << 20)}"` }],
    ['a failure of the host', 500, '/v1/actors/visits/selected/broken', { headers: AUTHORIZATION }],
    ['a call of MCP', 200, '/mcp', { ...POST, ...mcpCall(POST.headers) }],
    ['a verb that MCP does not have', 405, '/mcp', { method: 'DELETE', headers: AUTHORIZATION }],
    ['the metrics', 200, '/metrics', { headers: AUTHORIZATION }],
    ['a probe', 200, '/healthz', {}],
    ['a wrong verb', 405, '/healthz', { method: 'POST' }],
    ['a document', 200, '/openapi.json', {}],
    ['a file of the page', 200, '/', {}],
  ])('%s (%s) names exactly that origin', async (_, status, path, init) => {
    const response = await asked(url + path, PAGE, init);
    expect(shared(response)).toEqual([status, PAGE, true]);
    expect(list(response, 'access-control-expose-headers')).toEqual([
      'retry-after',
      'www-authenticate',
      'etag',
      'allow',
      'bosun-replayed',
      'bosun-instance',
    ]);
    expect(response.headers.get('access-control-allow-credentials')).toBe(null);
    expect(permissions(await asked(url + path, undefined, init))).toEqual([]);
  });

  it('names it while the gateway drains', async () => {
    const clock = new VirtualClock();
    const { at, url: base } = await listening({ ...OPTIONS, clock });
    const [underWay, late] = await Promise.all([0, 1].map(() => RawPeer.open(Number(new URL(base).port))));
    const ask = '{"event":{"type":"hear"}}';
    underWay!.write(
      'POST /v1/actors/deaf/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
        `Authorization: Bearer ${TOKEN}\r\nContent-Length: ${ask.length}\r\n\r\n${ask}`,
    );
    late!.write('GET /v1/actors/visits HTTP/1.1\r\nHost: localhost\r\n');
    await until(
      () => at.counts['requests'] === 1,
      () => 'a call',
    );
    // What has been sent before an answer to somebody else has been read.
    await asked(`${base}/healthz`, PAGE);
    const drained = at.drain({ graceMs: 1_000 });
    late!.write(`Origin: ${PAGE}\r\n\r\n`);
    expect(await late!.status()).toBe(503);
    expect(late!.text).toContain(`Access-Control-Allow-Origin: ${PAGE}\r\n`);
    for (const peer of [underWay!, late!]) peer.destroy();
    await clock.advance(2_000, () => new Promise<void>((resolve) => clock.defer(resolve)));
    await drained;
  });
});

describe('a page that is not in `origins`', () => {
  it.each([
    ['of a strange origin', STRANGE, {}],
    ['of an origin that begins like an allowed one', `${PAGE}.evil.example`, {}],
    ['of an allowed host by another scheme', PAGE.replace('https', 'http'), {}],
    ['of an allowed host at another port', `${PAGE}:8443`, {}],
    ['in a sandbox', 'null', {}],
    ['of an allowed origin, at a name that merely points here (DNS rebinding)', PAGE, { Host: 'evil.example' }],
  ])('%s reads nothing, and its preflight is refused', async (_, origin, host) => {
    for (const init of [
      PREFLIGHT,
      { headers: AUTHORIZATION },
      { method: 'POST', headers: { ...AUTHORIZATION, ...JSON_TYPE }, body: '{}' },
    ]) {
      const peer = await RawPeer.open(Number(new URL(url).port));
      const headers = { Host: 'localhost', Connection: 'close', Origin: origin, ...init.headers, ...host };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      peer.write(`${'method' in init ? init.method : 'GET'} /v1/passes HTTP/1.1\r\n${lines.join('')}\r\n`);
      expect(await peer.status()).toBe(403);
      expect(await peer.end()).not.toMatch(/access-control-/i);
    }
  });

  it('needs and gets no permission if it is of the gateway itself', async () => {
    for (const origin of [url, url.replace('http:', 'https:')]) {
      const response = await asked(`${url}/v1/actors/visits`, origin, { headers: AUTHORIZATION });
      expect([response.status, permissions(response)]).toEqual([200, []]);
    }
  });

  it('reads nothing of a gateway without `origins`', async () => {
    const { url: at } = await listening({ port: 0 });
    expect(shared(await asked(`${at}/v1/actors/visits`, PAGE, PREFLIGHT))).toEqual([403, null, true]);
  });
});

describe('a pass of a page in `origins`', () => {
  it('opens an event stream that the page can read', async () => {
    const issued = await fetch(`${url}/v1/passes`, { method: 'POST', headers: { Origin: PAGE, ...AUTHORIZATION } });
    const { pass } = (await issued.json()) as { pass: string };
    const stream = await asked(`${url}/v1/events?topic=actor/visits&pass=${pass}`, PAGE);
    expect([...shared(stream), stream.headers.get('content-type')]).toEqual([200, PAGE, true, 'text/event-stream']);
    expect(shared(await asked(`${url}/v1/events?topic=actor/visits&pass=${pass}`, PAGE))).toEqual([401, PAGE, true]);
  });
});

describe('a page in `origins`', () => {
  const isServed = async (base: string) => {
    expect(shared(await asked(`${base}/v1/actors/visits`, PAGE, PREFLIGHT))).toEqual([204, PAGE, true]);
    for (const [path, status] of [
      ['/v1/actors/visits', 200],
      ['/v1/actors/nobody', 404],
      ['/v1/events?topic=actor/visits', 200],
    ] as const)
      expect(shared(await asked(base + path, PAGE, { headers: AUTHORIZATION }))).toEqual([status, PAGE, true]);
    expect((await asked(`${base}/v1/actors/visits`, STRANGE, PREFLIGHT)).status).toBe(403);
  };

  it('is served by a gateway on a server of the host, below its path, and the host answers for itself', async () => {
    const server = createServer((_, response) => response.end('host'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    const { port, ...others } = OPTIONS;
    expect(port).toBe(0);
    const { url: base } = await listening({ ...others, server });
    await isServed(base);
    const { port: taken } = server.address() as AddressInfo;
    const ofHost = await asked(`http://127.0.0.1:${taken}/elsewhere`, PAGE);
    expect([ofHost.status, permissions(ofHost), ofHost.headers.get('vary')]).toEqual([200, [], null]);
  });

  it('is served by a gateway over workers as by one of a single system', async () => {
    const spread = await startSpreadGateway();
    const { url: base } = await listening(OPTIONS, spread.test.system);
    await isServed(base);
  });
});

describe('an entry of `origins`', () => {
  it.each([PAGE, 'http://localhost:5173', 'http://[::1]:8080', 'chrome-extension://abcdefgh', 'tauri://localhost'])(
    '%s is taken',
    (origin) => {
      expect(() => createGateway(test.shard, { origins: [origin] })).not.toThrow();
    },
  );

  it.each([
    `${PAGE}/`,
    `${PAGE}/shop`,
    'https://App.example',
    `${PAGE}:443`,
    'http://app.example:80',
    'app.example',
    '*',
    'https://*.example',
    'https://ada@app.example',
    'null',
    '',
  ])('%s, which no browser sends or anybody could, is refused', (origin) => {
    expect(() => createGateway(test.shard, { origins: [origin] })).toThrow(
      expect.objectContaining({
        code: 'BOSUN_CONFIG_INVALID',
        message: expect.stringContaining('origins') as string,
      }) as Error,
    );
  });
});

/** Listens until the end of the test. */
async function listening(
  options: GatewayOptions,
  system: Parameters<typeof createGateway>[0] = test.shard,
): Promise<{ readonly at: Gateway; readonly url: string }> {
  const at = createGateway(system, options);
  onTestFinished(() => at.close());
  return { at, url: (await at.listen()).url };
}

function mcpCall(headers: Readonly<Record<string, string>>): Asked {
  return {
    headers: { ...headers, Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  };
}
