/** The repository in which the agents work: a copy of a folder, so that the story can be told again. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OURS = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Folders that are not the repository's own, and are not copied. */
const LEFT_OUT = ['.git', '.bosun', 'node_modules'];

export class Shop {
  readonly folder = mkdtempSync(join(tmpdir(), 'bosun-answer-desk-'));

  constructor(original: string) {
    cpSync(original, this.folder, { recursive: true, filter: (path) => !LEFT_OUT.includes(basename(path)) });
    const own = resolve(original, 'node_modules');
    symlinkSync(existsSync(own) ? own : OURS, join(this.folder, 'node_modules'), 'junction');
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs the tests of the repository: how many of them pass. */
  test(): string {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const output = outputOf(['--test', '--test-reporter=tap'], { cwd: this.folder, env });
    const count = (what: string) => new RegExp(`^# ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? '0';
    return `${count('pass')} of ${count('tests')} tests pass`;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** Output of a process, whether or not it succeeds. */
function outputOf(args: readonly string[], options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): string {
  try {
    return execFileSync(process.execPath, args, { ...options, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}
