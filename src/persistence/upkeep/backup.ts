/**
 * Copies of a store as a directory. A copy is taken from a snapshot, so that it holds the state between two epochs
 * while the original goes on; it is written beside its final place, synced, read back and verified, and only then moved
 * there. An incomplete copy never has the name of a complete one.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Store, type StoreSnapshot, type StoreWrite } from '../../actors/model/ports.ts';
import { BosunError, messageOf } from '../../errors.ts';
import { EVERY_KEY } from '../format/keys.ts';
import { levelStore } from '../store/level-store.ts';
import { makePrivateDirectory } from '../store/private-files.ts';
import { refuseForeign } from '../format/upgrade.ts';
import { type Verification, verify } from './verify.ts';

/** The folder of the LevelDB within a data directory of the command line, and within every backup. */
export const STORE_FOLDER = 'store';

/** Bytes of one write of a copy: large enough to make the sync cheap in comparison, small enough for memory. */
const COPY_BYTES = 1024 * 1024;

/**
 * Copies an open store into the data directory `to`, which does not exist or is empty. The store may be written
 * meanwhile.
 *
 * @returns The verification of the copy: damage of the original is copied as it is, and reported. Rejects with
 * BOSUN_CONFIG_INVALID for a place that cannot be used or a store without snapshots, BOSUN_STORE_FORMAT for a store of
 * another build, BOSUN_STORE_FAILED if reading or writing fails.
 */
export async function backup(store: Store, to: string): Promise<Verification> {
  if (store.snapshot === undefined)
    throw new BosunError('BOSUN_CONFIG_INVALID', `the store ${store.name} has no snapshots to back up`);
  const place = resolve(to);
  await refuseOccupied(place);
  await refuseForeign(store);
  const snapshot = await store.snapshot();
  try {
    return await atomically(place, (partial) => copyOf(snapshot, join(partial, STORE_FOLDER)));
  } finally {
    await snapshot.close();
  }
}

/**
 * Replaces the directory `to`, if any, by a copy of the open store `from`. The old directory stays until the copy is
 * complete and verified. Rejects as `backup` does, and with BOSUN_STORE_DAMAGED if the copy is not sound.
 */
export async function restore(from: Store, to: string): Promise<Verification> {
  await refuseForeign(from);
  return await atomically(resolve(to), async (partial) => {
    const verification = await copyOf(from, partial);
    if (verification.sound) return verification;
    const [first] = verification.findings;
    throw new BosunError('BOSUN_STORE_DAMAGED', `${from.name} is damaged: ${first?.message ?? ''}`, {
      details: { ...first },
    });
  });
}

/** Whether a directory does not exist or is empty. */
export async function isVacant(place: string): Promise<boolean> {
  try {
    return (await readdir(place)).length === 0;
  } catch (error) {
    return (error as { code?: string }).code === 'ENOENT';
  }
}

async function refuseOccupied(place: string): Promise<void> {
  if (await isVacant(place)) return;
  throw new BosunError('BOSUN_CONFIG_INVALID', `${place} exists and is not an empty directory`, {
    details: { directory: place },
  });
}

async function atomically<T>(place: string, make: (partial: string) => Promise<T>): Promise<T> {
  const partial = `${place}.partial-${randomUUID().slice(0, 8)}`;
  try {
    await makePrivateDirectory(partial);
    const made = await make(partial);
    await syncDirectory(partial);
    await replace(place, partial);
    await syncDirectory(dirname(place));
    return made;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (error instanceof BosunError) throw error;
    throw new BosunError('BOSUN_STORE_FAILED', `copying to ${place} failed: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Moves a directory into place. A directory can be renamed over an empty one only, so an existing one moves away first.
 */
async function replace(place: string, by: string): Promise<void> {
  if (await isVacant(place)) {
    await rename(by, place);
    return;
  }
  const old = `${by}.old`;
  await rename(place, old);
  await rename(by, place);
  await rm(old, { recursive: true, force: true });
}

async function copyOf(source: Pick<StoreSnapshot, 'scan'>, directory: string): Promise<Verification> {
  const copy = levelStore(directory);
  await copy.open();
  try {
    await copyEntries(source, copy);
    // Reopened, so that verification reads from the files and not from memory.
    await copy.close();
    await copy.open();
    return await verify(copy);
  } finally {
    await copy.close();
    await syncDirectory(directory);
  }
}

async function copyEntries(source: Pick<StoreSnapshot, 'scan'>, copy: Store): Promise<void> {
  let writes: StoreWrite[] = [];
  let bytes = 0;
  // Each write is synced: LevelDB may lose unsynced writes of a log after it has switched to the next.
  const flush = async () => {
    if (writes.length > 0) await copy.write(writes, { sync: true });
    writes = [];
    bytes = 0;
  };
  for await (const batch of source.scan(EVERY_KEY)) {
    for (const [key, value] of batch) {
      writes.push({ key, value });
      bytes += key.length + value.length;
    }
    if (bytes >= COPY_BYTES) await flush();
  }
  await flush();
}

/** Syncs a directory: otherwise a power cut may lose the names of files whose contents it keeps. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
