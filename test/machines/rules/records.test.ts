/** Records of an agent that end, in one table of its context and its index. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ENDED_ROWS,
  endedIn,
  inOneTable,
  noRecords,
  OPEN_ROWS,
  openIn,
  recordIn,
  type RecordKind,
  Records,
  type RecordsApart,
  recordsIn,
  type RecordTables,
} from '../../../src/machines/rules/records.ts';
import { latestFirstKey, numberKey, rankedKey } from '../../../src/machines/rules/table-keys.ts';
import { table, type WholeTable } from '../../../src/table.ts';

interface Row {
  readonly id: string;
  readonly number: number;
  readonly isOver: boolean;
}

const KEPT = 3;
const ROWS: RecordKind<Row> = { keyOf: ({ id }) => id, isOver: ({ isOver }) => isOver, endedMax: KEPT };

/** Records within one turn that does not end. */
function begun<Of extends Row>(kind: RecordKind<Of>) {
  const context: { -readonly [Key in keyof RecordTables<Of>]: RecordTables<Of>[Key] } = noRecords<Of>();
  const records = new Records<Of>({ context, assign: (patch) => void Object.assign(context, patch) }, kind);
  const counts = () => [context.rows.count(OPEN_ROWS), context.rows.count(ENDED_ROWS), context.places.size];
  return { context, records, counts };
}

function begunPlain() {
  const plain = begun(ROWS);
  const put = (number: number, isOver = false) => plain.records.put({ id: `r${number}`, number, isOver });
  return { ...plain, put };
}

describe('records', () => {
  it('are read by key, open or ended, and listed in order of arrival', () => {
    const { context, records, put, counts } = begunPlain();
    for (const number of [1, 2, 10, 9]) put(number);
    put(2, true);
    expect(records.get('r2')).toEqual({ id: 'r2', number: 2, isOver: true });
    expect([records.get('r1')?.isOver, records.get('r3')]).toEqual([false, undefined]);
    expect(recordsIn(context).map(({ id }) => id)).toEqual(['r1', 'r2', 'r9', 'r10']);
    expect(counts()).toEqual([3, 1, 4]);
  });

  it('stand in one table, the open ones by arrival, then the ended ones, the latest first', () => {
    const { context, put } = begunPlain();
    for (const number of [3, 1, 2, 10]) put(number, number !== 3 && number !== 10);
    expect([...context.rows.keys()]).toEqual(['0 000000000003', '0 000000000010', '1 999999999997', '1 999999999998']);
    expect([...context.places]).toEqual([
      ['r1', '1 999999999998'],
      ['r10', '0 000000000010'],
      ['r2', '1 999999999997'],
      ['r3', '0 000000000003'],
    ]);
  });

  it('are read from a table and from a view with all of its rows alike', () => {
    const { context, put } = begunPlain();
    for (const number of [1, 2, 3, 4]) put(number, number % 2 === 0);
    // A view may have its rows in any order.
    const viewed = <Of>(of: Iterable<[string, Of]>, size: number): WholeTable<Of> => {
      return { rows: Object.fromEntries([...of].reverse()), size, next: null };
    };
    const shown = { rows: viewed(context.rows, 4), places: viewed(context.places, 4) };
    for (const each of [context, shown]) {
      expect(recordsIn(each).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
      expect(openIn(each).map(({ number }) => number)).toEqual([1, 3]);
      expect(endedIn(each).map(({ number }) => number)).toEqual([4, 2]);
      expect(['r1', 'r2', 'r5'].map((id) => recordIn<Row>(each, id)?.number)).toEqual([1, 2, undefined]);
    }
  });

  it('keep the last ended records and every open one', () => {
    const { context, put, counts } = begunPlain();
    put(1);
    for (let number = 9; number <= 16; number++) put(number, true);
    expect(recordsIn(context).map(({ number }) => number)).toEqual([1, 14, 15, 16]);
    expect(counts()).toEqual([1, KEPT, 1 + KEPT]);
  });

  it('are dropped by order of arrival, not of end, once they have ended', () => {
    const { context, put } = begunPlain();
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
    const { records, put, counts } = begunPlain();
    for (let number = 1; number <= 600; number++) {
      put(number, number % 2 === 0);
      records.remove(`r${number}`);
    }
    expect(counts()).toEqual([0, 0, 0]);
  });

  it('are replaced by a new record under the same key', () => {
    const { records, put, counts } = begunPlain();
    put(1, true);
    records.put({ id: 'r1', number: 2, isOver: false });
    expect([records.get('r1')?.number, counts()]).toEqual([2, [1, 0, 1]]);
    records.put({ id: 'r1', number: 2, isOver: true });
    records.put({ id: 'r1', number: 3, isOver: true });
    expect([records.get('r1')?.number, counts()]).toEqual([3, [0, 1, 1]]);
  });

  it('change one row where they stay, and leave the index alone', () => {
    const { context, records } = begunPlain();
    records.put({ id: 'r1', number: 1, isOver: false });
    const { places } = context;
    records.put({ id: 'r1', number: 1, isOver: false });
    expect(context.places).toBe(places);
  });
});

describe('keys of places', () => {
  it('sort by number, in either direction, and by rank before it', () => {
    const numbers = [0, 7, 10, 999_999_999_999];
    expect(numbers.map(numberKey).toSorted()).toEqual(numbers.map(numberKey));
    expect(numbers.map(latestFirstKey).toSorted()).toEqual(numbers.map(latestFirstKey).reverse());
    const ranks = ['now', 'later'];
    const keys = [rankedKey(ranks, 'now', 12), rankedKey(ranks, 'later', 3)];
    expect(keys.toSorted()).toEqual(keys);
  });
});

interface Dated extends Row {
  readonly due: number;
}

type Step = { readonly id: number; readonly due: number; readonly does: 'put' | 'end' | 'remove' };

const JOURNAL: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    id: fc.nat(20),
    due: fc.nat(9),
    does: fc.constantFrom('put' as const, 'put' as const, 'end' as const, 'remove' as const),
  }),
  { maxLength: 200, size: 'max' },
);

const DATED: RecordKind<Dated> = { ...ROWS, placeOf: ({ due, id }) => `${due} ${id}` };

/** Carries a journal out, and keeps the records that there should be. */
function played(journal: readonly Step[], kind: RecordKind<Dated>) {
  const { context, records } = begun(kind);
  const wanted = new Map<string, Dated>();
  journal.forEach(({ id: nr, due, does }, at) => {
    const id = `r${nr}`;
    const row = { id, due, number: wanted.get(id)?.number ?? at, isOver: does === 'end' };
    if (does === 'remove') {
      records.remove(id);
      wanted.delete(id);
      return;
    }
    records.put(row);
    wanted.set(id, row);
    const ended = [...wanted.values()].filter(({ isOver }) => isOver).sort((a, b) => b.number - a.number);
    for (const dropped of ended.slice(KEPT)) wanted.delete(dropped.id);
  });
  return { context, records, wanted };
}

/** The records as an earlier build kept them. */
function apart(rows: readonly Dated[], isPlaced: boolean): RecordsApart<Dated> {
  const [open, ended] = [rows.filter(({ isOver }) => !isOver), rows.filter(({ isOver }) => isOver)];
  const keyOf = (row: Dated) => (isPlaced ? DATED.placeOf!(row) : row.id);
  return {
    open: table(open.map((row) => [keyOf(row), row])),
    ended: table(ended.map((row) => [row.id, row])),
    endedOrder: table(ended.map(({ number, id }) => [numberKey(number), id])),
    ...(isPlaced && { openPlaces: table(open.map((row) => [row.id, keyOf(row)])) }),
  };
}

const PLACED: readonly (readonly [string, RecordKind<Dated>])[] = [
  ['records with a place', DATED],
  ['records without one', { ...ROWS }],
];

describe.each(PLACED)('%s', (_, kind) => {
  it('stand in the promised order, one row each, after any puts, moves, ends and removals', () => {
    fc.assert(
      fc.property(JOURNAL, (journal) => {
        const { context, records, wanted } = played(journal, kind);
        const place = (row: Dated) => kind.placeOf?.(row) ?? numberKey(row.number);
        const [open, ended] = [[...wanted.values()].filter((row) => !row.isOver), [...wanted.values()]];
        const inOrder = [
          ...open.toSorted((a, b) => (place(a) < place(b) ? -1 : 1)),
          ...ended.filter(({ isOver }) => isOver).toSorted((a, b) => b.number - a.number),
        ];
        expect([...context.rows.values()]).toEqual(inOrder);
        expect([...openIn(context), ...endedIn(context)]).toEqual(inOrder);
        for (const [id, row] of wanted) expect(records.get(id)).toBe(row);
        expect([...context.places].map(([id, at]) => [id, context.rows.get(at)?.id])).toEqual(
          [...wanted.keys()].sort().map((id) => [id, id]),
        );
      }),
    );
  });

  it('are moved from the tables of an earlier build as if they had been put', () => {
    fc.assert(
      fc.property(JOURNAL, fc.boolean(), (journal, isPlaced) => {
        const { context, wanted } = played(journal, kind);
        const { rows, places, ...others } = inOneTable({ next: 7, ...apart([...wanted.values()], isPlaced) }, kind);
        expect([...rows]).toEqual([...context.rows]);
        expect([...places]).toEqual([...context.places]);
        expect(others).toEqual({ next: 7 });
      }),
    );
  });
});
