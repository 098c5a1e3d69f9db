/**
 * The fold: what keeps the journal short. Once enough epochs have gathered, their net changes (the last state of each
 * actor, the last value of each row) are written under keys of their own, the cut moves up to the epoch behind them,
 * and the epochs before the cut are deleted. This file decides what is written when, and writes nothing itself; it
 * reads the records of those whom the start left unread.
 *
 * Why a slice of the fold travels in the batch of the next epoch and never in a write of its own: LevelDB gives a full
 * log up without syncing it, so an unsynced put may vanish in a power cut while a later delete of its epochs survives.
 * Why no actor waits for it: states are immutable, so keeping references is a consistent image, taken in O(1).
 */
import {
  type ActorImage,
  type ActorState,
  type Counters,
  type RowKey,
  type StoreWrite,
} from '../actors/model/ports.ts';
import { BosunError, isBosunError } from '../errors.ts';
import { Unread } from './bring-forward.ts';
import { placed, seal } from './envelope.ts';
import { encodeCut, encodeFoldMark } from './cut.ts';
import { CUT_KEYS, epochKey, FOLD_MARK_KEYS, unreadableKey, youngerThan } from './keys.ts';
import { type PackedRows } from './rows.ts';

export interface FoldLimits {
  /** A window of this many epochs or bytes of journal is folded. They bound what recovery replays. */
  readonly windowEpochs: number;
  readonly windowBytes: number;
  /** Of one slice, beyond what its epoch brings in itself. They bound what the fold adds to the latency of a commit. */
  readonly sliceRecords: number;
  readonly sliceBytes: number;
}

/**
 * How full the window behind a fold is when the fold is over: so its slices are alike, and recovery replays one and a
 * half windows.
 */
const OVER_BY = 0.5;

export const FOLD_LIMITS: FoldLimits = {
  // A system with little to do folds seldom: 1,024 single turns are replayed in some 20 ms.
  windowEpochs: 1_024,
  // Some 120,000 small changes, replayed in 0.4 s. At full load an epoch has 35 to 60 KB, so the record of a busy actor
  // is rewritten once in tens of epochs instead of in each.
  windowBytes: 2 * 1024 * 1024,
  // A put or delete in a batch costs about 4 microseconds: some 1.5 ms on one commit in a hundred of an idle system.
  // After a start that left actors unread, the first fold reads as many records besides, each in some 8 microseconds
  // where it is cached.
  sliceRecords: 256,
  sliceBytes: 256 * 1024,
};

/** The net changes of consecutive epochs. */
export interface Window {
  epochs: number;
  bytes: number;
  /** null for the dead; as they stand in the journal for those whom nobody has asked for since the start. */
  readonly states: Map<number, ActorState | Unread | null>;
  /** Encoded; null for the deleted. */
  readonly rows: Map<RowKey, Uint8Array | null>;
}

export function emptyWindow(): Window {
  return { epochs: 0, bytes: 0, states: new Map(), rows: new Map() };
}

/** Where the journal stands after an epoch. */
export interface Position {
  readonly epoch: number;
  /** Link to that epoch. */
  readonly link: Uint8Array;
  readonly counters: Counters;
}

/** One epoch's share of a window. */
export interface Share {
  readonly bytes: number;
  readonly images: readonly ActorImage[];
  readonly rows: Pick<PackedRows, 'keys' | 'values'>;
}

/** What a fold gives out next: writes that must stand in one batch; or what comes next cannot be read at present. */
type Portion = readonly StoreWrite[] | 'later';

/** How actors are stored: see pages.ts. One write after the other, which may stand in different batches. */
export interface ActorRecords {
  writesOf(life: number, state: ActorState): Iterable<StoreWrite>;
  /** Of the dead. */
  deletionsOf(life: number): Iterable<StoreWrite>;
}

export class Fold {
  readonly #limits: FoldLimits;
  readonly #records: ActorRecords;
  readonly #onDamage: (damage: BosunError) => void;
  #window: Window;
  /** The last epoch that is in the window. */
  #end: Position;
  /** Nothing numbered at or above these was on disk when the window began. */
  #since: Counters;
  #isYounger: (key: RowKey) => boolean;
  /** The first epoch that may still be on disk. */
  #oldest: number;
  /** Of the fold under way. */
  #mark: readonly StoreWrite[] = [];
  /** The fold under way. */
  #portions: Iterator<Portion> | null = null;
  /** Records of the fold under way, at most, and how many of them have been given out. */
  #total = 0;
  #given = 0;
  /** Windows whose folding is not durable yet, newest first. */
  #folding: Window[] = [];
  /** Actors that were found to be damaged after the start, by life: the fold marks them on disk. */
  readonly #lost = new Map<number, BosunError>();
  /** Lives that have a mark on disk. */
  readonly #marked: Set<number>;

  constructor(parts: {
    limits: FoldLimits;
    records: ActorRecords;
    /** Changes since the cut, as recovery found them. */
    window: Window;
    end: Position;
    oldest: number;
    /** Lives that have a mark on disk, or get one with the next batch. */
    marked: Iterable<number>;
    /** Told of what a start has left unread and cannot be read. */
    onDamage: (damage: BosunError) => void;
  }) {
    this.#limits = parts.limits;
    this.#records = parts.records;
    this.#onDamage = parts.onDamage;
    this.#marked = new Set(parts.marked);
    this.#window = parts.window;
    this.#end = parts.end;
    // A fold that a crash interrupted may have put on disk anything that exists by now.
    this.#since = parts.end.counters;
    this.#isYounger = youngerThan(this.#since);
    this.#oldest = parts.oldest;
  }

  /** Adds an epoch, in order. */
  add(position: Position, { bytes, images, rows }: Share): void {
    const window = this.#window;
    window.epochs += 1;
    window.bytes += bytes;
    for (const { life, state, isGone } of images) {
      window.states.set(life, isGone ? null : state);
      if (isGone && this.#lost.size > 0) this.#lost.delete(life);
    }
    rows.keys.forEach((key, i) => {
      const row = rows.values[i]!;
      // What came and goes within the window never was on disk.
      if (row === null && this.#isYounger(key)) window.rows.delete(key);
      else window.rows.set(key, row);
    });
    this.#end = position;
    if (this.#portions === null && this.#folding.length > 0) this.#folding = [];
  }

  /**
   * The state of an actor, where the folded record may be older: null for the dead, undefined where the record is what
   * counts.
   * @throws BOSUN_STORE_DAMAGED, and what reading its record throws.
   */
  stateOf(life: number): ActorState | null | undefined {
    const lost = this.#lost.get(life);
    if (lost !== undefined) throw lost;
    for (const { states } of [this.#window, ...this.#folding]) {
      const state = states.get(life);
      if (state !== undefined) return state instanceof Unread ? this.#read(states, life, state) : state;
    }
    return undefined;
  }

  #read(states: Window['states'], life: number, unread: Unread): ActorState {
    try {
      const state = unread.read();
      states.set(life, state);
      return state;
    } catch (error) {
      if (isBosunError(error, 'BOSUN_STORE_DAMAGED')) this.#lost.set(life, error);
      throw error;
    }
  }

  /** Likewise, of a row. */
  rowOf(key: RowKey): Uint8Array | null | undefined {
    const row = this.#window.rows.get(key);
    if (row !== undefined) return row;
    for (const { rows } of this.#folding) if (rows.has(key)) return rows.get(key);
    return undefined;
  }

  /** Likewise, of all rows under a prefix. */
  rowsUnder(prefix: string): Map<RowKey, Uint8Array | null> {
    const found = new Map<RowKey, Uint8Array | null>();
    for (const { rows } of [this.#window, ...this.#folding]) {
      for (const [key, row] of rows) if (key.startsWith(prefix) && !found.has(key)) found.set(key, row);
    }
    return found;
  }

  /**
   * What of the fold goes with the batch of the next epoch, before that epoch is added.
   *
   * @param inflow What that epoch changes. Where a fold would come late, the slice is larger by as much: so it always
   *   overtakes what is added meanwhile, and the journal stays bounded at any load.
   */
  slice(inflow: { records: number; bytes: number }): StoreWrite[] {
    const writes: StoreWrite[] = [];
    if (this.#portions === null) {
      if (!this.#isDue()) return writes;
      this.#portions = this.#begin();
    }
    // In every slice, because one may be lost and a later one not, and never deleted, because the cut may be lost:
    // records may be as new as the mark's epoch, or deleted as of it, and recovery cannot go back behind that.
    writes.push(...this.#mark);
    const { sliceRecords, sliceBytes } = this.#limits;
    let records = Math.min(sliceRecords + inflow.records, Math.max(sliceRecords, this.#behind(inflow.bytes)));
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

  /** All that is left of a fold under way, and a whole one of everything behind it. */
  drain(): StoreWrite[] {
    const writes: StoreWrite[] = [];
    const finish = () => {
      writes.push(...this.#mark);
      for (const portion of { [Symbol.iterator]: () => this.#portions as Iterator<Portion> }) {
        if (portion === 'later')
          throw new BosunError(
            'BOSUN_INTERNAL',
            'a record has to be read before what was deleted can be purged, and cannot be',
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

  /** Of the window, with an epoch more. */
  #fullness(epochs: number, bytes: number): number {
    const { windowEpochs, windowBytes } = this.#limits;
    return Math.max((this.#window.epochs + epochs) / windowEpochs, (this.#window.bytes + bytes) / windowBytes);
  }

  /** How many records the fold has to give out to be as far along as it should be behind an epoch of so many bytes. */
  #behind(bytes: number): number {
    return Math.ceil(this.#total * Math.min(1, this.#fullness(1, bytes) / OVER_BY)) - this.#given;
  }

  /** Freezes the window by replacing it. */
  #begin(): Iterator<Portion> {
    const { states, rows, epochs } = this.#window;
    this.#total = states.size + rows.size + CUT_KEYS.length + epochs;
    this.#given = 0;
    const portions = this.#fold(this.#window, this.#end, this.#since);
    const mark = encodeFoldMark(this.#end.epoch);
    this.#mark = FOLD_MARK_KEYS.map((key) => sealed(key, mark));
    this.#since = this.#end.counters;
    this.#isYounger = youngerThan(this.#since);
    this.#folding.unshift(this.#window);
    this.#window = emptyWindow();
    return portions;
  }

  /** Images first, then the cut, then what the cut has made superfluous. */
  *#fold(window: Window, end: Position, since: Counters): Generator<Portion> {
    const dead: number[] = [];
    for (const [life, state] of window.states) {
      if (state === null) dead.push(life);
      else if (!(state instanceof Unread)) yield* this.#foldState(life, state);
      else yield* this.#foldUnread(window.states, life, state);
    }
    for (const [key, row] of window.rows) yield [row === null ? { key, value: null } : sealed(key, row)];
    // It goes with the epoch behind the last one that was added.
    const cut = encodeCut({ from: end.epoch + 1, oldest: this.#oldest, link: end.link, written: this.#end.epoch + 1 });
    yield CUT_KEYS.map((key) => sealed(key, cut));
    // Not before the cut: until then the deltas of the dead are replayed, on top of these states.
    for (const life of dead) {
      if (life < since.life) for (const write of this.#records.deletionsOf(life)) yield [write];
      if (this.#marked.delete(life)) yield [{ key: unreadableKey(life), value: null }];
    }
    for (let epoch = this.#oldest; epoch <= end.epoch; epoch++) yield [{ key: epochKey(epoch), value: null }];
    this.#oldest = end.epoch + 1;
  }

  /** The first record is the state's own; what a state with tables has besides comes on top of what was counted. */
  *#foldState(life: number, state: ActorState): Generator<Portion> {
    this.#total -= 1;
    for (const write of this.#records.writesOf(life, state)) {
      this.#total += 1;
      yield [write];
    }
  }

  /**
   * One that is damaged leaves a mark: the cut deletes the epochs that show what is wrong with it. One that cannot be
   * read at present comes later.
   */
  *#foldUnread(states: Window['states'], life: number, unread: Unread): Generator<Portion> {
    for (;;) {
      const found = this.#readable(states, life, unread);
      if (found instanceof BosunError) {
        this.#marked.add(life);
        yield [unread.markedAs(found)];
        return;
      }
      if (found !== undefined) {
        yield* this.#foldState(life, found);
        return;
      }
      yield 'later';
    }
  }

  /** The damage that keeps it from being read; undefined where the store cannot be read at present. */
  #readable(states: Window['states'], life: number, unread: Unread): ActorState | BosunError | undefined {
    try {
      return this.#read(states, life, unread);
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
