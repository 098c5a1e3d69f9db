/**
 * OTP's supervisor_SUITE, case by case, in four ways each. docs/otp-parity.md has the outcomes; `vitest -u` writes it
 * again. `npm test` runs a sample of the cases on LevelDB and with a crash after every step; of the single crashes it
 * tries the first of each case and one in sixty of the others. With CI=true all are tried.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restartCases } from './restarts.cases.ts';
import { significantCases } from './significant.cases.ts';
import { type BenchOptions, type Case } from '../../support/supervisor/otp/bench.ts';
import { scriptsOf, tellCase, tellCut, type Told } from '../../support/supervisor/otp/cuts.ts';
import { adminCases } from './orders.cases.ts';
import { sliceByVisits } from '../../support/supervisor/otp/sliced-clock.ts';
import { startCases, stopCases } from './start-and-stop.cases.ts';
import { byEffort, sample } from '../../support/effort.ts';

/** Sample of the moments at which a host may die: the first is tried, and one in `ONE_IN` of the others. */
const ONE_IN = byEffort({ quick: 60, ci: 1 });

const cases = [...startCases, ...stopCases, ...adminCases, ...restartCases, ...significantCases].sort(
  (a, b) => a.number - b.number,
);
const told = cases.filter((entry) => scriptsOf(entry).length > 0);
const toldCut = told.filter(({ uncut }) => uncut === undefined);
const named = (entries: readonly Case[]) => entries.map((entry) => [entry.number, entry.source, entry] as const);

const WAYS: readonly { says: string; options: BenchOptions; of: readonly Case[] }[] = [
  { says: 'on the store in memory', options: {}, of: told },
  { says: 'on LevelDB', options: { store: 'leveldb' }, of: sample(told, 24) },
  { says: 'with a crash of the host after every step', options: { cut: 'after every step' }, of: sample(toldCut, 20) },
];

/** The ways in which a case passed, and the outcome of its crashes, by number. */
const passed = new Map<number, string[]>();
const cuts = new Map<number, Told>();

describe.each(WAYS)("OTP's cases $says", ({ says, options, of }) => {
  it.each(named(of))('%i %s', async (number, _, entry) => {
    await tellCase(entry, options);
    passed.set(number, [...(passed.get(number) ?? []), says]);
  });
});

describe("OTP's cases with a crash of the host between any two steps or before any write within a step", () => {
  let undo = (): void => {};
  beforeAll(() => void (undo = sliceByVisits()));
  afterAll(() => undo());

  it.each(named(toldCut))('%i %s', async (number, _, entry) => {
    const result = await tellCut(entry, (moment) => moment === 0 || (moment + number) % ONE_IN === 0);
    expect(result.taken).toBeGreaterThan(0);
    cuts.set(number, result);
  });
});

describe('docs/otp-parity.md', () => {
  it('has every case once', () => {
    expect(cases.map(({ number }) => number)).toEqual(Array.from({ length: 78 }, (_, index) => index + 1));
  });

  it('states the outcome of each case', async ({ skip }) => {
    const isWhole = told.every((entry) => !isFailing(entry));
    skip(!isWhole, 'a case has failed, which says so itself, or was left out');
    await expect(page()).toMatchFileSnapshot('../../../docs/otp-parity.md');
  });
});

function page(): string {
  const head = `# OTP parity

The cases of OTP's \`supervisor_SUITE.erl\` and of its heirs, as Bosun has them. Written by
\`test/supervisor/otp/otp.test.ts\`, which runs each on virtual time on the store in memory, on LevelDB, in memory
with a crash of the host after every step, and then again for each single crash: after each of its steps, and before
each write of the store, where each visit of an actor is a write. It has to see the same each time, and to end with
the same tree, states, counts, windows, waits, failures, restarts and dead letters. E is Elixir, P Pekko, R ractor, N
new. **same**: as in OTP. **differs**: otherwise on purpose, and tested so. **no such thing**: what the case is about
does not exist here. **cut**: after how many steps, or why not.

| case | source | result | cut | why it differs |
|---|---|---|---|---|
`;
  return `${head}${cases.map(row).join('\n')}\n`;
}

/** Whether a case has not passed in every way and with every crash that is tried. */
function isFailing(entry: Case): boolean {
  const ways = passed.get(entry.number) ?? [];
  const hasPassed = WAYS.every(({ says, of }) => ways.includes(says) || !of.includes(entry));
  return !hasPassed || (toldCut.includes(entry) && !cuts.has(entry.number));
}

function row(entry: Case): string {
  const { number, source, differs, without, uncut } = entry;
  const result = without !== undefined ? 'no such thing' : differs === undefined ? 'same' : 'differs';
  const points = cuts.get(number)?.betweenSteps;
  const cut =
    without !== undefined
      ? ''
      : uncut !== undefined
        ? `none: ${uncut}`
        : `${points} ${points === 1 ? 'point' : 'points'}, same outcome`;
  return `| ${number} | ${source} | ${result} | ${cut} | ${without ?? differs ?? ''} |`;
}
