/** The ways of calls over workers: an order to every partition of a Boss, and asks over the death of a worker. */
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { reply, type ReplyTo } from '../../../src/actors/model/talk-actions.ts';
import { kernelMethods } from '../../../src/gateway/calls/methods.ts';
import { type HoldPoint } from '../../../src/testing/faulty-store.ts';
import { COUNTERS, startSpreadGateway } from '../../support/gateway/workers-kit.ts';

/** Replies how many it has given out. */
const tickets = defineAgent({
  name: 'tickets',
  machine: setup({
    types: {} as { context: { given: number }; events: { type: 'take'; replyTo: ReplyTo } },
  }).createMachine({
    context: { given: 0 },
    on: {
      take: { actions: [assign({ given: ({ context }) => context.given + 1 }), reply(({ context }) => context.given)] },
    },
  }),
  events: { take: z.object({}) },
});

describe('an order about a Boss with a partition on each worker', () => {
  /** Orders, each with the orders that it needs before, and with its name on record. */
  const ORDERS: readonly (readonly [order: string, before: readonly string[], onRecord: string])[] = [
    ['suspend', [], 'suspend'],
    ['step', ['suspend'], 'step'],
    ['resume', ['suspend'], 'resume'],
    ['kill', [], 'kill'],
    ['restart', [], 'restartChild'],
    ['stop', [], 'terminateChild'],
    ['erase', [], 'erase'],
  ];

  it.each(ORDERS)('is carried out by all of them: %s', async (order, before, onRecord) => {
    const children = COUNTERS.map((id) => ({ id, agent: 'counter' }));
    const tree = { children: [{ id: 'desk', boss: { children } }] };
    const test = await startSpreadGateway({ destructive: true }, { tree });
    const client = await test.client();
    for (const name of before) await test.call(client, `actor.${name}`, { address: 'desk' });
    expect(await test.call(client, `actor.${order}`, { address: 'desk' })).toMatchObject({ ok: true });
    const audits = await Promise.all([0, 1].map((worker) => test.test.worker(worker)!.admin.audit()));
    expect(audits.map(([newest]) => newest?.order)).toEqual([onRecord, onRecord]);
  });

  it('is one of these', () => {
    const names = kernelMethods().flatMap(([name, { way }]) => (way.over === 'addresses' ? [name] : []));
    expect(names.sort()).toEqual(ORDERS.map(([order]) => `actor.${order}`).sort());
  });
});

describe('an ask of an actor whose worker dies before it answers', () => {
  const ADDRESS = 'tickets';

  /** The answer to an ask in which the worker dies, at a point of its write, and how many tickets are gone then. */
  async function asked(point: HoldPoint, fields: object) {
    const test = await startSpreadGateway(
      {},
      { agents: [tickets], tree: { children: [{ id: ADDRESS, agent: 'tickets' }] } },
    );
    const client = await test.client();
    const home = test.test.system.workerOf(ADDRESS)!;
    const held = test.test.stores[home]!.hold(point);
    const ask = test.begin(client, 'actor.ask', { address: ADDRESS, event: { type: 'take' } }, fields);
    await held.reached;
    test.test.crash(home);
    await test.restart(home);
    const snapshot = test.test.worker(home)!.snapshot(ADDRESS)!;
    return { answer: client.last('res', ask), given: (snapshot.context as { given: number }).given };
  }

  it.each<readonly [when: string, HoldPoint]>([
    ['before it is durable', 'before'],
    ['after it is durable', 'durable'],
  ])('is repeated if it has a key, and counts once: %s', async (_, point) => {
    expect(await asked(point, { key: 'k' })).toMatchObject({ answer: { ok: true, r: { reply: 1 } }, given: 1 });
  });

  it.each<readonly [when: string, HoldPoint, given: number]>([
    ['before it is durable', 'before', 0],
    ['after it is durable', 'durable', 1],
  ])('fails with an unknown outcome if it has no key, and is not repeated: %s', async (_, point, given) => {
    expect(await asked(point, {})).toMatchObject({
      answer: { ok: false, e: { code: 'BOSUN_WORKER_DOWN', details: { unknownOutcome: true } } },
      given,
    });
  });
});
