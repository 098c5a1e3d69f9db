/** A store above another one, compared with a store that took all writes itself. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Store, type StoreEntry, type StoreRange, type StoreWrite } from '../../src/actors/model/ports.ts';
import { layeredStore } from '../../src/persistence/store/layered-store.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';

const SYNCED = { sync: true };
const keys = [...'abcdefgh'];
const aWrite = fc.record({
  key: fc.constantFrom(...keys),
  value: fc.option(fc.uint8Array({ maxLength: 3 }), { nil: null }),
});
const writes = fc.array(fc.array(aWrite, { minLength: 1, maxLength: 4 }), { maxLength: 8 });

async function opened(batches: readonly (readonly StoreWrite[])[]): Promise<Store> {
  const store = memoryStore();
  await store.open();
  for (const batch of batches) await store.write(batch, SYNCED);
  return store;
}

async function all(store: Store, range: StoreRange = { gte: 'a', lt: 'z' }): Promise<StoreEntry[]> {
  const found: StoreEntry[] = [];
  for await (const batch of store.scan(range)) found.push(...batch);
  return found;
}

it('a layered store reads as one that took all writes, and leaves the store below as it is', async () => {
  const ranges = fc.record({
    gte: fc.constantFrom(...keys),
    lt: fc.constantFrom(...keys),
    limit: fc.nat(5),
    reverse: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(writes, writes, ranges, async (before, after, range) => {
      const below = await opened(before);
      const layered = layeredStore(below);
      const untouched = await all(below);
      await layered.open();
      for (const batch of after) await layered.write(batch, SYNCED);
      const expected = await opened([...before, ...after]);
      expect(await all(layered)).toEqual(await all(expected));
      expect(await all(layered, range)).toEqual(await all(expected, range));
      for (const key of keys) {
        expect(await layered.get(key)).toEqual(await expected.get(key));
        expect(layered.getSync!(key)).toEqual(expected.getSync!(key));
      }
      await layered.close();
      expect(await all(below)).toEqual(untouched);
    }),
  );
});
