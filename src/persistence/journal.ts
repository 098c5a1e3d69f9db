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
  type Notes,
  type Recovered,
  type ReferenceCoding,
  type Store,
  type StoreWrite,
} from '../actors/model/ports.ts';
import { assert } from '../assert.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { ByteWriter } from './bytes.ts';
import { PackedDeltas } from './deltas.ts';
import { configurationWrites, structureWrites } from './dictionary.ts';
import { damaged, seal } from './envelope.ts';
import { encodeEpoch, linkTo } from './epoch-format.ts';
import { Fold, FOLD_LIMITS, type FoldLimits, type Position, type Share } from './fold.ts';
import { type KeyRing } from './key-ring.ts';
import { assertStoreKey, epochKey, EVERY_KEY, keysUnder, MANIFEST_KEY, PREFIX } from './keys.ts';
import { RowPacker } from './rows.ts';
import { type Restored, type Survey, survey } from './recovery.ts';
import { checkRecoverTo, type SetAside, setAside } from './set-aside.ts';
import { type ShelfParts, StoreShelf } from './record-reader.ts';
import { type Upgrade, upgrade } from './upgrade.ts';

/** What a commit survives: nothing, the death of the process, or a power cut. Only `disk` waits for the medium. */
export type Durability = 'memory' | 'process' | 'disk';

export interface JournalOptions {
  /** `disk` unless told. */
  readonly durability?: Durability;
  /** For tests, which fold early. */
  readonly fold?: Partial<FoldLimits>;
  /** Identity of a new store, printable ASCII; random unless told. */
  readonly storeId?: string;
  /**
   * Of a store whose journal is damaged: the epoch to go on from, one that BOSUN_STORE_DAMAGED named. What is behind it
   * is kept aside in the store, and was perhaps acknowledged. Refused for a sound journal, so that a line that is run
   * again does not cut twice.
   */
  readonly recoverTo?: number;
  /** Under which agents with secrets are stored encrypted. */
  readonly keys?: KeyRing | undefined;
  /** For tests, which make up older formats. */
  readonly upgrades?: readonly Upgrade[];
  /** Told of damage that does not stop the start, one call a place. */
  readonly onDamage?: (damage: BosunError) => void;
  /** Told what was cut off. */
  readonly onSetAside?: (aside: SetAside) => void;
}

/**
 * Open rejects with BOSUN_STORE_LOCKED, BOSUN_STORE_DAMAGED (details { key, epoch, firstGoodEpoch, lastGoodEpoch }
 * where the journal is damaged), BOSUN_STORE_FORMAT, BOSUN_STORE_FAILED or, for `recoverTo`, BOSUN_CONFIG_INVALID and
 * leaves the store closed. After a commit that failed, with BOSUN_STORE_FAILED, so does every further one until `retry`
 * has made it good: whether the failed epoch is on disk is known only when the store has been closed and opened again.
 */
export function createJournal(store: Store, options: JournalOptions = {}): Journal {
  return new StoreJournal(store, options);
}

/** What is known between open and close. */
interface Session extends ShelfParts {
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
  /** What was deleted before it is to leave the medium behind it. */
  readonly isPurge: boolean;
}

/** What of the fold goes with the batch of an epoch. */
type Extra = (session: Session, value: Uint8Array, rows: number) => readonly StoreWrite[];

class StoreJournal implements Journal {
  readonly #store: Store;
  readonly #sync: boolean;
  readonly #limits: FoldLimits;
  readonly #options: JournalOptions;
  readonly #writer = new ByteWriter();
  readonly #rows = new RowPacker((row) => this.#opened().codec.encodeShared(row));
  readonly shelf: StoreShelf | undefined;
  #session: Session | null = null;

  /** Stays the same object over close and open, so that nobody keeps a codec whose structures are not in the store. */
  readonly codec: Codec;

  get notes(): Notes | undefined {
    return this.#store.notes;
  }

  constructor(store: Store, options: JournalOptions) {
    const { durability = 'disk', fold } = options;
    this.#store = store;
    this.#sync = durability === 'disk';
    this.#limits = { ...FOLD_LIMITS, ...fold };
    this.#options = options;
    const parts = () => this.#opened();
    if (store.getSync !== undefined)
      this.shelf = new StoreShelf(
        store,
        (key) => store.getSync?.(key),
        parts,
        (damage) => options.onDamage?.(damage),
      );
    this.codec = {
      encode: (value) => this.#opened().codec.encode(value),
      decode: (bytes) => this.#opened().codec.decode(bytes),
      deltas: () => new PackedDeltas((value) => this.#opened().codec.encodeShared(value)),
      pack: (value) => this.#opened().codec.pack(value),
      unpack: (bytes) => this.#opened().codec.unpack(bytes),
      conceal: options.keys && ((value, type) => this.#opened().codec.conceal!(value, type)),
    };
  }

  async open(references: ReferenceCoding, { partly = false }: { readonly partly?: boolean } = {}): Promise<Recovered> {
    assert(this.#session === null, 'a journal is closed before it is opened again');
    // At levels without a sync a power cut may take any epochs from the end; what is lost for good is to be gone on
    // without.
    await this.#store.open({ lossy: !this.#sync || this.#options.recoverTo !== undefined });
    try {
      await checkManifest(this.#store, this.#options);
      const { recovered, codec, pages, end, window, oldest, repairs, marked, configurations } = await this.#recover(
        references,
        partly,
      );
      for (const loss of this.#store.losses?.() ?? []) this.#options.onDamage?.(loss);
      for (const damage of recovered.damage) this.#options.onDamage?.(damage);
      const fold = new Fold({
        limits: this.#limits,
        records: pages,
        window,
        end,
        oldest,
        marked,
        onDamage: (damage) => this.shelf?.tell(damage),
      });
      this.#mayRead(true);
      this.#session = { codec, pages, fold, configurations, position: end, repairs, state: 'ready', failed: null };
      return recovered;
    } catch (error) {
      await this.#store.close();
      throw error;
    }
  }

  // Not async: an idle acknowledgement waits for every promise on its way.
  commit(epoch: Epoch): Promise<void> {
    return this.#commit(epoch, (session, value, rows) =>
      session.fold.slice({ records: epoch.images.length + rows, bytes: value.length }),
    );
  }

  /** What earlier recoveries cut off goes too: it may hold what was deleted. */
  async purge(epoch: Epoch): Promise<void> {
    const leftovers: StoreWrite[] = [];
    for await (const batch of this.#store.scan(keysUnder(PREFIX.aside)))
      for (const [key] of batch) leftovers.push({ key, value: null });
    await this.#commit(epoch, ({ fold }) => [...leftovers, ...fold.drain()], true);
    await this.#compact();
  }

  /** It may close the store for a moment. */
  async #compact(): Promise<void> {
    this.#mayRead(false);
    await this.#store.compact?.();
    this.#mayRead(true);
  }

  #mayRead(may: boolean): void {
    if (this.shelf !== undefined) this.shelf.isOpen = may;
  }

  async #commit(epoch: Epoch, extra: Extra, isPurge = false): Promise<void> {
    const session = this.#opened();
    if (session.state === 'failed')
      throw new BosunError('BOSUN_STORE_FAILED', 'an earlier commit failed and has not been made good');
    assert(session.state === 'ready', 'one commit at a time');
    assert(epoch.number === session.position.epoch + 1, 'epochs are committed in order');
    session.state = 'committing';
    await this.#write(session, { ...this.#prepare(session, epoch, extra), isPurge });
  }

  async retry(): Promise<void> {
    const session = this.#opened();
    const { failed } = session;
    if (failed === null) {
      // The epoch of a purge is durable; what failed is getting rid of what was deleted before it.
      await this.#compact();
      return;
    }
    session.state = 'committing';
    try {
      this.#mayRead(false);
      await this.#store.close();
      await this.#store.open();
      this.#mayRead(true);
      const isStored = await this.#isStored(session.position, failed);
      if (!isStored) await this.#write(session, failed);
      else settle(session, failed, linkTo(failed.value));
      if (failed.isPurge) await this.#compact();
    } finally {
      if (session.state === 'committing') session.state = 'failed';
    }
  }

  async close(): Promise<void> {
    this.#mayRead(false);
    this.#session?.codec.close();
    this.#session = null;
    await this.#store.close();
  }

  /** Everything, where a part will not do. */
  async #recover(references: ReferenceCoding, partly: boolean): Promise<Restored> {
    const { keys, recoverTo } = this.#options;
    if (partly && recoverTo === undefined) {
      const part = await this.#recoverPart(references);
      if (part !== null) return part;
    }
    const found = await survey(this.#store, references, { keys });
    const { journalDamage } = found;
    const epoch = this.#goesBackTo(found);
    if (epoch === null) {
      if (journalDamage !== null) throw journalDamage;
      return found;
    }
    const restored = epoch === found.end.epoch ? found : await survey(this.#store, references, { upTo: epoch, keys });
    const aside = await setAside(this.#store, epoch);
    this.#options.onSetAside?.(aside);
    return restored;
  }

  /** @returns null where there is damage. */
  async #recoverPart(references: ReferenceCoding): Promise<Restored | null> {
    try {
      const found = await survey(this.#store, references, {
        keys: this.#options.keys,
        fetch: (key) => this.#store.getSync?.(key),
      });
      return found.recovered.part === undefined || found.journalDamage !== null ? null : found;
    } catch (error) {
      if (isBosunError(error, 'BOSUN_STORE_DAMAGED')) return null;
      throw error;
    }
  }

  /** @returns null where the journal stays as it is. */
  #goesBackTo(found: Survey): number | null {
    const { recoverTo } = this.#options;
    // What followed is gone with the part of the medium that was lost.
    if (recoverTo === found.end.epoch && found.journalDamage === null && this.#store.losses?.().length) return null;
    if (recoverTo !== undefined) return checkRecoverTo(found, recoverTo);
    // Epochs that were never synced may vanish in a power cut, and behind a hole nothing can be used. To lose them is
    // what the level allows; a record that is there and damaged is no loss of that kind.
    const isLoss = found.journalDamage?.details['isMissing'] === true;
    const lastGood = found.journalDamage?.details['lastGoodEpoch'] as number | null;
    return isLoss && !this.#sync ? lastGood : null;
  }

  #prepare(session: Session, epoch: Epoch, extra: Extra): Omit<Prepared, 'isPurge'> {
    const { codec, position } = session;
    const key = epochKey(epoch.number);
    const { number, kernelTimeMs, counters, deltas, images } = epoch;
    const rows = this.#rows.pack(epoch.rows, epoch.concealed);
    const value = encodeEpoch(
      { number, link: position.link, kernelTimeMs, counters, deltas, rows: rows.bytes },
      this.#writer,
    );
    const writes: StoreWrite[] = [{ key, value }, ...session.repairs];
    session.repairs = [];
    for (const write of extra(session, value, rows.keys.length)) writes.push(write);
    // Last, because the fold encodes too.
    for (const structure of codec.takeNewStructures()) writes.push(...structureWrites(structure));
    for (const configuration of epoch.configurations) writes.push(...configurationWrites(configuration));
    return { key, value, writes, counters, share: { bytes: value.length, images, rows } };
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
      // It is about to be opened anew.
      this.#mayRead(false);
      throw error;
    }
  }

  /**
   * Whether the epoch of a write that was reported as failed is on the medium all the same. Throws BOSUN_STORE_DAMAGED
   * where the medium is not as it was before that write: what was acknowledged must be there.
   */
  async #isStored(before: Position, { key, value }: Prepared): Promise<boolean> {
    const stored = await this.#store.get(key);
    if (stored !== undefined && Buffer.compare(stored, value) !== 0)
      throw damaged(key, 'is not what was written', { epoch: before.epoch + 1 });
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

/** A store without a manifest is new only if it is empty. */
async function checkManifest(store: Store, { storeId = randomUUID(), upgrades }: JournalOptions): Promise<void> {
  const manifest = await store.get(MANIFEST_KEY);
  if (manifest !== undefined) {
    await upgrade(store, manifest, upgrades);
    return;
  }
  for await (const batch of store.scan(EVERY_KEY)) {
    if (batch.length > 0) throw damaged(MANIFEST_KEY, 'is missing, but the store is not empty');
  }
  assertStoreKey(storeId);
  await store.write([{ key: MANIFEST_KEY, value: seal(MANIFEST_KEY, Buffer.from(storeId)) }], { sync: true });
}
