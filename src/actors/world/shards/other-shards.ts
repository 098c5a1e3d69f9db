/**
 * The other shards, as the parts of the world see them. Implemented by the shard link (loop/shards); absent where there
 * is one kernel.
 */
import { type EventObject } from 'xstate';
import { type BosunError } from '../../../errors.ts';
import { type Ref } from '../../model/ref.ts';
import { type Cell } from '../cell.ts';
import { type DownEvent, type Relation } from '../talk/down-event.ts';

/** Somebody on another shard, to be asked. */
export interface Elsewhere {
  readonly life: number;
  readonly address: string;
  readonly isFull: boolean;
  deliver(event: EventObject): void;
}

export interface OtherShards {
  /** Sends an event to a life of another shard. @returns False for one of this shard. */
  send(who: { readonly life: number; readonly address: string }, event: EventObject, from: number): boolean;

  /** Whom an effect asks by a reference or an address of another shard; undefined for one of this shard. */
  askable(to: Ref | string, asker: number): Elsewhere | undefined;

  /** Replies to an ask of another shard. @returns False for one of this shard. */
  reply(from: { readonly life: number; readonly address: string }, to: Ref, value: unknown): boolean;

  /** What was asked by another shard will not be answered. @returns False for an ask of this shard. */
  fail(ask: number, address: string, error: BosunError): boolean;

  /** A request dies unread: whoever asks on another shard learns of it. */
  unanswered(event: EventObject, address: string): void;

  /**
   * Hands an order about a child to the partition of the Boss that has it. @returns Whether that is another shard's
   * alone.
   */
  order(boss: Cell, event: EventObject, from: number): boolean;

  /** The spec of a dynamic child that was given no id, with one that lives here and that no shard gives twice. */
  withId(boss: Cell, event: EventObject): { readonly spec: object } | undefined;

  /** Members of a group on other shards get the event too. */
  publish(group: string, event: EventObject, from: number): void;

  /** Who has a name on another shard. */
  holder(name: string): Ref | undefined;

  /** Names that somebody on another shard has. */
  names(): Iterable<string>;

  /** An actor of this shard has a name from now on, or has it no more: the others are told. */
  tellName(kind: 'named' | 'nameless', name: string, who: { readonly life: number; readonly address: string }): void;

  /** A life of another shard is watched from here from now on, or no more. Does nothing for one of this shard. */
  tellWatch(
    kind: 'watch' | 'unwatch',
    who: { readonly life: number; readonly address: string },
    relation: { readonly watcher: number; readonly relation: Relation },
  ): void;

  /** A life that is watched from another shard is over. @returns False for a watcher of this shard. */
  tellEnded(
    watcher: number,
    who: { readonly life: number; readonly address: string },
    what: { readonly relation: Relation; readonly event: DownEvent },
  ): boolean;

  /** Whether a life, or whoever lives at an address, is of another shard. */
  isElsewhere(target: Ref | string): boolean;
}
