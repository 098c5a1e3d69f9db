/** The bounds between workers, at the bound. */
import { assign, enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { ask } from '../../src/actors/model/ask.ts';
import { reply } from '../../src/actors/model/talk-actions.ts';
import { LINE_MESSAGES_MAX, MAILBOX_MESSAGES_MAX, WORKER_CALLS_WAITING_MAX } from '../../src/limits.ts';
import { type SpreadTestSystem, startSpreadTestSystem } from '../../src/testing/spread-test-system.ts';
import { AGENTS } from '../support/workers/actors.ts';

/** Sends a given number of messages to the actor that it has met, and counts its turns since then. */
const flooder = defineAgent({
  name: 'flooder',
  machine: setup({
    types: {} as {
      context: { ref: object | null; ticks: number; to: string };
      events: { type: 'flood'; count: number } | { type: 'tick' };
      input: { to: string };
    },
    actors: { ask },
  }).createMachine({
    id: 'flooder',
    context: ({ input }) => ({ ref: null, ticks: 0, to: input.to }),
    invoke: {
      src: 'ask',
      input: ({ context }) => ({ to: context.to, event: { type: 'who' } }),
      onDone: { actions: assign({ ref: ({ event }) => (event.output as { ref: object }).ref }) },
    },
    on: {
      flood: {
        actions: enqueueActions(({ context, event, enqueue }) => {
          for (let n = 0; n < event.count; n++) enqueue.sendTo(context.ref as never, { type: 'work' } as never);
        }),
      },
      tick: { actions: assign({ ticks: ({ context }) => context.ticks + 1 }) },
    },
  }),
  events: { flood: z.object({ count: z.number() }), tick: z.object({}) },
});

/** Takes no turn for `work` while it is suspended. */
const sink = defineAgent({
  name: 'sink',
  machine: setup({
    types: {} as { context: { done: number }; events: { type: 'work' } | { type: 'who' } },
  }).createMachine({
    context: { done: 0 },
    on: {
      work: { actions: assign({ done: ({ context }) => context.done + 1 }) },
      who: { actions: reply(({ self }: { self: object }) => ({ ref: self })) },
    },
  }),
  events: { who: z.object({}) },
});

/** Placed on either of two workers. */
const [FROM, TO] = ['sink-0', 'worker-1'] as const;

async function flood(): Promise<{
  test: SpreadTestSystem;
  from: string;
  to: string;
  other: number;
  ticks: () => Promise<number>;
  done: () => Promise<number>;
}> {
  const test = await startSpreadTestSystem({
    workers: 2,
    agents: [flooder, sink],
    tree: { children: [...[0, 1, 2, 3].map((n) => ({ id: `sink-${n}`, agent: 'sink' }))] },
  });
  const to = FROM;
  const from = [0, 1, 2, 3, 4]
    .map((n) => `flooder-${n}`)
    .find((name) => test.system.workerOf(name) !== test.system.workerOf(to))!;
  await test.system.spawn(flooder, from, { input: { to } });
  await test.settle();
  const field = async (address: string, name: string) =>
    ((await test.system.snapshot(address))!.context as Record<string, number>)[name]!;
  return {
    test,
    from,
    to,
    other: test.system.workerOf(to)!,
    ticks: () => field(from, 'ticks'),
    done: () => field(to, 'done'),
  };
}

describe('a line between workers', () => {
  it('blocks its sender when it is full, until the other worker has caught up', async () => {
    const { test, from, other, ticks, done } = await flood();
    test.crash(other);
    await test.system.send(from, { type: 'flood', count: LINE_MESSAGES_MAX - 1 });
    await test.system.send(from, { type: 'tick' });
    await test.settle();
    expect(await ticks()).toBe(1);
    await test.system.send(from, { type: 'flood', count: 1 });
    await test.system.send(from, { type: 'tick' });
    await test.settle();
    expect(await ticks()).toBe(1);
    await test.restart(other);
    expect([await ticks(), await done()]).toEqual([2, LINE_MESSAGES_MAX]);
    await test.system.stop();
  });

  it('turns messages to a full mailbox into dead letters on the receiving worker', async () => {
    const { test, from, to, other, done } = await flood();
    await test.worker(other)!.admin.suspend(to, { by: 'ada' });
    await test.system.send(from, { type: 'flood', count: MAILBOX_MESSAGES_MAX });
    await test.settle();
    expect(await test.system.deadLetters.list()).toEqual([]);
    await test.system.send(from, { type: 'flood', count: 1 });
    await test.settle();
    expect(await test.system.deadLetters.list()).toMatchObject([
      { reason: 'overflowed', address: to, number: other + 1, error: { code: 'BOSUN_MAILBOX_FULL' } },
    ]);
    await test.system.resume(to);
    await test.settle();
    expect(await done()).toBe(MAILBOX_MESSAGES_MAX);
    await test.system.stop();
  });
});

describe('calls of the host to a worker that is down', () => {
  it('wait, up to a limit of calls', async () => {
    const test = await startSpreadTestSystem({
      workers: 2,
      agents: AGENTS,
      tree: { children: [{ id: TO, agent: 'worker' }] },
    });
    const worker = test.system.workerOf(TO)!;
    test.crash(worker);
    const waiting = Array.from({ length: WORKER_CALLS_WAITING_MAX }, () => test.system.snapshot(TO));
    await expect(test.system.snapshot(TO)).rejects.toMatchObject({
      code: 'BOSUN_WORKER_DOWN',
      details: { worker, unknownOutcome: false },
    });
    await test.restart(worker);
    expect((await Promise.all(waiting)).every((snapshot) => snapshot?.status === 'active')).toBe(true);
    await test.system.stop();
  });
});
