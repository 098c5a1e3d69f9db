/**
 * Monitors and links: watchers are told once when a life ends, in the epoch of that end and after everything that it
 * had sent. A restart by a Boss is not an end. A monitor gets `bosun.down`; a linked actor fails when the end was
 * abnormal. Each relation is a row.
 */
import { BosunError, messageOf } from '../../../errors.ts';
import { type Cell } from '../cell.ts';
import { type RowKey, KEYSPACE } from '../../model/ports.ts';
import { type Ref } from '../../model/ref.ts';
import { ordered } from '../../model/row-keys.ts';
import { type DownEvent, type Relation } from './down-event.ts';
import { type Surroundings } from '../surroundings.ts';

type Needs = Pick<Surroundings, 'addresses' | 'cells' | 'draft' | 'enqueue' | 'refOf' | 'shards'>;

export class Monitors {
  readonly #world: Needs;
  /** Watchers by the watched life and by key of the row. */
  readonly #watched = new Map<number, Map<RowKey, { readonly watcher: number; readonly relation: Relation }>>();
  /** Watched lives by the watcher's life and by key of the row. */
  readonly #watching = new Map<number, Map<RowKey, number>>();

  constructor(world: Needs) {
    this.#world = world;
  }

  /** Loads a row that recovery found: `<watched>!<watcher>!<relation>`. */
  load(key: string): void {
    const [watched = '', watcher = '', relation] = key.split('!');
    this.#index(parseInt(watched, 16), parseInt(watcher, 16), relation as Relation);
  }

  /** The number of relations that an actor has entered. */
  count(watcher: Cell): number {
    return this.#watching.get(watcher.life)?.size ?? 0;
  }

  /** Enters a monitor; a second one of the same life changes nothing. An ended life is reported at once. */
  monitor(watcher: Cell, target: Ref | string): void {
    const cell = this.#find(target);
    if (cell !== undefined) this.#put(cell.life, watcher.life, 'monitor');
    else if (!this.#watchAway(watcher, target, 'monitor')) this.#tellUnknown(watcher, target);
  }

  /** Removes a monitor; a `bosun.down` that is already in the mailbox stays. */
  demonitor(watcher: Cell, target: Ref | string): void {
    const cell = this.#find(target);
    if (cell !== undefined) this.#remove(cell.life, watcher.life, 'monitor');
    else if (typeof target !== 'string') this.#removeAway(target.life, watcher.life, 'monitor');
  }

  /** Enters a link, which works both ways. If the other has ended, the linking actor fails. */
  link(one: Cell, target: Ref | string): void {
    const other = this.#find(target);
    if (other === one) return;
    if (other === undefined) {
      if (this.#watchAway(one, target, 'link')) return;
      this.#tellLink(one, unknownOf(addressOf(target), typeof target === 'string' ? undefined : target), 0);
      return;
    }
    this.#put(other.life, one.life, 'link');
    this.#put(one.life, other.life, 'link');
  }

  unlink(one: Cell, target: Ref | string): void {
    const other = this.#find(target)?.life ?? (typeof target === 'string' ? undefined : target.life);
    if (other !== undefined) this.#removeAway(other, one.life, 'link');
  }

  /** Tells the watchers of an ended life, and ends its own watching. */
  ended(cell: Cell): void {
    const watchers = this.#watched.get(cell.life);
    if (watchers !== undefined) {
      this.#watched.delete(cell.life);
      const event = downOf(cell);
      for (const [key, { watcher: life, relation }] of watchers) {
        this.#watching.get(life)?.delete(key);
        this.#world.draft.remove(key);
        const watcher = this.#world.cells.get(life);
        if (
          this.#world.shards?.tellEnded(life, cell.identity, { relation, event }) === true ||
          watcher === undefined ||
          watcher.gone
        )
          continue;
        if (relation === 'monitor') this.#world.enqueue(watcher, event, 'down', cell.life);
        else if (event.reason !== 'normal') this.#tellLink(watcher, event, cell.life);
      }
    }
    this.release(cell);
  }

  /** Removes all monitors and links of an actor, because its life is over or starts again. */
  release({ life }: Cell): void {
    const watching = this.#watching.get(life);
    if (watching === undefined) return;
    for (const [key, watched] of [...watching]) {
      const relation = key.slice(key.lastIndexOf('!') + 1) as Relation;
      this.#removeAway(watched, life, relation);
    }
  }

  /** Enters the other half of a relation: a life of another shard watches one of this shard. */
  watchedFrom(
    watcher: number,
    { life, address }: { readonly life: number; readonly address: string },
    relation: Relation,
  ): void {
    const cell = this.#find(this.#world.refOf(life, address));
    if (cell !== undefined) this.#enter(life, watcher, relation);
    else
      this.#world.shards?.tellEnded(
        watcher,
        { life, address },
        { relation, event: unknownOf(address, this.#world.refOf(life, address)) },
      );
  }

  /** Removes the other half of a relation. */
  unwatchedFrom(watcher: number, watched: number, relation: Relation): void {
    this.#leave(watched, watcher, relation);
  }

  /**
   * Handles the end of another shard's life that is watched from here. Ignored if the relation was removed
   * meanwhile.
   */
  endedAway(
    watched: number,
    watcher: number,
    { relation, event }: { readonly relation: Relation; readonly event: DownEvent },
  ): void {
    if (this.#watched.get(watched)?.has(relationKey(watched, watcher, relation)) !== true) return;
    this.#leave(watched, watcher, relation);
    const cell = this.#world.cells.get(watcher);
    if (cell === undefined) return;
    if (relation === 'monitor') this.#world.enqueue(cell, event, 'down', watched);
    else if (event.reason !== 'normal') this.#tellLink(cell, event, watched);
  }

  /** Watches a life of another shard. @returns False for a life of this shard. */
  #watchAway(watcher: Cell, target: Ref | string, relation: Relation): boolean {
    const { shards } = this.#world;
    if (typeof target === 'string' || shards?.isElsewhere(target) !== true) return false;
    if (this.#enter(target.life, watcher.life, relation))
      shards.tellWatch('watch', target, { watcher: watcher.life, relation });
    return true;
  }

  /** Removes a relation here, and on the other shard if the watched life is there. */
  #removeAway(watched: number, watcher: number, relation: Relation): void {
    if (this.#leave(watched, watcher, relation))
      this.#world.shards?.tellWatch('unwatch', { life: watched, address: '' }, { watcher, relation });
  }

  /**
   * Enters a relation.
   *
   * @returns Whether it is new.
   */
  #enter(watched: number, watcher: number, relation: Relation): boolean {
    const isNew = this.#put(watched, watcher, relation);
    if (relation === 'link') this.#put(watcher, watched, relation);
    return isNew;
  }

  /**
   * Removes a relation.
   *
   * @returns Whether it existed.
   */
  #leave(watched: number, watcher: number, relation: Relation): boolean {
    const wasThere = this.#remove(watched, watcher, relation);
    if (relation === 'link') this.#remove(watcher, watched, relation);
    return wasThere;
  }

  #tellUnknown(watcher: Cell, target: Ref | string): void {
    const event = unknownOf(addressOf(target), typeof target === 'string' ? undefined : target);
    this.#world.enqueue(watcher, event, 'down', 0);
  }

  #tellLink(cell: Cell, event: DownEvent, from: number): void {
    this.#world.enqueue(cell, Object.freeze({ ...event }), 'link', from);
  }

  #find(target: Ref | string): Cell | undefined {
    const cell = typeof target === 'string' ? this.#world.addresses.get(target) : this.#world.cells.get(target.life);
    return cell === undefined || (cell.bond === 'invoked' && cell.isOver) ? undefined : cell;
  }

  /**
   * Puts the row of a relation.
   *
   * @returns Whether the relation is new.
   */
  #put(watched: number, watcher: number, relation: Relation): boolean {
    const isNew = this.#index(watched, watcher, relation);
    if (isNew) this.#world.draft.put(relationKey(watched, watcher, relation), 1);
    return isNew;
  }

  /**
   * Adds a relation to the indexes.
   *
   * @returns Whether it is new.
   */
  #index(watched: number, watcher: number, relation: Relation): boolean {
    const key = relationKey(watched, watcher, relation);
    const watchers = this.#watched.get(watched) ?? new Map<RowKey, { watcher: number; relation: Relation }>();
    if (watchers.has(key)) return false;
    this.#watched.set(watched, watchers.set(key, { watcher, relation }));
    this.#watching.set(watcher, (this.#watching.get(watcher) ?? new Map<RowKey, number>()).set(key, watched));
    return true;
  }

  /**
   * Removes a relation from the indexes.
   *
   * @returns Whether it existed.
   */
  #remove(watched: number, watcher: number, relation: Relation): boolean {
    const key = relationKey(watched, watcher, relation);
    const watchers = this.#watched.get(watched);
    if (watchers?.delete(key) !== true) return false;
    if (watchers.size === 0) this.#watched.delete(watched);
    const watching = this.#watching.get(watcher);
    watching?.delete(key);
    if (watching?.size === 0) this.#watching.delete(watcher);
    this.#world.draft.remove(key);
    return true;
  }
}

function unknownOf(address: string, ref: Ref | undefined): DownEvent {
  return Object.freeze({ type: 'bosun.down' as const, address, ref, reason: 'unknown' as const, error: undefined });
}

/** The error of a linked actor. */
export function linkFailure({ address, reason, error }: DownEvent): BosunError {
  const why = reason === 'error' ? `: ${messageOf(error)}` : '';
  return new BosunError('BOSUN_LINK_DOWN', `the linked actor ${address} ended with ${reason}${why}`, {
    details: { address, reason },
  });
}

function downOf({ ref, state, address }: Cell): DownEvent {
  const reason = state.status === 'done' ? 'normal' : state.status === 'error' ? 'error' : 'shutdown';
  return Object.freeze({
    type: 'bosun.down' as const,
    address,
    ref,
    reason,
    error: reason === 'error' ? state.error : undefined,
  });
}

function addressOf(target: Ref | string): string {
  return typeof target === 'string' ? target : target.address;
}

function relationKey(watched: number, watcher: number, relation: Relation): RowKey {
  return `${KEYSPACE.relations}!${ordered(watched)}!${ordered(watcher)}!${relation}`;
}
