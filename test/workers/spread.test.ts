/** One system over several workers, in one thread and on virtual time: its tree, its messages, its starts. */
import { describe, expect, it } from 'vitest';
import { assign, sendTo, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { secret } from '../../src/actors/model/secret.ts';
import { Placement } from '../../src/actors/model/placement.ts';
import { checksum } from '../../src/checksum.ts';
import { PREFIX } from '../../src/persistence/format/keys.ts';
import { Shard } from '../../src/shard.ts';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import {
  type SpreadTestOptions,
  type SpreadTestSystem,
  startSpreadTestSystem,
} from '../../src/testing/spread-test-system.ts';
import { AGENTS, placedNames } from '../support/workers/actors.ts';

/** Names for each of two workers. */
const AT = new Placement(2, new Set(['pool', 'crew']));
const homeOf = (address: string) => AT.homeOf(address) as number;
const [HERE, THERE] = placedNames(homeOf, { count: 4 });

const worker = (id: string) => ({ id, agent: 'worker' });

async function start(options: Partial<SpreadTestOptions> = {}): Promise<SpreadTestSystem> {
  return await startSpreadTestSystem({ workers: 2, agents: AGENTS, ...options });
}

async function tell(
  test: SpreadTestSystem,
  address: string,
  event: { type: string; [field: string]: unknown },
): Promise<void> {
  await test.system.send(address, event);
  await test.settle();
}

async function contextOf(test: SpreadTestSystem, address: string): Promise<Record<string, unknown>> {
  return (await test.system.snapshot(address))!.context as Record<string, unknown>;
}

describe('the worker of an actor', () => {
  it('follows from its address, cut below the deepest spread Boss', () => {
    const placement = new Placement(3, new Set(['pool', 'pool/inner']));
    const of = (text: string) => checksum(text) % 3;
    expect(placement.homeOf('root')).toBe('every');
    expect(placement.homeOf('pool/inner')).toBe('every');
    expect(placement.homeOf('a/b/c')).toBe(of('a'));
    expect(placement.homeOf('pool/a/b')).toBe(of('pool/a'));
    expect(placement.homeOf('pool/inner/a/b')).toBe(of('pool/inner/a'));
  });

  it('is one worker for everything below an actor, or below a Boss whose children belong together', async () => {
    const test = await start({
      tree: {
        children: [
          { id: 'group', boss: { strategy: 'one_for_all', children: [worker('x'), worker('y'), worker('z')] } },
          ...HERE.map(worker),
          ...THERE.map(worker),
        ],
      },
    });
    const homes = ['group', 'group/x', 'group/y', 'group/z'].map((address) => test.system.workerOf(address));
    expect(new Set(homes).size).toBe(1);
    for (const [index, names] of [HERE, THERE].entries()) {
      expect(names.map((name) => test.worker(index)!.snapshot(name)?.status)).toEqual(names.map(() => 'active'));
      expect(names.map((name) => test.worker(1 - index)!.snapshot(name))).toEqual(names.map(() => undefined));
    }
    await test.system.stop();
  });
});

describe('a tree over two workers', () => {
  const TREE = {
    intensity: 1,
    children: [
      ...HERE.map(worker),
      ...THERE.map(worker),
      {
        id: 'pool',
        boss: { strategy: 'dynamic' as const, template: { agent: 'worker', restart: 'transient' as const } },
      },
    ],
  };

  it('is shown as one tree', async () => {
    const test = await start({ tree: TREE });
    const tree = await test.system.tree();
    expect(tree.children.map(({ address }) => address).sort()).toEqual(['pool', ...HERE, ...THERE].sort());
    expect(tree.boss).toMatchObject({ strategy: 'one_for_one', intensity: 1, restartsInPeriod: 0 });
    expect((await test.system.tree(HERE[0]!)).address).toBe(HERE[0]);
    await expect(test.system.tree('nobody')).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    await test.system.stop();
  });

  it('restarts a child on its worker, and counts on that worker only', async () => {
    const test = await start({ tree: TREE });
    await tell(test, HERE[0]!, { type: 'work' });
    await tell(test, HERE[0]!, { type: 'break' });
    await tell(test, THERE[0]!, { type: 'break' });
    expect(await contextOf(test, HERE[0]!)).toMatchObject({ done: 1 });
    expect((await test.system.tree(HERE[0]!)).restarts).toBe(1);
    expect((await test.system.tree()).boss).toMatchObject({ restartsInPeriod: 1 });
    await test.system.stop();
  });

  it('closes the whole system when one partition of the root gives up, and goes on with the next start', async () => {
    const test = await start({ tree: TREE });
    await tell(test, HERE[0]!, { type: 'break' });
    const closed = expect(test.system.closed).rejects.toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: expect.stringContaining(`the root Boss gave up: ${HERE[1]}: broken`) as string,
    });
    await test.system.send(HERE[1]!, { type: 'break' });
    await test.settle();
    await closed;
    await expect(test.system.send(THERE[0]!, { type: 'work' })).rejects.toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
    });
    await test.restartAll();
    await tell(test, THERE[0]!, { type: 'work' });
    expect(await contextOf(test, THERE[0]!)).toMatchObject({ done: 1 });
    await test.system.stop();
  });

  it('starts ordered children on the worker of their address, for hosts and for machines', async () => {
    const test = await start({ tree: TREE });
    const [here, there] = placedNames(homeOf, { count: 2, under: 'pool' });
    for (const id of [here[0]!, there[0]!]) await test.system.boss('pool').startChild({ id });
    // Ordered by a machine on the first worker; not all of these children belong to the partition there.
    for (const id of ['new', 'newer', 'newest'])
      await tell(test, HERE[0]!, { type: 'order', event: { type: 'child.start', spec: { id, agent: 'worker' } } });
    for (const address of [`pool/${here[0]}`, `pool/${there[0]}`, 'new', 'newer', 'newest']) {
      await tell(test, address, { type: 'work' });
      expect(await contextOf(test, address)).toMatchObject({ done: 1 });
    }
    await tell(test, HERE[0]!, { type: 'order', event: { type: 'child.terminate', id: 'newest' } });
    expect(await test.system.snapshot('newest')).toBe(undefined);
    await test.system.stop();
  });

  it('gives children without an id unique ids by which they are found again', async () => {
    const test = await start({ tree: TREE });
    const addresses = await Promise.all(Array.from({ length: 8 }, () => test.system.boss('pool').startChild()));
    expect(new Set(addresses).size).toBe(8);
    for (const address of addresses) await tell(test, address, { type: 'work' });
    for (const address of addresses) expect(await contextOf(test, address)).toMatchObject({ done: 1 });
    expect(new Set(addresses.map((address) => test.system.workerOf(address))).size).toBe(2);
    expect(await test.system.boss('pool').countChildren()).toEqual({ specs: 8, active: 8, supervisors: 0, workers: 8 });
    await test.system.boss('pool').terminateChild(addresses[0]!.slice('pool/'.length));
    expect((await test.system.boss('pool').whichChildren()).map(({ address }) => address).sort()).toEqual(
      addresses.slice(1).sort(),
    );
    await test.system.stop();
  });

  it('refuses the same calls as one worker, with the same codes', async () => {
    const test = await start({ tree: TREE });
    const refusals: [Promise<unknown>, string][] = [
      [test.system.send('nobody', { type: 'work' }), 'BOSUN_ACTOR_UNKNOWN'],
      [test.system.send('not an address', { type: 'work' }), 'BOSUN_ADDRESS_INVALID'],
      [test.system.send(HERE[0]!, { type: 'xstate.stop' }), 'BOSUN_EVENT_REFUSED'],
      [test.system.send(HERE[0]!, { type: 'order' }), 'BOSUN_EVENT_INVALID'],
      [test.system.send(HERE[0]!, { type: 'work', by: () => {} } as never), 'BOSUN_VALUE_REFUSED'],
      [test.system.send('pool', { type: 'work' }), 'BOSUN_EVENT_REFUSED'],
      [test.system.ask(THERE[0]!, { type: 'work' }, { timeoutMs: Infinity }), 'BOSUN_VALUE_REFUSED'],
      [test.system.boss('pool').terminateChild('nobody'), 'BOSUN_CHILD_UNKNOWN'],
      [test.system.actor('nobody'), 'BOSUN_ACTOR_UNKNOWN'],
    ];
    await Promise.all(refusals.map(([refused, code]) => expect(refused).rejects.toMatchObject({ code })));
    const late = expect(
      (await test.system.actor(HERE[0]!)).waitFor(() => false, { timeoutMs: 10 }),
    ).rejects.toMatchObject({
      code: 'BOSUN_TIMEOUT',
    });
    await test.advance(10);
    await late;
    await test.system.stop();
    await expect(test.system.tree()).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
  });

  it('spawns by address, returns an existing actor, and types the handle', async () => {
    const test = await start({ tree: TREE });
    const [agent] = AGENTS;
    const handle = await test.system.spawn(agent!, 'extra', { input: { of: 'host' } });
    await test.system.spawn(agent!, 'extra');
    expect(handle.getSnapshot().context).toMatchObject({ input: { of: 'host' } });
    await expect(test.system.spawn(agent!, HERE[0]!, { under: 'nobody' })).rejects.toMatchObject({
      code: 'BOSUN_ACTOR_UNKNOWN',
    });
    await test.system.stop();
  });
});

describe('asks and messages between workers', () => {
  const [one, two] = HERE as [string, string];
  const [other, another] = THERE as [string, string];
  const TREE = {
    intensity: 10,
    children: [
      { id: one, agent: 'asker' },
      worker(two),
      worker(other),
      { id: another, agent: 'listener' },
      { id: HERE[2]!, agent: 'listener' },
    ],
  };

  it('are answered, by address and by reference', async () => {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'ask', to: other, event: { type: 'who' } });
    expect(await contextOf(test, one)).toMatchObject({ got: { ref: { address: other } } });
    expect(await test.system.ask(other, { type: 'who' })).toMatchObject({ ref: { address: other } });
    await test.system.stop();
  });

  it('are answered even if either worker dies in between', async () => {
    const test = await start({ tree: TREE });
    test.crash(1);
    await tell(test, one, { type: 'ask', to: other, event: { type: 'who' } });
    expect(await contextOf(test, one)).toMatchObject({ got: null });
    test.crash(0);
    await test.restart(1);
    await test.restart(0);
    expect(await contextOf(test, one)).toMatchObject({ got: { ref: { address: other } } });
    await test.system.stop();
  });

  it('fail if no actor has the address, or if the asked actor crashes on the ask', async () => {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'ask', to: THERE[3]!, event: { type: 'who' } });
    expect(await contextOf(test, one)).toMatchObject({ got: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    await tell(test, one, { type: 'ask', to: other, event: { type: 'break' } });
    expect(await contextOf(test, one)).toMatchObject({ got: { code: 'BOSUN_ASK_FAILED' } });
    await test.system.stop();
  });

  it('time out if no reply comes', async () => {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'ask', to: other, event: { type: 'work' } });
    await test.advance(60_000);
    expect(await contextOf(test, one)).toMatchObject({ got: { code: 'BOSUN_TIMEOUT' } });
    await test.system.stop();
  });

  it('are sent by timers after a crash, and become dead letters on the worker of an ended receiver', async () => {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'ask', to: other, event: { type: 'who' } });
    await tell(test, one, { type: 'later', ms: 1_000 });
    test.crash(0);
    await test.restart(0);
    await test.advance(1_000);
    expect(await contextOf(test, other)).toMatchObject({ done: 1 });
    await test.system.boss().terminateChild(other);
    await tell(test, one, { type: 'later', ms: 1_000 });
    await test.advance(1_000);
    expect(await test.system.deadLetters.list()).toMatchObject([
      { reason: 'undeliverable', number: 2, event: { type: 'work' } },
    ]);
    await test.system.stop();
  });

  it('reach the members of a group on every worker', async () => {
    const test = await start({ tree: TREE });
    await tell(test, another, { type: 'tell', text: 'hello' });
    expect([await contextOf(test, another), await contextOf(test, HERE[2]!)]).toEqual([
      { heard: ['hello'] },
      { heard: ['hello'] },
    ]);
    expect([...(await test.system.members('listeners'))].sort()).toEqual([another, HERE[2]!].sort());
    await test.system.stop();
  });

  it('do not reach a life that has ended, even if a new life has its address', async () => {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'ask', to: other, event: { type: 'who' } });
    await test.system.boss().terminateChild(other);
    await test.system.boss().restartChild(other);
    await tell(test, one, { type: 'later', ms: 0 });
    await test.advance(1);
    expect(await contextOf(test, other)).toMatchObject({ done: 0 });
    await test.system.stop();
  });
});

describe('names over workers', () => {
  const [one, two] = HERE as [string, string];
  const [other] = THERE as [string];
  const TREE = {
    intensity: 10,
    children: [
      { id: one, agent: 'bearer', systemId: 'first' },
      { id: other, agent: 'bearer', systemId: 'second' },
      { id: two, agent: 'bearer' },
    ],
  };
  const got = async (test: SpreadTestSystem, address: string) => (await contextOf(test, address))['got'];

  it('are found on every worker; the names of declared children when the start resolves', async () => {
    const test = await start({ tree: TREE });
    await test.system.send(one, { type: 'call', name: 'second' });
    await test.system.send(other, { type: 'call', name: 'first' });
    await test.settle();
    expect([await got(test, one), await got(test, other)]).toEqual([['called'], ['called']]);
    expect(await test.system.lookup('second')).toEqual({ address: other, value: undefined });
    await test.system.stop();
  });

  it('are given to one actor over all workers, and are free when it gives them back', async () => {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'take', name: 'odd ! name' });
    await tell(test, other, { type: 'take', name: 'odd ! name' });
    expect(await got(test, other)).toEqual([`taken by ${one}`]);
    await tell(test, one, { type: 'give', name: 'odd ! name' });
    await tell(test, other, { type: 'take', name: 'odd ! name' });
    await tell(test, one, { type: 'call', name: 'odd ! name' });
    expect(await got(test, other)).toEqual([`taken by ${one}`, 'called']);
    await expect(
      test.system.boss().startChild({ id: HERE[2]!, agent: 'bearer', systemId: 'second' }),
    ).rejects.toMatchObject({ code: 'BOSUN_CHILD_SPEC_INVALID' });
    await test.system.stop();
  });

  it('survive the death of either worker, and end with their actor', async () => {
    const test = await start({ tree: TREE });
    test.crash(0);
    await test.restart(0);
    await tell(test, one, { type: 'call', name: 'second' });
    test.crash(1);
    await test.restart(1);
    await tell(test, two, { type: 'call', name: 'second' });
    expect(await got(test, other)).toEqual(['called', 'called']);
    await test.system.boss().terminateChild(other);
    expect(await test.system.lookup('second')).toBe(undefined);
    await tell(test, two, { type: 'take', name: 'second' });
    expect(await test.system.lookup('second')).toMatchObject({ address: two });
    await test.system.stop();
  });
});

describe('a watcher of an actor on another worker', () => {
  const [one] = HERE as [string];
  const [other] = THERE as [string];
  const TREE = {
    intensity: 10,
    children: [
      { id: one, agent: 'asker' },
      { id: other, agent: 'worker', restart: 'temporary' as const },
    ],
  };
  const got = async (test: SpreadTestSystem) => (await contextOf(test, one))['got'];

  async function met(): Promise<SpreadTestSystem> {
    const test = await start({ tree: TREE });
    await tell(test, one, { type: 'ask', to: other, event: { type: 'who' } });
    return test;
  }

  it.each([
    ['finish', 'normal'],
    ['break', 'error'],
  ])('is notified when the watched actor ends by %s', async (type, reason) => {
    const test = await met();
    await tell(test, one, { type: 'watch' });
    await tell(test, one, { type: 'watch' });
    await test.system.send(other, { type });
    await test.settle();
    expect(await got(test)).toBe(`${other} ${reason}`);
    await test.system.stop();
  });

  it('is notified even if either worker dies in between, and at once if the actor has already ended', async () => {
    const test = await met();
    await tell(test, one, { type: 'watch' });
    test.crash(1);
    await test.restart(1);
    test.crash(0);
    await tell(test, other, { type: 'finish' });
    await test.restart(0);
    expect(await got(test)).toBe(`${other} normal`);
    await tell(test, one, { type: 'watch' });
    expect(await got(test)).toBe(`${other} unknown`);
    await test.system.stop();
  });

  it('is not notified after it stops watching', async () => {
    const test = await met();
    await tell(test, one, { type: 'watch' });
    await tell(test, one, { type: 'unwatch' });
    await tell(test, other, { type: 'finish' });
    expect(await got(test)).toMatchObject({ ref: { address: other } });
    await test.system.stop();
  });

  it('fails with a linked actor, in both directions, unless the link is removed', async () => {
    const test = await met();
    await tell(test, one, { type: 'bind' });
    await tell(test, one, { type: 'unbind' });
    await tell(test, one, { type: 'bind' });
    await tell(test, other, { type: 'break' });
    expect((await test.system.tree(one)).restarts).toBe(1);
    expect((await test.system.tree(one)).lastError).toMatchObject({ code: 'BOSUN_LINK_DOWN' });
    await test.system.stop();
    const again = await met();
    await tell(again, one, { type: 'bind' });
    await again.system.boss().terminateChild(one);
    await again.settle();
    // By order, and so not normally: the other fails, and being temporary is gone.
    expect(await again.system.snapshot(other)).toBe(undefined);
    await again.system.stop();
  });

  it('needs a reference: watching by address makes its turn throw', async () => {
    const test = await met();
    await tell(test, one, { type: 'watchAddress', address: other });
    expect(await test.system.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { address: one, error: { code: 'BOSUN_ON_ANOTHER_WORKER' } },
    ]);
    await test.system.stop();
  });
});

describe('secrets in messages to another worker', () => {
  const [one] = HERE as [string];
  const [other] = THERE as [string];
  const KEY = Buffer.alloc(32, 7).toString('base64');
  const TEXT = 'nobody is to read this';
  const vault = defineAgent({
    name: 'vault',
    machine: setup({
      types: {} as { context: { kept: string[] }; events: { type: 'keep'; text: string } },
    }).createMachine({
      context: { kept: [] },
      on: { keep: { actions: assign({ kept: ({ context, event }) => [...context.kept, event.text] }) } },
    }),
    events: { keep: z.object({ text: secret(z.string()) }) },
  });
  const courier = defineAgent({
    name: 'courier',
    machine: setup({ types: {} as { events: { type: 'carry'; text: string } } }).createMachine({
      on: {
        carry: {
          actions: sendTo(
            ({ system }) => system.get('vault') as never,
            ({ event }) => ({ type: 'keep', text: event.text }) as never,
          ),
        },
      },
    }),
    events: { carry: z.object({ text: secret(z.string()) }) },
  });
  const options = {
    agents: [vault, courier],
    tree: {
      children: [
        { id: one, agent: 'courier' },
        { id: other, agent: 'vault', systemId: 'vault' },
      ],
    },
    secretKey: KEY,
  };
  const legible = (test: SpreadTestSystem) =>
    test.stores.some((store) => store.entries().some(([, value]) => Buffer.from(value).includes(TEXT)));

  it('are stored encrypted, and wait for a start that has the key', async () => {
    const test = await start(options);
    test.crash(1);
    await test.system.send(one, { type: 'carry', text: TEXT });
    await test.settle();
    expect(legible(test)).toBe(false);
    test.crashAll();
    await test.restartAll({ secretKey: undefined });
    expect(test.logged.flat().join()).toContain('wait for a start that has the key');
    await test.system.stop();
    await test.restartAll({ secretKey: KEY });
    expect(await contextOf(test, other)).toEqual({ kept: [TEXT] });
    expect(legible(test)).toBe(false);
    await test.system.stop();
  });
});

describe('one worker that is down', () => {
  const TREE = { children: [worker(HERE[0]!), worker(THERE[0]!)] };

  it('leaves the other workers running, and calls to it wait', async () => {
    const test = await start({ tree: TREE });
    test.crash(1);
    await tell(test, HERE[0]!, { type: 'work' });
    expect(await contextOf(test, HERE[0]!)).toMatchObject({ done: 1 });
    const waiting = test.system.send(THERE[0]!, { type: 'work' });
    await test.settle();
    await test.restart(1);
    await waiting;
    await test.settle();
    expect(await contextOf(test, THERE[0]!)).toMatchObject({ done: 1 });
    await test.system.stop();
  });

  it('leaves the outcome of sends that it had received unknown', async () => {
    const test = await start({ tree: TREE });
    const open = test.system.send(THERE[0]!, { type: 'work' });
    const rejected = expect(open).rejects.toMatchObject({
      code: 'BOSUN_WORKER_DOWN',
      details: { worker: 1, unknownOutcome: true },
    });
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    test.crash(1);
    await rejected;
    await test.restart(1);
    await test.system.stop();
  });

  it('gets all sends of a session again, in order, when it is back', async () => {
    const test = await start({ tree: TREE });
    const sends = [1, 2].map((sequence) =>
      test.system.send(THERE[0]!, { type: 'work' }, { session: { id: 'host', sequence } }),
    );
    await new Promise<void>((resolve) => test.clock.defer(resolve));
    test.crash(1);
    sends.push(test.system.send(THERE[0]!, { type: 'work' }, { session: { id: 'host', sequence: 3 } }));
    await test.restart(1);
    await Promise.all(sends);
    await test.settle();
    expect(await contextOf(test, THERE[0]!)).toMatchObject({ done: 3 });
    await test.system.stop();
  });

  it('is observed by subscriptions over its death', async () => {
    const test = await start({ tree: TREE });
    const seen: unknown[] = [];
    (await test.system.actor(THERE[0]!)).subscribe(({ context }) => seen.push((context as { done: number }).done));
    await tell(test, THERE[0]!, { type: 'work' });
    test.crash(1);
    await test.restart(1);
    await tell(test, THERE[0]!, { type: 'work' });
    expect(seen).toEqual([1, 2]);
    await test.system.stop();
  });
});

describe('the stores of workers', () => {
  const TREE = { children: [...HERE.map(worker), ...THERE.map(worker)] };

  it('are opened only by the worker that each was made for, and only by the same number of workers', async () => {
    const stores = [faultyStore(), faultyStore()];
    const test = await start({ tree: TREE, stores });
    await test.system.stop();
    await expect(start({ tree: TREE, stores: [stores[1]!, stores[0]!] })).rejects.toMatchObject({
      code: 'BOSUN_WORKERS_CHANGED',
    });
    await expect(start({ tree: TREE, workers: 3, stores: [...stores, faultyStore()] })).rejects.toMatchObject({
      code: 'BOSUN_WORKERS_CHANGED',
    });
    await expect(new Shard({ agents: AGENTS, store: stores[0]!, tree: TREE }).start()).rejects.toMatchObject({
      code: 'BOSUN_WORKERS_CHANGED',
    });
    await (await start({ tree: TREE, stores })).system.stop();
  });

  it('are named if damaged, however late the other stores open', async () => {
    const stores = [faultyStore(), faultyStore()];
    const test = await start({ tree: TREE, stores });
    for (let n = 0; n < 3; n++) await tell(test, THERE[0]!, { type: 'work' });
    await test.system.stop();
    const key = stores[1]!
      .entries()
      .map(([name]) => name)
      .filter((name) => name.startsWith(PREFIX.epoch))
      .at(-2)!;
    stores[1]!.lose(key);
    const open = stores[0]!.open.bind(stores[0]);
    stores[0]!.open = async () => {
      for (let n = 0; n < 10; n++) await new Promise<void>((resolve) => test.clock.defer(resolve));
      await open();
    };
    await expect(start({ tree: TREE, stores })).rejects.toMatchObject({
      code: 'BOSUN_STORE_DAMAGED',
      message: `worker 1: the record under "${key}" is missing`,
      details: { key, worker: 1 },
    });
    expect(stores.map(({ isOpen }) => isOpen)).toEqual([false, false]);
  });

  it('cannot include a store of a system without workers', async () => {
    const store = faultyStore();
    const alone = await new Shard({ agents: AGENTS, store, tree: TREE }).start();
    await alone.stop();
    await expect(start({ tree: TREE, stores: [store, faultyStore()] })).rejects.toMatchObject({
      code: 'BOSUN_WORKERS_CHANGED',
    });
  });

  it('may be inspected one by one', async () => {
    const stores = [faultyStore(), faultyStore()];
    const test = await start({ tree: TREE, stores });
    await test.system.stop();
    const shown = await new Shard({ agents: AGENTS, store: stores[1]!, hold: true }).start();
    expect(shown.tree().children.map(({ address }) => address)).toEqual(THERE);
    await shown.stop();
  });

  it('prevent a change of strategy that would bring children on different workers together', async () => {
    const children = [...placedNames(homeOf, { count: 1, under: 'crew' })].flat().map(worker);
    const stores = [faultyStore(), faultyStore()];
    const test = await start({ stores, tree: { children: [{ id: 'crew', boss: { children } }] } });
    await test.system.stop();
    const together = { children: [{ id: 'crew', boss: { strategy: 'one_for_all' as const, children } }] };
    await expect(start({ stores, tree: together })).rejects.toMatchObject({
      code: 'BOSUN_WORKERS_CHANGED',
      details: { address: 'crew' },
    });
    // A Boss that the tree no longer declares ends, as in any system.
    const without = await start({ stores, tree: {} });
    expect((await without.system.tree()).children).toEqual([]);
    await without.system.stop();
  });

  it('need a root whose children may live on different workers', async () => {
    await expect(start({ tree: { strategy: 'rest_for_one' } })).rejects.toMatchObject({
      code: 'BOSUN_CHILD_SPEC_INVALID',
    });
  });
});
