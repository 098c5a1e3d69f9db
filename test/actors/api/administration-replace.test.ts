/**
 * Replacing the state of a suspended machine: effects and timers follow the new states, and a replacement that does not
 * fit changes nothing.
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
  const { value, context, timers, children } = test.shard.admin.getState('c');
  return { value, context, timers: timers.map(({ dueInMs }) => dueInMs), children };
};

describe('replaceState', () => {
  it('starts and stops effects and timers of states that change, and leaves others running, over a crash', async () => {
    await test.shard.admin.suspend('c', as);
    await test.advance(20_000);
    deeds.splice(0);
    const given = await test.shard.admin.replaceState('c', { value: { desk: 'busy', lamp: 'lit' } }, as);
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
    await test.shard.admin.replaceState('c', { value: { desk: 'idle', lamp: 'lit' } }, as);
    await test.settle();
    expect([deeds, facts().timers, facts().children]).toEqual([['end busy'], [60_000], ['c/lamp']]);
    await test.shard.resume('c');
    await test.advance(60_000);
    expect(facts().context).toMatchObject({ rings: 1 });
  });

  it('replaceState with a context alone leaves effects and timers running, over a crash', async () => {
    await test.shard.admin.suspend('c', as);
    await test.advance(20_000);
    deeds.splice(0);
    await test.shard.admin.replaceState(
      'c',
      ({ context }) => ({ context: { ...(context as object), notes: ['mended'] } }),
      as,
    );
    await test.settle();
    expect([deeds, facts().timers]).toEqual([[], [40_000]]);
    await test.shard.send('c', note('more'));
    await test.shard.resume('c');
    await test.crash();
    await test.restart();
    expect(facts().context).toMatchObject({ notes: ['mended', 'more'] });
  });

  it('makes a suspect actor work again', async () => {
    for (let n = 0; n < 2; n++) await test.shard.send('c', { type: 'choke' });
    await test.settle();
    await test.shard.admin.replaceState('c', { context: { notes: ['mended'], rings: 0 } }, as);
    await test.shard.resume('c');
    await test.settle();
    expect(test.shard.snapshot('c')).toMatchObject({ status: 'active', context: { notes: ['mended'] } });
  });

  it.each<[string, StateReplacement | (() => StateReplacement), 'BOSUN_ORDER_REFUSED' | 'BOSUN_VALUE_REFUSED', RegExp]>(
    [
      [
        'a state that the machine does not have',
        { value: { desk: 'gone', lamp: 'lit' } },
        'BOSUN_ORDER_REFUSED',
        /is not a state of clerk/,
      ],
      [
        'a state with a region that the machine does not have',
        { value: { desk: 'busy', hall: 'lit' } },
        'BOSUN_ORDER_REFUSED',
        /is not a state of clerk/,
      ],
      ['a value that is no state value', { value: 7 as never }, 'BOSUN_ORDER_REFUSED', /a state value is a name/],
      ['a context that is no object', { context: 7 }, 'BOSUN_ORDER_REFUSED', /a context must be an object/],
      ['a context that is no data', { context: { notes: () => {} } }, 'BOSUN_VALUE_REFUSED', /function/],
      ['nothing', {}, 'BOSUN_ORDER_REFUSED', /a value, a context or both/],
      [
        'an error that a function throws',
        () => {
          throw new Error('my mistake');
        },
        'BOSUN_ORDER_REFUSED',
        /my mistake/,
      ],
    ],
  )('refuses %s, and changes nothing', async (_, next, refusal, why) => {
    await test.shard.admin.suspend('c', as);
    const before = [test.shard.snapshot('c'), facts(), [...deeds]];
    const refused = await test.shard.admin.replaceState('c', next, as).catch((error: unknown) => error);
    await test.settle();
    expect(refused).toMatchObject({ code: refusal, message: expect.stringMatching(why) as string });
    expect([test.shard.snapshot('c'), facts(), [...deeds]]).toEqual(before);
  });

  it('refuses actors that are not suspended, Bosses and effects', async () => {
    const refused = (address: string) =>
      expect(test.shard.admin.replaceState(address, { context: {} }, as)).rejects.toEqual(code('BOSUN_ORDER_REFUSED'));
    await refused('c');
    await refused('root');
    await test.shard.admin.suspend('c/lamp', as);
    await refused('c/lamp');
  });

  it('refuses a final state, because a replacement does not end an actor', async () => {
    const short = defineAgent({
      name: 'short',
      machine: setup({}).createMachine({ initial: 'on', states: { on: {}, off: { type: 'final' } } }),
      events: {},
    });
    await test.shard.stop();
    await test.restart({ agents: [clerk, short] });
    await test.shard.spawn(short, 's');
    await test.shard.admin.suspend('s', as);
    await expect(test.shard.admin.replaceState('s', { value: 'off' }, as)).rejects.toMatchObject({
      code: 'BOSUN_ORDER_REFUSED',
    });
  });
});
