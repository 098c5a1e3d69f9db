/**
 * The bank test over two workers of one process: kill -9 of the process, and power cuts of both stores at one moment.
 * After each, the stores together hold the initial sum of money, every accepted order is counted once, no acknowledged
 * order is lost, and messages between the workers arrive once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { byEffort, LONG_PATIENCE_MS, SEED } from '../support/effort.ts';
import { type Audit, auditSpreadBank } from '../support/crash/bank-audit.ts';
import { type Moment, SpreadBank } from '../support/crash/bank-workers-run.ts';

const KILLS = byEffort({ quick: 3, ci: 5, soak: 50 });
const CUTS = byEffort({ quick: 9, ci: 25, soak: 500 });

/** Bound on the kills of a bank that has not met everything, as a multiple of `KILLS`. */
const OVERTIME_MAX = 20;

/** One after the other. An early one meets workers that recover or have just done so. */
const MOMENTS: readonly (readonly [Moment, { readonly min: number; readonly max: number }])[] = [
  ['random', { min: 200, max: 1_500 }],
  ['random', { min: 1, max: 20 }],
  ['unsaid', { min: 50, max: 500 }],
];

/** Processes of a broken bank in which the audit has to find something: many times as many as it takes. */
const LIVES_MAX = 20;

const random = randomOf('the bank over workers');
const root = mkdtempSync(join(tmpdir(), 'bosun-bank-workers-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The sightings of the bank over all its crashes. */
const seen = { violations: [] as string[], unread: 0, crossing: 0, delayed: 0, unsaid: 0 };

function see(audit: Audit, place: string): void {
  seen.violations.push(...audit.violations.map((violation) => `${place}: ${violation}`));
  seen.unread += audit.unread;
  seen.crossing += audit.crossing;
  seen.delayed += audit.delayed;
}

/** Whether the bank was killed with everything under way, so that the proof proves something. */
function isAllMet({ folds }: SpreadBank): boolean {
  return seen.crossing > 0 && seen.delayed > 0 && seen.unsaid > 0 && folds > KILLS;
}

async function runUntilKilled(bank: SpreadBank, kill: number): Promise<void> {
  const [moment, { min, max }] = MOMENTS[kill % MOMENTS.length]!;
  await bank.runUntilKilled(moment, min + random.integer(max - min));
}

/** Looks at what the killed process left, and at what power cuts would have left at that moment and at earlier ones. */
async function lookAround(bank: SpreadBank, kill: number): Promise<void> {
  const { acknowledged, words } = bank;
  const killed = await auditSpreadBank(bank.copy('killed'), acknowledged);
  see(killed, `kill ${kill}`);
  seen.unsaid += killed.accepted - acknowledged.reduce((sum, last) => sum + last, 0);
  for (let cut = 0; cut < CUTS / KILLS; cut++) {
    const isOfDeath = cut < 2;
    const { directories, told } = bank.cutCopy(
      'cut',
      random,
      isOfDeath ? words : random.integer(words),
      cut === 1 ? 'some' : 'synced',
    );
    see(await auditSpreadBank(directories, told), `cut ${cut} of kill ${kill}`);
  }
}

describe('a bank over two workers whose process is killed', () => {
  const bank = new SpreadBank(join(root, 'sound'));
  let end: Audit;

  beforeAll(async () => {
    for (let kill = 0; kill < KILLS || (!isAllMet(bank) && kill < OVERTIME_MAX * KILLS); kill++) {
      await runUntilKilled(bank, kill);
      await lookAround(bank, kill);
      // Every other time the bank goes on as if the power had failed.
      if (kill % 2 === 1) bank.adopt(bank.cutCopy('adopted', random, bank.words, 'some'));
    }
    await bank.runUntilSettled();
    end = await auditSpreadBank(bank.copy('end'), bank.acknowledged);
    console.log(
      `bank over workers: seed ${SEED}, ${KILLS} kills, ${CUTS} cuts; ${end.accepted} orders, ${seen.unsaid} of ` +
        'them unsaid at a kill; ' +
        `${seen.unread} unread messages seen, ${seen.crossing} of them between workers, ${seen.delayed} delayed; ` +
        `${bank.folds} folds; ${seen.violations.length} violations`,
    );
  }, LONG_PATIENCE_MS);

  it('loses and doubles no order or payment', () => {
    expect(seen.violations).toEqual([]);
  });

  it('settles every payment in the end', () => {
    expect(end).toMatchObject({ violations: [], unread: 0, crossing: 0, delayed: 0 });
  });

  it('is killed with messages between the workers, timers, unacknowledged orders and folds under way', () => {
    expect(isAllMet(bank), JSON.stringify({ ...seen, folds: bank.folds })).toBe(true);
  });
});

describe('the audit of both stores', () => {
  it('finds a store that has lost messages that its worker already sent to the other worker', async () => {
    const violations: string[] = [];
    for (let life = 0; life < LIVES_MAX && violations.length === 0; life++) {
      const torn = new SpreadBank(join(root, `torn-${life}`));
      await torn.runUntilKilled('random', 1_000);
      const random = randomOf('torn stores', life);
      // At a single moment the counts of lost credits and lost receipts may be the same.
      for (let words = Math.floor(torn.words / 2); words > 0 && violations.length === 0; words -= 50) {
        const { violations: found } = await auditSpreadBank(torn.tornCopy('cut', random, words), []);
        violations.push(...found.filter((violation) => violation.includes('payments are not settled')));
      }
    }
    expect(violations).toContainEqual(expect.stringContaining('payments are not settled'));
  });

  it('finds orders that were acknowledged before they were durable', async () => {
    const violations: string[] = [];
    for (let life = 0; life < LIVES_MAX && violations.length === 0; life++) {
      const early = new SpreadBank(join(root, `early-${life}`), 'early');
      await early.runUntilKilled('random', 200);
      const random = randomOf('early acknowledgements', life);
      // Not at every moment an order was acknowledged too early.
      for (let words = early.words; words > 0 && violations.length === 0; words -= 3) {
        const { directories, told } = early.cutCopy('cut', random, words);
        violations.push(...(await auditSpreadBank(directories, told)).violations);
      }
    }
    expect(violations).toContainEqual(expect.stringContaining('was told that order'));
  });
});
