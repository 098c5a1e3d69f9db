/**
 * A window of the journal: the net changes of consecutive epochs, which one fold writes. Unread messages are kept
 * apart, by segment (segments.ts).
 */
import { type Keyspace, type RowKey, KEYSPACE, keyspaceOf } from '../../actors/model/ports.ts';
import { type ChangedActor } from '../format/actor-record.ts';
import { type Unread } from '../format/bring-forward.ts';
import { numberIn } from '../format/keys.ts';
import { segmentOf } from './segments.ts';

const MESSAGES: Keyspace = KEYSPACE.mailboxes;

export class Window {
  epochs = 0;
  bytes = 0;
  /**
   * A changed actor, the key of a dead actor's record, or the changes of an actor not read since the start; by life.
   */
  readonly actors = new Map<number, ChangedActor | Unread | string>();
  /** Encoded rows other than messages; null for deleted rows. */
  readonly rows = new Map<RowKey, Uint8Array | null>();
  /** Encoded rows of messages by segment, and within it by number; null for deleted ones. */
  readonly messages = new Map<number, Map<number, Uint8Array | null>>();

  /** Number of entries, each of which a fold visits once. */
  get size(): number {
    return this.actors.size + this.rows.size + this.messages.size;
  }

  put(key: RowKey, row: Uint8Array | null): void {
    if (keyspaceOf(key) !== MESSAGES) {
      this.rows.set(key, row);
      return;
    }
    const number = numberIn(key);
    this.visit(segmentOf(number)).set(number, row);
  }

  /** Forgets a row that was created within the window, and so was never on disk. */
  forget(key: RowKey): void {
    if (keyspaceOf(key) !== MESSAGES) {
      this.rows.delete(key);
      return;
    }
    const number = numberIn(key);
    const segment = segmentOf(number);
    const rows = this.messages.get(segment);
    if (rows?.delete(number) === true && rows.size === 0) this.messages.delete(segment);
  }

  /** Returns a row: null for a deleted one, undefined for one that has not changed. */
  rowOf(key: RowKey): Uint8Array | null | undefined {
    if (keyspaceOf(key) !== MESSAGES) return this.rows.get(key);
    const number = numberIn(key);
    return this.messages.get(segmentOf(number))?.get(number);
  }

  /** Marks a segment for a visit by the fold. Returns its changed messages. */
  visit(segment: number): Map<number, Uint8Array | null> {
    let rows = this.messages.get(segment);
    if (rows === undefined) this.messages.set(segment, (rows = new Map()));
    return rows;
  }
}
