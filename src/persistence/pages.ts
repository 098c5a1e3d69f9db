/**
 * Pages: how the tables of a folded state are stored. Each leaf of a table's tree is a record of its own, a page, and
 * the state names its pages in order; so a fold writes the leaves that have changed, and not the table.
 *
 * The order is the whole proof: new pages first, then the state that names them, then the deletion of pages that it no
 * longer names. A state on disk names only pages that are on disk, so an actor's record is exact whatever a crash cuts
 * short. The number of a page is not used again while the actor lives, so a page is never overwritten under a state
 * that names it.
 */
import { type ActorState, type Conceal, type StoreWrite } from '../actors/model/ports.ts';
import { concealedState } from '../actors/model/state.ts';
import { checksum } from '../checksum.ts';
import { isTable, leavesOf, type Table, tableOfLeaves } from '../table.ts';
import { type Leaf } from '../tree.ts';
import { decodeRecord } from './bring-forward.ts';
import { type StructuredCodec } from './codec.ts';
import { damaged, seal, unseal } from './envelope.ts';
import { pageKey, stateKey } from './keys.ts';

/** A table as the state names it: the number and the checksum of each of its pages, in order of keys. */
type StoredTable = readonly (readonly [page: number, crc: number])[];

/** A state in its stored form: its tables stand beside the context, where each leaves its key without a value. */
interface StoredState extends ActorState {
  readonly tables?: { readonly nextPage: number; readonly byKey: Readonly<Record<string, StoredTable>> };
}

type StoredPage = readonly [keys: readonly string[], rows: readonly unknown[]];

/** Where a leaf is stored. */
interface Place {
  readonly life: number;
  readonly page: number;
  readonly crc: number;
}

/** The pages that the stored state of an actor names. */
interface Named {
  readonly nextPage: number;
  readonly pages: ReadonlySet<number>;
}

const NOTHING_NAMED: Named = { nextPage: 1, pages: new Set() };

/** One fold of one actor. */
class PageFold {
  readonly life: number;
  readonly #before: Named;
  nextPage: number;
  /** Those that the new state names. */
  readonly pages = new Set<number>();

  constructor(life: number, before: Named) {
    this.life = life;
    this.#before = before;
    this.nextPage = before.nextPage;
  }

  /** Whether a leaf can stay where it is: a version of a table may come back whose pages have been deleted. */
  has({ life, page }: Place): boolean {
    return life === this.life && (this.#before.pages.has(page) || this.pages.has(page));
  }
}

export class Pages {
  readonly #codec: StructuredCodec;
  /** A leaf that stands in tables of two actors has one place only: it is written again, never wrongly named. */
  readonly #places = new WeakMap<Leaf<unknown>, Place>();
  /** By life; nobody who has no pages is in it. */
  readonly #named = new Map<number, Named>();

  constructor(codec: StructuredCodec) {
    this.#codec = codec;
  }

  /**
   * The state that a record holds.
   *
   * @param fetch Gives the record of a page.
   * @throws BOSUN_STORE_DAMAGED with the key of the page, also for one that is missing or another than the state names.
   */
  read(life: number, payload: Uint8Array, fetch: (key: string) => Uint8Array | undefined): ActorState {
    const stored = decodeRecord(this.#codec, stateKey(life), payload) as StoredState;
    if (stored.tables === undefined) return stored;
    const { tables, ...state } = stored;
    const pages = new Set<number>();
    const context: Record<string, unknown> = { ...(state.context as object) };
    for (const [key, table] of Object.entries(tables.byKey)) {
      context[key] = this.#readTable(life, table, fetch);
      for (const [page] of table) pages.add(page);
    }
    this.#named.set(life, { nextPage: tables.nextPage, pages });
    return { ...state, context: Object.freeze(context) };
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

  /** What a fold writes of an actor, one record after the other, each encoded when it is asked for. */
  *writesOf(life: number, state: ActorState): Generator<StoreWrite> {
    const { conceal } = this.#codec;
    const hides = state.isSecret === undefined ? undefined : conceal;
    const before = this.#named.get(life) ?? NOTHING_NAMED;
    const tables = tablesIn(state.context);
    if (tables.length === 0 && before === NOTHING_NAMED) {
      yield this.#stateWrite(life, state, hides);
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
    yield this.#stateWrite(life, { ...state, context, tables: { nextPage, byKey } }, hides);
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

  #stateWrite(life: number, state: StoredState, hides: Conceal | undefined): StoreWrite {
    return sealed(stateKey(life), this.#codec.encode(hides === undefined ? state : concealedState(state, hides)));
  }

  /** What a fold deletes of the dead. */
  *deletionsOf(life: number): Generator<StoreWrite> {
    yield { key: stateKey(life), value: null };
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

function sealed(key: string, payload: Uint8Array): StoreWrite {
  return { key, value: seal(key, payload) };
}
