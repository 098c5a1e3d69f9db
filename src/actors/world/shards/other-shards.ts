/**
 * The other shards as the parts of the world see them. Implemented by the shard link (loop/shards); absent if there
 * is one kernel.
 */
import { type EventObject } from 'xstate';
import { type BosunError } from '../../../errors.ts';
import { type Ref } from '../../model/ref.ts';
import { type Cell } from '../cell.ts';
import { type DownEvent, type Relation } from '../talk/down-event.ts';

/** The receiver of an ask on another shard. */
export interface Elsewhere {
  readonly life: number;
  readonly address: string;
  readonly isFull: boolean;
  deliver(event: EventObject): void;
}

export interface OtherShards {
  /** Sends an event to a life of another shard. @returns False for a life of this shard. */
  send(who: { readonly life: number; readonly address: string }, event: EventObject, from: number): boolean;

  /** The receiver of an ask on another shard, by a reference or an address; undefined for one of this shard. */
  askable(to: Ref | string, asker: number): Elsewhere | undefined;

  /**
   * Replies to an ask of another shard.
   *
   * @returns False for an ask of this shard.
   */
  reply(from: { readonly life: number; readonly address: string }, to: Ref, value: unknown): boolean;

  /** Fails an ask of another shard. @returns False for an ask of this shard. */
  fail(ask: number, address: string, error: BosunError): boolean;

  /** Tells the asker on another shard that its request was dropped unread. */
  unanswered(event: EventObject, address: string): void;

  /**
   * Passes an order about a child to the partition of the Boss that has it. @returns Whether only another shard handles
   * it.
   */
  order(boss: Cell, event: EventObject, from: number): boolean;

  /** The spec of a dynamic child without an id, completed by an id that belongs here and is unique over all shards. */
  withId(boss: Cell, event: EventObject): { readonly spec: object } | undefined;

  /** Sends an event to members of a group on other shards too. */
  publish(group: string, event: EventObject, from: number): void;

  /** The holder of a name on another shard. */
  holder(name: string): Ref | undefined;

  /** Names held on other shards. */
  names(): Iterable<string>;

  /** Tells the other shards that an actor of this shard has a name, or no longer has it. */
  tellName(kind: 'named' | 'nameless', name: string, who: { readonly life: number; readonly address: string }): void;

  /**
   * Tells the other shard that one of its lives is watched from here, or no longer is. Does nothing for a life of this
   * shard.
   */
  tellWatch(
    kind: 'watch' | 'unwatch',
    who: { readonly life: number; readonly address: string },
    relation: { readonly watcher: number; readonly relation: Relation },
  ): void;

  /** Tells another shard that a life watched from there has ended. @returns False for a watcher of this shard. */
  tellEnded(
    watcher: number,
    who: { readonly life: number; readonly address: string },
    what: { readonly relation: Relation; readonly event: DownEvent },
  ): boolean;

  /** Whether a life, or the actor at an address, belongs to another shard. */
  isElsewhere(target: Ref | string): boolean;
}
