/** The events that a state takes, as the system says it: XState's `can`, whatever the actor has been through. */
import { assign, createMachine, stateIn } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { unhandled } from '../../support/unhandled.ts';
import { code } from '../../support/actors/account.ts';

const order = defineAgent({
  name: 'order',
  machine: createMachine({
    type: 'parallel',
    context: { paid: 0 },
    on: {
      BREAK: {
        actions: assign(() => {
          throw new Error('broken');
        }),
      },
    },
    states: {
      money: {
        initial: 'open',
        states: {
          open: { on: { pay: { target: 'paid', actions: assign({ paid: 1 }) } } },
          paid: { on: { refund: 'open' } },
        },
      },
      goods: {
        initial: 'here',
        states: {
          here: { on: { ship: { target: 'gone', guard: stateIn({ money: 'paid' }) } } },
          gone: {},
        },
      },
    },
  }),
  events: Object.fromEntries(['pay', 'refund', 'ship', 'BREAK'].map((type) => [type, z.looseObject({})])),
});

const start = (stepEngine: 'plan' | 'xstate'): Promise<TestSystem> =>
  startTestSystem({
    agents: [order],
    stepEngine,
    tree: { intensity: 100, children: [{ id: 'o', agent: 'order', resume: 'committed' }] },
  });

/** Ways by which a Boss comes to restart an actor from its last committed state, and by which it is restored. */
const MISFORTUNES: readonly (readonly [string, (test: TestSystem) => Promise<unknown>])[] = [
  ['an order that kills it', (test) => test.shard.admin.kill('o', { by: 'me' })],
  ['an event that it crashes over until that is quarantined', (test) => test.shard.send('o', { type: 'BREAK' })],
  [
    'two kills',
    async (test) => {
      await test.shard.admin.kill('o', { by: 'me' });
      await test.shard.admin.kill('o', { by: 'me' });
    },
  ],
  ['a crash of the host', (test) => test.crash().then(() => test.restart())],
  [
    'a kill and a crash of the host',
    async (test) => {
      await test.shard.admin.kill('o', { by: 'me' });
      await test.crash();
      await test.restart();
    },
  ],
];

describe.each(['plan', 'xstate'] as const)('the events that a state takes, on the %s engine', (engine) => {
  it.each(MISFORTUNES)('are the same after %s (S2)', async (_, befalls) => {
    const test = await start(engine);
    await test.shard.send('o', { type: 'pay' });
    await test.settle();
    await befalls(test);
    await test.settle();
    expect(test.shard.clientApi.accepts('o')).toEqual(['refund', 'ship', 'BREAK']);
    const { can, hasTag, matches } = { ...questions(await test.system.actor('o')) };
    expect([can('pay'), can('ship'), hasTag('none'), matches({ money: 'paid' })]).toEqual([false, true, false, true]);
    await expect(test.shard.ask('o', { type: 'pay' })).rejects.toEqual(code('BOSUN_EVENT_NOT_TAKEN'));
    expect(await test.shard.clientApi.deliverTaken('o', { type: 'pay' })).toBe(false);
    // The guard asks the snapshot where it is, which one without XState's methods cannot tell.
    expect(await test.shard.clientApi.deliverTaken('o', { type: 'ship' })).toBe(true);
    expect(test.shard.snapshot('o')).toMatchObject({ status: 'active', value: { money: 'paid', goods: 'gone' } });
    await test.shard.stop();
  });
});

/** Guards that do not answer, with the code of the failure of an ask whose event reaches them. */
const ODD_GUARDS: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('no answer');
    },
  ],
  [
    'throws what cannot become text',
    () => {
      throw Object.create(null) as Error;
    },
  ],
  ['gives a promise that rejects', () => Promise.reject(new Error('too late'))],
];

describe('a guard of a state that is asked', () => {
  it.each(ODD_GUARDS)('fails the turn, and nothing else, if it %s (S2)', async (_, guard) => {
    const agent = defineAgent({
      name: 'odd',
      machine: createMachine({ on: { go: { guard: guard as () => boolean, actions: assign({}) } } }),
      events: { go: z.object({}) },
    });
    const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'g', agent: 'odd' }] } });
    const found = await unhandled(async () => {
      expect(test.shard.clientApi.accepts('g')).toEqual(['go']);
      const sent = test.shard.clientApi.deliverTaken('g', { type: 'go' });
      await expect(sent).rejects.toEqual(code('BOSUN_ASK_FAILED'));
      await expect(test.shard.ask('g', { type: 'go' })).rejects.toEqual(code('BOSUN_ASK_FAILED'));
    });
    expect(found).toEqual([]);
    await test.shard.stop();
  });
});

function questions(handle: Awaited<ReturnType<TestSystem['system']['actor']>>) {
  const snapshot = handle.getSnapshot();
  return {
    can: (type: string) => snapshot.can({ type }),
    hasTag: (tag: string) => snapshot.hasTag(tag),
    matches: (value: object) => snapshot.matches(value as never),
  };
}
