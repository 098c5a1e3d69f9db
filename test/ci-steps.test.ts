/** Steps of `.ci/run`: within a limit, and with nothing left running behind them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isAlive } from './support/spokes/live.ts';
import { until } from './support/until.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Starts a process that outlives its parent in a session of its own, and tells its number. */
const DETACHES = `
  const { spawn } = require('node:child_process');
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'inherit' });
  child.unref();
  console.log('detached ' + child.pid);
`;

/** A step under way, with its output so far. */
class Step {
  readonly child: ChildProcess;
  out = '';

  constructor(seconds: number, ...command: readonly string[]) {
    this.child = spawn(process.execPath, ['.ci/within.mjs', String(seconds), ...command], { cwd: ROOT });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => (this.out += text));
  }

  async exitCode(): Promise<number> {
    const [code] = (await once(this.child, 'close')) as [number];
    return code;
  }
}

describe('a step of .ci/run', () => {
  const begun: Step[] = [];
  afterEach(() => begun.splice(0).forEach(({ child }) => child.kill()));
  const step = (seconds: number, ...command: readonly string[]) => {
    const started = new Step(seconds, ...command);
    begun.push(started);
    return started;
  };

  it.each([0, 3])('has the exit code and the output of its command: %i', async (code) => {
    const running = step(600, 'bash', '-c', `echo said; echo complained >&2; exit ${code}`);
    expect(await running.exitCode()).toBe(code);
    expect(running.out).toContain('said\n');
    expect(running.out).toContain('complained\n');
  });

  it('ends what its command has detached, and names it', async () => {
    const running = step(600, process.execPath, '-e', DETACHES);
    expect(await running.exitCode()).toBe(0);
    const [, pid] = /detached (\d+)/.exec(running.out)!;
    expect(isAlive(Number(pid))).toBe(false);
    expect(running.out).toContain(`left running, and ended now: ${pid} sleep 1000`);
  });

  it('ends at its limit with exit code 124', async () => {
    const running = step(0.01, 'sleep', '1000');
    expect(await running.exitCode()).toBe(124);
    expect(running.out).toContain('sleep 1000 reached its limit of 0.01 s');
  });

  it('says that its command could not be started', async () => {
    const running = step(600, 'no-such-command');
    expect(await running.exitCode()).toBe(127);
    expect(running.out).toContain('no-such-command');
  });

  it('names the test files that had begun and not ended when it is ended before its time', async () => {
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/support/fixtures/ci/vitest.config.mjs'];
    const running = step(600, process.execPath, ...vitest);
    await until(
      () => running.out.includes('hanging') && running.out.includes('ends.test.mjs'),
      () => `one file that hangs and one that has ended, in: ${running.out}`,
    );
    running.child.kill('SIGTERM');
    expect(await running.exitCode()).toBe(143);
    expect(running.out).toContain('1 of 2 test files had ended');
    expect(running.out).toMatch(/not ended:\n {2}\S*hangs\.test\.mjs\n/);
  });
});
