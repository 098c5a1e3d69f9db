/**
 * The journal: makes epochs durable over a Store and reads them back. One commit is one write of the store: the epoch,
 * every structure and configuration it is the first to use, and a slice of the fold. It adds no timer and no queue: the
 * kernel hands over one epoch at a time.
 */
import { randomUUID } from 'node:crypto';
import {
  type Codec,
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
import { Fold, FOLD_LIMITS, type FoldLimits, type Position } from './fold.ts';
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
 * store closed. After a commit that failed, with BOSUN_STORE_FAILED, so does every further one until close and open:
 * whether the failed epoch is on disk is known only then.
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
      this.#session = { codec, fold, position: end, repairs, state: 'ready' };
      return recovered;
    } catch (error) {
      await this.#store.close();
      throw error;
    }
  }

  async commit(epoch: Epoch): Promise<void> {
    const session = this.#opened();
    if (session.state === 'failed') {
      throw new BosunError('BOSUN_STORE_FAILED', 'an earlier commit failed; the journal must be closed and opened again');
    }
    assert(session.state === 'ready', 'one commit at a time');
    assert(epoch.number === session.position.epoch + 1, 'epochs are committed in order');
    session.state = 'committing';
    try {
      await this.#write(session, epoch);
      session.state = 'ready';
    } catch (error) {
      session.state = 'failed';
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#session = null;
    await this.#store.close();
  }

  async #write(session: Session, epoch: Epoch): Promise<void> {
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
    const written = this.#store.write(writes, { sync: this.#sync });
    // While the disk works.
    const next: Position = { epoch: epoch.number, link: linkTo(value), counters: epoch.counters };
    await written;
    session.position = next;
    fold.add(next, { bytes: value.length, images: epoch.images, rows });
  }

  #opened(): Session {
    assert(this.#session !== null, 'the journal is open');
    return this.#session;
  }
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
