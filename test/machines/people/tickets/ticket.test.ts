/** One ticket from its opening to its archive, on virtual time. */
import { afterEach, describe, expect, it } from 'vitest';
import { DESKS } from '../../../../src/machines/desks.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  QUESTION,
  type RoomOptions,
  SECOND_MS,
  ticketRoom,
  type TicketRoom,
} from '../../../support/machines/ticket-room.ts';

let running: TicketRoom | undefined;
afterEach(async () => {
  await running?.test.system.stop();
  running = undefined;
});

async function start(options?: RoomOptions): Promise<TicketRoom> {
  return (running = await ticketRoom(options));
}

const reason = 'the release cannot wait';

/** Cuts the power, and starts the system again after a time. */
async function beDown({ test }: TicketRoom, ms: number): Promise<void> {
  await test.crash();
  await test.clock.advance(ms, async () => {});
  await test.restart();
  await test.settle();
}

describe('a ticket', () => {
  it('MX-090: has an id of four digits, its question, and a version that every change raises', async () => {
    const room = await start();
    const id = await room.open({ description: 'For the public API.', task: 'TASK-003', priority: 1, assignee: 'ada' });
    expect(id).toBe('TK-0001');
    expect(room.row(id)).toMatchObject({
      ...{ id, number: 1, kind: 'ai_to_human', status: 'open', priority: 1, creator: 'coder', assignee: 'ada' },
      ...{
        task: 'TASK-003',
        title: QUESTION.title,
        version: 1,
        resolution: null,
        openedAtMs: room.test.clock.wallMs(),
      },
    });
    await room.order('assign', id, { assignee: 'bob' });
    expect(room.row(id)).toMatchObject({ assignee: 'bob', version: 2 });
    expect(await room.open()).toBe('TK-0002');
  });

  it('MX-090: keeps its thread with the score of each reply, and its history as records', async () => {
    const room = await start();
    const id = await room.open();
    await room.reply(id, 'It depends on the day.');
    await room.test.advance(5 * SECOND_MS);
    await room.reply(id, 'Zod.');
    await room.test.advance(5 * SECOND_MS);
    expect(room.thread(id)).toMatchObject([
      { kind: 'reply', number: 1, by: 'ada', text: 'It depends on the day.', review: { isPassed: false } },
      { kind: 'follow-up', number: 2, text: expect.stringMatching(/^Not fully clear\. Please clarify /) },
      { kind: 'reply', number: 3, by: 'ada', text: 'Zod.', review: { isPassed: true } },
    ]);
    const { records } = await room.test.system.records.list(`${DESKS.openTickets}/${id}`, 'history');
    expect(records.map(({ value }) => (value as { what: string }).what)).toEqual([
      ...['ticket.open', 'reply.given', 'reply.scored', 'reply.given', 'reply.scored'],
    ]);
  });

  it.each(['ai_to_human', 'human_to_ai', 'investigation', 'user_direct_query'])('MX-091: may be %s', async (kind) => {
    const room = await start();
    expect(room.row(await room.open({ kind }))).toMatchObject({ kind });
  });

  it('MX-091: is a user_direct_query if it was opened as a question', async () => {
    const room = await start();
    expect(room.row(await room.open({ kind: 'question' }))).toMatchObject({ kind: 'user_direct_query' });
    await expect(room.open({ kind: 'chat' })).rejects.toThrow(/kind/);
  });
});

describe('a reply', () => {
  it('MX-041: is reviewed after five seconds, and resolves the ticket if it is clear', async () => {
    const room = await start();
    const id = await room.askedBy({ about: 'Q-1' });
    expect(await room.reply(id, 'Zod.')).toMatchObject({ taken: true, ticket: id, version: 2 });
    expect(room.value(id)).toEqual({ in_review: 'queued' });
    await room.test.advance(4_999);
    expect(room.row(id).status).toBe('in_review');
    await room.test.advance(1);
    expect(room.value(id)).toBe('resolved');
    expect(room.heard().at(-1)).toMatchObject({
      ...{ type: 'ticket.resolved', ticket: id, about: 'Q-1' },
      resolution: { text: 'Zod.', by: 'ada', byHand: false, score: 96.7 },
    });
  });

  it('MX-060: is followed up in the thread if it is not clear, with at most three questions', async () => {
    const room = await start();
    const id = await room.open();
    await room.reply(id, 'whatever you think is best');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id)).toMatchObject({ status: 'open', followUps: 1, reviews: 1 });
    const followUp = room.thread(id).at(-1) as { readonly text: string; readonly questions: readonly string[] };
    expect(followUp.text).toMatch(/^Not fully clear\. Please clarify which of Zod and Joi; your own decision/);
    expect(followUp.questions.length).toBeGreaterThan(0);
    expect(followUp.questions.length).toBeLessThanOrEqual(3);
  });

  it('MX-061: is followed up five times; the sixth one that is not clear escalates the ticket', async () => {
    const room = await start();
    const id = await room.askedBy();
    for (let round = 1; round <= 5; round++) {
      await room.reply(id, 'whatever you think is best');
      await room.test.advance(5 * SECOND_MS);
      expect(room.row(id)).toMatchObject({ status: 'open', followUps: round });
    }
    await room.reply(id, 'whatever you think is best');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id)).toMatchObject({
      status: 'escalated',
      followUps: 5,
      reviews: 6,
      escalation: 'User not responding',
    });
    expect(room.heard().map(({ type }) => type)).toEqual(['ticket.opened', 'ticket.escalated']);
  });

  it('MX-097: is reviewed at once if its ticket has priority 1', async () => {
    const room = await start();
    const id = await room.open({ priority: 1 });
    await room.reply(id, 'Zod.');
    await room.test.advance(0);
    expect(room.row(id).status).toBe('resolved');
  });

  it('MX-097: replaces the one whose review is queued', async () => {
    const room = await start();
    const id = await room.open();
    await room.reply(id, 'whatever you think is best');
    await room.test.advance(4 * SECOND_MS);
    await room.reply(id, 'Joi, not Zod');
    await room.test.advance(4_999);
    expect(room.value(id)).toEqual({ in_review: 'queued' });
    await room.test.advance(1);
    expect(room.row(id)).toMatchObject({ status: 'resolved', reviews: 1, resolution: { text: 'Joi, not Zod' } });
    expect(room.thread(id)).toMatchObject([{ review: null }, { review: { isPassed: true } }]);
  });

  it('MX-097: is kept and not reviewed if an agent gives it where a person was asked', async () => {
    const room = await start();
    const id = await room.open();
    const reply = await room.reply(id, 'Zod, I would say.', { by: 'coder', author: 'agent' });
    expect(reply).toMatchObject({ taken: true, problems: ['kept, not reviewed: replies by agents are only kept'] });
    expect(room.row(id)).toMatchObject({ status: 'open', version: 2 });
    expect(room.thread(id)).toMatchObject([{ author: 'agent', review: null }]);
  });

  it('MX-097: is reviewed if an agent gives it to a person who has asked, and kept if the person does', async () => {
    const room = await start();
    const id = await room.open({ kind: 'user_direct_query', creator: 'ada' });
    expect(await room.reply(id, 'Any news on this one?')).toMatchObject({
      problems: [expect.stringMatching(/by people/)],
    });
    await room.reply(id, 'Zod.', { by: 'answers', author: 'agent' });
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id)).toMatchObject({ status: 'resolved', resolution: { by: 'answers' } });
  });

  it.each([
    ['ok thanks', 'kept'],
    ['ok thanks.', 'reviewed'],
    ['Zod', 'reviewed'],
  ])('MX-097: is kept if it has fewer than ten characters and answers nothing: "%s" is %s', async (text, fate) => {
    const room = await start();
    const id = await room.open();
    await room.reply(id, text);
    expect(room.row(id).status).toBe(fate === 'kept' ? 'open' : 'in_review');
  });

  it('chooses an option of the form, and no other', async () => {
    const room = await start();
    const id = await room.open({ options: ['Zod', 'Joi'] });
    expect(await room.reply(id, 'x', { option: 'Yup' })).toMatchObject({ taken: false, code: 'TICKET_OPTION' });
    await room.reply(id, 'as we said in the call', { option: 'Joi' });
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id)).toMatchObject({ status: 'resolved', resolution: { option: 'Joi' } });
  });

  it('is kept if its ticket is escalated: people resolve or reject it', async () => {
    const room = await start();
    const id = await room.open();
    await room.order('escalate', id, { reason });
    expect(await room.reply(id, 'Zod, as we use it everywhere.')).toMatchObject({
      problems: ['kept, not reviewed: the ticket is escalated: resolve or reject it'],
    });
    expect(room.row(id).status).toBe('escalated');
  });
});

describe('a score of the host', () => {
  const score = (clarity: number, completeness: number, accuracy: number) =>
    Promise.resolve({
      clarity,
      completeness,
      accuracy,
      points: [{ missing: 'the scope', question: 'For which part?' }],
    });

  it('MX-E17: is followed up at 72, and resolves at 94', async () => {
    const scores = [72, 94];
    const room = await start({
      scoreClarity: () => {
        const one = scores.shift()!;
        return score(one, one, one);
      },
    });
    const id = await room.open({ title: 'Which database?' });
    await room.reply(id, 'Use PostgreSQL with pgvector');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id)).toMatchObject({ status: 'open', followUps: 1 });
    expect(room.thread(id).at(-1)).toMatchObject({
      text: 'Not fully clear. Please clarify the scope.',
      questions: ['For which part?'],
    });
    await room.reply(id, 'Use PostgreSQL with pgvector for the search, version 16');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id)).toMatchObject({ status: 'resolved', resolution: { score: 94 } });
  });

  it.each([
    ['MX-076: does not pass at 84.9', 84.9, 'open'],
    ['MX-076: passes at 85', 85, 'resolved'],
  ])('%s', async (_, total, status) => {
    const room = await start({ scoreClarity: () => score(total, total, total) });
    const id = await room.open();
    await room.reply(id, 'something or other');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id).status).toBe(status);
  });

  it('MX-098: is given the description and the last five replies', async () => {
    const given: unknown[] = [];
    const room = await start({
      scoreClarity: (input) => {
        given.push(input);
        return score(10, 10, 10);
      },
    });
    const id = await room.open({ description: 'Only for the API.' });
    for (const nth of ['first', 'second', 'third', 'fourth', 'fifth']) {
      await room.reply(id, `the ${nth} reply of ada`);
      await room.test.advance(5 * SECOND_MS);
    }
    await room.reply(id, 'the sixth reply of ada');
    await room.test.advance(5 * SECOND_MS);
    const earlier = ['first', 'second', 'third', 'fourth', 'fifth'].map((nth) => `the ${nth} reply of ada`);
    expect(given.at(-1)).toMatchObject({ description: 'Only for the API.', reply: 'the sixth reply of ada', earlier });
  });

  it('is replaced by that of the rule if it is malformed, fails or is late, and the thread says why', async () => {
    for (const [scoreClarity, why] of [
      [() => Promise.resolve({ clarity: 'good' } as never), /malformed/],
      [() => Promise.reject(new Error('no credit')), /no credit/],
      [() => new Promise<never>(() => {}), /no answer within 15000 ms/],
    ] as const) {
      const room = await start({ scoreClarity });
      const id = await room.open();
      await room.reply(id, 'Zod.');
      await room.test.advance(20 * SECOND_MS);
      expect(room.row(id)).toMatchObject({ status: 'resolved', resolution: { score: 96.7 } });
      expect(room.thread(id)).toMatchObject([{ review: { note: expect.stringMatching(why) } }]);
      await room.test.system.stop();
    }
    running = undefined;
  });

  it.each([
    [1, 5],
    [2, 15],
    [3, 30],
  ])('MX-097: is awaited at priority %i for %i seconds', async (priority, seconds) => {
    const room = await start({
      scoreClarity: () => new Promise<never>(() => {}),
      times: { reviewAfterMs: { 1: 0, 2: 0, 3: 0 } },
    });
    const id = await room.open({ priority });
    await room.reply(id, 'Zod.');
    await room.test.advance(seconds * SECOND_MS - 1);
    expect(room.value(id)).toEqual({ in_review: 'scoring' });
    await room.test.advance(1);
    expect(room.row(id).status).toBe('resolved');
  });
});

describe('people', () => {
  it('MX-093: resolve a waiting ticket by hand, with a text, a name and a reason', async () => {
    const room = await start();
    for (const reach of [
      async () => room.askedBy(),
      async () => {
        const id = await room.askedBy();
        await room.reply(id, 'whatever you think is best');
        return id;
      },
      async () => {
        const id = await room.askedBy();
        await room.order('escalate', id, { reason });
        return id;
      },
    ]) {
      const id = await reach();
      expect(await room.order('resolve', id, { text: 'Zod', reason })).toMatchObject({ taken: true });
      expect(room.row(id)).toMatchObject({
        status: 'resolved',
        resolution: { text: 'Zod', by: 'ada', byHand: true, reason, score: null },
      });
      await room.test.advance(MINUTE_MS);
      expect(room.heard().at(-1)).toMatchObject({ type: 'ticket.resolved', ticket: id, resolution: { byHand: true } });
    }
    await expect(room.order('resolve', 'TK-0001', { text: 'Zod' })).rejects.toThrow(/reason/);
    await expect(room.order('resolve', 'TK-0001', { reason })).rejects.toThrow(/text/);
  });

  it('MX-093: reject a ticket, and reopen an ended one, which begins its rounds anew', async () => {
    const room = await start();
    const id = await room.askedBy();
    await room.reply(id, 'whatever you think is best');
    await room.test.advance(5 * SECOND_MS);
    await room.order('reject', id, { reason: 'not ours' });
    expect(room.row(id)).toMatchObject({ status: 'rejected', rejection: { by: 'ada', reason: 'not ours' } });
    expect(await room.order('reopen', id, { reason: 'ours after all' })).toMatchObject({ taken: true });
    expect(room.row(id)).toMatchObject({
      status: 'open',
      reopens: 1,
      followUps: 0,
      rejection: null,
      settledAtMs: null,
    });
    expect(room.heard().map(({ type }) => type)).toEqual(['ticket.opened', 'ticket.rejected', 'ticket.reopened']);
    expect(room.thread(id)).toHaveLength(2);
  });

  it('MX-098: are asked again when they reopen a ticket: earlier replies no longer count', async () => {
    const room = await start();
    const id = await room.open({ title: 'Which database do we use, and how long do we keep the access logs?' });
    await room.reply(id, 'PostgreSQL, and 90 days');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id).status).toBe('resolved');
    await room.order('reopen', id, { reason: 'the law has changed' });
    await room.reply(id, '30 days from now on');
    await room.test.advance(5 * SECOND_MS);
    expect(room.row(id).status).toBe('open');
  });

  it('rate a resolved ticket from 1 to 5', async () => {
    const room = await start();
    const id = await room.open();
    expect(await room.order('rate', id, { rating: 4 })).toMatchObject({ taken: false, code: 'TICKET_STATE' });
    await room.order('resolve', id, { text: 'Zod', reason });
    await room.order('rate', id, { rating: 4 });
    await room.order('rate', id, { rating: 2 });
    expect(room.row(id).rating).toBe(2);
    expect(room.desk.sums).toMatchObject({ ratings: 1, ratingSum: 2 });
    await expect(room.order('rate', id, { rating: 6 })).rejects.toThrow(/rating/);
  });

  it('get the score that a reply would have, without changing the ticket', async () => {
    const room = await start();
    const id = await room.open();
    const preview = (text: string) => room.ask({ type: 'tickets.preview', ticket: id, text });
    expect(await preview('Zod')).toMatchObject({ taken: true, verdict: { total: 96.7, isPassed: true, points: [] } });
    expect(await preview('yes')).toMatchObject({
      verdict: { isPassed: false, points: [{ missing: 'which of Zod and Joi', question: 'Which is it: Zod or Joi?' }] },
    });
    expect(room.row(id)).toMatchObject({ version: 1, status: 'open' });
  });

  it('give no orders from outside the audience; creator and assignee do', async () => {
    const room = await start();
    const id = await room.open({ audience: ['ada'], assignee: 'bob' });
    for (const [verb, more] of [
      ['reply', { text: 'Zod, and nothing else' }],
      ['resolve', { text: 'Zod', reason }],
      ['reject', { reason }],
      ['assign', { assignee: 'eve' }],
      ['escalate', { reason }],
    ] as const)
      expect(await room.order(verb, id, { ...more, by: 'mallory' })).toMatchObject({
        taken: false,
        code: 'TICKET_STRANGER',
      });
    for (const by of ['ada', 'bob', 'coder'])
      expect(await room.order('assign', id, { assignee: 'bob', by })).toMatchObject({ taken: true });
  });
});

describe('a task', () => {
  it('MX-059, MX-100: is told of by notices when its ticket is resolved, and counted', async () => {
    const room = await start();
    const id = await room.open({ task: 'TASK-003', isBlocking: true });
    expect(room.heard('orchestrator')).toMatchObject([
      { type: 'ticket.opened', ticket: id, task: 'TASK-003', isBlocking: true },
    ]);
    await room.reply(id, 'Zod.');
    await room.test.advance(5 * SECOND_MS);
    expect(room.heard('orchestrator').at(-1)).toMatchObject({
      type: 'ticket.resolved',
      task: 'TASK-003',
      resolution: { text: 'Zod.' },
    });
    expect(room.desk.sums).toMatchObject({ resolved: 1, tasksUnblocked: 1 });
  });

  it('MX-101: hands on its priority, and waits until a reply passes', async () => {
    const room = await start();
    const id = await room.open({
      task: 'TASK-003',
      isBlocking: true,
      isEscalation: true,
      priority: 1,
      assignee: 'ada',
    });
    await room.reply(id, 'whatever you think is best');
    await room.test.advance(SECOND_MS);
    expect(room.heard('orchestrator').map(({ type }) => type)).toEqual(['ticket.opened']);
    await room.reply(id, 'Zod.');
    await room.test.advance(SECOND_MS);
    expect(room.heard('orchestrator').at(-1)).toMatchObject({ type: 'ticket.resolved', priority: 1 });
  });
});

describe('the cards about a ticket', () => {
  const cards = (room: TicketRoom) =>
    room.heard('alerts') as unknown as { type: string; kind?: string; detail?: string; priority?: string }[];

  it('are raised when it waits, is followed up or escalated, and settled when it has ended', async () => {
    const room = await start();
    const id = await room.open();
    await room.reply(id, 'whatever you think is best');
    await room.test.advance(5 * SECOND_MS);
    await room.order('escalate', id, { reason });
    await room.order('reject', id, { reason });
    expect(cards(room).map(({ type, kind }) => kind ?? type)).toEqual([
      ...['ticket.waiting', 'alert.settled', 'ticket.waiting', 'ticket.escalated', 'alert.settled', 'ticket.rejected'],
    ]);
    expect(cards(room)[2]!.detail).toMatch(/Which is it: Zod or Joi\?/);
  });

  it('MX-099: say that it is overdue after 15 minutes at priority 1 and an hour at 2 and 3', async () => {
    const room = await start();
    const ids = [await room.open({ priority: 1 }), await room.open({ priority: 2 }), await room.open({ priority: 3 })];
    const overdue = () => ids.map((id) => room.row(id).overdueAtMs !== null);
    await room.test.advance(15 * MINUTE_MS - 1);
    expect(overdue()).toEqual([false, false, false]);
    await room.test.advance(1);
    expect(overdue()).toEqual([true, false, false]);
    await room.test.advance(45 * MINUTE_MS - 1);
    expect(overdue()).toEqual([true, false, false]);
    await room.test.advance(1);
    expect(overdue()).toEqual([true, true, true]);
    expect(
      cards(room)
        .filter(({ kind }) => kind === 'ticket.overdue')
        .map(({ priority }) => priority),
    ).toEqual([...['CRITICAL', 'HIGH', 'HIGH']]);
  });

  it('remind people while nobody has replied, at times that are data', async () => {
    const room = await start({ times: { remindAfterMs: { 1: [], 2: [2 * HOUR_MS, HOUR_MS], 3: [] } } });
    const id = await room.open();
    await room.open({ priority: 3 });
    const reminders = () => cards(room).filter(({ detail }) => detail?.includes('reminder')).length;
    await room.test.advance(HOUR_MS - 1);
    expect(reminders()).toBe(0);
    await room.test.advance(1);
    expect(reminders()).toBe(1);
    await room.test.advance(HOUR_MS);
    expect(reminders()).toBe(2);
    await room.order('resolve', id, { text: 'Zod', reason });
    await room.test.advance(DAY_MS);
    expect(reminders()).toBe(2);
  });

  it('come once after a downtime: the last of the reminders that passed', async () => {
    const remindAfterMs = { 1: [], 2: [1, 2, 3, 6].map((hours) => hours * HOUR_MS), 3: [] };
    const room = await start({ times: { remindAfterMs, resolveWithinMs: { 1: DAY_MS, 2: DAY_MS, 3: DAY_MS } } });
    await room.open();
    const reminders = () =>
      cards(room)
        .map(({ detail }) => detail)
        .filter((detail) => detail?.includes('reminder'));
    await beDown(room, 5 * HOUR_MS);
    expect(reminders()).toEqual(['Still no answer, reminder 3.']);
    await room.test.advance(HOUR_MS);
    expect(reminders().slice(1)).toEqual(['Still no answer, reminder 4.']);
  });

  it('are no reminder after a downtime in which the ticket became overdue', async () => {
    const remindAfterMs = { 1: [], 2: [HOUR_MS / 2, 3 * HOUR_MS], 3: [] };
    const room = await start({ times: { remindAfterMs } });
    await room.open();
    await beDown(room, 2 * HOUR_MS);
    expect(cards(room).map(({ kind }) => kind)).toEqual(['ticket.waiting', 'ticket.overdue']);
    await room.test.advance(HOUR_MS);
    expect(cards(room).at(-1)).toMatchObject({ kind: 'ticket.waiting', detail: 'Still no answer, reminder 2.' });
  });
});

describe('an ended ticket', () => {
  it('MX-092: is archived after 30 days: it leaves the list and stays readable', async () => {
    const room = await start();
    const id = await room.open({ description: 'For the public API.' });
    await room.order('resolve', id, { text: 'Zod', reason });
    await room.test.advance(30 * DAY_MS - 1);
    expect(room.row(id)).toMatchObject({ status: 'resolved' });
    await room.test.advance(1);
    expect(room.value(id)).toBeUndefined();
    expect(room.desk).toMatchObject({ counts: { resolved: 0, archived: 1 } });
    expect([room.desk.settled.size, room.desk.archived.size]).toEqual([0, 1]);
    expect(room.row(id)).toMatchObject({
      status: 'archived',
      description: 'For the public API.',
      resolution: { text: 'Zod' },
    });
    expect(await room.order('reopen', id, { reason })).toMatchObject({ taken: false, code: 'TICKET_STATE' });
  });

  it('is not archived once it is reopened, and gets its whole 30 days again', async () => {
    const room = await start();
    const id = await room.open();
    await room.order('resolve', id, { text: 'Zod', reason });
    await room.test.advance(20 * DAY_MS);
    await room.order('reopen', id, { reason });
    await room.test.advance(20 * DAY_MS);
    expect(room.row(id).status).toBe('open');
    await room.order('resolve', id, { text: 'Joi', reason });
    await room.test.advance(30 * DAY_MS - 1);
    expect(room.row(id).status).toBe('resolved');
  });
});
