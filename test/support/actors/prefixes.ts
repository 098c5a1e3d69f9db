/** The stores that a power cut could leave: every prefix of the writes of a store. */
import { type FaultyStore, faultyStore } from '../../../src/testing/faulty-store.ts';

/** @param from The least number of writes in a prefix. */
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
