/**
 * The list of tickets in three tables of their desk: those that wait, those that have ended, those that are archived.
 * A key is the status and the number, so a page of one status is a range of keys and costs no more beside ten thousand
 * others. Pure.
 */
import { type KeyRange, type Table, table } from '../../../table.ts';
import { numberKey, pairKey, pairsOf } from '../../rules/table-keys.ts';
import { type TicketFilter, type TicketStatus } from './ticket-messages.ts';
import { mayAct, WAITING } from './ticket-rules.ts';
import { type TicketRow } from './ticket-state.ts';

/** The tables of the list, each with the statuses of its rows. */
export const SHELVES = {
  waiting: WAITING,
  settled: ['resolved', 'rejected'],
  archived: ['archived'],
} as const satisfies Readonly<Record<string, readonly TicketStatus[]>>;

export type Shelf = keyof typeof SHELVES;

/** The part of the desk's context that holds the list. */
export type TicketShelves = Readonly<Record<Shelf, Table<TicketRow>>>;

export function noTickets(): TicketShelves {
  return { waiting: table(), settled: table(), archived: table() };
}

/** The table that holds tickets of a status. */
export function shelfOf(status: TicketStatus): Shelf {
  return (Object.keys(SHELVES) as Shelf[]).find((shelf) =>
    (SHELVES[shelf] as readonly TicketStatus[]).includes(status),
  )!;
}

/** The key of a ticket in its table. */
export function rowKey({ status, number }: Pick<TicketRow, 'status' | 'number'>): string {
  return pairKey(status, numberKey(number));
}

/** The list with a row replaced. */
export function withRow(shelves: TicketShelves, row: TicketRow, before: TicketStatus | null): Partial<TicketShelves> {
  const to = shelfOf(row.status);
  const from = before === null ? to : shelfOf(before);
  const old = before === null || before === row.status ? null : rowKey({ status: before, number: row.number });
  const without = old === null ? shelves[from] : shelves[from].delete(old);
  if (from === to) return { [to]: without.set(rowKey(row), row) };
  return { [from]: without, [to]: shelves[to].set(rowKey(row), row) };
}

/** The table and the range of keys from which a page is read. */
export interface TicketRange extends KeyRange {
  readonly shelf: Shelf;
}

/** The range of a page that begins after `after`. */
export function rangeOf({ status, after }: Pick<TicketFilter, 'status' | 'after'>): TicketRange {
  const isGroup = status === 'waiting' || status === 'settled';
  const shelf = isGroup ? status : shelfOf(status);
  const { from, below } = isGroup ? { from: undefined, below: undefined } : pairsOf(status);
  // No key lies between a key and itself followed by the lowest character.
  return { shelf, from: after === undefined ? from : `${after}\0`, below };
}

/** Whether a ticket belongs on the page. */
export function isOnPage(row: TicketRow, { audience }: Pick<TicketFilter, 'audience'>): boolean {
  return audience === undefined || mayAct({ question: row, assignee: row.assignee }, audience);
}
