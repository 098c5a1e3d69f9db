/** Sends that wait for their turn, and what a door to the outside learns of actors. */
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
const taken = (test: TestSystem, type: string) => test.system.clientApi.deliverTaken('l', { type });

describe('a send until taken', () => {
  it('says whether the state took it, once that is durable', async () => {
    const test = await start();
    expect([
      await taken(test, 'off'),
      await taken(test, 'on'),
      await taken(test, 'on'),
      await taken(test, 'off'),
    ]).toEqual([false, true, false, true]);
    expect([await taken(test, 'a.c'), await taken(test, 'a.b'), await taken(test, 'on')]).toEqual([false, true, false]);
    expect(test.system.snapshot('l')).toMatchObject({ value: 'dark', context: { n: 2 } });
    await test.system.stop();
  });

  it('waits for the turn, not only for the event', async () => {
    const test = await start();
    const held = test.store.hold('before');
    const sent = taken(test, 'on');
    let isTold = false;
    void sent.then(() => (isTold = true));
    await held.reached;
    expect(isTold).toBe(false);
    held.release();
    expect(await sent).toBe(true);
    await test.system.stop();
  });

  it('fails when the actor crashed over it until it was put aside, and the next one does not', async () => {
    const test = await start();
    await taken(test, 'on');
    const choked = taken(test, 'choke');
    choked.catch(() => {});
    await test.settle();
    await expect(choked).rejects.toEqual(code('BOSUN_ASK_FAILED'));
    expect(await taken(test, 'off')).toBe(true);
    await test.system.stop();
  });

  it('fails when the actor has ended before', async () => {
    const test = await start();
    await taken(test, 'on');
    const [, late] = [taken(test, 'die'), taken(test, 'off')];
    late.catch(() => {});
    await test.settle();
    await expect(late).rejects.toMatchObject({
      code: expect.stringMatching(/^BOSUN_(EVENT_NOT_TAKEN|ACTOR_UNKNOWN)$/) as string,
    });
    await test.system.stop();
  });

  it('counts once in a session; a repeat does not know what came of the first', async () => {
    const test = await start();
    const session = { id: 's', sequence: 1 };
    expect(await test.system.clientApi.deliverTaken('l', { type: 'on' }, { session })).toBe(true);
    expect(await test.system.clientApi.deliverTaken('l', { type: 'on' }, { session })).toBe(null);
    await test.crash();
    await test.restart();
    expect(await test.system.clientApi.deliverTaken('l', { type: 'on' }, { session })).toBe(null);
    await test.system.stop();
  });

  it('throws at once where the event is refused', async () => {
    const test = await start();
    expect(() => taken(test, 'xstate.stop')).toThrow(expect.objectContaining({ code: 'BOSUN_EVENT_REFUSED' }));
    expect(() => test.system.clientApi.deliver('nobody', { type: 'on' })).toThrow(
      expect.objectContaining({ code: 'BOSUN_ACTOR_UNKNOWN' }),
    );
    await test.system.stop();
  });

  it('does not know while nothing runs', async () => {
    const test = await start();
    await test.system.stop();
    await test.restart({ hold: true });
    expect(await taken(test, 'on')).toBe(null);
    await test.system.stop();
  });
});

describe('what is shown', () => {
  it('says which declared events the state takes, guards aside, patterns among them', async () => {
    const test = await start();
    expect(test.system.clientApi.accepts('l')).toEqual(['on', 'a.b', 'a.c']);
    await taken(test, 'on');
    expect(test.system.clientApi.accepts('l')).toEqual(['off', 'choke', 'die']);
    expect(test.system.clientApi.accepts('root')).toEqual([]);
    await test.system.stop();
  });

  it('has a version that is the same over a crash, and another after every change', async () => {
    const test = await start();
    const versions = [test.system.clientApi.version('l')];
    await taken(test, 'on');
    versions.push(test.system.clientApi.version('l'));
    await taken(test, 'on');
    expect(test.system.clientApi.version('l')).toEqual(versions[1]);
    await test.crash();
    await test.restart();
    expect(test.system.clientApi.version('l')).toEqual(versions[1]);
    expect(versions[0]).not.toEqual(versions[1]);
    await test.system.stop();
  });
});
