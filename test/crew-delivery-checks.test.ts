/** The port `verify` over repositories with tests of their own, which are run by their own tools. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RepositoryTests, repositoryTests } from '../src/crew-delivery-checks.ts';
import { type Checked, findings } from '../src/machines/delivery/delivery-ports.ts';
import { isAlive } from './support/spokes/live.ts';
import { until } from './support/until.ts';
import { UserFolder } from './support/user-folder.ts';

const NODE = process.execPath;
const VITEST = resolve(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
const DIST = fileURLToPath(new URL('../dist/crew.js', import.meta.url));

/** The environment without what the tests here have themselves of their runner. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV|TEST$)/.test(name)),
);

const never = new AbortController().signal;

/** A repository with these files, and its check. */
function repository(files: Readonly<Record<string, string>>, tests: Omit<RepositoryTests, 'folder'>) {
  const folder = new UserFolder(files);
  onTestFinished(() => folder[Symbol.dispose]());
  const port = repositoryTests({ folder: folder.path, env, ...tests });
  const check = async (wanted: readonly string[] = [], { id = 'TASK-001', signal = never } = {}) =>
    findings.parse(await port({ id, wanted } as unknown as Checked, { signal }));
  return { path: folder.path, check };
}

async function pidIn(file: string): Promise<number> {
  await until(
    () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'),
    () => `the process number in ${file}`,
  );
  return Number(readFileSync(file, 'utf8'));
}

async function ends(pid: number): Promise<void> {
  await until(
    () => !isAlive(pid),
    () => `the end of process ${pid}`,
  );
}

const BODY = `
test('a user can log in', () => {});
describe('basket', () => {
  it('adds up', () => {});
  it('a wrong price is said', () => same(1 + 1, 3));
  it('has no sum', { skip: true }, () => {});
});
`;
const OF_NODE = `
import { describe, it, test } from 'node:test';
import { strictEqual as same } from 'node:assert';
${BODY}`;
const OF_VITEST = `
import { describe, expect, it, test } from 'vitest';
const same = (a, b) => expect(a).toBe(b);
${BODY}`;

const WANTED = ['a user can log in', 'basket > adds up', 'a wrong price is said', 'has no sum', 'a user cannot log in'];

describe('a check by the tests of a repository', () => {
  it.each([
    ['node --test, which prints TAP', `${NODE} --test`, OF_NODE, 'basket > a wrong price is said', 'strictly equal'],
    [
      'node --test with a report of JUnit',
      `${NODE} --test --test-reporter=junit`,
      OF_NODE,
      'basket > a wrong price is said',
      'strictly equal',
    ],
    [
      'Vitest',
      `${NODE} ${VITEST} run --reporter=verbose`,
      OF_VITEST,
      'shop.test.mjs > basket > a wrong price is said',
      'expected 2 to be 3',
    ],
  ])('shows the wanted tests that have passed, and those that fail with what they say: %s', async (...row) => {
    const [, command, text, test, message] = row;
    const { check } = repository({ 'shop.test.mjs': text }, { command });
    expect(await check(WANTED)).toMatchObject({
      failures: [{ test, message: expect.stringContaining(message) as string }],
      tests: { ran: command, passed: 2, failed: 1, skipped: 1, shown: ['a user can log in', 'basket > adds up'] },
    });
  });

  it('has the values that a failed test compared, where its report has them', async () => {
    const { check } = repository({ 'shop.test.mjs': OF_NODE }, { command: `${NODE} --test` });
    expect((await check()).failures).toMatchObject([{ expected: '3', actual: '2' }]);
  });

  it('finds nothing where all tests pass', async () => {
    const text = `import { test } from 'node:test';\ntest('a user can log in', () => {});`;
    const { check } = repository({ 'shop.test.mjs': text }, { command: `${NODE} --test` });
    const { failures, tests } = await check(['a user can log in']);
    expect([failures, tests]).toMatchObject([[], { passed: 1, failed: 0, shown: ['a user can log in'] }]);
  });

  it('names the file that has a syntax error, with the error', async () => {
    const { check } = repository({ 'shop.test.mjs': 'const = 1;\n' }, { command: `${NODE} --test` });
    const { failures, tests } = await check(['a user can log in']);
    expect(failures).toMatchObject([
      {
        test: expect.stringContaining('shop.test.mjs') as string,
        message: expect.stringContaining('SyntaxError') as string,
      },
    ]);
    expect(tests).toMatchObject({ passed: 0, failed: 1, shown: [] });
  });

  it('takes a command that fails without a failed test for a failure, with the end of its output', async () => {
    const { check } = repository({}, { command: 'echo "✓ adds up"; echo no coverage >&2; exit 3' });
    const { failures, tests } = await check(['adds up']);
    expect(failures).toEqual([
      {
        test: 'echo "✓ adds up"; echo no coverage >&2; exit 3',
        message: expect.stringMatching(/^exit code 3.*✓ adds up\nno coverage$/s) as string,
      },
    ]);
    expect(tests).toMatchObject({ passed: 1, failed: 0, shown: ['adds up'] });
  });

  it('shows nothing by a command that succeeds without a test', async () => {
    const { check } = repository({}, { command: 'echo fine' });
    expect(await check(['fine'])).toMatchObject({
      failures: [],
      tests: { passed: 0, failed: 0, skipped: 0, shown: [] },
    });
  });

  it('is not known where the report of passing tests was cut, and a failure where the command failed', async () => {
    const cut = String.raw`printf 'TAP version 13\nok 1 - adds up\n'`;
    await expect(repository({}, { command: cut }).check()).rejects.toThrow('cannot be read: it has no plan');
    const { failures } = await repository({}, { command: `${cut}; exit 1` }).check(['adds up']);
    expect(failures).toMatchObject([{ message: expect.stringContaining('ok 1 - adds up') as string }]);
  });

  it('keeps to the bounds of findings', async () => {
    const name = 'x'.repeat(400);
    const command = `for i in $(seq 150); do echo "✗ ${name} $i"; done; exit 1`;
    const { failures, tests } = await repository({}, { command }).check();
    expect([failures.length, tests?.failed]).toEqual([100, 150]);
    expect(failures[7]!.test).toMatch(/^x+ 8$/);
  });

  it('refuses an empty command', () => {
    expect(() => repositoryTests({ folder: '.', command: ' ' })).toThrow('the command is empty');
  });
});

describe('the command of a check', () => {
  it('knows the task, and not the keys of the store', async () => {
    const command = 'echo "✓ $BOSUN_TASK ${BOSUN_SECRET_KEY:-no key} $PLACE"';
    const { check } = repository({}, { command, env: { ...env, BOSUN_SECRET_KEY: 'secret', PLACE: 'here' } });
    const wanted = ['TASK-007 no key here'];
    expect((await check(wanted, { id: 'TASK-007' })).tests?.shown).toEqual(wanted);
  });

  it('runs when the one before has ended', async () => {
    const { check } = repository({}, { command: 'mkdir lock && sleep 0.1 && rmdir lock && echo "✓ $BOSUN_TASK"' });
    const runs = await Promise.all(['TASK-001', 'TASK-002'].map((id) => check([id], { id })));
    expect(runs.map(({ failures, tests }) => [failures, tests?.shown])).toEqual([
      [[], ['TASK-001']],
      [[], ['TASK-002']],
    ]);
  });

  it('ends when its time is over, and the check is not known', async () => {
    const { path, check } = repository({}, { command: 'echo $$ > pid; exec sleep 1000', timeoutMs: 300 });
    await expect(check()).rejects.toThrow('the tests (echo $$ > pid; exec sleep 1000) have not ended within 0.3 s');
    await ends(await pidIn(join(path, 'pid')));
    await expect(check()).rejects.toThrow('have not ended');
  });

  it('ends when the check is called off', async () => {
    const { path, check } = repository({}, { command: 'echo $$ > pid; exec sleep 1000' });
    const off = new AbortController();
    const checked = check([], { signal: off.signal });
    const pid = await pidIn(join(path, 'pid'));
    off.abort(new Error('the system stops'));
    await expect(checked).rejects.toThrow('the system stops');
    await ends(pid);
  });

  it('ends with its host, also by kill -9', async () => {
    const { path } = repository({}, { command: 'true' });
    const options = JSON.stringify({ folder: path, command: 'echo $$ > pid; exec sleep 1000' });
    const script = `import { repositoryTests } from ${JSON.stringify(DIST)};
      await repositoryTests(${options})({ id: 'TASK-001', wanted: [] }, { signal: new AbortController().signal });`;
    const host = spawn(NODE, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const pid = await pidIn(join(path, 'pid'));
    host.kill('SIGKILL');
    await ends(pid);
  });
});
