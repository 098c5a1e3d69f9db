/** The key of session tokens of a data directory: made once, and readable by the user of the host alone. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BosunError } from '../../errors.ts';
import { type DataDirectory } from '../store/data-directory.ts';

const BYTES = 32;

/**
 * Reads the key, or makes it. Rejects with BOSUN_CONFIG_INVALID for a file that holds no key.
 *
 * @param isFresh Whether to make another one, so that no token of before counts.
 */
export async function sessionKeyIn({ path }: DataDirectory, isFresh: boolean): Promise<Uint8Array> {
  const file = keyFileIn(path);
  await mkdir(path, { recursive: true });
  const made = randomBytes(BYTES).toString('base64url');
  if (isFresh) {
    // A directory of runs has a key at any moment: by it its folders are known to be Bosun's.
    await writeFile(`${file}.new`, made, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
  // Written whole by the first one who comes, so that two processes never have two keys.
  await writeFile(file, made, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64url');
  if (key.length >= BYTES) return new Uint8Array(key);
  throw new BosunError('BOSUN_CONFIG_INVALID', `${file} holds no key: remove it, and tokens are issued anew`);
}

/** The file of the key: a directory without it has had no run of a hub. */
export function keyFileIn(directory: string): string {
  return join(directory, 'session.key');
}
