/** Dead letters: undelivered messages with their reason, in one durable list that can be watched and acted upon. */
import { assign, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { DEAD_LETTERS_MAX } from '../../../../src/limits.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { code } from '../../../support/actors/account.ts';
import { started } from '../../../support/actors/started.ts';
import { teller } from '../../../support/actors/talkers.ts';

/** Passes notes on to the actor that had the system id `peer` at the event `meet`. */
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
  await test.shard.send('r', { type: 'meet' });
  await test.settle();
  return test;
}

async function pass(test: TestSystem): Promise<void> {
  await test.shard.send('r', { type: 'pass' });
  await test.settle();
}

describe('dead letters', () => {
  it('contain the events that an actor left unread and those sent after its end, over a crash too', async () => {
    const test = await withPeer();
    await pass(test);
    await test.shard.erase('p');
    await pass(test);
    await test.crash();
    await test.restart({ tree: { children: [{ id: 'r', agent: 'relay' }] } });
    expect(test.shard.deadLetters.list()).toMatchObject([
      { reason: 'undeliverable', address: 'p', event: { type: 'note' }, error: undefined },
    ]);
    await expect(test.shard.deadLetters.redeliver(1)).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    await test.shard.deadLetters.discard(1);
    expect(test.shard.deadLetters.list()).toEqual([]);
    await expect(test.shard.deadLetters.discard(1)).rejects.toEqual(code('BOSUN_MESSAGE_UNKNOWN'));
  });

  it('are passed to subscribers once they are durable', async () => {
    const test = await withPeer();
    await test.shard.erase('p');
    const seen: unknown[] = [];
    const subscription = test.shard.deadLetters.subscribe(({ number, reason }) =>
      seen.push([reason, test.shard.deadLetters.list().some((letter) => letter.number === number)]),
    );
    await pass(test);
    subscription.unsubscribe();
    await pass(test);
    expect(seen).toEqual([['undeliverable', true]]);
  });

  it(`are at most ${DEAD_LETTERS_MAX}, the oldest dropped first; quarantined messages do not count`, async () => {
    const test = await withPeer();
    await test.shard.spawn(teller, 't');
    await test.shard.send('t', { type: 'choke' });
    await test.shard.erase('p');
    await Promise.all(Array.from({ length: DEAD_LETTERS_MAX + 1 }, () => test.shard.send('r', { type: 'pass' })));
    await test.settle();
    const letters = test.shard.deadLetters.list();
    expect([letters.length, letters.filter(({ reason }) => reason === 'quarantined').length]).toEqual([
      DEAD_LETTERS_MAX + 1,
      1,
    ]);
    expect(test.shard.deadLetters.list({ reason: 'undeliverable' })[0]!.number).toBe(
      letters.at(-1)!.number - DEAD_LETTERS_MAX + 1,
    );
  });
});
