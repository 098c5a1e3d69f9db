/** `.ci/run`: its steps, which end what they began, and its verdict, which is not that of luck. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from './support/spokes/live.ts';
import { until } from './support/until.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Small test files, tried by vitest with the reporters of every run. */
const TRIES = 'node_modules/vitest/vitest.mjs run --config test/support/fixtures/ci/vitest.config.mjs';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'bosun-ci-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  constructor(seconds: number, command: readonly string[]) {
    const env = { ...process.env, TMPDIR: folder, BOSUN_TEST_REPORT: join(folder, 'report') };
    this.child = spawn(process.execPath, ['.ci/within.mjs', String(seconds), ...command], { cwd: ROOT, env });
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
    const started = new Step(seconds, command);
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
    const running = step(600, process.execPath, ...TRIES.split(' '), 'hanging');
    const report = () => (existsSync(join(folder, 'report')) ? readFileSync(join(folder, 'report'), 'utf8') : '');
    await until(
      () => report().includes('hangs.test.mjs') && report().includes('"ended"'),
      () => `one file that hangs and one that has ended, in: ${running.out}${report()}`,
    );
    running.child.kill('SIGTERM');
    expect(await running.exitCode()).toBe(143);
    expect(running.out).toContain('1 of 2 test files had ended');
    expect(running.out).toMatch(/not ended:\n {2}\S*hangs\.test\.mjs\n/);
  });
});

describe('the verdict of .ci/run', () => {
  const file = (name: string) => `test/support/fixtures/ci/verdict/${name}.test.mjs`;

  /** Runs files together, and then has them judged. */
  function verdictOn(...names: readonly string[]): { readonly code: number | null; readonly out: string } {
    const report = join(folder, 'tests.report');
    const own = { TMPDIR: folder, BOSUN_TEST_REPORT: report, BOSUN_FIRST_TIMES: folder, BOSUN_SEED: '77' };
    const env = { ...process.env, ...own };
    const first = ['.ci/within.mjs', '600', process.execPath, ...TRIES.split(' '), ...names.map(file)];
    spawnSync(process.execPath, first, { cwd: ROOT, env });
    return judged(report, env);
  }

  function judged(report: string, env: NodeJS.ProcessEnv): { readonly code: number | null; readonly out: string } {
    const args = ['.ci/verdict.mjs', '600', report, `'${process.execPath}' ${TRIES}`];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
    return { code: status, out: stdout };
  }

  it('passes when a file that failed passes alone, with the same seed, and names what was unstable', () => {
    const { code, out } = verdictOn('passes', 'once-one', 'unloadable-once');
    expect(out.trimEnd().split('\n').slice(-3).toSorted()).toEqual([
      '4 passed, 0 failed',
      `unstable: ${file('once-one')} > passes the second time: AssertionError: expected true to be false ` +
        '// Object.is equality',
      `unstable: ${file('unloadable-once')} > : Error: cannot be loaded`,
    ]);
    expect(out.endsWith('4 passed, 0 failed\n')).toBe(true);
    expect(out.match(/BOSUN_SEED=77/g)).toHaveLength(2);
    expect(code).toBe(0);
  });

  it('fails when a file fails twice, and gives both messages', () => {
    const { code, out } = verdictOn('passes', 'always');
    expect(out).toContain(
      `--- failed twice: ${file('always')} > the sum > is wrong\nAssertionError: expected 2 to be 3`,
    );
    expect(out).toContain(`--- and then: ${file('always')} > the sum > is wrong\nAssertionError: expected 2 to be 3`);
    expect(out).toMatch(/^replay: (CI=true )?BOSUN_SEED=77 npx vitest run --config/m);
    expect(out.trimEnd().split('\n').at(-1)).toBe('3 passed, 1 failed');
    expect(code).toBe(1);
  });

  it('passes when a file whose process died passes alone, and names the signal', () => {
    const { code, out } = verdictOn('passes', 'dies-once');
    expect(out).toContain(`\nunstable: ${file('dies-once')} > : its process died with SIGSEGV\n`);
    expect(out).toMatch(/\n3 passed, 0 failed\n$/);
    expect(code).toBe(0);
  });

  it('fails when the process of a file dies twice', () => {
    const { code, out } = verdictOn('passes', 'dies');
    expect(out).toContain(`--- failed twice: ${file('dies')} > \nits process died with SIGKILL`);
    expect(out).toMatch(/\n2 passed, 1 failed\n$/);
    expect(code).toBe(1);
  });

  it('fails when more than three files are unstable', () => {
    const { code, out } = verdictOn('once-one', 'once-two', 'once-three', 'once-four');
    expect(out.match(/^unstable: /gm)).toHaveLength(4);
    expect(out.split('\n').slice(-3)).toEqual([
      '4 files are unstable: more than 3 fail the run',
      '4 passed, 0 failed',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('fails when an error belongs to no file, and tries nothing again', () => {
    const { code, out } = verdictOn('unhandled');
    expect(out).toMatch(/^--- failed: tests: unhandled: Error: left behind\n/);
    expect(out).toMatch(/\n1 passed, 1 failed\n$/);
    expect(code).toBe(1);
  });

  it.each([
    ['has not ended', [], 'did not end'],
    ['was ended at its limit', [{ exit: 124, why: 'reached its limit of 5 s' }], 'reached its limit of 5 s'],
    ['failed without a failed test', [{ exit: 1 }], 'ended with exit code 1, and no test failed'],
  ])('fails when a run %s', (_, entries, why) => {
    const passed = { ended: 'test/a.test.ts', passed: 5, failures: [] };
    const report = join(folder, 'tests.report');
    writeFileSync(report, [passed, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    expect(judged(report, process.env)).toEqual({ code: 1, out: `--- failed: tests: ${why}\n5 passed, 1 failed\n` });
  });

  it('tries none again when too many files failed for luck', () => {
    const failures = [{ test: 'is so', message: 'it is not' }];
    const files = Array.from({ length: 9 }, (_, n) => ({ ended: `test/${n}.test.ts`, passed: 1, failures }));
    const report = join(folder, 'tests.report');
    writeFileSync(report, [...files, { exit: 1 }].map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const { code, out } = judged(report, process.env);
    expect(out).not.toContain('once more');
    expect(out).toMatch(/\n9 files failed: none is tried again, as that is no luck\n9 passed, 9 failed\n$/);
    expect(code).toBe(1);
  });
});

describe('.ci/run', () => {
  /** Runs a copy in which npm and npx are scripts: the steps are there, and what they would do is not. */
  function run(npm: string, ...steps: readonly string[]) {
    for (const name of ['.ci/run', '.ci/within.mjs', '.ci/verdict.mjs', '.ci/report.mjs'])
      cpSync(join(ROOT, name), join(folder, name));
    mkdirSync(join(folder, 'bin'));
    for (const [name, body] of [
      ['npm', npm],
      ['npx', 'echo "npx $*" >> calls; [[ "$*" != *tsc* ]]'],
    ] as const) {
      writeFileSync(join(folder, 'bin', name), `#!/usr/bin/env bash\n${body}\n`);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, BOSUN_SEED: '5' };
    const { status, stdout } = spawnSync('bash', ['.ci/run', ...steps], { cwd: folder, env, encoding: 'utf8' });
    return { code: status, out: stdout };
  }

  it('runs the steps that are named, and the next ones whatever failed before', () => {
    const { code, out } = run('true', 'format', 'types', 'lint');
    const [first, ...others] = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
    // Lint runs beside the types.
    expect([first, ...others.toSorted()]).toEqual([
      'npx --no-install biome format .',
      'npx --no-install eslint .',
      'npx --no-install tsc -p tsconfig.json',
    ]);
    expect(out).toMatch(/--- failed: types; the end of its output:\n[^]*\n0 passed, 0 failed\n$/);
    expect(code).toBe(1);
  });

  it('tries an installation twice, and says what could not be installed', () => {
    const { code, out } = run('echo "npm $*" >> calls; false', 'install');
    expect(readFileSync(join(folder, 'calls'), 'utf8')).toMatch(/\nnpm ci\nnpm ci\n$/);
    expect(out).toContain('could not be installed: the packages of package-lock.json');
    expect(code).toBe(1);
  });

  it('passes by the reports of its tests, and says the seed of the run', () => {
    const ended = JSON.stringify({ ended: 'test/a.test.ts', passed: 7, failures: [] });
    const { code, out } = run(`[[ $1 == ci ]] || echo '${ended}' >> "$BOSUN_TEST_REPORT"`, 'test');
    expect(out).toContain('\nBOSUN_SEED=5\n');
    expect(out).toMatch(/\n7 passed, 0 failed\n$/);
    expect(code).toBe(0);
  });

  it('names its steps when it is given one that it does not have', () => {
    const { code, out } = run('true', 'tests');
    expect(out).toMatch(/^usage: \.ci\/run \[STEP\.\.\.\], where STEP is one of: install format /);
    expect(code).toBe(2);
  });
});
