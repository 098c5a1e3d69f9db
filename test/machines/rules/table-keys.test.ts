/** Keys of tables that are made of names and numbers. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameKey, numberKey, pairKey, pairsOf } from '../../../src/machines/rules/table-keys.ts';
import { table } from '../../../src/table.ts';

const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200 }),
  fc.string({ unit: fc.constantFrom('a', ' ', '!', '%', '\u{1f4a1}', '~'), minLength: 1, maxLength: 200 }),
  fc.constant('__proto__'),
);

it('keys of numbers sort in numerical order', () => {
  fc.assert(fc.property(fc.nat(), fc.nat(), (a, b) => numberKey(a) < numberKey(b) === a < b));
});

it('any two names have different keys, and each pair of names has one key', () => {
  fc.assert(
    fc.property(names, names, (a, b) => {
      expect(nameKey(a) === nameKey(b)).toBe(a === b);
      expect(table([[nameKey(a), 1]]).set(pairKey(a, b), 2).size).toBe(2);
    }),
  );
});

it('a name finds all pairs that begin with it, and no others', () => {
  fc.assert(
    fc.property(fc.uniqueArray(names, { minLength: 1, maxLength: 8 }), (all) => {
      const pairs = table(all.flatMap((a) => all.map((b) => [pairKey(a, b), { a, b }] as const)));
      for (const name of all) {
        const found = [...pairs.values(pairsOf(name))];
        expect(found).toHaveLength(all.length);
        expect(found.every(({ a }) => a === name)).toBe(true);
      }
    }),
  );
});

it('a name of malformed Unicode has a key', () => {
  expect(table([[nameKey('\ud800'), 1]]).size).toBe(1);
});
