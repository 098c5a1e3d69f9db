/**
 * In XState a transition to a history state directly below a parallel state can end in a configuration without the
 * parallel state. defineAgent refuses such a machine; if such a configuration still comes about, Bosun restores it
 * unchanged.
 */
import { type AnyStateMachine, createMachine } from 'xstate';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';

it('an invalid configuration made by XState is restored unchanged, tags included', async () => {
  const machine = createMachine({
    id: 'odd',
    type: 'parallel',
    tags: 'whole',
    states: { part: { on: { again: { target: '#past', reenter: true } } }, past: { id: 'past', type: 'history' } },
  });
  const sound = createMachine({ id: 'odd', on: { again: {} } });
  const agent = {
    ...defineAgent({ name: 'odd', machine: sound, events: { again: z.object({}) } }),
    machine: machine as AnyStateMachine,
  };
  const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'odd', agent: 'odd' }] } });
  await test.shard.send('odd', { type: 'again' });
  await test.settle();
  const { value, tags } = test.shard.snapshot('odd')!;
  expect(tags).toEqual([]);
  await test.crash();
  await test.restart();
  expect(test.shard.snapshot('odd')).toMatchObject({ value, tags });
});
