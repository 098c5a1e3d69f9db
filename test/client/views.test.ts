/**
 * The view of a client: one subscription for all observers, kept over breaks, and XState's own functions on top of it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { waitFor } from 'xstate';
import { counter } from '../support/gateway/shop.ts';
import { LONG } from '../support/effort.ts';
import { startClientTest, watched } from '../support/client/client-kit.ts';

const LONG_MS = 31_000;

/**
 * As React's useSyncExternalStore with a selector: renders once at first, then whenever the selected value is another.
 */
function select<S, T>(
  actor: { getSnapshot(): S; subscribe(next: () => void): { unsubscribe(): void } },
  selector: (snapshot: S) => T,
) {
  const renders = [selector(actor.getSnapshot())];
  const subscription = actor.subscribe(() => {
    // A store has to give the same snapshot until it has changed.
    expect(actor.getSnapshot()).toBe(actor.getSnapshot());
    const selected = selector(actor.getSnapshot());
    if (!Object.is(selected, renders.at(-1))) renders.push(selected);
  });
  return { renders, unsubscribe: () => subscription.unsubscribe() };
}

describe('a remote actor', () => {
  it('has one subscription for all its observers, from the first observer to the last', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    expect(client.actor('visits', 'counter')).toBe(visits);
    const unknown = visits.getSnapshot();
    expect([unknown.isKnown, unknown.context, unknown.matches('open')]).toEqual([false, undefined, false]);
    const subscriptions = () => test.host.gateway.counts['subscriptions'] ?? 0;
    expect(subscriptions()).toBe(0);
    const [one, two] = [select(visits, (s) => s.context?.count), select(visits, (s) => s.matches('open'))];
    await test.settle();
    expect(subscriptions()).toBe(1);
    void visits.send({ type: 'add', by: 2 });
    await test.settle();
    expect([one.renders, two.renders]).toEqual([
      [undefined, 0, 2],
      [false, true],
    ]);
    one.unsubscribe();
    two.unsubscribe();
    void visits.send({ type: 'add', by: 5 });
    await test.settle();
    expect(visits.getSnapshot().context?.count).toBe(2);
    const three = select(visits, (s) => s.context?.count);
    await test.settle();
    expect(subscriptions()).toBe(2);
    expect(three.renders).toEqual([2, 7]);
    await test.stop();
  });

  it('stays the same object while it has an observer, even if the page holds no reference to it', async () => {
    const test = await startClientTest();
    const client = await test.live();
    let told = 0;
    client.actor('visits', 'counter').subscribe(() => void (told += 1));
    client.actor('till', 'till');
    await test.settle();
    const gone = new WeakRef(client.actor('till', 'till'));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    for (let round = 0; round < 5 && gone.deref() !== undefined; round++) {
      await test.settle();
      collect();
    }
    expect(gone.deref()).toBe(undefined);
    expect([client.actor('visits', 'counter').getSnapshot().context?.count, told]).toEqual([0, 1]);
    await test.stop();
  });

  it('has a snapshot like that of XState: status, value, tags, accepted events', async () => {
    const test = await startClientTest();
    const visits = (await test.live()).actor('visits', 'counter');
    const ready = watched(visits.ready());
    await test.settle();
    const { value: snapshot } = ready;
    expect(snapshot).toMatchObject({
      status: 'active',
      value: 'open',
      context: { count: 0, seen: [] },
      output: undefined,
      error: undefined,
      isSuspended: false,
    });
    expect([snapshot!.hasTag('ready'), snapshot!.accepts('close'), visits.matches('open')]).toEqual([true, true, true]);
    await test.host.test.shard.admin.suspend('visits', { by: 'ada', reason: 'for a look' });
    const held = watched(visits.waitFor(({ isSuspended }) => isSuspended));
    await test.settle();
    expect(held.value).toMatchObject({ status: 'active', reason: { code: 'BOSUN_ACTOR_SUSPENDED' } });
    await test.stop();
  });

  it('is up to date again after breaks and crashes, and notifies only if something changed', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    let told = 0;
    visits.subscribe(() => void (told += 1));
    await test.settle();
    expect(told).toBe(1);
    test.cut();
    await test.advance(LONG_MS);
    expect([client.status.get(), told]).toEqual(['live', 1]);
    await test.crash();
    await test.restart();
    await test.advance(LONG_MS);
    expect([client.status.get(), told]).toEqual(['live', 1]);
    test.cut();
    await test.host.test.shard.send('visits', { type: 'add', by: 3 } as never);
    await test.advance(LONG_MS);
    expect([visits.getSnapshot().context?.count, told]).toEqual([3, 2]);
    await test.stop();
  });

  it('begins with the birth of its actor, and ends with its removal (S15)', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const ghost = client.actor('ghost', 'counter');
    const seen: unknown[] = [];
    ghost.subscribe({
      next: ({ isUnborn, status, context }) => seen.push(isUnborn ? 'unborn' : [status, context?.count]),
      error: (error) => seen.push((error as { code: string }).code),
    });
    const there = watched(ghost.ready());
    await test.settle();
    expect([seen, there.value]).toEqual([['unborn'], undefined]);
    expect(ghost.getSnapshot()).toMatchObject({ isKnown: false, isUnborn: true, status: 'active' });
    await test.host.test.shard.spawn(counter, 'ghost');
    await ghost.send({ type: 'add', by: 2 });
    await test.settle();
    expect(seen).toEqual(['unborn', ['active', 0], ['active', 2]]);
    expect(there.value).toMatchObject({ context: { count: 0 } });
    await test.host.test.shard.boss().terminateChild('ghost');
    await test.settle();
    expect(seen.slice(3)).toEqual([['stopped', 2], 'BOSUN_ACTOR_UNKNOWN']);
    expect(ghost.getSnapshot()).toMatchObject({
      isKnown: true,
      isUnborn: false,
      reason: { code: 'BOSUN_ACTOR_UNKNOWN' },
    });
    await test.stop();
  });

  it('waits for a birth over breaks and a crash of the host (S15)', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const ghost = client.actor('ghost', 'counter');
    const there = watched(ghost.ready());
    await test.settle();
    test.cut();
    await test.advance(LONG_MS);
    await test.crash();
    await test.restart();
    await test.advance(LONG_MS);
    expect([client.status.get(), there]).toEqual(['live', {}]);
    test.cut();
    await test.host.test.shard.spawn(counter, 'ghost');
    await test.advance(LONG_MS);
    expect(there.value).toMatchObject({ context: { count: 0 } });
    await test.stop();
  });

  it('ends where its actor is removed during a break, and waits again for the next observer (S15)', async () => {
    const test = await startClientTest();
    const client = await test.live();
    await test.host.test.shard.spawn(counter, 'ghost');
    const ghost = client.actor('ghost', 'counter');
    const gone = watched(ghost.waitFor(({ context }) => context.count > 0));
    await test.settle();
    test.cut();
    await test.host.test.shard.boss().terminateChild('ghost');
    await test.advance(LONG_MS);
    expect(gone.error?.code).toBe('BOSUN_ACTOR_UNKNOWN');
    const late = watched(ghost.waitFor(({ context }) => context.count > 0, { timeoutMs: 100 }));
    const next = watched(ghost.ready());
    await test.advance(200);
    expect(late.error).toMatchObject({ code: 'BOSUN_TIMEOUT', message: 'ghost was not born within 100 ms' });
    await test.host.test.shard.spawn(counter, 'ghost', { again: true });
    await test.settle();
    expect(next.value).toMatchObject({ status: 'active', context: { count: 0 } });
    await test.stop();
  });

  it('stops waiting on a timeout, an abort or a condition that throws', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const abort = new AbortController();
    const late = watched(visits.waitFor(({ context }) => context.count > 9, { timeoutMs: 100 }));
    const aborted = watched(visits.waitFor(({ context }) => context.count > 9, { signal: abort.signal }));
    const thrown = watched(
      visits.waitFor(() => {
        throw new Error('odd');
      }),
    );
    await test.advance(200);
    abort.abort(new Error('enough'));
    await test.settle();
    expect([late.error, aborted.error, thrown.error]).toMatchObject([
      { code: 'BOSUN_TIMEOUT' },
      { message: 'enough' },
      { message: 'odd' },
    ]);
    const closed = watched(visits.waitFor(({ context }) => context.count > 9));
    await test.settle();
    client.close();
    await test.settle();
    expect(closed.error?.code).toBe('BOSUN_CLIENT_CLOSED');
    await expect(visits.ready()).rejects.toMatchObject({ code: 'BOSUN_CLIENT_CLOSED' });
    await test.stop();
  });

  it("works with XState's waitFor", async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const found = watched(waitFor(visits, (snapshot) => (snapshot.context?.count ?? 0) > 3));
    await test.settle();
    void visits.send({ type: 'add', by: 1 });
    test.cut();
    await test.advance(LONG_MS);
    expect(found.value).toBe(undefined);
    void visits.send({ type: 'add', by: 4 });
    await test.settle();
    expect(found.value?.context?.count).toBe(5);
    const born = watched(waitFor(client.actor('ghost', 'counter'), ({ isKnown }) => isKnown));
    await test.settle();
    expect(born).toEqual({});
    await test.host.test.shard.spawn(counter, 'ghost');
    await test.settle();
    expect(born.value).toMatchObject({ isKnown: true });
    await test.stop();
  });
});

describe('emitted events', () => {
  it('arrive in order and never twice, also across a break', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    let gaps = 0;
    const events = visits.events({ onGap: () => (gaps += 1) });
    const first = watched(events.next());
    await test.settle();
    void visits.send({ type: 'add', by: 1 });
    await test.settle();
    expect(first.value).toEqual({ done: false, value: { type: 'counted', count: 1 } });
    test.cut();
    await test.host.test.shard.send('visits', { type: 'add', by: 1 } as never);
    await test.advance(LONG_MS);
    void visits.send({ type: 'add', by: 1 });
    await test.settle();
    expect([(await events.next()).value, (await events.next()).value]).toEqual([
      { type: 'counted', count: 2 },
      { type: 'counted', count: 3 },
    ]);
    expect(gaps).toBe(0);
    await test.crash();
    await test.restart();
    await test.advance(LONG_MS);
    expect(gaps).toBe(1);
    const waiting = watched(events.next());
    await events.return();
    await test.settle();
    expect(waiting.value).toEqual({ done: true, value: undefined });
    await test.stop();
  });

  it('arrive from all actors of a pattern, until a signal or the close of the client ends the iteration', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const abort = new AbortController();
    const counts: unknown[] = [];
    const over = (async () => {
      for await (const event of client.events('**', { signal: abort.signal })) counts.push(event['count']);
    })();
    const closed = watched(client.actor('back/visits', 'counter').events().next());
    await test.settle();
    await Promise.all([
      client.actor('visits', 'counter').send({ type: 'add', by: 1 }),
      client.actor('till', 'till').send({ type: 'pay', card: '1234', amount: 1 }),
    ]);
    await test.settle();
    abort.abort();
    await over;
    expect(counts).toEqual([1, undefined]);
    client.close();
    await test.settle();
    expect(closed.value).toEqual({ done: true, value: undefined });
    await test.stop();
  });
});

describe('turns', () => {
  it('arrive with the contents of their events, from the subscription on and for that actor only', async () => {
    const test = await startClientTest();
    const client = await test.live();
    await client.actor('visits', 'counter').send({ type: 'add', by: 1 });
    await test.settle();
    const turns = client.turns<{ readonly address: string; readonly event: object }>('visits');
    const first = turns.next();
    await test.settle();
    await Promise.all([
      client.actor('till', 'till').send({ type: 'pay', card: '1234', amount: 1 }),
      client.actor('visits', 'counter').send({ type: 'add', by: 2 }),
    ]);
    await test.settle();
    expect((await first).value).toMatchObject({ address: 'visits', event: { type: 'add', by: 2 } });
    await turns.return();
    await test.stop();
  });

  it('end the iteration with BOSUN_QUEUE_FULL when too many wait to be read', LONG, async () => {
    const test = await startClientTest();
    const client = await test.live();
    const events = client.actor('visits', 'counter').events();
    await test.settle();
    // Emitted as fast as they are sent on, so that the gateway itself leaves none out.
    for (let batch = 0; batch < 5; batch++) {
      await Promise.all(
        Array.from({ length: 820 }, () => test.host.test.shard.send('visits', { type: 'add', by: 1 } as never)),
      );
      for (let round = 0; round < 4; round++) await test.settle();
    }
    for (let n = 0; n < 4_096; n++) await events.next();
    await expect(events.next()).rejects.toMatchObject({ code: 'BOSUN_QUEUE_FULL' });
    await test.stop();
  });
});
