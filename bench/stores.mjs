/** Stores for contenders: Bosun's own, watched, and plain LevelDB with the options that Bosun uses. */
import { rm } from 'node:fs/promises';
import { Level } from 'level';
import { levelStore } from '../dist/index.js';

/** Size of the memtable, as in src/persistence/store/level-store.ts, for raw contenders too. */
const WRITE_BUFFER_BYTES = 16 * 1024 * 1024;

/** A key like those of epochs: `e!` and 14 digits. */
export function epochLikeKey(number) {
  return `e!${number.toString(16).padStart(14, '0')}`;
}

/**
 * The store of a system with counters. Counting costs some nanoseconds a record and is part of the measurement.
 *
 * @returns The store and its counters; `epochBytes` is the size of the last epoch record.
 */
export function watchedStore(directory) {
  const store = levelStore(directory);
  const seen = { writes: 0, records: 0, epochs: 0, journalBytes: 0, bytes: 0, epochBytes: 0 };
  const write = store.write.bind(store);
  store.write = (writes, options) => {
    seen.writes += 1;
    seen.records += writes.length;
    for (const { key, value } of writes) {
      if (value === null) continue;
      seen.bytes += value.length;
      if (!key.startsWith('e!')) continue;
      seen.epochs += 1;
      seen.epochBytes = value.length;
      seen.journalBytes += value.length;
    }
    return write(writes, options);
  };
  return { store, seen };
}

/** An empty LevelDB. The caller closes it. */
export async function rawLevel(directory, { valueEncoding = 'view' } = {}) {
  await rm(directory, { recursive: true, force: true });
  return await openLevel(directory, { valueEncoding });
}

/** An existing LevelDB. The caller closes it. */
export async function openLevel(directory, { valueEncoding = 'view' } = {}) {
  const database = new Level(directory, { keyEncoding: 'utf8', valueEncoding });
  await database.open({ writeBufferSize: WRITE_BUFFER_BYTES });
  return database;
}
