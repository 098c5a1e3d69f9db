/**
 * The fold, which keeps the journal short. Once enough epochs have gathered, their net changes (the last state of each
 * actor, the last value of each row) are written under keys of their own, the cut moves to the epoch behind them, and
 * the epochs before the cut are deleted. This file decides what is written when and writes nothing itself; it reads the
 * records of actors that the start left unread.
 *
 * A slice of the fold travels in the batch of the next epoch and never in a write of its own, because LevelDB switches
 * from a full log without syncing it: an unsynced put may vanish in a power cut while a later delete of its epochs
 * survives. No actor waits for the fold: states are immutable, so references are a consistent image, taken in O(1).
 */
import {
  type ActorImage,
  type Counters,
  type RowKey,
  type StoreWrite,
  KEYSPACE,
  keyspaceOf,
} from '../../actors/model/ports.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { actorKey, ChangedActor, type StoredActor } from '../format/actor-record.ts';
import { Unread } from '../format/bring-forward.ts';
import { placed, seal } from '../format/envelope.ts';
import { encodeCut, encodeFoldMark } from './cut.ts';
import {
  CUT_KEYS,
  epochKey,
  FOLD_MARK_KEYS,
  type KeyRange,
  numberIn,
  unreadableKey,
  youngerThan,
} from '../format/keys.ts';
import { type PackedRows } from '../format/rows.ts';
import { type MessageRows } from './segments.ts';
import { Window } from './window.ts';

export interface FoldLimits {
  /** The size of a window that triggers a fold, in epochs or bytes of journal. Both limit how much recovery replays. */
  readonly windowEpochs: number;
  readonly windowBytes: number;
  /**
   * The size of one slice, beyond what its epoch contributes. Both limit how much the fold adds to the latency of a
   * commit.
   */
  readonly sliceRecords: number;
  readonly sliceBytes: number;
}

/**
 * How full the next window is when a fold ends. A fold is spread until then, so that its slices are alike and recovery
 * replays at most one and a half windows.
 */
const OVER_BY = 0.5;

/**
 * The share of a slice that is written even if the fold is on time. A page of a table takes ten times as long as a row:
 * 256 of them blocked the loop for 4 to 8 ms.
 */
const LEAST_SHARE = 0.25;

export const FOLD_LIMITS: FoldLimits = {
  // A system with little load folds seldom: 1,024 single turns are replayed in some 20 ms.
  windowEpochs: 1_024,
  // Some 120,000 small changes, replayed in 0.4 s. At full load an epoch has 35 to 60 KB, so the record of a busy actor
  // is rewritten once in tens of epochs instead of in each.
  windowBytes: 2 * 1024 * 1024,
  // A put or delete in a batch costs about 4 microseconds: some 1.5 ms on one commit in a hundred of an idle system.
  // After a start that left actors unread, the first fold also reads as many records, each in some 8 microseconds where
  // it is cached.
  sliceRecords: 256,
  sliceBytes: 256 * 1024,
};

/** The position of the journal after an epoch. */
export interface Position {
  readonly epoch: number;
  /** The link to that epoch. */
  readonly link: Uint8Array;
  readonly counters: Counters;
}

/** The share of one epoch in a window. */
export interface Share {
  readonly bytes: number;
  readonly images: readonly ActorImage[];
  readonly rows: Pick<PackedRows, 'keys' | 'values'>;
}

/** The next portion of a fold: writes that must be in one batch, or `later` while the next actor cannot be read. */
type Portion = readonly StoreWrite[] | 'later';

/** The storage of actors; see pages.ts. The writes come one by one and may be in different batches. */
export interface ActorRecords {
  writesOf(life: number, actor: ChangedActor): Iterable<StoreWrite>;
  /**
   * Deletions for a dead actor.
   *
   * @param key The key of its record.
   */
  deletionsOf(key: string): Iterable<StoreWrite>;
}

/** The storage of unread messages; see segments.ts. */
export interface MessageRecords {
  writesOf(segment: number, rows: MessageRows, since: number): Iterable<StoreWrite>;
}

export class Fold {
  readonly #limits: FoldLimits;
  readonly #records: ActorRecords;
  readonly #messages: MessageRecords;
  readonly #onDamage: (damage: BosunError) => void;
  #window: Window;
  /** The last epoch in the window. */
  #end: Position;
  /** The counters at the beginning of the window; at that time nothing numbered at or above them was on disk. */
  #since: Counters;
  #isYounger: (key: RowKey) => boolean;
  /** The first epoch that may still be on disk. */
  #oldest: number;
  /** The mark of the fold in progress. */
  #mark: readonly StoreWrite[] = [];
  /** The rest of the fold in progress. */
  #portions: Iterator<Portion> | null = null;
  /** The records of the fold in progress as far as they are known, and how many of them have been handed out. */
  #total = 0;
  #given = 0;
  /** Windows whose folding is not durable yet, newest first. */
  #folding: Window[] = [];
  /** Actors found damaged after the start, by life: the fold marks them on disk. */
  readonly #lost = new Map<number, BosunError>();
  /** Lives that are marked as damaged on disk. */
  readonly #marked: Set<number>;

  constructor(parts: {
    limits: FoldLimits;
    records: ActorRecords;
    messages: MessageRecords;
    /** Changes since the cut, as recovery found them. */
    window: Window;
    end: Position;
    oldest: number;
    /** Lives that are marked as damaged on disk, or will be by the next batch. */
    marked: Iterable<number>;
    /** Called for an actor left unread by the start that turns out to be unreadable. */
    onDamage: (damage: BosunError) => void;
  }) {
    this.#limits = parts.limits;
    this.#records = parts.records;
    this.#messages = parts.messages;
    this.#onDamage = parts.onDamage;
    this.#marked = new Set(parts.marked);
    this.#window = parts.window;
    this.#end = parts.end;
    // A fold interrupted by a crash may have written anything that exists by now.
    this.#since = parts.end.counters;
    this.#isYounger = youngerThan(this.#since);
    this.#oldest = parts.oldest;
  }

  /** Adds an epoch, in order. */
  add(position: Position, { bytes, images, rows }: Share): void {
    const window = this.#window;
    window.epochs += 1;
    window.bytes += bytes;
    for (const image of images) {
      const { life, identity, isGone } = image;
      const known = window.actors.get(life);
      if (isGone) {
        window.actors.set(life, actorKey(identity));
        this.#lost.delete(life);
      } else if (known instanceof ChangedActor) {
        known.identity = identity;
        known.state = image.state;
      } else window.actors.set(life, new ChangedActor(image));
    }
    rows.keys.forEach((key, i) => {
      const row = rows.values[i]!;
      if (keyspaceOf(key) === KEYSPACE.identities) {
        const actor = window.actors.get(numberIn(key));
        if (row !== null && actor instanceof ChangedActor) actor.packed = row;
        return;
      }
      // A row created and deleted within the window was never on disk.
      if (row === null && this.#isYounger(key)) window.forget(key);
      else window.put(key, row);
    });
    this.#end = position;
    if (this.#portions === null && this.#folding.length > 0) this.#folding = [];
  }

  /**
   * Returns an actor where the folded record may be older: null for a dead actor, undefined if the record counts.
   *
   * @throws BOSUN_STORE_DAMAGED, and the errors of reading its record.
   */
  actorOf(life: number): StoredActor | null | undefined {
    const lost = this.#lost.get(life);
    if (lost !== undefined) throw lost;
    for (const { actors } of [this.#window, ...this.#folding]) {
      const actor = actors.get(life);
      if (typeof actor === 'string') return null;
      if (actor !== undefined) return actor instanceof Unread ? this.#read(actors, life, actor) : actor;
    }
    return undefined;
  }

  #read(actors: Window['actors'], life: number, unread: Unread): ChangedActor {
    try {
      const actor = unread.read();
      actors.set(life, actor);
      return actor;
    } catch (error) {
      if (isBosunError(error, 'BOSUN_STORE_DAMAGED')) this.#lost.set(life, error);
      throw error;
    }
  }

  /** Returns a row where the folded record may be older: null for a deleted row, undefined if the record counts. */
  rowOf(key: RowKey): Uint8Array | null | undefined {
    for (const window of [this.#window, ...this.#folding]) {
      const row = window.rowOf(key);
      if (row !== undefined) return row;
    }
    return undefined;
  }

  /** Returns the rows in a range of keys whose folded records may be older; null for deleted rows. Not messages. */
  rowsIn({ gte, lt }: KeyRange): Map<RowKey, Uint8Array | null> {
    const found = new Map<RowKey, Uint8Array | null>();
    for (const { rows } of [this.#window, ...this.#folding]) {
      for (const [key, row] of rows) if (key >= gte && key < lt && !found.has(key)) found.set(key, row);
    }
    return found;
  }

  /**
   * Takes the slice of the fold for the batch of the next epoch, before that epoch is added.
   *
   * @param inflow The changes of that epoch. Where a fold would end late, the slice grows by as much: so it always
   * overtakes the inflow, and the journal stays bounded at any load.
   */
  slice(inflow: { records: number; bytes: number }): StoreWrite[] {
    const writes: StoreWrite[] = [];
    if (this.#portions === null) {
      if (!this.#isDue()) return writes;
      this.#portions = this.#begin();
    }
    // The mark is in every slice, because a power cut may lose one slice and keep a later one; and it is never deleted,
    // because the cut may be lost: records may be as new as the mark's epoch, or deleted as of it, and recovery cannot
    // go back before that.
    writes.push(...this.#mark);
    const { sliceRecords, sliceBytes } = this.#limits;
    const least = Math.ceil(sliceRecords * LEAST_SHARE);
    let records = Math.min(sliceRecords + inflow.records, Math.max(least, this.#behind(inflow.bytes)));
    let bytes = sliceBytes + inflow.bytes;
    while (records > 0 && bytes > 0) {
      const { value: portion, done } = this.#portions.next();
      if (done === true) {
        this.#portions = null;
        break;
      }
      if (portion === 'later') break;
      for (const write of portion) {
        writes.push(write);
        records -= 1;
        this.#given += 1;
        bytes -= write.value?.length ?? 0;
      }
    }
    return writes;
  }

  /** Takes the rest of the fold in progress, and a complete fold of everything after it. */
  drain(): StoreWrite[] {
    const writes: StoreWrite[] = [];
    const finish = () => {
      writes.push(...this.#mark);
      for (const portion of { [Symbol.iterator]: () => this.#portions as Iterator<Portion> }) {
        if (portion === 'later')
          throw new BosunError(
            'BOSUN_INTERNAL',
            'deleted data cannot be purged yet: a record that must be read first cannot be read',
          );
        writes.push(...portion);
      }
      this.#portions = null;
    };
    if (this.#portions !== null) finish();
    this.#portions = this.#begin();
    finish();
    return writes;
  }

  #isDue(): boolean {
    return this.#fullness(0, 0) >= 1;
  }

  /** How full the window is, with more epochs and bytes added. */
  #fullness(epochs: number, bytes: number): number {
    const { windowEpochs, windowBytes } = this.#limits;
    return Math.max((this.#window.epochs + epochs) / windowEpochs, (this.#window.bytes + bytes) / windowBytes);
  }

  /**
   * Computes how many records the fold is behind its schedule, if an epoch with this many bytes is added. Infinite if
   * the fold should be over: the writes of a window's entry are known only when its turn comes, so the total may be too
   * low.
   */
  #behind(bytes: number): number {
    const due = this.#fullness(1, bytes) / OVER_BY;
    return due < 1 ? Math.ceil(this.#total * due) - this.#given : Number.POSITIVE_INFINITY;
  }

  /** Freezes the window by replacing it. */
  #begin(): Iterator<Portion> {
    this.#total = this.#window.size + CUT_KEYS.length + this.#window.epochs;
    this.#given = 0;
    const portions = this.#fold(this.#window, this.#end, this.#since);
    const mark = encodeFoldMark(this.#end.epoch);
    this.#mark = FOLD_MARK_KEYS.map((key) => sealed(key, mark));
    this.#since = this.#end.counters;
    this.#isYounger = youngerThan(this.#since);
    this.#folding.unshift(this.#window);
    this.#window = new Window();
    return portions;
  }

  /** Yields the images, then the cut, then the deletions that the cut allows. */
  *#fold(window: Window, end: Position, since: Counters): Generator<Portion> {
    for (const [life, actor] of window.actors) {
      if (typeof actor === 'string') {
        if (life < since.life) for (const write of this.#records.deletionsOf(actor)) yield [write];
      } else if (!(actor instanceof Unread)) yield* this.#foldActor(life, actor);
      else yield* this.#foldUnread(window.actors, life, actor);
    }
    for (const [key, row] of window.rows) yield [row === null ? { key, value: null } : sealed(key, row)];
    for (const [segment, rows] of window.messages)
      yield* this.#inPortions(this.#messages.writesOf(segment, rows, since.message));
    // The cut is written with the epoch after the last one added.
    const cut = encodeCut({ from: end.epoch + 1, oldest: this.#oldest, link: end.link, written: this.#end.epoch + 1 });
    yield CUT_KEYS.map((key) => sealed(key, cut));
    // After the cut: until then the deltas of dead actors are replayed, and the mark says why they may not apply.
    for (const [life, actor] of window.actors)
      if (typeof actor === 'string' && this.#marked.delete(life)) yield [{ key: unreadableKey(life), value: null }];
    for (let epoch = this.#oldest; epoch <= end.epoch; epoch++) yield [{ key: epochKey(epoch), value: null }];
    this.#oldest = end.epoch + 1;
  }

  /** Yields the writes of an actor. One that has not begun has nothing but its identity. */
  *#foldActor(life: number, actor: ChangedActor): Generator<Portion> {
    const isBlank = actor.state.seq === 0 && actor.packed === undefined;
    yield* this.#inPortions(isBlank ? [] : this.#records.writesOf(life, actor));
  }

  /** Yields the writes of one entry of the window, of which the total has counted one. */
  *#inPortions(writes: Iterable<StoreWrite>): Generator<Portion> {
    this.#total -= 1;
    for (const write of writes) {
      this.#total += 1;
      yield [write];
    }
  }

  /**
   * Yields the writes of an actor that the start left unread. A damaged one gets a mark, because the cut deletes the
   * epochs that prove the damage. One that cannot be read at present comes later.
   */
  *#foldUnread(actors: Window['actors'], life: number, unread: Unread): Generator<Portion> {
    for (;;) {
      const found = this.#readable(actors, life, unread);
      if (found instanceof BosunError) {
        this.#marked.add(life);
        yield [unread.markedAs(found)];
        return;
      }
      if (found !== undefined) {
        yield* this.#foldActor(life, found);
        return;
      }
      yield 'later';
    }
  }

  /** Reads an actor: its damage where it is damaged, undefined if the store cannot be read at present. */
  #readable(actors: Window['actors'], life: number, unread: Unread): ChangedActor | BosunError | undefined {
    try {
      return this.#read(actors, life, unread);
    } catch (error) {
      const isDamaged = isBosunError(error, 'BOSUN_STORE_DAMAGED');
      if (!isDamaged && !isBosunError(error, 'BOSUN_STORE_FAILED')) throw error;
      this.#onDamage(placed(error, { life }));
      return isDamaged ? error : undefined;
    }
  }
}

function sealed(key: string, payload: Uint8Array): StoreWrite {
  return { key, value: seal(key, payload) };
}
