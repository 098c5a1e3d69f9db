/** Records of an agent that end, in the tables of its context. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noRecords,
  placedRecords,
  type RecordKind,
  Records,
  recordsIn,
  type RecordTables,
} from '../../../src/machines/rules/records.ts';

interface Row {
  readonly id: string;
  readonly number: number;
  readonly isOver: boolean;
}

const KEPT = 3;
const ROWS: RecordKind<Row> = { keyOf: ({ id }) => id, isOver: ({ isOver }) => isOver, endedMax: KEPT };

/** Records within one turn that does not end. */
function begun() {
  const context: { -readonly [Key in keyof RecordTables<Row>]: RecordTables<Row>[Key] } = noRecords<Row>();
  const records = new Records({ context, assign: (patch) => void Object.assign(context, patch) }, ROWS);
  const put = (number: number, isOver = false) => records.put({ id: `r${number}`, number, isOver });
  const sizes = () => [context.open.size, context.ended.size, context.endedOrder.size];
  return { context, records, put, sizes };
}

describe('records', () => {
  it('are read by key, open or ended, and listed in order of arrival', () => {
    const { context, records, put, sizes } = begun();
    for (const number of [1, 2, 10, 9]) put(number);
    put(2, true);
    expect(records.get('r2')).toEqual({ id: 'r2', number: 2, isOver: true });
    expect([records.get('r1')?.isOver, records.get('r3')]).toEqual([false, undefined]);
    expect(recordsIn(context).map(({ id }) => id)).toEqual(['r1', 'r2', 'r9', 'r10']);
    expect(sizes()).toEqual([3, 1, 1]);
  });

  it('keep the last ended records and every open one', () => {
    const { context, put, sizes } = begun();
    put(1);
    for (let number = 9; number <= 16; number++) put(number, true);
    expect(recordsIn(context).map(({ number }) => number)).toEqual([1, 14, 15, 16]);
    expect(sizes()).toEqual([1, KEPT, KEPT]);
  });

  it('are dropped by order of arrival, not of end, once they have ended', () => {
    const { context, put } = begun();
    for (let number = 1; number <= 5; number++) put(number);
    for (const number of [5, 4, 1, 3]) put(number, true);
    expect(recordsIn(context).map(({ id, isOver }) => [id, isOver])).toEqual([
      ['r2', false],
      ['r3', true],
      ['r4', true],
      ['r5', true],
    ]);
  });

  it('leave nothing behind when they are removed', () => {
    const { records, put, sizes } = begun();
    for (let number = 1; number <= 600; number++) {
      put(number, number % 2 === 0);
      records.remove(`r${number}`);
    }
    expect(sizes()).toEqual([0, 0, 0]);
  });

  it('are replaced by a new record under the same key', () => {
    const { records, put, sizes } = begun();
    put(1, true);
    records.put({ id: 'r1', number: 2, isOver: false });
    expect([records.get('r1')?.number, sizes()]).toEqual([2, [1, 0, 0]]);
    records.put({ id: 'r1', number: 2, isOver: true });
    records.put({ id: 'r1', number: 3, isOver: true });
    expect([records.get('r1')?.number, sizes()]).toEqual([3, [0, 1, 1]]);
  });
});

interface Dated extends Row {
  readonly due: number;
}

type Journal = readonly ({ readonly id: number; readonly due: number } & { readonly does: 'put' | 'end' | 'remove' })[];

const JOURNAL = fc.array(
  fc.record({
    id: fc.nat(20),
    due: fc.nat(9),
    does: fc.constantFrom('put' as const, 'put' as const, 'end' as const, 'remove' as const),
  }),
  { maxLength: 200, size: 'max' },
) satisfies fc.Arbitrary<Journal[number][]>;

describe('records with a place', () => {
  const DATED: RecordKind<Dated> = { ...ROWS, placeOf: ({ due, id }) => `${due} ${id}` };

  it('stand open in the order of their places, one row each, after any puts, moves, ends and removals', () => {
    fc.assert(
      fc.property(JOURNAL, (journal) => {
        const context = { ...placedRecords<Dated>([], DATED) };
        const records = new Records({ context, assign: (patch) => void Object.assign(context, patch) }, DATED);
        const wanted = new Map<string, Dated>();
        journal.forEach(({ id: nr, due, does }, at) => {
          const id = `r${nr}`;
          const row = { id, due, number: wanted.get(id)?.number ?? at, isOver: does === 'end' };
          if (does === 'remove') records.remove(id);
          else records.put(row);
          if (does === 'put') wanted.set(id, row);
          else wanted.delete(id);
          if (does === 'put') expect(records.get(id)).toBe(row);
        });
        const open = [...wanted.values()].map((row) => DATED.placeOf!(row)).sort();
        expect([...context.open.keys()]).toEqual(open);
        expect([...context.open.values()].every((row) => wanted.get(row.id) === row)).toBe(true);
        expect([...context.openPlaces.values()].sort()).toEqual(open);
        for (const [id, row] of wanted) expect(records.get(id)).toBe(row);
        expect(context.ended.size).toBeLessThanOrEqual(KEPT);
        expect(context.endedOrder.size).toBe(context.ended.size);
      }),
    );
  });

  it('are placed anew from rows that stood otherwise', () => {
    const rows = [3, 1, 2].map((due) => ({ id: `r${due}`, number: due, due, isOver: false }));
    const { open, openPlaces } = placedRecords(rows, DATED);
    expect([...open.keys()]).toEqual(['1 r1', '2 r2', '3 r3']);
    expect(openPlaces.get('r3')).toBe('3 r3');
  });
});
