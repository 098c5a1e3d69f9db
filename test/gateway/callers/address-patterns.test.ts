/** The parts of the order of addresses to which patterns lead: what a page of a limited caller is read from. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesAny, spansOf } from '../../../src/gateway/callers/address-patterns.ts';

const word = fc.constantFrom('a', 'a-b', 'b', 'a0', 'b.c');
const pathOf = (segment: fc.Arbitrary<string>) =>
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));

describe('the spans of patterns', () => {
  it('hold every address that matches, in order and apart (F4)', () => {
    const patterns = fc.array(pathOf(fc.oneof(word, fc.constantFrom('*', '**'))), { maxLength: 4 });
    fc.assert(
      fc.property(patterns, fc.array(pathOf(word)), (some, addresses) => {
        const spans = spansOf(some);
        for (const address of addresses.filter((one) => matchesAny(some, one)))
          expect(spans.some(({ from, end }) => address >= from && (end === undefined || address < end))).toBe(true);
        for (const [n, { from }] of spans.entries()) expect(n === 0 || spans[n - 1]!.end! < from).toBe(true);
      }),
    );
  });

  it('are as narrow as what stands before the first star', () => {
    expect(spansOf(['orders/7', 'orders/*/notes'])).toEqual([{ from: 'orders/', end: 'orders0' }]);
    expect(spansOf(['visits', 'orders/**'])).toEqual([
      { from: 'orders', end: 'orders\0' },
      { from: 'orders/', end: 'orders0' },
      { from: 'visits', end: 'visits\0' },
    ]);
    expect(spansOf(['visits', '*'])).toEqual([{ from: '', end: undefined }]);
    expect(spansOf([])).toEqual([]);
  });
});
