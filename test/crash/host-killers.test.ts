/** P6b on real processes: an endless loop, memory running out, a throw outside of any turn. Each is found and put aside. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { byEffort } from '../effort.ts';

const CHILD = new URL('../fixtures/crash/host-killer.mjs', import.meta.url).pathname;

/** A child that says nothing for so long hangs, and is killed as a watchdog does. */
const HANGS_MS = 6_000;

/** @returns What the child said before it ended; null where it was killed, or died. */
function run(directory: string, kind: string): Promise<unknown> {
  return new Promise((resolve) => {
    const options = { timeout: HANGS_MS, killSignal: 'SIGKILL' as const };
    execFile(process.execPath, ['--max-old-space-size=64', CHILD, directory, kind], options, (error, stdout) => {
      resolve(error === null ? JSON.parse(stdout) : null);
    });
  });
}

const KILLERS = [
  ['throw', { killer: 'failed', quarantined: [] }],
  ['loop', { killer: 'calm', quarantined: [{ address: 'killer', type: 'GO', code: 'BOSUN_HOST_KILLED' }] }],
  ['memory', { killer: 'calm', quarantined: [{ address: 'killer', type: 'GO', code: 'BOSUN_HOST_KILLED' }] }],
] as const;

/** Each run of a loop burns a core until it is killed: where CI is not set, the quickest of them has to do. */
it.concurrent.each(KILLERS.slice(0, byEffort({ quick: 1, ci: KILLERS.length })))('what kills its host by %s is put aside by the third start after it, and the rest works', async (kind, expected) => {
  const directory = mkdtempSync(join(tmpdir(), 'bosun-host-killer-'));
  try {
    const outcomes: unknown[] = [];
    while (outcomes.length < 5 && (outcomes.at(-1) ?? null) === null) outcomes.push(await run(directory, kind));
    expect(outcomes.slice(0, -1)).toEqual([null, null, null]);
    expect(outcomes.at(-1)).toMatchObject(expected);
    expect((outcomes.at(-1) as { pings: number }).pings).toBeGreaterThanOrEqual(5);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);
