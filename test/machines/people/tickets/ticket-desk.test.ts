/** The desk of tickets: bounds, versions, lists and counters, and what happens when a ticket's actor fails. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  GATE_AUDIENCE_MAX,
  TICKET_DESCRIPTION_CHARS_MAX,
  TICKET_ESCALATION_DESCRIPTION_CHARS_MAX,
  TICKET_ESCALATION_TITLE_CHARS_MAX,
  TICKET_EVIDENCE_CHARS_MAX,
  TICKET_EVIDENCE_MAX,
  TICKET_OPTIONS_MAX,
  TICKET_REASON_CHARS_MAX,
  TICKET_REMINDERS_MAX,
  TICKET_REPLY_CHARS_MAX,
  TICKET_RESOLUTION_CHARS_MAX,
  TICKET_THREAD_MAX,
  TICKET_TITLE_CHARS_MAX,
} from '../../../../src/machines/limits.ts';
import { isOnPage, rangeOf, shelfOf } from '../../../../src/machines/people/tickets/ticket-list.ts';
import { ticketFilter } from '../../../../src/machines/people/tickets/ticket-messages.ts';
import { ticketFigures } from '../../../../src/machines/people/tickets/ticket-metrics.ts';
import { conflictRetryMs, timesOf } from '../../../../src/machines/people/tickets/ticket-rules.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import {
  DAY_MS,
  QUESTION,
  type RoomOptions,
  SECOND_MS,
  ticketRoom,
  type TicketRoom,
} from '../../../support/machines/ticket-room.ts';
import { endedIn } from '../../../../src/machines/rules/records.ts';

let running: TicketRoom | undefined;
afterEach(async () => {
  await running?.test.system.stop();
  running = undefined;
});

async function start(options?: RoomOptions): Promise<TicketRoom> {
  return (running = await ticketRoom(options));
}

const reason = 'decided in the meeting';
const of = (length: number) => 'x'.repeat(length);

describe('a bound of a ticket', () => {
  const escalates = { isEscalation: true };
  const evidence = (excerpt: string) => ({ source: 'a.ts:1', excerpt });
  it.each<[string, number, (size: number) => object, string]>([
    ['MX-094: title', TICKET_TITLE_CHARS_MAX, (size) => ({ title: of(size) }), 'title'],
    ['MX-094: description', TICKET_DESCRIPTION_CHARS_MAX, (size) => ({ description: of(size) }), 'description'],
    [
      'MX-094, MX-101: title of an escalation',
      TICKET_ESCALATION_TITLE_CHARS_MAX,
      (size) => ({ ...escalates, title: of(size) }),
      'title',
    ],
    [
      'MX-094, MX-101: description of an escalation',
      TICKET_ESCALATION_DESCRIPTION_CHARS_MAX,
      (size) => ({ ...escalates, description: of(size) }),
      'description',
    ],
    [
      'MX-094: description of an investigation',
      TICKET_ESCALATION_DESCRIPTION_CHARS_MAX,
      (size) => ({ kind: 'investigation', description: of(size) }),
      'description',
    ],
    [
      'options',
      TICKET_OPTIONS_MAX,
      (size) => ({ options: Array.from({ length: size }, (_, n) => `o${n}`) }),
      'options: at most 10 options',
    ],
    [
      'evidence',
      TICKET_EVIDENCE_MAX,
      (size) => ({ evidence: Array.from({ length: size }, () => evidence('x')) }),
      'evidence',
    ],
    ['excerpt', TICKET_EVIDENCE_CHARS_MAX, (size) => ({ evidence: [evidence(of(size))] }), 'evidence'],
    [
      'audience',
      GATE_AUDIENCE_MAX,
      (size) => ({ audience: Array.from({ length: size }, (_, n) => `p${n}`) }),
      'audience',
    ],
  ])('%s is %i', async (_, bound, question, named) => {
    const room = await start();
    expect(await room.open(question(bound))).toBe('TK-0001');
    await expect(room.open(question(bound + 1))).rejects.toThrow(named);
    expect(room.desk.counts.open).toBe(1);
  });

  it('MX-094: is told by a code if an escalation exceeds it, and the ticket gets no number', async () => {
    const room = await start();
    const refused = await room.ask({ type: 'tickets.open', ...QUESTION, isEscalation: true, title: of(101) });
    expect(refused).toEqual({
      ...{ taken: false, code: 'TICKET_LIMIT', ticket: null, version: null },
      problems: ['the title of an escalation has at most 100 characters, not 101'],
    });
    expect(await room.open()).toBe('TK-0001');
  });

  it.each<[string, string, number, (text: string) => object]>([
    ['MX-094: reply', 'reply', TICKET_REPLY_CHARS_MAX, (text) => ({ text })],
    ['MX-093: resolution', 'resolve', TICKET_RESOLUTION_CHARS_MAX, (text) => ({ text, reason })],
    ['reason', 'reject', TICKET_REASON_CHARS_MAX, (text) => ({ reason: text })],
  ])('%s is refused over the bound by "%s"', async (_, verb, bound, more) => {
    const room = await start();
    const id = await room.open();
    await expect(room.order(verb, id, more(of(bound + 1)))).rejects.toThrow(/Too big|at most/);
    expect(await room.order(verb, id, more(of(bound)))).toMatchObject({ taken: true });
  });

  it('a thread holds 100 entries, two per reply, and people can still resolve the ticket', async () => {
    const room = await start();
    const id = await room.open({ kind: 'human_to_ai' });
    for (let n = 0; n < TICKET_THREAD_MAX - 1; n++) await room.reply(id, 'still waiting for this');
    expect(room.context(id).entries).toBe(TICKET_THREAD_MAX - 1);
    expect(await room.reply(id, 'and now?')).toMatchObject({ taken: false, code: 'TICKET_LIMIT' });
    expect(await room.order('resolve', id, { text: 'done', reason })).toMatchObject({ taken: true });
  });

  it('the number of tickets is limited without archived ones', async () => {
    const room = await start({ bounds: { liveMax: 2 } });
    const id = await room.open();
    await room.open();
    const third = { type: 'tickets.open', ...QUESTION };
    expect(await room.ask(third)).toMatchObject({ taken: false, code: 'TICKET_LIMIT', ticket: null });
    await room.order('resolve', id, { text: 'Zod', reason });
    expect(await room.ask(third)).toMatchObject({ taken: false, code: 'TICKET_LIMIT' });
    await room.test.advance(30 * DAY_MS);
    expect(await room.open()).toBe('TK-0003');
  });

  it('the number of archived tickets is limited by dropping the oldest', async () => {
    const room = await start({ bounds: { archivedMax: 2 } });
    for (let n = 0; n < 3; n++) await room.order('resolve', await room.open(), { text: 'Zod', reason });
    await room.test.advance(30 * DAY_MS);
    expect([...room.desk.archived.values()].map(({ id }) => id)).toEqual(['TK-0002', 'TK-0003']);
    expect(room.desk.counts).toMatchObject({ archived: 2, resolved: 0 });
    expect(endedIn(room.desk).length).toBe(2);
  });

  it('a key stands for one ticket of its creator, until the ticket is dropped', async () => {
    const room = await start({ bounds: { archivedMax: 1 } });
    const keyed = { type: 'tickets.open', ...QUESTION, key: 'validator' };
    expect(await room.ask(keyed)).toMatchObject({ ticket: 'TK-0001', version: 1, problems: [] });
    expect(await room.ask({ ...keyed, creator: 'tester' })).toMatchObject({ ticket: 'TK-0002' });
    await room.order('resolve', 'TK-0001', { text: 'Zod', reason });
    expect(await room.ask({ ...keyed, title: 'Another?' })).toMatchObject({
      ...{ taken: true, ticket: 'TK-0001', version: 2 },
      problems: [`TK-0001 has this key, and asks: ${QUESTION.title}`],
    });
    await room.order('reject', 'TK-0002', { reason });
    await room.test.advance(30 * DAY_MS);
    expect(room.desk.counts).toMatchObject({ archived: 1 });
    expect([...room.desk.keys.values()]).toEqual(['TK-0002']);
    expect(await room.ask(keyed)).toMatchObject({ ticket: 'TK-0003' });
    expect(await room.ask({ ...keyed, creator: 'tester' })).toMatchObject({ ticket: 'TK-0002' });
    expect(room.desk.keys.size).toBe(2);
  });

  it('the number of reminders is at most ten, and an invalid time is refused when the desk is set up', () => {
    const reminders = (count: number) => ({ remindAfterMs: { 1: Array<number>(count).fill(1), 2: [], 3: [] } });
    expect(timesOf(reminders(TICKET_REMINDERS_MAX)).remindAfterMs[1]).toHaveLength(10);
    for (const wrong of [reminders(TICKET_REMINDERS_MAX + 1), { archiveAfterMs: -1 }, { archiveAfterMs: 367 * DAY_MS }])
      expect(() => timesOf(wrong)).toThrow(/times of tickets/);
  });
});

describe('a question', () => {
  it.each<[string, object, RegExp]>([
    ['gives an option twice', { options: ['Zod', 'Joi', 'Zod '] }, /^the option "Zod" is given twice: give each/],
    ['blocks no task', { isBlocking: true }, /^it blocks no task: name the task that waits for it, or have it block/],
  ])('is refused, with the way out, if it %s', async (_, question, problem) => {
    const room = await start();
    expect(await room.ask({ type: 'tickets.open', ...QUESTION, ...question })).toEqual({
      ...{ taken: false, code: 'TICKET_INVALID', ticket: null, version: null },
      problems: [expect.stringMatching(problem)],
    });
    expect(room.desk.counts.open).toBe(0);
  });

  it('is opened for an agent that could not answer, with one of the options that it hands on twice', async () => {
    const room = await start();
    const id = await room.open({ isEscalation: true, options: ['Zod', 'Joi', 'Zod'] });
    expect(room.context(id).question.options).toEqual(['Zod', 'Joi']);
  });
});

describe('an order', () => {
  it('is refused with a code if its ticket is not there, or in another state', async () => {
    const room = await start();
    expect(await room.order('reject', 'TK-0001', { reason })).toMatchObject({ taken: false, code: 'TICKET_UNKNOWN' });
    const id = await room.open();
    expect(await room.order('reopen', id, { reason })).toMatchObject({
      taken: false,
      code: 'TICKET_STATE',
      version: 1,
    });
    await room.order('resolve', id, { text: 'Zod', reason });
    for (const [verb, more] of [
      ['reply', { text: 'Joi, please' }],
      ['resolve', { text: 'Joi', reason }],
      ['reject', { reason }],
      ['escalate', { reason }],
      ['assign', { assignee: 'bob' }],
      ['preview', { text: 'Joi' }],
    ] as const)
      expect(await room.order(verb, id, more), verb).toMatchObject({ taken: false, code: 'TICKET_STATE', version: 2 });
    await expect(room.order('reject', 'ticket 1', { reason })).rejects.toThrow(/TK-/);
  });

  it('MX-095: is refused if the ticket has changed since it was read, and taken after it is read again', async () => {
    const room = await start();
    const id = await room.open();
    const [first, second] = await Promise.all([
      room.reply(id, 'Zod, for all of them', { ifVersion: 1 }),
      room.reply(id, 'Joi, for all of them', { by: 'bob', ifVersion: 1 }),
    ]);
    expect(first).toMatchObject({ taken: true, version: 2 });
    expect(second).toEqual({
      ...{ taken: false, code: 'TICKET_UPDATE_CONFLICT', ticket: id, version: 2 },
      problems: [`${id} has changed: its version is 2, not 1`],
    });
    expect(await room.reply(id, 'Joi, for all of them', { by: 'bob', ifVersion: 2 })).toMatchObject({ taken: true });
    for (const [verb, more] of [
      ['resolve', { text: 'Zod', reason }],
      ['reject', { reason }],
      ['escalate', { reason }],
      ['assign', { assignee: null }],
    ] as const)
      expect(await room.order(verb, id, { ...more, ifVersion: 1 })).toMatchObject({ code: 'TICKET_UPDATE_CONFLICT' });
  });

  it('MX-095: is repeated by clients after 1, 2, 4, 5 and 5 seconds, and then no more', () => {
    expect([1, 2, 3, 4, 5, 6].map(conflictRetryMs)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000, null]);
  });

  it('MX-093: is taken in the states of the specification and in no other', async () => {
    const orders = {
      reply: { text: 'Zod for all of it' },
      resolve: { text: 'Zod', reason },
      reject: { reason },
      reopen: { reason },
      escalate: { reason },
    };
    const reach = {
      open: [],
      in_review: ['reply'],
      escalated: ['escalate'],
      resolved: ['resolve'],
      rejected: ['reject'],
    } as const;
    const taken = {
      open: ['reply', 'resolve', 'reject', 'escalate'],
      in_review: ['reply', 'resolve', 'reject', 'escalate'],
      escalated: ['reply', 'resolve', 'reject'],
      resolved: ['reopen'],
      rejected: ['reopen'],
    };
    const room = await start();
    for (const [status, way] of Object.entries(reach))
      for (const [verb, more] of Object.entries(orders)) {
        const id = await room.open();
        for (const step of way) await room.order(step, id, orders[step]);
        expect(room.row(id).status).toBe(status);
        const reply = await room.order(verb, id, more);
        expect(reply.taken, `${verb} in ${status}`).toBe(taken[status as keyof typeof taken].includes(verb));
      }
  });
});

describe('the list', () => {
  /** The ids of a page, read as the gateway reads a table. */
  const page = (room: TicketRoom, given: object) => {
    const filter = ticketFilter.parse(given);
    const { shelf, ...range } = rangeOf(filter);
    const rows = [...room.desk[shelf].entries(range)].filter(([, row]) => isOnPage(row, filter));
    const shown = rows.slice(0, filter.limit);
    return { ids: shown.map(([, { id }]) => id), next: rows.length > filter.limit ? shown.at(-1)![0] : null };
  };

  it('has pages by status, in the order of arrival', async () => {
    const room = await start();
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await room.open());
    await room.order('resolve', ids[1]!, { text: 'Zod', reason });
    await room.order('escalate', ids[3]!, { reason });
    const first = page(room, { status: 'open', limit: 2 });
    expect(first.ids).toEqual([ids[0], ids[2]]);
    expect(page(room, { status: 'open', limit: 2, after: first.next! })).toEqual({ ids: [ids[4]], next: null });
    expect(page(room, { status: 'resolved' }).ids).toEqual([ids[1]]);
    expect(page(room, { status: 'settled' }).ids).toEqual([ids[1]]);
    expect(page(room, {}).ids).toEqual([ids[3], ids[0], ids[2], ids[4]]);
    expect(page(room, { status: 'archived' }).ids).toEqual([]);
  });

  it('has pages of what a person may answer', async () => {
    const room = await start();
    const anybody = await room.open();
    const ada = await room.open({ audience: ['ada'] });
    const bob = await room.open({ audience: ['bob'] });
    await room.order('assign', bob, { by: 'bob', assignee: 'ada' });
    expect(page(room, { audience: 'ada' }).ids).toEqual([anybody, ada, bob]);
    expect(page(room, { audience: 'eve' }).ids).toEqual([anybody]);
  });

  it('knows the table of each status', () => {
    expect((['open', 'in_review', 'escalated', 'resolved', 'rejected', 'archived'] as const).map(shelfOf)).toEqual([
      ...['waiting', 'waiting', 'waiting', 'settled', 'settled', 'archived'],
    ]);
  });
});

describe('the figures', () => {
  it('MX-099: are reviews per ticket, shares in time and escalated, and how often the first review held', async () => {
    const room = await start();
    const clear = async (id: string) => {
      await room.reply(id, 'Zod.');
      await room.test.advance(5 * SECOND_MS);
    };
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await room.open());
    await clear(ids[0]!);
    await clear(ids[1]!);
    await room.order('reopen', ids[1]!, { reason });
    await room.reply(ids[2]!, 'whatever you think is best');
    await room.test.advance(5 * SECOND_MS);
    await clear(ids[2]!);
    await room.order('escalate', ids[3]!, { reason });
    await room.test.advance(2 * 60 * 60 * SECOND_MS);
    await room.order('resolve', ids[3]!, { text: 'Zod', reason });
    await room.order('reject', ids[4]!, { reason });
    expect(room.desk.sums).toMatchObject({
      ...{ opened: 5, resolved: 4, byHand: 1, inTime: 3, atFirst: 2, atFirstWrong: 1, reviews: 4 },
      ...{ escalated: 1, rejected: 1, reopened: 1, tasksUnblocked: 0 },
    });
    expect(ticketFigures(room.desk.sums)).toEqual({
      ...{ reviewsMean: 1, inTimeShare: 0.75, escalatedShare: 0.2, firstReviewAccuracy: 0.5, ratingMean: null },
    });
  });

  it('are null before there is anything to count', async () => {
    const room = await start();
    expect(Object.values(ticketFigures(room.desk.sums))).toEqual([null, null, null, null, null]);
  });
});

describe('a ticket whose actor fails for good', () => {
  it('is taken off the list, and the asker and the orchestrator are told', async () => {
    const room = await start();
    const id = await room.askedBy({ task: 'TASK-1' });
    await room.test.system.boss(DESKS.openTickets).terminateChild(id);
    await room.test.settle();
    expect(room.row(id)).toMatchObject({ status: 'archived', rejection: { by: 'system' } });
    expect(room.desk.counts).toMatchObject({ open: 0, archived: 1 });
    const failed = { type: 'ticket.failed', ticket: id, reason: 'the actor of the ticket has failed' };
    expect([room.heard().at(-1), room.heard('orchestrator').at(-1)]).toMatchObject([failed, failed]);
  });
});
