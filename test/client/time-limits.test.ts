/** Time limits of calls and waits, however long. */
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownClock } from '../../src/client/platform.ts';
import { startClientTest, watched } from '../support/client/client-kit.ts';
import { LONG } from '../support/effort.ts';

const DAY_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;

async function started() {
  const test = await startClientTest();
  const client = await test.live();
  onTestFinished(async () => {
    client.close();
    await test.stop();
  });
  return { test, client, visits: client.actor('visits', 'counter'), deaf: client.actor('deaf', 'deaf') };
}

describe('the clock of the platform', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([30 * DAY_MS, 2 ** 31 - 1, 2 ** 31, 2 ** 40, Infinity])('does not end %s ms at once', (delayMs) => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const ring = vi.fn();
    const cancel = ownClock.setTimeout(ring, delayMs);
    vi.advanceTimersByTime(DAY_MS);
    expect(ring).not.toHaveBeenCalled();
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([0, 1, 10_000, 10_001, DAY_MS])('ends %s ms then and not before', (delayMs) => {
    vi.useFakeTimers({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const ring = vi.fn();
    ownClock.setTimeout(ring, delayMs);
    vi.advanceTimersByTime(Math.max(0, delayMs - 1));
    expect(ring).toHaveBeenCalledTimes(delayMs === 0 ? 1 : 0);
    vi.advanceTimersByTime(1);
    expect(ring).toHaveBeenCalledTimes(1);
  });
});

describe('a time limit', () => {
  it.each([30 * DAY_MS, 2 ** 31, Infinity])(
    'lasts %s ms, also beyond what the gateway gives',
    LONG,
    async (timeoutMs) => {
      const { test, client, visits, deaf } = await started();
      await test.host.test.shard.admin.suspend('visits', { by: 'ada' });
      const waits = [
        watched(visits.waitFor(({ context }) => context.count === 7, { timeoutMs })),
        watched(deaf.ask({ type: 'hear' }, { timeoutMs })),
        watched(deaf.ask({ type: 'hear' }, { timeoutMs, key: 'mine' })),
        watched(visits.result({ timeoutMs })),
        watched(client.call('actor.wait', { address: 'visits', value: 'closed' }, { timeoutMs })),
      ];
      for (let minute = 0; minute < 45; minute++) await test.advance(MINUTE_MS);
      expect(waits).toEqual(waits.map(() => ({})));
      const sent = watched(visits.send({ type: 'add', by: 7 }, { timeoutMs }));
      await test.host.test.shard.admin.resume('visits', { by: 'ada' });
      await test.advance(1_000);
      expect([sent.value, waits[0]!.error]).toEqual([{ taken: null }, undefined]);
      expect(waits[0]!.value).toMatchObject({ context: { count: 7 } });
    },
  );

  it('gives BOSUN_TIMEOUT where it is over while the gateway waits', async () => {
    const { test, visits, deaf } = await started();
    const waits = [
      watched(visits.waitFor(() => false, { timeoutMs: 15 * MINUTE_MS })),
      watched(deaf.ask({ type: 'hear' }, { timeoutMs: 15 * MINUTE_MS })),
      watched(visits.result({ timeoutMs: 15 * MINUTE_MS })),
    ];
    await test.advance(15 * MINUTE_MS - 1);
    expect(waits).toEqual([{}, {}, {}]);
    await test.advance(1);
    expect(waits.map(({ error }) => error?.code)).toEqual(waits.map(() => 'BOSUN_TIMEOUT'));
  });

  it('is over at once if it is 0', async () => {
    const { test, visits } = await started();
    const waits = watched(visits.waitFor(() => false, { timeoutMs: 0 }));
    await test.advance(0);
    expect(waits.error?.code).toBe('BOSUN_TIMEOUT');
  });

  it.each([-1, -Infinity, NaN, '5', null])(
    'is refused with BOSUN_CALL_INVALID if it is %s, and nothing is sent',
    async (odd) => {
      const { test, client, visits, deaf } = await started();
      const timeoutMs = odd as number;
      const refused = [
        watched<unknown>(visits.send({ type: 'add', by: 1 }, { timeoutMs })),
        watched<unknown>(visits.sendMany([{ type: 'add', by: 1 }], { timeoutMs })),
        watched<unknown>(deaf.ask({ type: 'hear' }, { timeoutMs })),
        watched<unknown>(visits.waitFor(() => true, { timeoutMs })),
        watched<unknown>(visits.ready({ timeoutMs })),
        watched<unknown>(visits.result({ timeoutMs })),
        watched<unknown>(client.call('system.info', {}, { timeoutMs })),
      ];
      await test.settle();
      const codes = refused.map(({ error }) => error?.code);
      expect(codes).toEqual(codes.map((_, n) => (n === 1 ? 'BOSUN_SENDS_REFUSED' : 'BOSUN_CALL_INVALID')));
      expect(test.context.count).toBe(0);
    },
  );
});
