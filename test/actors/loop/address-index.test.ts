/** The index of actors by address, against a sorted list, while readers iterate over it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressIndex, STEP } from '../../../src/actors/loop/address-index.ts';
import { type AddressSpan } from '../../../src/actors/model/address.ts';
import { type Cell } from '../../../src/actors/world/cell.ts';

const root = { address: 'root', parent: undefined } as Cell;

function cellAt(address: string): Cell {
  return { address, parent: root } as Cell;
}

const addresses = (cells: Iterable<Cell | undefined>) => [...cells].map((cell) => cell?.address);

describe('the index of addresses', () => {
  it('lists the actors that were set and not deleted, in order, from any address on', () => {
    const address = fc.nat(2_000).map((number) => `a${number}`);
    const step = fc.record({ address, isGone: fc.boolean() });
    fc.assert(
      fc.property(
        fc.uniqueArray(address, { maxLength: 1_500, size: 'max' }),
        fc.array(step),
        address,
        (first, steps, after) => {
          const index = new AddressIndex();
          index.load([root, ...first.map(cellAt)]);
          const model = new Set(first);
          for (const { address: at, isGone } of steps) {
            if (isGone) index.delete(at);
            else index.set(cellAt(at));
            if (isGone) model.delete(at);
            else model.add(at);
          }
          const sorted = [...model].sort();
          expect(addresses(index.below(root))).toEqual(['root', ...sorted]);
          expect(addresses(index.below(root, { after }))).toEqual(sorted.filter((one) => one > after));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives a reader every actor that stays, once, while others are added and deleted', () => {
    const index = new AddressIndex();
    const stays = Array.from({ length: 3_000 }, (_, n) => `b${String(n).padStart(5, '0')}`);
    index.load([root, ...stays.map(cellAt)]);
    const seen: string[] = [];
    let n = 0;
    for (const { address } of index.below(root) as Iterable<Cell>) {
      seen.push(address);
      n += 1;
      // Before, at and behind the place of the reader.
      index.set(cellAt(`a${n}`));
      if (/^b\d+$/.test(address)) index.set(cellAt(`${address}-child`));
      if (n < 3_000) index.set(cellAt(`c${n}`));
      index.delete(`a${n - 3}`);
    }
    expect(seen.filter((address) => /^b\d+$/.test(address))).toEqual(stays);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('holds one actor for each address, the last one set', () => {
    const index = new AddressIndex();
    const [old, young] = [cellAt('a'), cellAt('a')];
    index.set(root);
    expect([index.set(old), index.set(young)]).toEqual([undefined, old]);
    expect([...index.below(root)]).toEqual([root, young]);
  });

  it('lists the parts that are asked for, below an actor or below all', () => {
    const span = fc.tuple(fc.nat(300), fc.nat(300)).map(([a, b]) => [`a${Math.min(a, b)}`, `a${Math.max(a, b)}`]);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(300)), fc.array(span), fc.nat(300), (numbers, pairs, after) => {
        const index = new AddressIndex();
        const all = numbers.map((number) => `a${number}`).sort();
        index.load([root, ...all.map(cellAt)]);
        const spans: AddressSpan[] = [];
        for (const [from, end] of pairs.sort(([a], [b]) => (a! < b! ? -1 : 1)))
          if ((spans.at(-1)?.end ?? '') < from!) spans.push({ from: from!, end });
        const isIn = (one: string) => spans.some(({ from, end }) => one >= from && one < end!);
        expect(addresses(index.below(root, { spans }))).toEqual(['root', ...all.filter(isIn)]);
        const rest = all.filter((one) => isIn(one) && one > `a${after}`);
        expect(addresses(index.below(root, { spans, after: `a${after}` }))).toEqual(rest);
      }),
    );
  });

  it('says how many actors it looked at that are not below the one asked for', () => {
    const index = new AddressIndex();
    const a = cellAt('a');
    const child = { address: 'a/x/own', parent: a } as Cell;
    index.load([root, a, child, ...['a/x/1', 'a/x/2', 'b'].map(cellAt)]);
    expect([...index.below(a)]).toEqual([a, undefined, undefined, child]);
  });

  it('touches a page and a search of 20,000 actors, while others come and go between the pages (F4)', () => {
    let touched = 0;
    const counted = (address: string): Cell =>
      ({
        parent: root,
        get address() {
          touched += 1;
          return address;
        },
      }) as Cell;
    const index = new AddressIndex();
    index.load([root, ...Array.from({ length: 20_000 }, (_, n) => counted(`v${n}`))]);
    const page = (after: string, limit: number, spans?: readonly AddressSpan[]) => {
      touched = 0;
      const cells: (Cell | undefined)[] = [];
      for (const cell of index.below(root, { after, spans })) if (cells.push(cell) === limit) break;
      return [cells.length, touched] as const;
    };
    const births = Array.from({ length: 1_000 }, (_, n) => counted(`v${(n * 7_919) % 20_000}-new`));
    const costs = births.map((birth, n) => {
      touched = 0;
      index.set(birth);
      if (n % 2 === 0) index.delete(`v${n}`);
      return touched;
    });
    // Two searches, among the lists and in one, of which each look takes two readings.
    expect(Math.max(...costs)).toBeLessThan(120);
    for (const after of ['', 'v3', 'v55555', 'v8'])
      for (const limit of [1, 10, 1_000]) {
        const [taken, cost] = page(after, limit);
        expect(taken).toBe(limit);
        expect(cost).toBeLessThan(4 * limit + 4 * STEP);
      }
    const [taken, cost] = page('', 10, [
      { from: 'v777', end: 'v777\0' },
      { from: 'v9/', end: 'v90' },
    ]);
    expect(taken).toBe(2);
    expect(cost).toBeLessThan(4 * STEP);
  });
});
