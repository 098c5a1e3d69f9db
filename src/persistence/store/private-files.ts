/**
 * File modes of a store's directory and files: for their owner alone, whatever the umask, because they hold all data of
 * the actors. LevelDB creates its files readable for everybody, also later; so the mode of the directory protects an
 * open store, and the files are changed when it is closed and may be copied.
 */
import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;

/** The bits of a mode for group and others. */
const OF_OTHERS = 0o077;

/** Matches the names of LevelDB's files and of the files beside them. */
const OURS =
  /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(ldb|sst|log|dbtmp)|bosun\.(pid|note|gateway\.json(\.[\w-]+)?))$/;

/** Creates a directory where it is missing. Missing parents get the process's default mode. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await made(resolve(path), PRIVATE_DIRECTORY);
}

/**
 * Creates a directory and its parents. Does not use `mkdir` with `recursive`, which never returns if nothing can be
 * created, as below /proc.
 */
async function made(path: string, mode?: number): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isDirectory() === true) return;
  const above = dirname(path);
  if (there === undefined && above !== path) await made(above);
  try {
    await mkdir(path, mode);
  } catch (error) {
    // Another process may have created it; a file in its place is refused.
    if (!(await stat(path).catch(() => undefined))?.isDirectory()) throw error;
  }
}

/**
 * Makes a store's files private, and its directory too where it holds nothing else: the mode of a shared directory is
 * not ours to change.
 */
export async function closeToOthers(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const ours = names.filter((name) => OURS.test(name));
  if (ours.length === names.length) await restrict(directory, PRIVATE_DIRECTORY);
  await Promise.all(ours.map((name) => restrict(join(directory, name), PRIVATE_FILE)));
}

async function restrict(path: string, mode: number): Promise<void> {
  try {
    const found = await lstat(path);
    if (!found.isSymbolicLink() && (found.mode & OF_OTHERS) !== 0) await chmod(path, mode);
  } catch {
    // The file has gone meanwhile, or belongs to another user, who decides.
  }
}
