/**
 * Admits the changes that a turn makes to a state, in place, by value-check.ts. Each key of a context and each row of a
 * table is a value of its own, both for the size bound and in the message.
 */
import {
  TABLE_ROW_BYTES_MAX,
  TABLE_ROWS_MAX,
  TABLES_GIVEN_BYTES_MAX,
  TABLES_MAX,
  VALUE_BYTES_MAX,
} from '../../limits.ts';
import { isTable, ownTable, type Table, visitRows } from '../../table.ts';
import { textBytes } from '../../text-bytes.ts';
import { isProxy, isRecord, shownBy } from './plain-values.ts';
import { type Change, type RowChanges } from './state.ts';
import { admitError } from './thrown.ts';
import {
  admit,
  bounded,
  checkKey,
  checkRecord,
  lastBytes,
  refuse,
  type ResolveHandle,
  standAt,
  standUnder,
} from './value-check.ts';

const PLACE = 'context';

/**
 * Admits a change.
 *
 * @param change Owned by this call, and so is its `set`.
 * @throws BOSUN_VALUE_REFUSED.
 */
export function admitChange(change: Change, resolve?: ResolveHandle): Change {
  const { context, set, rows, output, error } = change;
  if (context !== undefined) {
    change.context = { value: admitContext(context.value, resolve) };
    checkTables(change.context.value);
  }
  // Admission replaced a value, so the context that the turn made no longer matches.
  if (set !== undefined && !admitSet(set, resolve)) change.made = undefined;
  if (rows !== undefined) {
    checkTables(change.made);
    if (!admitRows(rows, resolve)) change.made = undefined;
  }
  if (output !== undefined) change.output = { value: admit(output.value, 'output', resolve) };
  if (error !== undefined) change.error = { value: admitError(error.value) };
  return change;
}

function admitContext(given: unknown, resolve: ResolveHandle | undefined): unknown {
  const value = typeof given === 'object' && given !== null && isProxy(given) ? shownBy(given) : given;
  if (!isRecord(value)) return admit(given, PLACE, resolve);
  standAt(PLACE);
  const fields: Record<string, unknown> = {};
  checkRecord(value, 0);
  for (const key of Object.keys(value)) fields[key] = admitField(key, value[key], resolve);
  return Object.freeze(fields);
}

/**
 * Admits the assigned values.
 *
 * @returns Whether every value was admitted unchanged.
 */
function admitSet(set: Record<string, unknown>, resolve: ResolveHandle | undefined): boolean {
  let isWhole = true;
  standAt(PLACE);
  for (const key in set) {
    if (!Object.hasOwn(set, key)) continue;
    checkKey(key, 0);
    const value = set[key];
    const admitted = admitField(key, value, resolve);
    if (Object.is(admitted, value)) continue;
    set[key] = admitted;
    isWhole = false;
  }
  return isWhole;
}

function admitField(key: string, value: unknown, resolve: ResolveHandle | undefined): unknown {
  standUnder(key, 0);
  if (isTable(value)) return admitTable(value, resolve);
  return bounded(value, { depth: 1, bytes: VALUE_BYTES_MAX }, resolve);
}

/** Admits a table that enters a context whole: each row is a value of its own. */
function admitTable(of: Table<unknown>, resolve: ResolveHandle | undefined): Table<unknown> {
  const given = ownTable(of);
  let admitted = given;
  let left = TABLES_GIVEN_BYTES_MAX;
  checkSize(given.size);
  visitRows(given, (row, key) => {
    admitted = admitted.set(key, admitRow(key, row, resolve));
    left -= lastBytes();
    if (left < 0) refuse(1, `a table of more than ${TABLES_GIVEN_BYTES_MAX} bytes`);
  });
  return admitted;
}

/**
 * Admits the rows that a turn has changed; the other rows of their tables were admitted before.
 *
 * @returns Whether every row was admitted unchanged.
 */
function admitRows(rows: Record<string, RowChanges>, resolve: ResolveHandle | undefined): boolean {
  let isWhole = true;
  let left = VALUE_BYTES_MAX;
  standAt(PLACE);
  for (const [field, { size, set, unset }] of Object.entries(rows)) {
    standUnder(field, 0);
    checkSize(size);
    for (const key of unset) left -= textBytes(key);
    const admitted = set.map(([key, row]) => {
      const entry = [key, admitRow(key, row, resolve)] as const;
      left -= lastBytes();
      isWhole &&= Object.is(entry[1], row);
      return entry;
    });
    if (left < 0) refuse(1, `a table of which more than ${VALUE_BYTES_MAX} bytes change in one turn`);
    rows[field] = { size, set: admitted, unset };
  }
  return isWhole;
}

function admitRow(key: string, row: unknown, resolve: ResolveHandle | undefined): unknown {
  standUnder(key, 1);
  return bounded(row, { depth: 2, bytes: TABLE_ROW_BYTES_MAX }, resolve);
}

function checkSize(rows: number): void {
  if (rows > TABLE_ROWS_MAX) refuse(1, `a table of more than ${TABLE_ROWS_MAX} rows`);
}

function checkTables(context: unknown): void {
  if (!isRecord(context)) return;
  let tables = 0;
  for (const value of Object.values(context)) if (isTable(value)) tables += 1;
  if (tables > TABLES_MAX) refuse(0, `a context of more than ${TABLES_MAX} tables`);
}
