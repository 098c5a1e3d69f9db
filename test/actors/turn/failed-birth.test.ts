/** A child whose first step throws: it dies, its parent gets the error as in XState, and no other actor is harmed. */
import { type AnyStateMachine, assign, createMachine, setup } from 'xstate';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';

const refuse = (): never => {
  throw new Error('not born');
};

const children = {
  'in its context': createMachine({ context: refuse as () => object }),
  'in an entry action': createMachine({ entry: assign(refuse) }),
  'in a guard': createMachine({ initial: 'a', states: { a: { always: { guard: refuse, target: 'b' } }, b: {} } }),
};

it.each(
  Object.entries(children).flatMap(([where, child]) =>
    (['plan', 'xstate'] as const).flatMap((stepEngine) =>
      ['leaves', 'stays in'].map((verb) => ({ where, child, stepEngine, verb })),
    ),
  ),
)(
  'an invoked machine that throws $where sends an error to its parent, which then $verb the state, also over a ' +
    'crash ($stepEngine)',
  async ({ child, stepEngine, verb }) => {
    const machine = setup({
      types: {} as { context: { told: string } },
      actors: { child: child as AnyStateMachine },
    }).createMachine({
      context: { told: '' },
      initial: 'idle',
      states: {
        idle: { on: { come: 'busy' } },
        busy: {
          invoke: {
            src: 'child',
            id: 'child',
            onError: {
              ...(verb === 'leaves' && { target: 'failed' }),
              actions: assign({ told: ({ event }) => (event as unknown as { error: Error }).error.message }),
            },
          },
        },
        failed: {},
      },
    });
    const agent = defineAgent({ name: 'parent', machine, events: { come: z.object({}) } });
    const test = await startTestSystem({
      agents: [agent],
      stepEngine,
      tree: { children: [{ id: 'p', agent: 'parent' }] },
    });
    await test.shard.send('p', { type: 'come' } as never);
    await test.settle();
    expect(test.shard.snapshot('p')).toMatchObject({ status: 'active', value: verb === 'leaves' ? 'failed' : 'busy' });
    expect((test.shard.snapshot('p')!.context as { told: string }).told).toContain('not born');
    await test.crash();
    await test.restart();
    expect(test.shard.snapshot('p')).toMatchObject({ status: 'active', value: verb === 'leaves' ? 'failed' : 'busy' });
  },
);
