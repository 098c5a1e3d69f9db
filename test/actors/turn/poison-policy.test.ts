/** The poison policy of an agent: what becomes of an actor that a message keeps crashing. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { DELIVERIES_MAX } from '../../../src/limits.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';

const machine = setup({
  types: {} as { context: { notes: number }; events: { type: 'note' } | { type: 'choke' } },
}).createMachine({
  context: { notes: 0 },
  on: {
    note: { actions: assign({ notes: ({ context }) => context.notes + 1 }) },
    choke: {
      actions: assign(() => {
        throw new Error('no');
      }),
    },
  },
});
const agent = (poison?: 'dead-letter' | 'suspend' | 'stop') =>
  defineAgent({ name: 'w', machine, events: { note: z.object({}), choke: z.object({}) }, ...(poison && { poison }) });

async function choked(poison: 'dead-letter' | 'suspend' | 'stop' | undefined, restart: 'permanent' | 'transient') {
  const test = await startTestSystem({
    agents: [agent(poison)],
    tree: { intensity: 5, children: [{ id: 'w', agent: 'w', restart }] },
  });
  await Promise.all((['note', 'choke', 'note'] as const).map((type) => test.shard.send('w', { type })));
  await test.settle();
  const end = () => {
    const snapshot = test.shard.snapshot('w');
    return [
      snapshot?.status,
      (snapshot?.context as { notes: number } | undefined)?.notes,
      test.shard.deadLetters.list().map(({ reason }) => reason),
    ];
  };
  const before = end();
  await test.crash();
  await test.restart();
  expect(end()).toEqual(before);
  return { test, end: before };
}

describe('the poison policy', () => {
  it('dead-letter, the default, quarantines the message, and the actor goes on', async () => {
    for (const policy of [undefined, 'dead-letter'] as const)
      expect((await choked(policy, 'permanent')).end).toEqual(['active', 2, ['quarantined']]);
  });

  it('suspend holds the actor and its mailbox until the actor is resumed', async () => {
    const { test, end } = await choked('suspend', 'permanent');
    expect(end).toEqual(['suspended', 1, ['quarantined']]);
    await test.shard.resume('w');
    await test.settle();
    expect((test.shard.snapshot('w')!.context as { notes: number }).notes).toBe(2);
  });

  it('stop ends the actor normally; a permanent actor is restarted and reads on', async () => {
    expect((await choked('stop', 'transient')).end).toEqual([undefined, undefined, ['quarantined', 'undeliverable']]);
    expect((await choked('stop', 'permanent')).end).toEqual(['active', 1, ['quarantined']]);
  });

  it('stop is not reported as a failure, and the restart after it is counted like any other', async () => {
    const { test } = await choked('stop', 'permanent');
    const crashes = test.logged.filter((line) => String(line).includes(' crashed on choke'));
    expect([crashes.length, test.shard.tree('w').restarts]).toEqual([DELIVERIES_MAX - 1, 2]);
  });

  it('is refused under any other name', () => {
    expect(() => agent('ignore' as never)).toThrow(/poison must be one of dead-letter, suspend, stop/);
  });
});
