/**
 * The records of actors, as rows of the epoch in the making: appended with their turn, removed where there are too many
 * or they are too old, and in slices after the end of their actor. No record is kept in memory; api/record-box.ts reads
 * them. A record is never changed.
 */
import { isBosunError } from '../../errors.ts';
import { RECORDS_PURGED_AT_ONCE, RECORDS_SWEPT_EVERY_MS } from '../../limits.ts';
import { KEYSPACE, type RowKey, type Shelf } from '../model/ports.ts';
import {
  KEPT_TURNS,
  type NumberedRecord,
  recordIndexKeys,
  recordIndexOf,
  recordKey,
  type RecordRow,
  type RecordSpan,
  type RecordSpans,
} from '../model/records.ts';
import { rowKey, turnKey } from '../model/row-keys.ts';
import { type StateChange } from '../model/state.ts';
import { type Cell } from './cell.ts';
import { type Surroundings } from './surroundings.ts';

interface Needs extends Pick<Surroundings, 'cells' | 'draft' | 'next' | 'time' | 'wake'> {
  change(cell: Cell, change: StateChange): void;
}

/** The records and kept turns of an ended actor that have not been removed yet. */
export type RecordPurge = readonly [agent: string, spans: RecordSpans];

/**
 * The range of records that readers find, from `first` up to and without `next`; only those since `sinceMs` are shown.
 */
export interface RecordNumbers {
  readonly first: number;
  readonly next: number;
  readonly sinceMs: number;
}

/** Index entries that an erasure checks together. */
const KEYS_READ_AT_ONCE = 1_000;

/** Actors that one epoch checks for records that are too old. */
const SWEPT_AT_ONCE = 10_000;

export class Records {
  readonly #world: Needs;
  /** Reads stored rows; undefined if the store cannot. */
  shelf: Shelf | undefined;
  /** Rows of records with keys, as long as they are not durable and so not on the shelf. */
  readonly #recent = new Map<RowKey, RecordRow>();
  readonly #purges = new Map<number, RecordPurge>();
  /** Rows of those records in the next slice to be removed that have keys; undefined until they have been read. */
  #ahead: ReadonlyMap<RowKey, RecordRow> | undefined;
  /** Settles when these rows have been read; undefined while nothing is read. */
  reading: Promise<void> | undefined;
  /** Actors that the current sweep has not checked yet. */
  #sweep: Iterator<Cell> | undefined;
  /** The actor that the sweep has not finished. */
  #unfinished: Cell | undefined;
  #sweptMs = -Infinity;

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Whether old records can be removed at present, which requires reading their keys from the store. */
  get mayDrop(): boolean {
    return this.shelf?.isOpen === true;
  }

  /** Loads a removal that an earlier run has not finished. */
  loadPurge(life: number, purge: RecordPurge): void {
    this.#purges.set(life, purge);
  }

  /** Whether there is more to remove at once. */
  get isBusy(): boolean {
    return this.#purges.size > 0 || this.#unfinished !== undefined;
  }

  /** Whether records and kept turns of these ended actors are being removed. */
  isPurging(lives: ReadonlySet<number>): boolean {
    return this.#purges.size > 0 && [...lives].some((life) => this.#purges.has(life));
  }

  /**
   * The range of records of a name for readers, and their maximum age, as of the last durable epoch; undefined if
   * the agent declares none and the actor has none.
   */
  spanOf(cell: Cell, name: string): RecordNumbers | undefined {
    const policy = cell.definition.records?.get(name);
    const span = cell.durable?.state.records?.[name];
    if (policy === undefined && span === undefined) return undefined;
    const [first, next] = span ?? [1, 1];
    const { keep = Infinity, forMs = Infinity } = policy ?? {};
    return { first: Math.max(first, next - keep), next, sinceMs: this.#world.time.nowMs() - forMs };
  }

  /** Enters a record of the turn that has just been applied. Its number is in the state already. */
  append(cell: Cell, { name, value, keys, number, dropped }: NumberedRecord): void {
    const { life } = cell;
    const { draft, time } = this.#world;
    const key = recordKey(life, name, number);
    const order = keys === null ? 0 : this.#world.next('message');
    const row: RecordRow = Object.freeze([time.nowMs(), cell.seq, value, order, keys] as const);
    draft.putOf(life, key, row, (conceal) => [row[0], row[1], conceal(value), order, keys]);
    if (keys !== null) {
      for (const entry of recordIndexKeys(cell.identity.agent, name, life, row)) draft.put(entry, [life, number]);
      this.#recent.set(key, row);
      draft.output(() => this.#recent.delete(key));
    }
    const isKeyed = cell.state.records?.[name]?.[2] === true;
    for (const old of dropped) this.#remove(cell.identity.agent, { life, name, number: old, isKeyed });
  }

  /** Removes records of an ended actor, slice by slice. */
  purge({ life, identity }: Cell, spans: RecordSpans = {}): void {
    this.#putPurge(life, [identity.agent, { ...this.#purges.get(life)?.[1], ...spans }]);
  }

  /**
   * Removes the remaining index entries of an agent's actors: the keys of damaged records were unknown. Rejects with
   * BOSUN_STORE_FAILED.
   */
  async forgetKeys(agent: string, lives: ReadonlySet<number>): Promise<void> {
    const { gte: first, lt } = recordIndexOf(agent);
    for (let gte: string = first; ; ) {
      const entries = (await this.shelf?.rowsIn({ gte, lt, limit: KEYS_READ_AT_ONCE })) ?? [];
      for (const [key, row] of entries)
        if (lives.has((row as readonly [number, number])[0])) this.#world.draft.remove(key);
      if (entries.length < KEYS_READ_AT_ONCE) return;
      // No key sorts between a key and the same key followed by the first of all characters.
      gte = `${entries.at(-1)![0]}!`;
    }
  }

  /**
   * Removes the next slice. Does nothing while the store cannot be read, and while the rows of the slice are being
   * read; the loop is woken afterwards.
   */
  tidy(): void {
    if (!this.mayDrop || this.reading !== undefined) return;
    if (this.#purges.size === 0) this.#sweepSome();
    else if (this.#ahead !== undefined || !this.#readsAhead()) {
      this.#purge();
      // While the removals are written.
      this.#readsAhead();
    }
  }

  /**
   * Reads the rows of the next slice beside the loop: a synchronous read waits for LevelDB's lock, which it holds while
   * it deletes files.
   *
   * @returns Whether there are any to read.
   */
  #readsAhead(): boolean {
    const keys = this.#keyedOfSlice();
    this.#ahead = undefined;
    if (keys.length === 0) return false;
    this.reading = this.#readRows(keys).then((rows) => {
      this.#ahead = rows;
      this.reading = undefined;
      this.#world.wake();
    });
    return true;
  }

  /** Reads rows, without missing and unreadable ones, which are reported when they are removed. */
  async #readRows(keys: readonly RowKey[]): Promise<ReadonlyMap<RowKey, RecordRow>> {
    const rows = await this.shelf!.rowsOf(keys).catch(() => []);
    const found = new Map<RowKey, RecordRow>();
    rows.forEach((row, i) => {
      if (row !== undefined) found.set(keys[i]!, row as RecordRow);
    });
    return found;
  }

  /** The records with keys in the next slice. */
  #keyedOfSlice(): RowKey[] {
    const keys: RowKey[] = [];
    let left = RECORDS_PURGED_AT_ONCE;
    for (const [life, [, spans]] of this.#purges)
      for (const [name, [first, next, isKeyed]] of Object.entries(spans)) {
        const end = Math.min(next, first + left);
        for (let number = first; isKeyed && number < end; number++) keys.push(recordKey(life, name, number));
        left -= end - first;
      }
    return keys;
  }

  #purge(): void {
    let left = RECORDS_PURGED_AT_ONCE;
    for (const [life, [agent, spans]] of this.#purges) {
      const rest: Record<string, RecordSpan> = {};
      for (const [name, [first, next, isKeyed]] of Object.entries(spans)) {
        const end = Math.min(next, first + left);
        for (let number = first; number < end; number++) this.#remove(agent, { life, name, number, isKeyed });
        left -= end - first;
        if (end < next) rest[name] = [end, next, isKeyed];
      }
      this.#putPurge(life, [agent, rest]);
      if (left === 0) return;
    }
  }

  #putPurge(life: number, purge: RecordPurge): void {
    const key = rowKey(KEYSPACE.recordPurges, life);
    if (Object.keys(purge[1]).length > 0) {
      this.#purges.set(life, purge);
      this.#world.draft.put(key, purge);
    } else if (this.#purges.delete(life)) this.#world.draft.remove(key);
  }

  /** Checks some of the actors in memory, if it is time. */
  #sweepSome(): void {
    const nowMs = this.#world.time.nowMs();
    if (this.#sweep === undefined) {
      if (nowMs - this.#sweptMs < RECORDS_SWEPT_EVERY_MS) return;
      this.#sweptMs = nowMs;
      this.#sweep = this.#world.cells.values()[Symbol.iterator]();
    }
    const budget = { records: RECORDS_PURGED_AT_ONCE };
    for (let cells = SWEPT_AT_ONCE; cells > 0 && budget.records > 0; cells--) {
      const cell = this.#unfinished ?? (this.#sweep.next().value as Cell | undefined);
      this.#unfinished = undefined;
      if (cell === undefined) {
        this.#sweep = undefined;
        return;
      }
      // The actor may have ended, or have been evicted, since it was listed.
      if (cell.state.records === undefined || cell.gone || this.#world.cells.resident(cell.life) !== cell) continue;
      const isProgress = this.#dropAged(cell, nowMs, budget);
      if (isProgress && budget.records === 0) this.#unfinished = cell;
    }
  }

  /**
   * Drops records that are too old.
   *
   * @returns Whether there were any.
   */
  #dropAged(cell: Cell, nowMs: number, budget: { records: number }): boolean {
    const changed: Record<string, RecordSpan> = {};
    for (const [name, [first, next, isKeyed]] of Object.entries(cell.state.records ?? {})) {
      const { forMs = Infinity } = cell.definition.records?.get(name) ?? {};
      if (forMs === Infinity) continue;
      let kept = first;
      for (let number = first; number < next && budget.records > 0; number++) {
        budget.records -= 1;
        const row = this.#rowOf(recordKey(cell.life, name, number));
        // The next record shows how old a damaged one is.
        if (row === undefined) continue;
        if (row[0] > nowMs - forMs) break;
        kept = number + 1;
      }
      for (let number = first; number < kept; number++)
        this.#remove(cell.identity.agent, { life: cell.life, name, number, isKeyed });
      if (kept > first) changed[name] = [kept, next, isKeyed];
    }
    const isAny = Object.keys(changed).length > 0;
    if (isAny) this.#world.change(cell, { records: changed });
    return isAny;
  }

  #remove(
    agent: string,
    { life, name, number, isKeyed }: { life: number; name: string; number: number; isKeyed: boolean },
  ): void {
    const key = name === KEPT_TURNS ? turnKey(life, number) : recordKey(life, name, number);
    const row = isKeyed ? this.#rowOf(key) : undefined;
    if (row !== undefined) for (const entry of recordIndexKeys(agent, name, life, row)) this.#world.draft.remove(entry);
    this.#world.draft.remove(key);
  }

  #rowOf(key: RowKey): RecordRow | undefined {
    return (
      this.#recent.get(key) ??
      this.#ahead?.get(key) ??
      (this.shelf && (soundRow(this.shelf, key) as RecordRow | undefined))
    );
  }
}

/** Reads a row; undefined for a missing one, and for a damaged one, which is reported. */
export function soundRow(shelf: Shelf, key: RowKey): unknown {
  try {
    return shelf.row(key);
  } catch (error) {
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) throw error;
    shelf.tell(error);
    return undefined;
  }
}
