import { beforeEach, describe, expect, it } from 'vitest';
import { type StoreWrite } from '../../src/actors/model/ports.ts';
import { faultyStore, type FaultyStore } from '../../src/testing/faulty-store.ts';

let store: FaultyStore;
beforeEach(async () => {
  store = faultyStore();
  await store.open();
});

const put = (key: string): StoreWrite[] => [{ key, value: Buffer.from(key) }];
const keys = () => store.entries().map(([key]) => key);
const SYNC = { sync: true };
const LAZY = { sync: false };

describe('a power cut', () => {
  beforeEach(async () => {
    await store.write(put('a'), LAZY);
    await store.write(put('b'), SYNC);
    await store.write(put('c'), LAZY);
    await store.write(put('d'), LAZY);
  });

  it('removes every write after the last synced one', () => {
    store.crash();
    expect(keys()).toEqual(['a', 'b']);
  });

  it('keeps the given number of unsynced writes, in order', () => {
    store.crash({ keepUnsynced: 1 });
    expect(keys()).toEqual(['a', 'b', 'c']);
  });

  it('closes the store, and later power cuts do not remove what it kept', async () => {
    store.crash({ keepUnsynced: 1 });
    await expect(store.get('a')).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    await store.open();
    await store.write(put('e'), LAZY);
    store.crash();
    expect(keys()).toEqual(['a', 'b', 'c']);
  });
});

describe('a failing write', () => {
  it('changes nothing, and the store refuses to write until it is reopened', async () => {
    store.failWrites(1);
    await expect(store.write(put('a'), SYNC)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    await expect(store.write(put('b'), SYNC)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    await store.close();
    await store.open();
    await store.write(put('c'), SYNC);
    expect(keys()).toEqual(['c']);
  });

  it('may reach the medium all the same', async () => {
    store.failWrites(1, { applied: true });
    await expect(store.write(put('a'), SYNC)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    expect(keys()).toEqual(['a']);
  });

  it('may be selected by its content', async () => {
    store.failWrites((writes) => writes.some(({ key }) => key === 'b'));
    await store.write(put('a'), SYNC);
    await expect(store.write(put('b'), SYNC)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    expect(store.writes).toBe(1);
  });
});

describe('a held write', () => {
  it('goes on when it is released', async () => {
    const held = store.hold('before');
    const writing = store.write(put('a'), SYNC);
    await held.reached;
    expect(keys()).toEqual([]);
    held.release();
    await writing;
    expect(keys()).toEqual(['a']);
  });

  it.each([
    ['before', []],
    ['durable', ['a']],
  ] as const)('a write held "%s" leaves %j after a crash and never settles, released or not', async (point, left) => {
    const held = store.hold(point);
    let settled = false;
    const settle = () => (settled = true);
    void store.write(put('a'), SYNC).then(settle, settle);
    await held.reached;
    store.crash();
    held.release();
    await store.open();
    await store.write(put('b'), SYNC);
    expect(keys()).toEqual([...left, 'b']);
    expect(settled).toBe(false);
  });
});

describe('a flipped byte', () => {
  it('stays flipped, and flipping it again restores it', async () => {
    await store.write(put('a'), SYNC);
    store.flip('a', 0);
    store.crash();
    expect(store.entries()).toEqual([['a', Uint8Array.of(0x61 ^ 0xff)]]);
    store.flip('a', 0);
    expect(store.entries()).toEqual([['a', Uint8Array.of(0x61)]]);
  });
});
