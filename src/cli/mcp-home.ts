/**
 * `.bosun` at the root of a repository: where `bosun mcp` keeps the state of the folder in which a coding agent works.
 * Nothing of it is ever committed.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BosunError, messageOf } from '../errors.ts';
import { makePrivateDirectory } from '../persistence/private-files.ts';

/** The name of the directory. */
export const HOME = '.bosun';

/** The root of the repository that contains a folder; the folder itself if there is no repository. */
export function rootOf(folder: string): string {
  const from = resolve(folder);
  for (let path = from; ; path = dirname(path)) {
    // A file in a linked worktree and in a submodule.
    if (existsSync(join(path, '.git'))) return path;
    if (dirname(path) === path) return from;
  }
}

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
