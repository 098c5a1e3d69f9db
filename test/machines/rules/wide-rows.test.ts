/** Rows of any size, in their table or beside it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inSlots, wideRowIn, wideRowsIn, withWideRow } from '../../../src/machines/rules/wide-rows.ts';
import { TABLE_ROW_BYTES_MAX } from '../../../src/limits.ts';
import { table } from '../../../src/table.ts';

const small = { output: 'x'.repeat(1_000) };
const wide = { output: { list: ['x'.repeat(TABLE_ROW_BYTES_MAX)] } };

const put = <Context extends object>(context: Context, key: string, row: object | undefined) => ({
  ...context,
  ...(withWideRow(context, 'rows', key, row) as Context),
});
const isWide = (row: object) => JSON.stringify(row).length > TABLE_ROW_BYTES_MAX / 2;
const empty = { rows: table<object>() };

describe('a row of any size', () => {
  it('is stored in its table if it fits, and in a key of its own if not', () => {
    const context = put(put(empty, 'a', small), 'b', wide);
    expect(context.rows.size).toBe(1);
    expect(Object.keys(context)).toEqual(['rows', 'rows/slots', 'rows/1']);
    expect(['a', 'b', 'c'].map((key) => wideRowIn(context, 'rows', key))).toEqual([small, wide, undefined]);
    expect(wideRowsIn(put(context, 'c', wide), 'rows')).toEqual([small, wide, wide]);
    expect(wideRowsIn(put(context, 'b', undefined), 'rows')).toEqual([small]);
  });

  it('is found in any sequence of writes and removals, with as many slots as there were wide rows at one time', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'slots', 'free', '1'), fc.nat(2), fc.nat());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let context: typeof empty = empty;
        const expected = new Map<string, object>();
        let widest = 0;
        for (const [key, kind, number] of steps) {
          const row = kind === 0 ? undefined : { ...(kind === 1 ? small : wide), number };
          context = put(context, key, row);
          if (row === undefined) expected.delete(key);
          else expected.set(key, row);
          widest = Math.max(widest, [...expected.values()].filter(isWide).length);
          expect(wideRowIn(context, 'rows', key)).toBe(row);
          const slots = Object.keys(context).filter((name) => /^rows\/\d+$/.test(name));
          expect(slots).toHaveLength(widest);
          expect(Object.keys(context).length).toBeLessThanOrEqual(widest + 3);
        }
        for (const [key, row] of expected) expect(wideRowIn(context, 'rows', key)).toBe(row);
        expect(new Set(wideRowsIn(context, 'rows'))).toEqual(new Set(expected.values()));
        expect(wideRowsIn(context, 'rows')).toHaveLength(expected.size);
      }),
    );
  });

  it('is read where an earlier version has stored it, until it is written again', () => {
    const old = { ...put(empty, 'a', small), 'rows:b': wide, 'rows:gone': undefined };
    expect(['a', 'b', 'gone'].map((key) => wideRowIn(old, 'rows', key))).toEqual([small, wide, undefined]);
    expect(wideRowsIn(old, 'rows')).toEqual([small, wide]);
    for (const row of [small, { ...wide, again: true }, undefined]) {
      const next = put(old, 'b', row);
      expect(next['rows:b']).toBe(undefined);
      expect(wideRowIn(next, 'rows', 'b')).toBe(row);
      expect(wideRowsIn(next, 'rows')).toEqual(row === undefined ? [small] : [small, row]);
    }
  });

  it('moves into a slot when the store of an earlier version is brought forward, and leaves no key behind', () => {
    const old = { ...put(empty, 'a', small), other: 1, 'rows:b': wide, 'rows:gone': undefined, 'rows:c': wide };
    const next = inSlots(old, 'rows');
    expect(Object.keys(next)).toEqual(['rows', 'other', 'rows/slots', 'rows/1', 'rows/2']);
    expect(['a', 'b', 'c', 'gone'].map((key) => wideRowIn(next, 'rows', key))).toEqual([small, wide, wide, undefined]);
  });

  it('moves between table and own key as it grows and shrinks, and is removed from either', () => {
    let context = put(empty, 'a', small);
    context = put(context, 'a', wide);
    expect([context.rows.size, wideRowIn(context, 'rows', 'a')]).toEqual([0, wide]);
    context = put(context, 'a', small);
    expect([context.rows.size, wideRowIn(context, 'rows', 'a')]).toEqual([1, small]);
    for (const row of [small, wide])
      expect(wideRowIn(put(put(context, 'a', row), 'a', undefined), 'rows', 'a')).toBe(undefined);
  });

  it.each([
    ['bytes', new Uint8Array(TABLE_ROW_BYTES_MAX)],
    ['a map', new Map([['a', wide]])],
    ['a set', new Set([wide])],
    ['numbers', Array.from({ length: 10_000 }, (_, n) => n)],
    ['an error', new Error('x'.repeat(TABLE_ROW_BYTES_MAX))],
    ['names', Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`name ${n}`, null]))],
  ])('is kept out of the table if it is too large because of %s', (_what, output) => {
    expect(put(empty, 'a', { output }).rows.size).toBe(0);
  });

  it('is measured without the actors that it refers to', () => {
    class Handle {
      readonly sessionId = 'x'.repeat(TABLE_ROW_BYTES_MAX);
    }
    expect(put(empty, 'a', { manager: new Handle() }).rows.size).toBe(1);
  });
});
