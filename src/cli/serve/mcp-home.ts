/**
 * Makes `.bosun` at the root of a repository, where `bosun desk` and `bosun mcp` keep the state of the desk about it.
 * Nothing of it is ever committed.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BosunError, messageOf } from '../../errors.ts';
import { makePrivateDirectory } from '../../persistence/store/private-files.ts';
import { HOME } from '../default-data.ts';

/** Makes the directory, with a `.gitignore` that excludes all of its contents. Rejects with BOSUN_CONFIG_INVALID. */
export async function makeHome(root: string): Promise<string> {
  const path = join(root, HOME);
  const ignore = join(path, '.gitignore');
  try {
    await makePrivateDirectory(path);
    if (!existsSync(ignore)) await writeFile(ignore, '*\n');
  } catch (error) {
    throw new BosunError(
      'BOSUN_CONFIG_INVALID',
      `${path} cannot be created: ${messageOf(error)}. Name another directory with --data`,
      { cause: error },
    );
  }
  return path;
}
