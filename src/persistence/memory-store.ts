/**
 * A store in memory: the contract of the Store port without a medium. It keeps its data over close and open of the same
 * object, and nothing beyond the process. For tests, demos and systems whose durability is `memory`.
 */
import { type Store, type StoreEntry, type StoreSnapshot, type StoreWrite } from '../actors/model/ports.ts';
import { assert } from '../assert.ts';
import { BosunError } from '../errors.ts';
import { assertStoreKey } from './keys.ts';

/** Entries per batch of a scan: enough to make the await between batches cheap. */
const SCAN_ENTRIES = 1_000;

/** Keys and values in key order. Values are copied on their way in, so that the caller's buffer stays the caller's. */
export class OrderedMap {
  readonly #values = new Map<string, Uint8Array>();
  /** Sorted keys, or null since a key was added or removed: sorting waits for the next scan. */
  #keys: string[] | null = [];

  get(key: string): Uint8Array | undefined {
    const value = this.#values.get(key);
    // Not `slice`, which is a view where the value is a Buffer.
    return value && new Uint8Array(value);
  }

  apply(writes: readonly StoreWrite[]): void {
    for (const { key, value } of writes) {
      if (value === null) {
        if (this.#values.delete(key)) this.#keys = null;
      } else {
        if (!this.#values.has(key)) this.#keys = null;
        this.#values.set(key, new Uint8Array(value));
      }
    }
  }

  entries({ gte, lt, limit = Infinity }: { gte: string; lt: string; limit?: number }): StoreEntry[] {
    const keys = (this.#keys ??= [...this.#values.keys()].sort());
    const entries: StoreEntry[] = [];
    for (let index = firstFrom(keys, gte); index < keys.length && entries.length < limit; index++) {
      const key = keys[index] as string;
      if (key >= lt) break;
      entries.push([key, new Uint8Array(this.#values.get(key) ?? [])]);
    }
    return entries;
  }

  clone(): OrderedMap {
    const twin = new OrderedMap();
    for (const [key, value] of this.#values) twin.#values.set(key, value);
    twin.#keys = null;
    return twin;
  }

  clear(): void {
    this.#values.clear();
    this.#keys = [];
  }
}

/** Index of the first key that is not before `gte`. */
function firstFrom(keys: readonly string[], gte: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) < gte) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A snapshot of a store in memory. */
export function snapshotOf(map: OrderedMap): StoreSnapshot {
  const image = map.clone();
  return {
    async *scan(range) {
      yield* inBatches(image.entries(range));
    },
    async close() {
      image.clear();
    },
  };
}

/**
 * @throws BOSUN_STORE_LOCKED for a second open without a close, BOSUN_STORE_FAILED for use of a store that is not open.
 */
export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly name = 'memory';
  readonly #map = new OrderedMap();
  #isOpen = false;

  async open(): Promise<void> {
    if (this.#isOpen) throw new BosunError('BOSUN_STORE_LOCKED', 'the memory store is open already');
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    this.#assertOpen();
    return this.#map.get(key);
  }

  getSync(key: string): Uint8Array | undefined {
    this.#assertOpen();
    return this.#map.get(key);
  }

  async snapshot(): Promise<StoreSnapshot> {
    this.#assertOpen();
    return snapshotOf(this.#map);
  }

  async *scan(range: { gte: string; lt: string; limit?: number }): AsyncGenerator<readonly StoreEntry[]> {
    this.#assertOpen();
    yield* inBatches(this.#map.entries(range));
  }

  async write(writes: readonly StoreWrite[]): Promise<void> {
    this.#assertOpen();
    assertWrites(writes);
    this.#map.apply(writes);
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new BosunError('BOSUN_STORE_FAILED', 'the memory store is not open');
  }
}

export function* inBatches(entries: readonly StoreEntry[]): Generator<readonly StoreEntry[]> {
  for (let start = 0; start < entries.length; start += SCAN_ENTRIES) yield entries.slice(start, start + SCAN_ENTRIES);
}

/** What every store asks of a write. */
export function assertWrites(writes: readonly StoreWrite[]): void {
  assert(writes.length > 0, 'a write writes something');
  for (const { key } of writes) assertStoreKey(key);
}
