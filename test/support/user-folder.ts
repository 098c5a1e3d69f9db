/**
 * A folder as a user has it, outside the repository: `bosun` is the package of the repository, and what the repository
 * has installed is found too. A folder inside would be seen by whatever reads the tree at the same time: the compiler,
 * the linter, other tests.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export class UserFolder {
  readonly #above = mkdtempSync(join(tmpdir(), 'bosun-user-'));
  readonly path = join(this.#above, 'app');

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(join(this.path, 'node_modules'), { recursive: true });
    symlinkSync(ROOT, join(this.path, 'node_modules/bosun'));
    symlinkSync(join(ROOT, 'node_modules'), join(this.#above, 'node_modules'));
    this.write('package.json', JSON.stringify({ private: true, type: 'module' }));
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.#above, { recursive: true, force: true });
  }
}
