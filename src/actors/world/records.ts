/**
 * The records of actors, as rows of the epoch in the making: appended with their turn, removed where there are too many
 * or they are too old, and in slices after the end of their actor. No record is kept in memory; api/record-box.ts reads
 * them. A record of an actor is never changed. kept-records.ts numbers those that are no part of an actor's state.
 */
import { isBosunError } from '../../errors.ts';
import { RECORDS_PURGED_AT_ONCE, RECORDS_SWEPT_EVERY_MS } from '../../limits.ts';
import { KEYSPACE, type RowKey, type Shelf } from '../model/ports.ts';
import {
  KERNEL_LIFE,
  type NumberedRecord,
  recordIndexKeys,
  recordIndexOf,
  recordKey,
  type RecordPolicies,
  type RecordRow,
  type RecordSpan,
  type RecordSpans,
} from '../model/records.ts';
import { rowKey } from '../model/row-keys.ts';
import { type StateChange } from '../model/state.ts';
import { type Cell, type EndedActor } from './cell.ts';
import { type Surroundings } from './surroundings.ts';

interface Needs extends Pick<Surroundings, 'cells' | 'draft' | 'next' | 'time' | 'wake'> {
  change(cell: Cell, change: StateChange): void;
}

/** The records and kept turns of an ended actor that have not been removed yet. */
export type RecordPurge = readonly [agent: string, spans: RecordSpans];

/** The place of a record. */
export interface RecordPlace {
  readonly life: number;
  readonly name: string;
  readonly number: number;
}

/**
 * The range of records that readers find, from `first` up to and without `next`; only those since `sinceMs` are shown.
 */
export interface RecordNumbers {
  readonly first: number;
  readonly next: number;
  readonly sinceMs: number;
}

/** The records of an actor, living or ended, as they are declared and as they are stored. */
export interface RecordSource {
  readonly policies: RecordPolicies | undefined;
  readonly spans: RecordSpans | null | undefined;
}

/** The records of a living actor as of the last durable epoch. */
export function recordsOf({ definition, durable }: Cell): RecordSource {
  return { policies: definition.records, spans: durable?.state.records };
}

/** Whether an actor has records that are found by keys. */
export function hasKeyedRecords({ state: { records = {} } }: Cell): boolean {
  return Object.values(records).some(([, , isKeyed]) => isKeyed);
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
   * The range of records of a name for readers, and their maximum age; undefined if the agent declares none and the
   * actor has none.
   */
  spanOf({ policies, spans }: RecordSource, name: string): RecordNumbers | undefined {
    const policy = policies?.get(name);
    const span = spans?.[name];
    if (policy === undefined && span === undefined) return undefined;
    const [first, next] = span ?? [1, 1];
    const { count = Infinity, forMs = Infinity } = policy?.keep ?? {};
    return { first: Math.max(first, next - count), next, sinceMs: this.#world.time.nowMs() - forMs };
  }

  /** Enters a record of the turn that has just been applied. Its number is in the state already. */
  append(cell: Cell, { name, value, keys, number, dropped }: NumberedRecord): void {
    const { life } = cell;
    const { agent } = cell.identity;
    const order = keys === null ? 0 : this.#world.next('message');
    const row: RecordRow = [this.#world.time.nowMs(), cell.seq, value, order, keys];
    this.put(agent, { life, name, number }, row);
    const isKeyed = cell.state.records?.[name]?.[2] === true;
    for (const old of dropped) this.drop(agent, { life, name, number: old }, isKeyed);
  }

  /** Writes a record and the index entries that lead to it. */
  put(agent: string, { life, name, number }: RecordPlace, row: RecordRow): void {
    const { draft } = this.#world;
    const [atMs, sequence, value, order, keys] = Object.freeze(row);
    const key = recordKey(life, name, number);
    // Nothing of the kernel's own is secret, and nobody could say so of a life that is none.
    if (life === KERNEL_LIFE) draft.put(key, row);
    else draft.putOf(life, key, row, (conceal) => [atMs, sequence, conceal(value), order, keys]);
    if (keys === null) return;
    for (const entry of recordIndexKeys(agent, name, life, row)) draft.put(entry, [life, number]);
    this.#recent.set(key, row);
    draft.output(() => {
      if (this.#recent.get(key) === row) this.#recent.delete(key);
    });
  }

  /** Replaces a record of the kernel's own, and the index entries that lead to it. */
  replace(agent: string, place: RecordPlace, before: RecordRow, after: RecordRow): void {
    for (const entry of recordIndexKeys(agent, place.name, place.life, before)) this.#world.draft.remove(entry);
    this.put(agent, place, after);
  }

  /** Removes a record; with `isKeyed`, also the index entries that lead to it. */
  drop(agent: string, place: RecordPlace, isKeyed: boolean): void {
    const { draft } = this.#world;
    const { life, name, number } = place;
    const row = isKeyed ? this.rowAt(place) : undefined;
    if (row !== undefined) for (const entry of recordIndexKeys(agent, name, life, row)) draft.remove(entry);
    draft.remove(recordKey(life, name, number));
  }

  /** Reads a record with keys, also one that is not durable yet; undefined if it is missing or damaged. */
  rowAt({ life, name, number }: RecordPlace): RecordRow | undefined {
    const key = recordKey(life, name, number);
    return (
      this.#recent.get(key) ??
      this.#ahead?.get(key) ??
      (this.shelf && (soundRow(this.shelf, key) as RecordRow | undefined))
    );
  }

  /** Removes records of an ended actor, slice by slice. */
  purge({ life, agent }: EndedActor, spans: RecordSpans): void {
    this.#putPurge(life, [agent, { ...this.#purges.get(life)?.[1], ...spans }]);
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
        for (let number = first; number < end; number++) this.drop(agent, { life, name, number }, isKeyed);
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
      const { forMs = Infinity } = cell.definition.records?.get(name)?.keep ?? {};
      if (forMs === Infinity) continue;
      let kept = first;
      for (let number = first; number < next && budget.records > 0; number++) {
        budget.records -= 1;
        const row = this.rowAt({ life: cell.life, name, number });
        // The next record shows how old a damaged one is.
        if (row === undefined) continue;
        if (row[0] > nowMs - forMs) break;
        kept = number + 1;
      }
      for (let number = first; number < kept; number++)
        this.drop(cell.identity.agent, { life: cell.life, name, number }, isKeyed);
      if (kept > first) changed[name] = [kept, next, isKeyed];
    }
    const isAny = Object.keys(changed).length > 0;
    if (isAny) this.#world.change(cell, { records: changed });
    return isAny;
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
