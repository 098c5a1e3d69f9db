/** OTP's supervisor_SUITE, case by case, three ways each. docs/otp-parity.md says what came of it; `vitest -u` writes it anew. */
import { afterEach, describe, expect, it } from 'vitest';
import { restartCases } from './restarts.ts';
import { significantCases } from './significant.ts';
import { Bench, type Case, type Way } from './bench.ts';
import { adminCases } from './orders.ts';
import { startCases, stopCases } from './start-and-stop.ts';

const cases = [...startCases, ...stopCases, ...adminCases, ...restartCases, ...significantCases].sort((a, b) => a.number - b.number);
const WAYS: readonly { way: Way; says: string }[] = [
  { way: 'memory', says: 'on the store in memory' },
  { way: 'leveldb', says: 'on LevelDB' },
  { way: 'crash', says: 'with a crash of the host after every step' },
];

/** Ways in which a case went as it says, by number. */
const passed = new Map<number, Way[]>();

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.end();
  bench = undefined;
});

describe.each(WAYS)("OTP's cases $says", ({ way }) => {
  const told = cases.filter(({ run, isCrashless }) => run !== undefined && !(way === 'crash' && isCrashless === true));
  it.each(told.map((entry) => [entry.number, entry.source, entry] as const))('%i %s', async (number, _, { run }) => {
    bench = new Bench(way);
    await run!(bench);
    passed.set(number, [...(passed.get(number) ?? []), way]);
  });
});

describe('docs/otp-parity.md', () => {
  it('has every case once', () => {
    expect(cases.map(({ number }) => number)).toEqual(Array.from({ length: 78 }, (_, index) => index + 1));
  });

  it('says of each what came of it', async () => {
    await expect(page()).toMatchFileSnapshot('../../../docs/otp-parity.md');
  });
});

function page(): string {
  const head = `# OTP parity

The cases of OTP's \`supervisor_SUITE.erl\` and of its heirs, as Bosun has them. Written by \`test/supervisor/otp/otp.test.ts\`, which runs
each on virtual time on the store in memory, on LevelDB, and again in memory with a crash of the host after every step. E is Elixir,
P Pekko, R ractor, N new. **same**: as in OTP. **differs**: otherwise on purpose, and tested so. **no such thing**: what the case is about
does not exist here. **not yet**: missing.

| case | source | result | crash of the host | why it differs |
|---|---|---|---|---|
`;
  return `${head}${cases.map(row).join('\n')}\n`;
}

function row({ number, source, differs, without, notYet, isCrashless }: Case): string {
  const ways = passed.get(number) ?? [];
  const hasPassed = ways.includes('memory') && ways.includes('leveldb');
  const result = notYet !== undefined ? 'not yet' : without !== undefined ? 'no such thing' : !hasPassed ? 'FAILS' : differs === undefined ? 'same' : 'differs';
  const crash = ways.length === 0 ? '' : isCrashless === true ? 'not told so' : ways.includes('crash') ? 'same outcome' : 'FAILS';
  return `| ${number} | ${source} | ${result} | ${crash} | ${notYet ?? without ?? differs ?? ''} |`;
}
