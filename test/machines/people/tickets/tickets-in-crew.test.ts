/** Tickets in the whole crew: the review of replies, beside every other desk. */
import { afterEach, describe, expect, it } from 'vitest';
import { type AlertDeskContext, alertsIn } from '../../../../src/machines/people/alerts/alert-desk.ts';
import { type CrewPorts } from '../../../../src/machines/crew.ts';
import { type TicketDeskContext } from '../../../../src/machines/people/tickets/ticket-desk.ts';
import { type TicketReply } from '../../../../src/machines/people/tickets/ticket-messages.ts';
import { type TicketContext } from '../../../../src/machines/people/tickets/ticket-state.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { planOf } from '../../../support/fixtures/plans/plans.ts';
import { startWholeCrew, type WholeCrew } from '../../../support/machines/whole-crew.ts';

const SECOND_MS = 1_000;
const ID = 'TK-0001';

let crew: WholeCrew | undefined;
afterEach(() => crew?.test.system.stop());

/** A whole crew with a ticket. */
async function start({ title = 'PostgreSQL or MongoDB?', ports = {} }: { title?: string; ports?: CrewPorts } = {}) {
  const plan = planOf({ stages: { draft: { agent: 'draft' } }, items: ['A'] });
  crew = await startWholeCrew(plan, { draft: () => Promise.resolve('drafted') }, ports);
  const opened = await crew.ask<TicketReply>('tickets', {
    type: 'tickets.open',
    kind: 'ai_to_human',
    title,
    creator: 'coder',
  });
  expect(opened).toMatchObject({ taken: true, ticket: ID });
  return crew;
}

async function reply(text: string): Promise<void> {
  await crew!.ask('tickets', { type: 'tickets.reply', ticket: ID, by: 'ada', text });
  await crew!.test.advance(5 * SECOND_MS);
}

const context = () => crew!.test.shard.snapshot(`${DESKS.openTickets}/${ID}`)!.context as TicketContext;
const counts = () => (crew!.test.shard.snapshot('tickets')!.context as TicketDeskContext).counts;
const thread = () => [...context().thread.values()];

describe('the clarity review in a crew', () => {
  it('MX-036, MX-041: begins with a reply of a person and not with the ticket', async () => {
    await start();
    await crew!.test.advance(60 * SECOND_MS);
    expect(context()).toMatchObject({ status: 'open', reviews: 0 });
    await reply('Use PostgreSQL because the reports are joins.');
    expect(context()).toMatchObject({ status: 'resolved', reviews: 1 });
  });

  it('MX-037, MX-038, MX-062: makes of a reply three scores, their mean, and a verdict at 85', async () => {
    await start();
    await reply('It depends.');
    expect(thread()[0]).toMatchObject({
      review: { completeness: 0, total: expect.any(Number) as number, isPassed: false },
    });
    await reply('MongoDB');
    const { review } = thread()[2] as Extract<ReturnType<typeof thread>[number], { kind: 'reply' }>;
    const { clarity, completeness, accuracy, total, isPassed } = review!;
    expect(Math.abs(total - (clarity + completeness + accuracy) / 3)).toBeLessThan(0.1);
    expect([total >= 85, isPassed]).toEqual([true, true]);
  });

  it('MX-E08: passes a reply of 95, 90 and 80 with 88.3', async () => {
    const scores = { clarity: 95, completeness: 90, accuracy: 80, points: [] };
    await start({ ports: { scoreClarity: () => Promise.resolve(scores) } });
    await reply('PostgreSQL');
    expect(context()).toMatchObject({ status: 'resolved', resolution: { score: 88.3 } });
  });

  it('MX-039, MX-042: asks on in the thread of the ticket, and opens no other question', async () => {
    await start();
    await reply('whatever you think is best');
    expect(thread().map(({ kind }) => kind)).toEqual(['reply', 'follow-up']);
    expect(counts()).toMatchObject({ open: 1, in_review: 0, escalated: 0, resolved: 0 });
    expect(crew!.gates()).toEqual([]);
  });

  it('MX-043, MX-E01: has a reply to itself: no other desk of the crew changes by it', async () => {
    await start();
    const others = [DESKS.gates, DESKS.debates, DESKS.batches, DESKS.correlator, DESKS.messages, DESKS.coordinator];
    const sequences = () => others.map((desk) => crew!.test.shard.snapshot(desk)!.sequence);
    const before = sequences();
    await reply('Use PostgreSQL because the reports are joins.');
    expect(context().status).toBe('resolved');
    expect(sequences()).toEqual(before);
  });
});

describe('a question to people', () => {
  it('CN-009: is a gate or a ticket, which share audience, cards and the way of orders in one crew', async () => {
    await start();
    const ask = (desk: string, event: { type: string; [field: string]: unknown }) => crew!.ask(desk, event);
    const asked = { audience: ['ada'], title: 'May we print it?' };
    const form = { type: 'object', properties: {} };
    await ask('gates', { type: 'gate.open', id: 'g', kind: 'x', package: {}, form, deadlineMs: null, ...asked });
    await ask('tickets', { type: 'tickets.open', kind: 'ai_to_human', creator: 'coder', ...asked });
    const stranger = { taken: false, problems: ['by: mallory is not among those asked'] };
    expect(await ask('gates', { type: 'gate.answer', gate: 'g', by: 'mallory', answer: {} })).toEqual(stranger);
    const replied = { type: 'tickets.reply', ticket: 'TK-0002', by: 'mallory', text: 'Yes, print it.' };
    expect(await ask('tickets', replied)).toMatchObject(stranger);
    const cards = alertsIn(crew!.test.shard.snapshot('alerts')!.context as AlertDeskContext).filter(({ kind }) =>
      kind.endsWith('.waiting'),
    );
    expect(cards.map(({ item }) => item)).toEqual(['ticket TK-0002', 'gate g', 'ticket TK-0001']);
  });
});
