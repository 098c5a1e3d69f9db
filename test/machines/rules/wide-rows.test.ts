/** Rows of any size, in their table or beside it. */
import { describe, expect, it } from 'vitest';
import { wideRowIn, wideRowsIn, withWideRow } from '../../../src/machines/rules/wide-rows.ts';
import { TABLE_ROW_BYTES_MAX } from '../../../src/limits.ts';
import { table } from '../../../src/table.ts';

const small = { output: 'x'.repeat(1_000) };
const wide = { output: { list: ['x'.repeat(TABLE_ROW_BYTES_MAX)] } };

const put = <Context extends object>(context: Context, key: string, row: object | undefined) => ({
  ...context,
  ...(withWideRow(context, 'rows', key, row) as Context),
});
const empty = { rows: table<object>() };

describe('a row of any size', () => {
  it('is stored in its table if it fits, and under its own key if not', () => {
    const context = put(put(empty, 'a', small), 'b', wide);
    expect(context.rows.size).toBe(1);
    expect(Object.keys(context)).toEqual(['rows', 'rows:b']);
    expect(['a', 'b', 'c'].map((key) => wideRowIn(context, 'rows', key))).toEqual([small, wide, undefined]);
    expect(wideRowsIn(put(context, 'c', wide), 'rows')).toEqual([small, wide, wide]);
    expect(wideRowsIn(put(context, 'b', undefined), 'rows')).toEqual([small]);
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
