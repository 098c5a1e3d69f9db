/**
 * The audit on disk: no start reads it, the orders about one address are found by the index, and it is bounded; under
 * crashes, erasure, damage, a closed store, and with the rows of earlier versions.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEYSPACE, type RowKey } from '../../../src/actors/model/ports.ts';
import { type AuditRecord, type OldAuditRow } from '../../../src/actors/world/audit-record.ts';
import { KEPT_ERASED_AT_ONCE, AUDIT_MS_MAX, AUDIT_RECORDS_MAX } from '../../../src/limits.ts';
import { createJournal } from '../../../src/persistence/journal/journal.ts';
import { numberedKey } from '../../../src/persistence/format/keys.ts';
import { type FaultyStore } from '../../../src/testing/faulty-store.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { clerk, note } from '../../support/actors/clerk.ts';
import { crash, started } from '../../support/actors/started.ts';
import { byEffort, LONG } from '../../support/effort.ts';

const as = { by: 'ada', reason: 'because' };
const FOLDED = { journal: { fold: { windowEpochs: 4 } } };

const start = (options = {}) =>
  started({
    agents: [clerk],
    tree: { children: ['c', 'd', 'unmistakable'].map((id) => ({ id, agent: 'clerk' })) },
    ...FOLDED,
    ...options,
  });

/** Gives orders that are written together. */
const resumed = (test: TestSystem, count: number, address = 'c') =>
  Promise.all(Array.from({ length: count }, () => test.shard.admin.resume(address, as)));

/** Writes epochs until the fold has written all that was pending. */
async function folded(test: TestSystem): Promise<void> {
  for (let n = 0; n < 200; n++) await test.shard.send('d', note('x'));
  await test.settle();
}

const numbersOf = (records: readonly AuditRecord[]) => records.map(({ number }) => number);
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
const isKept = (key: string) =>
  [KEYSPACE.records, KEYSPACE.recordKeys, KEYSPACE.turnSpans].some((one) => key.startsWith(`${one}!`));
const rowsOf = (test: TestSystem, letters: string) => test.store.entries().filter(([key]) => letters.includes(key[0]!));
const bytesOf = (test: TestSystem, letters: string) =>
  Buffer.concat(rowsOf(test, letters).flatMap(([key, value]) => [Buffer.from(key), value]));

describe('a start', () => {
  it.each([undefined, 1])('reads no record of the audit, with residentActors %s', async (residentActors) => {
    const test = await start({ residentActors });
    await resumed(test, 20);
    await folded(test);
    const before = await test.shard.admin.audit();
    expect(numbersOf(before)).toEqual(down(20, 1));
    test.store.reads = [];
    await crash(test);
    expect(test.store.reads.filter(isKept)).toEqual([]);
    expect(await test.shard.admin.audit()).toEqual(before);
  });

  it('goes on with the next number, and leaves an order open that an earlier run has left', async () => {
    const test = await start();
    await test.shard.stop();
    await test.restart({ hold: true });
    await test.shard.boss('root', as).terminateChild('c');
    await test.shard.stop();
    await test.restart();
    await resumed(test, 1, 'd');
    expect((await test.shard.admin.audit()).map(({ number, outcome }) => [number, outcome])).toEqual([
      [2, 'done'],
      [1, 'open'],
    ]);
  });
});

describe('the audit of one address', () => {
  it('is read without the orders about other addresses', async () => {
    const test = await start();
    await resumed(test, 30);
    await resumed(test, 3, 'd');
    await resumed(test, 30);
    await folded(test);
    test.store.reads = [];
    expect(numbersOf(await test.shard.admin.audit({ address: 'd' }))).toEqual([33, 32, 31]);
    const rows = test.store.reads.filter((key) => key.startsWith(`${KEYSPACE.records}!`));
    expect(new Set(rows).size).toBe(3);
    expect(await test.shard.admin.audit({ address: 'nobody' })).toEqual([]);
  });

  it('is listed a page at a time, as all orders are', async () => {
    const test = await start();
    for (const address of ['c', 'd', 'c', 'd', 'c']) await resumed(test, 1, address);
    const page = async (options: object) => numbersOf(await test.shard.admin.audit(options));
    expect(await page({ limit: 2 })).toEqual([5, 4]);
    expect(await page({ before: 4, limit: 2 })).toEqual([3, 2]);
    expect(await page({ address: 'c', limit: 2 })).toEqual([5, 3]);
    expect(await page({ address: 'c', before: 3, limit: 2 })).toEqual([1]);
  });

  it('has an order under the address that it has got with its result', async () => {
    const test = await start({
      tree: { children: [{ id: 'b', boss: { strategy: 'dynamic', template: { agent: 'clerk' } } }] },
    });
    const address = await test.shard.boss('b', as).startChild();
    expect(await test.shard.admin.audit({ address })).toMatchObject([{ order: 'startChild', outcome: 'done' }]);
    expect(await test.shard.admin.audit({ address: 'b' })).toEqual([]);
  });
});

describe('the bounds of the audit', () => {
  it(`are ${AUDIT_RECORDS_MAX} records: the oldest is dropped for a new one`, LONG, async () => {
    const test = await start();
    for (let left = AUDIT_RECORDS_MAX; left > 0; left -= 1_000) await resumed(test, 1_000);
    expect(numbersOf(await test.shard.admin.audit())).toEqual(down(AUDIT_RECORDS_MAX, 1));
    await resumed(test, 3);
    await folded(test);
    expect(numbersOf(await test.shard.admin.audit())).toEqual(down(AUDIT_RECORDS_MAX + 3, 4));
    expect([rowsOf(test, KEYSPACE.records).length, rowsOf(test, KEYSPACE.recordKeys).length]).toEqual([
      AUDIT_RECORDS_MAX,
      AUDIT_RECORDS_MAX,
    ]);
  });

  it('are a year: older records are not listed, and two of them are dropped for a new one', async () => {
    const test = await start();
    await resumed(test, 5);
    await test.advance(AUDIT_MS_MAX - 1);
    expect(await test.shard.admin.audit()).toHaveLength(5);
    await test.advance(1);
    expect(await test.shard.admin.audit()).toEqual([]);
    await resumed(test, 1);
    await folded(test);
    expect(numbersOf(await test.shard.admin.audit())).toEqual([6]);
    expect(rowsOf(test, KEYSPACE.records)).toHaveLength(4);
    for (let n = 0; n < 3; n++) await resumed(test, 1);
    await folded(test);
    expect(rowsOf(test, KEYSPACE.records)).toHaveLength(4);
    expect(rowsOf(test, KEYSPACE.recordKeys)).toHaveLength(4);
  });
});

describe('the numbers of the audit', () => {
  it('have no gap and no duplicate over random crashes, and no acknowledged order is missing', LONG, async () => {
    const round = fc.record({ awaited: fc.nat(3), cutOff: fc.nat(3), isFolded: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 6 }), async (rounds) => {
        const test = await start();
        let given = 0;
        let number = 0;
        const order = (by: number) => test.shard.admin.resume('c', { by: String(by) });
        for (const { awaited, cutOff, isFolded } of rounds) {
          for (let n = 0; n < awaited; n++) await order(++given);
          // Cut off before they are written.
          for (let n = 0; n < cutOff; n++) order(0).catch(() => {});
          if (isFolded) await folded(test);
          await crash(test);
          const records = await test.shard.admin.audit();
          number = records.length;
          expect(numbersOf(records)).toEqual(number === 0 ? [] : down(number, 1));
          const known = records.map(({ by }) => Number(by)).filter((by) => by > 0);
          expect(known).toEqual(given === 0 ? [] : down(given, 1));
        }
        await test.shard.stop();
      }),
      { numRuns: byEffort({ quick: 10, ci: 60 }) },
    );
  });

  it('have no gap and no duplicate wherever the power is cut while orders are given and closed', async () => {
    for (let cut = 1; cut <= 8; cut++) {
      const test = await start({ journal: { fold: { windowEpochs: 1 } } });
      let held = test.store.hold('durable');
      const script = async () => {
        for (;;) {
          await test.shard.boss('root', as).terminateChild('c');
          await test.shard.boss('root', as).restartChild('c');
        }
      };
      script().catch(() => {});
      for (let write = 1; ; write++) {
        await held.reached;
        if (write === cut) break;
        const before = held;
        held = test.store.hold('durable');
        before.release();
      }
      await crash(test);
      const records = await test.shard.admin.audit();
      expect(records.length).toBeGreaterThan(0);
      expect(numbersOf(records)).toEqual(down(records.length, 1));
      await resumed(test, 1, 'd').catch(() => {});
      expect(numbersOf(await test.shard.admin.audit())).toEqual(down(records.length + 1, 1));
      await test.shard.stop();
    }
  });
});

describe('an erasure', () => {
  it('leaves the address in no byte of records and index, in slices, while orders are given', async () => {
    const test = await start();
    const count = KEPT_ERASED_AT_ONCE + 50;
    await resumed(test, count, 'unmistakable');
    await resumed(test, 5);
    await folded(test);
    expect(bytesOf(test, 'RK').includes('unmistakable')).toBe(true);
    const erased = test.shard.erase('unmistakable', as);
    await Promise.all(Array.from({ length: 20 }, () => resumed(test, 1)));
    await erased;
    await folded(test);
    expect(bytesOf(test, 'RK').includes('unmistakable')).toBe(false);
    const records = await test.shard.admin.audit();
    expect(numbersOf(records)).toEqual(down(count + 26, 1));
    expect(records.filter(({ address }) => address === '')).toHaveLength(count + 1);
    expect(await test.shard.admin.audit({ address: '', limit: 1 })).toMatchObject([
      { order: 'erase', outcome: 'done' },
    ]);
    expect(rowsOf(test, 'K')).toHaveLength(count + 26);
    await crash(test);
    expect(await test.shard.admin.audit()).toEqual(records);
  });

  it('leaves no byte of the address even if a record is damaged', async () => {
    const test = await start();
    await resumed(test, 3, 'unmistakable');
    await folded(test);
    test.store.flip(rowsOf(test, 'R')[1]![0], 20);
    await test.shard.erase('unmistakable', as);
    expect(bytesOf(test, 'RK').includes('unmistakable')).toBe(false);
    expect(numbersOf(await test.shard.admin.audit())).toEqual([4, 3, 1]);
  });
});

describe('orders given while the store is closed', () => {
  const rounds = async (test: TestSystem) => {
    for (let round = 0; round < 20; round++) await new Promise<void>((resolve) => test.clock.defer(resolve));
  };

  it('are recorded and closed in the epoch of their effect, and the audit cannot be read', async () => {
    const test = await start();
    await resumed(test, 2);
    const pending: Promise<unknown>[] = [];
    const refused: unknown[] = [];
    test.store.compact = async () => {
      await test.store.close();
      await test.shard.admin.audit().catch((error: unknown) => refused.push(error));
      pending.push(resumed(test, 2), test.shard.boss('root', as).terminateChild('d'));
      await rounds(test);
      await test.store.open();
    };
    await test.shard.erase('unmistakable');
    await Promise.all(pending);
    delete test.store.compact;
    expect(refused).toMatchObject([{ code: 'BOSUN_STORE_FAILED' }]);
    await crash(test);
    const records = await test.shard.admin.audit();
    expect(numbersOf(records)).toEqual(down(6, 1));
    expect(records.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 6 }, () => 'done'));
  });

  it('are recorded and closed even if this run has not read the numbers of the audit', async () => {
    const test = await start();
    await resumed(test, 2);
    await crash(test);
    const pending: Promise<unknown>[] = [];
    const open = test.store.open.bind(test.store);
    test.store.open = async () => {
      test.store.open = open;
      pending.push(resumed(test, 2), test.shard.boss('root', as).terminateChild('d'));
      await rounds(test);
      await open();
    };
    test.store.failWrites(1);
    await test.shard.send('c', note('x'));
    expect(pending).toHaveLength(2);
    await Promise.all(pending);
    await crash(test);
    const records = await test.shard.admin.audit();
    expect(numbersOf(records)).toEqual(down(5, 1));
    expect(records.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'done'));
  });
});

describe('the rows of earlier versions', () => {
  const nowMs = new VirtualClock().wallMs();

  const old = (number: number, address: string): readonly [RowKey, OldAuditRow] => [
    numberedKey(KEYSPACE.audit, number),
    [nowMs + number, 'bob', null, 'suspend', address, 2, '{"old":true}', number === 5 ? 'open' : 'done'],
  ];

  /** Puts rows into a stopped store, as one epoch. */
  async function written(store: FaultyStore, rows: ReadonlyMap<RowKey, unknown>): Promise<void> {
    const journal = createJournal(store);
    const { epoch, kernelTimeMs, counters } = await journal.open({
      Class: class {} as never,
      encode: () => ({ life: 0, address: '' }),
      decode: (fields) => fields,
    });
    const deltas = journal.codec.deltas().take();
    const rest = { concealed: new Map(), images: [], configurations: [] };
    await journal.commit({ number: epoch + 1, kernelTimeMs, counters, deltas, rows, ...rest });
    await journal.close();
  }

  it.each([{}, { hold: true }])(
    'come into the present form in their order, in the first epoch: %o',
    async (options) => {
      const test = await start();
      await test.shard.stop();
      await written(test.store, new Map([old(9, 'd'), old(3, 'c'), old(5, 'c')]));
      await test.restart(options);
      const told = (records: readonly AuditRecord[]) =>
        records.map(({ number, atMs, by, address, outcome }) => [number, atMs, by, address, outcome]);
      const all = [
        [3, nowMs + 9, 'bob', 'd', 'done'],
        [2, nowMs + 5, 'bob', 'c', 'open'],
        [1, nowMs + 3, 'bob', 'c', 'done'],
      ];
      expect(told(await test.shard.admin.audit())).toEqual(all);
      await test.settle();
      expect(told(await test.shard.admin.audit())).toEqual(all);
      expect(told(await test.shard.admin.audit({ address: 'c', before: 3 }))).toEqual(all.slice(1));
      await crash(test);
      await test.shard.stop();
      await test.restart();
      await resumed(test, 1);
      await folded(test);
      expect(told((await test.shard.admin.audit()).slice(1))).toEqual(all);
      expect(rowsOf(test, KEYSPACE.audit)).toEqual([]);
    },
  );

  it('stay as they are if the power is cut before that epoch', async () => {
    const test = await start();
    await test.shard.stop();
    await written(test.store, new Map([old(1, 'c')]));
    for (const point of ['before', 'durable'] as const) {
      const held = test.store.hold(point);
      void test.restart().catch(() => {});
      await held.reached;
      expect(numbersOf(await test.shard.admin.audit())).toEqual([1]);
      await test.crash();
    }
    await test.restart();
    expect(numbersOf(await test.shard.admin.audit())).toEqual([1]);
  });
});
