/** Tickets and their clarity in the whole crew (D5): what a reply does to the task that waits for it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TicketRow } from '../../../src/machines/people/tickets/ticket-state.ts';
import { DeliveryRoom, MINUTE_MS, SECOND_MS, task } from '../../support/machines/delivery-room.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;
const CLEAR = 'The service listens on port 8080.';

let room: DeliveryRoom;
afterEach(() => room?.test.system.stop());

/** A task whose coding agent has asked what only people know, and its ticket. */
beforeEach(async () => {
  room = await DeliveryRoom.start();
  await room.submit([task('A')]);
  await room.next('cc');
  const asked = room.test.system.ask('answers', {
    ...{ type: 'answers.ask', asker: 'cc', maxWaitMs: 0 },
    bundle: { question: 'Which port has the service to listen on?', confidence_level: 50, current_task_id: 'TASK-001' },
  });
  await room.test.advance(2 * MINUTE_MS);
  await asked;
});

const ticket = (): TicketRow => room.tickets().find(({ task: about }) => about === 'TASK-001')!;
const reply = async (text: string) => {
  const order = { type: 'tickets.reply', ticket: ticket().id, by: 'ada', text };
  await room.order('tickets', order);
  await room.test.advance(6 * SECOND_MS);
};

describe('the ticket of a task', () => {
  it('MX-059, MX-076: is resolved by a clear reply, and its task is ready to be pulled again', async () => {
    expect(room.task('TASK-001')).toMatchObject({ status: 'blocked', tickets: [ticket().id] });
    await reply(CLEAR);
    expect([room.status('TASK-001'), ticket()]).toEqual(['ready', undefined]);
    expect((await room.next('cc')).directive).toMatchObject({ notes: [`ada: ${CLEAR}`] });
  });

  it('MX-060, MX-076: is followed up after a reply that is not clear, and the task waits on', async () => {
    await reply('whatever you think is best');
    expect(ticket()).toMatchObject({ status: 'open', followUps: 1 });
    const { context } = room.test.shard.snapshot(`open-tickets/${ticket().id}`)!;
    expect(JSON.stringify(context)).toContain('Not fully clear. Please clarify');
    expect(room.status('TASK-001')).toBe('blocked');
    await room.powerCut();
    await reply(CLEAR);
    expect(room.status('TASK-001')).toBe('ready');
  });

  it('MX-061: is escalated after the sixth reply that is not clear', async () => {
    for (let round = 1; round <= 6; round += 1) await reply('whatever you think is best');
    expect(ticket()).toMatchObject({ status: 'escalated', followUps: 5, escalation: 'User not responding' });
    expect(room.status('TASK-001')).toBe('blocked');
    await room.answer(ticket().id, CLEAR);
    expect(room.status('TASK-001')).toBe('ready');
  });

  it.each(['ai_to_human', 'human_to_ai', 'investigation', 'user_direct_query'])('MX-091: may be %s', async (kind) => {
    const question = { type: 'tickets.open', kind, title: 'Zod or Joi?', creator: 'ada', task: 'TASK-001' };
    expect(await room.order('tickets', question)).toMatchObject({ taken: true });
    expect(room.tickets().map((one) => one.kind)).toContain(kind);
  });

  it('MX-092: is open, in review, resolved, and archived after 30 days; or rejected', async () => {
    const { id } = ticket();
    const other = await room.order<{ ticket: string }>('tickets', {
      ...{ type: 'tickets.open', kind: 'human_to_ai', title: 'Zod or Joi?', creator: 'ada' },
    });
    const state = (of: string) => room.test.shard.snapshot(`open-tickets/${of}`)?.value;
    await room.order('tickets', { type: 'tickets.reply', ticket: id, by: 'ada', text: CLEAR });
    expect([ticket().status, room.tickets().length]).toEqual(['in_review', 2]);
    await room.test.advance(6 * SECOND_MS);
    await room.order('tickets', { type: 'tickets.reject', ticket: other.ticket, by: 'ada', reason: 'settled' });
    expect([state(id), state(other.ticket), room.tickets()]).toEqual(['resolved', 'rejected', []]);
    await room.test.advance(31 * DAY_MS);
    expect([state(id), state(other.ticket)]).toEqual([undefined, undefined]);
  });
});
