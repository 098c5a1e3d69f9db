/**
 * A store in a directory, on LevelDB. Adds to LevelDB what it lacks for one writer who must know the truth: a lock that
 * names its holder, the refusal of a directory that has lost its index, and the end of writing after a failed write.
 * Integrity of the values is the business of the envelope.
 */
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { type Store, type StoreEntry, type StoreSnapshot, type StoreWrite } from '../actors/model/ports.ts';
import { assert } from '../assert.ts';
import { BosunError, messageOf } from '../errors.ts';
import { FileNotes } from './file-notes.ts';
import { EVERY_KEY } from './keys.ts';
import { damageOfFiles, type FileDamage } from './level-files.ts';
import { assertWrites } from './memory-store.ts';

/** Larger than LevelDB's 4 MB: a switch of the memtable is where writes stall, and replaying 16 MB takes some 0.1 s. */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;

/** Of one batch of a scan. LevelDB's binding stops at either bound, and each batch costs a trip to another thread. */
const SCAN_ENTRIES = 1_000;
const SCAN_BYTES = 256 * 1024;

/** Holds the process id of whoever has the store open. For messages only: LevelDB's own lock decides. */
const PID_FILE = 'bosun.pid';

/** What the kernel wants to find again after the process has died. */
const NOTES_FILE = 'bosun.note';

const SYNCED = { sync: true };
const UNSYNCED = { sync: false };

type Database = Level<string, Uint8Array>;

/** What `level` does not say of its implementation in Node. */
type Compactable = Database & { compactRange(from: string, to: string): Promise<void> };

interface Range {
  readonly gte: string;
  readonly lt: string;
  readonly limit?: number;
}

/**
 * Real paths that this process has open. A second open of one directory must never reach LevelDB: where it fails it
 * closes a descriptor of the lock file, and with it goes the lock of the first (POSIX). On globalThis, because two
 * copies of this module share the process.
 */
const OPEN_PATHS = Symbol.for('bosun.level-store.open-paths');

function openPaths(): Set<string> {
  const registry = globalThis as { [OPEN_PATHS]?: Set<string> };
  return (registry[OPEN_PATHS] ??= new Set());
}

export interface LevelStoreOptions {
  /** Of LevelDB's memtable, 64 KiB or more. For tests, which want it switched often. */
  readonly writeBufferBytes?: number;
  /** Default true. False: a directory without a store is refused with BOSUN_STORE_FAILED. */
  readonly createIfMissing?: boolean;
}

/**
 * @param directory Is created where it does not exist.
 * Open rejects with BOSUN_STORE_LOCKED, details { directory, pid } with the process id of the holder or null; with
 * BOSUN_STORE_DAMAGED for files that LevelDB cannot read, that lack their index, or whose checksums do not match,
 * details { directory, file, offset, lastGoodEpoch? } then; with BOSUN_STORE_FAILED otherwise.
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

class LevelStore implements Store {
  readonly name: string;
  readonly notes: FileNotes;
  readonly #writeBufferBytes: number;
  readonly #createIfMissing: boolean;
  #opened: Opened | null = null;
  #losses: readonly BosunError[] = [];

  constructor(directory: string, { writeBufferBytes = WRITE_BUFFER_BYTES, createIfMissing = true }: LevelStoreOptions) {
    this.name = directory;
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
      await refuseHeadless(path);
      await this.#inspect(path, lossy);
      const database = await this.#openDatabase(path);
      this.#opened = { database, path, writing: false, failed: false };
    } catch (error) {
      paths.delete(path);
      throw error;
    }
    try {
      await writeFile(join(path, PID_FILE), String(process.pid));
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

  getSync(key: string): Uint8Array | undefined {
    const { database } = this.#require();
    try {
      return database.getSync(key);
    } catch (error) {
      throw readError(error);
    }
  }

  async *scan(range: Range): AsyncGenerator<readonly StoreEntry[]> {
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
    // A file may go while it is looked at: LevelDB compacts when it likes.
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

  /** Rewrites all tables, then opens anew: the logs of LevelDB (LOG, MANIFEST) name keys too, and begin again then. */
  async compact(): Promise<void> {
    const opened = this.#require();
    assert(!opened.writing, 'a store is compacted between writes');
    try {
      await (opened.database as Compactable).compactRange(EVERY_KEY.gte, EVERY_KEY.lt);
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
      // LevelDB would go on and acknowledge writes that are gone at the next open.
      opened.failed = true;
      throw new BosunError('BOSUN_STORE_FAILED', `writing to ${this.name} failed: ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      opened.writing = false;
    }
  }

  /**
   * Before LevelDB opens: it drops what is damaged in its log, and then the log; some damage of a table ends the
   * process.
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

  /** @returns The real path of the directory, which exists then. */
  async #prepare(): Promise<string> {
    try {
      if (this.#createIfMissing) await mkdir(this.name, { recursive: true });
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
      // The driver's own code says that it is not open; why is in the cause.
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

async function* batchesOf(iterator: {
  nextv(size: number): Promise<StoreEntry[]>;
  close(): Promise<void>;
}): AsyncGenerator<readonly StoreEntry[]> {
  // LevelDB reads the next batch while whoever asked for this one is busy with it, and may fail before anybody waits
  // for that.
  const ahead = () => {
    const batch = iterator.nextv(SCAN_ENTRIES);
    batch.catch(() => {});
    return batch;
  };
  let next = ahead();
  try {
    for (;;) {
      const entries = await next;
      if (entries.length === 0) return;
      next = ahead();
      yield entries;
    }
  } catch (error) {
    throw readError(error);
  } finally {
    await next.catch(() => {});
    await iterator.close();
  }
}

async function closeDatabase({ database, path }: Opened): Promise<void> {
  try {
    await database.close();
  } catch (error) {
    throw new BosunError('BOSUN_STORE_FAILED', `cannot close ${path}: ${messageOf(error)}`, { cause: error });
  }
  // Only now: a directory that could not be closed is still locked.
  openPaths().delete(path);
}

/**
 * A chained batch goes to the driver entry by entry; the array form of abstract-level copies each and takes three times
 * as long.
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
 * LevelDB takes a directory without the file CURRENT for a new one and deletes what it finds. A first manifest alone is
 * what a process leaves that dies while it creates the store; there is nothing in it to lose.
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
  const manifest = (await readFile(join(path, 'CURRENT'), 'utf8')).trimEnd();
  // LevelDB would call it an error of the disk, which one may try again.
  if (!files.includes(manifest)) refuse(`the file ${JSON.stringify(manifest)} is missing that CURRENT names`);
}

/** @returns null where the file is missing or holds no number, as in the instant between lock and file. */
async function pidIn(path: string): Promise<number | null> {
  const text = await readFile(join(path, PID_FILE), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return Number.isSafeInteger(pid) ? pid : null;
}

function readError(error: unknown): BosunError {
  if ((error as { code?: string }).code === 'LEVEL_CORRUPTION') {
    return new BosunError('BOSUN_STORE_DAMAGED', `LevelDB cannot read a block: ${messageOf(error)}`, { cause: error });
  }
  return new BosunError('BOSUN_STORE_FAILED', `reading failed: ${messageOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  return messageOf((error as Error).cause ?? error);
}
