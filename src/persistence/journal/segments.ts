/**
 * Segments: the folded form of unread messages. A message that outlives its epoch is seldom alone: a mailbox fills, and
 * is then read in order. So a fold writes the messages of 64 consecutive numbers as one record, the segment, and
 * deletes it when the last of them has been read. Meanwhile a small record in two copies says which of them are unread.
 *
 * A segment is written once and never again: no message can appear in it later. A message that changes afterwards
 * (another delivery, a deferral) leaves its segment and has a record of its own, and so has one whose segment is not
 * written as a whole: a few at the ends of a fold. Each message has its own checksum, so that damage to one does not
 * cost the others.
 */
import { type RowKey, type StoreWrite, KEYSPACE } from '../../actors/model/ports.ts';
import { type BosunError } from '../../errors.ts';
import { checksum } from '../../checksum.ts';
import { ByteReader, ByteWriter } from '../format/bytes.ts';
import { damaged, ENVELOPE_BYTES, seal, stamp, unseal } from '../format/envelope.ts';
import { numberedKey, numberIn, segmentKey, unreadKeys } from '../format/keys.ts';

/** Numbers in a segment. A power of two: the unread ones are one 64-bit word. */
const NUMBERS = 64;

/** Messages that a segment has to hold: one alone needs no more than a record of its own. */
const LEAST_MESSAGES = 2;

/** The envelope, which covers the length and the checksum of the head. */
const FRONT_BYTES = ENVELOPE_BYTES + 8;
const WORD_BYTES = 8;
const WORD_BITS = 32;

/** Changed messages of a segment by number: encoded, or null for those that were read. */
export type MessageRows = ReadonlyMap<number, Uint8Array | null>;

/** The segment that a message belongs to. */
export function segmentOf(number: number): number {
  return Math.floor(number / NUMBERS);
}

/** The unread messages of a segment on disk. */
class Unread {
  #low = 0;
  #high = 0;
  /** Whether the segment has a record on disk. */
  isStored = false;
  /** Whether that record is out of date. */
  isChanged = false;

  /** Whether messages have left the segment since it was written. */
  get hasGaps(): boolean {
    return this.isStored || this.isChanged;
  }

  get isEmpty(): boolean {
    return this.#low === 0 && this.#high === 0;
  }

  has(number: number): boolean {
    const at = number % NUMBERS;
    return ((at < WORD_BITS ? this.#low >>> at : this.#high >>> (at - WORD_BITS)) & 1) === 1;
  }

  add(number: number): void {
    const at = number % NUMBERS;
    if (at < WORD_BITS) this.#low |= 1 << at;
    else this.#high |= 1 << (at - WORD_BITS);
  }

  /** Removes a message. Returns whether it was there. */
  remove(number: number): boolean {
    if (!this.has(number)) return false;
    const at = number % NUMBERS;
    if (at < WORD_BITS) this.#low &= ~(1 << at);
    else this.#high &= ~(1 << (at - WORD_BITS));
    this.isChanged = true;
    return true;
  }

  encode(writer: ByteWriter): Uint8Array {
    writer.reset();
    writer.u32(this.#high >>> 0);
    writer.u32(this.#low >>> 0);
    return writer.copy();
  }

  static decode(bytes: Uint8Array): Unread {
    const reader = new ByteReader(bytes);
    const unread = new Unread();
    unread.#high = reader.u32();
    unread.#low = reader.u32();
    return unread;
  }
}

export class Segments {
  readonly #writer = new ByteWriter();
  /** The segments on disk, without those that cannot be read, which stay as they are. */
  readonly #unread = new Map<number, Unread>();

  /**
   * Loads a segment. Must precede the records of single messages.
   *
   * @param stored The payload of its record of unread messages, or the damage of both copies; undefined if all are.
   * @param take Called for each unread message, with its damage where it has some.
   * @throws BOSUN_STORE_DAMAGED if none of its messages can be told.
   */
  load(
    key: string,
    value: Uint8Array,
    stored: Uint8Array | BosunError | undefined,
    take: (key: RowKey, row: Uint8Array | BosunError) => void,
  ): void {
    const messages = readSegment(key, value);
    const segment = numberIn(key);
    const first = segment * NUMBERS;
    if (stored !== undefined && !(stored instanceof Uint8Array)) throw stored;
    if (stored !== undefined && stored.length !== WORD_BYTES) throw damaged(unreadKeys(segment)[0], 'is malformed');
    const listed = stored && Unread.decode(stored);
    const unread = new Unread();
    unread.isStored = stored !== undefined;
    for (const { offset, row } of messages) {
      const number = first + offset;
      if (listed?.has(number) === false) continue;
      unread.add(number);
      const ownKey = numberedKey(KEYSPACE.mailboxes, number);
      take(ownKey, row ?? damaged(ownKey, 'does not match its checksum'));
    }
    this.#unread.set(segment, unread);
  }

  /**
   * Records that a message has a record of its own, which takes precedence.
   *
   * @returns Whether its segment has it as well, because a crash came between the writes of a fold. The next fold must
   * then visit the segment.
   */
  standsAlone(number: number): boolean {
    return this.#unread.get(segmentOf(number))?.remove(number) === true;
  }

  /**
   * Yields the writes of a fold for one segment.
   *
   * @param since The lowest number that was not on disk when the window began.
   */
  *writesOf(segment: number, rows: MessageRows, since: number): Generator<StoreWrite> {
    const unread = this.#unread.get(segment);
    if (unread === undefined && segment * NUMBERS >= since && rows.size >= LEAST_MESSAGES) {
      yield this.#written(segment, rows);
      return;
    }
    for (const [number, row] of rows) {
      const hasLeft = unread?.remove(number) === true;
      if (row === null && hasLeft) continue;
      const key = numberedKey(KEYSPACE.mailboxes, number);
      yield { key, value: row && seal(key, row) };
    }
    if (unread?.isChanged === true) yield* this.#left(segment, unread);
  }

  #written(segment: number, rows: MessageRows): StoreWrite {
    const key = segmentKey(segment);
    const unread = new Unread();
    const messages: [offset: number, row: Uint8Array][] = [];
    for (const [number, row] of rows) {
      // A row that was created and deleted within the window has been forgotten.
      if (row === null) continue;
      unread.add(number);
      messages.push([number % NUMBERS, row]);
    }
    this.#unread.set(segment, unread);
    return { key, value: this.#encode(key, messages) };
  }

  *#left(segment: number, unread: Unread): Generator<StoreWrite> {
    if (!unread.isEmpty) {
      const payload = unread.encode(this.#writer);
      unread.isStored = true;
      unread.isChanged = false;
      for (const key of unreadKeys(segment)) yield { key, value: seal(key, payload) };
      return;
    }
    this.#unread.delete(segment);
    yield { key: segmentKey(segment), value: null };
    if (unread.isStored) for (const key of unreadKeys(segment)) yield { key, value: null };
  }

  /**
   * Replaces every segment that messages have left by records of what is unread, so that nothing else of it remains.
   *
   * @param read Reads the record of a segment.
   */
  async dissolve(read: (key: string) => Promise<Uint8Array | undefined>): Promise<StoreWrite[]> {
    const writes: StoreWrite[] = [];
    for (const [segment, unread] of this.#unread) {
      if (!unread.hasGaps) continue;
      const key = segmentKey(segment);
      const value = await read(key);
      for (const { offset, row } of value === undefined ? [] : readSegment(key, value)) {
        const number = segment * NUMBERS + offset;
        if (row === undefined || !unread.has(number)) continue;
        const ownKey = numberedKey(KEYSPACE.mailboxes, number);
        writes.push({ key: ownKey, value: seal(ownKey, row) });
      }
      writes.push(...[key, ...unreadKeys(segment)].map((gone) => ({ key: gone, value: null })));
      this.#unread.delete(segment);
    }
    return writes;
  }

  /**
   * Encodes a segment as `[envelope 5][length of the head u32][CRC-32 of the head u32][head][rows]`. The head has
   * `[offset u8][length varint][CRC-32 u32]` for each row.
   */
  #encode(key: string, messages: readonly (readonly [offset: number, row: Uint8Array])[]): Uint8Array {
    const writer = this.#writer;
    writer.reset();
    writer.skip(FRONT_BYTES);
    for (const [offset, row] of messages) {
      writer.u8(offset);
      writer.varint(row.length);
      writer.u32(checksum(row));
    }
    writer.u32At(ENVELOPE_BYTES, writer.length - FRONT_BYTES);
    writer.u32At(ENVELOPE_BYTES + 4, writer.checksum(FRONT_BYTES));
    for (const [, row] of messages) writer.bytes(row);
    const value = writer.copy();
    stamp(key, value.subarray(0, FRONT_BYTES));
    return value;
  }
}

/**
 * Reads the record of a segment.
 *
 * @returns Its messages in order of their place in the segment; without a row where that is damaged.
 * @throws BOSUN_STORE_DAMAGED, BOSUN_STORE_FORMAT.
 */
export function readSegment(key: string, value: Uint8Array): { offset: number; row: Uint8Array | undefined }[] {
  try {
    const front = new ByteReader(unseal(key, value.subarray(0, FRONT_BYTES)));
    const rest = new ByteReader(value.subarray(FRONT_BYTES));
    const head = rest.bytes(front.u32());
    if (checksum(head) !== front.u32()) throw damaged(key, 'does not match the checksum of its head');
    const places = new ByteReader(head);
    const messages: { offset: number; row: Uint8Array | undefined }[] = [];
    while (!places.atEnd) {
      const offset = places.u8();
      const row = rest.bytes(places.varint());
      messages.push({ offset, row: checksum(row) === places.u32() ? row : undefined });
    }
    return messages;
  } catch (error) {
    if (error instanceof RangeError) throw damaged(key, 'is cut short', { cause: error });
    throw error;
  }
}
