/** Clients that watch as much as the gateway allows, and more, at the default bounds of both. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientError } from '../../src/client/client-error.ts';
import { SUBSCRIPTIONS_MAX } from '../../src/gateway/limits.ts';
import { type Client } from '../../src/client/client.ts';
import { type ClientTest, type Shop, startClientTest, watched } from '../support/client/client-kit.ts';
import { LONG } from '../support/effort.ts';

const FAST = { rate: { burst: 1_000_000, perSecond: 1_000_000 } };
const RECONNECT_MS = 31_000;
/** Time in which so many frames leave at 50 a second, after a burst of 100. */
const openedMs = (frames: number) => Math.max(1, frames - 100) * 20 + 1_000;

async function started(options: Parameters<typeof startClientTest>[0] = {}, actors = 0) {
  const children = Array.from({ length: actors }, (_, n) => ({ id: `c${n}`, agent: 'counter' }));
  const visits = { id: 'visits', agent: 'counter' };
  const test = await startClientTest(options, { tree: { children: [visits, ...children] } });
  onTestFinished(() => test.stop());
  return test;
}

/** The counts of the actors as a client sees them; undefined for one that it does not know. */
function countsOf(client: Client<Shop>, actors: number): () => (number | undefined)[] {
  const all = Array.from({ length: actors }, (_, n) => client.actor(`c${n}`, 'counter'));
  for (const actor of all) actor.subscribe(() => {});
  return () => all.map((actor) => (actor.getSnapshot().isKnown ? actor.getSnapshot().context!.count : undefined));
}

/** Waits for frames that take no time but many rounds of the event loop. */
async function until(test: ClientTest, isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 1_000 && !isSo(); round++) await test.settle();
  expect(isSo()).toBe(true);
}

async function eachCounted(test: ClientTest, numbers: readonly number[]): Promise<void> {
  for (const n of numbers) await test.host.test.shard.send(`c${n}`, { type: 'add', by: 1 });
  await test.settle();
}

describe('a client that watches many actors', () => {
  it.each([127, 128, 129, 130, 260])('knows all of %i, and is refused nothing', async (actors) => {
    const test = await started({}, actors);
    const client = await test.live();
    const counts = countsOf(client, actors);
    await test.advance(openedMs(actors));
    expect(counts()).toEqual(Array(actors).fill(0));
    expect([client.status.get(), test.socket.opened]).toEqual(['live', 1]);
    expect(test.host.gateway.counts['refused.BOSUN_RATE_LIMITED']).toBe(undefined);
    expect(test.host.gateway.counts['refused.BOSUN_GATEWAY_FULL']).toBe(undefined);
  });

  it('knows all of 2,000, and calls made meanwhile are answered at once', LONG, async () => {
    const test = await started({}, 2_000);
    const client = await test.live();
    const counts = countsOf(client, 2_000);
    await test.advance(5_000);
    expect(counts().filter((count) => count === undefined).length).toBeGreaterThan(1_000);
    const visits = client.actor('visits', 'counter');
    const calls = [visits.send({ type: 'add', by: 1 }), visits.ask({ type: 'count' }), client.call('system.info')];
    const answers = calls.map((call) => watched<unknown>(call));
    await test.advance(200);
    expect(answers.filter(({ value }) => value === undefined)).toEqual([]);
    await test.advance(openedMs(2_000) - 5_000);
    expect(counts()).toEqual(Array(2_000).fill(0));
    expect(test.host.gateway.counts['refused.BOSUN_RATE_LIMITED']).toBe(undefined);
  });

  it('knows all of 2,000 again after a break, and after a restart of the server', LONG, async () => {
    const test = await started({}, 2_000);
    const client = await test.live();
    const counts = countsOf(client, 2_000);
    await test.advance(openedMs(2_000));
    test.cut();
    await eachCounted(test, [0, 1_000, 1_999]);
    await test.advance(RECONNECT_MS + openedMs(2_000));
    expect(
      counts()
        .map((count, n) => [n, count])
        .filter(([, count]) => count !== 0),
    ).toEqual([
      [0, 1],
      [1_000, 1],
      [1_999, 1],
    ]);
    await test.crash();
    await test.restart();
    await test.advance(RECONNECT_MS + openedMs(2_000));
    expect(test.host.gateway.counts['subscriptions']).toBe(2_000);
    await eachCounted(test, [0, 1_000, 1_999]);
    await test.advance(1_000);
    expect([0, 1_000, 1_999].map((n) => counts()[n])).toEqual([2, 2, 2]);
  });

  it('is shown one that it watches after a break before most of the others are back', async () => {
    const test = await started({}, 1_000);
    const client = await test.live();
    countsOf(client, 1_000);
    await test.advance(openedMs(1_000));
    test.cut();
    await test.advance(1_000);
    expect(client.status.get()).toBe('live');
    const ready = watched(client.actor('visits', 'counter').ready());
    await test.advance(200);
    expect(ready.value?.address).toBe('visits');
  });

  it('makes room for others as it leaves some, also at the bound', async () => {
    const test = await started(FAST);
    const client = await test.live();
    const left: string[] = [];
    const watch = () => client.watch('actor/visits', { next: () => {}, error: ({ code }) => left.push(code) });
    const all = Array.from({ length: SUBSCRIPTIONS_MAX }, watch);
    const opened = () => test.host.gateway.counts['subscriptions'];
    await until(test, () => opened() === SUBSCRIPTIONS_MAX);
    for (const subscription of all.slice(0, 500)) subscription.unsubscribe();
    for (let n = 0; n < 500; n++) watch();
    await until(test, () => opened() === SUBSCRIPTIONS_MAX + 500);
    expect(left).toEqual([]);
    expect(test.host.gateway.counts['refused.BOSUN_GATEWAY_FULL']).toBe(undefined);
  });
});

describe('a frame that ends something', () => {
  it('is done by the gateway even beyond the rate, since its client could not know that it was not', async () => {
    const test = await started();
    const client = await test.host.client();
    for (let n = 0; n < 60; n++) client.send({ t: 'sub', id: `s${n}`, topic: 'actor/visits' });
    for (let n = 0; n < 60; n++) client.send({ t: 'unsub', id: `s${n}` });
    expect(client.of('snap')).toHaveLength(60);
    expect(test.host.gateway.counts['refused.BOSUN_RATE_LIMITED']).toBe(20);
    await test.host.test.shard.send('visits', { type: 'add', by: 1 });
    await test.settle();
    expect([client.of('delta'), client.closed]).toEqual([[], undefined]);
  });
});

describe('a subscription beyond the bound of the gateway', () => {
  it.each([SUBSCRIPTIONS_MAX - 1, SUBSCRIPTIONS_MAX, SUBSCRIPTIONS_MAX + 1])(
    'ends with BOSUN_GATEWAY_FULL, and none of the others: %i in all',
    async (count) => {
      const test = await started(FAST);
      const client = test.client();
      const errors: ClientError[] = [];
      let known = 0;
      for (let n = 0; n < count; n++)
        client.watch('actor/visits', { next: () => (known += 1), error: (error) => errors.push(error) });
      await until(test, () => known >= Math.min(count, 4_096));
      expect(client.welcome?.limits.subscriptions).toBe(4_096);
      expect([known, errors.length]).toEqual([Math.min(count, 4_096), Math.max(0, count - 4_096)]);
      for (const error of errors) expect(error).toMatchObject({ code: 'BOSUN_GATEWAY_FULL', retryable: true });
      await test.advance(60_000);
      expect([client.status.get(), test.socket.opened]).toEqual(['live', 1]);
      if (count === 4_095) return;
      const late = watched(client.actor('visits', 'counter').ready());
      await test.settle();
      expect(late.error?.code).toBe('BOSUN_GATEWAY_FULL');
    },
  );
});
