/** Records of an agent: their places in its context. */
import { describe, expect, it } from 'vitest';
import { recordIn, type RecordKind, Records, recordsIn } from '../../../src/machines/people/records.ts';

interface Row {
  readonly id: string;
  readonly number: number;
  readonly isOver: boolean;
}

const KEPT = 3;
const ROWS: RecordKind<Row> = { kind: 'row', keyOf: ({ id }) => id, isOver: ({ isOver }) => isOver, overMax: KEPT };

/** A context, and its records as of each change. */
function begun() {
  const context: Record<string, Row | undefined> = {};
  const records = () => new Records(context, ROWS, (place, row) => (context[place] = row));
  const put = (number: number, isOver = false) => records().put({ id: `r${number}`, number, isOver });
  return { context, records, put };
}

describe('records', () => {
  it('are read by key, and replaced in their place', () => {
    const { context, put } = begun();
    put(1);
    put(2);
    put(1, true);
    expect(recordIn(context, ROWS, 'r1')).toEqual({ id: 'r1', number: 1, isOver: true });
    expect(recordsIn<Row>(context, ROWS).map(({ id }) => id)).toEqual(['r1', 'r2']);
    expect(recordIn(context, ROWS, 'r9')).toBe(undefined);
  });

  it('keep the last that are over and every open one, in as many places', () => {
    const { context, put } = begun();
    put(1);
    for (let number = 2; number <= 9; number++) put(number, true);
    expect(Object.keys(context)).toHaveLength(KEPT + 1);
    expect(
      recordsIn<Row>(context, ROWS)
        .map(({ number }) => number)
        .sort(),
    ).toEqual([1, 7, 8, 9]);
  });

  it('that were removed leave a place for the next one, and no key', () => {
    const { context, records, put } = begun();
    for (let number = 1; number <= 600; number++) {
      put(number);
      records().remove(`r${number}`);
    }
    put(601);
    expect(Object.entries(context)).toEqual([['row:0', { id: 'r601', number: 601, isOver: false }]]);
  });

  it('of one turn are one view: what was put is there at once', () => {
    const { records } = begun();
    const own = records();
    for (const number of [1, 2]) own.put({ id: `r${number}`, number, isOver: false });
    own.remove('r1');
    own.put({ id: 'r3', number: 3, isOver: false });
    expect([own.get('r1'), own.get('r3')?.number, own.all().map(({ id }) => id)]).toEqual([undefined, 3, ['r3', 'r2']]);
  });
});
