/** The table of thresholds that `npm run bounds` tries: it names what the sources still say. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'bosun-bounds-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function check(...options: readonly string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['.ci/bounds.mjs', '--check', ...options], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
}

/** The exit code and output for a table of one sound threshold with these fields instead. */
function checkWith(...different: readonly object[]): { status: number | null; said: string } {
  const sound = {
    row: 'CA-015',
    name: 'look-ahead',
    file: 'src/machines/coordination/plan/plan-index.ts',
    text: 'LOOK_AHEAD_SLOTS = 3',
    changes: ['LOOK_AHEAD_SLOTS = 4'],
    tests: ['test/machines/coordination/plan/dispatcher.test.ts'],
  };
  const table = join(folder, 'bounds.json');
  writeFileSync(table, JSON.stringify({ bounds: different.map((fields) => ({ ...sound, ...fields })) }));
  return check('--table', table);
}

describe('the table of thresholds', () => {
  it('names each of them once, with the text that stands once in its file', () => {
    expect(check()).toMatchObject({ status: 0, said: expect.stringMatching(/^\d+ thresholds with \d+ changes are/) });
  });

  it('is accepted with a sound threshold', () => {
    expect(checkWith({})).toMatchObject({ status: 0 });
  });

  it.each([
    ['a text that its file does not have', [{ text: 'LOOK_AHEAD_SLOTS = 9' }], 'has "LOOK_AHEAD_SLOTS = 9" 0 times'],
    ['a text that its file has twice', [{ text: 'LOOK_AHEAD_SLOTS' }], 'has "LOOK_AHEAD_SLOTS" 2 times, not once'],
    ['a file that is gone', [{ file: 'src/gone.ts' }], 'there is no src/gone.ts'],
    ['a test file that is gone', [{ tests: ['test/gone.test.ts'] }], 'there is no test/gone.test.ts'],
    ['a change that changes nothing', [{ changes: ['LOOK_AHEAD_SLOTS = 3'] }], 'nothing is changed'],
    ['no change', [{ changes: [] }], 'nothing is changed'],
    ['two thresholds of one name', [{}, {}], 'this name is taken'],
  ])('is refused with %s', (_, different, said) => {
    expect(checkWith(...different)).toMatchObject({ status: 1, said: expect.stringContaining(said) });
  });

  it('is refused if no threshold has the row or name that is asked for', () => {
    expect(check('--only', 'CA-999')).toMatchObject({ status: 1, said: expect.stringContaining('CA-999') });
  });
});
