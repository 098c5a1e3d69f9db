/** Files of the repository, for tests that are about these and not about what runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { showsBy } from './shown-by.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export function repositoryFile(path: string): string {
  showsBy('files');
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The names in a folder of the repository. */
export function repositoryFolder(path: string): string[] {
  showsBy('files');
  return readdirSync(join(ROOT, path));
}
