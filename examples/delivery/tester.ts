/** The tester: runs tests of a worktree by `node --test`. */
import { execFile } from 'node:child_process';

export interface TestRun {
  readonly passes: number;
  readonly fails: number;
  /** The output of the run, if a test fails. */
  readonly said: string;
}

/** Runs the test files of a folder. */
export function testRun(folder: string, files: readonly string[], signal: AbortSignal): Promise<TestRun> {
  // A run within a run of tests would report to that one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', '--test-reporter=tap', ...files];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: folder, env, signal, encoding: 'utf8' }, (error, stdout) => {
      if (error !== null && signal.aborted) return reject(error);
      const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(stdout)?.[1] ?? 0);
      const [passes, fails] = [count('pass'), count('fail')];
      resolve({ passes, fails, said: fails > 0 ? stdout.slice(-2_000) : '' });
    });
  });
}
