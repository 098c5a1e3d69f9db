/**
 * The repository in which the crew works, and its worktrees. `main` is what customers use, `next` what the crew has
 * finished; each session has a worktree and a branch of its own. Every change may be asked for again after a kill: what
 * is there already is not done twice, and what was cut off is begun anew.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Settings of git that its user has made do not count here. */
const ENV = {
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
  ...{ GIT_AUTHOR_NAME: 'The crew', GIT_AUTHOR_EMAIL: 'crew@example.org' },
  ...{ GIT_COMMITTER_NAME: 'The crew', GIT_COMMITTER_EMAIL: 'crew@example.org' },
};

export class Repository {
  readonly folder: string;
  readonly #worktrees: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(data: string) {
    this.folder = join(data, 'repository');
    this.#worktrees = join(data, 'worktrees');
  }

  /** Makes the repository out of a folder, unless it is there. */
  async make(original: string): Promise<void> {
    // The branch is the last that is made.
    if (existsSync(join(this.folder, '.git')) && (await this.#has('next'))) return;
    rmSync(this.folder, { recursive: true, force: true });
    cpSync(original, this.folder, { recursive: true });
    await this.git('init', '--quiet', '--initial-branch=main');
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--message=1.0.0');
    await this.git('tag', 'v1.0.0');
    await this.git('switch', '--quiet', '--create', 'next');
  }

  /** The folder of a session's own worktree, which begins with what `next` has. */
  worktree(session: string): Promise<string> {
    return this.alone(async () => {
      const folder = join(this.#worktrees, session);
      if (existsSync(`${folder}.ready`)) return folder;
      rmSync(folder, { recursive: true, force: true });
      await this.git('worktree', 'prune');
      await this.git('worktree', 'add', '--quiet', '-B', session, folder, 'next');
      writeFileSync(`${folder}.ready`, '');
      return folder;
    });
  }

  /** Commits the files of a session. */
  async commit(session: string, files: readonly string[], message: string): Promise<void> {
    const folder = join(this.#worktrees, session);
    await this.#in(folder, 'add', '--', ...files);
    const changed = await this.#in(folder, 'diff', '--cached', '--name-only');
    if (changed !== '') await this.#in(folder, 'commit', '--quiet', `--message=${message}`);
  }

  /** The files that a session has changed. */
  async changed(session: string): Promise<string[]> {
    const names = await this.git('diff', '--name-only', `next...${session}`);
    return names.split('\n').filter((name) => name !== '');
  }

  /** Merges the work of a session into `next`, and removes its worktree. */
  merge(session: string, message: string): Promise<void> {
    return this.alone(async () => {
      if (!(await this.#has(session))) return;
      await this.#clean();
      await this.git('merge', '--quiet', '--no-ff', `--message=${message}`, session);
      const folder = join(this.#worktrees, session);
      for (const path of [`${folder}.ready`, folder]) rmSync(path, { recursive: true, force: true });
      await this.git('worktree', 'prune');
      await this.git('branch', '--quiet', '--delete', '--force', session);
    });
  }

  /** Merges `next` into `main` as a version, with an entry in its list of changes. */
  release(version: string, entry: string): Promise<void> {
    return this.alone(async () => {
      const tag = `v${version}`;
      if ((await this.git('tag', '--list', tag)) !== '') return;
      await this.#clean();
      await this.git('switch', '--quiet', '--force-create', 'main', 'v1.0.0');
      await this.git('merge', '--quiet', '--no-ff', '--no-commit', 'next');
      this.#edit('package.json', (text) => text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
      this.#edit('CHANGELOG.md', (text) => text.replace('# Changes\n', `# Changes\n\n## ${version}\n\n${entry}\n`));
      await this.git('commit', '--quiet', '--all', `--message=${version}`);
      await this.git('tag', tag);
    });
  }

  /** Waits until nobody else changes or tests the repository. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  git(...args: readonly string[]): Promise<string> {
    return this.#in(this.folder, ...args);
  }

  /** Drops what an earlier process has left in the middle of a merge. */
  async #clean(): Promise<void> {
    rmSync(join(this.folder, '.git', 'index.lock'), { force: true });
    await this.git('reset', '--quiet', '--hard');
    await this.git('clean', '--quiet', '--force', '-d');
  }

  async #has(branch: string): Promise<boolean> {
    return (await this.git('branch', '--list', branch)) !== '';
  }

  #edit(file: string, change: (text: string) => string): void {
    const path = join(this.folder, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }

  async #in(cwd: string, ...args: readonly string[]): Promise<string> {
    const ran = run('git', [...args], { cwd, env: { ...process.env, ...ENV } });
    const { stdout } = await ran.catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('this example needs git: install it') : error;
    });
    return stdout.trimEnd();
  }
}
