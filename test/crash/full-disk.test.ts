/**
 * A bank on a disk that really fills up: writes to its files fail, after some bytes or at once; with two workers, in
 * both stores. No acknowledged order is lost and none doubled, whether the process lives until there is room again or
 * dies before.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { auditSpreadBank } from '../support/crash/bank-audit.ts';
import { CLIENTS } from '../support/crash/bank-run.ts';
import { byEffort, EFFORT, LONG_PATIENCE_MS, PATIENCE_MS, SEED } from '../support/effort.ts';

const SOAK = EFFORT === 'soak';

/** A bank, and the script of its process. */
interface Bench {
  readonly stage: string;
  readonly child: string;
  readonly stores: readonly string[];
  /** The first write that may find the disk full: a start would wait for room. */
  readonly firstWrite: number;
  /** Times that its disk fills up. */
  readonly points: number;
}

const BENCHES: readonly Bench[] = [
  {
    stage: 'one kernel',
    child: childOf('full-disk-child.mjs'),
    stores: ['.'],
    firstWrite: 3,
    points: byEffort({ quick: 2, ci: 3, soak: 20 }),
  },
  {
    stage: 'two workers',
    child: childOf('full-disk-workers-child.mjs'),
    stores: ['0', '1'],
    firstWrite: 12,
    points: byEffort({ quick: 2, ci: 4, soak: 40 }),
  },
];

function childOf(name: string): string {
  return fileURLToPath(new URL(`../support/fixtures/crash/${name}`, import.meta.url));
}

/** Failed tries of a kernel to write before the outage ends: it has begun to wait longer from one to the next. */
const TRIES = 4;

/** Orders before and behind the outage. */
const ORDERS = 150;

const random = randomOf('a full disk');
const root = mkdtempSync(join(tmpdir(), 'bosun-full-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The tool that sets limits of a process belongs to Linux. */
const hasLimits = spawnSync('prlimit', ['--version']).status === 0;

interface FullDisk {
  /** The worker whose write it is. */
  readonly worker: number;
  /** The write of this process before which the disk fills up; 0: never. */
  readonly fullAtWrite: number;
  /** The bytes that still fit after the end of the log. */
  readonly roomBytes: number;
  readonly ending: 'heals' | 'dies';
  /** `hidden`: the store says nothing of writes that fail. */
  readonly failures: 'told' | 'hidden';
}

/** The lines that a child printed, by the first word of the line. */
type Said = Map<string, string[]>;

class Bank {
  readonly acknowledged = Array.from({ length: CLIENTS }, () => 0);
  readonly #bench: Bench;
  readonly #directory: string;

  constructor(bench: Bench, name: string) {
    this.#bench = bench;
    this.#directory = join(root, `${name} on ${bench.stage}`);
    mkdirSync(this.#directory);
  }

  /** Runs a process through an outage and `ORDERS` orders behind it, then kills it, if it has not died by itself. */
  async run(disk: FullDisk): Promise<Said> {
    const options = {
      directories: this.#storesIn(this.#directory),
      acknowledged: this.acknowledged,
      tries: TRIES,
      ...disk,
    };
    const child = spawn(process.execPath, [this.#bench.child, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A child that has not finished by then is stuck, and ends by SIGTERM.
      timeout: PATIENCE_MS,
    });
    const said: Said = new Map();
    const closed = once(child, 'close');
    let left = ORDERS;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word = '', ...rest] = line.split(' ');
      said.set(word, [...(said.get(word) ?? []), rest.join(' ')]);
      if (word !== 'acknowledged') return;
      const [session, sequence] = rest.map(Number) as [number, number];
      this.acknowledged[session] = sequence;
      // Only orders after the outage count.
      if (disk.fullAtWrite > 0 && !said.has('healed') && !(disk.failures === 'hidden' && said.has('failed'))) return;
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
    });
    const [, signal] = (await closed) as [number | null, string | null];
    if (signal !== 'SIGKILL') said.set('stuck', [signal ?? '']);
    return said;
  }

  async violations(): Promise<readonly string[]> {
    const copy = `${this.#directory}-copy`;
    rmSync(copy, { recursive: true, force: true });
    cpSync(this.#directory, copy, { recursive: true });
    return (await auditSpreadBank(this.#storesIn(copy), this.acknowledged)).violations;
  }

  #storesIn(directory: string): string[] {
    return this.#bench.stores.map((store) => join(directory, store));
  }
}

const ROOMY: FullDisk = { worker: 0, fullAtWrite: 0, roomBytes: 0, ending: 'heals', failures: 'told' };

function someDisk({ stores, firstWrite }: Bench, point: number): FullDisk {
  const ending = point % 2 === 0 ? 'heals' : 'dies';
  return {
    worker: Math.floor(point / 2) % stores.length,
    fullAtWrite: firstWrite + random.integer(30),
    roomBytes: random.integer(3_000),
    ending,
    failures: 'told',
  };
}

function proofs(bench: Bench): void {
  const { stage, points } = bench;

  it(
    `loses and doubles no order, at ${points} points`,
    async () => {
      const bank = new Bank(bench, 'bank');
      const violations: string[] = [];
      const seen = { refused: 0, failed: 0 };
      await bank.run(ROOMY);
      for (let point = 0; point < points; point++) {
        const disk = someDisk(bench, point);
        const said = await bank.run(disk);
        const place = `point ${point}, ${JSON.stringify(disk)}`;
        const words = ['failed', 'served', 'refused', 'outage', ...(disk.ending === 'heals' ? ['healed'] : [])];
        violations.push(...words.filter((word) => !said.has(word)).map((word) => `${place}: nothing was ${word}`));
        if (said.has('stuck') || said.has('broken'))
          violations.push(`${place}: ${JSON.stringify([...said].filter(([word]) => word !== 'acknowledged'))}`);
        if (said.get('outage')?.[0] !== 'BOSUN_STORE_UNAVAILABLE') violations.push(`${place}: the outage was not told`);
        violations.push(...(await bank.violations()).map((violation) => `${place}: ${violation}`));
        seen.refused += said.get('refused')?.length ?? 0;
        seen.failed += said.get('failed')?.length ?? 0;
        if (SOAK && point % 5 === 4)
          process.stderr.write(`full disk: ${stage}, ${point + 1} of ${points}, ${violations.length} violations\n`);
      }
      // With room, the next process goes on.
      await bank.run(ROOMY);
      violations.push(...(await bank.violations()));
      const orders = bank.acknowledged.reduce((sum, last) => sum + last, 0);
      console.log(
        `full disk: ${stage}, seed ${SEED}, ${points} points, ${seen.failed} failed writes, ${seen.refused} ` +
          `refusals, ${orders} orders, ${violations.length} violations`,
      );
      expect(violations).toEqual([]);
    },
    LONG_PATIENCE_MS,
  );

  it(
    'shows a loss if a store hides a failed write',
    async () => {
      // A fold that ends behind the write that was lost writes all of it once more, and then nothing is missing.
      const tries = Array.from({ length: 12 }, (_, number) => new Bank(bench, `hidden ${number}`));
      let found: readonly string[] = [];
      for (const bank of tries) {
        if (found.length > 0) break;
        await bank.run({ ...ROOMY, fullAtWrite: 10, roomBytes: 100, failures: 'hidden' });
        found = await bank.violations();
      }
      expect(found).not.toEqual([]);
    },
    LONG_PATIENCE_MS,
  );
}

describe.each(BENCHES)('a bank whose disk is full ($stage)', (bench) => {
  if (hasLimits) proofs(bench);
  else {
    it('cannot be tested here, because only the command prlimit of Linux can fill a disk for one process', () => {
      expect(process.platform).not.toBe('linux');
    });
  }
});
