/** Timers of a ticket, with the power cut between the arming and the firing of each. */
import { afterEach, describe, expect, it } from 'vitest';
import { DESKS } from '../../../../src/machines/desks.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  ticketRoom,
  type TicketRoom,
} from '../../../support/machines/ticket-room.ts';

let running: TicketRoom | undefined;
afterEach(async () => {
  await running?.test.system.stop();
  running = undefined;
});

interface TimerCase {
  readonly timer: string;
  readonly afterMs: number;
  readonly question?: object;
  readonly arm: (room: TicketRoom, id: string) => Promise<unknown>;
  /** Number of times that the timer has fired. */
  readonly fired: (room: TicketRoom, id: string) => number;
}

const nothing = () => Promise.resolve();
const alerts = (room: TicketRoom, kind: string, detail: RegExp) =>
  (room.heard('alerts') as unknown as { kind?: string; detail?: string }[]).filter(
    (said) => said.kind === kind && detail.test(said.detail!),
  ).length;

const CASES: readonly TimerCase[] = [
  {
    timer: 'the review of a reply',
    afterMs: 5 * SECOND_MS,
    arm: (room, id) => room.reply(id, 'whatever you think is best'),
    fired: (room, id) => room.row(id).reviews,
  },
  {
    timer: 'the reminder',
    afterMs: 30 * MINUTE_MS,
    arm: nothing,
    fired: (room) => alerts(room, 'ticket.waiting', /reminder 1/),
  },
  {
    timer: 'the second reminder',
    afterMs: 4 * HOUR_MS,
    arm: (room) => room.test.advance(HOUR_MS).then(() => undefined),
    fired: (room) => alerts(room, 'ticket.waiting', /reminder 2/),
  },
  {
    timer: 'the time to answer at priority 1',
    afterMs: 15 * MINUTE_MS,
    question: { priority: 1 },
    arm: nothing,
    fired: (room) => alerts(room, 'ticket.overdue', /within 15 minutes/),
  },
  {
    timer: 'the time to answer at priority 2',
    afterMs: HOUR_MS,
    arm: nothing,
    fired: (room) => alerts(room, 'ticket.overdue', /within 60 minutes/),
  },
  {
    timer: 'the archive',
    afterMs: 30 * DAY_MS,
    arm: (room, id) => room.order('reject', id, { reason: 'not ours' }),
    fired: (room, id) => Number(room.row(id).status === 'archived'),
  },
];

describe('a timer of a ticket', () => {
  it.each(CASES.map((one) => [one.timer, one] as const))(
    '%s: fires once and not early after a power cut',
    async (_, one) => {
      const room = (running = await ticketRoom());
      const id = await room.open(one.question);
      const openedAtMs = room.test.clock.wallMs();
      await one.arm(room, id);
      const leftMs = openedAtMs + one.afterMs - room.test.clock.wallMs();
      await room.powerCut();
      await room.test.advance(leftMs - 1);
      await room.powerCut();
      expect(one.fired(room, id)).toBe(0);
      await room.test.advance(1);
      expect(one.fired(room, id)).toBe(1);
      await room.powerCut();
      await room.test.advance(1);
      expect(one.fired(room, id)).toBe(1);
    },
  );

  it('the score of the host: is asked for again after a power cut with the same effect, and counts once', async () => {
    let calls = 0;
    const room = (running = await ticketRoom({
      // The first call is lost with the power.
      scoreClarity: () =>
        ++calls === 1
          ? new Promise(() => {})
          : Promise.resolve({ clarity: 90, completeness: 90, accuracy: 90, points: [] }),
    }));
    const id = await room.open();
    await room.reply(id, 'Zod.');
    await room.test.advance(5 * SECOND_MS);
    expect(room.value(id)).toEqual({ in_review: 'scoring' });
    await room.powerCut();
    await room.test.settle();
    expect(room.row(id)).toMatchObject({ status: 'resolved', reviews: 1, resolution: { score: 90 } });
    expect(calls).toBe(2);
  });
});

describe('a disk that fails', () => {
  it('MX-096: delays an order until it is written, and no ticket is answered from memory alone', async () => {
    const room = (running = await ticketRoom());
    const { shard, store } = room.test;
    const id = await room.open({ priority: 1 });
    store.failWrites(Infinity);
    let isAnswered = false;
    const said = shard.ask(
      DESKS.tickets,
      { type: 'tickets.reply', ticket: id, by: 'ada', text: 'Zod.' },
      { timeoutMs: MINUTE_MS },
    );
    const answered = said.then(() => (isAnswered = true));
    await room.test.advance(20 * SECOND_MS);
    expect(isAnswered).toBe(false);
    expect(room.row(id).status).toBe('open');
    store.failWrites(0);
    await room.test.advance(10 * SECOND_MS);
    await answered;
    await room.powerCut();
    expect(room.row(id)).toMatchObject({ status: 'resolved', reviews: 1, resolution: { text: 'Zod.', by: 'ada' } });
  });
});

describe('a power cut', () => {
  it('loses no reply that arrives before the ticket has begun, and changes nothing that was said', async () => {
    const room = (running = await ticketRoom());
    const opened = room.test.system.send(DESKS.tickets, {
      type: 'tickets.open',
      kind: 'ai_to_human',
      title: 'Zod or Joi?',
      creator: 'coder',
    });
    const replied = room.test.system.send(DESKS.tickets, {
      type: 'tickets.reply',
      ticket: 'TK-0001',
      by: 'ada',
      text: 'Zod.',
    });
    await Promise.all([opened, replied]);
    await room.powerCut();
    await room.test.advance(5 * SECOND_MS);
    const before = room.row('TK-0001');
    expect(before).toMatchObject({ status: 'resolved', resolution: { by: 'ada' } });
    await room.powerCut();
    expect(room.row('TK-0001')).toEqual(before);
    expect(await room.open()).toBe('TK-0002');
  });
});
