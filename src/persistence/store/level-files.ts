/**
 * Reads files of LevelDB as bytes and checks the checksums that LevelDB wrote into them. LevelDB checks its log when it
 * opens, silently drops mismatches, and deletes the log; it never checks its tables, and some damage of them ends the
 * process. So this check comes first. It changes nothing, and reads nothing of the records except epoch numbers.
 * Format: doc/log_format.md of LevelDB; tables: level-table.ts.
 */
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BosunError, messageOf } from '../../errors.ts';
import { maskedChecksum } from './crc32c.ts';
import { PREFIX } from '../format/keys.ts';
import { damageOfTable } from './level-table.ts';
import { Varints } from './varints.ts';

/** Damaged bytes in a file of LevelDB. */
export interface FileDamage {
  readonly file: string;
  readonly offset: number;
  /**
   * `certain`: bytes that LevelDB wrote are not there. `torn`: at the end of a log, where a write cut short by a crash
   * looks the same as a damaged last write.
   */
  readonly kind: 'certain' | 'torn';
  /** The last sound epoch in the logs before the damage; null if none is known. */
  readonly lastEpoch: number | null;
}

/** The size of a block of the log; a record that does not fit is continued in the next block. */
const BLOCK_BYTES = 32 * 1024;
/** CRC-32C of type and payload (4), length of the payload (2), type (1). */
const HEADER_BYTES = 7;
const FULL = 1;
const LAST_TYPE = 4;

/** The initial buffer: a table of LevelDB's usual size. */
const FILE_BYTES = 4 * 1024 * 1024;

/**
 * The offset of the first entry in a batch, behind a sequence number and a count. An entry has a tag, the length of the
 * key, and the key.
 */
const FIRST_ENTRY = 12;
const EPOCH_KEY = new RegExp(`^\\x01\\x10${PREFIX.epoch}([0-9a-f]{14})`);

/**
 * Reads a file in the directory of a store. Throws BOSUN_STORE_DAMAGED for a directory in its place, BOSUN_STORE_FAILED
 * where it cannot be read.
 */
export async function contentOf(directory: string, file: string): Promise<Buffer> {
  try {
    return await readFile(join(directory, file));
  } catch (error) {
    throw unreadable(directory, file, error);
  }
}

function unreadable(directory: string, file: string, error: unknown): BosunError {
  const details = { directory, file };
  return (error as { code?: unknown }).code === 'EISDIR'
    ? new BosunError('BOSUN_STORE_DAMAGED', `${directory}: ${file} is a directory, but the store needs a file there`, {
        details,
      })
    : new BosunError('BOSUN_STORE_FAILED', `${directory}: ${file} cannot be read: ${messageOf(error)}`, {
        cause: error,
        details,
      });
}

/** Reads one file after the other into the same memory: a store has many, and each is read once. */
class FileReader {
  readonly #directory: string;
  #memory = Buffer.allocUnsafe(FILE_BYTES);

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The bytes of a file, valid until the next one is read. Throws as `contentOf` does. */
  async read(file: string): Promise<Buffer> {
    try {
      return await this.#read(join(this.#directory, file));
    } catch (error) {
      throw unreadable(this.#directory, file, error);
    }
  }

  async #read(path: string): Promise<Buffer> {
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      if (size > this.#memory.length) this.#memory = Buffer.allocUnsafe(size);
      let length = 0;
      for (let read = -1; length < size && read !== 0; length += read)
        read = (await handle.read(this.#memory, length, size - length, length)).bytesRead;
      return this.#memory.subarray(0, length);
    } finally {
      await handle.close();
    }
  }
}

/**
 * Finds damage in the logs and tables that LevelDB would read. Other files are unfinished ones from a crash, which
 * LevelDB deletes. Empty if CURRENT or the manifest cannot be read: LevelDB reports that itself.
 */
export async function damageOfFiles(directory: string): Promise<FileDamage[]> {
  const live = await liveFiles(directory);
  if (live === null) return [];
  const files = (await readdir(directory)).sort();
  const reader = new FileReader(directory);
  const damage: FileDamage[] = [];
  let lastEpoch: number | null = null;
  for (const file of files.filter((name) => name.endsWith('.log') && Number.parseInt(name, 10) >= live.firstLog)) {
    const log = damageOfLog(await reader.read(file));
    lastEpoch = log.lastEpoch ?? lastEpoch;
    if (log.offset !== null) damage.push({ file, offset: log.offset, kind: log.kind, lastEpoch });
  }
  for (const file of files.filter((name) => name.endsWith('.ldb') && live.tables.has(Number.parseInt(name, 10)))) {
    const offset = damageOfTable(await reader.read(file));
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
    // The directory is new, or its beginning is damaged.
    return null;
  }
}

/** Fields of a manifest: the tag of each kind of field, which its values follow. */
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

/** Payloads of the records of a log up to the first bad one. Continued records are joined. */
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
  /** The offset of the first bad record; null if there is none. */
  readonly offset: number | null;
  readonly kind: FileDamage['kind'];
  readonly lastEpoch: number | null;
}

function damageOfLog(log: Buffer): LogDamage {
  let lastEpoch: number | null = null;
  let offset = 0;
  while (offset < log.length) {
    const left = BLOCK_BYTES - (offset % BLOCK_BYTES);
    // Space too short for a header is filled with zeros.
    const isPadding = left < HEADER_BYTES;
    const length = isPadding ? left : recordAt(log, offset);
    if (length === null || (isPadding && !isZero(log, offset, offset + left))) {
      // Preallocated space that was never written to.
      if (isZero(log, offset, log.length)) return { offset: null, kind: 'torn', lastEpoch };
      return { offset, kind: hasRecordBehind(log, offset + 1) ? 'certain' : 'torn', lastEpoch };
    }
    if (!isPadding) lastEpoch = epochIn(log, offset) ?? lastEpoch;
    offset += length;
  }
  return { offset: null, kind: 'torn', lastEpoch };
}

/**
 * Checks the record at an offset.
 *
 * @returns The length of the whole record, or null if there is no sound one.
 */
function recordAt(log: Buffer, offset: number): number | null {
  if (offset + HEADER_BYTES > log.length) return null;
  const length = log.readUInt16LE(offset + 4);
  const type = log[offset + 6]!;
  const end = offset + HEADER_BYTES + length;
  const isInBlock = (offset % BLOCK_BYTES) + HEADER_BYTES + length <= BLOCK_BYTES;
  if (type < FULL || type > LAST_TYPE || end > log.length || !isInBlock) return null;
  return maskedChecksum(log, offset + 6, end) === log.readInt32LE(offset) ? end - offset : null;
}

/**
 * Whether a sound record follows. A crash leaves none behind the write that it cut short, because at durability `disk`
 * there is one write at a time.
 */
function hasRecordBehind(log: Buffer, from: number): boolean {
  for (let offset = from; offset + HEADER_BYTES <= log.length; offset++) {
    const type = log[offset + 6]!;
    // The type byte alone rules out most offsets.
    if (type >= FULL && type <= LAST_TYPE && recordAt(log, offset) !== null) return true;
  }
  return false;
}

/** The number of the epoch that begins a batch, if its record is whole or the first part of one; null otherwise. */
function epochIn(log: Buffer, offset: number): number | null {
  const entry = offset + HEADER_BYTES + FIRST_ENTRY;
  const match = EPOCH_KEY.exec(log.toString('latin1', entry, entry + 18));
  return match === null ? null : Number.parseInt(match[1]!, 16);
}

function isZero(bytes: Buffer, from: number, to: number): boolean {
  return bytes.subarray(from, to).every((byte) => byte === 0);
}
