/** Full mailboxes between actors: the sender waits, no actor is blocked for ever, and no message is lost silently. */
import { assign, enqueueActions, fromCallback, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { MAILBOX_MESSAGES_MAX } from '../../../../src/limits.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { LONG } from '../../../support/effort.ts';
import { started } from '../../../support/actors/started.ts';
import { startSubject, tell } from '../../../support/actors/subject.ts';

interface Named {
  get(name: string): object;
}
interface Enqueue {
  sendTo(to: object, event: object): void;
  assign(change: object): void;
}

/**
 * `burst` sends `count` notes to `to`, and a line about it to `log`. Notes are counted; the 7,000th is told to `log`.
 */
const busy = defineAgent({
  name: 'busy',
  machine: setup({
    types: {} as {
      context: { notes: number; lines: string[] };
      events: { type: 'burst'; count: number; to: string } | { type: 'note' } | { type: 'line'; text: string };
    },
  }).createMachine({
    context: { notes: 0, lines: [] },
    on: {
      burst: {
        actions: enqueueActions(({ event, system, enqueue, self }) => {
          const named = system as unknown as Named;
          const give = enqueue as unknown as Enqueue;
          for (let n = 0; n < event.count; n++)
            give.sendTo(event.to === 'self' ? self : named.get(event.to), { type: 'note' });
          give.sendTo(named.get('log'), { type: 'line', text: `burst to ${event.to}` });
        }),
      },
      note: {
        actions: enqueueActions(({ context, system, enqueue }) => {
          const give = enqueue as unknown as Enqueue;
          give.assign({ notes: context.notes + 1 });
          if (context.notes + 1 === 7_000)
            give.sendTo((system as unknown as Named).get('log'), { type: 'line', text: 'read 7000' });
        }),
      },
      line: { actions: assign({ lines: ({ context, event }) => [...context.lines, event.text] }) },
    },
  }),
  events: { burst: z.object({ count: z.number(), to: z.string() }), note: z.object({}) },
  internal: ['line'],
});

function start(): Promise<TestSystem> {
  const child = (id: string) => ({ id, agent: 'busy', systemId: id });
  return started({ agents: [busy], tree: { children: ['s', 'r', 'log'].map(child) } });
}

const context = (test: TestSystem, id: string) =>
  test.shard.snapshot(id)!.context as { notes: number; lines: string[] };
const burst = (test: TestSystem, from: string, to: string, count: number) =>
  test.shard.send(from, { type: 'burst', to, count });

describe('a full mailbox', () => {
  it('takes all that one turn sends, and then holds the sender until half of the mailbox is read', async () => {
    const test = await start();
    await Promise.all([1, 2, 3].map(() => burst(test, 's', 'r', 6_000)));
    await test.settle();
    expect(context(test, 'log').lines).toEqual(['burst to r', 'burst to r', 'read 7000', 'burst to r']);
    expect([context(test, 'r').notes, test.shard.deadLetters.list()]).toEqual([18_000, []]);
  });

  it('does not hold up an actor that sends to itself', async () => {
    const test = await start();
    await burst(test, 's', 'self', MAILBOX_MESSAGES_MAX + 1);
    await test.settle();
    expect(context(test, 's').notes).toBe(MAILBOX_MESSAGES_MAX + 1);
  });

  it('lets its senders go on when the receiver is removed', LONG, async () => {
    const test = await start();
    await Promise.all([burst(test, 's', 'r', 2 * MAILBOX_MESSAGES_MAX), test.shard.erase('r')]);
    await test.shard.send('s', { type: 'note' });
    await test.settle();
    expect(context(test, 's').notes).toBe(1);
  });

  it(
    'a full mailbox in a circle of senders drops messages with BOSUN_MAILBOX_FULL instead of a deadlock',
    LONG,
    async () => {
      const test = await start();
      const half = MAILBOX_MESSAGES_MAX;
      await Promise.all(
        ['s', 'r'].flatMap((from) =>
          Array.from({ length: 3 }, () => burst(test, from, from === 's' ? 'r' : 's', half)),
        ),
      );
      await test.settle();
      const letters = test.shard.deadLetters.list();
      expect(
        letters.every(
          ({ reason, error }) => reason === 'overflowed' && (error as { code?: string }).code === 'BOSUN_MAILBOX_FULL',
        ),
      ).toBe(true);
      expect(letters.length).toBeGreaterThan(0);
      expect(context(test, 'log').lines.filter((line) => line.startsWith('burst'))).toHaveLength(6);
      expect(context(test, 's').notes).toBeGreaterThan(half / 2);
      expect(['s', 'r'].map((id) => test.shard.tree(id).mailbox)).toEqual([0, 0]);
    },
  );

  it('a full mailbox of a machine turns further events of its callbacks into dead letters', async () => {
    const test = await startSubject(
      setup({
        types: {} as { context: { notes: number } },
        actors: {
          flood: fromCallback(({ sendBack }) => {
            for (let n = 0; n < MAILBOX_MESSAGES_MAX + 5; n++) sendBack({ type: 'note' });
          }),
        },
      }).createMachine({
        context: { notes: 0 },
        on: { note: { actions: assign({ notes: ({ context: { notes } }) => notes + 1 }) }, GO: '.on' },
        initial: 'off',
        states: { off: {}, on: { invoke: { src: 'flood' } } },
      }),
      { events: ['GO'] },
    );
    await tell(test, 'GO');
    expect((test.shard.snapshot('subject')!.context as { notes: number }).notes).toBe(MAILBOX_MESSAGES_MAX);
    expect(test.shard.deadLetters.list({ reason: 'overflowed' })).toHaveLength(5);
    await test.shard.stop();
  });
});
