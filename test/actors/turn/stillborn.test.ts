/**
 * A child that is stopped in the step that spawned it is never born; a reference to it that was kept reaches no actor.
 */
import { type AnyActorRef, assign, createMachine, enqueueActions, sendTo, setup } from 'xstate';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';

const parent = setup({
  types: {} as { context: { child: AnyActorRef | null; spoke: number }; events: { type: 'come' } | { type: 'speak' } },
  actors: { child: createMachine({}) },
}).createMachine({
  context: { child: null, spoke: 0 },
  on: {
    come: {
      actions: [
        assign({ child: ({ spawn }) => spawn('child', { id: 'child' }) }),
        enqueueActions(({ context, enqueue }) => enqueue.stopChild(context.child!)),
      ],
    },
    speak: {
      actions: [
        sendTo(({ context }) => context.child!, { type: 'hello' }),
        assign({ spoke: ({ context }) => context.spoke + 1 }),
      ],
    },
  },
});

it('a context may keep a reference to a child stopped in the step that spawned it, also over a crash', async () => {
  const agent = defineAgent({ name: 'parent', machine: parent, events: { come: z.object({}), speak: z.object({}) } });
  const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'p', agent: 'parent' }] } });
  await test.shard.send('p', { type: 'come' });
  await test.settle();
  await test.crash();
  await test.restart();
  await test.shard.send('p', { type: 'speak' });
  await test.settle();
  expect(test.shard.snapshot('p')).toMatchObject({
    status: 'active',
    context: { spoke: 1, child: { address: 'p/child' } },
  });
  expect(test.shard.tree('p').children).toEqual([]);
});
