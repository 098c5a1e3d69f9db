/** Tables as values: the contents of a map, in order of keys, with older versions untouched. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween, isTable, leavesOf, table, type Table, tableOfLeaves } from '../src/table.ts';
import { TABLE_KEY_CHARS_MAX } from '../src/limits.ts';
import { byEffort } from './support/effort.ts';

type Row = { readonly n: number };
type Step = { readonly key: string; readonly row: Row | null };

const KEYS = fc.oneof(
  { weight: 8, arbitrary: fc.nat(4_000).map((n) => `k${n}`) },
  {
    weight: 1,
    arbitrary: fc
      .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
      .filter((key) => key !== '__proto__' && key.isWellFormed()),
  },
);
const STEPS = fc.array(
  fc.record({
    key: KEYS,
    row: fc.option(
      fc.nat(5).map((n) => ({ n })),
      { freq: 3 },
    ),
  }) satisfies fc.Arbitrary<Step>,
  { maxLength: 1_500, size: 'max' },
);

function inOrder(rows: ReadonlyMap<string, Row>): [string, Row][] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A sample of the versions that the steps make of a table, each with the expected map. */
function versionsOf(
  steps: readonly Step[],
): { readonly made: Table<Row>; readonly wanted: ReadonlyMap<string, Row> }[] {
  const wanted = new Map<string, Row>();
  let made = table<Row>();
  const versions = [{ made, wanted: new Map(wanted) }];
  steps.forEach(({ key, row }, index) => {
    made = row === null ? made.delete(key) : made.set(key, row);
    if (row === null) wanted.delete(key);
    else wanted.set(key, row);
    if (index % 97 === 0 || index === steps.length - 1) versions.push({ made, wanted: new Map(wanted) });
  });
  return versions;
}

describe('a table', () => {
  it('equals a map after the same steps, in order of keys, and leaves every older version unchanged', () => {
    fc.assert(
      fc.property(STEPS, KEYS, KEYS, (steps, from, below) => {
        for (const { made, wanted } of versionsOf(steps)) {
          const entries = inOrder(wanted);
          expect([...made]).toEqual(entries);
          expect(made.size).toBe(wanted.size);
          expect(made.first()).toEqual(entries[0]);
          for (const [key, row] of entries) expect(made.get(key)).toBe(row);
          expect([...made.keys({ from, below })]).toEqual(
            entries.map(([key]) => key).filter((key) => key >= from && key < below),
          );
          expect([...table(wanted)]).toEqual(entries);
          expect([...made.entries({ reverse: true })]).toEqual(entries.toReversed());
          for (const range of [{ from, below }, { from }, { below }, { from: below, below: from }, {}]) {
            const within = [...made.entries(range)];
            expect([...made.entries({ ...range, reverse: true })]).toEqual(within.toReversed());
            expect(made.count(range)).toBe(within.length);
          }
          expect([...tableOfLeaves(leavesOf(made))]).toEqual(entries);
        }
      }),
      { numRuns: byEffort({ quick: 6, ci: 60, soak: 500 }) },
    );
  });

  it('has exact differences to another table, whether or not one was made from the other', () => {
    fc.assert(
      fc.property(STEPS, STEPS, (steps, others) => {
        const versions = [...versionsOf(steps), ...versionsOf(others).slice(-3)];
        for (const a of versions)
          for (const b of versions) {
            const keys = [...new Set([...a.wanted.keys(), ...b.wanted.keys()])].sort();
            const wanted = keys.filter((key) => a.wanted.get(key) !== b.wanted.get(key));
            expect(changesBetween(a.made, b.made)).toEqual(wanted.map((key) => [key, b.wanted.get(key)]));
          }
      }),
      { numRuns: byEffort({ quick: 3, ci: 20, soak: 200 }) },
    );
  });

  it('stays the same object if a change has no effect', () => {
    const row = { n: 1 };
    const one = table([['a', row]]);
    expect(one.set('a', row)).toBe(one);
    expect(one.delete('b')).toBe(one);
    expect(one.delete('a')).toBe(table());
    expect(one.update('a', (before) => before!)).toBe(one);
  });

  it('shares all leaves but the changed one with the version before', () => {
    const before = table(Array.from({ length: 10_000 }, (_, n) => [String(n).padStart(6, '0'), { n }] as const));
    const after = before.set('004711', { n: -1 });
    const known = new Set(leavesOf(before));
    expect(leavesOf(after).filter((leaf) => !known.has(leaf))).toHaveLength(1);
  });

  it('counts a range without visiting its rows', () => {
    const looked: string[] = [];
    const rows = table(Array.from({ length: 50_000 }, (_, n) => [`k${String(n).padStart(6, '0')}`, n] as const));
    const range = { from: 'k000017', below: 'k049017' };
    const spied = new Proxy(rows, {
      get: (of, key) => {
        looked.push(String(key));
        return Reflect.get(of, key) as unknown;
      },
    });
    expect(spied.count(range)).toBe(49_000);
    expect(looked).toEqual(['count', 'Symbol(bosun.table)']);
  });

  it('maps and visits its rows in order, and is an object of its rows in JSON', () => {
    const rows = table([
      ['b', 2],
      ['a', 1],
    ]);
    expect(JSON.stringify(rows.map((n, key) => `${key}${n}`))).toBe('{"a":"a1","b":"b2"}');
    const seen: unknown[] = [];
    rows.forEach((row, key) => seen.push([key, row]));
    expect(seen).toEqual([...rows.entries()]);
    expect([...rows.values({ from: 'b' })]).toEqual([2]);
  });

  it.each([
    ['', 'empty'],
    ['x'.repeat(TABLE_KEY_CHARS_MAX + 1), 'too long'],
    ['\ud800', 'half a character'],
    ['__proto__', 'it would change the prototype'],
    [7, 'not text'],
  ] as [unknown, string][])('refuses the key %j: %s', (key) => {
    const refused = expect.objectContaining({ code: 'BOSUN_VALUE_REFUSED' }) as Error;
    expect(() => table<number>().set(key as string, 1)).toThrow(refused);
    expect(() => table([[key as string, 1]])).toThrow(refused);
  });

  it('accepts a key of the greatest length, and refuses undefined as a row', () => {
    const key = 'x'.repeat(TABLE_KEY_CHARS_MAX);
    expect(table<number>().set(key, 1).has(key)).toBe(true);
    expect(() => table<undefined>().set('a', undefined)).toThrow('is undefined: delete the row instead');
  });

  it('is frozen, and recognized by other copies of the package through its symbol', () => {
    const rows = table([['a', 1]]);
    expect(Object.isFrozen(rows)).toBe(true);
    expect(isTable(rows)).toBe(true);
    expect(isTable(new Map())).toBe(false);
    const foreign = { [Symbol.for('bosun.table')]: { form: 99 } } as unknown as Table<number>;
    expect(isTable(foreign)).toBe(true);
    expect(() => changesBetween(rows, foreign)).toThrow('form 99, not 1');
  });
});
