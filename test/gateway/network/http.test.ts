/**
 * The HTTP forms of the protocol, on a real port: every method, subscriptions as server-sent events, health, documents.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROWS } from '../../../src/gateway/network/documents.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { shop } from '../../support/gateway/shop.ts';

let test: TestSystem;
let gateway: Gateway;
let url = '';

beforeEach(async () => {
  test = await startTestSystem(shop());
  gateway = createGateway(test.shard, {
    port: 0,
    destructive: true,
    rate: { burst: 1e9, perSecond: 1e9 },
    selectors: { counter: { isOdd: ({ count }: { readonly count: number }) => count % 2 === 1 } },
  });
  ({ url } = await gateway.listen());
});
afterEach(async () => {
  await gateway.close();
  await test.shard.stop();
});

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url + path, { headers });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

const post = async (path: string, body: object = {}, headers: Record<string, string> = {}) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    replayed: response.headers.get('bosun-replayed'),
    body: (await response.json()) as Record<string, unknown>,
  };
};

const add = (by: number) => ({ event: { type: 'add', by } });

describe('a method', () => {
  it.each(ROWS)('%s is reached by its path and verb', async (_, { http, example }) => {
    const p = {
      ...example.p,
      ...('address' in example.p && { address: example.p['address'] === 'root' ? 'root' : 'visits' }),
    } as Record<string, unknown>;
    const path = http.path.replaceAll(/\{(\w+)\}/g, (__, name: string) => encodeURIComponent(String(p[name])));
    const query = new URLSearchParams(
      Object.entries(p)
        .filter(([name]) => !http.path.includes(`{${name}}`))
        .map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { status, body } = http.verb === 'GET' ? await get(`${path}?${query}`) : await post(path, p);
    // The request of the example may be refused for its content, not for its form.
    expect([200, 404, 409]).toContain(status);
    expect((body['error'] as { code?: string } | undefined)?.code).not.toBe('BOSUN_CALL_INVALID');
  });

  it('reads numbers and text from the query', async () => {
    expect((await get('/v1/actors?limit=2')).body).toMatchObject({
      actors: [{ address: 'root' }, { address: 'back/visits' }],
      next: 'back/visits',
    });
    expect((await get('/v1/actors?limit=1&after=back/visits')).body).toMatchObject({
      actors: [{ address: 'deaf' }],
      next: 'deaf',
    });
    expect((await get('/v1/actors?limit=many')).status).toBe(400);
  });

  it('reads booleans, and conditions as JSON, from the query', async () => {
    const asked = async (query: Record<string, string>) =>
      (await get(`/v1/actors/visits/records/none?${new URLSearchParams(query)}`)).body['error'];
    for (const query of [{ where: '{"order":"o-1","isOpen":true,"by":null}' }, { newestFirst: 'true', where: '{}' }])
      expect(await asked(query)).toMatchObject({ code: 'BOSUN_RECORDS_UNKNOWN' });
    for (const query of [{ where: 'order=1' }, { where: '{"order":[1]}' }, { newestFirst: 'yes' }])
      expect(await asked(query)).toMatchObject({ code: 'BOSUN_CALL_INVALID' });
  });

  it('reaches an address of several segments', async () => {
    await post('/v1/actors/back%2Fvisits/send', add(3));
    await test.settle();
    expect((await get('/v1/actors/back%2Fvisits')).body).toMatchObject({
      address: 'back/visits',
      context: { count: 3 },
    });
  });
});

describe('a repeat', () => {
  it('counts once, by its key or by its session and number', async () => {
    for (const headers of [
      { 'Idempotency-Key': 'k' },
      { 'Bosun-Session': 'session-of-http-0123456', 'Bosun-Sequence': '1' },
    ]) {
      const before = (test.shard.snapshot('visits')?.context as { count: number }).count;
      expect(await post('/v1/actors/visits/send', add(1), headers)).toMatchObject({ status: 200, replayed: null });
      expect(await post('/v1/actors/visits/send', add(1), headers)).toMatchObject({ status: 200, replayed: 'true' });
      await test.settle();
      expect(test.shard.snapshot('visits')?.context).toMatchObject({ count: before + 1 });
    }
    expect(await post('/v1/actors/visits/send', add(2), { 'Idempotency-Key': 'k' })).toMatchObject({
      status: 409,
      body: { error: { code: 'BOSUN_KEY_CONFLICT' } },
    });
    expect(
      await post('/v1/actors/visits/send', add(2), {
        'Bosun-Session': 'session-of-http-0123456',
        'Bosun-Sequence': '3',
      }),
    ).toMatchObject({ status: 409, body: { error: { code: 'BOSUN_SEQUENCE_GAP', details: { expected: 2 } } } });
  });
});

describe('an answer', () => {
  it.each([
    ['/v1/actors/nobody', 404, 'BOSUN_ACTOR_UNKNOWN'],
    ['/v1/actors/!', 400, 'BOSUN_ADDRESS_INVALID'],
    ['/v1/nothing', 400, 'BOSUN_CALL_INVALID'],
    ['/v1/tree?depth=-1', 400, 'BOSUN_CALL_INVALID'],
  ])('%s is %s', async (path, status, code) => {
    expect(await get(path)).toMatchObject({
      status,
      body: { error: { code, message: expect.any(String) as string, retryable: false } },
    });
  });

  it('is 400 for a number that is too large (1e999), and names its place', async () => {
    const response = await fetch(`${url}/v1/actors/visits/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"event":{"type":"add","by":1,"tag":{"list":[0,-1e999]}}}',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'BOSUN_CALL_INVALID', message: 'the frame holds a number that is too large at event.tag.list.1' },
    });
  });

  it('is 409 for an event that the state does not accept, and 403 for an undeclared event', async () => {
    await post('/v1/actors/visits/send', { event: { type: 'close' }, until: 'taken' });
    expect(await post('/v1/actors/visits/send', { ...add(1), until: 'taken' })).toMatchObject({
      status: 409,
      body: { error: { code: 'BOSUN_EVENT_NOT_TAKEN', details: { accepts: ['count'] } } },
    });
    expect((await post('/v1/actors/visits/send', { event: { type: 'no' } })).status).toBe(403);
  });

  it('is 409 at once for an event to a suspended actor, unless it is a repeat (N7)', async () => {
    const send = (key: string) =>
      post('/v1/actors/visits/send', { ...add(1), until: 'taken' }, { 'Idempotency-Key': key });
    await send('before');
    await test.shard.admin.suspend('visits', { by: 'ada', reason: 'review' });
    expect(await send('behind')).toMatchObject({
      status: 409,
      body: { error: { code: 'BOSUN_ACTOR_SUSPENDED', message: 'visits: suspended by ada: review' } },
    });
    expect(await send('before')).toMatchObject({ status: 200, body: { taken: null } });
    await test.shard.admin.resume('visits', { by: 'ada' });
  });

  it('forbids other pages to read it and caches to keep it', async () => {
    const { headers } = await get('/v1/actors/visits');
    expect(
      Object.fromEntries(
        ['cache-control', 'x-content-type-options', 'cross-origin-resource-policy', 'access-control-allow-origin'].map(
          (name) => [name, headers.get(name)],
        ),
      ),
    ).toEqual({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'access-control-allow-origin': null,
    });
  });
});

describe('a subscription as server-sent events', () => {
  interface Sent {
    readonly id: string | undefined;
    readonly event: string;
    readonly data: Record<string, unknown>;
  }

  /** Reads until so many have come. */
  async function sent(
    query: string,
    count: number,
    headers: Record<string, string> = {},
    meanwhile: () => Promise<unknown> = async () => {},
  ): Promise<Sent[]> {
    const stop = new AbortController();
    const response = await fetch(`${url}/v1/events?${query}`, { headers, signal: stop.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const events = () =>
      text
        .split('\n\n')
        .slice(0, -1)
        .filter((block) => !block.startsWith(':'));
    let acted: Promise<unknown> | undefined;
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      // A change before the snapshot would be part of the snapshot.
      if (events().length > 0) acted ??= meanwhile();
      if (events().length >= count) break;
    }
    stop.abort();
    await acted;
    return events().map((block) => {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      return {
        id: fields['id'],
        event: fields['event']!,
        data: JSON.parse(fields['data']!) as Record<string, unknown>,
      };
    });
  }

  it('begins with a snapshot, continues with deltas, and resumes by the id', async () => {
    const [snap, delta] = await sent('topic=actor/visits', 2, {}, () => post('/v1/actors/visits/send', add(1)));
    expect([snap!.event, snap!.data['d'], delta!.event]).toEqual([
      'snap',
      expect.objectContaining({ context: { count: 0, seen: [] } }),
      'delta',
    ]);
    const [again] = await sent('topic=actor/visits', 1, { 'Last-Event-ID': delta!.id! });
    expect(again).toMatchObject({ id: delta!.id, data: { recovered: true } });
    const [older] = await sent('topic=actor/visits', 1, { 'Last-Event-ID': snap!.id! });
    expect(older!.data).toMatchObject({ recovered: false, d: { context: { count: 1 } } });
  });

  it('carries emitted events too, and says when it ends', async () => {
    const events = await sent('topic=events/**&mode=events', 2, {}, () => post('/v1/actors/visits/send', add(1)));
    expect(events[1]).toMatchObject({ event: 'evt', data: { address: 'visits', e: { type: 'counted', count: 1 } } });
    const ended = await sent('topic=actor/visits', 3, {}, () => post('/v1/actors/visits/erase'));
    expect(ended.map(({ event }) => event)).toEqual(['snap', 'end', 'close']);
    const drained = await sent('topic=actor/till', 3, {}, () => gateway.close());
    expect(drained.map(({ event }) => event)).toEqual(['snap', 'note', 'close']);
    expect(drained[2]!.data).toEqual({ code: 4501, name: 'draining', then: 'reconnect' });
  });

  it('is refused by an ordinary HTTP error', async () => {
    expect(await get('/v1/events?topic=actor/nobody')).toMatchObject({ status: 404 });
    expect(await get('/v1/events?topic=actor/visits&maxHz=1000')).toMatchObject({ status: 400 });
    expect(await get('/v1/events')).toMatchObject({ status: 400 });
  });
});

describe('the gateway for operators', () => {
  it('reports health and readiness, and is not ready while the store fails', async () => {
    expect([(await get('/healthz')).status, (await get('/readyz')).status]).toEqual([200, 200]);
    test.store.failWrites(1e9);
    test.shard.send('visits', { type: 'add', by: 1 }).catch(() => {});
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    expect((await get('/readyz')).status).toBe(503);
    expect(await post('/v1/actors/visits/send', add(1))).toMatchObject({
      status: 503,
      body: { error: { code: 'BOSUN_STORE_UNAVAILABLE', retryable: true } },
    });
    expect((await get('/healthz')).status).toBe(200);
    test.shard.abandon();
  });

  it('serves its documents', async () => {
    expect((await get('/openapi.json')).body).toMatchObject({ openapi: '3.1.0' });
    expect((await get('/asyncapi.json')).body).toMatchObject({ asyncapi: '3.0.0' });
  });

  it('refuses to listen on a port that is in use', async () => {
    const second = createGateway(test.shard, { port: Number(new URL(url).port) });
    await expect(second.listen()).rejects.toMatchObject({ code: 'BOSUN_CONFIG_INVALID' });
  });
});
