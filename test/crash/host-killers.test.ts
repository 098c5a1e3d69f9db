/**
 * P6b on real processes: an endless loop, memory running out, a throw outside of any turn. Each cause is identified and
 * set aside.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { byEffort, LONG_PATIENCE_MS, PATIENCE_MS } from '../support/effort.ts';

const CHILD = new URL('../support/fixtures/crash/host-killer.mjs', import.meta.url).pathname;

/** The line of a child that hangs from here on, and is then killed as a watchdog would. */
const HANGS = '"hangs"';

/** @returns What the child said before it ended; null where it was killed, or died. */
async function run(directory: string, kind: string): Promise<unknown> {
  const child = spawn(process.execPath, ['--max-old-space-size=64', CHILD, directory, kind], {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  let said: unknown = null;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === HANGS) child.kill('SIGKILL');
    else said = JSON.parse(line);
  });
  const [code] = (await closed) as [number | null];
  return code === 0 ? said : null;
}

const KILLERS = [
  ['throw', { killer: 'failed', quarantined: [] }],
  ['loop', { killer: 'calm', quarantined: [{ address: 'killer', type: 'GO', code: 'BOSUN_HOST_KILLED' }] }],
  ['memory', { killer: 'calm', quarantined: [{ address: 'killer', type: 'GO', code: 'BOSUN_HOST_KILLED' }] }],
] as const;

/** Each run of a loop occupies a core until it is killed, so without CI=true only the quickest case runs. */
it.concurrent.each(KILLERS.slice(0, byEffort({ quick: 1, ci: KILLERS.length })))(
  'a message or effect that kills its host by %s is set aside by the third start after it, and other actors work',
  async (kind, expected) => {
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
  },
  LONG_PATIENCE_MS,
);
