/**
 * docs/otp-parity-messages.md is generated from the cases.
 * `npx vitest run test/actors/world/talk/otp-messages.test.ts -u` writes it again.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LONG, sample } from '../../../support/effort.ts';
import { CASES as TALK_CASES } from './otp-messages.cases.ts';
import { STATEM_CASES } from './otp-statem.cases.ts';
import { STORAGE_CASES } from './otp-storage.cases.ts';
import { TIME_CASES } from './otp-time.cases.ts';
import { flawOf, type ParityCase, placeOf, resultOf, show, STORES } from '../../../support/actors/parity.ts';

const CASES: readonly ParityCase[] = [...TALK_CASES, ...STATEM_CASES, ...STORAGE_CASES, ...TIME_CASES].sort(
  (a, b) => a.number - b.number,
);

const HEAD = `# Messages, durability and time beside other runtimes

**Generated** by \`test/actors/world/talk/otp-messages.test.ts\` from what the cases show; a case alone:
\`npx vitest run test/actors/world/talk/otp-messages.test.ts -t "91:"\`. **same**: as there. **differs**: otherwise on
purpose, and tested so. **not offered**: there is nothing of the kind. **n/a: several hosts**: it says nothing about one
host. **not yet**: missing. Shown *here*: by the case itself, on both stores with crashes of the host where it is about
what is kept; otherwise by the tests named, which the case names by their titles. Cases of supervisors:
[otp-parity.md](otp-parity.md).

| number | case | source | result | shown by | why |
|---|---|---|---|---|---|`;

describe('cases of other runtimes', () => {
  describe.each(STORES)('the store %s', (store) => {
    const told = CASES.filter(
      ({ shows, isDurable }) => shows !== undefined && (store === 'memory' || isDurable === true),
    );
    it.each(sample(told, store === 'memory' ? 2 : 5))('$number: $name', LONG, async (entry) => {
      const { expected, instead = expected } = entry;
      expect(await show(entry, store)).toEqual(instead);
    });
  });

  it.each(CASES.filter(({ proofs }) => proofs !== undefined))(
    '$number: names existing tests as proofs',
    ({ proofs }) => {
      expect(proofs!.flatMap((proof) => flawOf(proof) ?? [])).toEqual([]);
    },
  );

  it('cover every number from 91 to 158', () => {
    const numbers = new Set(CASES.map(({ number }) => number));
    const missing = Array.from({ length: 158 - 91 + 1 }, (_, index) => 91 + index).filter(
      (number) => !numbers.has(number),
    );
    expect(missing.filter((number) => number !== 97)).toEqual([]);
  });

  it('give a reason if their result is not the same', () => {
    expect(
      CASES.filter(
        (entry) => resultOf(entry) !== 'same' && (entry.differs ?? entry.severalHosts ?? entry.notYet) === undefined,
      ),
    ).toEqual([]);
  });

  it('agree with docs/otp-parity-messages.md', async () => {
    const rows = CASES.map((entry) => {
      const { number, name, source, differs, severalHosts, notYet } = entry;
      return (
        `| ${number} | ${name} | ${source} | ${resultOf(entry)} | ${placeOf(entry)} | ` +
        `${severalHosts ?? notYet ?? differs ?? ''} |`
      );
    });
    await expect(`${[HEAD, ...rows].join('\n')}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, '../../../../docs/otp-parity-messages.md'),
    );
  });
});
