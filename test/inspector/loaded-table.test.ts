/**
 * Tables in the page: the first rows from a topic, the others read behind them. No key counts as absent before its part
 * of the table is loaded.
 */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crewOf, type WrittenPlan } from '../../src/crew.ts';
import { type ActorView, type TableView } from '../../src/gateway/protocol/actor-view.ts';
import { loadedTable, READ_EVERY_MS, RestReader, type RestOfTable } from '../../src/inspector/loaded-table.ts';
import { type CoordinatorShown, type ItemShown, planProgress } from '../../src/inspector/plan/plan-progress.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { LONG } from '../support/effort.ts';
import { GatewayTest } from '../support/gateway/memory-client.ts';

const keyOf = (n: number) => `k${String(n).padStart(4, '0')}`;

/** A page of a table of some keys. */
function pageOf(keys: readonly string[], from: string, limit: number): TableView<string> {
  const at = keys.findIndex((key) => key >= from);
  const [shown, next] = at === -1 ? [[], undefined] : [keys.slice(at, at + limit), keys[at + limit]];
  return {
    size: keys.length,
    rows: Object.fromEntries(shown.map((key) => [key, `row of ${key}`])),
    next: next ?? null,
  };
}

const keySets = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });

describe('a table as far as it is loaded', () => {
  it('has every loaded row, and says of no other key that it has none', () => {
    fc.assert(
      fc.property(keySets, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 20 }), (numbers, limit, more) => {
        const keys = numbers.map(keyOf).sort();
        const first = pageOf(keys, '', limit);
        const read = first.next === null || more === 0 ? undefined : pageOf(keys, first.next, more);
        const rest = read && { from: first.next!, rows: read.rows, next: read.next };
        const loaded = loadedTable(first, rest);
        const has = new Set(keys);
        for (let n = 0; n <= 61; n++) {
          const key = keyOf(n);
          if (loaded.isLoaded(key)) expect(loaded.get(key)).toBe(has.has(key) ? `row of ${key}` : undefined);
          else expect(loaded.get(key)).toBe(undefined);
        }
      }),
    );
  });

  it('has a gap where the first rows end before the rest begins', () => {
    const keys = Array.from({ length: 10 }, (_, n) => keyOf(n));
    const { rows } = pageOf(keys, keyOf(6), 10);
    const loaded = loadedTable(pageOf(keys, '', 4), { from: keyOf(6), rows, next: null });
    expect([3, 4, 5, 6].map((n) => loaded.isLoaded(keyOf(n)))).toEqual([true, false, false, true]);
  });
});

/** A reader of a table of 100 rows, by pages of 30, whose pages take some time. */
function reading(pageMs = 0) {
  const clock = new VirtualClock();
  const keys = Array.from({ length: 100 }, (_, n) => keyOf(n));
  const reads: string[] = [];
  const taken: RestOfTable<string>[] = [];
  const failures: Error[] = [];
  const reader = new RestReader<string>({
    read: async (from) => {
      reads.push(from);
      if (pageMs > 0) await new Promise<void>((resolve) => clock.setTimeout(resolve, pageMs));
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      return pageOf(keys, from, 30);
    },
    take: (rest) => taken.push(rest),
    nowMs: () => clock.monotonicMs(),
    after: (ms, callback) => clock.setTimeout(callback, ms),
  });
  const advance = (ms: number) => clock.advance(ms, () => new Promise((resolve) => setImmediate(resolve)));
  return { reader, reads, taken, failures, advance };
}

describe('the rest of a table', () => {
  it('is read page by page, each of which is shown as soon as it is there', async () => {
    const { reader, reads, taken, advance } = reading();
    reader.see(keyOf(20), '1');
    await advance(0);
    expect(reads).toEqual([keyOf(20), keyOf(50), keyOf(80)]);
    expect(taken.map(({ next }) => next)).toEqual([keyOf(50), keyOf(80), null]);
    expect(Object.keys(taken.at(-1)!.rows)).toHaveLength(80);
  });

  it('is read again when the table may have changed, at most once a second, and not otherwise', async () => {
    const { reader, reads, advance } = reading();
    reader.see(keyOf(80), '1');
    await advance(0);
    for (const version of ['1', '2', '3', '4']) reader.see(keyOf(80), version);
    await advance(READ_EVERY_MS - 1);
    expect(reads).toHaveLength(1);
    await advance(1);
    expect(reads).toHaveLength(2);
    await advance(10 * READ_EVERY_MS);
    expect(reads).toHaveLength(2);
  });

  it('keeps the rows of the reading before until those of the next one are there', async () => {
    const { reader, taken, advance } = reading(400);
    reader.see(keyOf(20), '1');
    await advance(1_200);
    expect(taken.at(-1)!.next).toBe(null);
    reader.see(keyOf(20), '2');
    await advance(4_800 + 400);
    expect(taken).toHaveLength(4);
    expect([taken.at(-1)!.next, Object.keys(taken.at(-1)!.rows).length]).toEqual([null, 80]);
  });

  it('takes at most a fifth of the time of a page that always changes', async () => {
    const { reader, reads, advance } = reading(500);
    for (let version = 0; version < 600; version++) {
      reader.see(keyOf(80), String(version));
      await advance(100);
    }
    expect(reads.length * 500).toBeLessThanOrEqual(60_000 / 5 + 500);
    expect(reads.length).toBeGreaterThan(10);
  });

  it('is not read where the first rows are all, nor once nobody looks', async () => {
    const { reader, reads, advance } = reading();
    reader.see(null, '1');
    await advance(5_000);
    expect(reads).toEqual([]);
    reader.stop();
    reader.see(keyOf(80), '2');
    await advance(5_000);
    expect(reads).toEqual([]);
  });

  it('is read again after a page has failed', async () => {
    const { reader, taken, failures, advance } = reading();
    failures.push(new Error('the connection broke'));
    reader.see(keyOf(80), '1');
    await advance(0);
    expect(taken).toEqual([]);
    await advance(READ_EVERY_MS);
    expect(taken.at(-1)!.next).toBe(null);
  });
});

describe('a plan with more items than a view has', () => {
  it('is shown finished when it is, and an item that is not loaded as such (B3)', LONG, async () => {
    const items = 1_600;
    const plan: WrittenPlan = {
      ...{ version: 1, plan: 'large', stages: { add: { agent: 'add' } } },
      items: Object.fromEntries(Array.from({ length: items }, (_, n) => [keyOf(n), {}])),
    };
    const crew = crewOf(plan, { add: () => Promise.resolve({ sum: 1 }) });
    const test = new GatewayTest(await startTestSystem(crew), {});
    onTestFinished(() => test.stop());
    const client = await test.client();
    const call = async <Result>(method: string, p: object) =>
      ((await test.call(client, method, p)) as unknown as { readonly r: Result }).r;
    await test.settle();
    const { context } = await call<ActorView>('actor.get', { address: 'coordinator' });
    const shown = context as CoordinatorShown;
    const phases = (rest?: RestOfTable<ItemShown>) => {
      const { items: rows, loaded, done, running } = planProgress(shown, loadedTable(shown.items!, rest))!;
      const count = (phase: string) => rows.filter((row) => row.phase === phase).length;
      return { loaded, done, running, completed: count('completed'), notLoaded: count('notLoaded') };
    };
    const first = Object.keys(shown.items!.rows).length;
    expect(first).toBeLessThan(items);
    const sums = { done: items, running: 0 };
    expect(phases()).toEqual({ ...sums, loaded: first, completed: first, notLoaded: items - first });
    const rests: RestOfTable<ItemShown>[] = [];
    await new Promise<void>((resolve) => {
      const reader = new RestReader<ItemShown>({
        read: (from) => call<TableView<ItemShown>>('table.read', { address: 'coordinator', table: 'items', from }),
        take: (rest) => (rests.push(rest), rest.next === null && resolve()),
        nowMs: () => 0,
        after: () => () => {},
      });
      reader.see(shown.items!.next, '1');
    });
    expect(phases(rests.at(-1))).toEqual({ ...sums, loaded: items, completed: items, notLoaded: 0 });
  });
});
