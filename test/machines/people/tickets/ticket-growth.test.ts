/** The cost of tickets beside many others: in processor time, and in bytes of the journal. */
import { afterEach, describe, expect, it } from 'vitest';
import { type TicketReply } from '../../../../src/machines/people/tickets/ticket-messages.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { PREFIX } from '../../../../src/persistence/format/keys.ts';
import { byEffort, LONG } from '../../../support/effort.ts';
import { QUESTION, SECOND_MS, ticketRoom, type TicketRoom } from '../../../support/machines/ticket-room.ts';
import { ratioOf } from '../../../support/processor-time.ts';

let room: TicketRoom | undefined;
afterEach(() => room?.test.system.stop());

const TICKETS = byEffort({ quick: 2_000, ci: 4_000, soak: 10_000 });
const PIECE = 200;

/** Open tickets beside the one that is replied to. A cost by their number shows at any of these sizes. */
const OTHERS = byEffort({ quick: 200, ci: 1_000 });

const opened = { type: 'tickets.open', ...QUESTION } as const;

describe('tickets', () => {
  it(`are opened and answered beside ${TICKETS} others at about the cost of the first ones`, LONG, async () => {
    const [small, large] = [(room = await ticketRoom({ isAlone: true })), await ticketRoom({ isAlone: true })];
    const ask = ({ test }: TicketRoom, events: readonly object[]) =>
      Promise.all(events.map((event) => test.system.ask<TicketReply>(DESKS.tickets, event as never)));
    const questions = Array.from({ length: PIECE }, () => opened);
    const open = async (of: TicketRoom) => (await ask(of, questions)).map(({ ticket }) => ticket!);
    const answer = async (of: TicketRoom, ids: readonly string[]): Promise<void> => {
      const answers = ids.map((ticket) => ({ type: 'tickets.reply', ticket, by: 'ada', text: 'Zod.' }));
      await ask(of, answers);
      await of.test.advance(5 * SECOND_MS);
    };
    const pieces: string[][] = [];
    while (pieces.length < TICKETS / PIECE) pieces.push(await open(large));
    expect(large.desk.counts).toMatchObject({ open: TICKETS });
    const ratio = await ratioOf(
      async () => answer(large, await open(large)),
      async () => answer(small, await open(small)),
    );
    // A cost by the number of open tickets would be ten times as high.
    expect(ratio).toBeLessThan(4);
    const before = large.desk.counts['resolved']!;
    for (const ids of pieces) await answer(large, ids);
    expect(large.desk.counts).toMatchObject({ open: 0, resolved: before + TICKETS });
    await large.test.system.stop();
  });

  it(`write as much for one reply beside ${OTHERS} as beside ten`, async () => {
    const { test } = (room = await ticketRoom({ isAlone: true }));
    const written = async (ticket: string): Promise<number> => {
      const { length: before } = test.store.log;
      await room!.reply(ticket, 'whatever you think is best');
      const writes = test.store.log.slice(before).flatMap((batch) => batch.writes);
      return writes.reduce((sum, { key, value }) => sum + (key.startsWith(PREFIX.epoch) ? (value?.length ?? 0) : 0), 0);
    };
    for (let n = 0; n < 10; n++) await room.open();
    // The first epochs write shapes and names to which later ones only refer.
    await written('TK-0001');
    const few = await written('TK-0002');
    for (let n = 0; n < OTHERS; n++) await test.system.send(DESKS.tickets, opened as never);
    await test.settle();
    expect(few).toBeGreaterThan(0);
    expect(await written('TK-0003')).toBeLessThan(1.5 * few);
  });
});
