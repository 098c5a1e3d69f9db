/** `bosun desk --test`: finished tasks are checked by the tests of the folder. */
import { mkdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

const HINT = 'bosun desk --test "npm test" has them checked by the tests';

/** The words of a desk that starts in a folder with this test script. */
async function startOf(name: string, script: string, ...options: string[]): Promise<string> {
  mkdirSync(work.file(name));
  work.write(`${name}/package.json`, JSON.stringify({ scripts: { test: script } }, null, 2));
  const desk = work.spawn(['desk', name, '--data', `data-${name}`, '--port', '0', '--json', ...options]);
  await desk.serves();
  return (await desk.end('SIGTERM')).err;
}

it('an empty command is refused with exit code 2', async () => {
  mkdirSync(work.file('shop'));
  const { code, err } = await work.bosun(['desk', 'shop', '--data', 'data-shop', '--test', ' ']);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('the command is empty') as string });
});

it('a start without it says how to have tasks checked, where the folder has tests', async () => {
  const [bare, untested, checked] = await Promise.all([
    startOf('bare', 'node --test'),
    startOf('untested', 'echo "Error: no test specified" && exit 1'),
    startOf('checked', 'node --test', '--test', 'npm test'),
  ]);
  expect(bare).toContain(JSON.stringify(HINT).slice(1, -1));
  expect(untested + checked).not.toContain('--test');
});

it('help shows how', async () => {
  expect((await work.bosun(['desk', '--help'])).out).toContain('$ bosun desk --test "npm test"');
});
