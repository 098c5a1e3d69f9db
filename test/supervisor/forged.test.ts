/** Nobody but the kernel speaks to a Boss about its children's ends. */
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
  it('is refused as a throw of its turn, and the Boss hears nothing', async () => {
    const floor = {
      id: 'floor',
      systemId: 'floor',
      boss: { intensity: 0, children: [{ id: 'victim', agent: 'forger' }] },
    };
    const test = await startTestSystem({ agents: [forger], tree: { children: [floor, { id: 'f', agent: 'forger' }] } });
    await test.system.send('f', { type: 'forge' });
    await test.settle();
    expect(test.system.snapshot('floor/victim')?.status).toBe('active');
    expect(test.system.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { address: 'f', error: { message: 'f sends bosun.exit, which only the runtime may' } },
    ]);
    await test.system.stop();
  });
});
