/** `/inspect/stately`: what the stock receiver of `@statelyai/inspect` gets, and which callers are refused. */
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SECRET_SHOWN } from '../../../src/actors/model/secret.ts';
import { type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { CONNECTIONS_PER_CALLER_MAX, OUT_BYTES_HIGH, SLOW_MS_MAX } from '../../../src/gateway/limits.ts';
import { type GatewayTest, startGatewayTest } from '../../support/gateway/memory-client.ts';

let test: GatewayTest;
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await test.stop();
});
const sockets: WebSocket[] = [];

async function listen(options: GatewayOptions = {}): Promise<string> {
  test = await startGatewayTest({ port: 0, ...options });
  const { url } = await test.gateway.listen();
  return `${url.replace('http', 'ws')}/inspect/stately`;
}

/** Messages that came, and a promise of the first that fits. */
function received(server: string) {
  const events: StatelyInspectionEvent[] = [];
  const waiting: {
    fits: (event: StatelyInspectionEvent) => boolean;
    resolve: (event: StatelyInspectionEvent) => void;
  }[] = [];
  createWebSocketReceiver({ server }).subscribe((event) => {
    events.push(event);
    for (const one of [...waiting]) if (one.fits(event)) one.resolve(event);
  });
  const next = (fits: (event: StatelyInspectionEvent) => boolean) =>
    new Promise<StatelyInspectionEvent>((resolve) => {
      const found = events.find(fits);
      if (found === undefined) waiting.push({ fits, resolve });
      else resolve(found);
    });
  return { events, next };
}

const isActor = (address: string) => (event: StatelyInspectionEvent) =>
  event.type === '@xstate.actor' && event.sessionId === address;
const snapshotBy = (address: string, type: string) => (event: StatelyInspectionEvent) =>
  event.type === '@xstate.snapshot' && event.sessionId === address && event.event.type === type;

/** How a connection ends. */
async function closing(server: string, options: object = {}): Promise<[code: number, reason: string]> {
  const socket = new WebSocket(server, options);
  sockets.push(socket);
  return await new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('unexpected-response', (_, response) => resolve([response.statusCode ?? 0, '']));
    socket.on('close', (code, reason) => resolve([code, reason.toString()]));
  });
}

describe('the stock receiver', () => {
  it('DC-009: gets every living actor with definition, parent and snapshot, then events and snapshots', async () => {
    const { events, next } = received(await listen());
    const visits = (await next(isActor('visits'))) as Extract<StatelyInspectionEvent, { type: '@xstate.actor' }>;
    await next(isActor('deaf'));
    expect(visits).toMatchObject({
      name: 'visits',
      rootId: 'root',
      parentId: 'root',
      _version: '0.7.2',
      snapshot: { status: 'active', value: 'open', context: { count: 0 } },
    });
    const definition = JSON.parse(visits.definition!) as { initial: string; states: object };
    expect([definition.initial, Object.keys(definition.states)]).toEqual(['open', ['open', 'closed']]);
    expect(events.map(({ sessionId }) => sessionId)).toEqual(['root', 'visits', 'till', 'back/visits', 'deaf']);
    expect(JSON.parse((events[0] as typeof visits).definition!)).toMatchObject({ id: 'boss' });
    await test.test.shard.send('visits', { type: 'add', by: 3 });
    await test.test.shard.send('visits', { type: 'close' });
    await test.settle();
    expect(await next(snapshotBy('visits', 'close'))).toMatchObject({
      snapshot: { status: 'active', value: 'closed', context: { count: 3 } },
    });
    const mine = events.filter(({ sessionId, type }) => sessionId === 'visits' && type !== '@xstate.actor');
    expect(mine).toMatchObject([
      { type: '@xstate.event', event: { type: 'add', by: 3 } },
      { type: '@xstate.snapshot', event: { type: 'add', by: 3 }, snapshot: { value: 'open', context: { count: 3 } } },
      { type: '@xstate.event', event: { type: 'close' } },
      { type: '@xstate.snapshot', event: { type: 'close' }, snapshot: { value: 'closed', context: { count: 3 } } },
    ]);
  });

  it('is told of new, failed and removed actors', async () => {
    const { next, events } = received(await listen());
    await next(isActor('deaf'));
    const { counter } = await import('../../support/gateway/shop.ts');
    await test.test.shard.spawn(counter, 'new');
    await test.settle();
    expect(await next(isActor('new'))).toMatchObject({ parentId: 'root', snapshot: { status: 'active' } });
    await test.test.shard.send('new', { type: 'fail' });
    await test.settle();
    expect(
      await next(
        (event) => event.type === '@xstate.snapshot' && event.sessionId === 'new' && event.snapshot.status === 'error',
      ),
    ).toMatchObject({ snapshot: { error: { message: 'cannot' } } });
    await test.test.shard
      .boss()
      .terminateChild('new')
      .catch(() => {});
    await test.test.shard
      .boss()
      .deleteChild('new')
      .catch(() => {});
    await test.settle();
    expect(
      await next(
        (event) =>
          event.type === '@xstate.snapshot' && event.sessionId === 'new' && event.snapshot.status === 'stopped',
      ),
    ).toMatchObject({ event: { type: 'xstate.stop' } });
    expect(events.every(({ _version }) => typeof _version === 'string')).toBe(true);
  });

  it('gets no secrets, neither of contexts nor of events', async () => {
    const { events, next } = received(await listen());
    expect(await next(isActor('till'))).toMatchObject({
      snapshot: { context: { card: SECRET_SHOWN, owner: { name: 'Ada', pin: SECRET_SHOWN } } },
    });
    await test.test.shard.send('till', { type: 'pay', card: '4111-1111', amount: 3 });
    await test.settle();
    expect(await next(snapshotBy('till', 'pay'))).toMatchObject({
      event: { type: 'pay', card: SECRET_SHOWN, amount: 3 },
      snapshot: { context: { card: SECRET_SHOWN } },
    });
    expect(JSON.stringify(events)).not.toMatch(/4111|4711/);
  });
});

describe('/inspect/stately', () => {
  it('is open to callers that may read, from our own origins and host names only', async () => {
    const token = 'a-token-for-looking-on';
    const server = await listen({
      tokens: [
        { id: 'eve', token: 'a-token-without-reading', scopes: ['actor:send'] },
        { id: 'ada', token, addresses: ['back/**'] },
      ],
    });
    expect(await closing(server)).toEqual([4401, 'unauthenticated']);
    expect(await closing(server, { headers: { Authorization: 'Bearer a-token-without-reading' } })).toEqual([
      4401,
      'unauthenticated',
    ]);
    expect(
      await closing(server, { headers: { Authorization: `Bearer ${token}` }, origin: 'https://evil.example' }),
    ).toEqual([403, '']);
    expect(await closing(server, { headers: { Authorization: `Bearer ${token}`, Host: 'evil.example' } })).toEqual([
      403,
      '',
    ]);
    const socket = new WebSocket(server, { headers: { Authorization: `Bearer ${token}` } });
    sockets.push(socket);
    const first = await new Promise<string>((resolve) =>
      socket.once('message', (data: Buffer) => resolve(data.toString())),
    );
    expect(JSON.parse(first)).toMatchObject({ sessionId: 'back/visits' });
    expect(JSON.parse(first)).not.toHaveProperty('parentId');
  });

  it('accepts no frame from its client, and counts towards the connections of its caller', async () => {
    const server = await listen();
    const talker = new WebSocket(server);
    sockets.push(talker);
    talker.on('open', () => talker.send('{"t":"hello"}'));
    expect(await new Promise((resolve) => talker.on('close', (code) => resolve(code)))).toBe(4400);
    for (let n = 0; n < CONNECTIONS_PER_CALLER_MAX; n++) {
      const socket = new WebSocket(server);
      sockets.push(socket);
      await new Promise((resolve) => socket.once('message', resolve));
    }
    expect(await closing(server)).toEqual([4429, 'rate_limited']);
  });

  it(
    'pauses a client that does not read and closes it after a while; one that reads again gets all events that it ' +
      'has missed',
    async () => {
      test = await startGatewayTest();
      const sent: string[] = [];
      const wire = {
        bufferedBytes: 0,
        closed: 0,
        send: (data: string | Uint8Array) => void sent.push(String(data)),
        pause() {},
        resume() {},
        close: (code: number) => void (wire.closed = code),
        terminate() {},
      };
      const peer = test.gateway.inspect(wire);
      await test.settle();
      const turn = async () => {
        await test.test.shard.send('visits', { type: 'add', by: 1 });
        await test.settle();
        return sent.length;
      };
      const before = await turn();
      wire.bufferedBytes = OUT_BYTES_HIGH + 1;
      const last = await turn();
      expect(last).toBe(before + 2);
      expect(await turn()).toBe(last);
      wire.bufferedBytes = 0;
      peer.drained();
      await test.settle();
      expect(sent.length).toBe(last + 2);
      expect(JSON.parse(sent.at(-1)!)).toMatchObject({ snapshot: { context: { count: 3 } } });
      wire.bufferedBytes = OUT_BYTES_HIGH + 1;
      await turn();
      await test.advance(SLOW_MS_MAX);
      expect(wire.closed).toBe(4508);
    },
  );
});
