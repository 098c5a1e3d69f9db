/**
 * A store in memory: the contract of the Store port without a medium. It keeps its data over close and open of the same
 * object, until the process ends. For tests, demos and systems with durability `memory`.
 */
import {
  type Store,
  type StoreEntry,
  type StoreRange,
  type StoreSnapshot,
  type StoreWrite,
} from '../../actors/model/ports.ts';
import { assert } from '../../assert.ts';
import { BosunError } from '../../errors.ts';
import { assertStoreKey } from '../format/keys.ts';

/** Entries per batch of a scan: enough to make the await between batches cheap. */
const SCAN_ENTRIES = 1_000;

/** Keys and values in key order. Values are copied when they are added, so that the caller keeps its buffer. */
export class OrderedMap {
  readonly #values = new Map<string, Uint8Array>();
  /** The sorted keys, or null after a key was added or removed: they are sorted at the next scan. */
  #keys: string[] | null = [];

  get(key: string): Uint8Array | undefined {
    const value = this.#values.get(key);
    // Not `slice`, which returns a view of a Buffer.
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

  entries({ gte, lt, limit = Infinity, reverse = false }: StoreRange): StoreEntry[] {
    const keys = (this.#keys ??= [...this.#values.keys()].sort());
    const from = firstFrom(keys, gte);
    const to = Math.max(from, firstFrom(keys, lt));
    const found = reverse
      ? keys.slice(Math.max(from, to - limit), to).reverse()
      : keys.slice(from, Math.min(to, from + limit));
    return found.map((key) => [key, new Uint8Array(this.#values.get(key) ?? [])]);
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

/** The index of the first key that is not before `gte`. */
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

/** Creates a snapshot of a store in memory. */
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
 * A store in memory, which ends with its process.
 *
 * @throws BOSUN_STORE_LOCKED for a second open without a close, BOSUN_STORE_FAILED for use of a store that is not
 * open.
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

  async *scan(range: StoreRange): AsyncGenerator<readonly StoreEntry[]> {
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

/** Checks the rules that every store has for a write. */
export function assertWrites(writes: readonly StoreWrite[]): void {
  assert(writes.length > 0, 'a write writes something');
  for (const { key } of writes) assertStoreKey(key);
}
