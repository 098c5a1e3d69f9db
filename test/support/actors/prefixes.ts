/** What a power cut could have left of a store: every prefix of what it was given. */
import { type FaultyStore, faultyStore } from '../../../src/testing/faulty-store.ts';

/** @param from How many writes every prefix has at least. */
export async function prefixesOf({ log }: FaultyStore, from: number): Promise<FaultyStore[]> {
  const stores: FaultyStore[] = [];
  for (let writes = from; writes <= log.length; writes++) {
    const store = faultyStore();
    await store.open();
    for (const batch of log.slice(0, writes)) await store.write(batch.writes, { sync: true });
    await store.close();
    stores.push(store);
  }
  return stores;
}
