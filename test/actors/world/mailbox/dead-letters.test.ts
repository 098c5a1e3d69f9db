/** Dead letters: what reached nobody, with its reason, in one durable list that can be watched and acted upon. */
import { assign, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { DEAD_LETTERS_MAX } from '../../../../src/limits.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { code } from '../../../support/actors/account.ts';
import { started } from '../../../support/actors/started.ts';
import { teller } from '../../../support/actors/talkers.ts';

/** Passes notes on to whoever has the system id `peer` when it meets. */
const relay = defineAgent({
  name: 'relay',
  machine: setup({
    types: {} as {
      context: { other: object | null; notes: number };
      events: { type: 'meet' } | { type: 'pass' } | { type: 'note' };
    },
  }).createMachine({
    context: { other: null, notes: 0 },
    on: {
      meet: {
        actions: assign({ other: ({ system }) => (system as unknown as { get(name: string): object }).get('peer') }),
      },
      pass: { actions: sendTo(({ context }) => context.other as never, { type: 'note' } as never) },
      note: { actions: assign({ notes: ({ context }) => context.notes + 1 }) },
    },
  }),
  events: { meet: z.object({}), pass: z.object({}), note: z.object({}) },
});

async function withPeer(): Promise<TestSystem> {
  const children = [
    { id: 'r', agent: 'relay' },
    { id: 'p', agent: 'relay', systemId: 'peer', restart: 'transient' as const },
  ];
  const test = await started({ agents: [relay, teller], tree: { intensity: 100, children } });
  await test.system.send('r', { type: 'meet' });
  await test.settle();
  return test;
}

async function pass(test: TestSystem): Promise<void> {
  await test.system.send('r', { type: 'pass' });
  await test.settle();
}

describe('dead letters', () => {
  it('have events to an actor that has ended, and those that it had not read; they survive a crash', async () => {
    const test = await withPeer();
    await pass(test);
    await test.system.erase('p');
    await pass(test);
    await test.crash();
    await test.restart({ tree: { children: [{ id: 'r', agent: 'relay' }] } });
    expect(test.system.deadLetters.list()).toMatchObject([
      { reason: 'undeliverable', address: 'p', event: { type: 'note' }, error: undefined },
    ]);
    await expect(test.system.deadLetters.redeliver(1)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await test.system.deadLetters.discard(1);
    expect(test.system.deadLetters.list()).toEqual([]);
    await expect(test.system.deadLetters.discard(1)).rejects.toEqual(code('BOSUN_MESSAGE_UNKNOWN'));
  });

  it('are told to whoever subscribes, once they are durable', async () => {
    const test = await withPeer();
    await test.system.erase('p');
    const seen: unknown[] = [];
    const subscription = test.system.deadLetters.subscribe(({ number, reason }) =>
      seen.push([reason, test.system.deadLetters.list().some((letter) => letter.number === number)]),
    );
    await pass(test);
    subscription.unsubscribe();
    await pass(test);
    expect(seen).toEqual([['undeliverable', true]]);
  });

  it(`are at most ${DEAD_LETTERS_MAX}, the oldest dropped first, apart from what is quarantined`, async () => {
    const test = await withPeer();
    await test.system.spawn(teller, 't');
    await test.system.send('t', { type: 'choke' });
    await test.system.erase('p');
    await Promise.all(Array.from({ length: DEAD_LETTERS_MAX + 1 }, () => test.system.send('r', { type: 'pass' })));
    await test.settle();
    const letters = test.system.deadLetters.list();
    expect([letters.length, letters.filter(({ reason }) => reason === 'quarantined').length]).toEqual([
      DEAD_LETTERS_MAX + 1,
      1,
    ]);
    expect(test.system.deadLetters.list({ reason: 'undeliverable' })[0]!.number).toBe(
      letters.at(-1)!.number - DEAD_LETTERS_MAX + 1,
    );
  });
});
