/**
 * A store in memory above another one, which it reads and never writes: what is written stays here and ends with it. It
 * serves to see what would become of a store. The store below is open, and nothing writes to it meanwhile.
 */
import { type Store, type StoreEntry, type StoreRange, type StoreWrite } from '../../actors/model/ports.ts';
import { assertWrites, inBatches } from './memory-store.ts';

/** A store above `below`. Opening and closing it leave the store below as it is. */
export function layeredStore(below: Store): Store {
  return new LayeredStore(below);
}

class LayeredStore implements Store {
  readonly name: string;
  readonly #below: Store;
  /** Values by key; null for a deleted key. */
  readonly #written = new Map<string, Uint8Array | null>();

  constructor(below: Store) {
    this.name = below.name;
    this.#below = below;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}

  async get(key: string): Promise<Uint8Array | undefined> {
    const own = this.#written.get(key);
    return own === undefined ? this.#below.get(key) : copyOf(own);
  }

  getSync(key: string): Uint8Array | undefined {
    const own = this.#written.get(key);
    return own === undefined ? this.#below.getSync!(key) : copyOf(own);
  }

  async *scan({ limit = Infinity, ...range }: StoreRange): AsyncGenerator<readonly StoreEntry[]> {
    let left = limit;
    for await (const entries of this.#merged(range)) {
      if (left <= 0) return;
      yield entries.length <= left ? entries : entries.slice(0, left);
      left -= entries.length;
    }
  }

  async write(writes: readonly StoreWrite[]): Promise<void> {
    assertWrites(writes);
    for (const { key, value } of writes) this.#written.set(key, value === null ? null : new Uint8Array(value));
  }

  /** The entries of both stores in key order, in batches. */
  async *#merged(range: Omit<StoreRange, 'limit'>): AsyncGenerator<readonly StoreEntry[]> {
    const { gte, lt, reverse = false } = range;
    const before = (a: string, b: string) => (reverse ? a > b : a < b);
    const own = [...this.#written]
      .filter(([key]) => key >= gte && key < lt)
      .sort(([a], [b]) => (before(a, b) ? -1 : 1));
    let at = 0;
    for await (const entries of this.#below.scan(range)) {
      const merged: StoreEntry[] = [];
      for (const entry of entries) {
        for (; at < own.length && before(own[at]![0], entry[0]); at++) push(merged, own[at]!);
        if (!this.#written.has(entry[0])) merged.push(entry);
      }
      if (merged.length > 0) yield merged;
    }
    const rest: StoreEntry[] = [];
    for (; at < own.length; at++) push(rest, own[at]!);
    yield* inBatches(rest);
  }
}

function push(entries: StoreEntry[], [key, value]: readonly [string, Uint8Array | null]): void {
  if (value !== null) entries.push([key, new Uint8Array(value)]);
}

function copyOf(value: Uint8Array | null): Uint8Array | undefined {
  return value === null ? undefined : new Uint8Array(value);
}
