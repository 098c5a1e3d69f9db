/**
 * The folded records, brought forward epoch by epoch. While a fold was under way at the crash, some of them are newer
 * than epochs that are still in the journal; for those actors the older deltas are skipped, and rows converge because
 * each of them is replayed up to its last value.
 *
 * Damage in what belongs to one actor is kept with that actor and stops nobody else (damage.ts says what it means at
 * the end). What an actor's record lacks may not matter: the actor may die, or the row be overwritten, further on.
 */
import { type ActorState, type RowKey, KEYSPACE, keyspaceOf } from '../actors/model/ports.ts';
import { UNBORN } from '../actors/model/state.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { broughtForward, decodeRecord, type PlacedDelta, Unread } from './bring-forward.ts';
import { type StructuredCodec } from './codec.ts';
import { type Pages } from './pages.ts';
import { unseal } from './envelope.ts';
import { type EpochRecord } from './epoch-format.ts';
import { emptyWindow, type Window } from './fold.ts';
import { lifeOfPage, numberIn, stateKey } from './keys.ts';

/**
 * An actor that cannot be brought forward. What the journal says of it is kept, because the fold will delete its
 * epochs.
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
  /** Reads a record that is needed; undefined where all have been read. */
  readonly #fetch: ((key: string) => Uint8Array | undefined) | undefined;
  /** Lives whose folded state was fetched. */
  readonly #fetched = new Set<number>();
  readonly states = new Map<number, ActorState>();
  /** Those changed by the journal whom nobody has asked for, where not all is read. */
  readonly unread = new Map<number, Unread>();
  /** By life. */
  readonly stranded = new Map<number, Stranded>();
  readonly rows = new Map<RowKey, Uint8Array>();
  /** Rows whose record is damaged. */
  readonly badRows = new Map<RowKey, BosunError>();
  /** Damage that does not matter any more: the journal has a later value, or says that the actor is dead. */
  readonly overcome: BosunError[] = [];
  readonly changed = new Set<number>();
  /** Lives whose identity the journal has: of those born in it, and of those that it says have changed theirs. */
  readonly identified = new Set<number>();
  readonly died = new Set<number>();
  readonly window: Window = emptyWindow();

  constructor(codec: StructuredCodec, pages: Pages, fetch?: (key: string) => Uint8Array | undefined) {
    this.#codec = codec;
    this.#pages = pages;
    this.#fetch = fetch;
  }

  /** Whether only what is asked for is read. */
  get isPart(): boolean {
    return this.#fetch !== undefined;
  }

  get isPopulated(): boolean {
    return this.states.size + this.stranded.size + this.rows.size + this.badRows.size > 0;
  }

  /** Before the states. */
  loadPage(key: string, value: Uint8Array): void {
    this.#pageRecords.set(key, value);
  }

  loadState(key: string, value: Uint8Array): void {
    const life = numberIn(key);
    const fetch = this.#fetch ?? ((page: string) => this.#pageRecords.get(page));
    const state = this.#sound(() => this.#pages.read(life, unseal(key, value), fetch));
    if (state instanceof BosunError) this.strand(life, state);
    else this.states.set(life, state);
  }

  loadRow(key: RowKey, value: Uint8Array): void {
    const row = this.#sound(() => unseal(key, value));
    if (row instanceof BosunError) this.badRows.set(key, row);
    else this.rows.set(key, row);
  }

  /**
   * Keys of pages that no state names: those of folds that were cut short, and of the dead. Those of an actor that
   * cannot be read stay with its record.
   */
  *strayPages(isUnreadable: (life: number) => boolean): Generator<string> {
    for (const key of this.#pageRecords.keys()) {
      const life = lifeOfPage(key);
      if (!isUnreadable(life) && !this.#pages.names(life, numberIn(key))) yield key;
    }
  }

  /** Has the state of an actor read, if that has not been done. */
  fetchState(life: number): void {
    if (this.#fetch === undefined || this.#fetched.has(life)) return;
    this.#fetched.add(life);
    const key = stateKey(life);
    const value = this.#sound(() => this.#fetch?.(key));
    if (value instanceof BosunError) this.strand(life, value);
    else if (value !== undefined) this.loadState(key, value);
    const deltas = this.unread.get(life)?.deltas ?? [];
    this.unread.delete(life);
    for (const delta of deltas) this.#bringForward(life, delta);
  }

  /** Has a folded row read that no epoch has replaced. */
  fetchRow(key: RowKey): void {
    if (this.rows.has(key) || this.badRows.has(key) || this.window.rows.has(key)) return;
    const value = this.#sound(() => this.#fetch?.(key));
    if (value instanceof BosunError) this.badRows.set(key, value);
    else if (value !== undefined) this.loadRow(key, value);
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

  /** @throws BOSUN_STORE_DAMAGED with details { key }. */
  decode(key: string, bytes: Uint8Array): unknown {
    return decodeRecord(this.#codec, key, bytes);
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
    this.window.rows.set(key, row);
    this.#overcome(this.badRows.get(key));
    this.badRows.delete(key);
    if (row === null) this.rows.delete(key);
    else this.rows.set(key, row);
    if (keyspaceOf(key) !== KEYSPACE.identities) return;
    const life = numberIn(key);
    this.changed.add(life);
    if (row !== null) this.identified.add(life);
    else {
      this.died.add(life);
      this.states.delete(life);
      this.unread.delete(life);
      this.#overcome(this.stranded.get(life)?.error);
      this.stranded.delete(life);
    }
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
