/**
 * Every order that the desks of the shipped crews take from outside, with contents by chance that fit its schema: the
 * sender is answered, whatever the order says, and nothing breaks.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyEventObject } from 'xstate';
import { z } from 'zod';
import { isBosunError } from '../../src/errors.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { formOf } from '../../src/machines/people/gates/gate-form.ts';
import { gateQuestion } from '../../src/machines/people/gates/gate.ts';
import { eventArbitrary } from '../../src/testing/arbitraries/event-arbitrary.ts';
import { schemaArbitrary } from '../../src/testing/arbitraries/schema-arbitrary.ts';
import { type TestSystem } from '../../src/testing/test-system.ts';
import { seedOf } from '../support/chance.ts';
import { byEffort } from '../support/effort.ts';
import { planOf } from '../support/fixtures/plans/plans.ts';
import { DeliveryRoom } from '../support/machines/delivery-room.ts';
import { HubRoom } from '../support/machines/hub-room.ts';
import { startWholeCrew } from '../support/machines/whole-crew.ts';

/** Orders of each kind. */
const ORDERS = byEffort({ quick: 2, ci: 4, soak: 50 });

/** The time within which a desk answers, whatever ports and people do. */
const ANSWERED_MS = 60_000;

const CREWS: Readonly<Record<string, () => Promise<TestSystem>>> = {
  coordination: async () => {
    const plan = planOf({ pack: 'finance', experts: ['eve'], stages: { draft: { agent: 'writer' } }, items: ['A'] });
    const { test } = await startWholeCrew(plan, { writer: () => new Promise(() => {}) });
    return test;
  },
  'answers and delivery': async () => (await DeliveryRoom.start()).test,
  hub: async () => (await HubRoom.start({ work: {}, isIdle: true })).test,
};

const ENVELOPE = {
  ...{ priority: 'normal', timestamp: '2026-01-01T00:00:00.000Z', requires_response: true },
  content: { stock_id: null, content: 'x' },
};
const FORM = formOf(z.object({ ok: z.boolean() }));

/** Orders with parts that chance does not hit: the form of a question, and an envelope of the seed. */
const OTHERS: Readonly<Record<string, fc.Arbitrary<object>>> = {
  'gate.open': schemaArbitrary(fc, gateQuestion.omit({ form: true })).map((asked) => ({ ...asked, form: FORM })),
  'message.post': fc.string({ minLength: 1, maxLength: 20 }).map((from_agent) => ({
    envelope: { ...{ from_agent, to_agent: null, message_type: 'Finding' }, ...ENVELOPE },
  })),
};

function fieldsOf(type: string): Readonly<Record<string, fc.Arbitrary<object>>> {
  const fields = OTHERS[type];
  return fields === undefined ? {} : { [type]: fields };
}

/** Returns `answered`, or the code of the error with which an order ends. */
async function asked(test: TestSystem, desk: string, order: AnyEventObject): Promise<string> {
  const said = test.shard.ask(desk, order, { timeoutMs: ANSWERED_MS }).then(
    () => 'answered',
    (error: unknown) => (isBosunError(error) ? error.code : String(error)),
  );
  await test.settle();
  await test.advance(ANSWERED_MS + 1);
  return said;
}

describe('every order from outside', () => {
  it.each(Object.entries(CREWS))('is answered by the desks of %s (D8)', async (name, start) => {
    const test = await start();
    const desks = Object.values(DESKS).filter((desk) => test.shard.snapshot(desk) !== undefined);
    const unheard: string[] = [];
    let orders = 0;
    for (const desk of desks) {
      // Bosses have no agent, and take no orders from outside.
      const agent = test.shard.clientApi.agent(test.shard.snapshot(desk)!.agent);
      if (agent === undefined) continue;
      const types = Object.keys(agent.events);
      for (const type of types) {
        const seed = seedOf('all-orders', name, desk, type);
        const events = fc.sample(eventArbitrary(fc, agent, { types: [type], fields: fieldsOf(type) }), {
          numRuns: ORDERS,
          seed,
        });
        for (const event of events) {
          orders += 1;
          const said = await asked(test, desk, event as AnyEventObject);
          if (said !== 'answered') unheard.push(`${desk}: ${type}: ${said}`);
        }
      }
    }
    expect(orders).toBeGreaterThan(10);
    expect([...new Set(unheard)]).toEqual([]);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.shard.stop();
  });
});
