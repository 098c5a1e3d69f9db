/**
 * Actors that rest while asks, children, timers or monitors are pending. Each story has a power cut in the middle; the
 * reads of the store show that an actor did rest.
 */
import { describe, expect, it } from 'vitest';
import { assign, createMachine, fromPromise, sendTo, setup } from 'xstate';
import { type AnyAgent } from '../../../../src/actors/model/agent.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { code } from '../../../support/actors/account.ts';
import { started } from '../../../support/actors/started.ts';
import { agentOf } from '../../../support/actors/subject.ts';
import { clerk, member, teller } from '../../../support/actors/talkers.ts';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { PREFIX, stateKey } from '../../../../src/persistence/format/keys.ts';

const job = setup({ types: {} as { events: { type: 'finish' | 'fail' } } }).createMachine({
  initial: 'at work',
  after: { 60_000: '.over' },
  on: {
    finish: '.over',
    fail: {
      actions: assign(() => {
        throw new Error('as told');
      }),
    },
  },
  states: { 'at work': {}, over: { type: 'final' } },
  output: 'done',
});

/** Has a job done, and notes how it ended. */
const master = agentOf(
  'master',
  setup({
    types: {} as { context: { notes: unknown[] }; events: { type: 'hire' | 'finish' | 'fail' | 'dismiss' } },
    actors: { job },
  }).createMachine({
    context: { notes: [] },
    initial: 'alone',
    states: {
      alone: { on: { hire: 'hiring' } },
      hiring: {
        invoke: {
          id: 'job',
          src: 'job',
          onDone: {
            target: 'alone',
            actions: assign({ notes: ({ context, event }) => [...context.notes, event.output] }),
          },
          onError: {
            target: 'alone',
            actions: assign({ notes: ({ context, event }) => [...context.notes, (event.error as Error).message] }),
          },
        },
        on: {
          finish: { actions: sendTo('job', { type: 'finish' }) },
          fail: { actions: sendTo('job', { type: 'fail' }) },
          dismiss: 'alone',
        },
      },
    },
  }),
  ['hire', 'finish', 'fail', 'dismiss'],
);

const CROWD = Array.from({ length: 8 }, (_, n) => `crowd-${n}`);
const RESIDENTS = 3;
const HOUR_MS = 60 * 60_000;

/**
 * With room for the root and two more; whatever is durable is folded soon. Spawned, because a start looks at each child
 * that the code declares.
 */
async function start(): Promise<TestSystem> {
  const pool = {
    id: 'pool',
    boss: { strategy: 'dynamic' as const, template: { agent: 'member', restart: 'transient' as const } },
  };
  const test = await started({
    agents: [teller, clerk, member, master],
    residentActors: RESIDENTS,
    tree: { intensity: 100, children: [pool] },
    journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } },
  });
  const spawn = (agent: AnyAgent, address: string) => test.shard.spawn(agent, address, { restart: 'transient' });
  await spawn(teller, 't');
  await spawn(clerk, 'c');
  await spawn(master, 'master');
  for (const address of ['watcher', 'watched', ...CROWD]) await spawn(member, address);
  return test;
}

async function tell(test: TestSystem, address: string, type: string, fields: object = {}): Promise<void> {
  await test.shard.send(address, { type, ...fields } as never);
  await test.settle();
}

/** Sends to other actors until every actor that may rest does. */
async function crowd(test: TestSystem): Promise<void> {
  for (const address of CROWD) await tell(test, address, 'note', { what: 'x' });
}

async function cut(test: TestSystem): Promise<void> {
  await test.crash();
  await test.restart();
}

/** Crowds, cuts the power, and crowds again: from disk and back to it. */
async function restOverACut(test: TestSystem): Promise<void> {
  await crowd(test);
  await cut(test);
  await crowd(test);
}

const lifeOf = (test: TestSystem, address: string) => test.shard.admin.getState(address).life;

/** Lives whose states are read while something is done: these had rested. */
async function readBy(test: TestSystem, act: () => Promise<unknown>): Promise<number[]> {
  test.store.reads = [];
  await act();
  const keys = test.store.reads;
  test.store.reads = null;
  return keys.filter((key) => key.startsWith(PREFIX.state)).map((key) => parseInt(key.slice(2), 16));
}

const contextOf = <T>(test: TestSystem, address: string) => test.shard.snapshot(address)?.context as T | undefined;
const notes = (test: TestSystem, address: string) => contextOf<{ notes: unknown[] }>(test, address)?.notes;

describe('an actor that owes a reply', () => {
  const hold = { to: 't', event: { type: 'hold' }, timeoutMs: HOUR_MS };

  it('rests, while its asker stays until the reply has come and then rests too', async () => {
    const test = await start();
    const [t, c] = [lifeOf(test, 't'), lifeOf(test, 'c')];
    await tell(test, 'c', 'go', hold);
    await crowd(test);
    expect(await readBy(test, () => cut(test))).toContain(c);
    await crowd(test);
    expect(await readBy(test, () => tell(test, 't', 'answer', { value: 7 }))).toEqual([t]);
    expect(notes(test, 'c')).toEqual([7]);
    await crowd(test);
    const later = await readBy(test, () => cut(test));
    expect([later.includes(c), later.includes(t)]).toEqual([false, false]);
    expect(notes(test, 'c')).toEqual([7]);
    expect(contextOf(test, 't')).toEqual({ sum: 0, asks: 1, held: [] });
  });

  it('is ended by its Boss while it rests, and the ask fails', async () => {
    const test = await start();
    const t = lifeOf(test, 't');
    await tell(test, 'c', 'go', hold);
    await restOverACut(test);
    expect(await readBy(test, () => test.shard.boss().terminateChild('t'))).toContain(t);
    await test.settle();
    expect(notes(test, 'c')).toEqual(['BOSUN_ASK_FAILED']);
    await cut(test);
    expect([notes(test, 'c'), test.shard.snapshot('t')]).toEqual([['BOSUN_ASK_FAILED'], undefined]);
  });

  it('rests beyond the timeout of the ask; its late reply is a dead letter', async () => {
    const test = await start();
    await tell(test, 'c', 'go', hold);
    await restOverACut(test);
    await test.advance(HOUR_MS);
    expect(notes(test, 'c')).toEqual(['BOSUN_TIMEOUT']);
    await restOverACut(test);
    await tell(test, 't', 'answer', { value: 7 });
    expect(notes(test, 'c')).toEqual(['BOSUN_TIMEOUT']);
    expect(test.shard.deadLetters.list()).toMatchObject([{ reason: 'late', address: 't', event: { value: 7 } }]);
  });

  it('replies to a host that repeats the ask with the same id', async () => {
    const test = await start();
    const t = lifeOf(test, 't');
    const ask = () => test.shard.ask('t', { type: 'hold' }, { id: 'one', timeoutMs: HOUR_MS });
    ask().catch(() => {});
    await test.settle();
    await crowd(test);
    expect(await readBy(test, () => cut(test))).not.toContain(t);
    await crowd(test);
    const again = ask();
    await tell(test, 't', 'answer', { value: 'at last' });
    expect(await again).toBe('at last');
    await restOverACut(test);
    expect(await ask()).toBe('at last');
    expect(contextOf(test, 't')).toMatchObject({ asks: 1 });
  });

  it('is asked while it rests, and replies', async () => {
    const test = await start();
    const t = lifeOf(test, 't');
    await tell(test, 't', 'add', { amount: 4 });
    await restOverACut(test);
    expect(await readBy(test, async () => expect(await test.shard.ask('t', { type: 'read' })).toBe(4))).toEqual([t]);
    await restOverACut(test);
    await tell(test, 'c', 'go', { to: 't', event: { type: 'add', amount: 1 } });
    expect(notes(test, 'c')).toEqual([5]);
  });
});

describe('a machine that rests with its invoked child', () => {
  const hired = async () => {
    const test = await start();
    await tell(test, 'master', 'hire');
    await crowd(test);
    return { test, master: lifeOf(test, 'master'), job: lifeOf(test, 'master/job') };
  };

  it("is told of the end of the child by the child's timer, and both wake for it", async () => {
    const { test, master: parent, job: child } = await hired();
    await cut(test);
    await crowd(test);
    expect(await readBy(test, () => test.advance(60_000))).toEqual(expect.arrayContaining([parent, child]));
    expect(notes(test, 'master')).toEqual(['done']);
    await restOverACut(test);
    expect([notes(test, 'master'), test.shard.snapshot('master')?.value, test.shard.snapshot('master/job')]).toEqual([
      ['done'],
      'alone',
      undefined,
    ]);
    await test.advance(60_000);
    expect(notes(test, 'master')).toEqual(['done']);
  });

  it('is told of the end of the child if the timer is overdue at the start', async () => {
    const { test } = await hired();
    await test.crash();
    await test.clock.advance(HOUR_MS, () => Promise.resolve());
    await test.restart();
    expect(notes(test, 'master')).toEqual(['done']);
  });

  it.each([
    ['finish', 'done'],
    ['fail', 'as told'],
  ])('is told of the end of the child by a message (%s)', async (type, note) => {
    const { test, master: parent, job: child } = await hired();
    await cut(test);
    await crowd(test);
    expect(await readBy(test, () => tell(test, 'master', type))).toEqual(expect.arrayContaining([parent, child]));
    expect(notes(test, 'master')).toEqual([note]);
    await restOverACut(test);
    expect([notes(test, 'master'), test.shard.snapshot('master/job')]).toEqual([[note], undefined]);
  });

  it('can end the child, and invoke the next', async () => {
    const { test, job: child } = await hired();
    await cut(test);
    await crowd(test);
    await tell(test, 'master', 'dismiss');
    await restOverACut(test);
    expect(test.shard.snapshot('master/job')).toBeUndefined();
    await tell(test, 'master', 'hire');
    await restOverACut(test);
    expect(lifeOf(test, 'master/job')).not.toBe(child);
    await test.advance(60_000);
    expect(notes(test, 'master')).toEqual(['done']);
  });

  it('ends with its child by an order of its Boss', async () => {
    const { test } = await hired();
    await cut(test);
    await crowd(test);
    await test.shard.boss().terminateChild('master');
    await cut(test);
    expect([test.shard.snapshot('master'), test.shard.snapshot('master/job')]).toEqual([undefined, undefined]);
    expect(test.store.entries().filter(([key]) => key.startsWith(`${KEYSPACE.timers}!`))).toEqual([]);
    await test.shard.boss().restartChild('master');
    await test.settle();
    expect(test.shard.snapshot('master')?.value).toBe('alone');
  });
});

describe('a Boss', () => {
  it('ends a child that rests, and a power cut does not revive it', async () => {
    const test = await start();
    for (const id of ['x', 'y']) await test.shard.boss('pool').startChild({ id });
    const x = lifeOf(test, 'pool/x');
    await tell(test, 'pool/x', 'register', { what: 'the x' });
    await tell(test, 'pool/x', 'join', { what: 'all' });
    await restOverACut(test);
    expect(await readBy(test, () => test.shard.boss('pool').terminateChild('x'))).toContain(x);
    await cut(test);
    expect(test.shard.snapshot('pool/x')).toBeUndefined();
    expect(test.shard.lookup('the x')).toBeUndefined();
    expect(
      test.shard
        .boss('pool')
        .whichChildren()
        .map(({ id }) => id),
    ).toEqual(['y']);
    await expect(test.shard.send('pool/x', { type: 'note', what: '' })).rejects.toEqual(code('BOSUN_ACTOR_UNKNOWN'));
    const keys = test.store.entries().map(([key]) => key);
    expect([x, lifeOf(test, 'pool/y')].map((life) => keys.includes(stateKey(life)))).toEqual([false, true]);
  });

  it('ends together with all of its resting children', async () => {
    const test = await start();
    for (const id of ['x', 'y', 'z']) await test.shard.boss('pool').startChild({ id });
    await tell(test, 'watcher', 'monitor', { what: 'pool/y' });
    await restOverACut(test);
    await test.shard.boss().terminateChild('pool');
    await test.settle();
    await restOverACut(test);
    expect(notes(test, 'watcher')).toEqual([['down', 'pool/y', 'shutdown']]);
    for (const id of ['x', 'y', 'z']) expect(test.shard.snapshot(`pool/${id}`)).toBeUndefined();
  });
});

describe('a monitor', () => {
  const ends: [how: string, reason: string, end: (test: TestSystem) => Promise<unknown>][] = [
    ['by itself', 'normal', (test) => tell(test, 'watched', 'end')],
    ['by its Boss', 'shutdown', (test) => test.shard.boss().terminateChild('watched')],
    ['erased', 'shutdown', (test) => test.shard.erase('watched')],
  ];

  it.each(ends)(
    'is notified once, after both actors have rested, when the watched actor ends %s',
    async (_, reason, end) => {
      const test = await start();
      const [watcher, watched] = [lifeOf(test, 'watcher'), lifeOf(test, 'watched')];
      await tell(test, 'watcher', 'monitor', { what: 'watched' });
      await crowd(test);
      const atStart = await readBy(test, () => cut(test));
      expect(atStart.filter((life) => life === watcher || life === watched)).toEqual([]);
      await crowd(test);
      const read = await readBy(test, async () => {
        await end(test);
        await test.settle();
      });
      expect(read).toEqual(expect.arrayContaining([watcher, watched]));
      expect(notes(test, 'watcher')).toEqual([['down', 'watched', reason]]);
      await restOverACut(test);
      expect(notes(test, 'watcher')).toEqual([['down', 'watched', reason]]);
      expect(test.store.entries().filter(([key]) => key.startsWith(`${KEYSPACE.relations}!`))).toEqual([]);
    },
  );

  it('is not notified of a restart while the watcher rests, and not at all after the watcher has ended', async () => {
    const test = await start();
    await tell(test, 'watcher', 'monitor', { what: 'watched' });
    await restOverACut(test);
    await tell(test, 'watched', 'fail');
    expect(notes(test, 'watcher')).toEqual([]);
    await restOverACut(test);
    await test.shard.boss().terminateChild('watcher');
    await restOverACut(test);
    await tell(test, 'watched', 'end');
    expect(test.shard.deadLetters.list().map(({ reason, event }) => [reason, event.type])).toEqual([
      ['quarantined', 'fail'],
    ]);
    expect(test.store.entries().filter(([key]) => key.startsWith(`${KEYSPACE.relations}!`))).toEqual([]);
  });

  it('makes a resting actor fail if it is a link, and the Boss restarts that actor with its context', async () => {
    const test = await start();
    await tell(test, 'watcher', 'note', { what: 'kept' });
    await tell(test, 'watcher', 'link', { what: 'watched' });
    await restOverACut(test);
    await test.shard.boss().terminateChild('watched');
    await test.settle();
    expect([notes(test, 'watcher'), test.shard.tree('watcher').restarts]).toEqual([['kept'], 1]);
    await restOverACut(test);
    expect(notes(test, 'watcher')).toEqual(['kept']);
  });
});

describe('a promise that settles after its effect has ended', () => {
  it('wakes no actor, and ends nothing during an outage or after the system has closed', async () => {
    const selves: { getSnapshot(): unknown }[] = [];
    const settle: (() => void)[] = [];
    const work = fromPromise(
      ({ self }) => new Promise<void>((resolve) => void (selves.push(self), settle.push(resolve))),
    );
    const machine = createMachine({
      initial: 'working',
      states: { working: { invoke: { src: work }, on: { leave: 'idle' } }, idle: {} },
    });
    const worker = agentOf('worker', machine, ['leave']);
    const test = await started({ agents: [worker], residentActors: RESIDENTS, tree: { children: [] } });
    for (const address of ['a', 'b', 'c']) await test.shard.spawn(worker, address);
    const afterThat = () => {
      const seen = selves.map((self) => self.getSnapshot());
      for (const resolve of settle) resolve();
      return seen;
    };
    const over = { status: 'stopped' };
    for (const address of ['a', 'b']) await tell(test, address, 'leave');
    test.store.failWrites(3);
    const sent = test.shard.send('c', { type: 'leave' });
    await test.settle();
    expect([test.shard.outage?.code, afterThat()]).toEqual(['BOSUN_STORE_UNAVAILABLE', [over, over, over]]);
    await test.advance(60_000);
    await sent;
    await test.shard.stop();
    expect(afterThat()).toEqual([over, over, over]);
  });
});
