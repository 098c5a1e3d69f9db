/**
 * XState lets a transition to a history state right under a parallel state end in a configuration without the parallel
 * state. defineAgent refuses the machine; where such a configuration comes about all the same, Bosun does not judge it:
 * what a restore brings back is what was there.
 */
import { type AnyStateMachine, createMachine } from 'xstate';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';

it('a configuration that XState should not have made is restored as it was, its tags too', async () => {
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
  await test.system.send('odd', { type: 'again' });
  await test.settle();
  const { value, tags } = test.system.snapshot('odd')!;
  expect(tags).toEqual([]);
  await test.crash();
  await test.restart();
  expect(test.system.snapshot('odd')).toMatchObject({ value, tags });
});
