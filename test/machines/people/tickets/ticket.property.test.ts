/** Properties of tickets under any orders in any order, with time passing and power cuts between them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHELVES } from '../../../../src/machines/people/tickets/ticket-list.ts';
import { ticketStatus, type TicketStatus } from '../../../../src/machines/people/tickets/ticket-messages.ts';
import { counted, NO_COUNTS } from '../../../../src/machines/people/tickets/ticket-metrics.ts';
import { DESKS } from '../../../../src/machines/desks.ts';
import { byEffort } from '../../../support/effort.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, ticketRoom, type TicketRoom } from '../../../support/machines/ticket-room.ts';

const RUNS = byEffort({ quick: 12, ci: 150 });

type Step =
  | { readonly does: 'open'; readonly priority: number }
  | { readonly does: 'order'; readonly verb: string; readonly nth: number; readonly more: object }
  | { readonly does: 'wait'; readonly ms: number }
  | { readonly does: 'cut' };

const reason = 'so it was decided';
const order = (verb: string, more: fc.Arbitrary<object>) =>
  fc.record({ does: fc.constant('order' as const), verb: fc.constant(verb), nth: fc.nat(3), more });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('open' as const), priority: fc.constantFrom(1, 2, 3) }) },
  {
    weight: 8,
    arbitrary: order(
      'reply',
      fc.record({
        text: fc.constantFrom('Zod.', 'whatever you think is best', 'Joi, not Zod', 'no', 'It depends.'),
        author: fc.constantFrom('person', 'agent'),
      }),
    ),
  },
  { weight: 2, arbitrary: order('resolve', fc.constant({ text: 'Zod', reason })) },
  { weight: 2, arbitrary: order('reopen', fc.constant({ reason })) },
  { weight: 1, arbitrary: order('reject', fc.constant({ reason })) },
  { weight: 1, arbitrary: order('escalate', fc.constant({ reason })) },
  { weight: 1, arbitrary: order('assign', fc.constant({ assignee: 'bob' })) },
  { weight: 1, arbitrary: order('rate', fc.constant({ rating: 5 })) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      ms: fc.constantFrom(0, SECOND_MS, 5 * SECOND_MS, HOUR_MS, 31 * DAY_MS),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'cut' as const }) },
);

async function carryOut(room: TicketRoom, one: Step): Promise<void> {
  if (one.does === 'open') await room.open({ priority: one.priority });
  else if (one.does === 'wait') await room.test.advance(one.ms);
  else if (one.does === 'cut') await room.powerCut();
  else await room.order(one.verb, `TK-${String(one.nth + 1).padStart(4, '0')}`, one.more);
}

/** The status that the state of a ticket's actor means; archived for one that has ended. */
function statusOf(room: TicketRoom, id: string): TicketStatus {
  const value = room.value(id);
  if (value === undefined) return 'archived';
  return (typeof value === 'string' ? value : Object.keys(value as object)[0]) as TicketStatus;
}

describe('a ticket', () => {
  it('MX-092, MX-093: is in a stated state after any events, and counted rightly', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const room = await ticketRoom();
        for (const one of steps) await carryOut(room, one);
        const { desk } = room;
        const rows = Object.keys(SHELVES).flatMap((shelf) => [...desk[shelf as keyof typeof SHELVES].values()]);
        for (const row of rows) {
          expect(ticketStatus.options).toContain(row.status);
          expect(statusOf(room, row.id), row.id).toBe(row.status);
          expect(row.settledAtMs === null).toBe(['open', 'in_review', 'escalated'].includes(row.status));
          expect(row.followUps).toBeLessThanOrEqual(5);
        }
        expect(desk.counts).toEqual(rows.reduce((counts, { status }) => counted(counts, null, status), NO_COUNTS));
        expect(desk.sums).toMatchObject({
          opened: rows.length,
          reopened: rows.reduce((sum, { reopens }) => sum + reopens, 0),
        });
        expect(desk.held.size).toBe(0);
        expect(room.test.shard.snapshot(DESKS.tickets)!.status).toBe('active');
        await room.test.system.stop();
      }),
      { numRuns: RUNS },
    );
  });

  it('is restored from disk as it was before a power cut, whatever happened to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const room = await ticketRoom();
        for (const one of steps) await carryOut(room, one);
        const shown = () => {
          const { waiting, settled, archived, counts, sums, next } = room.desk;
          return { waiting: [...waiting], settled: [...settled], archived: [...archived], counts, sums, next };
        };
        const before = shown();
        await room.powerCut();
        expect(shown()).toEqual(before);
        await room.test.system.stop();
      }),
      { numRuns: RUNS },
    );
  });
});
