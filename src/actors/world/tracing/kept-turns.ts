/**
 * Kept turns: rows of the store, written in the epoch of their turn, a bounded number for each actor, removed with it.
 * Only their numbers are in memory, for actors that have kept a turn in this run. Each row has the change; one in
 * sixteen has the whole context, from which the contexts in between are computed (turn-rows.ts).
 */
import { TRACE_WHOLE_EVERY, KEPT_ERASED_AT_ONCE } from '../../../limits.ts';
import { type Cell, type EndedActor, type Trail } from '../cell.ts';
import { KeptRecords } from '../kept-records.ts';
import { KEYSPACE, type RowKey } from '../../model/ports.ts';
import { KEPT_TURNS } from '../../model/records.ts';
import { type Identity } from '../../model/state.ts';
import { type Definition } from '../../model/step-engine.ts';
import { lifeOfTurn, turnKey } from '../../model/row-keys.ts';
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

/** An actor whose turns are kept, living or ended. */
export interface TurnKeeper {
  readonly life: number;
  readonly identity: Pick<Identity, 'address' | 'agent'>;
  readonly definition: Pick<Definition, 'keptTurns'>;
}

export class KeptTurns {
  readonly #world: Needs;
  readonly #records: KeptRecords;
  /** The first life assigned in this run. */
  #firstLife = 0;

  constructor(world: Needs) {
    this.#world = world;
    this.#records = new KeptRecords(world, KEPT_TURNS);
  }

  /** Begins the run. Without a reader of rows, no turns are kept. */
  attach(): void {
    this.#firstLife = this.#world.nextNumber('life');
  }

  /**
   * Keeps a turn.
   *
   * @param before Number of changes of the actor before the turn.
   */
  add(cell: Cell, record: TraceRecord, before: number): void {
    const { life, context, definition } = cell;
    this.#follow(cell, (trail) => {
      // An order, a migration or a restart by its Boss may have changed the actor in between.
      const isWhole = trail.sinceWhole + 1 >= TRACE_WHOLE_EVERY || trail.sequence !== before;
      trail.sinceWhole = isWhole ? 0 : trail.sinceWhole + 1;
      trail.sequence = record.sequence;
      const number = this.#records.take(life, trail, definition.keptTurns + TRACE_WHOLE_EVERY);
      this.#put(turnKey(life, number), turnRow(record, isWhole ? { context } : null));
    });
  }

  /** Lists the kept turns of an actor as of the last durable epoch, oldest first. Rejects with BOSUN_STORE_FAILED. */
  async list({ life, identity, definition }: TurnKeeper, limit = Infinity): Promise<readonly KeptTurn[]> {
    if (this.#world.records.shelf === undefined) return [];
    const { first, next } = this.#records.spanOf(life);
    const shown = next - Math.min(limit, definition.keptTurns || Infinity);
    const from = Math.max(first, shown - TRACE_WHOLE_EVERY);
    const keys = Array.from({ length: next - from }, (_, i) => turnKey(life, from + i));
    const turns = turnsIn(await this.#records.readable.rowsOf(keys), from).filter(({ number }) => number >= shown);
    const { address, agent } = identity;
    return turns.map((turn) => Object.freeze({ ...turn, address, agent, life }));
  }

  /** Removes the kept turns of an ended actor. */
  forget(ended: EndedActor): void {
    const { life, cell } = ended;
    // An actor born in this run has none where its agent keeps none.
    if (cell?.trail === undefined && cell?.definition.keptTurns === 0 && life >= this.#firstLife) return;
    this.#follow(cell ?? { life, trail: undefined }, (span) => this.#records.purge(ended, span));
  }

  /** Runs postponed tasks: an epoch is durable, so the store can be read again. */
  catchUp(): void {
    this.#records.catchUp();
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
      while (from !== null && this.#world.records.shelf !== undefined) {
        // Rows removed before are not read any more, and rows removed from here on are not brought back.
        draft.removals = new Set();
        await flush();
        from = await this.#eraseFrom(from, erased);
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
  async #eraseFrom(gte: string, { lives, addresses, epoch }: Erased): Promise<string | null> {
    const { draft } = this.#world;
    const rows = await this.#records.rowsIn({ gte, lt: `${KEYSPACE.turns}"`, limit: KEPT_ERASED_AT_ONCE });
    if (rows === null) return gte;
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
  #follow(cell: Pick<Cell, 'life' | 'trail'>, act: (trail: Trail) => void): void {
    if (cell.trail !== undefined) act(cell.trail);
    else
      this.#records.follow(cell.life, (span) =>
        act((cell.trail ??= Object.assign(span, { sinceWhole: 0, sequence: -1 }))),
      );
  }
}
