/**
 * The bank test: 200 durable accounts, eight clients, kill -9 and power cuts. After each, the bank holds the initial
 * sum of money, every accepted order is counted once, and no acknowledged order is lost.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomOf } from '../support/chance.ts';
import { type Audit, auditBank } from '../support/crash/bank-audit.ts';
import { Bank, type Moment, type Sabotage } from '../support/crash/bank-run.ts';
import { byEffort, EFFORT, LONG, LONG_PATIENCE_MS, SEED } from '../support/effort.ts';

const SOAK = EFFORT === 'soak';
const KILLS = byEffort({ quick: 2, ci: 10, soak: 500 });
const CUTS = byEffort({ quick: 4, ci: 50, soak: 5_000 });
const REWINDS = byEffort({ quick: 2, ci: 10, soak: 500 });

/** Sightings of what a few kills may miss. */
const SEEN_MIN = byEffort({ quick: 0, ci: 1 });

/** Bound on the kills of a bank that has not met everything, as a multiple of `KILLS`. */
const OVERTIME_MAX = 20;

/** Crashes of a broken bank in which the audit has to find something: many times as many as it takes. */
const ROUNDS_MAX = 40;

/** Lines of progress during a long run. */
const PROGRESS_LINES = 10;

/** Every kind of moment is among the first four. */
const MOMENTS: readonly Moment[] = ['random', 'fold', 'unsaid', 'switch', 'random'];

/** Between two crashes. */
const ORDERS_MIN = 100;
const ORDERS_MAX = 700;

function someOrders(): number {
  return ORDERS_MIN + random.integer(ORDERS_MAX - ORDERS_MIN);
}

const random = randomOf('the bank');
const root = mkdtempSync(join(tmpdir(), 'bosun-bank-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Observations of a bank over all its crashes. */
interface Sightings {
  violations: string[];
  inFlight: number;
  delayed: number;
  /** Copies with a fold under way. */
  folding: number;
  /** Cut copies in which more than one log was live. */
  switched: number;
  accepted: number;
}

function see(seen: Sightings, audit: Audit, place: string, isFolding: boolean): void {
  seen.violations.push(...audit.violations.map((violation) => `${place}: ${violation}`));
  seen.inFlight += audit.unread;
  seen.delayed += audit.delayed;
  seen.folding += isFolding || audit.isDeleting ? 1 : 0;
  seen.accepted = Math.max(seen.accepted, audit.accepted);
}

/** The names of what a bank has not met often enough: without it the proof would prove little. */
function missing(bank: Bank, seen: Sightings): string[] {
  const isMet = {
    'messages under way': seen.inFlight > 100 * SEEN_MIN,
    'timers under way': seen.delayed >= SEEN_MIN,
    'copies in a fold': seen.folding > CUTS / 10,
    folds: bank.folds > KILLS / 2,
    'two logs': seen.switched >= SEEN_MIN,
    'repeated orders': bank.repeats >= SEEN_MIN,
    orders: seen.accepted >= ORDERS_MIN * KILLS,
  };
  return Object.entries(isMet).flatMap(([what, met]) => (met ? [] : [what]));
}

/**
 * Kills the bank, looks at what is left, and at what power cuts at that moment would have left. It goes on until the
 * bank has met everything.
 */
async function crashes(bank: Bank, numbers: { kills: number; cuts: number; rewinds: number }): Promise<Sightings> {
  const seen: Sightings = { violations: [], inFlight: 0, delayed: 0, folding: 0, switched: 0, accepted: 0 };
  const perKill = {
    cuts: Math.ceil(numbers.cuts / numbers.kills),
    rewinds: Math.ceil(numbers.rewinds / numbers.kills),
  };
  const isOver = (kill: number) =>
    kill >= numbers.kills && (missing(bank, seen).length === 0 || kill >= OVERTIME_MAX * numbers.kills);
  for (let kill = 0; !isOver(kill); kill++) {
    const moment = MOMENTS[kill % MOMENTS.length]!;
    await bank.run(moment, someOrders());
    const { isFolding, acknowledged } = bank;
    see(seen, await auditBank(bank.copy('killed'), acknowledged), `kill ${kill} (${moment})`, isFolding);
    for (let cut = 0; cut < perKill.cuts; cut++) {
      const place = `cut ${cut} of kill ${kill} (${moment})`;
      // The first two at the moment of death, the others at the moments of earlier writes.
      const earlier = cut < 2 ? null : bank.earlierCopy('cut', random);
      const { copy, logs } = earlier ?? bank.cutCopy('cut', random, cut === 0 ? 'synced' : 'some');
      seen.switched += logs > 1 ? 1 : 0;
      see(seen, await auditBank(copy, earlier?.told ?? acknowledged), place, earlier?.isFolding ?? isFolding);
    }
    // A copy that is rewound to a moment before a sync has lost orders, but nothing else.
    for (let rewind = 0; rewind < perKill.rewinds; rewind++) {
      see(
        seen,
        await auditBank(bank.rewoundCopy('rewound', random), []),
        `rewind ${rewind} of kill ${kill} (${moment})`,
        false,
      );
    }
    // Every other time the bank goes on as if the power had failed.
    if (kill % 2 === 1) bank.adopt(bank.cutCopy('adopted', random).copy);
    if (SOAK && (kill + 1) % (numbers.kills / PROGRESS_LINES) === 0) {
      process.stderr.write(`bank: ${kill + 1} of ${numbers.kills} kills, ${seen.violations.length} violations\n`);
    }
  }
  return seen;
}

describe('a bank that suffers kills and power cuts', () => {
  const bank = new Bank(join(root, 'sound'));
  let seen: Sightings;
  let end: Audit;

  beforeAll(async () => {
    seen = await crashes(bank, { kills: KILLS, cuts: CUTS, rewinds: REWINDS });
    await bank.run('settled', 0);
    end = await auditBank(bank.copy('end'), bank.acknowledged);
    const { inFlight, delayed, folding, switched, accepted } = seen;
    console.log(
      `bank: seed ${SEED}, ${KILLS} kills, ${CUTS} cuts, ${REWINDS} rewinds; ${accepted} orders, ${bank.repeats} ` +
        'repeated; ' +
        `${inFlight} unread and ${delayed} delayed messages seen; ${bank.folds} folds, under way in ${folding} ` +
        'copies; ' +
        `several logs live in ${switched} cuts; ${seen.violations.length} violations`,
    );
  }, LONG_PATIENCE_MS);

  it('DC-006: loses and doubles no order or payment', () => {
    expect(seen.violations).toEqual([]);
  });

  it('settles every payment in the end', () => {
    expect(end).toMatchObject({ violations: [], unread: 0, delayed: 0 });
  });

  it('is killed with messages and timers under way, in folds, at memtable switches, with repeated orders', () => {
    expect(missing(bank, seen)).toEqual([]);
  });
});

describe('the audit', () => {
  /** Crashes a broken bank until the audit finds something. */
  async function findings(name: string, sabotage: Sabotage, moment: Moment): Promise<string[]> {
    const bank = new Bank(join(root, name), sabotage);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      await bank.run(moment, ORDERS_MIN);
      const { violations } = await auditBank(bank.cutCopy('cut', randomOf(name, round)).copy, bank.acknowledged);
      if (violations.length > 0) return [...violations];
    }
    return [];
  }

  it('finds orders that were acknowledged before they were durable', LONG, async () => {
    expect(await findings('early', { acknowledge: 'early' }, 'random')).toContainEqual(
      expect.stringContaining('was told that order'),
    );
  });

  it('finds orders that were acknowledged without a sync', LONG, async () => {
    expect(await findings('unsynced', { durability: 'process' }, 'random')).not.toEqual([]);
  });

  it('finds repeated orders that were carried out twice', LONG, async () => {
    expect(await findings('obeyed', { repeats: 'obeyed' }, 'unsaid')).toContainEqual(
      expect.stringContaining('were counted'),
    );
  });
});
