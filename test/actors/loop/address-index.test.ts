/** The index of actors by address, against a sorted list, while readers iterate over it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AddressIndex } from '../../../src/actors/loop/address-index.ts';
import { type Cell } from '../../../src/actors/world/cell.ts';

const root = { address: 'root', parent: undefined } as Cell;

function cellAt(address: string): Cell {
  return { address, parent: root } as Cell;
}

const addresses = (cells: Iterable<Cell>) => [...cells].map(({ address }) => address);

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
          index.load(first.map(cellAt));
          const model = new Set(first);
          for (const { address: at, isGone } of steps) {
            if (isGone) index.delete(at);
            else index.set(cellAt(at));
            if (isGone) model.delete(at);
            else model.add(at);
          }
          const sorted = [...model].sort();
          expect(addresses(index.below(root))).toEqual(['root', ...sorted]);
          expect(addresses(index.below(root, after))).toEqual(sorted.filter((one) => one > after));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('gives a reader every actor that stays, once, while others are added and deleted', () => {
    const index = new AddressIndex();
    const stays = Array.from({ length: 3_000 }, (_, n) => `b${String(n).padStart(5, '0')}`);
    index.load(stays.map(cellAt));
    const seen: string[] = [];
    let n = 0;
    for (const { address } of index.below(root)) {
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
    index.set(old);
    index.set(young);
    expect([...index.below(root)]).toEqual([root, young]);
  });
});
