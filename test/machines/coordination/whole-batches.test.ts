/** Batches in the whole crew, which resume when the cause of their pauses is over. */
import { expect, it } from 'vitest';
import { type AgentFunction } from '../../../src/machines/work/agent-function.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { planOf } from '../../support/fixtures/plans/plans.ts';
import { startWholeCrew } from '../../support/machines/whole-crew.ts';

const MINUTE_MS = 60_000;
const FREE = { isFree: true } as const;

it(
  'CA-E09: ten items paused for a quota go on by themselves after its reset at 00:01: five, and then the next five, ' +
    'as the source allows; 10/10 successful',
  async () => {
    const items = Array.from({ length: 10 }, (_, n) => `item-${n}`);
    const plan = planOf({ stages: { fetch: { agent: 'fetch', retry: { attempts: 1 } } }, items });
    const clock = new VirtualClock();
    const failsAtMs = Date.parse('2026-01-01T14:47:00Z');
    const resetAtMs = Date.parse('2026-01-02T00:01:00Z');
    const inTime = (untilMs: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const stop = clock.setTimeout(() => resolve(), untilMs - clock.wallMs());
        signal.addEventListener('abort', () => (stop(), reject(signal.reason as Error)));
      });
    const fetch: AgentFunction = async (_, { signal }) => {
      if (clock.wallMs() < failsAtMs) await inTime(failsAtMs, signal);
      if (clock.wallMs() < resetAtMs)
        throw Object.assign(new Error('API quota exceeded: 1000/1000'), {
          errorType: 'rate_limit',
          dataSource: 'Koyfin',
        });
      await inTime(clock.wallMs() + 30_000, signal);
      return 'figures';
    };
    // Koyfin takes five orders a minute from the reset on, and says when it takes the next ones.
    const taken = new Map<number, Set<string>>();
    const underWay: number[] = [];
    const resources = ({ item, underWay: now }: { readonly item: string | null; readonly underWay: number }) => {
      underWay.push(now);
      const fromMs = Math.max(resetAtMs, Math.floor(clock.wallMs() / MINUTE_MS) * MINUTE_MS);
      const orders = taken.get(fromMs) ?? new Set();
      taken.set(fromMs, orders);
      const isOpen = clock.wallMs() >= resetAtMs && (orders.has(item!) || orders.size < 5);
      if (isOpen) orders.add(item!);
      const notBeforeMs = clock.wallMs() < resetAtMs ? resetAtMs : fromMs + MINUTE_MS;
      const apiQuota = isOpen ? FREE : { isFree: false as const, notBeforeMs };
      return Promise.resolve({ apiQuota, compute: FREE, connections: FREE });
    };
    const crew = await startWholeCrew(plan, { fetch }, { resources }, clock);
    const until = (time: string) => crew.test.advance(Date.parse(`2026-01-0${time}Z`) - clock.wallMs());
    await until('1T14:47:00');
    expect(crew.phases()).toEqual(items.map(() => 'paused'));
    expect(crew.batches()).toMatchObject([
      { id: 'batch-1', reason: 'Koyfin API quota exceeded', concurrencyLimit: 5, total: 10, paused: 10 },
    ]);
    await crew.powerCut();
    await until('2T00:00:59');
    expect(crew.phases()).toEqual(items.map(() => 'paused'));
    await until('2T00:01:00');
    const resumed = () => crew.told('item.resumed').map(({ item }) => item);
    expect(resumed()).toEqual(items.slice(0, 5));
    expect(crew.batches()).toMatchObject([{ phase: 'resuming', resumed: 5, paused: 5 }]);
    await crew.powerCut();
    await until('2T00:01:59');
    expect(resumed()).toHaveLength(5);
    await until('2T00:02:00');
    expect(resumed()).toEqual(items);
    await until('2T00:03:00');
    expect(crew.state()).toBe('completed');
    expect(crew.batches()).toMatchObject([{ status: 'COMPLETED', resumed: 10, failed: 0 }]);
    expect(crew.cards().find(({ kind }) => kind === 'batch.finished')!.title).toContain('10/10 successful');
    expect(Math.max(...underWay)).toBeLessThanOrEqual(5);
  },
);
