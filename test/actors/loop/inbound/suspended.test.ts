/**
 * Events and asks to a suspended actor: what waits in its mailbox until it is resumed, and what is refused at once with
 * the reason.
 */
import { createMachine, type EventObject } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { startSpreadTestSystem } from '../../../../src/testing/spread-test-system.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { code } from '../../../support/actors/account.ts';
import { clerk, teller } from '../../../support/actors/talkers.ts';

/** A teller of another structure under the same version, which no code can read. */
const changed = defineAgent({
  name: 'teller',
  machine: createMachine({ id: 'changed', initial: 'elsewhere', states: { elsewhere: { on: { add: {}, read: {} } } } }),
  events: { add: z.looseObject({}), read: z.looseObject({}) },
});

const add = { type: 'add', amount: 1 } as const;
const as = { by: 'ada', reason: 'review' };

const start = (): Promise<TestSystem> =>
  startTestSystem({
    agents: [teller, clerk],
    tree: {
      intensity: 100,
      children: [
        { id: 't', agent: 'teller' },
        { id: 'c', agent: 'clerk' },
      ],
    },
  });

/** Ways to be suspended, with the code of the reason. Only the first is an order of a person. */
const SUSPENSIONS: readonly (readonly [string, string, (test: TestSystem) => Promise<unknown>])[] = [
  ['a person', 'BOSUN_ACTOR_SUSPENDED', (test) => test.shard.admin.suspend('t', as)],
  [
    'two quarantines in a row',
    'BOSUN_STATE_SUSPECT',
    async (test) => {
      for (let n = 0; n < 2; n++) {
        await test.shard.clientApi.deliver('t', { type: 'choke' });
        await test.settle();
      }
    },
  ],
  [
    'code that cannot read it',
    'BOSUN_AGENT_UNREADABLE',
    async (test) => {
      await test.crash();
      await test.restart({ agents: [changed, clerk] });
    },
  ],
];

const mailbox = (test: TestSystem) => test.shard.tree('t').mailbox;

describe.each(SUSPENSIONS)('an actor that is suspended by %s', (_, reason, suspend) => {
  it('has asks of hosts, clients and actors refused at once with the reason (S4)', async () => {
    const test = await start();
    await suspend(test);
    const before = mailbox(test);
    await expect(test.shard.ask('t', { type: 'read' })).rejects.toEqual(code(reason as never));
    await expect(test.shard.ask('t', { type: 'read' }, { id: 'once' })).rejects.toEqual(code(reason as never));
    expect(() => test.shard.clientApi.ask('t', { type: 'read' }, {})).toThrow(
      expect.objectContaining({ code: reason }),
    );
    await test.shard.send('c', { type: 'go', to: 't', event: { type: 'read' } });
    await test.settle();
    expect((test.shard.snapshot('c')!.context as { notes: unknown[] }).notes).toEqual([reason]);
    expect(mailbox(test)).toBe(before);
    await test.shard.stop();
  });

  it('answers a repeat of an event that was accepted before as accepted (N7)', async () => {
    const test = await start();
    const session = { id: 'caller', sequence: 1 };
    await test.shard.send('t', add, { session });
    await test.settle();
    await suspend(test);
    const before = mailbox(test);
    await test.shard.send('t', add, { session });
    await test.shard.sendMany([{ to: 't', event: add, session }]);
    expect(await test.shard.clientApi.deliverTaken('t', add, { session, ifSuspended: 'refuse' })).toBe(null);
    await test.settle();
    expect(mailbox(test)).toBe(before);
    await test.shard.stop();
  });
});

describe('a plain event from outside', () => {
  it('waits in the mailbox of an actor that a person suspended, until it is resumed', async () => {
    const test = await start();
    await test.shard.admin.suspend('t', as);
    await test.shard.send('t', add);
    await test.shard.sendMany([{ to: 't', event: add }]);
    await test.shard.clientApi.deliver('t', add);
    expect(mailbox(test)).toBe(3);
    await test.shard.resume('t');
    await test.settle();
    expect(test.shard.snapshot('t')!.context).toMatchObject({ sum: 3 });
    await test.shard.stop();
  });

  it.each(SUSPENSIONS.slice(1))('is refused at once by an actor suspended by %s (S4)', async (_, reason, suspend) => {
    const test = await start();
    await suspend(test);
    const before = mailbox(test);
    await expect(test.shard.send('t', add)).rejects.toEqual(code(reason as never));
    expect(() => test.shard.clientApi.deliver('t', add)).toThrow(expect.objectContaining({ code: reason }));
    const many = test.shard.sendMany<EventObject>([
      { to: 'c', event: { type: 'stop' } },
      { to: 't', event: add },
    ]);
    await expect(many).rejects.toMatchObject({ details: { refused: [{ index: 1, error: { code: reason } }] } });
    await test.settle();
    expect(mailbox(test)).toBe(before);
    await test.shard.stop();
  });
});

describe('an ask that an actor took before it was suspended', () => {
  it('is joined by its repeat, and has its reply when the actor is resumed', async () => {
    const test = await start();
    const first = test.shard.ask('t', { type: 'read' }, { id: 'once', timeoutMs: 60_000 });
    await test.shard.admin.suspend('t', as);
    await test.settle();
    const again = test.shard.ask('t', { type: 'read' }, { id: 'once', timeoutMs: 60_000 });
    await test.shard.resume('t');
    await test.settle();
    expect([await first, await again]).toEqual([0, 0]);
    await test.shard.stop();
  });
});

describe('an actor of another worker', () => {
  it('has its asks refused at once by a suspended one (S4)', async () => {
    const ids = ['t0', 't1', 't2', 't3'];
    const test = await startSpreadTestSystem({
      agents: [teller, clerk],
      workers: 2,
      tree: { children: [{ id: 'c', agent: 'clerk' }, ...ids.map((id) => ({ id, agent: 'teller' }))] },
    });
    const now = async <T>(promise: Promise<T>): Promise<T> => {
      await test.settle();
      return promise;
    };
    for (const id of ids) await now(test.system.admin.suspend(id, as));
    for (const to of ids) {
      await now(test.system.send('c', { type: 'go', to, event: { type: 'read' } }));
      await test.settle();
    }
    const { context } = (await now(test.system.snapshot('c')))!;
    expect((context as { notes: unknown[] }).notes).toEqual(ids.map(() => 'BOSUN_ACTOR_SUSPENDED'));
    await now(test.system.stop());
  });
});
