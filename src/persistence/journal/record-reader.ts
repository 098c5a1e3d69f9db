/**
 * The shelf: reads one durable record at a time from the store of a running system, for actors that are not in memory.
 * Changes that are not folded yet come from the fold. Damage is reported once a key and not repaired here.
 */
import {
  type ActorState,
  type Identity,
  type RowKey,
  type Shelf,
  type Store,
  type StoreRange,
} from '../../actors/model/ports.ts';
import { UNBORN } from '../../actors/model/state.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { findActor, identityFrom, openActor } from '../format/actor-record.ts';
import { decodeRecord } from '../format/bring-forward.ts';
import { type StructuredCodec } from '../format/codec.ts';
import { lostConfiguration } from './damage.ts';
import { type Dictionary } from '../format/dictionary.ts';
import { damaged, placed, unseal } from '../format/envelope.ts';
import { type Fold } from './fold.ts';
import { type Pages } from '../format/pages.ts';
import { keysUnder, stateKey } from '../format/keys.ts';

/** The parts of an open journal that the shelf reads from. */
export interface ShelfParts {
  readonly codec: StructuredCodec;
  readonly pages: Pages;
  readonly fold: Fold;
  readonly configurations: Dictionary['configurations'];
}

/** An actor's identity and a function that reads its state and throws BOSUN_STORE_DAMAGED. */
interface Found {
  readonly identity: Identity;
  readonly state: () => ActorState;
}

/** Rows of a range, and the range that is still unread. */
interface Portion {
  readonly rows: readonly (readonly [key: RowKey, row: unknown])[];
  readonly behind: StoreRange | undefined;
}

export class StoreShelf implements Shelf {
  readonly #store: Store;
  readonly #read: (key: string) => Uint8Array | undefined;
  readonly #parts: () => ShelfParts;
  readonly #onDamage: (damage: BosunError) => void;
  readonly #told = new Set<string>();
  isOpen = false;

  /**
   * Makes a reader.
   *
   * @param read The store's `getSync`.
   */
  constructor(
    store: Store,
    read: (key: string) => Uint8Array | undefined,
    parts: () => ShelfParts,
    onDamage: (damage: BosunError) => void,
  ) {
    this.#store = store;
    this.#read = read;
    this.#parts = parts;
    this.#onDamage = onDamage;
  }

  actor(
    life: number,
    address?: string,
  ): { readonly identity: Identity; readonly state: ActorState | BosunError } | BosunError | undefined {
    const found = this.#sound(life, address, () => this.#found(life, address));
    if (found === undefined || found instanceof BosunError) return found;
    const { identity } = found;
    const state = this.#sound(life, identity.address, () => {
      const read = found.state();
      const problem = lostConfiguration(this.#parts(), identity, read);
      if (problem !== null) throw problem;
      return read;
    });
    return { identity, state };
  }

  identity(life: number): Identity | undefined {
    const found = this.actor(life);
    return found === undefined || found instanceof BosunError ? undefined : found.identity;
  }

  row(key: RowKey): unknown {
    const { codec, fold } = this.#parts();
    const recent = fold.rowOf(key);
    if (recent === null) return undefined;
    const stored = recent === undefined ? this.#read(key) : undefined;
    const payload = recent ?? (stored && unseal(key, stored));
    return payload && decodeRecord(codec, key, payload);
  }

  rowsUnder(prefix: RowKey): Promise<(readonly [key: RowKey, row: unknown])[]> {
    return this.rowsIn(keysUnder(prefix));
  }

  async rowsIn({ limit = Infinity, ...range }: StoreRange): Promise<(readonly [key: RowKey, row: unknown])[]> {
    const found: (readonly [RowKey, unknown])[] = [];
    for (let rest: StoreRange | undefined = range; rest !== undefined && found.length < limit; ) {
      const portion: Portion = await this.#portion(rest, limit - found.length);
      found.push(...portion.rows);
      rest = portion.behind;
    }
    return found;
  }

  /** Reads at most `wanted` rows of a range; fewer where some of them are damaged. */
  async #portion(range: StoreRange, wanted: number): Promise<Portion> {
    // Before the store is read: a fold may move rows from the window to the store meanwhile, and never back.
    const rows = this.#parts().fold.rowsIn(range);
    // Rows that the window deletes are read in vain. Those that it puts only add to what is found.
    const deleted = [...rows.values()].filter((row) => row === null).length;
    const limit = wanted + deleted;
    const read = await this.#addStored(rows, { ...range, ...(limit !== Infinity && { limit }) });
    const isReverse = range.reverse === true;
    const last = read.length === limit ? read.at(-1)! : undefined;
    const keys = [...rows.keys()].sort();
    const found: (readonly [RowKey, unknown])[] = [];
    for (const key of isReverse ? keys.reverse() : keys) {
      if (found.length === wanted) return { rows: found, behind: undefined };
      if (last !== undefined && (isReverse ? key < last : key > last)) break;
      const row = this.#decoded(key, rows.get(key));
      if (row !== undefined) found.push([key, row]);
    }
    if (last === undefined) return { rows: found, behind: undefined };
    // No key sorts between a key and the same key followed by the first of all characters.
    return { rows: found, behind: isReverse ? { ...range, lt: last } : { ...range, gte: `${last}!` } };
  }

  async rowsOf(keys: readonly RowKey[]): Promise<readonly unknown[]> {
    const { fold } = this.#parts();
    const recent = keys.map((key) => fold.rowOf(key));
    const stored = await this.#storedOf(keys.filter((_, i) => recent[i] === undefined));
    return keys.map((key, i) => this.#decoded(key, recent[i] === undefined ? stored.get(key) : recent[i]));
  }

  /** Reads rows from the store, without missing and damaged ones. */
  async #storedOf(keys: readonly RowKey[]): Promise<ReadonlyMap<RowKey, Uint8Array>> {
    const store = this.#store;
    const values =
      store.getMany === undefined ? await Promise.all(keys.map((key) => store.get(key))) : await store.getMany(keys);
    const found = new Map<RowKey, Uint8Array>();
    keys.forEach((key, i) => {
      const value = values[i];
      const payload = value && this.#sound(undefined, undefined, () => unseal(key, value));
      if (payload !== undefined && !(payload instanceof BosunError)) found.set(key, payload);
    });
    return found;
  }

  /**
   * Adds rows of a range from the store that `rows` does not have.
   *
   * @returns The keys of the range in the store.
   */
  async #addStored(rows: Map<RowKey, Uint8Array | null | undefined>, range: StoreRange): Promise<RowKey[]> {
    const read: RowKey[] = [];
    for await (const batch of this.#store.scan(range)) {
      for (const [text, value] of batch) {
        const key = text as RowKey;
        read.push(key);
        if (rows.has(key)) continue;
        const payload = this.#sound(undefined, undefined, () => unseal(key, value));
        if (!(payload instanceof BosunError)) rows.set(key, payload);
      }
    }
    return read;
  }

  /** Decodes a row; undefined for a missing or damaged one. */
  #decoded(key: RowKey, payload: Uint8Array | null | undefined): unknown {
    const row = payload && this.#sound(undefined, undefined, () => decodeRecord(this.#parts().codec, key, payload));
    return row instanceof BosunError || row === null ? undefined : row;
  }

  tell(damage: BosunError): void {
    const key = String(damage.details['key']);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onDamage(damage);
  }

  /**
   * Finds an actor.
   *
   * @param address The address that leads to it, if known: then the record has to exist.
   */
  #found(life: number, address: string | undefined): Found | undefined {
    const { codec, pages, fold } = this.#parts();
    const recent = this.#sound(life, address, () => fold.actorOf(life));
    if (recent === null) return undefined;
    if (recent !== undefined && !(recent instanceof BosunError))
      return { identity: recent.identity, state: () => recent.state };
    const stored = findActor(life, this.#read);
    if (stored === undefined) {
      if (recent === undefined && address === undefined) return undefined;
      throw recent ?? damaged(stateKey(life), 'is missing');
    }
    const [key, record] = stored;
    const { identity, state } = openActor(key, record);
    const problem = recent ?? (state instanceof BosunError ? state : undefined);
    return {
      identity: identityFrom(life, decodeRecord(codec, key, identity)),
      state: () => {
        if (problem !== undefined) throw problem;
        return state === null ? UNBORN : pages.read(key, state as Uint8Array, this.#read);
      },
    };
  }

  /** Returns the result of `read`, or the damage that it throws, with its place; rethrows any other error. */
  #sound<T>(life: number | undefined, address: string | undefined, read: () => T): T | BosunError {
    try {
      return read();
    } catch (error) {
      if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
      const damage = placed(error, { ...(life !== undefined && { life }), ...(address !== undefined && { address }) });
      this.tell(damage);
      return damage;
    }
  }
}
