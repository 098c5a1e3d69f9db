import { assign, createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { checkStore } from '../../../../src/system-check.ts';
import { startTestSystem } from '../../../../src/testing/test-system.ts';
import {
  deploy,
  first,
  second,
  send,
  startOrders,
  stateOf,
  third,
  thirdBesideSecond,
  thirdFromSecond,
} from '../../../support/actors/versions/orders.ts';

describe('an actor whose old definition is kept', () => {
  it('keeps that definition over starts; an actor that is born now gets the new one', async () => {
    const test = await startOrders(second);
    await send(test, 'o', { type: 'add', amount: 5 });
    for (let start = 0; start < 2; start++) {
      await deploy(test, thirdBesideSecond);
      await send(test, 'o', { type: 'add', amount: 1 });
      expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 6 + start, receipt: null }]);
    }
    await test.shard.spawn(thirdBesideSecond, 'new');
    await test.settle();
    expect(stateOf(test, 'new')).toEqual(['active', 'open', { cents: 0 }]);
    await send(test, 'o', { type: 'pay' });
    expect(stateOf(test)).toEqual(['active', 'paid', { total: 7, receipt: 'for 7' }]);
  });

  it('gets the new definition when its Boss restarts it from the initial state', async () => {
    const machine = (id: string) =>
      createMachine({
        id,
        context: { by: id },
        initial: id,
        states: { [id]: {} },
        on: {
          break: {
            actions:
              id === 'old'
                ? assign(() => {
                    throw new Error('broken');
                  })
                : [],
          },
        },
      });
    const of = (id: string, version: number, previous: readonly AnyAgent[]) =>
      defineAgent({ name: 'f', version, machine: machine(id), events: { break: z.object({}) }, previous });
    const old = of('old', 1, []);
    const now = of('now', 2, [old]);
    const test = await startTestSystem({
      agents: [old],
      tree: { children: [{ id: 'f', agent: 'f', resume: 'initial' }] },
    });
    for (let start = 0; start < 2; start++) {
      await test.crash();
      await test.restart({ agents: [now] });
      expect(stateOf(test, 'f')).toEqual(['active', 'old', { by: 'old' }]);
    }
    await test.shard.send('f', { type: 'break' });
    await test.settle();
    expect(stateOf(test, 'f')).toEqual(['active', 'now', { by: 'now' }]);
    await test.crash();
    await test.restart({ agents: [of('now', 2, [])] });
    expect(stateOf(test, 'f')).toEqual(['active', 'now', { by: 'now' }]);
  });

  it('can be migrated by a later version', async () => {
    const test = await startOrders(second);
    await send(test, 'o', { type: 'add', amount: 5 });
    await deploy(test, thirdBesideSecond);
    await deploy(test, thirdFromSecond);
    expect(stateOf(test)).toEqual(['active', 'open', { cents: 500 }]);
  });
});

describe('actors of three versions in one store', () => {
  it('are migrated, kept and refused, as a check predicted', async () => {
    const test = await startOrders(first, ['one']);
    await send(test, 'one', { type: 'add', amount: 1 });
    const beside = [second];
    await test.crash();
    // The first goes on by its own machine beside the second, and so on.
    const secondBesideFirst = Object.freeze({ ...second, migrate: {}, previous: [first] });
    await test.restart({ agents: [secondBesideFirst] });
    await test.shard.spawn(second, 'two');
    await test.settle();
    await test.crash();
    const thirdBesideBoth = Object.freeze({ ...third, migrate: {}, previous: [first, ...beside] });
    await test.restart({ agents: [thirdBesideBoth] });
    await test.shard.spawn(third, 'three');
    await test.settle();
    await test.shard.stop();
    const writes = test.store.writes;

    const verdicts = async (agent: typeof third) =>
      Object.fromEntries(
        (await checkStore({ agents: [agent], store: test.store })).map(({ address, verdict, version }) => [
          address,
          `${version} ${verdict}`,
        ]),
      );
    const boss = { root: '1 fine' };
    expect(await verdicts(third)).toEqual({ ...boss, one: '1 migrates', two: '2 migrates', three: '3 fine' });
    expect(await verdicts(thirdFromSecond)).toEqual({ ...boss, one: '1 refused', two: '2 migrates', three: '3 fine' });
    expect(await verdicts(thirdBesideSecond)).toEqual({ ...boss, one: '1 refused', two: '2 kept', three: '3 fine' });
    const fourth = Object.freeze({
      ...third,
      version: 4,
      migrate: { ...thirdFromSecond.migrate, 4: (old: object) => old },
      previous: [second],
    }) as typeof third;
    expect(await verdicts(fourth)).toEqual({ ...boss, one: '1 refused', two: '2 kept', three: '3 migrates' });
    expect(test.store.writes).toBe(writes);

    await test.restart({ agents: [fourth] });
    expect(['one', 'two', 'three'].map((address) => stateOf(test, address))).toEqual([
      ['suspended', 'open', { sum: 1 }],
      ['active', { active: 'open' }, { total: 0, receipt: null }],
      ['active', 'open', { cents: 0 }],
    ]);
  });
});
