/**
 * The data directory where the user names none: `./data`, and for an answer desk `.bosun` at the root of the
 * repository, where `bosun desk` and `bosun mcp` keep its state. In a file of its own, so that `--help` loads little.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The default of `--data`. */
export const DEFAULT_DATA = './data';

/** The name of the directory at the root of a repository. */
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

/** The directory of the system that a verb goes to: `./data` if there is one, else `.bosun` of the repository. */
export function dataAround(cwd: string): string {
  const home = join(rootOf(cwd), HOME);
  return !existsSync(resolve(cwd, DEFAULT_DATA)) && existsSync(home) ? home : DEFAULT_DATA;
}
