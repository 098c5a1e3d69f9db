/** Tickets as the page shows them, checked against the real desk: a change of its context or orders breaks this. */
import { afterEach, describe, expect, it } from 'vitest';
import { shown } from '../../src/gateway/topics/wire-values.ts';
import { type DeskOrder, refusalOf } from '../../src/inspector/desks/desk-orders.ts';
import { DESK_AGENTS, type DeskContexts } from '../../src/inspector/desks/desk-shapes.ts';
import { inboxOf } from '../../src/inspector/desks/inbox.ts';
import {
  assignTicket,
  escalateTicket,
  rejectTicket,
  reopenTicket,
  resolveTicket,
  roundsText,
  scoreText,
  stake,
  threadOf,
  TICKET_STATES,
  ticketRows,
} from '../../src/inspector/desks/tickets.ts';
import { ticketDesk } from '../../src/machines/people/tickets/ticket-desk.ts';
import { ticketStatus } from '../../src/machines/people/tickets/ticket-messages.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { HOUR_MS, SECOND_MS, ticketRoom, type TicketRoom } from '../support/machines/ticket-room.ts';

let room: TicketRoom | undefined;
afterEach(() => room?.test.system.stop());

const seen = <Shape>(address: string) => shown(room!.test.shard.snapshot(address)!.context) as Shape;
const rows = () => ticketRows(seen(DESKS.tickets)).rows;
const row = (id: string) => rows().find((one) => one.id === id)!;

describe('the tickets of the page', () => {
  it('are those of the desk: waiting ones by their time, then ended ones, the latest first', async () => {
    room = await ticketRoom({ isAlone: true });
    for (const priority of [3, 1, 2, 2, 2]) await room.open({ priority });
    for (const id of ['TK-0003', 'TK-0004']) await room.order('reject', id, { reason: 'not ours' });
    expect(DESK_AGENTS.tickets).toBe(ticketDesk.name);
    expect(rows().map(({ id }) => id)).toEqual(['TK-0002', 'TK-0001', 'TK-0005', 'TK-0004', 'TK-0003']);
    expect(row('TK-0001').ref).toMatchObject({ actor: 'open-tickets/TK-0001' });
  });

  it('have words for every status', () => {
    expect(Object.keys(TICKET_STATES).sort()).toEqual([...ticketStatus.options].sort());
  });

  it('show the waiting work, the number of reviews, and the scores of each reply', async () => {
    room = await ticketRoom({ isAlone: true });
    await room.open({ task: 'TASK-1', isBlocking: true });
    expect([stake(row('TK-0001')), roundsText(row('TK-0001'))]).toEqual(['TASK-1 waits for the answer.', '']);
    await room.reply('TK-0001', 'whatever you think is best');
    await room.test.advance(HOUR_MS);
    await room.reply('TK-0001', 'hm', { author: 'agent' });
    expect(roundsText(row('TK-0001'))).toBe('1 review, 1 follow-up · overdue after 1 h');
    const [first, , third] = threadOf(seen('open-tickets/TK-0001')).rows;
    expect(scoreText(first as never)).toBe('30 of 100: clear 0, complete 0, accurate 90');
    expect(scoreText(third as never)).toBe('kept: replies by agents are only kept');
  });

  it('say no more that work waits, once they are over', async () => {
    room = await ticketRoom({ isAlone: true });
    await room.open({ task: 'TASK-1', isBlocking: true });
    await room.order('reject', 'TK-0001', { reason: 'not ours' });
    expect(stake(row('TK-0001'))).toBe('About TASK-1.');
  });
});

describe('the orders of people', () => {
  const give = (order: DeskOrder, typed: Record<string, string>) =>
    room!.ask<unknown>(order.eventOf({ by: 'ada', ...typed }, 0)).then(refusalOf);

  it('are taken by the desk, each for the version that the page shows', async () => {
    room = await ticketRoom({ isAlone: true });
    await room.open();
    const desk = DESKS.tickets;
    expect(await give(assignTicket(desk, row('TK-0001')), { to: 'bob' })).toBeUndefined();
    expect(await give(escalateTicket(desk, row('TK-0001')), { reason: 'stuck' })).toBeUndefined();
    const stale = row('TK-0001');
    expect(await give(resolveTicket(desk, row('TK-0001')), { answer: 'Zod', reason: 'decided' })).toBeUndefined();
    expect(await give(rejectTicket(desk, stale), { reason: 'late' })).toMatch(/has changed/);
    expect(await give(reopenTicket(desk, row('TK-0001')), { reason: 'new facts' })).toBeUndefined();
    expect(await give(rejectTicket(desk, row('TK-0001')), { reason: 'not ours' })).toBeUndefined();
    expect(row('TK-0001')).toMatchObject({ status: 'rejected', assignee: 'bob', reopens: 1 });
  });
});

describe('the inbox', () => {
  it('has tickets by urgency, without those that are reviewed or have ended, and without their cards', async () => {
    room = await ticketRoom({ isAlone: true });
    for (const priority of [2, 1, 2, 2, 2]) await room.open({ priority });
    await room.order('escalate', 'TK-0003', { reason: 'stuck' });
    await room.reply('TK-0004', 'whatever you think is best');
    await room.order('resolve', 'TK-0005', { text: 'Zod', reason: 'decided' });
    const card = { id: 'a', isOver: false, number: 1, kind: 'ticket.waiting', priority: 'HIGH', raisedAtMs: 0 };
    const other = { ...card, id: 'b', item: 'ticket TK-0009', title: 'elsewhere', escalation: null };
    const rowsOf = { '0 2 1': { ...card, item: 'ticket TK-0001', escalation: null }, '0 2 2': other };
    const alerts = { rows: { size: 2, rows: rowsOf, next: null } } as unknown as DeskContexts['alert-desk'];
    const { rows: entries } = inboxOf(
      { gates: undefined, tickets: seen(DESKS.tickets), alerts },
      room.test.clock.wallMs(),
    );
    expect(entries.map((entry) => (entry.kind === 'ticket' ? [entry.ticket.id, entry.urgency] : entry.kind))).toEqual([
      ['TK-0002', 'now'],
      ['TK-0003', 'now'],
      'alert',
      ['TK-0001', 'today'],
    ]);
    await room.test.advance(HOUR_MS + SECOND_MS);
    const desks = { gates: undefined, tickets: seen<DeskContexts['ticket-desk']>(DESKS.tickets), alerts: undefined };
    const { rows: later } = inboxOf(desks, room.test.clock.wallMs());
    expect(later.every(({ urgency }) => urgency === 'now')).toBe(true);
  });
});
