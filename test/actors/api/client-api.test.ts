/** Sends that wait for their turn, and the view of actors for a gateway. */
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';

const lamp = defineAgent({
  name: 'lamp',
  machine: setup({
    types: {} as { context: { n: number }; events: { type: 'on' | 'off' | 'a.b' | 'a.c' | 'choke' | 'die' } },
  }).createMachine({
    context: { n: 0 },
    initial: 'dark',
    states: {
      dark: {
        on: {
          on: { target: 'light', guard: ({ context }) => context.n < 2 },
          'a.*': {},
          'a.b': { actions: assign({ n: 2 }) },
        },
      },
      light: {
        on: {
          off: 'dark',
          choke: {
            actions: assign(() => {
              throw new Error('choked');
            }),
          },
          die: 'gone',
        },
      },
      gone: { type: 'final' },
    },
  }),
  events: Object.fromEntries(['on', 'off', 'a.b', 'a.c', 'choke', 'die'].map((type) => [type, z.object({})])),
});

const start = (): Promise<TestSystem> =>
  startTestSystem({
    agents: [lamp],
    tree: { intensity: 100, children: [{ id: 'l', agent: 'lamp', restart: 'transient' }] },
  });
const taken = (test: TestSystem, type: string) => test.shard.clientApi.deliverTaken('l', { type });

describe('a send that waits until its event is taken', () => {
  it('tells whether the state accepted the event, after the turn is durable', async () => {
    const test = await start();
    expect([
      await taken(test, 'off'),
      await taken(test, 'on'),
      await taken(test, 'on'),
      await taken(test, 'off'),
    ]).toEqual([false, true, false, true]);
    expect([await taken(test, 'a.c'), await taken(test, 'a.b'), await taken(test, 'on')]).toEqual([false, true, false]);
    expect(test.shard.snapshot('l')).toMatchObject({ value: 'dark', context: { n: 2 } });
    await test.shard.stop();
  });

  it('waits for the turn of its event, not only for the event to be durable', async () => {
    const test = await start();
    const held = test.store.hold('before');
    const sent = taken(test, 'on');
    let isTold = false;
    void sent.then(() => (isTold = true));
    await held.reached;
    expect(isTold).toBe(false);
    held.release();
    expect(await sent).toBe(true);
    await test.shard.stop();
  });

  it('fails if the event crashes the actor until it is quarantined; the next send succeeds', async () => {
    const test = await start();
    await taken(test, 'on');
    const choked = taken(test, 'choke');
    choked.catch(() => {});
    await test.settle();
    await expect(choked).rejects.toEqual(code('BOSUN_ASK_FAILED'));
    expect(await taken(test, 'off')).toBe(true);
    await test.shard.stop();
  });

  it('fails if the actor has ended before its turn', async () => {
    const test = await start();
    await taken(test, 'on');
    const [, late] = [taken(test, 'die'), taken(test, 'off')];
    late.catch(() => {});
    await test.settle();
    await expect(late).rejects.toMatchObject({
      code: expect.stringMatching(/^BOSUN_(EVENT_NOT_TAKEN|ACTOR_UNKNOWN)$/) as string,
    });
    await test.shard.stop();
  });

  it('counts once in a session; a repeat does not learn the outcome of the first send', async () => {
    const test = await start();
    const session = { id: 's', sequence: 1 };
    expect(await test.shard.clientApi.deliverTaken('l', { type: 'on' }, { session })).toBe(true);
    expect(await test.shard.clientApi.deliverTaken('l', { type: 'on' }, { session })).toBe(null);
    await test.crash();
    await test.restart();
    expect(await test.shard.clientApi.deliverTaken('l', { type: 'on' }, { session })).toBe(null);
    await test.shard.stop();
  });

  it('throws at once if the event is refused', async () => {
    const test = await start();
    expect(() => taken(test, 'xstate.stop')).toThrow(expect.objectContaining({ code: 'BOSUN_EVENT_REFUSED' }));
    expect(() => test.shard.clientApi.deliver('nobody', { type: 'on' })).toThrow(
      expect.objectContaining({ code: 'BOSUN_ACTOR_UNKNOWN' }),
    );
    await test.shard.stop();
  });

  it('resolves with null while the system is on hold', async () => {
    const test = await start();
    await test.shard.stop();
    await test.restart({ hold: true });
    expect(await taken(test, 'on')).toBe(null);
    await test.shard.stop();
  });
});

describe('the view of an actor', () => {
  it('lists the declared events that the state accepts, ignoring guards and resolving patterns', async () => {
    const test = await start();
    expect(test.shard.clientApi.accepts('l')).toEqual(['on', 'a.b', 'a.c']);
    await taken(test, 'on');
    expect(test.shard.clientApi.accepts('l')).toEqual(['off', 'choke', 'die']);
    expect(test.shard.clientApi.accepts('root')).toEqual([]);
    await test.shard.stop();
  });

  it('has a version that survives a crash and changes with the state', async () => {
    const test = await start();
    const versions = [test.shard.clientApi.version('l')];
    await taken(test, 'on');
    versions.push(test.shard.clientApi.version('l'));
    await taken(test, 'on');
    expect(test.shard.clientApi.version('l')).toEqual(versions[1]);
    await test.crash();
    await test.restart();
    expect(test.shard.clientApi.version('l')).toEqual(versions[1]);
    expect(versions[0]).not.toEqual(versions[1]);
    await test.shard.stop();
  });
});
