/**
 * Reads files of LevelDB as bytes and checks the checksums that LevelDB wrote into them. It looks at those of its log
 * when it opens, drops what does not match without an error, and deletes the log; at those of its tables it never
 * looks, and some damage of them ends the process. So this comes before it. It changes nothing, and does not know what
 * the records mean, but for the number of an epoch. Formats: doc/log_format.md and doc/table_format.md of LevelDB.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PREFIX } from './keys.ts';

/** A place in a file of LevelDB where bytes are not what was written. */
export interface FileDamage {
  readonly file: string;
  readonly offset: number;
  /**
   * `certain`: what LevelDB wrote is not there. `torn`: at the end of a log, where a write that a crash cut short looks
   * the same as a damaged last write.
   */
  readonly kind: 'certain' | 'torn';
  /** The last epoch in the logs that is sound and before the damage; null where none is known. */
  readonly lastEpoch: number | null;
}

/** The log is a sequence of blocks; a record that does not fit is continued in the next. */
const BLOCK_BYTES = 32 * 1024;
/** CRC-32C of type and payload (4), length of the payload (2), type (1). */
const HEADER_BYTES = 7;
const FULL = 1;
const LAST_TYPE = 4;

/** Type of compression (1) and CRC-32C (4) behind each block of a table. */
const TRAILER_BYTES = 5;
/** Two handles, padded, and a magic number. */
const FOOTER_BYTES = 48;
const MAGIC = Buffer.from('57fb808b247547db', 'hex');

/** A batch begins with a sequence number and a count; then the first entry: tag, length of the key, key. */
const FIRST_ENTRY = 12;
const EPOCH_KEY = new RegExp(`^\\x01\\x10${PREFIX.epoch}([0-9a-f]{14})`);

const CRC32C = crcTable();

/**
 * Of the logs and tables in a directory that LevelDB would read. Others are what a crash left of a file in the making,
 * and LevelDB deletes them. Empty where CURRENT or the manifest cannot be read: LevelDB says so itself.
 */
export async function damageOfFiles(directory: string): Promise<FileDamage[]> {
  const live = await liveFiles(directory);
  if (live === null) return [];
  const files = (await readdir(directory)).sort();
  const damage: FileDamage[] = [];
  let lastEpoch: number | null = null;
  for (const file of files.filter((name) => name.endsWith('.log') && Number.parseInt(name, 10) >= live.firstLog)) {
    const log = damageOfLog(await readFile(join(directory, file)));
    lastEpoch = log.lastEpoch ?? lastEpoch;
    if (log.offset !== null) damage.push({ file, offset: log.offset, kind: log.kind, lastEpoch });
  }
  for (const file of files.filter((name) => name.endsWith('.ldb') && live.tables.has(Number.parseInt(name, 10)))) {
    const offset = damageOfTable(await readFile(join(directory, file)));
    if (offset !== null) damage.push({ file, offset, kind: 'certain', lastEpoch: null });
  }
  return damage;
}

interface LiveFiles {
  readonly tables: Set<number>;
  firstLog: number;
}

async function liveFiles(directory: string): Promise<LiveFiles | null> {
  try {
    const manifest = (await readFile(join(directory, 'CURRENT'), 'latin1')).trimEnd();
    const live: LiveFiles = { tables: new Set(), firstLog: 0 };
    for (const edit of recordsOf(await readFile(join(directory, manifest)))) applyEdit(live, new Varints(edit, 0));
    return live;
  } catch {
    // A new directory, or one whose beginning is damaged.
    return null;
  }
}

/** What a manifest says in turn: of each kind of field, its number and what follows it. */
const EDIT = {
  comparator: 1,
  log: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const;

function applyEdit(live: LiveFiles, edit: Varints): void {
  while (!edit.isAtEnd) {
    const tag = edit.next();
    if (tag === EDIT.comparator) edit.skip(edit.next());
    else if (tag === EDIT.log) live.firstLog = edit.next();
    else if (tag === EDIT.nextFile || tag === EDIT.lastSequence || tag === EDIT.previousLog) edit.next();
    else if (tag === EDIT.compactPointer) {
      edit.next();
      edit.skip(edit.next());
    } else if (tag === EDIT.deletedFile) {
      edit.next();
      live.tables.delete(edit.next());
    } else if (tag === EDIT.newFile) {
      edit.next();
      live.tables.add(edit.next());
      edit.next();
      for (let bound = 0; bound < 2; bound++) edit.skip(edit.next());
    } else throw new RangeError(`a manifest has no field ${tag}`);
  }
}

/** Payloads of the records of a log up to the first bad one. One that is continued is put together. */
function recordsOf(log: Buffer): Buffer[] {
  const records: Buffer[] = [];
  const parts: Buffer[] = [];
  for (let offset = 0; offset < log.length; ) {
    const left = BLOCK_BYTES - (offset % BLOCK_BYTES);
    const length = left < HEADER_BYTES ? left : recordAt(log, offset);
    if (length === null) break;
    if (left >= HEADER_BYTES) {
      const type = log[offset + 6]!;
      parts.push(log.subarray(offset + HEADER_BYTES, offset + length));
      if (type === FULL || type === LAST_TYPE) records.push(Buffer.concat(parts.splice(0)));
    }
    offset += length;
  }
  return records;
}

interface LogDamage {
  /** Of the first bad record; null where there is none. */
  readonly offset: number | null;
  readonly kind: FileDamage['kind'];
  readonly lastEpoch: number | null;
}

function damageOfLog(log: Buffer): LogDamage {
  let lastEpoch: number | null = null;
  let offset = 0;
  while (offset < log.length) {
    const left = BLOCK_BYTES - (offset % BLOCK_BYTES);
    // What is too short for a header is zeros.
    const isPadding = left < HEADER_BYTES;
    const length = isPadding ? left : recordAt(log, offset);
    if (length === null || (isPadding && !isZero(log, offset, offset + left))) {
      // Preallocated space that was not written to.
      if (isZero(log, offset, log.length)) return { offset: null, kind: 'torn', lastEpoch };
      return { offset, kind: hasRecordBehind(log, offset + 1) ? 'certain' : 'torn', lastEpoch };
    }
    if (!isPadding) lastEpoch = epochIn(log, offset) ?? lastEpoch;
    offset += length;
  }
  return { offset: null, kind: 'torn', lastEpoch };
}

/** @returns The length of the whole record, or null where none is sound. */
function recordAt(log: Buffer, offset: number): number | null {
  if (offset + HEADER_BYTES > log.length) return null;
  const length = log.readUInt16LE(offset + 4);
  const type = log[offset + 6]!;
  const end = offset + HEADER_BYTES + length;
  const isInBlock = (offset % BLOCK_BYTES) + HEADER_BYTES + length <= BLOCK_BYTES;
  if (type < FULL || type > LAST_TYPE || end > log.length || !isInBlock) return null;
  return masked(crc32c(log, offset + 6, end)) === log.readInt32LE(offset) ? end - offset : null;
}

/** A crash leaves nothing sound behind what it cut short: at durability `disk` there is one write at a time. */
function hasRecordBehind(log: Buffer, from: number): boolean {
  for (let offset = from; offset + HEADER_BYTES <= log.length; offset++) {
    const type = log[offset + 6]!;
    // Most places are none by their type alone.
    if (type >= FULL && type <= LAST_TYPE && recordAt(log, offset) !== null) return true;
  }
  return false;
}

/** The number of the epoch that a batch begins with, where its record is whole or the first part of one. */
function epochIn(log: Buffer, offset: number): number | null {
  const entry = offset + HEADER_BYTES + FIRST_ENTRY;
  const match = EPOCH_KEY.exec(log.toString('latin1', entry, entry + 18));
  return match === null ? null : Number.parseInt(match[1]!, 16);
}

function isZero(bytes: Buffer, from: number, to: number): boolean {
  return bytes.subarray(from, to).every((byte) => byte === 0);
}

/** @returns Where the first block begins that is not what was written; null where there is none. */
function damageOfTable(table: Buffer): number | null {
  const footer = table.length - FOOTER_BYTES;
  const begins = new Map<number, number>();
  let last: { readonly begin: number; readonly end: number } | null = null;
  for (let begin = 0; begin < footer; ) {
    let end = endOfBlock(table, begin, footer);
    if (end === null) {
      // What seemed to be the end of the block before was perhaps none.
      end = last && endOfBlock(table, last.begin, footer, last.end);
      if (end === null) return begin;
      begin = last!.begin;
    }
    begins.set(begin, end - begin - TRAILER_BYTES);
    last = { begin, end };
    begin = end;
  }
  // The footer has no checksum: the two blocks that it names must be where it says.
  const varints = new Varints(table, footer);
  const isNamed = () => begins.get(varints.next()) === varints.next();
  return footer >= 0 && isNamed() && isNamed() && table.subarray(-MAGIC.length).equals(MAGIC)
    ? null
    : Math.max(0, footer);
}

/**
 * Blocks follow each other without a gap. Where one ends is said by the index, which may be damaged too, and is
 * compressed; but a block ends where the checksum of all before it follows. Once in four gigabytes other bytes are that
 * checksum by chance; then no block begins there.
 *
 * @param after Ends up to here are none.
 */
function endOfBlock(table: Buffer, begin: number, limit: number, after = begin): number | null {
  let crc = -1;
  for (let offset = begin; offset + TRAILER_BYTES <= limit; offset++) {
    crc = CRC32C[(crc ^ table[offset]!) & 0xff]! ^ (crc >>> 8);
    const found = masked(~crc);
    // One byte first: this is looked at for every byte of the store.
    if (
      (found & 0xff) === table[offset + 1] &&
      found === table.readInt32LE(offset + 1) &&
      offset + TRAILER_BYTES > after
    )
      return offset + TRAILER_BYTES;
  }
  return null;
}

/** LEB128, as LevelDB writes handles of blocks. */
class Varints {
  readonly #bytes: Buffer;
  #offset: number;

  constructor(bytes: Buffer, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  get isAtEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  skip(bytes: number): void {
    this.#offset += bytes;
  }

  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.#bytes[this.#offset++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

function crc32c(bytes: Buffer, from: number, to: number): number {
  let crc = -1;
  for (let offset = from; offset < to; offset++) crc = CRC32C[(crc ^ bytes[offset]!) & 0xff]! ^ (crc >>> 8);
  return ~crc;
}

/** LevelDB stores checksums in this form, since bytes may contain checksums themselves. */
function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) | 0;
}

/** Castagnoli's polynomial, reflected. That of zlib is another. */
function crcTable(): Int32Array {
  // Signed throughout: JavaScript computes with 32 bits as long as numbers fit into them.
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    return crc;
  });
}
