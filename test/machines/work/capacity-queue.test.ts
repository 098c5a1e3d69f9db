/** The capacity queue: which entries get a place, in which order, and what happens to the rest. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit, byTurn, roomIn, startable, turnKey } from '../../../src/machines/work/capacity-queue.ts';

const lane = (name: string, held: number, capacity = 3) => ({ name, held, capacity });

describe('a newcomer', () => {
  it('CN-006: gets the lane with the fewest taken places, the first such lane on a tie', () => {
    expect(admit([lane('eve', 2), lane('fay', 1), lane('gus', 1)], 'wait')).toEqual({
      to: 'lane',
      lane: lane('fay', 1),
    });
  });

  it.each(['wait', 'reject', 'defer', 'force-resolve'] as const)(
    'CN-006: gets the policy %s if all lanes are full',
    (policy) => {
      expect(admit([lane('eve', 3), lane('fay', 4)], policy)).toEqual({ to: policy });
      expect(admit([], policy)).toEqual({ to: policy });
    },
  );

  it('CN-006: finds no place in a lane that holds more entries than it has places', () => {
    expect([0, 3, 5].map((held) => roomIn(lane('eve', held)))).toEqual([3, 0, 0]);
  });
});

describe('turns in the queue', () => {
  const turns = fc.record({ rank: fc.nat(9), arrival: fc.nat(1_000_000) });

  it('CN-006: come by rank, then by arrival, in a list as well as by their keys in a table', () => {
    fc.assert(
      fc.property(fc.array(turns), (list) => {
        const sorted = list.toSorted(byTurn);
        const keyed = list
          .map((turn) => ({ turn, key: turnKey(turn, 'x') }))
          .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
        expect(keyed.map(({ turn }) => turn)).toEqual(sorted);
        for (const [index, { rank, arrival }] of sorted.slice(1).entries()) {
          const before = sorted[index]!;
          expect(before.rank < rank || (before.rank === rank && before.arrival <= arrival)).toBe(true);
        }
      }),
    );
  });
});

describe('the choice of entries to start', () => {
  const LANES = new Map([
    ['a', { capacity: 2, held: 1 }],
    ['b', { capacity: 1, held: 0 }],
  ]);
  const laneOf = (entry: string) => entry[0]!;

  it('CN-006: keeps the order of the queue, each lane within its places', () => {
    expect(startable(['a1', 'a2', 'b1', 'b2', 'c1'], { lanes: LANES, laneOf })).toEqual(['a1', 'b1']);
  });

  it('CN-006: is limited by the batch size, and is empty if every lane is full', () => {
    expect(startable(['a1', 'b1'], { lanes: LANES, laneOf, batchMax: 1 })).toEqual(['a1']);
    expect(startable(['a1'], { lanes: new Map([['a', { capacity: 1, held: 1 }]]), laneOf })).toEqual([]);
  });

  it('CN-006: takes the first entries of each lane, as many as the lane has places', () => {
    const entries = fc.array(fc.constantFrom('a', 'b', 'c').chain((key) => fc.nat(99).map((n) => `${key}${n}`)));
    const capacities = fc.record({ a: fc.nat(4), b: fc.nat(4), c: fc.nat(4) });
    fc.assert(
      fc.property(entries, capacities, (waiting, places) => {
        const lanes = new Map(Object.entries(places).map(([key, capacity]) => [key, { capacity, held: 0 }]));
        const started = startable(waiting, { lanes, laneOf });
        for (const [key, capacity] of Object.entries(places)) {
          const own = waiting.filter((entry) => laneOf(entry) === key);
          expect(started.filter((entry) => laneOf(entry) === key)).toEqual(own.slice(0, capacity));
        }
      }),
    );
  });
});
