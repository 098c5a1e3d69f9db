/**
 * A store whose medium fails on command: power cuts that take unsynced writes, writes that fail or hang, bits that
 * flip. In memory and deterministic: no timers, and every promise resolves by microtasks alone.
 */
import { type Notes, type Store, type StoreEntry, type StoreSnapshot, type StoreWrite } from '../actors/model/ports.ts';
import { assert } from '../assert.ts';
import { BosunError } from '../errors.ts';
import { EVERY_KEY } from '../persistence/keys.ts';
import { assertWrites, inBatches, OrderedMap, snapshotOf } from '../persistence/memory-store.ts';

/** One write of the store, as its log keeps it. */
export interface LoggedBatch {
  readonly writes: readonly StoreWrite[];
  /** Whether the write asked to be synced. */
  readonly sync: boolean;
}

/** A write that does not get on. */
export interface HeldWrite {
  /** Resolves once a write is held. */
  readonly reached: Promise<void>;
  /** Lets it go on, or lets all through if none was held yet. */
  release(): void;
}

/** Where a write is held: before it changes the medium, or when it is durable and its promise has not resolved yet. */
export type HoldPoint = 'before' | 'durable';

export interface FaultyStore extends Store {
  readonly isOpen: boolean;
  /** Writes accepted so far, over all opens. */
  readonly writes: number;
  /** All writes accepted so far. */
  readonly log: readonly LoggedBatch[];
  /** Keys of all entries that are read, in order, once a test has put a list here. */
  reads: string[] | null;
  /** What a reader would find now. */
  entries(): readonly StoreEntry[];
  /**
   * Power loss: what was synced stays, and of the unsynced writes behind it the first `keepUnsynced`, none unless told.
   * The store is closed then and can be opened again. The promise of a held write never settles: who waited is dead.
   */
  crash(options?: { keepUnsynced?: number }): void;
  /**
   * Makes the next `count` writes fail, or those that `fails` picks. The store then refuses to write until it is closed
   * and opened again.
   *
   * @param options.applied Whether what failed is on the medium all the same, as after a sync that reported an error.
   */
  failWrites(fails: number | ((writes: readonly StoreWrite[]) => boolean), options?: { applied?: boolean }): void;
  /** Holds the next write at `point`. */
  hold(point: HoldPoint): HeldWrite;
  /** Inverts all bits of one byte of a stored value. */
  flip(key: string, byteOffset: number): void;
  /** Takes a key away, as LevelDB does where its log is damaged. */
  lose(key: string): void;
}

export interface FaultyStoreOptions {
  readonly name?: string;
  /** Whether it has notes, which survive `crash` here: then a run after a crash is cautious. Default false. */
  readonly notes?: boolean;
}

export function faultyStore(options: FaultyStoreOptions = {}): FaultyStore {
  return new Medium(options.name ?? 'faulty memory', options.notes === true ? new MemoryNotes() : undefined);
}

interface Hold {
  readonly point: HoldPoint;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

/** A promise and what resolves it. */
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
  /** What readers see. */
  #image = new OrderedMap();
  /** What a power cut leaves. */
  #durable = new OrderedMap();
  #unsynced: (readonly StoreWrite[])[] = [];
  /** Counts opens, so that a write held over a crash cannot touch what comes after it. */
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

  async *scan(range: { gte: string; lt: string; limit?: number }): AsyncGenerator<readonly StoreEntry[]> {
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
      throw new BosunError('BOSUN_STORE_FAILED', `writing to ${this.name} failed, as told`);
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

  /** Changes the medium past the log, now and after any crash. */
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
