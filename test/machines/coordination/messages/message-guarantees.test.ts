/** The guarantees that the seed asks of its message queue, shown for the mailboxes and dead letters of agents. */
import { describe, expect, it } from 'vitest';
import { type AnyActorRef, assign, enqueueActions, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { publish, join } from '../../../../src/actors/model/talk-actions.ts';
import { isBosunError } from '../../../../src/errors.ts';
import { BACKPRESSURE_DEPTH, nextTryMs } from '../../../../src/machines/coordination/messages/backpressure.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { startMachines } from '../../../support/machines/machines-under-test.ts';

const note = z.object({ n: z.int() });

/** Tries of the message that cannot be read. */
let tries = 0;

/** Keeps what it is sent; a bad number crashes it. */
const inbox = defineAgent({
  name: 'inbox',
  machine: setup({
    types: {} as {
      context: { seen: string[] };
      events: { type: 'critical' | 'high' | 'normal' | 'low' | 'all'; n: number };
    },
    actions: {
      keep: assign(({ context, event }) => {
        if (event.n < 0) {
          tries += 1;
          throw new Error('cannot be read');
        }
        return { seen: [...context.seen, `${event.type}${event.n}`] };
      }),
    },
  }).createMachine({
    context: { seen: [] },
    entry: join('inboxes'),
    on: {
      critical: { actions: 'keep' },
      high: { actions: 'keep' },
      normal: { actions: 'keep' },
      low: { actions: 'keep' },
      all: { actions: 'keep' },
    },
  }),
  events: { critical: note, high: note, normal: note, low: note },
  // The kernel has three levels, so that critical and high messages share the first (decision 0030).
  priorities: { critical: 'high', high: 'high', normal: 'normal', low: 'low' },
  limits: { mailboxMessages: BACKPRESSURE_DEPTH },
});

/** Sends numbered messages to one inbox, or one to all of them. */
const sender = defineAgent({
  name: 'sender',
  machine: setup({ types: {} as { events: { type: 'burst'; count: number } | { type: 'broadcast' } } }).createMachine({
    on: {
      burst: {
        actions: enqueueActions(({ event, enqueue, system }) => {
          for (let n = 0; n < event.count; n += 1)
            enqueue.sendTo(system.get('one') as AnyActorRef, { type: 'normal', n } as never);
        }),
      },
      broadcast: { actions: publish('inboxes', { type: 'all', n: 1 }) },
    },
  }),
  events: { burst: z.object({ count: z.int() }), broadcast: z.object({}) },
});

async function start(): Promise<TestSystem> {
  const inboxes = ['one', 'two'].map((id) => ({ id, systemId: id, agent: 'inbox' }));
  return startMachines({
    agents: [inbox, sender],
    tree: {
      intensity: 100,
      children: [...inboxes, { id: 'sender', agent: 'sender' }, { id: 'other', agent: 'sender' }],
    },
  });
}

function seen(test: TestSystem, id = 'one'): string[] {
  return (test.shard.snapshot(id)!.context as { seen: string[] }).seen;
}

describe('the message queue', () => {
  it('CA-088: delivers an acknowledged message once, even if the power is cut before it is read', async () => {
    const test = await start();
    await test.shard.send('one', { type: 'normal', n: 7 });
    await test.crash();
    await test.restart();
    expect(seen(test)).toEqual(['normal7']);
  });

  it('CA-088: keeps the order of each sender', async () => {
    const test = await start();
    await Promise.all([
      test.shard.send('sender', { type: 'burst', count: 200 }),
      test.shard.send('other', { type: 'burst', count: 200 }),
    ]);
    await test.settle();
    const numbers = seen(test).map((text) => Number(text.slice('normal'.length)));
    expect(numbers).toHaveLength(400);
    // There are two senders: every number arrives twice, and first arrivals are in the order of the numbers.
    const first = [...new Set(numbers)];
    expect(first).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('CA-088: delivers critical and high messages before normal ones, and normal before low', async () => {
    const test = await start();
    await Promise.all(
      (['low', 'normal', 'high', 'critical'] as const).map((type, n) => test.shard.send('one', { type, n })),
    );
    await test.settle();
    expect(seen(test)).toEqual(['high2', 'critical3', 'normal1', 'low0']);
  });

  it('CA-088: tries an unreadable message three times, moves it to the dead letters, and goes on', async () => {
    const test = await start();
    tries = 0;
    await test.shard.send('one', { type: 'normal', n: -1 });
    await test.shard.send('one', { type: 'normal', n: 2 });
    await test.settle();
    expect(seen(test)).toEqual(['normal2']);
    expect(tries).toBe(3);
    const [letter] = test.shard.deadLetters.list({ reason: 'quarantined' });
    expect(letter).toMatchObject({ address: 'one' });
    await test.crash();
    await test.restart();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
  });

  it('CA-088: delivers to one receiver, or to all of a group', async () => {
    const test = await start();
    await test.shard.send('sender', { type: 'broadcast' });
    await test.shard.send('one', { type: 'normal', n: 5 });
    await test.settle();
    expect([seen(test).toSorted(), seen(test, 'two')]).toEqual([['all1', 'normal5'], ['all1']]);
  });
});

describe('backpressure', () => {
  it('CA-089: a mailbox of 50 refuses the next message from outside until it has space again', async () => {
    const test = await start();
    const results = await Promise.allSettled(
      Array.from({ length: BACKPRESSURE_DEPTH + 10 }, (_, n) => test.shard.send('one', { type: 'normal', n })),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(results.length - refused.length).toBe(50);
    expect(refused.every(({ reason }) => isBosunError(reason, 'BOSUN_MAILBOX_FULL'))).toBe(true);
    await test.settle();
    await test.shard.send('one', { type: 'normal', n: 99 });
    await test.settle();
    expect(seen(test)).toHaveLength(results.length - refused.length + 1);
  });

  it('CA-089: the waits between tries are 100, 200, 400 and 800 ms, with five tries in all', () => {
    const waits = [1, 2, 3, 4, 5].map((tries) => nextTryMs('normal', tries));
    expect(waits).toEqual([100, 200, 400, 800, null]);
  });

  it('CA-089: a critical message is tried without end', () => {
    expect([nextTryMs('critical', 5), nextTryMs('critical', 1_000)]).toEqual([800, 800]);
  });

  it('CA-089: messages between agents are never refused, in any number', async () => {
    const test = await start();
    await test.shard.send('sender', { type: 'burst', count: 500 });
    await test.settle();
    expect(seen(test)).toHaveLength(500);
    expect(test.shard.deadLetters.list()).toEqual([]);
  });
});
