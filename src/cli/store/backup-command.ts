/**
 * `bosun backup` and `bosun restore`: verified copies of a stopped store, which are put in place whole or not at all.
 */
import { resolve } from 'node:path';
import { BosunError, isBosunError } from '../../errors.ts';
import { backup, isVacant, restore } from '../../persistence/upkeep/backup.ts';
import { levelStore } from '../../persistence/store/level-store.ts';
import { type Verification } from '../../persistence/upkeep/verify.ts';
import { type DataDirectory, dataDirectory, hasStore, makeDirectory, storeDirectory } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode, writeError } from '../exit-codes.ts';
import { type DataCommand, type Output } from '../surroundings.ts';

export interface BackupCommand extends DataCommand {
  readonly to: string;
}

export interface RestoreCommand extends DataCommand {
  readonly from: string;
  /** Whether to replace an existing store. */
  readonly force: boolean;
}

/**
 * Backs up a store. Resolves to exit code 0: copied and sound; 1: copied but damaged like the original, or failed; 2:
 * invalid paths; 4: in use.
 */
export async function backupCommand(command: BackupCommand): Promise<ExitCode> {
  const { to, cwd, json, out } = command;
  return carriedOut(command, async () => {
    const path = resolve(cwd, to);
    const copied = await opened(storeDirectory(command), (store) => backup(store, path));
    tell(out, { json, copied, what: `backed up to ${path}` });
    if (copied.sound) return EXIT.completed;
    const message = `The store is damaged, and so is the copy. Details: bosun verify --data ${to}`;
    writeError(command, 'BOSUN_STORE_DAMAGED', message);
    return EXIT.failed;
  });
}

/**
 * Restores a store. Resolves to exit code 0: restored; 1: the backup is damaged, or failed; 2: invalid paths; 4: in
 * use.
 */
export async function restoreCommand(command: RestoreCommand): Promise<ExitCode> {
  const { from, cwd, force, json, out } = command;
  return carriedOut(command, async () => {
    const target = dataDirectory(command);
    if (!force && !(await isVacant(target.path))) {
      throw new BosunError('BOSUN_CONFIG_INVALID', `${target.path} is not empty; --force replaces the store in it`);
    }
    if (hasStore(target)) await refuseInUse(target);
    const copied = await opened(storeDirectory({ data: from, cwd }), async (store) => {
      await makeDirectory(target);
      return await restore(store, target.store);
    });
    tell(out, { json, copied, what: `restored to ${target.path}` });
  });
}

async function opened(
  directory: DataDirectory,
  use: (store: ReturnType<typeof levelStore>) => Promise<Verification>,
): Promise<Verification> {
  if (!hasStore(directory)) throw new BosunError('BOSUN_CONFIG_INVALID', `${directory.path} holds no store`);
  const store = levelStore(directory.store, { createIfMissing: false });
  await store.open();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Checks that a store may be replaced. Rejects for a store in use; a damaged one may be replaced. */
async function refuseInUse({ store: path }: DataDirectory): Promise<void> {
  const store = levelStore(path, { createIfMissing: false });
  try {
    await store.open();
  } catch (error) {
    if (isBosunError(error, 'BOSUN_STORE_LOCKED')) throw error;
  } finally {
    await store.close();
  }
}

function tell(out: Output, { json, copied, what }: { json: boolean; copied: Verification; what: string }): void {
  out.write(
    json
      ? `${JSON.stringify(copied)}\n`
      : `${what}: epoch ${copied.epoch ?? 0}, ${copied.actors} actors, ${copied.records} records\n`,
  );
}
