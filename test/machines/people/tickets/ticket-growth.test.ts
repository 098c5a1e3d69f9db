/** The cost of tickets beside many others: in processor time, and in bytes of the journal. */
import { afterEach, describe, expect, it } from 'vitest';
import { type TicketReply } from '../../../../src/machines/people/tickets/ticket-messages.ts';
import { DESKS } from '../../../../src/machines/work/system-ids.ts';
import { PREFIX } from '../../../../src/persistence/keys.ts';
import { byEffort, LONG } from '../../../support/effort.ts';
import { QUESTION, SECOND_MS, ticketRoom, type TicketRoom } from '../../../support/machines/ticket-room.ts';
import { processorTimeOf } from '../../../support/processor-time.ts';

let room: TicketRoom | undefined;
afterEach(() => room?.test.system.stop());

const TICKETS = byEffort({ quick: 2_000, ci: 10_000 });
const PIECE = TICKETS / 8;

/** Open tickets beside the one that is replied to. A cost by their number shows at any of these sizes. */
const OTHERS = byEffort({ quick: 200, ci: 1_000 });

const opened = { type: 'tickets.open', ...QUESTION } as const;

describe('tickets', () => {
  it(`${TICKETS} are opened and answered at one cost each, from the first to the last`, LONG, async () => {
    const { test } = (room = await ticketRoom({ isAlone: true }));
    const ask = (events: readonly object[]) =>
      Promise.all(events.map((event) => test.system.ask<TicketReply>(DESKS.tickets, event as never)));
    const open = async (): Promise<string[]> =>
      (await ask(Array.from({ length: PIECE }, () => opened))).map(({ ticket }) => ticket!);
    const answer = async (ids: readonly string[]): Promise<void> => {
      await ask(ids.map((ticket) => ({ type: 'tickets.reply', ticket, by: 'ada', text: 'Zod.' })));
      await test.advance(5 * SECOND_MS);
    };
    const openMs: number[] = [];
    const answerMs: number[] = [];
    const ids: string[][] = [];
    for (let piece = 0; piece < 8; piece++) {
      const { result, tookMs } = await processorTimeOf(open);
      ids.push(result);
      openMs.push(tookMs);
    }
    expect(room.desk.counts).toMatchObject({ open: TICKETS });
    for (const some of ids) answerMs.push((await processorTimeOf(() => answer(some))).tookMs);
    expect(room.desk.counts).toMatchObject({ open: 0, resolved: TICKETS });
    // The first piece compiles; a cost by the number of tickets would be seven times as high in the last.
    const later = (costs: readonly number[]) => Math.min(costs[6]!, costs[7]!) / Math.min(costs[1]!, costs[2]!);
    expect(later(openMs), `open: ${openMs.join(' ')}`).toBeLessThan(2.5);
    expect(later(answerMs), `answer: ${answerMs.join(' ')}`).toBeLessThan(2.5);
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
