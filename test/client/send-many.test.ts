/**
 * Many events that a client sends together: each is a send of its session, and one promise gives the outcome of all.
 */
import { describe, expect, it } from 'vitest';
import { type ClientError } from '../../src/client/client-error.ts';
import { memoryStorage, startClientTest, watched } from '../support/client/client-kit.ts';

const LONG_MS = 31_000;

const add = (by: unknown, tag?: string) =>
  ({ type: 'add', by: by as number, ...(tag !== undefined && { tag }) }) as const;

function refusedIn(error: unknown): unknown {
  const { refused } = (error as ClientError).details as { refused: { index: number; error: ClientError }[] };
  return refused.map((one) => [one.index, one.error.code]);
}

describe('events sent together by a client', () => {
  it('resolve when all of them are durable, in order with the sends before and after', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const visits = client.actor('visits', 'counter');
    const before = watched(visits.send(add(1, 'a')));
    const held = test.host.test.store.hold('before');
    const sent = watched(visits.sendMany([add(1, 'b'), add(1, 'c')]));
    const after = watched(visits.send(add(1, 'd')));
    await held.reached;
    expect([before, sent, after]).toEqual([{}, {}, {}]);
    held.release();
    await test.settle();
    expect([before.value, sent, after.value]).toEqual([{ taken: null }, { value: undefined }, { taken: null }]);
    expect(test.context.seen).toEqual(['a', 'b', 'c', 'd']);
    expect(watched(client.sendMany([]))).toEqual({});
    await test.stop();
  });

  it('are refused one by one, each with its error, once the remaining events are durable', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const sent = watched(
      client.sendMany([
        { to: 'visits', event: add(1, 'a') },
        { to: 'visits', event: add('x') },
        { to: 'nobody', event: add(1) },
        { to: 'visits', event: add(NaN) },
        { to: 'visits', event: add(1, 'b') },
      ]),
    );
    await test.advance(5_000);
    expect(sent.error).toMatchObject({
      code: 'BOSUN_SENDS_REFUSED',
      message: expect.stringMatching(/^3 of 5 events were refused: /) as string,
    });
    expect(refusedIn(sent.error)).toEqual([
      [1, 'BOSUN_EVENT_INVALID'],
      [2, 'BOSUN_ACTOR_UNKNOWN'],
      [3, 'BOSUN_VALUE_REFUSED'],
    ]);
    expect(test.context.seen).toEqual(['a', 'b']);
    await test.stop();
  });

  it('happen once each across a broken connection and a crash of the host', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const tags = Array.from({ length: 150 }, (_, n) => String(n));
    const held = test.host.test.store.hold('before');
    const sent = watched(client.actor('visits', 'counter').sendMany(tags.map((tag) => add(1, tag))));
    await held.reached;
    test.cut();
    held.release();
    await test.advance(LONG_MS);
    const lost = test.host.test.store.hold('before');
    const more = watched(client.actor('visits', 'counter').sendMany([add(1, 'last')]));
    await lost.reached;
    await test.crash();
    lost.release();
    await test.restart();
    await test.advance(LONG_MS);
    expect([sent, more]).toEqual([{ value: undefined }, { value: undefined }]);
    expect(test.context.seen).toEqual([...tags, 'last']);
    expect(client.unacknowledged).toBe(0);
    await test.stop();
  });

  it('wait in the queue while the client is offline; events beyond its bound are refused', async () => {
    const test = await startClientTest();
    const client = await test.live({ queueMax: 2, storage: memoryStorage() });
    test.isDown = true;
    test.cut();
    const sent = watched(client.actor('visits', 'counter').sendMany([add(1, 'a'), add(1, 'b'), add(1, 'c')]));
    await test.settle();
    expect([sent, client.unacknowledged]).toEqual([{}, 2]);
    test.isDown = false;
    await test.advance(LONG_MS);
    expect(refusedIn(sent.error)).toEqual([[2, 'BOSUN_QUEUE_FULL']]);
    expect(test.context.seen).toEqual(['a', 'b']);
    await test.stop();
  });

  it('are never sent once the call was aborted or timed out before they were sent', async () => {
    const test = await startClientTest();
    const client = await test.live();
    test.isDown = true;
    test.cut();
    const visits = client.actor('visits', 'counter');
    const late = watched(visits.sendMany([add(1), add(1)], { timeoutMs: 100 }));
    const aborter = new AbortController();
    const left = watched(visits.sendMany([add(1)], { signal: aborter.signal }));
    aborter.abort(new Error('never mind'));
    await test.advance(100);
    expect([refusedIn(late.error), String(left.error)]).toEqual([
      [
        [0, 'BOSUN_TIMEOUT'],
        [1, 'BOSUN_TIMEOUT'],
      ],
      'Error: never mind',
    ]);
    expect(client.unacknowledged).toBe(0);
    test.isDown = false;
    await test.advance(LONG_MS);
    expect(test.context.count).toBe(0);
    await test.stop();
  });
});
