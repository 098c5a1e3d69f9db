/** A git repository in a directory of its own, with what its user has in it, byte for byte. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NAMED = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main'];

export class Repository {
  readonly path: string;

  /** Makes a repository with a commit of the files. */
  constructor(files: Readonly<Record<string, string>> = {}, path = mkdtempSync(join(tmpdir(), 'bosun-git-'))) {
    this.path = path;
    mkdirSync(path, { recursive: true });
    this.git('init', '--quiet');
    this.write(files);
    this.git('add', '-A');
    this.git('commit', '--quiet', '--allow-empty', '-m', 'first');
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), text);
    }
  }

  read(name: string): string | null {
    return existsSync(join(this.path, name)) ? readFileSync(join(this.path, name), 'utf8') : null;
  }

  git(...args: string[]): string {
    const env = { PATH: process.env['PATH'], HOME: this.path, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1' };
    return execFileSync('git', [...NAMED, ...args], { cwd: this.path, env, encoding: 'utf8', stdio: 'pipe' });
  }

  /**
   * Everything that is the user's: each file with its mode and its bytes, ignored ones too, the index, the branches,
   * the stash and the head. Left out are the directories of Bosun.
   */
  own(without: readonly string[] = []): Readonly<Record<string, string>> {
    const files = Object.fromEntries(this.#filesIn('', new Set(['.git', ...without])));
    const refs = this.git('for-each-ref');
    const index = this.git('ls-files', '--stage');
    return { ...files, refs, index, head: readFileSync(join(this.path, '.git/HEAD'), 'utf8') };
  }

  /** Trees of sessions in a directory, and merges that were cut off. */
  trees(folder = 'data/work'): string[] {
    const path = join(this.path, folder);
    const all = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
    return all.filter((one) => one.isDirectory()).map(({ name }) => name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #filesIn(folder: string, without: ReadonlySet<string>): [string, string][] {
    return readdirSync(join(this.path, folder)).flatMap((name) => {
      const path = join(folder, name);
      if (without.has(path)) return [];
      const facts = lstatSync(join(this.path, path));
      if (facts.isDirectory()) return this.#filesIn(path, without);
      const text = facts.isSymbolicLink() ? readlinkSync(join(this.path, path)) : this.#bytes(path);
      return [[path, `${(facts.mode & 0o777).toString(8)} ${text}`]];
    });
  }

  #bytes(path: string): string {
    return readFileSync(join(this.path, path)).toString('base64');
  }
}
