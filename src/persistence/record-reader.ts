/**
 * The shelf: reads one durable record at a time from the store of a running system, for actors that are not in memory.
 * What the fold has not brought under a key of its own yet is taken from the fold. Damage is told once a key and
 * repaired nowhere.
 */
import {
  type ActorState,
  type Identity,
  type RowKey,
  type Shelf,
  type Store,
  KEYSPACE,
} from '../actors/model/ports.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { decodeRecord } from './bring-forward.ts';
import { type StructuredCodec } from './codec.ts';
import { lostConfiguration } from './damage.ts';
import { type Dictionary } from './dictionary.ts';
import { damaged, placed, unseal } from './envelope.ts';
import { type Fold } from './fold.ts';
import { type Pages } from './pages.ts';
import { keysUnder, numberedKey, stateKey } from './keys.ts';

/** What the shelf goes by while a journal is open. */
export interface ShelfParts {
  readonly codec: StructuredCodec;
  readonly pages: Pages;
  readonly fold: Fold;
  readonly configurations: Dictionary['configurations'];
}

export class StoreShelf implements Shelf {
  readonly #store: Store;
  readonly #read: (key: string) => Uint8Array | undefined;
  readonly #parts: () => ShelfParts;
  readonly #onDamage: (damage: BosunError) => void;
  readonly #told = new Set<string>();
  isOpen = false;

  /** @param read The store's `getSync`. */
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
    const identity = this.#identity(life, address);
    if (identity === undefined || identity instanceof BosunError) return identity;
    const state = this.#sound(life, identity.address, () => {
      const found = this.#state(life);
      const problem = lostConfiguration(this.#parts(), identity, found);
      if (problem !== null) throw problem;
      return found;
    });
    return { identity, state };
  }

  identity(life: number): Identity | undefined {
    const identity = this.#identity(life);
    return identity instanceof BosunError ? undefined : identity;
  }

  row(key: RowKey): unknown {
    const { codec, fold } = this.#parts();
    const recent = fold.rowOf(key);
    if (recent === null) return undefined;
    const stored = recent === undefined ? this.#read(key) : undefined;
    const payload = recent ?? (stored && unseal(key, stored));
    return payload && decodeRecord(codec, key, payload);
  }

  async rowsUnder(prefix: RowKey): Promise<(readonly [key: RowKey, row: unknown])[]> {
    const { codec, fold } = this.#parts();
    // Before the store is read: a fold may move rows from here to there meanwhile, and never back.
    const rows = fold.rowsUnder(prefix);
    for await (const batch of this.#store.scan(keysUnder(prefix))) {
      for (const [text, value] of batch) {
        const key = text as RowKey;
        if (rows.has(key)) continue;
        const payload = this.#sound(undefined, undefined, () => unseal(key, value));
        if (!(payload instanceof BosunError)) rows.set(key, payload);
      }
    }
    const found: (readonly [RowKey, unknown])[] = [];
    for (const key of [...rows.keys()].sort()) {
      const payload = rows.get(key);
      const row = payload && this.#sound(undefined, undefined, () => decodeRecord(codec, key, payload));
      if (row !== undefined && row !== null && !(row instanceof BosunError)) found.push([key, row]);
    }
    return found;
  }

  tell(damage: BosunError): void {
    const key = String(damage.details['key']);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#onDamage(damage);
  }

  #identity(life: number, address?: string): Identity | BosunError | undefined {
    const key = numberedKey(KEYSPACE.identities, life);
    return this.#sound(life, address, () => this.row(key) as Identity | undefined);
  }

  #state(life: number): ActorState {
    const { pages, fold } = this.#parts();
    const key = stateKey(life);
    const recent = fold.stateOf(life);
    if (recent !== undefined && recent !== null) return recent;
    const stored = this.#read(key);
    if (stored === undefined) throw damaged(key, 'is missing');
    return pages.read(life, unseal(key, stored), this.#read);
  }

  /** What `read` gives, or the damage that it throws, with its place; any other error is thrown. */
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
