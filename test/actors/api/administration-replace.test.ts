/**
 * Replacing the state of a suspended machine: what runs is what its states want, and nothing happens where it does not
 * fit.
 */
import { setup } from 'xstate';
import { beforeEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type StateReplacement } from '../../../src/actors/loop/administration.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';
import { clerk, deeds, note } from '../../support/actors/clerk.ts';
import { started } from '../../support/actors/started.ts';

const as = { by: 'ada' };

let test: TestSystem;
beforeEach(async () => {
  deeds.splice(0);
  test = await started({ agents: [clerk], tree: { intensity: 5, children: [{ id: 'c', agent: 'clerk' }] } });
});

const facts = () => {
  const { value, context, timers, children } = test.system.admin.getState('c');
  return { value, context, timers: timers.map(({ dueInMs }) => dueInMs), children };
};

describe('replaceState', () => {
  it(
    'leaves and enters states: their effects and timers end and begin, those of states that stay go on; over a ' +
      'crash',
    async () => {
      await test.system.admin.suspend('c', as);
      await test.advance(20_000);
      deeds.splice(0);
      const given = await test.system.admin.replaceState('c', { value: { desk: 'busy', lamp: 'lit' } }, as);
      expect(given).toEqual({ value: { desk: 'busy', lamp: 'lit' }, context: { notes: [], rings: 0 } });
      await test.settle();
      // No entry action has run, and the lamp was not touched.
      expect(deeds).toEqual(['begin busy']);
      const busy = { value: given.value, context: given.context, timers: [], children: ['c/lamp', 'c/busy'] };
      expect(facts()).toEqual(busy);
      await test.crash();
      await test.restart();
      expect(facts()).toEqual(busy);
      deeds.splice(0);
      await test.system.admin.replaceState('c', { value: { desk: 'idle', lamp: 'lit' } }, as);
      await test.settle();
      expect([deeds, facts().timers, facts().children]).toEqual([['end busy'], [60_000], ['c/lamp']]);
      await test.system.resume('c');
      await test.advance(60_000);
      expect(facts().context).toMatchObject({ rings: 1 });
    },
  );

  it('with a context alone lets effects and timers go on; the machine works with it', async () => {
    await test.system.admin.suspend('c', as);
    await test.advance(20_000);
    deeds.splice(0);
    await test.system.admin.replaceState(
      'c',
      ({ context }) => ({ context: { ...(context as object), notes: ['mended'] } }),
      as,
    );
    await test.settle();
    expect([deeds, facts().timers]).toEqual([[], [40_000]]);
    await test.system.send('c', note('more'));
    await test.system.resume('c');
    await test.crash();
    await test.restart();
    expect(facts().context).toMatchObject({ notes: ['mended', 'more'] });
  });

  it('mends a suspect state', async () => {
    for (let n = 0; n < 2; n++) await test.system.send('c', { type: 'choke' });
    await test.settle();
    await test.system.admin.replaceState('c', { context: { notes: ['mended'], rings: 0 } }, as);
    await test.system.resume('c');
    await test.settle();
    expect(test.system.snapshot('c')).toMatchObject({ status: 'active', context: { notes: ['mended'] } });
  });

  it.each<[string, StateReplacement | (() => StateReplacement), 'BOSUN_ORDER_REFUSED' | 'BOSUN_VALUE_REFUSED', RegExp]>(
    [
      [
        'a state that the machine has not',
        { value: { desk: 'gone', lamp: 'lit' } },
        'BOSUN_ORDER_REFUSED',
        /is no state of clerk/,
      ],
      [
        'a state with a region that the machine has not',
        { value: { desk: 'busy', hall: 'lit' } },
        'BOSUN_ORDER_REFUSED',
        /is no state of clerk/,
      ],
      ['what is no state value', { value: 7 as never }, 'BOSUN_ORDER_REFUSED', /a state value is a name/],
      ['a context that is no object', { context: 7 }, 'BOSUN_ORDER_REFUSED', /a context is an object/],
      ['a context that is no data', { context: { notes: () => {} } }, 'BOSUN_VALUE_REFUSED', /function/],
      ['nothing', {}, 'BOSUN_ORDER_REFUSED', /a value, a context or both/],
      [
        'what a function throws',
        () => {
          throw new Error('my mistake');
        },
        'BOSUN_ORDER_REFUSED',
        /my mistake/,
      ],
    ],
  )('refuses %s, and nothing has happened', async (_, next, refusal, why) => {
    await test.system.admin.suspend('c', as);
    const before = [test.system.snapshot('c'), facts(), [...deeds]];
    const refused = await test.system.admin.replaceState('c', next, as).catch((error: unknown) => error);
    await test.settle();
    expect(refused).toMatchObject({ code: refusal, message: expect.stringMatching(why) as string });
    expect([test.system.snapshot('c'), facts(), [...deeds]]).toEqual(before);
  });

  it('is for suspended machines of yours that run', async () => {
    const refused = (address: string) =>
      expect(test.system.admin.replaceState(address, { context: {} }, as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await refused('c');
    await refused('root');
    await test.system.admin.suspend('c/lamp', as);
    await refused('c/lamp');
  });

  it('refuses a final state: a replacement does not end an actor', async () => {
    const short = defineAgent({
      name: 'short',
      machine: setup({}).createMachine({ initial: 'on', states: { on: {}, off: { type: 'final' } } }),
      events: {},
    });
    await test.system.stop();
    await test.restart({ agents: [clerk, short] });
    await test.system.spawn(short, 's');
    await test.system.admin.suspend('s', as);
    await expect(test.system.admin.replaceState('s', { value: 'off' }, as)).rejects.toMatchObject({
      code: 'BOSUN_ORDER_REFUSED',
    });
  });
});
