/**
 * Brings the folded records forward, epoch by epoch. If a crash interrupted a fold, some records are newer than epochs
 * that are still in the journal; for those actors older deltas are skipped, and rows converge because each is replayed
 * up to its last value.
 *
 * Damage to the data of one actor is kept with that actor and stops no other (damage.ts assesses it at the end).
 * Missing data of an actor may not matter: the actor may die, or the row be overwritten, in a later epoch.
 */
import {
  type ActorState,
  type Identity,
  type Keyspace,
  type RowKey,
  KEYSPACE,
  KEYSPACES_READ_LATER,
  keyspaceOf,
  keyWithin,
} from '../../actors/model/ports.ts';
import { UNBORN } from '../../actors/model/state.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { findActor, identityFrom, openActor } from '../format/actor-record.ts';
import { broughtForward, decodeRecord, type PlacedDelta, Unread } from '../format/bring-forward.ts';
import { type StructuredCodec } from '../format/codec.ts';
import { type Pages } from '../format/pages.ts';
import { damaged, unseal } from '../format/envelope.ts';
import { type EpochRecord } from './epoch-format.ts';
import { Window } from './window.ts';
import { enrolledKey, lifeOfPage, numberedKey, numberIn, PREFIX, stateKey } from '../format/keys.ts';

/**
 * An actor whose changes in the journal cannot be applied, because one of them or its record is missing or damaged. The
 * changes are kept here, because the fold will delete their epochs.
 */
export interface Stranded {
  readonly error: BosunError;
  readonly deltas: PlacedDelta[];
}

export class Replay {
  readonly #codec: StructuredCodec;
  readonly #pages: Pages;
  /** Records of pages by key, where all have been read. */
  readonly #pageRecords = new Map<string, Uint8Array>();
  /** Reads a single record; undefined if all have been read. */
  readonly #fetch: ((key: string) => Uint8Array | undefined) | undefined;
  /** Lives whose record was found. */
  readonly #loaded = new Set<number>();
  /** Lives whose record is among those that every start reads. */
  readonly #enrolled = new Set<number>();
  /** Lives with changes in the journal and no record in the store. An interrupted fold may have deleted dead actors. */
  readonly #missing = new Set<number>();
  readonly states = new Map<number, ActorState>();
  /** Actors changed by the journal and not read yet, in a partial read. */
  readonly unread = new Map<number, Unread>();
  /** Actors whose changes cannot be applied, by life. */
  readonly stranded = new Map<number, Stranded>();
  /** Sound identities by life. */
  readonly identities = new Map<number, Identity>();
  /** Encoded identities of the journal, by life. */
  readonly packed = new Map<number, Uint8Array>();
  /** Rows read by {@link loadDecoded} that the journal has not changed, by keyspace and key within it. */
  readonly decoded = new Map<Keyspace, Map<string, unknown>>();
  /** All other rows, encoded. */
  readonly rows = new Map<RowKey, Uint8Array>();
  /** Rows whose record is damaged. */
  readonly badRows = new Map<RowKey, BosunError>();
  /** Damage that no longer matters: the journal has a later value, or states that the actor is dead. */
  readonly overcome: BosunError[] = [];
  readonly changed = new Set<number>();
  /** Lives whose identity is in the journal, because they were born in it or changed their identity. */
  readonly identified = new Set<number>();
  readonly died = new Set<number>();
  readonly window = new Window();

  constructor(codec: StructuredCodec, pages: Pages, fetch?: (key: string) => Uint8Array | undefined) {
    this.#codec = codec;
    this.#pages = pages;
    this.#fetch = fetch;
  }

  /** Whether single records are read on demand. */
  get isPart(): boolean {
    return this.#fetch !== undefined;
  }

  get isPopulated(): boolean {
    return this.states.size + this.stranded.size + this.rows.size + this.decoded.size + this.badRows.size > 0;
  }

  /** Adds the record of a page. Must precede the states. */
  loadPage(key: string, value: Uint8Array): void {
    this.#pageRecords.set(key, value);
  }

  loadActor(key: string, value: Uint8Array): void {
    const life = numberIn(key);
    this.#loaded.add(life);
    if (key.startsWith(PREFIX.enrolled)) this.#enrolled.add(life);
    const found = this.#sound(() => openActor(key, value));
    if (found instanceof BosunError) {
      this.strand(life, found);
      return;
    }
    if (!this.identified.has(life)) this.#identify(life, found.identity);
    const state = this.#sound(() => this.#stateIn(key, found.state));
    if (state instanceof BosunError) this.strand(life, state);
    else this.states.set(life, state);
  }

  #stateIn(key: string, bytes: Uint8Array | null | BosunError): ActorState {
    if (bytes instanceof BosunError) throw bytes;
    if (bytes === null) return UNBORN;
    return this.#pages.read(key, bytes, this.#fetch ?? ((page) => this.#pageRecords.get(page)));
  }

  /** Decodes an identity at once: bytes that wait to be decoded would be copied by the collector meanwhile. */
  #identify(life: number, packed: Uint8Array): void {
    const key = numberedKey(KEYSPACE.identities, life);
    const identity = this.#sound(() => identityFrom(life, this.decode(key, packed)));
    if (identity instanceof BosunError) this.badRows.set(key, identity);
    else this.identities.set(life, identity);
  }

  /** The key of a life's record, whether it exists or not. */
  keyOf(life: number): string {
    return this.#enrolled.has(life) ? enrolledKey(life) : stateKey(life);
  }

  loadRow(key: RowKey, value: Uint8Array): void {
    this.takeRow(
      key,
      this.#sound(() => unseal(key, value)),
    );
  }

  /** Adds a row from a record, or its damage. A message that has left its segment replaces what stands there. */
  takeRow(key: RowKey, row: Uint8Array | BosunError): void {
    this.badRows.delete(key);
    this.rows.delete(key);
    if (row instanceof BosunError) this.badRows.set(key, row);
    else this.rows.set(key, row);
  }

  /** Adds a row of a keyspace with a row for every actor. Decodes the row at once, as identities are. */
  loadDecoded(key: RowKey, value: Uint8Array): void {
    const row = this.#sound(() => this.decodeRow(key, unseal(key, value)));
    const rows = this.decoded.get(keyspaceOf(key)) ?? new Map<string, unknown>();
    if (row instanceof BosunError) this.badRows.set(key, row);
    else this.decoded.set(keyspaceOf(key), rows.set(keyWithin(key), row));
  }

  /**
   * Keys of pages that no state names: those of interrupted folds, and of dead actors. Pages of unreadable actors stay
   * with their record.
   */
  *strayPages(isUnreadable: (life: number) => boolean): Generator<string> {
    for (const key of this.#pageRecords.keys()) {
      const life = lifeOfPage(key);
      if (!isUnreadable(life) && !this.#pages.names(life, numberIn(key))) yield key;
    }
  }

  /** Reads an actor, unless that has been done. */
  fetchActor(life: number): void {
    const fetch = this.#fetch;
    if (fetch === undefined || this.died.has(life)) return;
    if (!this.#loaded.has(life)) {
      const found = this.#sound(() => findActor(life, fetch));
      if (found instanceof BosunError) this.strand(life, found);
      else if (found !== undefined) this.loadActor(...found);
    }
    const deltas = this.unread.get(life)?.deltas ?? [];
    this.unread.delete(life);
    for (const delta of deltas) this.#bringForward(life, delta);
  }

  strand(life: number, error: BosunError): void {
    if (!this.stranded.has(life)) this.stranded.set(life, { error, deltas: [] });
  }

  apply(epoch: EpochRecord, bytes: number): void {
    this.window.epochs += 1;
    this.window.bytes += bytes;
    for (const delta of epoch.deltas) this.#applyDelta(delta, epoch.number);
    for (const [key, row] of epoch.rows) this.#applyRow(key, row);
  }

  /**
   * Decodes a record.
   *
   * @throws BOSUN_STORE_DAMAGED with details { key }.
   */
  decode(key: string, bytes: Uint8Array): unknown {
    return decodeRecord(this.#codec, key, bytes);
  }

  /** Decodes a row as `decode` does. Records of children stay open: the kernel gives them shared strings. */
  decodeRow(key: RowKey, bytes: Uint8Array): unknown {
    return decodeRecord(this.#codec, key, bytes, keyspaceOf(key) === KEYSPACE.children);
  }

  #applyDelta({ life, seq, hash, body }: EpochRecord['deltas'][number], epoch: number): void {
    this.changed.add(life);
    const delta = { epoch, seq, hash, body };
    if (this.#fetch === undefined) {
      this.#bringForward(life, delta);
      return;
    }
    let unread = this.unread.get(life);
    if (unread === undefined)
      this.unread.set(
        life,
        (unread = new Unread(life, { codec: this.#codec, pages: this.#pages, fetch: this.#fetch })),
      );
    unread.deltas.push(delta);
  }

  #bringForward(life: number, delta: PlacedDelta): void {
    const state = this.states.get(life) ?? UNBORN;
    if (state === UNBORN && delta.seq > 1 && !this.#loaded.has(life) && !this.stranded.has(life)) {
      this.strand(life, damaged(stateKey(life), 'is missing'));
      this.#missing.add(life);
    }
    if (!this.stranded.has(life)) {
      const next = this.#sound(() => broughtForward(this.#codec, life, state, delta));
      if (!(next instanceof BosunError)) {
        if (next !== state) this.states.set(life, next);
        return;
      }
      this.strand(life, next);
    }
    this.stranded.get(life)?.deltas.push(delta);
  }

  #applyRow(key: RowKey, row: Uint8Array | null): void {
    if (keyspaceOf(key) === KEYSPACE.identities) {
      this.#applyIdentity(numberIn(key), row);
      return;
    }
    // An interrupted fold has written many rows of the window already.
    if (!this.#isFolded(key, row)) this.window.put(key, row);
    if (KEYSPACES_READ_LATER.has(keyspaceOf(key))) return;
    this.#overcome(this.badRows.get(key));
    this.badRows.delete(key);
    this.decoded.get(keyspaceOf(key))?.delete(keyWithin(key));
    if (row === null) this.rows.delete(key);
    else this.rows.set(key, row);
  }

  /** Whether the record of a row that nothing has changed since the cut is the given one. */
  #isFolded(key: RowKey, row: Uint8Array | null): boolean {
    const folded = this.rows.get(key);
    if (row === null || folded === undefined || this.window.rowOf(key) !== undefined) return false;
    return Buffer.compare(folded, row) === 0;
  }

  #applyIdentity(life: number, row: Uint8Array | null): void {
    const key = numberedKey(KEYSPACE.identities, life);
    this.changed.add(life);
    this.#overcome(this.badRows.get(key));
    this.badRows.delete(key);
    if (row !== null) {
      this.identified.add(life);
      this.packed.set(life, row);
      this.#identify(life, row);
      return;
    }
    this.died.add(life);
    this.packed.delete(life);
    this.identities.delete(life);
    this.states.delete(life);
    this.unread.delete(life);
    if (!this.#missing.has(life)) this.#overcome(this.stranded.get(life)?.error);
    this.stranded.delete(life);
  }

  #overcome(error: BosunError | undefined): void {
    if (error !== undefined) this.overcome.push(error);
  }

  #sound<T>(read: () => T): T | BosunError {
    try {
      return read();
    } catch (error) {
      if (isBosunError(error, 'BOSUN_STORE_DAMAGED')) return error;
      throw error;
    }
  }
}
