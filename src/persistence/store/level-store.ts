/**
 * A store in a directory, on LevelDB. Adds to LevelDB a lock that names its holder, the refusal of a directory that has
 * lost its index, and the end of writing after a failed write. The envelope takes care of the integrity of values.
 */
import { readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Level } from 'level';
import {
  type Store,
  type StoreEntry,
  type StoreRange,
  type StoreSnapshot,
  type StoreWrite,
} from '../../actors/model/ports.ts';
import { assert } from '../../assert.ts';
import { BosunError, isBosunError, messageOf } from '../../errors.ts';
import { FileNotes } from './file-notes.ts';
import { contentOf, damageOfFiles, type FileDamage } from './level-files.ts';
import { rewritten } from './level-rewrite.ts';
import { batchesOf, readError, readMany, SCAN_BYTES } from './level-reads.ts';
import { assertWrites } from './memory-store.ts';
import { closeToOthers, makePrivateDirectory, PRIVATE_FILE } from './private-files.ts';

/**
 * Bytes of the write buffer. It is larger than LevelDB's default of 4 MB, because writes stall when the memtable is
 * switched. Replaying 16 MB takes some 0.1 s.
 */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;

/** The file with the process id of the holder. For messages only: LevelDB's own lock decides. */
const PID_FILE = 'bosun.pid';

/** The file for the kernel's notes, which survive the death of the process. */
const NOTES_FILE = 'bosun.note';

const SYNCED = { sync: true };
const UNSYNCED = { sync: false };

type Database = Level<string, Uint8Array>;

/**
 * Real paths that this process has open. A second open of one directory must never reach LevelDB: when it fails it
 * closes a descriptor of the lock file, which releases the lock of the first one (POSIX). On globalThis, because two
 * copies of this module share the process.
 */
const OPEN_PATHS = Symbol.for('bosun.level-store.open-paths');

function openPaths(): Set<string> {
  const registry = globalThis as { [OPEN_PATHS]?: Set<string> };
  return (registry[OPEN_PATHS] ??= new Set());
}

export interface LevelStoreOptions {
  /** The size of LevelDB's memtable, 64 KiB or more. For tests that want frequent switches. */
  readonly writeBufferBytes?: number;
  /**
   * Whether a missing store is created. Default true. If false, a directory without a store is refused with
   * BOSUN_STORE_FAILED.
   */
  readonly createIfMissing?: boolean;
}

/**
 * A store in a directory, on an embedded LevelDB. One process at a time may open it: BOSUN_STORE_LOCKED.
 *
 * @param directory Created where it does not exist. It and the files of the store are readable by their owner only,
 * except that a directory that also holds other files keeps its mode.
 * Open rejects with BOSUN_STORE_LOCKED, details { directory, pid } with the process id of the holder or null; with
 * BOSUN_STORE_DAMAGED for files that LevelDB cannot read, that lack their index, or whose checksums do not match, then
 * with details { directory, file, offset, lastGoodEpoch? }; with BOSUN_STORE_FAILED otherwise.
 */
export function levelStore(directory: string, options: LevelStoreOptions = {}): Store {
  return new LevelStore(directory, options);
}

interface Opened {
  readonly database: Database;
  readonly path: string;
  writing: boolean;
  failed: boolean;
}

/** Most checks of the files at an opening: another process that opens the store changes them once. */
const CHECKS_MAX = 5;

class LevelStore implements Store {
  readonly name: string;
  readonly directory: string;
  readonly notes: FileNotes;
  readonly #writeBufferBytes: number;
  readonly #createIfMissing: boolean;
  #opened: Opened | null = null;
  #losses: readonly BosunError[] = [];

  constructor(directory: string, { writeBufferBytes = WRITE_BUFFER_BYTES, createIfMissing = true }: LevelStoreOptions) {
    this.name = directory;
    this.directory = resolve(directory);
    this.notes = new FileNotes(join(directory, NOTES_FILE));
    this.#writeBufferBytes = writeBufferBytes;
    this.#createIfMissing = createIfMissing;
  }

  async open({ lossy = false }: { readonly lossy?: boolean } = {}): Promise<void> {
    const path = await this.#prepare();
    const paths = openPaths();
    if (paths.has(path)) throw this.#locked(process.pid);
    paths.add(path);
    try {
      await this.#check(path, lossy);
      await closeToOthers(path);
      const database = await this.#openDatabase(path);
      this.#opened = { database, path, writing: false, failed: false };
    } catch (error) {
      paths.delete(path);
      throw isBosunError(error) ? error : this.#failed(error);
    }
    try {
      await writeFile(join(path, PID_FILE), String(process.pid), { mode: PRIVATE_FILE });
      await closeToOthers(path);
    } catch (error) {
      await this.close();
      throw this.#failed(error);
    }
  }

  losses(): readonly BosunError[] {
    return this.#losses;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    if (opened === null) return;
    this.#opened = null;
    this.notes.close();
    try {
      await rm(join(opened.path, PID_FILE), { force: true });
    } catch {
      // The process id is read only while a process holds the lock; a stale or missing one does no harm.
    } finally {
      await closeDatabase(opened);
    }
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const { database } = this.#require();
    try {
      return await database.get(key);
    } catch (error) {
      throw readError(error);
    }
  }

  async getMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const { database } = this.#require();
    return readMany(database, keys);
  }

  getSync(key: string): Uint8Array | undefined {
    const { database } = this.#require();
    try {
      return database.getSync(key);
    } catch (error) {
      throw readError(error);
    }
  }

  async *scan(range: StoreRange): AsyncGenerator<readonly StoreEntry[]> {
    yield* batchesOf(this.#require().database.iterator({ ...range, highWaterMarkBytes: SCAN_BYTES }));
  }

  async snapshot(): Promise<StoreSnapshot> {
    const { database } = this.#require();
    const snapshot = database.snapshot();
    return {
      scan: (range) => batchesOf(database.iterator({ ...range, snapshot, highWaterMarkBytes: SCAN_BYTES })),
      close: () => snapshot.close(),
    };
  }

  async bytes(): Promise<number> {
    const { path } = this.#require();
    const files = await readdir(path);
    // LevelDB may delete a file meanwhile, because it compacts at any time.
    const sizes = await Promise.all(
      files.map((file) =>
        stat(join(path, file)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Rewrites all tables, then reopens: LevelDB's own logs (LOG, MANIFEST) contain keys too, and begin anew then. */
  async compact(): Promise<void> {
    const opened = this.#require();
    assert(!opened.writing, 'a store is compacted between writes');
    try {
      await rewritten(opened.database);
      await opened.database.close();
      await opened.database.open({ writeBufferSize: this.#writeBufferBytes, createIfMissing: false });
      await rm(join(opened.path, 'LOG.old'), { force: true });
    } catch (error) {
      opened.failed = true;
      throw new BosunError('BOSUN_STORE_FAILED', `compacting ${this.name} failed: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async write(writes: readonly StoreWrite[], { sync }: { sync: boolean }): Promise<void> {
    const opened = this.#require();
    if (opened.failed) {
      throw new BosunError('BOSUN_STORE_FAILED', 'an earlier write failed; the store must be closed and opened again');
    }
    assert(!opened.writing, 'one write at a time');
    assertWrites(writes);
    opened.writing = true;
    try {
      await put(opened.database, writes, sync ? SYNCED : UNSYNCED);
    } catch (error) {
      // LevelDB would go on and acknowledge writes that are lost at the next open.
      opened.failed = true;
      throw new BosunError('BOSUN_STORE_FAILED', `writing to ${this.name} failed: ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      opened.writing = false;
    }
  }

  /**
   * Checks the files, and once more where one was gone: a process that opens the store at the same time deletes files
   * between the listing and the reading. The lock then says which of the two has it.
   */
  async #check(path: string, lossy: boolean): Promise<void> {
    for (let left = CHECKS_MAX - 1; ; left--) {
      try {
        await refuseHeadless(path);
        return await this.#inspect(path, lossy);
      } catch (error) {
        if (left === 0 || !isOfMissingFile(error)) throw error;
      }
    }
  }

  /**
   * Checks the files before LevelDB opens them: it drops damaged entries of its log, and then the log; some damage of a
   * table ends the process.
   */
  async #inspect(path: string, lossy: boolean): Promise<void> {
    const damage = await damageOfFiles(path);
    const certain = damage.find(({ kind }) => kind === 'certain');
    if (certain !== undefined && !lossy) throw this.#damaged(certain);
    this.#losses = damage.map((place) => this.#damaged(place));
  }

  #damaged({ file, offset, kind, lastEpoch }: FileDamage): BosunError {
    const what = kind === 'certain' ? 'is damaged' : 'ends in a write that a crash cut short, or that is damaged';
    return new BosunError('BOSUN_STORE_DAMAGED', `${join(this.name, file)} ${what} at byte ${offset}`, {
      details: { directory: this.name, file, offset, ...(lastEpoch !== null && { lastGoodEpoch: lastEpoch }) },
    });
  }

  #require(): Opened {
    if (this.#opened === null) throw new BosunError('BOSUN_STORE_FAILED', `the store ${this.name} is not open`);
    return this.#opened;
  }

  /**
   * Creates the directory where it is missing.
   *
   * @returns Its real path.
   */
  async #prepare(): Promise<string> {
    try {
      if (this.#createIfMissing) await makePrivateDirectory(this.name);
      return await realpath(this.name);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #openDatabase(path: string): Promise<Database> {
    const database: Database = new Level(path, { keyEncoding: 'utf8', valueEncoding: 'view' });
    try {
      await database.open({ writeBufferSize: this.#writeBufferBytes, createIfMissing: this.#createIfMissing });
      return database;
    } catch (error) {
      // The driver's own code only says that it is not open; the reason is in the cause.
      const { code } = ((error as Error).cause ?? error) as { code?: string };
      if (code === 'LEVEL_LOCKED') throw this.#locked(await pidIn(path), error);
      if (code === 'LEVEL_CORRUPTION') {
        throw new BosunError('BOSUN_STORE_DAMAGED', `LevelDB cannot read ${this.name}: ${reasonOf(error)}`, {
          cause: error,
          details: { directory: this.name },
        });
      }
      throw this.#failed(error);
    }
  }

  #locked(pid: number | null, cause?: unknown): BosunError {
    const holder = pid === null ? 'another process' : pid === process.pid ? 'this process' : `process ${pid}`;
    return new BosunError('BOSUN_STORE_LOCKED', `${this.name} is open in ${holder}; stop it there first`, {
      cause,
      details: { directory: this.name, pid },
    });
  }

  #failed(error: unknown): BosunError {
    return new BosunError('BOSUN_STORE_FAILED', `cannot open ${this.name}: ${reasonOf(error)}`, { cause: error });
  }
}

async function closeDatabase({ database, path }: Opened): Promise<void> {
  try {
    await database.close();
    await closeToOthers(path);
  } catch (error) {
    throw new BosunError('BOSUN_STORE_FAILED', `cannot close ${path}: ${messageOf(error)}`, { cause: error });
  }
  // Only now: a directory that could not be closed is still locked.
  openPaths().delete(path);
}

/**
 * Writes a batch. A chained batch goes to the driver entry by entry; the array form of abstract-level copies each entry
 * and takes three times as long.
 */
function put(database: Database, writes: readonly StoreWrite[], options: { sync: boolean }): Promise<void> {
  const [first] = writes;
  if (writes.length === 1 && first !== undefined) {
    return first.value === null ? database.del(first.key, options) : database.put(first.key, first.value, options);
  }
  const batch = database.batch();
  for (const { key, value } of writes) {
    if (value === null) batch.del(key);
    else batch.put(key, value);
  }
  return batch.write(options);
}

/**
 * Refuses a directory that has lost its file CURRENT: LevelDB takes it for a new one and deletes its files. A first
 * manifest alone is left by a process that dies while it creates the store; it has nothing to lose.
 */
async function refuseHeadless(path: string): Promise<void> {
  const files = await readdir(path);
  const refuse = (what: string) => {
    throw new BosunError('BOSUN_STORE_DAMAGED', `${path} holds data but ${what}`, {
      details: { directory: path, files },
    });
  };
  if (!files.includes('CURRENT')) {
    const remains = files.filter((file) => /^MANIFEST-|\.(ldb|sst|log)$/.test(file) && file !== 'MANIFEST-000001');
    if (remains.length > 0) refuse('its file CURRENT is missing');
    return;
  }
  const manifest = (await contentOf(path, 'CURRENT')).toString().trimEnd();
  // LevelDB would report a disk error, which suggests trying again.
  if (!files.includes(manifest)) refuse(`the file ${JSON.stringify(manifest)} is missing that CURRENT names`);
}

/** Whether a check found that a file was gone which the directory, or CURRENT, had named. */
function isOfMissingFile(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === 'ENOENT' || (isBosunError(error, 'BOSUN_STORE_DAMAGED') && 'files' in error.details);
}

/**
 * The process id of the holder.
 *
 * @returns null if the file is missing or holds no number, as in the instant between lock and file.
 */
async function pidIn(path: string): Promise<number | null> {
  const text = await readFile(join(path, PID_FILE), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isSafeInteger(pid) ? pid : null;
}

function reasonOf(error: unknown): string {
  return messageOf((error as Error).cause ?? error);
}
