/**
 * The results of ended actors, as rows of the epoch in the making: entered with the end of their actor, and removed in
 * slices where there are too many or they are too old, together with the actor's records and kept turns. Of results
 * only their number for each agent is in memory; api/result-box.ts reads them.
 */
import { isBosunError } from '../../errors.ts';
import { RECORDS_SWEPT_EVERY_MS, RECORDS_PURGED_AT_ONCE } from '../../limits.ts';
import { type KeepPolicy } from '../model/keep-bounds.ts';
import { KEYSPACE, type RowKey, type Shelf, type StoreRange } from '../model/ports.ts';
import { type RecordSpans } from '../model/records.ts';
import {
  endedAddressKey,
  endedAtOf,
  endedLifeKey,
  type Ending,
  endPlace,
  lifeOfEnd,
  placeInKey,
  resultKey,
  type ResultPlace,
  resultRange,
  type ResultRow,
} from '../model/results.ts';
import { type BossView, type RefusalCode } from '../model/supervision.ts';
import { type Cell, type EndedActor } from './cell.ts';
import { type Surroundings } from './surroundings.ts';

interface Needs extends Pick<Surroundings, 'draft' | 'time' | 'wake'> {
  readonly leftovers: { forget(ended: EndedActor, spans: RecordSpans | null): void };
}

/** An ended actor of which nothing is to be left. */
export interface ErasedActor {
  readonly life: number;
  readonly address: string;
  readonly agent: string;
  /** Whether its records are found by keys. */
  readonly isKeyed: boolean;
}

/** Results that have been read in order to be removed. */
interface Slice {
  readonly agent: string;
  readonly found: readonly (readonly [key: RowKey, row: ResultRow])[];
  /** The last end at the address of each, in the same order. */
  readonly last: readonly (ResultPlace | undefined)[];
}

export class Results {
  readonly #world: Needs;
  /** Reads stored rows; undefined if the store cannot. Then no results are kept. */
  shelf: Shelf | undefined;
  /** The policy of an agent as the code has it. */
  policyOf: (agent: string) => KeepPolicy = () => ({ count: Infinity, forMs: Infinity });
  /** Number of results kept, by agent. */
  readonly #counts = new Map<string, number>();
  /** Actors whose end is in an epoch that is not durable yet, by address. */
  readonly #fresh = new Map<string, ResultPlace>();
  /** Addresses at which actors have ended since the slice was read; undefined while there is none. */
  #touched: Set<string> | undefined;
  #slice: Slice | undefined;
  /** Results whose removal is not durable yet, so that the store still has them. */
  readonly #leaving = new Set<RowKey>();
  /** Settles when the next slice has been read; undefined while nothing is read. */
  reading: Promise<void> | undefined;
  /** Agents that the current search for results that are too old has not reached. */
  #sweep: string[] = [];
  #sweptMs = -Infinity;
  #haltedUntilMs = -Infinity;

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Loads the number of results that are kept of an agent. */
  load(agent: string, count: number): void {
    this.#counts.set(agent, count);
  }

  /** Names of the agents of which results are kept. */
  get agents(): Iterable<string> {
    return this.#counts.keys();
  }

  /** Whether there is more to remove at once. */
  get isBusy(): boolean {
    return this.#slice !== undefined || this.#next() !== undefined;
  }

  /**
   * Keeps what is left of an actor that is about to be removed, with its records and kept turns.
   *
   * @returns Whether it is kept: a Boss, a child of a machine, and an actor that has never begun are not.
   */
  keep(cell: Cell): boolean {
    const { life, identity, state, definition, parent } = cell;
    const { agent, address, bond } = identity;
    const isRun =
      bond === 'supervised' && cell.role.keepsResult && (cell.snapshot !== undefined || state.incarnation > 0);
    if (!isRun || this.shelf === undefined || (definition.ended?.count ?? 0) === 0) return false;
    const { draft, time } = this.#world;
    const status = endingOf(cell);
    const value = status === 'done' ? state.output : status === 'stopped' ? undefined : state.error;
    const { bornAtMs = null, restarts = state.incarnation } = parent?.table.get(cell.childId) ?? {};
    const records = state.records ?? null;
    const row: ResultRow = [address, status, value, identity.version, bornAtMs, restarts + 1, state.seq, records];
    const place: ResultPlace = [agent, endPlace(time.nowMs(), life)];
    draft.putOf(life, resultKey(place), Object.freeze(row), (conceal) => row.with(2, conceal(value)));
    draft.put(endedAddressKey(address), place);
    if (records !== null && Object.values(records).some(([, , isKeyed]) => isKeyed))
      draft.put(endedLifeKey(life), place);
    this.#count(agent, 1);
    this.#touched?.add(address);
    this.#fresh.set(address, place);
    draft.output(() => {
      if (this.#fresh.get(address) === place) this.#fresh.delete(address);
    });
    return true;
  }

  /**
   * The place of the result of the last actor that ended at an address, durable or not; undefined if none is kept.
   * Throws BOSUN_STORE_DAMAGED, and BOSUN_STORE_FAILED while the store is closed.
   */
  at(address: string): ResultPlace | undefined {
    const place = this.#fresh.get(address) ?? (this.shelf?.row(endedAddressKey(address)) as ResultPlace | undefined);
    return place !== undefined && this.isKept(place) ? place : undefined;
  }

  /** Whether the result of an actor that ended at an address is kept, or why that cannot be read. */
  has(address: string): boolean | Extract<RefusalCode, `BOSUN_STORE_${string}`> {
    if (this.shelf?.isOpen === false) return 'BOSUN_STORE_UNAVAILABLE';
    try {
      return this.at(address) !== undefined;
    } catch (error) {
      if (isBosunError(error, 'BOSUN_STORE_DAMAGED')) return 'BOSUN_STORE_DAMAGED';
      throw error;
    }
  }

  /** Whether a result is young enough to be shown. */
  isKept([agent, place]: ResultPlace): boolean {
    return endedAtOf(place) >= this.sinceMs(agent);
  }

  /** The time since which results of an agent are shown. */
  sinceMs(agent: string): number {
    return this.#world.time.nowMs() - this.policyOf(agent).forMs;
  }

  /**
   * Removes the next slice. Does nothing while the store cannot be read, and while a slice is being read; the loop is
   * woken afterwards.
   */
  tidy(): void {
    if (this.shelf?.isOpen !== true || this.reading !== undefined) return;
    this.#beginSweep();
    const slice = this.#slice;
    if (slice !== undefined) this.#drop(slice);
    this.#slice = this.#touched = undefined;
    // The store would give the results that have just been removed once more. The end of the epoch wakes the loop.
    const next = this.#leaving.size > 0 ? undefined : this.#next();
    if (next !== undefined) this.#readSlice(next.agent, next.range);
  }

  /** Removes the results of all ended actors at addresses that fit, and returns them. Rejects with BOSUN_STORE_*. */
  async erase(fits: (address: string) => boolean): Promise<readonly ErasedActor[]> {
    const erased: ErasedActor[] = [];
    for (const agent of [...this.#counts.keys()]) {
      const { gte: first, lt } = resultRange(agent);
      for (let gte = first; ; ) {
        const rows = ((await this.shelf?.rowsIn({ gte, lt, limit: RECORDS_PURGED_AT_ONCE })) ?? []) as Slice['found'];
        for (const [key, row] of rows) {
          if (!fits(row[0])) continue;
          const [address, , , , , , , spans] = row;
          const isKeyed = Object.values(spans ?? {}).some(([, , isKeyed]) => isKeyed);
          erased.push({ life: lifeOfEnd(placeInKey(key)[1]), address, agent, isKeyed });
          this.#remove(key, row);
          this.#world.draft.remove(endedAddressKey(address));
          // A slice that has been read, or is being read, may have it too.
          this.#slice = this.#touched = undefined;
        }
        if (rows.length < RECORDS_PURGED_AT_ONCE) break;
        // No key sorts between a key and the same key followed by the first of all characters.
        gte = `${rows.at(-1)![0]}!`;
      }
    }
    return erased;
  }

  /** The next agent of which results are to be removed, and which. */
  #next(): { readonly agent: string; readonly range: StoreRange } | undefined {
    if (this.#world.time.nowMs() < this.#haltedUntilMs) return undefined;
    for (const [agent, count] of this.#counts) {
      const surplus = count - this.policyOf(agent).count;
      if (surplus > 0)
        return { agent, range: { ...resultRange(agent), limit: Math.min(surplus, RECORDS_PURGED_AT_ONCE) } };
    }
    const agent = this.#sweep.at(-1);
    if (agent === undefined) return undefined;
    const { gte } = resultRange(agent);
    const { gte: lt } = resultRange(agent, { sinceMs: this.sinceMs(agent) });
    return { agent, range: { gte, lt, limit: RECORDS_PURGED_AT_ONCE } };
  }

  #beginSweep(): void {
    const nowMs = this.#world.time.nowMs();
    if (this.#sweep.length > 0 || nowMs - this.#sweptMs < RECORDS_SWEPT_EVERY_MS) return;
    this.#sweptMs = nowMs;
    this.#sweep = [...this.#counts.keys()].filter((agent) => this.policyOf(agent).forMs < Infinity);
  }

  /** Reads results beside the loop, and what else ended at their addresses. */
  #readSlice(agent: string, range: StoreRange): void {
    const touched = (this.#touched = new Set(this.#fresh.keys()));
    this.reading = this.#read(agent, range).then(
      (slice) => {
        this.reading = undefined;
        if (this.#touched === touched) this.#slice = slice;
        this.#world.wake();
      },
      (error: unknown) => this.#halt(error),
    );
  }

  /** Leaves a slice that cannot be read: for an hour if it is damaged, until the next epoch if the store was closed. */
  #halt(error: unknown): void {
    this.reading = undefined;
    if (!isBosunError(error, 'BOSUN_STORE_DAMAGED')) return;
    this.#haltedUntilMs = this.#world.time.nowMs() + RECORDS_SWEPT_EVERY_MS;
    this.shelf!.tell(error);
  }

  async #read(agent: string, range: StoreRange): Promise<Slice> {
    const found = (await this.shelf!.rowsIn(range)) as Slice['found'];
    const last = await this.shelf!.rowsOf(found.map(([, [address]]) => endedAddressKey(address)));
    return { agent, found, last: last as Slice['last'] };
  }

  #drop({ agent, found, last }: Slice): void {
    if (found.length === 0) this.#forgetCount(agent);
    found.forEach(([key, row], i) => {
      const [address] = row;
      const isLast = last[i]?.[1] === placeInKey(key)[1] && this.#touched?.has(address) !== true;
      if (isLast) this.#world.draft.remove(endedAddressKey(address));
      this.#remove(key, row);
    });
  }

  /** Ends the search for old results of an agent; where not even surplus ones were found, corrects their number. */
  #forgetCount(agent: string): void {
    if (this.#sweep.at(-1) === agent) this.#sweep.pop();
    const { count } = this.policyOf(agent);
    const surplus = (this.#counts.get(agent) ?? 0) - count;
    if (surplus > 0) this.#count(agent, -surplus);
  }

  #remove(key: RowKey, row: ResultRow): void {
    if (this.#leaving.has(key)) return;
    const [agent, place] = placeInKey(key);
    const life = lifeOfEnd(place);
    const records = row[7];
    this.#world.draft.remove(key);
    this.#leaving.add(key);
    this.#world.draft.output(() => this.#leaving.delete(key));
    this.#world.draft.remove(endedLifeKey(life));
    this.#world.leftovers.forget({ life, agent }, records);
    this.#count(agent, -1);
  }

  #count(agent: string, change: number): void {
    const count = Math.max(0, (this.#counts.get(agent) ?? 0) + change);
    const key: RowKey = `${KEYSPACE.resultCounts}!${agent}`;
    if (count === 0) {
      this.#counts.delete(agent);
      this.#world.draft.remove(key);
    } else {
      this.#counts.set(agent, count);
      this.#world.draft.put(key, count);
    }
  }
}

function endingOf({ state, parent, childId }: Cell): Ending {
  if (state.status === 'done') return 'done';
  if (state.status !== 'error') return 'stopped';
  const failed = (parent?.snapshot?.context as BossView | undefined)?.failed as { readonly child?: string } | null;
  return failed?.child === childId ? 'gaveUp' : 'failed';
}
