/**
 * Records that are no part of an actor's state: its kept turns, and the audit of the kernel. Their span is a row of its
 * own, read when it is needed for the first time and written in the epoch of the record, so no start reads it. Numbers,
 * bounds and removals are those of all records (records.ts).
 */
import { BosunError } from '../../errors.ts';
import { type Shelf, type StoreRange } from '../model/ports.ts';
import { droppedFor, spanKey } from '../model/records.ts';
import { type EndedActor } from './cell.ts';
import { soundRow } from './records.ts';
import { type Surroundings } from './surroundings.ts';

type Needs = Pick<Surroundings, 'draft' | 'records'>;

/** The range of the records of one life, from `first` up to and without `next`. */
export interface KeptSpan {
  first: number;
  next: number;
}

export class KeptRecords {
  readonly #world: Needs;
  readonly #name: string;
  readonly #agent: string | undefined;
  /** Tasks postponed until the store is open again. */
  readonly #postponed: (() => void)[] = [];

  /**
   * Makes the records of one name.
   *
   * @param agent The name in the place of their agent in index entries. Undefined for records without keys.
   */
  constructor(world: Needs, name: string, agent?: string) {
    this.#world = world;
    this.#name = name;
    this.#agent = agent;
  }

  /** The reader of durable rows. Throws BOSUN_STORE_FAILED while the store is closed, or if it has no getSync. */
  get readable(): Shelf {
    const { shelf } = this.#world.records;
    if (shelf?.isOpen === true) return shelf;
    throw new BosunError('BOSUN_STORE_FAILED', 'records cannot be read: the store is closed, or has no getSync');
  }

  /**
   * The span as of the last durable epoch. If its row is damaged, numbers begin at 1 again and new records replace the
   * old ones. Throws BOSUN_STORE_FAILED.
   */
  spanOf(life: number): KeptSpan {
    const row = soundRow(this.readable, spanKey(life, this.#name));
    const [first, next] = (row as readonly [number, number] | undefined) ?? [1, 1];
    return { first, next };
  }

  /**
   * Calls `act` with the span: at once, or, if the store is closed now, when the write under way is over, which is
   * before this epoch is written. Never calls it if the store has no getSync.
   */
  follow(life: number, act: (span: KeptSpan) => void): void {
    const { shelf } = this.#world.records;
    if (shelf === undefined) return;
    // Behind postponed tasks, the others wait for their turn.
    if (shelf.isOpen && this.#postponed.length === 0) act(this.spanOf(life));
    else this.#postponed.push(() => this.follow(life, act));
  }

  /** Runs postponed tasks: an epoch is durable, so the store can be read again. */
  catchUp(): void {
    for (const task of this.#postponed.splice(0)) task();
  }

  /**
   * Takes the next number, and drops old records beyond the bound. Those with keys wait while the store is closed.
   *
   * @param span Is changed.
   */
  take(life: number, span: KeptSpan, keep: number): number {
    const { draft, records } = this.#world;
    const [name, agent] = [this.#name, this.#agent];
    const isKeyed = agent !== undefined;
    const number = span.next++;
    if (!isKeyed || records.mayDrop)
      for (const old of droppedFor(span.first, number, keep)) {
        records.drop(agent ?? '', { life, name, number: old }, isKeyed);
        span.first = old + 1;
      }
    draft.put(spanKey(life, name), [span.first, span.next]);
    return number;
  }

  /** Removes the records of an ended actor, slice by slice. */
  purge(ended: EndedActor, { first, next }: KeptSpan): void {
    this.#world.draft.remove(spanKey(ended.life, this.#name));
    if (first < next) this.#world.records.purge(ended, { [this.#name]: [first, next, this.#agent !== undefined] });
  }

  /**
   * Reads durable rows.
   *
   * @returns null if the store was closed meanwhile: it is open again after the next flush.
   */
  async rowsIn(range: StoreRange): Promise<Awaited<ReturnType<Shelf['rowsIn']>> | null> {
    const { shelf } = this.#world.records;
    if (shelf?.isOpen === false) return null;
    const rows = await this.readable.rowsIn(range).catch((error: unknown) => {
      if (shelf!.isOpen) throw error;
      return null;
    });
    return shelf!.isOpen ? rows : null;
  }
}
