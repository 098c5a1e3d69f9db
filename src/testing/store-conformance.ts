/**
 * Requirements of every Store, as one test suite. Authors of stores run it with their test API:
 *
 *   storeConformance('my store', { describe, it }, async () => ({ store, reopen, dispose }));
 */
import { deepStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { type Store, type StoreRange, type StoreWrite } from '../actors/model/ports.ts';
import { type ErrorCode } from '../error-codes.ts';
import { isBosunError } from '../errors.ts';

/** The part of a test runner that the suite needs. vitest, node:test and mocha have it. */
export interface TestApi {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

export interface StoreUnderTest {
  /** A store that is open and empty. */
  readonly store: Store;
  /** Closes the store and opens the same data again, in the same object or another. */
  reopen(): Promise<Store>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

const EVERYTHING = { gte: ' ', lt: '\x7f' };
const SYNC = { sync: true };

/** More keys than any store returns in one batch of a scan. */
const MANY = 2_500;

const BIG_BYTES = 1024 * 1024;

/** Declares the tests that every store must pass. */
export function storeConformance(name: string, { describe, it }: TestApi, create: () => Promise<StoreUnderTest>): void {
  /** Declares one rule: opens a fresh store, runs the check, and always cleans up. */
  const rule = (title: string, check: (store: Store, subject: StoreUnderTest) => Promise<void>): unknown =>
    it(title, async () => {
      const subject = await create();
      try {
        await check(subject.store, subject);
      } finally {
        await subject.dispose();
      }
    });

  describe(`${name} as a store`, () => {
    describe('values', () => valueRules(rule));
    describe('reading', () => readingRules(rule));
    describe('scans', () => scanRules(rule));
    describe('writes', () => writeRules(rule));
    describe('snapshots, if it has any', () => snapshotRules(rule));
    describe('compaction, if it has any', () => compactionRules(rule));
    describe('opening and closing', () => lifeRules(rule));
  });
}

type Rule = (title: string, check: (store: Store, subject: StoreUnderTest) => Promise<void>) => unknown;

function readingRules(rule: Rule): void {
  rule(
    'reads at once what it reads, if it can: also while a write is under way, and not once it is closed',
    async (store) => {
      if (store.getSync === undefined) return;
      await store.write([put('a', 'one')], SYNC);
      const written = store.write([put('b', 'two')], SYNC);
      strictEqual(Buffer.from(store.getSync('a')!).toString(), 'one');
      await written;
      strictEqual(Buffer.from(store.getSync('b')!).toString(), 'two');
      strictEqual(store.getSync('c'), undefined);
      await store.close();
      await rejects(
        async () => store.getSync!('a'),
        (error) => isBosunError(error, 'BOSUN_STORE_FAILED'),
      );
    },
  );
  rule('reads several at once, if it can, in the order in which they are asked for', async (store) => {
    if (store.getMany === undefined) return;
    await store.write([put('a', 'one'), put('b', 'two'), put('c', '')], SYNC);
    const found = await store.getMany(['b', 'missing', 'c', 'a', 'b']);
    deepStrictEqual(
      found.map((value) => value && Buffer.from(value).toString()),
      ['two', undefined, '', 'one', 'two'],
    );
    deepStrictEqual(await store.getMany([]), []);
    const keys = Array.from({ length: 100 }, (_, n) => `many${n}`);
    await store.write(
      keys.map((key) => put(key, key)),
      SYNC,
    );
    deepStrictEqual(
      (await store.getMany(keys)).map((value) => value && Buffer.from(value).toString()),
      keys,
    );
  });
}

function valueRules(rule: Rule): void {
  rule('gives back what was written, and undefined for what was not', async (store) => {
    await store.write([put('a', 'one')], SYNC);
    strictEqual(await textAt(store, 'a'), 'one');
    strictEqual(await store.get('b'), undefined);
  });
  rule('keeps empty values apart from missing ones', async (store) => {
    await store.write([put('empty', '')], SYNC);
    strictEqual((await store.get('empty'))?.length, 0);
    deepStrictEqual(await keysIn(store, EVERYTHING), ['empty']);
  });
  rule('keeps every byte of a value of 1 MiB', async (store, { reopen }) => {
    const value = Uint8Array.from({ length: BIG_BYTES }, (_, i) => (i * 31 + (i >>> 8)) & 0xff);
    await store.write([{ key: 'big', value }], SYNC);
    const read = await (await reopen()).get('big');
    strictEqual(Buffer.compare(read ?? new Uint8Array(), value), 0);
  });
  rule('overwrites', async (store) => {
    await store.write([put('a', 'one')], SYNC);
    await store.write([put('a', 'two')], SYNC);
    strictEqual(await textAt(store, 'a'), 'two');
    deepStrictEqual(await keysIn(store, EVERYTHING), ['a']);
  });
  rule('does not see what the writer does to its buffer afterwards', async (store) => {
    const value = Buffer.from('before');
    await store.write([{ key: 'a', value }, put('b', '')], SYNC);
    value.fill(0);
    strictEqual(await textAt(store, 'a'), 'before');
  });
  rule('does not hand out its own bytes', async (store) => {
    await store.write([put('a', 'one')], SYNC);
    (await store.get('a'))?.fill(0);
    for await (const batch of store.scan(EVERYTHING)) for (const [, value] of batch) value.fill(0);
    strictEqual(await textAt(store, 'a'), 'one');
  });
}

function scanRules(rule: Rule): void {
  rule('returns entries in the order of their code units', async (store) => {
    const keys = ['a!2', 'a!10', 'A!', 'a!', 'a"', '~', '!', 'a!1', 'b', 'a'];
    await fill(store, keys);
    deepStrictEqual(await keysIn(store, EVERYTHING), [...keys].sort());
  });
  rule('includes the lower end and excludes the upper one', async (store) => {
    await fill(store, ['a', 'b', 'c', 'd']);
    deepStrictEqual(await keysIn(store, { gte: 'b', lt: 'd' }), ['b', 'c']);
    deepStrictEqual(await keysIn(store, { gte: 'bb', lt: 'cc' }), ['c']);
    deepStrictEqual(await keysIn(store, { gte: 'b', lt: 'b' }), []);
  });
  rule('keeps prefixes apart that end in "!"', async (store) => {
    await fill(store, ['m!1', 'm!', 'm"', 'm', 'n!1', 'm!~']);
    deepStrictEqual(await keysIn(store, { gte: 'm!', lt: 'm"' }), ['m!', 'm!1', 'm!~']);
  });
  rule(`returns more entries than fit one batch, each once`, async (store) => {
    const keys = Array.from({ length: MANY }, (_, i) => `k${String(i).padStart(6, '0')}`);
    await fill(store, keys);
    deepStrictEqual(await keysIn(store, EVERYTHING), keys);
  });
  rule('returns no more entries than its limit', async (store) => {
    await fill(store, ['a', 'b', 'c', 'd']);
    deepStrictEqual(await keysIn(store, { gte: 'b', lt: 'z', limit: 2 }), ['b', 'c']);
  });
  rule('returns entries from the last one on in reverse, no more than its limit', async (store) => {
    await fill(store, ['a', 'b', 'c', 'd']);
    deepStrictEqual(await keysIn(store, { gte: 'b', lt: 'z', reverse: true }), ['d', 'c', 'b']);
    deepStrictEqual(await keysIn(store, { gte: 'a', lt: 'd', limit: 2, reverse: true }), ['c', 'b']);
  });
  rule('may be left early', async (store) => {
    await store.write(
      Array.from({ length: MANY }, (_, i) => put(`k${i}`, '')),
      SYNC,
    );
    for await (const batch of store.scan(EVERYTHING)) if (batch.length > 0) break;
    await store.write([put('after', '')], SYNC);
    strictEqual(await textAt(store, 'after'), '');
  });
}

function writeRules(rule: Rule): void {
  rule('deletes, and takes the deletion of what is not there', async (store) => {
    await store.write([put('a', 'one'), put('b', 'two')], SYNC);
    await store.write([remove('a')], SYNC);
    await store.write([remove('a'), remove('missing')], SYNC);
    deepStrictEqual(await keysIn(store, EVERYTHING), ['b']);
  });
  rule('applies the entries of one write in their order', async (store) => {
    await store.write(
      [put('a', 'one'), put('a', 'two'), put('b', 'one'), remove('b'), remove('c'), put('c', 'two')],
      SYNC,
    );
    strictEqual(await textAt(store, 'a'), 'two');
    deepStrictEqual(await keysIn(store, EVERYTHING), ['a', 'c']);
  });
  rule('applies a write whole or not at all', async (store) => {
    await store.write([put('a', 'old')], SYNC);
    await refused(store.write([put('a', 'new'), put('', 'no such key'), put('b', 'new')], SYNC), 'BOSUN_INTERNAL');
    strictEqual(await textAt(store, 'a'), 'old');
    strictEqual(await store.get('b'), undefined);
  });
  rule('refuses keys that are not printable ASCII: stores would order them differently', async (store) => {
    for (const key of ['', 'é', '\u{1f6a2}', 'a\nb', 'a\0']) {
      await refused(store.write([put(key, '')], SYNC), 'BOSUN_INTERNAL');
    }
    deepStrictEqual(await keysIn(store, EVERYTHING), []);
  });
  rule('keeps the order of many writes, synced and not', async (store, { reopen }) => {
    for (let i = 0; i < 200; i++) {
      await store.write([put('last', String(i)), put(`k${String(i).padStart(3, '0')}`, '')], { sync: i % 50 === 0 });
    }
    const again = await reopen();
    strictEqual(await textAt(again, 'last'), '199');
    strictEqual((await keysIn(again, { gte: 'k', lt: 'l' })).length, 200);
  });
}

function snapshotRules(rule: Rule): void {
  rule('show what there was, whatever is written meanwhile', async (store) => {
    await store.write([put('a', 'one'), put('b', 'two')], SYNC);
    const snapshot = await store.snapshot?.();
    if (snapshot === undefined) return;
    await store.write([remove('a'), put('b', 'three'), put('c', 'four')], SYNC);
    const seen: string[] = [];
    for await (const batch of snapshot.scan(EVERYTHING))
      for (const [key, value] of batch) seen.push(`${key}=${Buffer.from(value).toString()}`);
    deepStrictEqual(seen, ['a=one', 'b=two']);
    await snapshot.close();
    deepStrictEqual(await keysIn(store, EVERYTHING), ['b', 'c']);
  });
  rule('return more entries than fit one batch, each once', async (store) => {
    const keys = Array.from({ length: MANY }, (_, i) => `k${String(i).padStart(6, '0')}`);
    await fill(store, keys);
    const snapshot = await store.snapshot?.();
    if (snapshot === undefined) return;
    deepStrictEqual(await keysIn(snapshot, EVERYTHING), keys);
    await snapshot.close();
  });
}

function compactionRules(rule: Rule): void {
  rule('changes nothing that can be read, and the store goes on', async (store, { reopen }) => {
    await store.write([put('a', 'one'), put('b', 'two')], SYNC);
    await store.write([remove('a')], SYNC);
    await store.compact?.();
    deepStrictEqual(await keysIn(store, EVERYTHING), ['b']);
    await store.write([put('c', 'three')], SYNC);
    deepStrictEqual(await keysIn(await reopen(), EVERYTHING), ['b', 'c']);
  });
}

function lifeRules(rule: Rule): void {
  rule('keeps its data over close and open', async (store, { reopen }) => {
    await store.write([put('a', 'one'), put('b', 'two')], SYNC);
    await store.write([remove('a')], SYNC);
    const again = await reopen();
    deepStrictEqual(await keysIn(again, EVERYTHING), ['b']);
    strictEqual(await textAt(again, 'b'), 'two');
  });
  rule('refuses a second open and goes on', async (store) => {
    await refused(store.open(), 'BOSUN_STORE_LOCKED');
    await store.write([put('a', 'one')], SYNC);
    strictEqual(await textAt(store, 'a'), 'one');
  });
  rule('refuses reads and writes once it is closed', async (store) => {
    await store.close();
    await refused(store.write([put('a', 'one')], SYNC), 'BOSUN_STORE_FAILED');
    await refused(store.get('a'), 'BOSUN_STORE_FAILED');
    await refused(keysIn(store, EVERYTHING), 'BOSUN_STORE_FAILED');
  });
  rule('may be closed twice', async (store) => {
    await store.close();
    await store.close();
  });
}

function put(key: string, text: string): StoreWrite {
  return { key, value: Buffer.from(text) };
}

function remove(key: string): StoreWrite {
  return { key, value: null };
}

/** Writes each key with itself as value. */
async function fill(store: Store, keys: readonly string[]): Promise<void> {
  const writes = keys.map((key) => put(key, key));
  await store.write(writes, SYNC);
}

async function textAt(store: Store, key: string): Promise<string | undefined> {
  const value = await store.get(key);
  return value && Buffer.from(value).toString();
}

async function keysIn(store: Pick<Store, 'scan'>, range: StoreRange): Promise<string[]> {
  const keys: string[] = [];
  for await (const batch of store.scan(range)) for (const [key] of batch) keys.push(key);
  return keys;
}

async function refused(promise: Promise<unknown>, code: ErrorCode): Promise<void> {
  await rejects(promise, (error: unknown) => isBosunError(error, code));
}
