import { type AnyActorRef, assign, createMachine, fromPromise, sendTo, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { defineAgent } from '../../../../src/actors/api/define-agent.ts';
import { type MigrationSteps } from '../../../../src/actors/model/version-rules.ts';
import { type Recovered, KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { createJournal } from '../../../../src/persistence/journal/journal.ts';
import { startTestSystem, TestSystem } from '../../../../src/testing/test-system.ts';
import {
  deploy,
  first,
  second,
  send,
  startOrders,
  stateOf,
  third,
  thirdFromSecond,
} from '../../../support/actors/versions/orders.ts';

/** The content of the store after the system has stopped. */
async function recoveredFrom(test: TestSystem): Promise<Recovered> {
  await test.shard.stop();
  const journal = createJournal(test.store);
  const recovered = await journal.open({
    Class: class {},
    encode: () => ({ life: 0, address: '' }),
    decode: (fields) => fields,
  });
  await journal.close();
  return recovered;
}

describe('an actor of an older version', () => {
  it('is migrated to the new machine by its step, and goes on there', async () => {
    const test = await startOrders(first);
    await send(test, 'o', { type: 'add', amount: 5 });
    await deploy(test, second);
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 5, receipt: null }]);
    await send(test, 'o', { type: 'add', amount: 2 });
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 7, receipt: null }]);
  });

  it('takes all steps of the chain at once if it skipped a version', async () => {
    const test = await startOrders(first);
    await send(test, 'o', { type: 'add', amount: 5 });
    await deploy(test, third);
    expect(stateOf(test)).toEqual(['active', 'open', { cents: 500 }]);
  });

  it(
    "is migrated once: the next start finds it in its new version, with that version's table of " + 'configurations',
    async () => {
      const test = await startOrders(first, ['o', 'p']);
      await send(test, 'p', { type: 'pay' });
      await deploy(test, second);
      for (let start = 0; start < 3; start++) {
        expect([stateOf(test), stateOf(test, 'p')]).toEqual([
          ['active', { active: 'open' }, { total: 0, receipt: null }],
          ['active', 'paid', { total: 0, receipt: 'for 0' }],
        ]);
        await deploy(test, second);
      }
      const { identities } = await recoveredFrom(test);
      const orders = [...identities.values()].filter(({ agent }) => agent === 'order');
      expect(orders).toMatchObject([{ version: 2 }, { version: 2 }]);
    },
  );

  it('is shown as it was stored until the migration is durable', async () => {
    const test = await startOrders(first);
    await test.crash();
    let resolve!: () => void;
    const write = test.store.write.bind(test.store);
    test.store.write = async (...args) => {
      await new Promise<void>((go) => (resolve = go));
      return write(...args);
    };
    const started = test.restart({ agents: [second] });
    for (let n = 0; n < 50 && resolve === undefined; n++) await new Promise<void>((go) => setImmediate(go));
    expect(stateOf(test)).toEqual(['active', 'open', { sum: 0 }]);
    test.store.write = write;
    resolve();
    await started;
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 0, receipt: null }]);
  });

  it('keeps its unread messages, and stored references still reach it', async () => {
    const sender = defineAgent({
      name: 'sender',
      machine: setup({ types: {} as { context: { to: AnyActorRef | null }; events: { type: 'poke' } } }).createMachine({
        context: { to: null },
        on: {
          poke: {
            actions: [
              assign({ to: ({ system, context }) => context.to ?? (system.get('order') as AnyActorRef) }),
              sendTo(({ context }) => context.to!, { type: 'add', amount: 3 }),
            ],
          },
        },
      }),
      events: { poke: z.object({}) },
    });
    const tree = {
      children: [
        { id: 'o', agent: 'order', systemId: 'order' },
        { id: 's', agent: 'sender' },
      ],
    };
    const test = await startTestSystem({ agents: [first, sender], tree });
    await test.shard.send('s', { type: 'poke' });
    await test.settle();
    await test.crash();
    const held = new TestSystem({ agents: [first, sender], tree, store: test.store, clock: test.clock, hold: true });
    await held.shard.start();
    await held.shard.send('o', { type: 'add', amount: 4 });
    await held.shard.stop();
    await test.restart({ agents: [second, sender] });
    await test.shard.send('s', { type: 'poke' });
    await test.settle();
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 10, receipt: null }]);
  });

  it('gets the new version without a step if its structure is unchanged, or after the given steps', async () => {
    const same = (version: number, migrate: MigrationSteps) =>
      defineAgent({
        name: 'order',
        version,
        machine: first.machine,
        events: first.events,
        migrate,
      } as never) as typeof first;
    const test = await startOrders(first);
    await send(test, 'o', { type: 'add', amount: 5 });
    await deploy(test, same(2, {}));
    expect(stateOf(test)).toEqual(['active', 'open', { sum: 5 }]);
    await deploy(
      test,
      same(4, { 4: ({ value, context }) => ({ value, context: { sum: (context as { sum: number }).sum + 100 } }) }),
    );
    await deploy(
      test,
      same(4, { 4: ({ value, context }) => ({ value, context: { sum: (context as { sum: number }).sum + 100 } }) }),
    );
    expect(stateOf(test)).toEqual(['active', 'open', { sum: 105 }]);
  });
});

describe('a migration that is not possible', () => {
  const bad = (step: () => unknown) =>
    defineAgent({
      name: 'order',
      version: 2,
      machine: second.machine,
      events: second.events,
      migrate: { 2: step },
    } as never) as typeof second;
  it.each([
    [
      'throws',
      () => {
        throw new Error('no idea');
      },
      'the migration to version 2 threw: no idea',
    ],
    ['gives no state', () => 'open', 'returned no { value, context }'],
    ['gives no context', () => ({ value: 'paid' }), 'returned no { value, context }'],
    [
      'gives a state that the machine does not have',
      () => ({ value: 'nowhere', context: {} }),
      '"nowhere" is not a state of order',
    ],
    [
      'gives an unknown substate',
      () => ({ value: { active: 'shut' }, context: {} }),
      '{"active":"shut"} is not a state of order',
    ],
    ['gives a value that is no state value', () => ({ value: 7, context: {} }), '7 is not a state of order'],
    [
      'gives a context that is not data',
      () => ({ value: 'paid', context: { f: () => {} } }),
      'context.f is a function',
    ],
  ])('suspends the actor unchanged if it %s, and the other actors go on', async (_, step, reason) => {
    const test = await startOrders(first);
    await send(test, 'o', { type: 'add', amount: 5 });
    await test.crash();
    await test.restart({ agents: [bad(step)], tree: { children: [{ id: 'new', agent: 'order' }] } });
    expect(stateOf(test)).toEqual(['suspended', 'open', { sum: 5 }]);
    expect(test.shard.snapshot('o')!.error).toMatchObject({
      code: 'BOSUN_AGENT_UNREADABLE',
      message: expect.stringContaining(reason) as string,
    });
    expect(stateOf(test, 'new')).toMatchObject(['active', { active: 'open' }, {}]);
    await deploy(test, second);
    expect(stateOf(test)).toEqual(['active', { active: 'open' }, { total: 5, receipt: null }]);
  });

  it('includes one that would end the actor', async () => {
    const ended = setup({}).createMachine({ id: 'order', initial: 'a', states: { a: {}, b: { type: 'final' } } });
    const test = await startOrders(first);
    await test.crash();
    await test.restart({
      agents: [
        defineAgent({
          name: 'order',
          version: 2,
          machine: ended,
          events: {},
          migrate: { 2: () => ({ value: 'b', context: {} }) as const },
        }),
      ],
    });
    expect(test.shard.snapshot('o')!.error).toMatchObject({
      message: expect.stringContaining('a migration does not end an actor') as string,
    });
  });

  it('includes one that skips a step between two structures', async () => {
    const test = await startOrders(first);
    await deploy(test, thirdFromSecond);
    expect(test.shard.snapshot('o')!.error).toMatchObject({
      message: expect.stringContaining('there is no migration to version 2: give it in `migrate`') as string,
      details: { address: 'o', agent: 'order', stored: { version: 1 }, current: { version: 3 } },
    });
  });
});

describe('timers', () => {
  const machine = (name: string, delays: object, other = {}) =>
    createMachine({
      id: 'm',
      context: {},
      initial: name,
      states: { [name]: { after: delays, ...other }, over: {}, later: {} },
    } as never);
  const agent = (version: number, of: ReturnType<typeof machine>, value: string) =>
    defineAgent({
      name: 'm',
      version,
      machine: of,
      events: {},
      ...(version > 1 && { migrate: { [version]: ({ context }: { context: object }) => ({ value, context }) } }),
    } as never) as AnyAgent;

  async function migrated(next: ReturnType<typeof machine>, value: string): Promise<TestSystem> {
    const test = await startTestSystem({
      agents: [agent(1, machine('a', { 1_000: 'over' }), 'a')],
      tree: { children: [{ id: 'm', agent: 'm' }] },
    });
    await test.advance(600);
    await test.crash();
    await test.restart({ agents: [agent(2, next, value)] });
    return test;
  }

  it('timers of a delayed transition that still exists keep their deadline', async () => {
    const test = await migrated(machine('a', { 1_000: 'over', 5_000: 'later' }), 'a');
    await test.advance(399);
    expect(test.shard.snapshot('m')!.value).toBe('a');
    await test.advance(1);
    expect(test.shard.snapshot('m')!.value).toBe('over');
  });

  it('timers of a removed delayed transition are dropped, and those of new states start at the migration', async () => {
    const test = await migrated(machine('b', { 700: 'later' }), 'b');
    await test.advance(699);
    expect(test.shard.snapshot('m')!.value).toBe('b');
    await test.advance(1);
    expect(test.shard.snapshot('m')!.value).toBe('later');
    await test.crash();
    await test.restart({ agents: [agent(2, machine('b', { 700: 'later' }), 'b')] });
    await test.advance(10_000);
    expect(test.shard.snapshot('m')!.value).toBe('later');
  });

  it('timers that are dropped leave nothing on disk', async () => {
    const test = await migrated(machine('b', {}), 'b');
    expect((await recoveredFrom(test)).rows.get(KEYSPACE.timers)!.size).toBe(0);
  });
});

describe('children of a migrated machine', () => {
  const kid = setup({ types: {} as { context: { n: number } } }).createMachine({
    id: 'kid',
    context: { n: 1 },
    on: { up: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  });
  const otherKid = setup({ types: {} as { context: { count: number } } }).createMachine({
    id: 'kid',
    context: { count: 0 },
    initial: 'x',
    states: { x: {} },
  });
  const parent = (invokes: readonly string[], actors: Record<string, unknown>, extra: object = {}) =>
    createMachine({
      id: 'p',
      context: {},
      initial: 'a',
      states: { a: { invoke: invokes.map((src) => ({ src, id: src })) }, ...extra },
    } as never).provide({ actors } as never);
  const agent = (version: number, machine: ReturnType<typeof parent>, more: object = {}) =>
    defineAgent({
      name: 'p',
      version,
      machine,
      events: {},
      ...(version > 1 && { migrate: { [version]: (old: unknown) => old } }),
      ...more,
    } as never) as AnyAgent;
  const start = (machine: ReturnType<typeof parent>) =>
    startTestSystem({ agents: [agent(1, machine)], tree: { children: [{ id: 'p', agent: 'p' }] } });
  const addresses = (test: TestSystem) =>
    test.shard.tree('p').children.map(({ address, status }) => `${address} ${status}`);

  it('children of a migrated machine go on if its states still invoke them, or stop, and new ones start', async () => {
    const forever = () => fromPromise(() => new Promise(() => {}));
    const test = await start(parent(['keep', 'lose'], { keep: kid, lose: forever() }));
    expect(addresses(test)).toEqual(['p/keep active', 'p/lose active']);
    const { effectId } = test.shard.snapshot('p/keep')!;
    await test.crash();
    const agents = [agent(2, parent(['keep', 'gain'], { keep: kid, gain: forever(), lose: forever() }))];
    await test.restart({ agents });
    expect(addresses(test)).toEqual(['p/keep active', 'p/gain active']);
    expect(test.shard.snapshot('p/keep')).toMatchObject({ effectId, context: { n: 1 } });
    await test.crash();
    await test.restart({ agents });
    expect(addresses(test)).toEqual(['p/keep active', 'p/gain active']);
  });

  it('children of a migrated machine whose logic is gone, or no longer a machine, are stopped', async () => {
    const test = await start(parent(['one', 'two'], { one: kid, two: kid }));
    await test.crash();
    const resolved: string[] = [];
    await test.restart({
      agents: [agent(2, parent(['two'], { two: fromPromise(async () => void resolved.push('two')) }))],
    });
    expect([addresses(test).map((line) => line.split(' ')[0]), resolved]).toEqual([['p/two'], ['two']]);
  });

  it('children of a migrated machine have their own steps in migrateChildren', async () => {
    const test = await start(parent(['kid'], { kid }));
    await test.crash();
    const steps = {
      kid: { 2: ({ context }: { context: { n: number } }) => ({ value: 'x', context: { count: context.n } }) },
    };
    await test.restart({ agents: [agent(2, parent(['kid'], { kid: otherKid }), { migrateChildren: steps })] });
    expect(test.shard.snapshot('p/kid')).toMatchObject({ status: 'active', value: 'x', context: { count: 1 } });
  });

  it('children with another structure and no step are suspended, and the machine goes on', async () => {
    const test = await start(parent(['kid'], { kid }));
    await test.crash();
    await test.restart({ agents: [agent(1, parent(['kid'], { kid: otherKid }))] });
    expect(addresses(test)).toEqual(['p/kid suspended']);
    expect(test.shard.snapshot('p')!.status).toBe('active');
  });
});

describe('defineAgent', () => {
  const { machine } = second;
  it.each([
    [
      'a migration to a version that it has not reached',
      { version: 2, migrate: { 3: () => ({ value: 'paid', context: {} }) } },
      'must lead to a version from 2 to 2',
    ],
    [
      'a migration to the first version',
      { version: 2, migrate: { 1: () => ({ value: 'paid', context: {} }) } },
      'not to 1',
    ],
    [
      'a previous agent of another name',
      { version: 2, previous: [defineAgent({ name: 'x', machine, events: {} })] },
      'is not an earlier version',
    ],
    [
      'a previous agent that is not older',
      { version: 1, previous: [defineAgent({ name: 'order', machine, events: {} })] },
      'is not an earlier version',
    ],
    [
      'two previous agents of one version',
      { version: 3, previous: [first, first] },
      '`previous` has two agents of one version',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => defineAgent({ name: 'order', machine, events: {}, ...options } as never)).toThrow(message);
  });
});
