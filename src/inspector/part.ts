/** Rows of tables as far as the page has them, with the number of those that it does not have. Pure. */
import type { TableView } from '../gateway/protocol/actor-view.ts';
import type { ENDED_ROWS } from '../machines/rules/records.ts';
import { counted } from './format.ts';

/** Rows of a table, or of several: all of them only where none is left. */
export interface Part<Row> {
  readonly rows: readonly Row[];
  /** Number of rows that are not among them. */
  readonly left: number;
}

/** The rows that some views of tables have. A missing view has none. */
export function partOf<Row>(...views: readonly (TableView<Row> | undefined)[]): Part<Row> {
  const rows = views.flatMap((view) => Object.values(view?.rows ?? {}));
  const size = views.reduce((sum, view) => sum + (view?.size ?? 0), 0);
  return { rows, left: Math.max(0, size - rows.length) };
}

/** The first key of ended records in a desk's table of records; the type is the desk's own key. */
const ENDED_FROM: (typeof ENDED_ROWS)['from'] = '1';

/**
 * The open records that the view of a desk's records has. They come first: where the view ends among them, those that
 * are left are counted with the ended ones.
 */
export function openPartOf<Row>({ rows, size, next }: TableView<Row> = { rows: {}, size: 0, next: null }): Part<Row> {
  const open = Object.entries(rows).flatMap(([place, row]) => (place < ENDED_FROM ? [row] : []));
  return { rows: open, left: next !== null && next < ENDED_FROM ? size - open.length : 0 };
}

/** A number of rows of a part: a least number where some are left. */
export function atLeast({ left }: Part<unknown>, count: number): string {
  return left === 0 ? String(count) : `at least ${count}`;
}

/** Says how many rows are not there, as in `673 more alerts are not loaded`; empty if none is left. */
export function leftText({ left }: Pick<Part<unknown>, 'left'>, noun: string, plural = `${noun}s`): string {
  return left === 0 ? '' : `${counted(left, `more ${noun}`, `more ${plural}`)} ${left === 1 ? 'is' : 'are'} not loaded`;
}
