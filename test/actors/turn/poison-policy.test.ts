/** What an agent may choose for its actors that a message keeps crashing. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
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
  await Promise.all((['note', 'choke', 'note'] as const).map((type) => test.system.send('w', { type })));
  await test.settle();
  const end = () => {
    const snapshot = test.system.snapshot('w');
    return [
      snapshot?.status,
      (snapshot?.context as { notes: number } | undefined)?.notes,
      test.system.deadLetters.list().map(({ reason }) => reason),
    ];
  };
  const before = end();
  await test.crash();
  await test.restart();
  expect(end()).toEqual(before);
  return { test, end: before };
}

describe('the poison policy', () => {
  it('dead-letter, the default: the actor goes on', async () => {
    for (const policy of [undefined, 'dead-letter'] as const)
      expect((await choked(policy, 'permanent')).end).toEqual(['active', 2, ['quarantined']]);
  });

  it('suspend: the actor waits with its mailbox until it is resumed', async () => {
    const { test, end } = await choked('suspend', 'permanent');
    expect(end).toEqual(['suspended', 1, ['quarantined']]);
    await test.system.resume('w');
    await test.settle();
    expect((test.system.snapshot('w')!.context as { notes: number }).notes).toBe(2);
  });

  it('stop: the actor ends normally; a permanent one begins anew and reads on', async () => {
    expect((await choked('stop', 'transient')).end).toEqual([undefined, undefined, ['quarantined', 'undeliverable']]);
    expect((await choked('stop', 'permanent')).end).toEqual(['active', 1, ['quarantined']]);
  });

  it('is none of anything else', () => {
    expect(() => agent('ignore' as never)).toThrow(/poison is one of dead-letter, suspend, stop/);
  });
});
