/** The outcome of calls over any loss of the connection: each acknowledged send has happened exactly once, in order. */
import { describe, expect, it } from 'vitest';
import { isClientError } from '../../src/client/client-error.ts';
import { SessionStorage } from '../../src/client/session-storage.ts';
import { LONG } from '../support/effort.ts';
import { memoryStorage, startClientTest, watched } from '../support/client/client-kit.ts';

const LONG_MS = 31_000;

describe('a send', () => {
  it('is not copied for storage when the client has no storage', () => {
    const nowhere = new SessionStorage(undefined, 'client', () => {});
    const sends = () => expect.unreachable('nobody stores them');
    nowhere.now(sends);
    nowhere.later(sends);
    expect(nowhere.sends).toEqual([]);
  });

  it('resolves when it is durable, or with `until: taken` when its turn is durable', async () => {
    const test = await startClientTest();
    const visits = (await test.live()).actor('visits', 'counter');
    const durable = watched(visits.send({ type: 'add', by: 2 }));
    const taken = watched(visits.send({ type: 'add', by: 3 }, { until: 'taken' }));
    await test.settle();
    expect([durable.value, taken.value]).toEqual([{ taken: null }, { taken: true }]);
    expect(test.context.count).toBe(5);
    await test.stop();
  });

  it('rejects with the error code of the gateway, while the sends after it still count', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const sends = [
      visits.send({ type: 'add', by: 1, tag: 'a' }),
      visits.send({ type: 'add', by: 'x' as never }),
      client.actor('nobody', 'counter').send({ type: 'add', by: 1 }),
      visits.send({ type: 'add', by: 1, tag: 'b' }),
      visits.send({ type: 'add', by: 1, tag: 'c' }),
    ].map(watched);
    await test.advance(5_000);
    expect(sends.map(({ error, value }) => error?.code ?? value)).toEqual([
      { taken: null },
      'BOSUN_EVENT_INVALID',
      'BOSUN_ACTOR_UNKNOWN',
      { taken: null },
      { taken: null },
    ]);
    expect(test.context.seen).toEqual(['a', 'b', 'c']);
    const last = watched(visits.send({ type: 'close' }, { until: 'taken' }));
    const refused = watched(visits.send({ type: 'add', by: 1 }, { until: 'taken' }));
    await test.settle();
    expect(last.value).toEqual({ taken: true });
    expect(refused.error).toMatchObject({
      code: 'BOSUN_EVENT_NOT_TAKEN',
      retryable: false,
      details: { accepts: expect.any(Array) as unknown },
    });
    expect(isClientError(refused.error, 'BOSUN_EVENT_NOT_TAKEN')).toBe(true);
    // The refused send has used its number: the next send must not be taken for its repeat.
    const next = watched(visits.send({ type: 'count' }, { until: 'taken' }));
    await test.settle();
    expect(next.value).toEqual({ taken: true });
    await test.stop();
  });

  it('is refused at once if it waits for its turn and the actor is suspended (N7)', async () => {
    const test = await startClientTest();
    const visits = (await test.live()).actor('visits', 'counter');
    const { admin } = test.host.test.shard;
    const first = watched(visits.send({ type: 'add', by: 1 }));
    await test.settle();
    await admin.suspend('visits', { by: 'ada', reason: 'review' });
    const refused = watched(visits.send({ type: 'add', by: 2 }, { until: 'taken' }));
    const left = watched(visits.send({ type: 'add', by: 4 }));
    await test.settle();
    expect(refused.error).toMatchObject({ code: 'BOSUN_ACTOR_SUSPENDED', message: 'visits: suspended by ada: review' });
    expect([first.value, left.value]).toEqual([{ taken: null }, { taken: null }]);
    await admin.resume('visits', { by: 'ada' });
    await test.settle();
    expect(test.context.count).toBe(5);
    await test.stop();
  });

  it('happens once even if the connection broke before its answer arrived', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const held = test.host.test.store.hold('before');
    const sends = ['a', 'b', 'c'].map((tag) =>
      watched(client.actor('visits', 'counter').send({ type: 'add', by: 1, tag })),
    );
    await held.reached;
    test.cut();
    expect(client.status.get()).toBe('offline');
    held.release();
    await test.settle();
    expect(sends.map(({ value }) => value)).toEqual([undefined, undefined, undefined]);
    await test.advance(LONG_MS);
    expect(client.status.get()).toBe('live');
    expect(sends.map(({ value }) => value)).toEqual(Array(3).fill({ taken: null }));
    expect(test.context.seen).toEqual(['a', 'b', 'c']);
    await test.stop();
  });

  it('waits while the client is offline, and survives a crash of the host that lost it', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const first = watched(visits.send({ type: 'add', by: 1, tag: 'a' }));
    await test.settle();
    const held = test.host.test.store.hold('before');
    const lost = watched(visits.send({ type: 'add', by: 1, tag: 'b' }));
    await held.reached;
    await test.crash();
    held.release();
    const offline = watched(visits.send({ type: 'add', by: 1, tag: 'c' }));
    await test.restart();
    expect(test.context.seen).toEqual(['a']);
    await test.advance(LONG_MS);
    expect([first, lost, offline].map(({ value }) => value)).toEqual(Array(3).fill({ taken: null }));
    expect(test.context.seen).toEqual(['a', 'b', 'c']);
    await test.stop();
  });

  it('waits on the client while as many calls as the gateway allows are in flight', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const sends = Array.from({ length: 300 }, (_, n) =>
      watched(client.actor('visits', 'counter').send({ type: 'add', by: 1, tag: String(n) })),
    );
    await test.advance(20_000);
    expect(sends.filter(({ value }) => value === undefined)).toEqual([]);
    expect(test.context.seen).toEqual(Array.from({ length: 300 }, (_, n) => String(n)));
    // A client that keeps within the rate is never refused.
    expect(test.host.gateway.counts['refused.BOSUN_RATE_LIMITED']).toBe(undefined);
    await test.stop();
  });

  it('is sent again in order after the gateway refused it for its rate', async () => {
    const test = await startClientTest();
    const [one, two] = [await test.live(), await test.live({ name: 'two' })];
    const sends = Array.from({ length: 90 }, (_, n) =>
      [one, two].map((client, who) =>
        watched(client.actor('visits', 'counter').send({ type: 'add', by: 1, tag: `${who}:${n}` })),
      ),
    ).flat();
    await test.advance(30_000);
    expect(sends.filter(({ value }) => value === undefined)).toEqual([]);
    expect(test.host.gateway.counts['refused.BOSUN_RATE_LIMITED']).toBeGreaterThan(0);
    for (const who of ['0', '1'])
      expect(test.context.seen.filter((tag) => tag.startsWith(`${who}:`))).toEqual(
        Array.from({ length: 90 }, (_, n) => `${who}:${n}`),
      );
    expect(test.context.count).toBe(180);
    await test.stop();
  });

  it('is refused with BOSUN_QUEUE_FULL once the queue is full', LONG, async () => {
    const test = await startClientTest();
    const client = await test.live();
    test.isDown = true;
    test.cut();
    const sends = Array.from({ length: 1_001 }, () =>
      watched(client.actor('visits', 'counter').send({ type: 'add', by: 1 })),
    );
    await test.settle();
    expect(sends.findIndex(({ error }) => error?.code === 'BOSUN_QUEUE_FULL')).toBe(1_000);
    test.isDown = false;
    await test.advance(60_000);
    expect(test.context.count).toBe(1_000);
    await test.stop();
  });

  it('is refused by the client if its event fits in no frame, and the connection stays open', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    let deep: unknown = 1;
    for (let level = 0; level < 33; level++) deep = [deep];
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const wrong: object[] = [
      { tag: 'x'.repeat(1_050_000) },
      { tag: '\ud800' },
      { tag: [deep] },
      { tag: circle },
      { tag: 1n },
      { tag: Infinity },
      { tag: [NaN] },
      { tag: Array(100_000).fill(0) },
      { constructor: 1 },
    ];
    const sends = wrong.map((fields) => watched(visits.send({ type: 'add', by: 1, ...fields } as never)));
    const last = watched(visits.send({ type: 'add', by: 1, tag: 'x'.repeat(1_040_000) }));
    const event = { type: 'add' as const, by: 1, tag: 'as it was' };
    const copied = watched(visits.send(event));
    event.tag = 'changed';
    await test.settle();
    expect(sends.map(({ error }) => error?.code)).toEqual(wrong.map(() => 'BOSUN_VALUE_REFUSED'));
    expect([last.value, copied.value, client.status.get()]).toEqual([{ taken: null }, { taken: null }, 'live']);
    expect(test.context.seen.at(-1)).toBe('as it was');
    await test.stop();
  });

  it('is abandoned on abort or timeout, and never happens if it was not yet sent', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    test.isDown = true;
    test.cut();
    const abort = new AbortController();
    const aborted = watched(visits.send({ type: 'add', by: 1, tag: 'aborted' }, { signal: abort.signal }));
    const late = watched(visits.send({ type: 'add', by: 1, tag: 'late' }, { timeoutMs: 100 }));
    const kept = watched(visits.send({ type: 'add', by: 1, tag: 'kept' }));
    abort.abort(new Error('enough'));
    await test.advance(200);
    expect(aborted.error).toEqual(new Error('enough'));
    expect(late.error).toMatchObject({ code: 'BOSUN_TIMEOUT', details: { unknownOutcome: true } });
    await expect(visits.send({ type: 'close' }, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
    test.isDown = false;
    await test.advance(LONG_MS);
    expect(kept.value).toEqual({ taken: null });
    expect(test.context.seen).toEqual(['kept']);
    await test.stop();
  });

  it('is completed exactly once by the next client on the same storage', async () => {
    const test = await startClientTest();
    const storage = memoryStorage();
    const first = await test.live({ storage });
    const visits = first.actor('visits', 'counter');
    const held = test.host.test.store.hold('before');
    const sent = watched(visits.send({ type: 'add', by: 1, tag: 'sent' }));
    await held.reached;
    test.cut();
    const queued = watched(visits.send({ type: 'add', by: 1, tag: 'queued' }));
    first.close();
    held.release();
    await test.settle();
    expect([sent, queued].map(({ error }) => error?.code)).toEqual(['BOSUN_CLIENT_CLOSED', 'BOSUN_CLIENT_CLOSED']);
    const second = await test.live({ storage });
    await test.settle();
    expect(second.unacknowledged).toBe(0);
    expect(test.context.seen).toEqual(['sent', 'queued']);
    void second.actor('visits', 'counter').send({ type: 'add', by: 1, tag: 'next' });
    await test.settle();
    expect(test.context.seen).toEqual(['sent', 'queued', 'next']);
    await test.stop();
  });
});

describe('an ask', () => {
  it('resolves with the reply', async () => {
    const test = await startClientTest();
    const visits = (await test.live()).actor('visits', 'counter');
    void visits.send({ type: 'add', by: 4 });
    const reply = watched(visits.ask<number>({ type: 'count' }));
    await test.settle();
    expect(reply.value).toBe(4);
    await test.stop();
  });

  it('is repeated after a break if it has a key; without a key it rejects with an unknown outcome', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const held = test.host.test.store.hold('before');
    const [keyed, bare] = [
      watched(visits.ask({ type: 'count' }, { key: 'k' })),
      watched(visits.ask({ type: 'count' })),
    ];
    await held.reached;
    test.cut();
    held.release();
    const offline = watched(visits.ask({ type: 'count' }));
    const waits = watched(visits.ask({ type: 'count' }, { key: 'later' }));
    await test.settle();
    expect(bare.error).toMatchObject({
      code: 'BOSUN_CONNECTION_LOST',
      retryable: true,
      details: { unknownOutcome: true },
    });
    expect(offline.error).toMatchObject({ code: 'BOSUN_OFFLINE', retryable: true });
    await test.advance(LONG_MS);
    expect([keyed.value, waits.value]).toEqual([0, 0]);
    await test.stop();
  });

  it('may have a timeout longer than the default of the gateway', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const ask = watched(client.actor('deaf', 'deaf').ask({ type: 'hear' }, { timeoutMs: 40_000 }));
    await test.advance(39_999);
    expect(ask).toEqual({});
    await test.advance(2);
    expect(ask.error?.code).toBe('BOSUN_TIMEOUT');
    await test.stop();
  });

  it('is cancelled at the gateway when its signal aborts', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const abort = new AbortController();
    const ask = watched(client.actor('deaf', 'deaf').ask({ type: 'hear' }, { signal: abort.signal }));
    await test.settle();
    abort.abort(new Error('enough'));
    await test.settle();
    expect(ask.error).toEqual(new Error('enough'));
    expect(test.host.gateway.counts['refused.BOSUN_CALL_CANCELLED']).toBe(1);
    await test.stop();
  });

  it('is one of the methods that `call` reaches, with the same errors', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const spawned = watched(
      client.call<{ address: string }>('actor.spawn', { agent: 'counter', id: 'more' }, { key: 'spawn more' }),
    );
    const wrong = watched(client.call('actor.fly'));
    await test.settle();
    expect(spawned.value).toEqual({ address: 'more', run: null });
    expect(wrong.error?.code).toBe('BOSUN_CALL_INVALID');
    client.close();
    await expect(client.call('actor.get', { address: 'more' })).rejects.toMatchObject({ code: 'BOSUN_CLIENT_CLOSED' });
    await test.stop();
  });
});
