/**
 * Pages: the stored form of tables in a folded state. Each leaf of a table's tree is a record of its own, a page, and
 * the state names its pages in order; so a fold writes only the leaves that have changed.
 *
 * The order of the writes makes this safe: new pages first, then the state that names them, then the deletion of pages
 * that it no longer names. A state on disk names only pages that are on disk, so an actor's record is exact whatever
 * write a crash interrupts. The number of a page is not used again while the actor lives, so a page is never
 * overwritten under a state that names it.
 */
import { type ActorState, type Conceal, type Identity, type StoreWrite } from '../../actors/model/ports.ts';
import { concealedState, stateOf } from '../../actors/model/state.ts';
import { checksum } from '../../checksum.ts';
import { isTable, leavesOf, type Table, tableOfLeaves } from '../../table.ts';
import { type Leaf } from '../../tree.ts';
import { actorKey, type ChangedActor, identityFields, sealActor } from './actor-record.ts';
import { decodeRecord } from './bring-forward.ts';
import { ByteWriter } from './bytes.ts';
import { type Span, type StructuredCodec } from './codec.ts';
import { damaged, seal, unseal } from './envelope.ts';
import { numberIn, pageKey } from './keys.ts';

/** A table as the state names it: the number and the checksum of each of its pages, in key order. */
type StoredTable = readonly (readonly [page: number, crc: number])[];

/** A state in its stored form: its tables are beside the context, which keeps their keys without a value. */
interface StoredState extends ActorState {
  readonly tables?: { readonly nextPage: number; readonly byKey: Readonly<Record<string, StoredTable>> };
}

type StoredPage = readonly [keys: readonly string[], rows: readonly unknown[]];

/** The place where a leaf is stored. */
interface Place {
  readonly life: number;
  readonly page: number;
  readonly crc: number;
}

/** The pages named by the stored state of an actor. */
interface Named {
  readonly nextPage: number;
  readonly pages: ReadonlySet<number>;
}

const NOTHING_NAMED: Named = { nextPage: 1, pages: new Set() };

/** The fold of one actor. */
class PageFold {
  readonly life: number;
  readonly #before: Named;
  nextPage: number;
  /** The pages that the new state names. */
  readonly pages = new Set<number>();

  constructor(life: number, before: Named) {
    this.life = life;
    this.#before = before;
    this.nextPage = before.nextPage;
  }

  /** Whether a leaf is still stored: an earlier version of a table may come back after its pages have been deleted. */
  has({ life, page }: Place): boolean {
    return life === this.life && (this.#before.pages.has(page) || this.pages.has(page));
  }
}

export class Pages {
  readonly #codec: StructuredCodec;
  readonly #writer = new ByteWriter();
  /**
   * The place of each stored leaf. A leaf in tables of two actors has one place only: it is written again for the other
   * one.
   */
  readonly #places = new WeakMap<Leaf<unknown>, Place>();
  /** The pages named by stored states, by life; without actors that have no pages. */
  readonly #named = new Map<number, Named>();

  constructor(codec: StructuredCodec) {
    this.#codec = codec;
  }

  /**
   * Reads the state in a record.
   *
   * @param key The key of the record.
   * @param fetch Reads the record of a page.
   * @throws BOSUN_STORE_DAMAGED with the key of the page, also for one that is missing or not the one that the state
   * names.
   */
  read(key: string, bytes: Uint8Array, fetch: (key: string) => Uint8Array | undefined): ActorState {
    const life = numberIn(key);
    const stored = decodeRecord(this.#codec, key, bytes) as StoredState;
    if (stored.tables === undefined) return stateOf(stored);
    const { tables, ...state } = stored;
    const pages = new Set<number>();
    const context: Record<string, unknown> = { ...(state.context as object) };
    for (const [name, table] of Object.entries(tables.byKey)) {
      context[name] = this.#readTable(life, table, fetch);
      for (const [page] of table) pages.add(page);
    }
    this.#named.set(life, { nextPage: tables.nextPage, pages });
    return stateOf({ ...state, context: Object.freeze(context) });
  }

  #readTable(life: number, stored: StoredTable, fetch: (key: string) => Uint8Array | undefined): Table<unknown> {
    const table = tableOfLeaves(
      stored.map(([page, crc]) => {
        const [keys, rows] = this.#readPage(pageKey(life, page), crc, fetch);
        return { keys, rows };
      }),
    );
    leavesOf(table).forEach((leaf, index) => {
      const [page, crc] = stored[index]!;
      this.#places.set(leaf, { life, page, crc });
    });
    return table;
  }

  #readPage(key: string, crc: number, fetch: (key: string) => Uint8Array | undefined): StoredPage {
    const record = fetch(key);
    if (record === undefined) throw damaged(key, 'is missing, and the state of its actor names it');
    const payload = unseal(key, record);
    if (checksum(payload) !== crc) throw damaged(key, 'is not the page that the state of its actor names');
    return decodeRecord(this.#codec, key, payload) as StoredPage;
  }

  /** The writes of an actor in a fold, one by one, each encoded when it is requested. */
  *writesOf(life: number, actor: ChangedActor): Generator<StoreWrite> {
    const { state } = actor;
    const { conceal } = this.#codec;
    const hides = state.isSecret === undefined ? undefined : conceal;
    const before = this.#named.get(life) ?? NOTHING_NAMED;
    const tables = tablesIn(state.context);
    if (tables.length === 0 && before === NOTHING_NAMED) {
      yield this.#actorWrite(actor, state, hides);
      return;
    }
    const fold = new PageFold(life, before);
    const byKey: Record<string, StoredTable> = {};
    const context: Record<string, unknown> = { ...(state.context as object) };
    for (const [key, table] of tables) {
      byKey[key] = yield* this.#tableWrites(fold, table, hides);
      context[key] = undefined;
    }
    const { nextPage, pages } = fold;
    yield this.#actorWrite(actor, { ...state, context, tables: { nextPage, byKey } }, hides);
    this.#named.set(life, { nextPage, pages });
    for (const page of before.pages) if (!pages.has(page)) yield { key: pageKey(life, page), value: null };
  }

  *#tableWrites(fold: PageFold, table: Table<unknown>, hides: Conceal | undefined): Generator<StoreWrite, StoredTable> {
    const named: (readonly [page: number, crc: number])[] = [];
    for (const leaf of leavesOf(table)) {
      let place = this.#places.get(leaf);
      if (place === undefined || !fold.has(place)) {
        const payload = this.#codec.encode(storedPage(leaf, hides));
        place = { life: fold.life, page: fold.nextPage++, crc: checksum(payload) };
        this.#places.set(leaf, place);
        yield sealed(pageKey(fold.life, place.page), payload);
      }
      fold.pages.add(place.page);
      named.push([place.page, place.crc]);
    }
    return named;
  }

  #actorWrite({ identity, packed }: ChangedActor, state: StoredState, hides: Conceal | undefined): StoreWrite {
    const key = actorKey(identity);
    const parts = {
      identity: () => (packed === undefined ? this.#identitySpan(identity, hides) : spanOf(packed)),
      state:
        state.seq === 0
          ? null
          : () => this.#codec.encodeShared(hides === undefined ? state : concealedState(state, hides)),
    };
    return { key, value: sealActor(key, parts, this.#writer) };
  }

  /** The encoded identity. The input of a Boss's child is in the Boss's record too, and so is not concealed here. */
  #identitySpan(identity: Identity, hides: Conceal | undefined): Readonly<Span> {
    const isHidden = hides !== undefined && identity.bond === 'invoked';
    return this.#codec.encodeShared(
      identityFields(isHidden ? { ...identity, input: hides(identity.input) } : identity),
    );
  }

  /**
   * The deletions for a dead actor in a fold.
   *
   * @param key The key of its record.
   */
  *deletionsOf(key: string): Generator<StoreWrite> {
    const life = numberIn(key);
    yield { key, value: null };
    const { pages } = this.#named.get(life) ?? NOTHING_NAMED;
    this.#named.delete(life);
    for (const page of pages) yield { key: pageKey(life, page), value: null };
  }

  /** Whether the stored state of an actor names a page. */
  names(life: number, page: number): boolean {
    return this.#named.get(life)?.pages.has(page) === true;
  }
}

function storedPage({ keys, rows }: Leaf<unknown>, conceal: Conceal | undefined): StoredPage {
  return [keys, conceal === undefined ? rows : rows.map((row) => conceal(row))];
}

function tablesIn(context: unknown): readonly (readonly [key: string, table: Table<unknown>])[] {
  if (typeof context !== 'object' || context === null) return NONE;
  let found: (readonly [string, Table<unknown>])[] | undefined;
  for (const key in context) {
    const value = (context as Record<string, unknown>)[key];
    if (isTable(value)) (found ??= []).push([key, value]);
  }
  return found ?? NONE;
}

const NONE: readonly never[] = [];

function spanOf(bytes: Uint8Array): Span {
  return { bytes, start: 0, end: bytes.length };
}

function sealed(key: string, payload: Uint8Array): StoreWrite {
  return { key, value: seal(key, payload) };
}
