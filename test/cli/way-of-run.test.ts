/** The way of `bosun run` that a reader follows, counted by `.ci/way-of-run.mjs`. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

it('leads from runCommand to the first task in no more stays than can be followed', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, '.ci/way-of-run.mjs')], {
    encoding: 'utf8',
  });
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: expect.stringMatching(/ stays in /) });
});
