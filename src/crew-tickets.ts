/**
 * Procedures by which clients of a gateway read the tickets of a crew (docs/tickets.md): pages of the list, and one
 * ticket with its thread. They read what is durable and take no turn.
 */
import { z } from 'zod';
import { type DurableReader, procedure } from './actors/api/procedure.ts';
import { isBosunError } from './errors.ts';
import { TICKETS_PAGE_READ_MAX } from './machines/limits.ts';
import { isOnPage, rangeOf, rowKey, shelfOf } from './machines/people/tickets/ticket-list.ts';
import { ticketFilter, type TicketFilter, ticketId, ticketStatus } from './machines/people/tickets/ticket-messages.ts';
import { type TicketRecord } from './machines/people/tickets/ticket-desk.ts';
import { type ThreadEntry, type TicketContext, type TicketRow } from './machines/people/tickets/ticket-state.ts';
import { DESKS } from './machines/desks.ts';
import { type TableView } from './table.ts';

/** The schema of a row, which has further fields, those of TicketRow. */
const row = z.looseObject({
  id: z.string(),
  number: z.int(),
  status: ticketStatus,
  title: z.string(),
  version: z.int(),
});
type ShownRow = z.input<typeof row>;

const page = z.object({
  tickets: z.array(row),
  /** The `after` of the next page; null after the last one. */
  next: z.string().nullable(),
});
const whole = z.object({ ticket: row.nullable(), question: z.unknown(), thread: z.array(z.unknown()) });

/** Procedures for createGateway, if the system has a ticket desk. */
export const ticketProcedures = {
  'tickets.page': procedure({
    means:
      'A page of tickets of one status, in the order of their arrival. A page may be short; ' +
      '`next` says whether it was the last one.',
    params: ticketFilter,
    result: page,
    http: { verb: 'GET', path: '/v1/tickets' },
    example: { p: { status: 'open', limit: 1 }, r: { tickets: [], next: null } },
    read: (filter, reader) => pageOf(filter, reader),
  }),
  'tickets.get': procedure({
    means: 'One ticket: its row in the list, its question and its thread. An archived one has its row alone.',
    params: z.object({ ticket: ticketId }),
    result: whole,
    http: { verb: 'GET', path: '/v1/tickets/{ticket}' },
    example: { p: { ticket: 'TK-0001' }, r: { ticket: null, question: null, thread: [] } },
    read: ({ ticket }, reader) => ticketOf(ticket, reader),
  }),
};

async function pageOf(filter: TicketFilter, reader: DurableReader): Promise<z.input<typeof page>> {
  const { shelf, below, from } = rangeOf(filter);
  // People who may answer only some tickets are read more rows than they are shown.
  const limit = filter.audience === undefined ? filter.limit : TICKETS_PAGE_READ_MAX;
  const range = { ...(from !== undefined && { from }), ...(below !== undefined && { below }), limit };
  const { rows, next } = (await reader.table(DESKS.tickets, shelf, range)) as TableView<TicketRow & ShownRow>;
  const fit = Object.values(rows).filter((one) => isOnPage(one, filter));
  const tickets = fit.slice(0, filter.limit);
  const last = fit.length > tickets.length ? rowKey(tickets.at(-1)!) : Object.keys(rows).at(-1);
  return { tickets, next: (next === null && fit.length === tickets.length) || last === undefined ? null : last };
}

async function ticketOf(id: string, reader: DurableReader): Promise<z.input<typeof whole>> {
  const record = (await rowAt<TicketRecord>(reader, 'open', id)) ?? (await rowAt<TicketRecord>(reader, 'ended', id));
  if (record === undefined) return { ticket: null, question: null, thread: [] };
  const ticket = (await rowAt<ShownRow>(reader, shelfOf(record.status), rowKey(record))) ?? null;
  try {
    const address = `${DESKS.openTickets}/${id}`;
    const { question } = (await reader.actor(address)).context as Pick<TicketContext, 'question'>;
    const { rows } = (await reader.table(address, 'thread')) as TableView<ThreadEntry>;
    return { ticket, question, thread: Object.values(rows) };
  } catch (error) {
    if (isBosunError(error, 'BOSUN_ACTOR_UNKNOWN')) return { ticket, question: null, thread: [] };
    throw error;
  }
}

/** The row of a key; undefined if there is none. */
async function rowAt<Row>(reader: DurableReader, table: string, key: string): Promise<Row | undefined> {
  const { rows } = (await reader.table(DESKS.tickets, table, { from: key, limit: 1 })) as TableView<Row>;
  return rows[key];
}
