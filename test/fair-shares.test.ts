/** The owner who has to give way when items of many owners share a bounded place. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairShares } from '../src/fair-shares.ts';

const first = (shares: FairShares<string>) => shares.firstToGo().next().value as string | undefined;

describe('fair shares', () => {
  it('choose the oldest item of the owner with the most items', () => {
    const shares = new FairShares<string>();
    expect(first(shares)).toBe(undefined);
    shares.enter('quiet 1', 'quiet');
    for (const n of [1, 2, 3]) shares.enter(`loud ${n}`, 'loud');
    expect([...shares.firstToGo()]).toEqual(['loud 1', 'loud 2', 'loud 3']);
    shares.enter('loud 1', 'loud');
    expect([...shares.firstToGo()]).toEqual(['loud 2', 'loud 3', 'loud 1']);
    expect([shares.leave('loud 2'), shares.leave('loud 2')]).toEqual([true, false]);
    expect([shares.size, first(shares)]).toEqual([3, 'loud 3']);
  });

  it('choose from a largest share after any additions and removals', () => {
    const step = fc.record({ one: fc.integer({ max: 12, min: 0 }), owner: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), step), { maxLength: 60 }), (steps) => {
        const shares = new FairShares<number>();
        let model: { one: number; owner: string }[] = [];
        for (const [comes, { one, owner }] of steps) {
          if (comes) shares.enter(one, owner);
          else shares.leave(one);
          model = [...model.filter((other) => other.one !== one), ...(comes ? [{ one, owner }] : [])];
          const of = (name: string) => model.filter((other) => other.owner === name).map((other) => other.one);
          const most = Math.max(...['a', 'b', 'c'].map((name) => of(name).length));
          const given = [...shares.firstToGo()];
          expect([shares.size, given.length]).toEqual([model.length, most]);
          expect(['a', 'b', 'c'].map(of)).toContainEqual(given);
        }
      }),
    );
  });
});
