/**
 * `bosun serve` on a real disk (a tmpfs) that fills up under clients who repeat refused sends at once: once there is
 * room it acknowledges again, and nothing is lost or doubled when it is killed. The time that it takes is measured by
 * `npm run full-disk`, which is the long form.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { byEffort, LONG, LONG_PATIENCE_MS, PATIENCE_MS } from '../support/effort.ts';

const ROUNDS = byEffort({ quick: 3, ci: 3, soak: 50 });

const SCRIPT = join(import.meta.dirname, '../../bench/full-disk.mjs');

/** The exit code where no disk can be mounted. */
const LEFT_OUT = 77;

it(`bosun serve acknowledges again in each of ${ROUNDS} rounds of a full disk, and loses and doubles nothing (F17)`, {
  ...LONG,
  timeout: LONG_PATIENCE_MS,
}, ({ skip }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, String(ROUNDS), String(PATIENCE_MS)], {
    encoding: 'utf8',
  });
  skip(status === LEFT_OUT, stdout);
  expect(stdout).toMatch(new RegExp(String.raw`^${ROUNDS} rounds, [1-9]\d* acknowledged sends, 0 violations$`, 'm'));
  expect([status, stderr]).toEqual([0, '']);
});
