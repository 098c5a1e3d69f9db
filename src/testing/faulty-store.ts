/**
 * A store whose medium fails on command: power cuts that lose unsynced writes, writes that fail or hang, flipped bits.
 * In memory and deterministic: no timers, and every promise resolves by microtasks alone.
 */
import {
  type Notes,
  type Store,
  type StoreEntry,
  type StoreRange,
  type StoreSnapshot,
  type StoreWrite,
} from '../actors/model/ports.ts';
import { assert } from '../assert.ts';
import { BosunError } from '../errors.ts';
import { EVERY_KEY } from '../persistence/format/keys.ts';
import { assertWrites, inBatches, OrderedMap, snapshotOf } from '../persistence/store/memory-store.ts';

/** One write of the store, as its log records it. */
export interface LoggedBatch {
  readonly writes: readonly StoreWrite[];
  /** Whether the write asked to be synced. */
  readonly sync: boolean;
}

/** A write that the test holds up. */
export interface HeldWrite {
  /** Resolves once a write is held. */
  readonly reached: Promise<void>;
  /** Lets the held write continue; if none is held yet, lets all through. */
  release(): void;
}

/**
 * The point at which a write is held: before it changes the medium, or when it is durable and its promise is still
 * pending.
 */
export type HoldPoint = 'before' | 'durable';

/** A store whose faults a test controls. */
export interface FaultyStore extends Store {
  readonly isOpen: boolean;
  /** Number of writes accepted so far, over all opens. */
  readonly writes: number;
  /** All writes accepted so far. */
  readonly log: readonly LoggedBatch[];
  /** The keys of all entries that are read, in order. Null until a test assigns a list. */
  reads: string[] | null;
  /** The present contents, as a reader would find them. */
  entries(): readonly StoreEntry[];
  /**
   * Simulates a power loss: synced writes stay, and the first `keepUnsynced` of the unsynced writes (default 0). The
   * store is closed then and can be opened again. The promise of a held write never settles, since its process is dead.
   */
  crash(options?: { keepUnsynced?: number }): void;
  /**
   * Makes the next `count` writes fail, or those that `fails` selects. The store then refuses to write until it is
   * closed and opened again.
   *
   * @param options.applied Whether failed writes reach the medium all the same, as after a sync that reported an error.
   */
  failWrites(fails: number | ((writes: readonly StoreWrite[]) => boolean), options?: { applied?: boolean }): void;
  /** Holds the next write at `point`. */
  hold(point: HoldPoint): HeldWrite;
  /** Inverts all bits of one byte of a stored value. */
  flip(key: string, byteOffset: number): void;
  /** Removes a key, as a damaged log of LevelDB does. */
  lose(key: string): void;
}

export interface FaultyStoreOptions {
  readonly name?: string;
  /** Whether the store has notes. Here they survive `crash`, so a run after a crash is cautious. Default false. */
  readonly notes?: boolean;
}

/** Makes a store in memory that fails and loses power on command. */
export function faultyStore(options: FaultyStoreOptions = {}): FaultyStore {
  return new Medium(options.name ?? 'faulty memory', options.notes === true ? new MemoryNotes() : undefined);
}

interface Hold {
  readonly point: HoldPoint;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

/** A promise and the function that resolves it. */
function latch(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

type Fails = (writes: readonly StoreWrite[]) => boolean;

const never: Fails = () => false;

class MemoryNotes implements Notes {
  #line: string | undefined;

  read(): string | undefined {
    return this.#line;
  }

  write(line: string): void {
    this.#line = line;
  }
}

class Medium implements FaultyStore {
  readonly name: string;
  readonly notes?: Notes;
  readonly log: LoggedBatch[] = [];
  reads: string[] | null = null;
  /** The contents that readers see. */
  #image = new OrderedMap();
  /** The contents that survive a power cut. */
  #durable = new OrderedMap();
  #unsynced: (readonly StoreWrite[])[] = [];
  /** Counts opens, so that a write held over a crash cannot change later contents. */
  #run = 0;
  #state: 'closed' | 'open' | 'failed' = 'closed';
  #writing = false;
  #hold: Hold | null = null;
  #fails: Fails = never;
  #failuresApply = false;

  constructor(name: string, notes: Notes | undefined) {
    this.name = name;
    if (notes !== undefined) this.notes = notes;
  }

  get isOpen(): boolean {
    return this.#state !== 'closed';
  }

  get writes(): number {
    return this.log.length;
  }

  async open(): Promise<void> {
    if (this.#state !== 'closed') throw new BosunError('BOSUN_STORE_LOCKED', `${this.name} is open already`);
    this.#state = 'open';
    this.#run += 1;
    this.#writing = false;
  }

  async close(): Promise<void> {
    this.#state = 'closed';
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.getSync(key);
  }

  getSync(key: string): Uint8Array | undefined {
    this.#assertOpen();
    this.reads?.push(key);
    return this.#image.get(key);
  }

  async snapshot(): Promise<StoreSnapshot> {
    this.#assertOpen();
    return snapshotOf(this.#image);
  }

  async *scan(range: StoreRange): AsyncGenerator<readonly StoreEntry[]> {
    this.#assertOpen();
    for (const batch of inBatches(this.#image.entries(range))) {
      for (const [key] of batch) this.reads?.push(key);
      yield batch;
    }
  }

  async write(writes: readonly StoreWrite[], { sync }: { sync: boolean }): Promise<void> {
    this.#assertOpen();
    if (this.#state === 'failed') throw new BosunError('BOSUN_STORE_FAILED', `an earlier write to ${this.name} failed`);
    assert(!this.#writing, 'one write at a time');
    assertWrites(writes);
    const run = this.#run;
    this.#writing = true;
    await this.#holdAt('before', run);
    this.#writing = false;
    if (this.#fails(writes)) {
      this.#state = 'failed';
      if (this.#failuresApply) this.#accept(writes, true);
      throw new BosunError('BOSUN_STORE_FAILED', `writing to ${this.name} failed, as the test demands`);
    }
    this.#accept(writes, sync);
    this.#writing = true;
    await this.#holdAt('durable', run);
    this.#writing = false;
  }

  entries(): readonly StoreEntry[] {
    return this.#image.entries(EVERY_KEY);
  }

  crash({ keepUnsynced = 0 }: { keepUnsynced?: number } = {}): void {
    for (const writes of this.#unsynced.slice(0, keepUnsynced)) this.#durable.apply(writes);
    this.#unsynced = [];
    this.#image = this.#durable.clone();
    this.#state = 'closed';
    this.#run += 1;
    this.#hold = null;
  }

  failWrites(fails: number | Fails, { applied = false }: { applied?: boolean } = {}): void {
    this.#failuresApply = applied;
    if (typeof fails === 'function') {
      this.#fails = fails;
      return;
    }
    let left = fails;
    this.#fails = () => left-- > 0;
  }

  hold(point: HoldPoint): HeldWrite {
    assert(this.#hold === null, 'one write is held at a time');
    const reached = latch();
    const released = latch();
    this.#hold = { point, reach: reached.open, released: released.opened };
    return { reached: reached.opened, release: released.open };
  }

  flip(key: string, byteOffset: number): void {
    const value = this.#image.get(key);
    assert(value?.[byteOffset] !== undefined, `there is a byte ${byteOffset} under ${key}`);
    value[byteOffset] ^= 0xff;
    this.#onMedium([{ key, value }]);
  }

  lose(key: string): void {
    this.#onMedium([{ key, value: null }]);
  }

  /** Changes the medium without logging a write. The change survives every crash. */
  #onMedium(writes: readonly StoreWrite[]): void {
    this.#image.apply(writes);
    this.#durable.apply(writes);
  }

  #accept(writes: readonly StoreWrite[], sync: boolean): void {
    const batch = writes.map(({ key, value }) => ({ key, value: value && new Uint8Array(value) }));
    this.log.push({ writes: batch, sync });
    this.#image.apply(batch);
    this.#unsynced.push(batch);
    if (!sync) return;
    for (const earlier of this.#unsynced) this.#durable.apply(earlier);
    this.#unsynced = [];
  }

  async #holdAt(point: HoldPoint, run: number): Promise<void> {
    const hold = this.#hold;
    if (hold?.point !== point) return;
    this.#hold = null;
    hold.reach();
    await hold.released;
    // The process that waited died with the power.
    if (run !== this.#run) await new Promise<never>(() => {});
  }

  #assertOpen(): void {
    if (this.#state === 'closed') throw new BosunError('BOSUN_STORE_FAILED', `${this.name} is not open`);
  }
}
