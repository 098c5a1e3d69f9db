/**
 * P6b: a message, step or effect that kills the host is identified. Here the death is virtual;
 * test/crash/host-killers.test.ts has real ones.
 */
import { assign, fromPromise, sendTo, setup } from 'xstate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CAUTIOUS_MS } from '../../../src/limits.ts';
import { faultyStore } from '../../../src/testing/faulty-store.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { contextOf, startSubject, tell } from '../../support/actors/subject.ts';

/** The process dies in the middle of what calls `die`. */
function host(): { die: () => void; test: TestSystem | undefined; isDeadly: boolean } {
  const self = {
    test: undefined as TestSystem | undefined,
    isDeadly: true,
    die: () => {
      if (!self.isDeadly || self.test === undefined) return;
      self.test.shard.abandon();
      self.test.store.crash();
    },
  };
  return self;
}

async function startDeadly(death = host()): Promise<{ test: TestSystem; death: ReturnType<typeof host> }> {
  const machine = setup({ actors: { fatal: fromPromise(async () => death.die()) } }).createMachine({
    context: { good: 0 },
    initial: 'calm',
    on: {
      GOOD: { actions: assign({ good: ({ context }) => (context as { good: number }).good + 1 }) },
      BAD: { actions: assign(() => (death.die(), {})) },
      TWO: { actions: sendTo(({ self }) => self, { type: 'BAD' }) },
      LATER: { actions: sendTo(({ self }) => self, { type: 'BAD' }, { delay: 1_000 }) },
    },
    states: {
      calm: { on: { START: 'risky' } },
      risky: { invoke: { src: 'fatal', onDone: 'calm', onError: 'failed' } },
      failed: {},
    },
  });
  const test = await startSubject(machine, {
    events: ['GOOD', 'BAD', 'TWO', 'LATER', 'START'],
    store: faultyStore({ notes: true }),
  });
  death.test = test;
  onTestFinished(() => test.shard.stop().catch(() => {}));
  return { test, death };
}

/**
 * Starts again and again, as a process manager does, until a start survives. @returns The number of starts.
 */
async function startsUntilAlive(test: TestSystem): Promise<number> {
  for (let starts = 1; starts < 10; starts++) {
    const restarted = test.restart();
    const outcome = await Promise.race([restarted.then(() => 'alive'), dead(test)]);
    if (outcome === 'alive') {
      await test.settle();
      if (test.store.isOpen) return starts;
    }
  }
  throw new Error('it never lives');
}

async function dead(test: TestSystem): Promise<string> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  return test.store.isOpen ? 'alive' : 'dead';
}

describe('a message that kills the process', () => {
  it.each(['BAD', 'TWO'])(
    'is quarantined after the third death, and the rest of the system works (%s)',
    async (type) => {
      const { test } = await startDeadly();
      await tell(test, 'GOOD');
      // A client that is not answered sends again until it is.
      void test.shard.send('subject', { type });
      await dead(test);
      await test.restart().catch(() => {});
      if (test.store.isOpen) void test.shard.send('subject', { type }).catch(() => {});
      await dead(test);
      expect(await startsUntilAlive(test)).toBeLessThanOrEqual(2);
      expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
        { address: 'subject', event: { type: 'BAD' }, error: { code: 'BOSUN_HOST_KILLED' } },
      ]);
      await tell(test, 'GOOD');
      expect(contextOf(test)).toMatchObject({ good: 2 });
      await test.shard.stop();
    },
  );

  it('is quarantined in the same way when it comes from a timer', async () => {
    const { test } = await startDeadly();
    await tell(test, 'LATER');
    await test.advance(1_000).catch(() => {});
    expect(test.store.isOpen).toBe(false);
    expect(await startsUntilAlive(test)).toBe(3);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { event: { type: 'BAD' }, error: { code: 'BOSUN_HOST_KILLED' } },
    ]);
    await test.shard.stop();
  });

  it('is not quarantined if it was only unread when the process was killed', async () => {
    const { test, death } = await startDeadly();
    void test.shard.send('subject', { type: 'TWO' });
    await dead(test);
    death.isDeadly = false;
    expect(await startsUntilAlive(test)).toBe(1);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.shard.stop();
  });
});

describe('a step that kills the process', () => {
  it('is noted like any turn, so that its message is quarantined after the third death', async () => {
    const { test } = await startDeadly();
    const as = { by: 'ada' };
    await test.shard.admin.suspend('subject', as);
    await test.shard.send('subject', { type: 'BAD' });
    await test.crash();
    for (let starts = 0; starts < 2; starts++) {
      await test.restart();
      void test.shard.admin.step('subject', as).catch(() => {});
      expect(await dead(test)).toBe('dead');
    }
    await test.restart();
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { event: { type: 'BAD' }, error: { code: 'BOSUN_HOST_KILLED' } },
    ]);
    // The run is still cautious: a message has to be durable before a step takes it.
    await tell(test, 'GOOD');
    expect(await test.shard.admin.step('subject', as)).toEqual({ type: 'GOOD' });
    expect(await test.shard.admin.step('subject', as)).toBe(null);
    expect([contextOf(test), test.shard.snapshot('subject')!.status]).toEqual([{ good: 1 }, 'suspended']);
    await test.shard.stop();
  });
});

describe('an effect that kills the process', () => {
  it('fails instead of being started again, and its machine handles the failure', async () => {
    const { test } = await startDeadly();
    await tell(test, 'START').catch(() => {});
    expect(test.store.isOpen).toBe(false);
    expect(await startsUntilAlive(test)).toBe(3);
    expect(test.shard.snapshot('subject')).toMatchObject({ value: 'failed' });
    await test.shard.stop();
  });
});

describe('a cautious run', () => {
  it('becomes a normal run after a while; a run after a stop is not cautious', async () => {
    const { test, death } = await startDeadly();
    await test.crash();
    await test.restart();
    await test.advance(CAUTIOUS_MS);
    const before = test.store.writes;
    void test.shard.send('subject', { type: 'TWO' });
    await dead(test);
    expect([test.store.isOpen, test.store.writes - before]).toEqual([false, 0]);
    death.isDeadly = false;
    await test.restart();
    await test.shard.stop();
    expect(JSON.parse(test.store.notes!.read()!)).toEqual({ state: 'stopped', deed: null, deaths: {} });
  });
});
