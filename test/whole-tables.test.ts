/** Tables that are whole and tables that were seen in part: whole by type, and by reading the rest. */
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ContextIn } from '../src/client/contract.ts';
import { BosunError } from '../src/errors.ts';
import {
  type CoordinatorContext,
  itemIn,
  itemsIn,
  performanceOf,
} from '../src/machines/coordination/coordinator/coordinator-context.ts';
import { batchesIn, type BatchManagerContext } from '../src/machines/coordination/batches/batch-manager.ts';
import { type FacilitatorContext } from '../src/machines/coordination/debates/facilitator-context.ts';
import { debatesIn } from '../src/machines/coordination/debates/debate-facilitator.ts';
import { type AlertDeskContext, alertsIn } from '../src/machines/people/alerts/alert-desk.ts';
import { type gateDesk, type GateDeskContext, gatesIn } from '../src/machines/people/gates/gate-desk.ts';
import { recordsIn } from '../src/machines/rules/records.ts';
import { wideRowIn, wideRowsIn } from '../src/machines/rules/wide-rows.ts';
import { isWhole, rowIn, rowsOf, type Shown, table, type TableView, type WholeView } from '../src/table.ts';
import { wholeTable, withWholeTables } from '../src/whole-tables.ts';

interface Seen {
  readonly gates: Shown<GateDeskContext>;
  readonly afar: ContextIn<typeof gateDesk>;
  readonly alerts: Shown<AlertDeskContext>;
  readonly batches: Shown<BatchManagerContext>;
  readonly debates: Shown<FacilitatorContext>;
  readonly plan: Shown<CoordinatorContext>;
}

/** Compiled, never run. */
function misuses({ gates, afar, alerts, batches, debates, plan }: Seen): void {
  // @ts-expect-error the gates of a first page
  gatesIn(gates);
  // @ts-expect-error the same, as a client sees them
  gatesIn(afar);
  // @ts-expect-error the records of a first page
  recordsIn(gates);
  // @ts-expect-error the alerts of a first page
  alertsIn(alerts);
  // @ts-expect-error the batches of a first page
  batchesIn(batches);
  // @ts-expect-error the debates of a first page
  debatesIn(debates);
  // @ts-expect-error the items of a first page: an item without a row is not untouched
  itemsIn(plan);
  // @ts-expect-error one item of a first page
  itemIn(plan, 'AAPL');
  // @ts-expect-error performances of a first page
  performanceOf(plan);
  // @ts-expect-error rows of a first page, however wide
  wideRowIn(plan, 'items', 'AAPL');
  // @ts-expect-error all of them
  wideRowsIn(plan, 'items');
  // @ts-expect-error the rows of a part
  rowsOf(gates.rows);
  // @ts-expect-error a part says nothing of a key that it does not have
  rowIn(gates.rows, 'sign');
  if (isWhole(gates.rows)) gatesIn({ rows: gates.rows });
}

const rowsIn = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [String(n).padStart(4, '0'), n]));

/** The page of a table that begins at a key, of some rows. */
function pageOf(rows: Readonly<Record<string, number>>, from: string, limit: number): TableView<number> {
  const keys = Object.keys(rows).filter((key) => key >= from);
  const shown = keys.slice(0, limit);
  return {
    size: Object.keys(rows).length,
    rows: Object.fromEntries(shown.map((key) => [key, rows[key]!])),
    next: keys[shown.length] ?? null,
  };
}

describe('a table that was seen in part', () => {
  it('does not stand for the whole one, by its type', () => {
    expect(misuses).toBeTypeOf('function');
    expectTypeOf<WholeView<number>>().toExtend<TableView<number>>();
    expectTypeOf<TableView<number>>().not.toExtend<WholeView<number>>();
  });

  it('is completed page by page, whatever the pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.integer({ min: 1, max: 25 }), async (count, limit) => {
        const rows = rowsIn(count);
        const whole = await wholeTable(pageOf(rows, '', limit), (from) => Promise.resolve(pageOf(rows, from, limit)));
        expect(whole).toEqual({ size: count, rows, next: null });
        expect(rowsOf(whole)).toEqual(rowsOf(table(Object.entries(rows))));
        expect([rowIn(whole, '0000'), rowIn(whole, 'none')]).toEqual([rows['0000'], undefined]);
      }),
    );
  });

  it('is completed in a context, where it is one; a value that only looks like one stays as it is', async () => {
    const rows = rowsIn(10);
    const alike = { size: 2, rows: {}, next: 'x' };
    const whole = await withWholeTables({ open: pageOf(rows, '', 3), alike, count: 1 }, (name, from) =>
      name === 'open'
        ? Promise.resolve(pageOf(rows, from, 4))
        : Promise.reject(new BosunError('BOSUN_TABLE_UNKNOWN', 'no table')),
    );
    expect(whole).toEqual({ open: { size: 10, rows, next: null }, alike, count: 1 });
  });
});
