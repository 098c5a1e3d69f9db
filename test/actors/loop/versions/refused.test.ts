import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnyStateMachine, assign, createMachine, fromPromise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { Kernel } from '../../../../src/actors/loop/kernel.ts';
import { type Journal, KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { type Logic } from '../../../../src/actors/loop/versions/roster.ts';
import { BosunError } from '../../../../src/errors.ts';
import { createJournal } from '../../../../src/persistence/journal/journal.ts';
import { levelStore } from '../../../../src/persistence/store/level-store.ts';
import { bossMachine } from '../../../../src/supervisor/boss.ts';
import { type BossOptions, parseBossSpec } from '../../../../src/supervisor/child-spec.ts';
import { Shard } from '../../../../src/shard.ts';
import { startTestSystem, type TestSystem } from '../../../../src/testing/test-system.ts';
import { code } from '../../../support/actors/account.ts';
import { LONG } from '../../../support/effort.ts';
import {
  deploy,
  first,
  second,
  send,
  startOrders,
  stateOf,
  thirdFromSecond,
} from '../../../support/actors/versions/orders.ts';

/** The rows and the state of one actor, as they are on disk. */
async function recordOf(test: TestSystem, address: string): Promise<unknown> {
  await test.shard.stop();
  const journal = createJournal(test.store);
  const { identities, rows, states } = await journal.open({
    Class: class {},
    encode: () => ({ life: 0, address: '' }),
    decode: (fields) => fields,
  });
  await journal.close();
  const life = rows.get(KEYSPACE.addresses)!.get(address) as number;
  const owned = [...rows.get(KEYSPACE.timers)!.values()].filter((row) => (row as unknown[])[0] === life);
  return {
    identity: identities.get(life),
    state: states.get(life),
    owned,
  };
}

const changed = (id: string, version = 1) =>
  defineAgent({
    name: 'order',
    version,
    machine: createMachine({ id, context: {}, on: { add: {}, pay: {} } }),
    events: first.events,
  } as never) as typeof first;

describe('an actor that the code cannot read', () => {
  it('is suspended with a report, its record unchanged, and goes on in a start whose code can read it', async () => {
    const test = await startOrders(first, ['o', 'other']);
    await send(test, 'o', { type: 'add', amount: 5 });
    const before = await recordOf(test, 'o');
    await test.restart({ agents: [thirdFromSecond] });
    expect(test.shard.tree('o')).toMatchObject({
      status: 'suspended',
      state: 'open',
      lastError: { code: 'BOSUN_AGENT_UNREADABLE' },
    });
    await test.advance(10_000);
    expect(await recordOf(test, 'o')).toEqual(before);
    await test.restart({ agents: [first] });
    await test.settle();
    // Its deadline passed long ago.
    expect(stateOf(test)).toEqual(['active', 'lapsed', { sum: 5 }]);
  });

  it('keeps the messages in its mailbox, and reads them when it goes on', async () => {
    const test = await startOrders(first);
    await test.shard.admin.suspend('o', { by: 'ada' });
    await send(test, 'o', { type: 'add', amount: 7 });
    await deploy(test, thirdFromSecond);
    expect(test.shard.tree('o').mailbox).toBe(1);
    await deploy(test, second);
    await test.shard.resume('o');
    await test.settle();
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 7, receipt: null }]);
  });

  it('is reported with the advice to raise the version if the structure changed under the same one', async () => {
    const test = await startOrders(first);
    await deploy(test, changed('another'));
    expect(test.shard.snapshot('o')!.error).toMatchObject({
      message: expect.stringContaining('raise the version') as string,
    });
  });

  it('is not read by code of an older version', async () => {
    const test = await startOrders(second);
    await deploy(test, first);
    expect(test.shard.snapshot('o')!.error).toMatchObject({
      message: expect.stringContaining('the code has only version 1') as string,
    });
    await deploy(test, second);
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 0, receipt: null }]);
  });

  it('refuses events from outside if its agent is not given, because no schema could check them', async () => {
    const test = await startOrders(first);
    await test.crash();
    await test.restart({ agents: [] });
    expect(test.shard.snapshot('o')).toMatchObject({ status: 'suspended', error: { code: 'BOSUN_AGENT_UNKNOWN' } });
    await expect(test.shard.send('o', { type: 'pay' })).rejects.toEqual(code('BOSUN_AGENT_UNKNOWN'));
    await expect(test.shard.resume('o')).rejects.toEqual(code('BOSUN_AGENT_UNKNOWN'));
  });

  it('is suspended with all actors below it', async () => {
    const kid = createMachine({
      id: 'kid',
      context: { n: 0 },
      after: { 1_000: { actions: assign({ n: 1 }) } },
    } as never);
    let runs = 0;
    const work = () =>
      fromPromise(async () => {
        runs += 1;
        await new Promise(() => {});
      });
    const parent = (states: object) =>
      createMachine({
        id: 'p',
        context: {},
        invoke: [
          { src: 'kid', id: 'kid' },
          { src: 'work', id: 'work' },
        ],
        ...states,
      } as never).provide({ actors: { kid, work: work() } } as never);
    const agent = (states: object) => defineAgent({ name: 'p', machine: parent(states), events: {} }) as AnyAgent;
    const test = await startTestSystem({ agents: [agent({})], tree: { children: [{ id: 'p', agent: 'p' }] } });
    await test.crash();
    await test.restart({ agents: [agent({ initial: 'a', states: { a: {} } })] });
    await test.advance(5_000);
    expect(test.shard.tree('p')).toMatchObject({
      status: 'suspended',
      children: [{ status: 'suspended', mailbox: 0 }, { status: 'suspended' }],
    });
    expect([runs, test.shard.snapshot('p/kid')!.context]).toEqual([1, { n: 0 }]);
    await test.crash();
    await test.restart();
    expect([
      runs,
      test.shard.tree('p').children.map(({ status }) => status),
      test.shard.snapshot('p/kid')!.context,
    ]).toEqual([2, ['active', 'active'], { n: 1 }]);
  });

  it('is suspended and goes on in the same way on LevelDB', LONG, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'bosun-versions-'));
    try {
      const run = async (agents: readonly AnyAgent[]) => {
        const system = await new Shard({
          agents,
          store: levelStore(directory),
          durability: 'process',
          log: () => {},
          tree: { children: [{ id: 'o', agent: 'order' }] },
        }).start();
        await system.idle();
        const { status } = system.snapshot('o')!;
        await system.send('o', { type: 'add', amount: 1 }).catch(() => {});
        await system.idle();
        const { context } = system.snapshot('o')!;
        await system.stop();
        return [status, context];
      };
      expect(await run([first])).toEqual(['active', { sum: 1 }]);
      expect(await run([thirdFromSecond])).toEqual(['suspended', { sum: 1 }]);
      expect(await run([second])).toEqual(['active', { total: 2, receipt: null }]);
      expect(await run([thirdFromSecond])).toEqual(['active', { cents: 300 }]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('the Boss of a suspended child', () => {
  const tree = (agent: string): BossOptions => ({
    intensity: 0,
    children: [
      { id: 'o', agent },
      { id: 's', agent: 'order' },
    ],
  });

  it('counts no failure, and its siblings go on', async () => {
    const test = await startTestSystem({ agents: [first], tree: tree('order') });
    await test.crash();
    await test.restart({ agents: [changed('another')] });
    expect(test.shard.snapshot('root')).toMatchObject({ status: 'active', context: { window: [] } });
    expect(test.shard.tree().children).toMatchObject([
      { status: 'suspended', restarts: 0 },
      { status: 'suspended', restarts: 0 },
    ]);
  });

  it('delays a pending restart until the child can be read again', async () => {
    const fragile = (id: string) =>
      setup({ types: {} as { context: { n: number }; events: { type: 'break' } | { type: 'count' } } }).createMachine({
        id,
        context: { n: 0 },
        on: {
          count: { actions: assign({ n: ({ context }) => context.n + 1 }) },
          break: {
            actions: assign(() => {
              throw new Error('broken');
            }),
          },
        },
      });
    const agent = (id: string) =>
      defineAgent({ name: 'f', machine: fragile(id), events: { break: z.object({}), count: z.object({}) } });
    const backoff = { minMs: 1_000, maxMs: 1_000, jitter: 0 };
    const test = await startTestSystem({
      agents: [agent('one')],
      tree: { children: [{ id: 'f', agent: 'f', backoff }] },
    });
    await test.shard.send('f', { type: 'count' });
    await test.shard.send('f', { type: 'break' });
    await test.settle();
    await test.crash();
    await test.restart({ agents: [agent('two')] });
    await test.advance(2_000);
    expect(test.shard.tree('f')).toMatchObject({ status: 'suspended', restarts: 1, mailbox: 1 });
    await test.crash();
    await test.restart({ agents: [agent('one')] });
    await test.advance(2_000);
    expect(test.shard.tree('f')).toMatchObject({ status: 'active', restarts: 1, mailbox: 0 });
    expect([test.shard.snapshot('f')!.context, test.shard.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([
      { n: 1 },
      1,
    ]);
  });

  it("ends the child when the tree drops it, even if the same deploy removes the child's agent", async () => {
    const spare = defineAgent({ name: 'spare', machine: createMachine({ id: 'spare', context: {} }), events: {} });
    const test = await startTestSystem({
      agents: [first, spare],
      tree: {
        children: [
          { id: 'o', agent: 'order' },
          { id: 's', agent: 'spare' },
        ],
      },
    });
    await test.crash();
    await test.restart({ agents: [first], tree: { children: [{ id: 'o', agent: 'order' }] } });
    expect(test.shard.tree().children.map(({ address, status }) => [address, status])).toEqual([['o', 'active']]);
    await test.crash();
    await test.restart({ agents: [first], tree: { children: [{ id: 'o', agent: 'order' }] } });
    expect(test.shard.tree().children).toHaveLength(1);
  });

  it('replaces the child if the tree declares a different agent', async () => {
    const test = await startTestSystem({ agents: [first], tree: { children: [{ id: 'o', agent: 'order' }] } });
    const spare = defineAgent({ name: 'spare', machine: createMachine({ id: 'spare', context: {} }), events: {} });
    await test.crash();
    await test.restart({ agents: [spare], tree: { children: [{ id: 'o', agent: 'spare' }] } });
    expect(test.shard.tree('o')).toMatchObject({ agent: 'spare', status: 'active' });
  });
});

describe('a record that the store reports as damaged', () => {
  it('suspends its actor with that error, and no other', async () => {
    const test = await startOrders(first, ['o', 'other']);
    await test.shard.stop();
    const damage = new BosunError('BOSUN_STORE_DAMAGED', 'its record does not match its checksum');
    const journal = createJournal(test.store);
    const reporting: Journal = {
      codec: journal.codec,
      notes: undefined,
      open: async (references) => {
        const recovered = await journal.open(references);
        const life = recovered.rows.get(KEYSPACE.addresses)!.get('o') as number;
        return {
          ...recovered,
          states: new Map([...recovered.states].filter(([of]) => of !== life)),
          unreadable: new Map([[life, damage]]),
        };
      },
      commit: (epoch) => journal.commit(epoch),
      retry: () => journal.retry(),
      purge: (epoch) => journal.purge(epoch),
      close: () => journal.close(),
    };
    const agents: Readonly<Record<string, Logic>> = {
      order: { logic: first.machine as AnyStateMachine, version: 1 },
      'bosun.boss': { logic: bossMachine as AnyStateMachine, version: 1 },
    };
    const kernel = new Kernel(
      {
        journal: reporting,
        clock: test.clock,
        random: { next: () => 0 },
        logicOf: (name) => agents[name],
        root: parseBossSpec({}),
        hold: false,
        outageMs: 0,
        trustWallClock: false,
        caution: false,
        log: () => {},
      },
      () => {},
    );
    await kernel.start();
    const suspensionAt = (address: string) => kernel.shown.at(address)!.durable!.suspension;
    expect([suspensionAt('o'), suspensionAt('other')]).toEqual([damage, undefined]);
    await kernel.stop();
  });
});
