/**
 * A bank on a disk that fills up, really: writes of its files fail, after some bytes or at once. Nothing that was
 * acknowledged is lost and nothing doubled, whether the process lives to see room again or dies before.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/testing/seeded-random.ts';
import { auditBank } from './bank-audit.ts';
import { CLIENTS } from './bank-run.ts';
import { byEffort, EFFORT } from '../effort.ts';

const SOAK = EFFORT === 'soak';
const POINTS = byEffort({ quick: 2, ci: 3, soak: 20 });

const CHILD = fileURLToPath(new URL('../fixtures/crash/full-disk-child.mjs', import.meta.url));

const JOURNAL = { fold: { windowEpochs: 6, windowBytes: 48 * 1024, sliceRecords: 4, sliceBytes: 4 * 1024 } };

/** Several tries of the kernel: they come after 100, 200 and 400 ms. */
const OUTAGE_MS = 500;

/** A child that has not done what it was told by then is stuck. */
const PATIENCE_MS = 30_000;

/** Orders before and behind the outage. */
const ORDERS = 150;

const seed = Date.now() % 1_000_000;
const random = new SeededRandom(seed);
const root = mkdtempSync(join(tmpdir(), 'bosun-full-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The tool that sets limits of a process belongs to Linux. */
const hasLimits = spawnSync('prlimit', ['--version']).status === 0;

interface FullDisk {
  /** The write of this process before which the disk fills up; 0: never. */
  readonly fullAtWrite: number;
  /** What still fits behind the end of the log. */
  readonly roomBytes: number;
  readonly ending: 'heals' | 'dies';
  /** `hidden`: the store says nothing of writes that fail. */
  readonly failures: 'told' | 'hidden';
}

/** What a child said, by the first word of the line. */
type Said = Map<string, string[]>;

class Bank {
  readonly directory: string;
  readonly acknowledged = Array.from({ length: CLIENTS }, () => 0);

  constructor(name: string) {
    this.directory = join(root, name);
    mkdirSync(this.directory);
  }

  /** Runs a process through an outage and `ORDERS` orders behind it, then kills it, if it has not died by itself. */
  async run(disk: FullDisk): Promise<Said> {
    const options = { directory: this.directory, journal: JOURNAL, acknowledged: this.acknowledged, outageMs: OUTAGE_MS, ...disk };
    const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said: Said = new Map();
    const closed = once(child, 'close');
    const limit = setTimeout(() => child.kill('SIGTERM'), PATIENCE_MS);
    let left = ORDERS;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word = '', ...rest] = line.split(' ');
      said.set(word, [...(said.get(word) ?? []), rest.join(' ')]);
      if (word !== 'acknowledged') return;
      const [session, sequence] = rest.map(Number) as [number, number];
      this.acknowledged[session] = sequence;
      // Only what comes behind the outage counts.
      if (disk.fullAtWrite > 0 && !said.has('healed') && !(disk.failures === 'hidden' && said.has('failed'))) return;
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
    });
    const [, signal] = (await closed) as [number | null, string | null];
    clearTimeout(limit);
    if (signal !== 'SIGKILL') said.set('stuck', [signal ?? '']);
    return said;
  }

  async violations(): Promise<readonly string[]> {
    const copy = `${this.directory}-copy`;
    rmSync(copy, { recursive: true, force: true });
    cpSync(this.directory, copy, { recursive: true });
    return (await auditBank(copy, this.acknowledged)).violations;
  }
}

function someDisk(ending: FullDisk['ending']): FullDisk {
  return { fullAtWrite: 3 + random.integer(30), roomBytes: random.integer(3_000), ending, failures: 'told' };
}

function proofs(): void {
  it(`loses nothing and doubles nothing, at ${POINTS} points`, async () => {
    const bank = new Bank('bank');
    const violations: string[] = [];
    const begun = performance.now();
    const seen = { refused: 0, failed: 0 };
    await bank.run({ fullAtWrite: 0, roomBytes: 0, ending: 'heals', failures: 'told' });
    for (let point = 0; point < POINTS; point++) {
      const ending = point % 2 === 0 ? 'heals' : 'dies';
      const disk = someDisk(ending);
      const said = await bank.run(disk);
      const place = `point ${point}, ${JSON.stringify(disk)}`;
      const words = ['failed', 'served', 'refused', 'outage', ...(ending === 'heals' ? ['healed'] : [])];
      violations.push(...words.filter((word) => !said.has(word)).map((word) => `${place}: nothing was ${word}`));
      if (said.has('stuck') || said.has('broken')) violations.push(`${place}: ${JSON.stringify([...said].filter(([word]) => word !== 'acknowledged'))}`);
      if (said.get('outage')?.[0] !== 'BOSUN_STORE_UNAVAILABLE') violations.push(`${place}: the outage was not told`);
      violations.push(...(await bank.violations()).map((violation) => `${place}: ${violation}`));
      seen.refused += said.get('refused')?.length ?? 0;
      seen.failed += said.get('failed')?.length ?? 0;
      if (SOAK && point % 5 === 4) process.stderr.write(`full disk: ${point + 1} of ${POINTS}, ${violations.length} violations\n`);
    }
    // With room, the next process goes on.
    await bank.run({ fullAtWrite: 0, roomBytes: 0, ending: 'heals', failures: 'told' });
    violations.push(...(await bank.violations()));
    const orders = bank.acknowledged.reduce((sum, last) => sum + last, 0);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    console.log(`full disk: seed ${seed}, ${POINTS} points, ${seen.failed} failed writes, ${seen.refused} refusals, ${orders} orders, ${violations.length} violations, ${seconds} s`);
    expect(violations).toEqual([]);
  }, 600_000);

  it('is found out where a store keeps to itself that a write failed', async () => {
    const bank = new Bank('hidden');
    await bank.run({ fullAtWrite: 10, roomBytes: 100, ending: 'heals', failures: 'hidden' });
    expect(await bank.violations()).not.toEqual([]);
  }, 60_000);
}

describe('a bank whose disk is full', () => {
  if (hasLimits) proofs();
  else {
    it('cannot be shown here: it takes the command prlimit of Linux to fill a disk for one process', () => {
      expect(process.platform).not.toBe('linux');
    });
  }
});
