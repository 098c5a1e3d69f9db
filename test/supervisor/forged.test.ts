/** Only the kernel tells a Boss about the ends of its children. */
import { describe, expect, it } from 'vitest';
import { type AnyActorRef, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';

const forger = defineAgent({
  name: 'forger',
  machine: setup({}).createMachine({
    on: {
      forge: {
        actions: sendTo(({ system }) => system.get('floor') as AnyActorRef, {
          type: 'bosun.exit',
          id: 'victim',
          reason: 'error',
          error: 'forged',
          redelivery: false,
        }),
      },
    },
  }),
  events: { forge: z.object({}) },
});

describe('an event of the runtime that an agent sends', () => {
  it('is refused as a throw in its turn, and does not reach the Boss', async () => {
    const floor = {
      id: 'floor',
      systemId: 'floor',
      boss: { intensity: 0, children: [{ id: 'victim', agent: 'forger' }] },
    };
    const test = await startTestSystem({ agents: [forger], tree: { children: [floor, { id: 'f', agent: 'forger' }] } });
    await test.shard.send('f', { type: 'forge' });
    await test.settle();
    expect(test.shard.snapshot('floor/victim')?.status).toBe('active');
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { address: 'f', error: { message: 'f sends bosun.exit, a type reserved for the runtime' } },
    ]);
    await test.shard.stop();
  });
});
