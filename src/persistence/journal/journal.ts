/**
 * The journal: makes epochs durable in a Store and reads them back. One commit is one write of the store: the epoch,
 * every structure and configuration that it is the first to use, and a slice of the fold. It adds no timer and no
 * queue: the kernel hands over one epoch at a time.
 */
import { randomUUID } from 'node:crypto';
import {
  type Codec,
  type Counters,
  type Epoch,
  type Identity,
  type Journal,
  type Notes,
  type Recovered,
  type ReferenceCoding,
  type Store,
  type StoreWrite,
  KEYSPACE,
  keyspaceOf,
} from '../../actors/model/ports.ts';
import { assert } from '../../assert.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { identityFields } from '../format/actor-record.ts';
import { ByteWriter } from '../format/bytes.ts';
import { PackedDeltas } from '../format/deltas.ts';
import { configurationWrites, structureWrites } from '../format/dictionary.ts';
import { damaged, seal } from '../format/envelope.ts';
import { encodeEpoch, linkTo } from './epoch-format.ts';
import { Fold, FOLD_LIMITS, type FoldLimits, type Position, type Share } from './fold.ts';
import { type KeyRing } from '../format/key-ring.ts';
import { assertStoreKey, epochKey, EVERY_KEY, keysUnder, MANIFEST_KEY, PREFIX } from '../format/keys.ts';
import { RowPacker } from '../format/rows.ts';
import { type Restored, type Survey, survey } from './recovery.ts';
import { type Segments } from './segments.ts';
import { checkRecoverTo, type SetAside, setAside } from './set-aside.ts';
import { type ShelfParts, StoreShelf } from './record-reader.ts';
import { type Upgrade, upgrade } from '../format/upgrade.ts';

/**
 * The failure that a commit survives: none, the death of the process, or a power cut. Only `disk` waits for the medium.
 */
export type Durability = 'memory' | 'process' | 'disk';

export interface JournalOptions {
  /** The failure that a commit must survive. Default `disk`. */
  readonly durability?: Durability;
  /** Limits for tests that fold early. */
  readonly fold?: Partial<FoldLimits>;
  /** Identity of a new store, printable ASCII. Default: random. */
  readonly storeId?: string;
  /**
   * The epoch from which to continue with a damaged journal, one of those named by BOSUN_STORE_DAMAGED. Later epochs
   * are kept aside in the store; they may have been acknowledged. Refused for a sound journal, so that running the same
   * command again does not cut twice.
   */
  readonly recoverTo?: number;
  /** The keys that encrypt agents with secrets in the store. */
  readonly keys?: KeyRing | undefined;
  /** Upgrades for tests that invent older formats. */
  readonly upgrades?: readonly Upgrade[];
  /** Called once per place for damage that does not stop the start. */
  readonly onDamage?: (damage: BosunError) => void;
  /** Called with the records that a recovery to an older epoch has cut off. */
  readonly onSetAside?: (aside: SetAside) => void;
}

/**
 * Creates the journal of a store. Open rejects with BOSUN_STORE_LOCKED, BOSUN_STORE_DAMAGED (details { key, epoch,
 * firstGoodEpoch, lastGoodEpoch } where the journal is damaged), BOSUN_STORE_FORMAT, BOSUN_STORE_FAILED or, for
 * `recoverTo`, BOSUN_CONFIG_INVALID, and leaves the store closed. After a failed commit (BOSUN_STORE_FAILED) every
 * further one is refused with the same code until `retry` succeeds: whether the failed epoch is on disk is known only
 * after the store has been closed and opened again.
 */
export function createJournal(store: Store, options: JournalOptions = {}): Journal {
  return new StoreJournal(store, options);
}

/** The state between open and close. */
interface Session extends ShelfParts {
  readonly segments: Segments;
  position: Position;
  repairs: readonly StoreWrite[];
  state: 'ready' | 'committing' | 'failed';
  /** The failed commit, as it was to be written. */
  failed: Prepared | null;
}

/** An epoch as one write of the store. */
interface Prepared {
  /** The key of the epoch itself, the first of the writes. */
  readonly key: string;
  readonly value: Uint8Array;
  readonly writes: readonly StoreWrite[];
  readonly counters: Counters;
  readonly share: Share;
  /** Whether everything deleted before the epoch must leave the medium. */
  readonly isPurge: boolean;
}

/** Further writes in the batch of an epoch: those of the fold. */
type Extra = (session: Session, value: Uint8Array, rows: number) => readonly StoreWrite[];

class StoreJournal implements Journal {
  readonly #store: Store;
  readonly #sync: boolean;
  readonly #limits: FoldLimits;
  readonly #options: JournalOptions;
  readonly #writer = new ByteWriter();
  readonly #rows = new RowPacker((row, key) =>
    this.#opened().codec.encodeShared(keyspaceOf(key) === KEYSPACE.identities ? identityFields(row as Identity) : row),
  );
  readonly shelf: StoreShelf | undefined;
  #session: Session | null = null;

  /** The codec: the same object over close and open, so that none outlives the structures in the store. */
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
    // At levels without a sync a power cut may lose any number of epochs at the end, and the system is meant to go on
    // without them.
    await this.#store.open({ lossy: !this.#sync || this.#options.recoverTo !== undefined });
    try {
      await checkManifest(this.#store, this.#options);
      const { recovered, codec, pages, segments, end, window, oldest, repairs, marked, configurations } =
        await this.#recover(references, partly);
      for (const loss of this.#store.losses?.() ?? []) this.#options.onDamage?.(loss);
      for (const damage of recovered.damage) this.#options.onDamage?.(damage);
      const fold = new Fold({
        limits: this.#limits,
        records: pages,
        messages: segments,
        window,
        end,
        oldest,
        marked,
        onDamage: (damage) => this.shelf?.tell(damage),
      });
      this.#mayRead(true);
      this.#session = {
        codec,
        pages,
        segments,
        fold,
        configurations,
        position: end,
        repairs,
        state: 'ready',
        failed: null,
      };
      return recovered;
    } catch (error) {
      await this.#store.close();
      throw error;
    }
  }

  // Not async: an idle acknowledgement would wait for each extra promise.
  commit(epoch: Epoch): Promise<void> {
    return this.#commit(epoch, (session, value, rows) =>
      session.fold.slice({ records: epoch.images.length + rows, bytes: value.length }),
    );
  }

  /**
   * Commits a purge. It also deletes what earlier recoveries set aside and messages that were read from segments,
   * because both may hold deleted data.
   */
  async purge(epoch: Epoch): Promise<void> {
    const { fold, segments } = this.#ready();
    const leftovers: StoreWrite[] = [];
    for await (const batch of this.#store.scan(keysUnder(PREFIX.aside)))
      for (const [key] of batch) leftovers.push({ key, value: null });
    const folded = fold.drain();
    const written = new Map(folded.map(({ key, value }) => [key, value]));
    const dissolved = await segments.dissolve(async (key) => written.get(key) ?? (await this.#store.get(key)));
    await this.#commit(epoch, () => [...leftovers, ...folded, ...dissolved], true);
    await this.#compact();
  }

  /** Compacts the store, which may close it for a moment. */
  async #compact(): Promise<void> {
    this.#mayRead(false);
    await this.#store.compact?.();
    this.#mayRead(true);
  }

  #mayRead(may: boolean): void {
    if (this.shelf !== undefined) this.shelf.isOpen = may;
  }

  async #commit(epoch: Epoch, extra: Extra, isPurge = false): Promise<void> {
    const session = this.#ready();
    assert(epoch.number === session.position.epoch + 1, 'epochs are committed in order');
    session.state = 'committing';
    await this.#write(session, { ...this.#prepare(session, epoch, extra), isPurge });
  }

  async retry(): Promise<void> {
    const session = this.#opened();
    const { failed } = session;
    if (failed === null) {
      // The epoch of the purge is durable; the step that failed is the removal of earlier deletions from the medium.
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

  /** Recovers everything if a partial read does not suffice. */
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

  /**
   * Recovers what a start needs.
   *
   * @returns null if there is damage, or where a part does not suffice.
   */
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

  /**
   * The epoch to go back to.
   *
   * @returns null if the journal stays as it is.
   */
  #goesBackTo(found: Survey): number | null {
    const { recoverTo } = this.#options;
    // Later epochs are gone with the lost part of the medium.
    if (recoverTo === found.end.epoch && found.journalDamage === null && this.#store.losses?.().length) return null;
    if (recoverTo !== undefined) return checkRecoverTo(found, recoverTo);
    // Epochs that were never synced may vanish in a power cut, and nothing after a gap can be used. This durability
    // level allows that loss. A record that is present and damaged is not such a loss.
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
      // Computed while the disk works.
      const link = linkTo(prepared.value);
      await written;
      settle(session, prepared, link);
    } catch (error) {
      session.state = 'failed';
      session.failed = prepared;
      // The store is about to be opened anew.
      this.#mayRead(false);
      throw error;
    }
  }

  /**
   * Whether the epoch of a write that was reported as failed is on the medium after all. Throws BOSUN_STORE_DAMAGED
   * where the medium is not as it was before that write: acknowledged data must be there.
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

  /** The session, ready for a commit. Throws BOSUN_STORE_FAILED. */
  #ready(): Session {
    const session = this.#opened();
    if (session.state === 'failed')
      throw new BosunError('BOSUN_STORE_FAILED', 'an earlier commit failed and has not been retried successfully');
    assert(session.state === 'ready', 'one commit at a time');
    return session;
  }

  #opened(): Session {
    assert(this.#session !== null, 'the journal is open');
    return this.#session;
  }
}

/** Moves the session on after an epoch has become durable. */
function settle(session: Session, { counters, share }: Prepared, link: Uint8Array): void {
  session.position = { epoch: session.position.epoch + 1, link, counters };
  session.fold.add(session.position, share);
  session.failed = null;
  session.state = 'ready';
}

/** Checks the manifest, or writes it. A store without a manifest is new only if it is empty. */
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
