/** Subscriptions at a gateway over workers: subscribers see one system, also when its workers die. */
import { describe, expect, it } from 'vitest';
import { EVENTS_LINGER_MS, PING_EVERY_MS, TREE_PAGE } from '../../../src/gateway/limits.ts';
import { type Cursor } from '../../../src/gateway/protocol/protocol.ts';
import { LONG } from '../../support/effort.ts';
import { type Frame, type MemoryClient } from '../../support/gateway/memory-client.ts';
import { COUNTERS, type SpreadGatewayTest, startSpreadGateway } from '../../support/gateway/workers-kit.ts';

function add(test: SpreadGatewayTest, client: MemoryClient, address: string, by = 1): Promise<Frame> {
  return test.call(client, 'actor.send', { address, event: { type: 'add', by } });
}

describe('the view of an actor', () => {
  it('follows the actor on any worker, also after the death of that worker', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    for (const address of test.pair) await test.subscribe(client, `actor/${address}`);
    for (const address of test.pair) await add(test, client, address);
    const [, one] = test.pair;
    test.test.crash(1);
    await test.settle();
    expect(client.of('end')).toEqual([]);
    await test.restart(1);
    await add(test, client, one, 10);
    for (const [address, count] of [
      [test.pair[0], 1],
      [one, 11],
    ] as const) {
      expect(client.view(`actor/${address}`)).toMatchObject({ address, context: { count } });
      expect(client.of('snap', `actor/${address}`)).toHaveLength(1);
    }
  });

  it('resumes where a client left off, also at a new gateway', async () => {
    const test = await startSpreadGateway();
    const [, address] = test.pair;
    const topic = `actor/${address}`;
    const first = await test.client();
    await test.subscribe(first, topic);
    await add(test, first, address);
    const { at } = first.last('delta', topic) as unknown as { at: Cursor };
    first.drop();
    await test.crashAll();
    const second = await test.client();
    await test.subscribe(second, topic, { from: at });
    expect(second.last('snap', topic)).toEqual({ t: 'snap', id: topic, at, recovered: true });
    await add(test, second, address);
    expect(second.last('delta', topic)).toMatchObject({
      prev: at.seq,
      ops: expect.arrayContaining([{ op: 'replace', path: '/context/count', value: 2 }]),
    });
    const third = await test.client();
    await test.subscribe(third, topic, { from: at });
    expect(third.last('snap', topic)).toMatchObject({ recovered: false, d: { context: { count: 2 } } });
  });

  it('waits for a worker that is down, and ends when the actor is removed', async () => {
    const test = await startSpreadGateway({ destructive: true });
    const client = await test.client();
    const [, address] = test.pair;
    test.test.crash(1);
    await test.subscribe(client, `actor/${address}`);
    expect(client.frames.at(-1)).toMatchObject({ t: 'welcome' });
    await test.restart(1);
    expect(client.last('snap')).toMatchObject({ d: { context: { count: 0 } } });
    await test.call(client, 'boss.terminateChild', { id: address });
    expect(client.last('end')).toMatchObject({ id: `actor/${address}`, e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    await test.subscribe(client, `inspection/${address}`);
    expect(client.last('end', `inspection/${address}`)).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
  });

  it('can be cancelled before it has arrived, and requested again', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [, address] = test.pair;
    const topic = `actor/${address}`;
    client.send({ t: 'sub', id: topic, topic });
    client.send({ t: 'unsub', id: topic });
    client.send({ t: 'sub', id: topic, topic });
    client.send({ t: 'sub', id: topic, topic });
    await test.settle();
    expect(client.of('snap', topic)).toHaveLength(1);
    expect(client.last('end', topic)).toMatchObject({ e: { code: 'BOSUN_CALL_INVALID' } });
    await add(test, client, address);
    expect(client.view(topic)).toMatchObject({ context: { count: 1 } });
    expect(test.underWay).toBe(1);
    client.send({ t: 'unsub', id: topic });
    await test.settle();
    expect(test.underWay).toBe(0);
    await add(test, client, address);
    expect(client.view(topic)).toMatchObject({ context: { count: 1 } });
    await test.subscribe(client, topic);
    expect(client.view(topic)).toMatchObject({ context: { count: 2 } });
  });

  it('is fetched once for all its subscribers', async () => {
    const test = await startSpreadGateway();
    const [, address] = test.pair;
    const topic = `actor/${address}`;
    const clients = await Promise.all([test.client(), test.client(), test.client()]);
    for (const client of clients) await test.subscribe(client, topic);
    await add(test, clients[0]!, address);
    const [first, ...others] = clients.map((client) => client.last('delta', topic)) as [Frame, ...Frame[]];
    for (const other of others) expect(other).toEqual(first);
    clients[0]!.drop();
    await add(test, clients[1]!, address);
    expect(clients[1]!.view(topic)).toMatchObject({ context: { count: 2 } });
    expect(clients[0]!.view(topic)).toMatchObject({ context: { count: 1 } });
  });

  it('shows a new subscriber every change that was acknowledged before', async () => {
    const test = await startSpreadGateway();
    const [, address] = test.pair;
    const topic = `actor/${address}`;
    const [first, second] = [await test.client(), await test.client()];
    await test.subscribe(first, topic);
    const id = test.begin(first, 'actor.send', { address, event: { type: 'add', by: 7 } });
    while (first.last('res', id) === undefined) await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    await test.subscribe(second, topic);
    expect(second.last('snap', topic)).toMatchObject({ d: { context: { count: 7 } } });
  });

  it('shows the last step in the topic inspection', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [, address] = test.pair;
    await test.subscribe(client, `inspection/${address}`);
    for (const by of [1, 2]) {
      await add(test, client, address, by);
      await test.advance(1_000);
      expect(client.view(`inspection/${address}`)).toMatchObject({ address, last: { event: 'add', sequence: by + 1 } });
    }
  });
});

describe('views of the whole system', () => {
  it('follow every worker: the tree and the dead letters', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    await test.subscribe(client, 'tree');
    await test.subscribe(client, 'dead-letters');
    expect(client.view('dead-letters')).toEqual({ letters: [] });
    for (const address of test.pair) {
      await test.call(client, 'actor.send', { address, event: { type: 'close' } });
      await test.call(client, 'actor.send', { address: 'c7', event: { type: 'close' } });
      await test.advance(1_000);
      const { children } = client.view('tree') as { children: { address: string; state: unknown }[] };
      expect(children).toContainEqual(expect.objectContaining({ address, state: 'closed' }));
    }
    for (const id of ['n0', 'n1', 'n2', 'n3']) await test.call(client, 'actor.spawn', { agent: 'counter', id });
    for (const address of ['n0', 'n1', 'n2', 'n3'])
      await test.call(client, 'actor.send', { address, event: { type: 'fail' } });
    await test.advance(5_000);
    const { letters } = client.view('dead-letters') as { letters: { address: string }[] };
    expect(letters.map(({ address }) => address).sort()).toEqual(['n0', 'n1', 'n2', 'n3']);
    expect((client.view('tree') as { children: object[] }).children).toHaveLength(COUNTERS.length + 8);
  });

  it('come by page if there are many actors', LONG, async () => {
    const children = Array.from({ length: TREE_PAGE + 100 }, (_, n) => ({ id: `n${n}`, agent: 'counter' }));
    const test = await startSpreadGateway({}, { tree: { children } });
    const client = await test.client();
    await test.subscribe(client, 'tree');
    type Shown = { readonly next?: string; readonly children: readonly { readonly address: string }[] };
    while ((client.view('tree') as Shown).next !== undefined) await test.settle();
    const addresses = (client.view('tree') as Shown).children.map(({ address }) => address);
    expect(addresses.sort()).toEqual(children.map(({ id }) => id).sort());
    expect(client.of('delta', 'tree').length).toBeGreaterThan(0);
  });

  it('continue when a dead worker has restarted', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [, address] = test.pair;
    await test.subscribe(client, 'tree');
    test.test.crash(1);
    await test.advance(1_000);
    await test.restart(1);
    await test.call(client, 'actor.send', { address, event: { type: 'close' } });
    await test.advance(1_000);
    expect((client.view('tree') as { children: object[] }).children).toContainEqual(
      expect.objectContaining({ address, state: 'closed' }),
    );
    client.send({ t: 'unsub', id: 'tree' });
    await test.settle();
    expect(test.underWay).toBe(0);
  });
});

describe('emitted events', () => {
  const topic = 'events/**';

  it('come from all workers, and are kept for a client that reconnects in time', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    await test.subscribe(client, topic, { mode: 'events' });
    for (const address of test.pair) await add(test, client, address);
    const told = client.of('evt', topic) as unknown as { address: string; at: Cursor; e: object }[];
    expect(told.map(({ address, e }) => [address, e])).toEqual(
      test.pair.map((address) => [address, { type: 'counted', count: 1 }]),
    );
    client.drop();
    const other = await test.client();
    for (const address of test.pair) await add(test, other, address);
    await test.subscribe(other, topic, { mode: 'events', from: told[0]!.at });
    expect(other.last('snap', topic)).toMatchObject({ recovered: true });
    expect((other.of('evt', topic) as unknown as { at: Cursor }[]).map(({ at }) => at.seq)).toEqual(
      [2, 3, 4].map((n) => told[0]!.at.seq + n - 1),
    );
  });

  it('come only from actors that match the pattern', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [zero, one] = test.pair;
    await test.subscribe(client, `actor/${one}`, { mode: 'events' });
    for (const address of test.pair) await add(test, client, address);
    expect(client.of('evt').map(({ address }) => address)).toEqual([one]);
    expect(zero).not.toBe(one);
  });

  it('may be lost when a worker dies, and listeners are told so', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    await test.subscribe(client, topic, { mode: 'events' });
    const [zero, one] = test.pair;
    await add(test, client, one);
    const { at } = client.last('evt', topic) as unknown as { at: Cursor };
    test.test.crash(1);
    await test.restart(1);
    expect(client.last('lag', topic)).toMatchObject({ skipped: 1 });
    for (const address of [zero, one]) await add(test, client, address);
    expect(client.of('evt', topic).map(({ address }) => address)).toEqual([one, zero, one]);
    const other = await test.client();
    await test.subscribe(other, topic, { mode: 'events', from: at });
    expect(other.last('snap', topic)).toMatchObject({ recovered: false });
  });

  it('are no longer fetched some time after the last listener has left', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    await test.subscribe(client, topic, { mode: 'events' });
    client.send({ t: 'unsub', id: topic });
    await test.settle();
    expect(test.underWay).toBe(2);
    for (let ms = 0; ms <= EVENTS_LINGER_MS; ms += PING_EVERY_MS) {
      client.send({ t: 'pong' });
      await test.advance(PING_EVERY_MS);
    }
    expect(test.underWay).toBe(0);
    for (const address of test.pair) await add(test, client, address);
    await test.subscribe(client, topic, { mode: 'events' });
    expect(client.of('evt', topic)).toEqual([]);
    for (const address of test.pair) await add(test, client, address);
    expect(client.of('evt', topic)).toHaveLength(2);
  });
});

describe('turns', () => {
  it('can be resumed for one actor as long as its worker lives', async () => {
    const test = await startSpreadGateway();
    const [, address] = test.pair;
    const topic = `trace/${address}`;
    const client = await test.client();
    await test.subscribe(client, topic, { mode: 'events' });
    await add(test, client, address, 3);
    const [told] = client.of('evt', topic) as unknown as {
      at: Cursor;
      e: { number: number; event: object; change: object };
    }[];
    expect(told!.e).toMatchObject({ event: { type: 'add', by: 3 }, change: { set: { count: 3 } } });
    client.drop();
    const other = await test.client();
    await add(test, other, address);
    await test.subscribe(other, topic, { mode: 'events', from: told!.at });
    expect(other.last('snap', topic)).toMatchObject({ recovered: true, at: told!.at });
    expect(other.of('evt', topic).map(({ e }) => (e as unknown as { event: { type: string } }).event.type)).toEqual([
      'add',
    ]);
    test.test.crash(1);
    await test.restart(1);
    await add(test, other, address);
    expect(other.last('lag', topic)).toMatchObject({ skipped: 1 });
    expect(other.of('evt', topic)).toHaveLength(2);
  });

  it('come from all workers for the whole system, and are numbered by the gateway', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    await test.subscribe(client, 'trace/root', { mode: 'events' });
    for (const address of test.pair) await add(test, client, address);
    const told = client.of('evt', 'trace/root') as unknown as { address: string; at: Cursor; e: { number: number } }[];
    expect(told.map(({ address }) => address)).toEqual(test.pair);
    expect(new Set(told.map(({ e }) => e.number)).size).toBe(2);
    expect(told.map(({ at }) => at.seq)).toEqual([1, 2]);
    const other = await test.client();
    await test.subscribe(other, 'trace/root', { mode: 'events', from: told[0]!.at });
    expect(other.last('snap')).toMatchObject({ recovered: false });
    client.drop();
    other.send({ t: 'unsub', id: 'trace/root' });
    await test.settle();
    expect(test.underWay).toBe(0);
    for (const address of test.pair) await add(test, other, address);
    expect([client, other].map((one) => one.of('evt', 'trace/root').length)).toEqual([2, 0]);
  });
});

describe('the end of the system', () => {
  it('closes connections, so that clients reconnect, and does not end their subscriptions', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const topics = ['tree', 'dead-letters', `actor/${test.pair[0]}`, `inspection/${test.pair[1]}`];
    for (const topic of topics) await test.subscribe(client, topic);
    for (const topic of ['events/**', 'trace/root']) await test.subscribe(client, topic, { mode: 'events' });
    await test.test.system.stop();
    await test.advance(1_000);
    expect(client.of('end')).toEqual([]);
    expect(client.closed).toMatchObject({ code: 4501 });
    expect(test.underWay).toBe(0);
    expect(test.logged).toEqual([]);
  });

  it('closes a client that waits for its welcome with 4500, so that it reconnects', async () => {
    const test = await startSpreadGateway();
    test.test.crash(1);
    const client = await test.client({ session: 'a-session-of-22-chars-' });
    expect(client.last('welcome')).toBe(undefined);
    await test.test.system.stop();
    await test.advance(1_000);
    expect(client.closed?.code).toBe(4500);
  });
});

describe('a stream of server-sent events', () => {
  it('follows an actor on any worker', async () => {
    const test = await startSpreadGateway({ port: 0 });
    const { url } = await test.gateway.listen();
    const [, address] = test.pair;
    expect((await fetch(`${url}/v1/events?topic=actor/nobody`)).status).toBe(404);
    const stream = await fetch(`${url}/v1/events?topic=actor/${address}`);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const client = await test.client();
    let text = '';
    const until = async (wanted: string) => {
      while (!text.includes(wanted)) text += (await reader.read()).value ?? '';
    };
    await until('event: snap');
    await add(test, client, address, 4);
    await until('event: delta');
    expect(text).toContain('"path":"/context/count","value":4');
    await reader.cancel();
  });
});
