/**
 * A seed gives one run: twice in a process, and in another process. Many seeds, and other versions:
 * bench/determinism.mjs.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { campaign } from 'bosun/testing';
import { seedsOf } from '../support/campaigns.ts';
import { LONG } from '../support/effort.ts';
import { bank } from '../support/fixtures/simulation/bank.mjs';

const run = promisify(execFile);

describe('a seed', () => {
  it.each([1, 2])('P11: gives the same run twice, and in another process, on %i worker(s)', LONG, async (workers) => {
    const small = bank({ accounts: 8, sends: 4, faults: 'swarm', steps: 60, workers });
    const seeds = seedsOf('runs that are the same', 5);
    const hash = async () => (await campaign(small, { seeds, twiceOneIn: 0 })).hash;
    const here = await hash();
    expect(await hash()).toBe(here);
    const script = 'test/support/fixtures/simulation/hash.mjs';
    const { stdout } = await run(process.execPath, [script, ...[...seeds, workers].map(String)]);
    expect(stdout).toBe(here);
  });
});
