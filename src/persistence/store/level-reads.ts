/**
 * Reads of a LevelDB for the store: scans in batches, several keys at once, and what a failed read means.
 */
import { type StoreEntry } from '../../actors/model/ports.ts';
import { BosunError, messageOf } from '../../errors.ts';

/**
 * The size of one batch of a scan. LevelDB's binding stops at either limit, and each batch costs a trip to another
 * thread.
 */
const SCAN_ENTRIES = 1_000;
export const SCAN_BYTES = 256 * 1024;

/** Threads that read several keys at once. Node has four for all: one is left for the write of an epoch. */
const READERS = 3;
/** Fewer keys than this are not worth a thread of their own. */
const READ_SHARE_MIN = 8;

/** The part of a LevelDB that reads several keys in one trip. */
interface ManyReader {
  getMany(keys: string[]): Promise<(Uint8Array | undefined)[]>;
}

/** Reads several keys, in their order. Rejects with BOSUN_STORE_DAMAGED or BOSUN_STORE_FAILED. */
export async function readMany(
  database: ManyReader,
  keys: readonly string[],
): Promise<readonly (Uint8Array | undefined)[]> {
  const share = Math.max(READ_SHARE_MIN, Math.ceil(keys.length / READERS));
  const shares = Array.from({ length: Math.ceil(keys.length / share) }, (_, n) =>
    keys.slice(n * share, (n + 1) * share),
  );
  try {
    return (await Promise.all(shares.map((some) => database.getMany(some)))).flat();
  } catch (error) {
    throw readError(error);
  }
}

/** Yields the entries of an iterator in batches, and closes it. Rejects as `readMany` does. */
export async function* batchesOf(iterator: {
  nextv(size: number): Promise<StoreEntry[]>;
  close(): Promise<void>;
}): AsyncGenerator<readonly StoreEntry[]> {
  // LevelDB reads the next batch while the caller processes this one. The read may fail before anybody awaits it.
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

/** The error for a read that LevelDB has refused. */
export function readError(error: unknown): BosunError {
  if ((error as { code?: string }).code === 'LEVEL_CORRUPTION') {
    return new BosunError('BOSUN_STORE_DAMAGED', `LevelDB cannot read a block: ${messageOf(error)}`, { cause: error });
  }
  return new BosunError('BOSUN_STORE_FAILED', `reading failed: ${messageOf(error)}`, { cause: error });
}
