/** Records: kept by count and age, removed with their actor; under crashes, damage and with secrets. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { KEYSPACE } from '../../../src/actors/model/ports.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { RECORDS_SWEPT_EVERY_MS } from '../../../src/limits.ts';
import { crash } from '../../support/actors/started.ts';
import {
  counter,
  type Event,
  events,
  folded,
  machine,
  MINUTE_MS,
  notes,
  scribe,
  send,
  start,
  storedKeys,
  whats,
} from '../../support/actors/scribe.ts';
import { byEffort, LONG } from '../../support/effort.ts';

describe('records of one actor', () => {
  it('are only the latest, as many as the agent keeps, in the store too', async () => {
    const test = await start({ keep: 3 });
    await send(test, ...notes(1, 2, 3, 4, 5), { type: 'note', what: 6, by: 'x' });
    expect(await whats(test)).toEqual([4, 5, 6]);
    expect(await test.shard.records.list('s', 'notes')).toMatchObject({ first: 4, next: null, missing: 0 });
    await send(test, { type: 'note', what: 7, by: 'y' }, ...notes(8, 9));
    await folded(test);
    expect(storedKeys(test, 'R')).toHaveLength(3);
    expect(storedKeys(test, 'K')).toHaveLength(1);
  });

  it('shrink to a lower bound by two per new record, and are not shown beyond the bound', async () => {
    const test = await start();
    await send(test, ...notes(1, 2, 3, 4, 5, 6));
    await crash(test);
    await test.shard.stop();
    await test.restart({ agents: [scribe({ keep: 2 }), counter] });
    expect(await whats(test)).toEqual([5, 6]);
    await send(test, ...notes(7));
    await folded(test);
    expect(storedKeys(test, 'R')).toHaveLength(5);
    await send(test, ...notes(8, 9, 10, 11));
    await folded(test);
    expect(storedKeys(test, 'R')).toHaveLength(2);
  });

  it('are not shown once they are too old, and are removed by the hourly sweep', async () => {
    const test = await start({ forMs: 10 * MINUTE_MS });
    await send(test, { type: 'note', what: 'old', by: 'x' }, ...notes('old too'));
    await test.advance(9 * MINUTE_MS);
    await send(test, ...notes('young'));
    expect(await whats(test)).toEqual(['old', 'old too', 'young']);
    await test.advance(2 * MINUTE_MS);
    expect(await whats(test)).toEqual(['young']);
    const found = await test.shard.records.find('scribe', 'notes', ['by', 'x']);
    expect(found.records).toEqual([]);
    await test.advance(RECORDS_SWEPT_EVERY_MS);
    await folded(test);
    await folded(test);
    expect(storedKeys(test, 'RK')).toEqual([]);
    await send(test, ...notes('next'));
    expect((await test.shard.records.list('s', 'notes')).records).toMatchObject([{ number: 4 }]);
  });
});

describe('the hourly sweep of records', () => {
  it('removes all records that are too old, even hundreds of one actor', async () => {
    const test = await start({ forMs: 10 * MINUTE_MS });
    for (let n = 0; n < 7; n++) await send(test, { type: 'many', count: 100 });
    await test.shard.send('t', { type: 'note', what: 'old', by: 'x' });
    await test.advance(11 * MINUTE_MS + RECORDS_SWEPT_EVERY_MS);
    await send(test, ...notes('young'));
    await folded(test);
    await folded(test);
    expect(await whats(test)).toEqual(['young']);
    expect(storedKeys(test, 'RK')).toHaveLength(1);
  });
});

describe('the end of an actor', () => {
  it('hides its records at once and removes them in slices, over a crash too', async () => {
    const test = await start();
    for (let n = 0; n < 6; n++) await send(test, { type: 'many', count: 100 });
    await send(test, { type: 'note', what: 'keyed', by: 'x' });
    await folded(test);
    expect(storedKeys(test, 'R').length).toBeGreaterThan(500);
    await test.shard.send('s', { type: 'end' });
    await test.shard
      .boss()
      .terminateChild('s')
      .catch(() => {});
    await test.shard
      .boss()
      .deleteChild('s')
      .catch(() => {});
    await crash(test);
    expect((await test.shard.records.find('scribe', 'notes', ['by', 'x'])).records).toEqual([]);
    await folded(test);
    await folded(test);
    expect(storedKeys(test, 'RKP')).toEqual([]);
  });

  it('reads records with keys asynchronously before it removes their rows and key rows', async () => {
    const test = await start();
    const count = 150;
    await send(test, ...Array.from({ length: count }, (_, what): Event => ({ type: 'note', what, by: 'x' })));
    await folded(test);
    const beside = vi.spyOn(test.store, 'get');
    await test.shard.boss().terminateChild('s');
    await test.shard.idle();
    await folded(test);
    const read = new Set(beside.mock.calls.map(([key]) => key).filter((key) => key.startsWith(KEYSPACE.records)));
    expect(read.size).toBe(count);
    expect(storedKeys(test, 'RKP')).toEqual([]);
  });

  it('the end of an actor by erasure leaves no byte of its records', async () => {
    const test = await start();
    await send(test, ...notes('unmistakable', 'b'), { type: 'note', what: 'x', by: 'unmistakable too' });
    await test.shard.erase('s');
    const bytes = Buffer.concat(test.store.entries().flatMap(([key, value]) => [Buffer.from(key), value]));
    expect(bytes.includes('unmistakable')).toBe(false);
  });

  it('the end of an actor by erasure leaves no key row of its records, even if one record is damaged', async () => {
    const test = await start();
    await send(test, ...[1, 2, 3].map((what): Event => ({ type: 'note', what, by: 'unmistakable' })));
    await test.shard.send('t', { type: 'note', what: 4, by: 'unmistakable' });
    await folded(test);
    test.store.flip(storedKeys(test, 'R')[1]!, 20);
    await test.shard.erase('s');
    expect(storedKeys(test, 'RK')).toHaveLength(2);
  });
});

it('records with a secret field are encrypted in the store, and their keys stay legible', async () => {
  const agent = defineAgent({
    name: 'scribe',
    machine,
    events,
    records: {
      notes: { schema: z.object({ what: secret(z.unknown()), by: z.unknown() }), keys: { by: 'by' } },
      checked: {},
    },
  });
  const test = await start({ agents: [agent, counter], secretKey: Buffer.alloc(32, 7).toString('base64') });
  await send(test, { type: 'note', what: 'hush-hush', by: 'legible' });
  await folded(test);
  const bytes = Buffer.concat(test.store.entries().flatMap(([key, value]) => [Buffer.from(key), value]));
  expect(bytes.includes('hush-hush')).toBe(false);
  expect(bytes.includes('legible')).toBe(true);
  await crash(test);
  expect(await whats(test)).toEqual(['hush-hush']);
  await test.shard.stop();
  await test.restart({ secretKey: Buffer.alloc(32, 8).toString('base64') });
  const missing = { code: 'BOSUN_SECRET_KEY' };
  await expect(test.shard.records.list('s', 'notes')).rejects.toMatchObject(missing);
  await expect(test.shard.records.find('scribe', 'notes', ['by', 'legible'])).rejects.toMatchObject(missing);
});

it('records may not have a key that is secret, by itself or as part of a secret value', () => {
  const declare = (schema: z.ZodType) => () =>
    defineAgent({ name: 'scribe', machine, events, records: { notes: { schema, keys: { by: 'by' } } } });
  for (const schema of [
    z.object({ by: secret(z.string()).optional() }),
    secret(z.object({ by: z.string() })),
    z.union([z.object({ by: z.string() }), z.object({ by: secret(z.string()) })]),
    z.record(z.string(), secret(z.string())),
  ])
    expect(declare(schema)).toThrow('keys.by: "by" is secret');
  expect(declare(z.object({ by: z.string(), what: secret(z.string()) }))).not.toThrow();
});

it('records are not read by a start', async () => {
  const test = await start();
  await send(test, { type: 'many', count: 50 });
  await folded(test);
  expect(storedKeys(test, 'R')).toHaveLength(50);
  test.store.reads = [];
  await crash(test);
  expect(test.store.reads.filter((key) => key.startsWith('R!') || key.startsWith('K!'))).toEqual([]);
});

it('records that are damaged are left out one by one and reported', async () => {
  const test = await start();
  await send(test, ...notes('a', 'b', 'c'));
  await folded(test);
  const [, key] = storedKeys(test, 'R');
  test.store.flip(key!, 20);
  expect(await whats(test)).toEqual(['a', 'c']);
  expect((await test.shard.records.list('s', 'notes')).missing).toBe(1);
  expect(test.shard.damage()).toMatchObject([{ code: 'BOSUN_STORE_DAMAGED', details: { key } }]);
});

it('records are found beyond a damaged key row, in both directions', async () => {
  const test = await start();
  for (const what of [1, 2, 3, 4, 5, 6]) await send(test, { type: 'note', what, by: 'x' });
  await folded(test);
  for (const damaged of [1, 2]) test.store.flip(storedKeys(test, 'K')[damaged]!, 2);
  for (const newestFirst of [false, true]) {
    const read: unknown[] = [];
    let from: string | undefined;
    do {
      const page = await test.shard.records.find('scribe', 'notes', ['by', 'x'], { limit: 1, from, newestFirst });
      read.push(...page.records.map(({ value }) => (value as { what: unknown }).what));
      from = page.next ?? undefined;
    } while (from !== undefined);
    expect(read).toEqual(newestFirst ? [6, 5, 4, 1] : [1, 4, 5, 6]);
  }
});

it('records are found by a key with one read per item of a page, however many are still in the journal', async () => {
  const test = await start();
  for (let what = 1; what <= 30; what++) await send(test, { type: 'note', what, by: 'x' });
  await folded(test);
  await send(test, ...Array.from({ length: 20 }, (_, n) => ({ type: 'note' as const, what: 31 + n, by: 'x' })));
  test.store.reads = [];
  const { records } = await test.shard.records.find('scribe', 'notes', ['by', 'x'], { limit: 3 });
  expect(records.map(({ value }) => (value as { what: unknown }).what)).toEqual([1, 2, 3]);
  expect(test.store.reads.filter((key) => key.startsWith(`${KEYSPACE.recordKeys}!`))).toHaveLength(4);
});

it('records are numbered without gaps or duplicates over random crashes', LONG, async () => {
  let crashed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ count: fc.nat(4), crashes: fc.boolean() }), { minLength: 1, maxLength: 8 }),
      async (rounds) => {
        const test = await start({ keep: 5, residentActors: 1 });
        let acknowledged = 0;
        for (const { count, crashes } of rounds) {
          for (let n = 0; n < count; n++) await test.shard.send('s', { type: 'note', what: ++acknowledged });
          if (crashes) await crash(test);
          else await test.settle();
          crashed += Number(crashes);
        }
        await test.settle();
        const { records, first } = await test.shard.records.list('s', 'notes', { limit: 1_000 });
        const numbers = records.map(({ number }) => number);
        expect(first).toBe(Math.max(1, acknowledged - 4));
        expect(numbers).toEqual(Array.from({ length: Math.min(5, acknowledged) }, (_, i) => first + i));
        expect(records.map(({ value }) => (value as { what: number }).what)).toEqual(numbers);
        await test.shard.stop();
      },
    ),
    { numRuns: byEffort({ quick: 40, ci: 150 }) },
  );
  expect(crashed).toBeGreaterThan(byEffort({ quick: 50, ci: 200 }));
});
