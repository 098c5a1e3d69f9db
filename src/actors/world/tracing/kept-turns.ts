/**
 * Kept turns: rows of the store, written in the epoch of their turn, a bounded number for each actor, removed with it.
 * Only their numbers are in memory, for actors that have kept a turn in this run. Each row has the change; one in
 * sixteen has the whole context, from which the contexts in between are computed (turn-rows.ts).
 */
import { BosunError } from '../../../errors.ts';
import { TRACE_WHOLE_EVERY, TURNS_ERASED_AT_ONCE } from '../../../limits.ts';
import { type Cell, type Trail } from '../cell.ts';
import { KEYSPACE, type RowKey, type Shelf } from '../../model/ports.ts';
import { KEPT_TURNS } from '../../model/records.ts';
import { lifeOfTurn, rowKey, turnKey } from '../../model/row-keys.ts';
import { soundRow } from '../records.ts';
import { type Surroundings } from '../surroundings.ts';
import { type KeptTurn, type TraceRecord } from '../../model/trace-record.ts';
import { concealedTurn, epochOfTurn, turnRow, type TurnRow, turnsIn, turnWithout } from '../../model/turn-rows.ts';

type Needs = Pick<Surroundings, 'draft' | 'nextNumber' | 'records'>;

/** The erased actors. */
interface Erased {
  readonly lives: ReadonlySet<number>;
  readonly addresses: ReadonlySet<string>;
  /** The epoch in the making since which no turn names them any more. */
  readonly epoch: number;
}

/** Old turns removed when one is added, so that a lowered bound is reached step by step. */
const DROPPED_AT_ONCE = 2;

export class KeptTurns {
  readonly #world: Needs;
  #shelf: Shelf | undefined;
  /** The first life assigned in this run. */
  #firstLife = 0;
  /** Tasks postponed until the store is open again. */
  readonly #postponed: (() => void)[] = [];

  constructor(world: Needs) {
    this.#world = world;
  }

  /**
   * Sets the source of rows.
   *
   * @param shelf Reads rows. Without it, no turns are kept.
   */
  attach(shelf: Shelf | undefined): void {
    this.#shelf = shelf;
    this.#firstLife = this.#world.nextNumber('life');
  }

  /**
   * Keeps a turn.
   *
   * @param before Number of changes of the actor before the turn.
   */
  add(cell: Cell, record: TraceRecord, before: number): void {
    const { life, context, definition } = cell;
    const { draft } = this.#world;
    this.#follow(cell, (trail) => {
      // An order, a migration or a restart by its Boss may have changed the actor in between.
      const isWhole = trail.sinceWhole + 1 >= TRACE_WHOLE_EVERY || trail.sequence !== before;
      trail.sinceWhole = isWhole ? 0 : trail.sinceWhole + 1;
      trail.sequence = record.sequence;
      this.#put(turnKey(life, trail.next++), turnRow(record, isWhole ? { context } : null));
      const surplus = trail.next - trail.first - definition.keptTurns - TRACE_WHOLE_EVERY;
      for (let n = Math.min(surplus, DROPPED_AT_ONCE); n > 0; n--) draft.remove(turnKey(life, trail.first++));
      draft.put(rowKey(KEYSPACE.turnSpans, life), [trail.first, trail.next]);
    });
  }

  /** Lists the kept turns of an actor as of the last durable epoch, oldest first. Rejects with BOSUN_STORE_FAILED. */
  async list({ life, identity, definition }: Cell, limit = Infinity): Promise<readonly KeptTurn[]> {
    const shelf = this.#shelf;
    if (shelf === undefined) return [];
    if (!shelf.isOpen) throw new BosunError('BOSUN_STORE_FAILED', 'kept turns cannot be read: the store is closed');
    const [first, next] = spanOf(shelf, life);
    const shown = next - Math.min(limit, definition.keptTurns || Infinity);
    const from = Math.max(first, shown - TRACE_WHOLE_EVERY);
    const rows = await shelf.rowsOf(Array.from({ length: next - from }, (_, i) => turnKey(life, from + i)));
    const { address, agent } = identity;
    const turns = turnsIn(rows, from).filter(({ number }) => number >= shown);
    return turns.map((turn) => Object.freeze({ ...turn, address, agent, life }));
  }

  /** Removes the kept turns of an ended actor. */
  forget(cell: Cell): void {
    const { life, definition, trail } = cell;
    // An actor born in this run has none where its agent keeps none.
    if (trail === undefined && definition.keptTurns === 0 && life >= this.#firstLife) return;
    this.#follow(cell, ({ first, next }) => {
      this.#world.draft.remove(rowKey(KEYSPACE.turnSpans, life));
      if (first < next) this.#world.records.purge(cell, { [KEPT_TURNS]: [first, next, false] });
    });
  }

  /** Runs postponed tasks: an epoch is durable, so the store can be read again. */
  catchUp(): void {
    for (const task of this.#postponed.splice(0)) task();
  }

  /**
   * Removes erased actors from the kept turns of others: the fact that something came from them or went to them stays,
   * its content does not. Goes through all kept turns, while others are added and removed.
   *
   * @param flush Makes all changes so far durable.
   */
  async erase(erased: Erased, flush: () => Promise<void>): Promise<void> {
    const { draft } = this.#world;
    let from: string | null = `${KEYSPACE.turns}!`;
    try {
      while (from !== null && this.#shelf !== undefined) {
        // Rows removed before are not read any more, and rows removed from here on are not brought back.
        draft.removals = new Set();
        await flush();
        from = await this.#eraseFrom(from, this.#shelf, erased);
      }
    } finally {
      draft.removals = undefined;
    }
  }

  /**
   * Erases from one page of rows.
   *
   * @returns The key at which to continue after another flush; null at the end.
   */
  async #eraseFrom(gte: string, shelf: Shelf, { lives, addresses, epoch }: Erased): Promise<string | null> {
    const { draft } = this.#world;
    const range = { gte, lt: `${KEYSPACE.turns}"`, limit: TURNS_ERASED_AT_ONCE };
    const rows = await shelf.rowsIn(range).catch((error: unknown) => {
      if (shelf.isOpen) throw error;
      return null;
    });
    // A store that was closed meanwhile is open again after the next flush.
    if (rows === null || !shelf.isOpen) return gte;
    for (const [key, row] of rows) {
      if (draft.removals?.has(key) === true) continue;
      const left = turnWithout(row as TurnRow, lives, addresses);
      if (lives.has(lifeOfTurn(key))) draft.remove(key);
      else if (left !== undefined) this.#put(key, left);
    }
    const [last, row] = rows.at(-1) ?? [];
    if (last === undefined) return null;
    // A busy actor could add turns for ever: after its new turns follow those of the next actor.
    return epochOfTurn(row as TurnRow) > epoch ? `${last.slice(0, last.lastIndexOf('!'))}"` : `${last}!`;
  }

  #put(key: RowKey, row: TurnRow): void {
    this.#world.draft.putOf(lifeOfTurn(key), key, row, (conceal) => concealedTurn(row, conceal));
  }

  /** Calls `act` with the trail of an actor: at once, or before this epoch is written if the store is closed now. */
  #follow(cell: Cell, act: (trail: Trail) => void): void {
    if (cell.trail === undefined) {
      const shelf = this.#shelf;
      if (shelf === undefined) return;
      if (!shelf.isOpen) {
        this.#postponed.push(() => this.#follow(cell, act));
        return;
      }
      const [first, next] = spanOf(shelf, cell.life);
      cell.trail = { first, next, sinceWhole: 0, sequence: -1 };
    }
    act(cell.trail);
  }
}

/**
 * The span of kept turns as of the last durable epoch. If its row is damaged, numbers begin at 1 again and new turns
 * replace the old ones.
 */
function spanOf(shelf: Shelf, life: number): readonly [first: number, next: number] {
  return (soundRow(shelf, rowKey(KEYSPACE.turnSpans, life)) as readonly [number, number] | undefined) ?? [1, 1];
}
