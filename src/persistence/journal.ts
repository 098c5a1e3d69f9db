/**
 * The journal: makes epochs durable over a Store and reads them back. One commit is one write of the store: the epoch,
 * every structure and configuration it is the first to use, and a slice of the fold. It adds no timer and no queue: the
 * kernel hands over one epoch at a time.
 */
import { randomUUID } from 'node:crypto';
import {
  type Codec,
  type Counters,
  type Epoch,
  type Journal,
  type Recovered,
  type ReferenceCoding,
  type RowKey,
  type Store,
  type StoreWrite,
} from '../actors/ports.ts';
import { assert } from '../assert.ts';
import { BosunError } from '../errors.ts';
import { ByteWriter } from './bytes.ts';
import { type StructuredCodec } from './codec.ts';
import { configurationWrites, structureWrites } from './dictionary.ts';
import { damaged, seal, unseal } from './envelope.ts';
import { encodeEpoch, linkTo } from './epoch-format.ts';
import { Fold, FOLD_LIMITS, type FoldLimits, type Position, type Share } from './fold.ts';
import { assertStoreKey, epochKey, EVERY_KEY, MANIFEST_KEY } from './keys.ts';
import { recover } from './recovery.ts';

/** What a commit survives: nothing, the death of the process, or a power cut. Only `disk` waits for the medium. */
export type Durability = 'memory' | 'process' | 'disk';

export interface JournalOptions {
  /** `disk` unless told. */
  readonly durability?: Durability;
  /** For tests, which fold early. */
  readonly fold?: Partial<FoldLimits>;
  /** Identity of a new store, printable ASCII; random unless told. */
  readonly storeId?: string;
}

/**
 * Open rejects with BOSUN_STORE_LOCKED, BOSUN_STORE_DAMAGED, BOSUN_STORE_FORMAT or BOSUN_STORE_FAILED and leaves the
 * store closed. After a commit that failed, with BOSUN_STORE_FAILED, so does every further one until `retry` has made it good:
 * whether the failed epoch is on disk is known only when the store has been closed and opened again.
 */
export function createJournal(store: Store, options: JournalOptions = {}): Journal {
  return new StoreJournal(store, options);
}

/** What is known between open and close. */
interface Session {
  readonly codec: StructuredCodec;
  readonly fold: Fold;
  position: Position;
  repairs: readonly StoreWrite[];
  state: 'ready' | 'committing' | 'failed';
  /** The commit that failed, as it was to be written. */
  failed: Prepared | null;
}

/** An epoch in the form of one write of the store. */
interface Prepared {
  /** Of the epoch itself, which is the first of the writes. */
  readonly key: string;
  readonly value: Uint8Array;
  readonly writes: readonly StoreWrite[];
  readonly counters: Counters;
  readonly share: Share;
}

class StoreJournal implements Journal {
  readonly #store: Store;
  readonly #sync: boolean;
  readonly #limits: FoldLimits;
  readonly #storeId: string | undefined;
  readonly #writer = new ByteWriter();
  #session: Session | null = null;

  /** Stays the same object over close and open, so that nobody keeps a codec whose structures are not in the store. */
  readonly codec: Codec = {
    encode: (value) => this.#opened().codec.encode(value),
    decode: (bytes) => this.#opened().codec.decode(bytes),
  };

  constructor(store: Store, { durability = 'disk', fold, storeId }: JournalOptions) {
    this.#store = store;
    this.#sync = durability === 'disk';
    this.#limits = { ...FOLD_LIMITS, ...fold };
    this.#storeId = storeId;
  }

  async open(references: ReferenceCoding): Promise<Recovered> {
    assert(this.#session === null, 'a journal is closed before it is opened again');
    await this.#store.open();
    try {
      await checkManifest(this.#store, this.#storeId);
      const { recovered, codec, end, window, oldest, repairs } = await recover(this.#store, references);
      const encode = codec.encode.bind(codec);
      const fold = new Fold({ limits: this.#limits, encode, window, end, oldest });
      this.#session = { codec, fold, position: end, repairs, state: 'ready', failed: null };
      return recovered;
    } catch (error) {
      await this.#store.close();
      throw error;
    }
  }

  async commit(epoch: Epoch): Promise<void> {
    const session = this.#opened();
    if (session.state === 'failed') throw new BosunError('BOSUN_STORE_FAILED', 'an earlier commit failed and has not been made good');
    assert(session.state === 'ready', 'one commit at a time');
    assert(epoch.number === session.position.epoch + 1, 'epochs are committed in order');
    session.state = 'committing';
    await this.#write(session, this.#prepare(session, epoch));
  }

  async retry(): Promise<void> {
    const session = this.#opened();
    const { failed } = session;
    assert(session.state === 'failed' && failed !== null, 'what is tried again has failed');
    session.state = 'committing';
    try {
      await this.#store.close();
      await this.#store.open();
      const isStored = await this.#isStored(session.position, failed);
      if (!isStored) await this.#write(session, failed);
      else settle(session, failed, linkTo(failed.value));
    } finally {
      if (session.state === 'committing') session.state = 'failed';
    }
  }

  async close(): Promise<void> {
    this.#session = null;
    await this.#store.close();
  }

  #prepare(session: Session, epoch: Epoch): Prepared {
    const { codec, fold, position } = session;
    const key = epochKey(epoch.number);
    const rows = encodeRows(epoch.rows, codec);
    const value = encodeEpoch({ ...epoch, link: position.link, rows }, this.#writer);
    const writes: StoreWrite[] = [{ key, value }, ...session.repairs];
    session.repairs = [];
    const slice = fold.slice({ records: epoch.images.length + rows.size, bytes: value.length });
    for (const write of slice) writes.push(write);
    // Last, because the fold encodes too.
    for (const structure of codec.takeNewStructures()) writes.push(...structureWrites(structure));
    for (const configuration of epoch.configurations) writes.push(...configurationWrites(configuration));
    return { key, value, writes, counters: epoch.counters, share: { bytes: value.length, images: epoch.images, rows } };
  }

  async #write(session: Session, prepared: Prepared): Promise<void> {
    try {
      const written = this.#store.write(prepared.writes, { sync: this.#sync });
      // While the disk works.
      const link = linkTo(prepared.value);
      await written;
      settle(session, prepared, link);
    } catch (error) {
      session.state = 'failed';
      session.failed = prepared;
      throw error;
    }
  }

  /**
   * Whether the epoch of a write that was reported as failed is on the medium all the same. Throws BOSUN_STORE_DAMAGED
   * where the medium is not as it was before that write: what was acknowledged must be there.
   */
  async #isStored(before: Position, { key, value }: Prepared): Promise<boolean> {
    const stored = await this.#store.get(key);
    if (stored !== undefined && Buffer.compare(stored, value) !== 0) throw damaged(key, 'is not what was written', { epoch: before.epoch + 1 });
    if (stored !== undefined || before.epoch === 0) return stored !== undefined;
    const lastKey = epochKey(before.epoch);
    const last = await this.#store.get(lastKey);
    if (last === undefined || Buffer.compare(linkTo(last), before.link) !== 0) {
      throw damaged(lastKey, 'was durable and is lost', { epoch: before.epoch });
    }
    return false;
  }

  #opened(): Session {
    assert(this.#session !== null, 'the journal is open');
    return this.#session;
  }
}

/** The epoch is durable. */
function settle(session: Session, { counters, share }: Prepared, link: Uint8Array): void {
  session.position = { epoch: session.position.epoch + 1, link, counters };
  session.fold.add(session.position, share);
  session.failed = null;
  session.state = 'ready';
}

function encodeRows(rows: Epoch['rows'], codec: Codec): Map<RowKey, Uint8Array | null> {
  const encoded = new Map<RowKey, Uint8Array | null>();
  for (const [key, row] of rows) {
    assertStoreKey(key);
    encoded.set(key, row === null ? null : codec.encode(row));
  }
  return encoded;
}

/** A store without a manifest is new only if it is empty. */
async function checkManifest(store: Store, storeId: string = randomUUID()): Promise<void> {
  const manifest = await store.get(MANIFEST_KEY);
  if (manifest !== undefined) {
    unseal(MANIFEST_KEY, manifest);
    return;
  }
  for await (const batch of store.scan(EVERY_KEY)) {
    if (batch.length > 0) throw damaged(MANIFEST_KEY, 'is missing, but the store is not empty');
  }
  assertStoreKey(storeId);
  await store.write([{ key: MANIFEST_KEY, value: seal(MANIFEST_KEY, Buffer.from(storeId)) }], { sync: true });
}
