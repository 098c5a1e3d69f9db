import { describe, expect, it } from 'vitest';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import {
  agents,
  manager,
  notes,
  promiser,
  reasonOfClosing,
  restarts,
  stateOf,
  tell,
  told,
  worker,
} from '../support/supervisor/worker.ts';

/** A system of workers under the root: an id for a plain one, a spec for another. */
function startWorkers(
  children: (string | Record<string, unknown>)[],
  tree: Record<string, unknown> = {},
): Promise<TestSystem> {
  const specs = children.map((child) =>
    typeof child === 'string' ? { id: child, agent: 'worker' } : { agent: 'worker', ...child },
  );
  return startTestSystem({ agents, tree: { intensity: 3, ...tree, children: specs } as never });
}

describe('a child that ends', () => {
  const rows = [
    ['permanent', 'finish', 'begins anew'],
    ['permanent', 'explode', 'goes on'],
    ['transient', 'finish', 'is gone'],
    ['transient', 'explode', 'goes on'],
    ['temporary', 'finish', 'is gone'],
    ['temporary', 'explode', 'is gone'],
  ] as const;

  it.each(rows)('%s, told to %s: %s', async (restart, how, what) => {
    const test = await startWorkers([{ id: 'a', restart }]);
    await told(test, 'a', 'note', 'before');
    await told(test, 'a', how);
    expect(notes(test, 'a')).toEqual({ 'begins anew': [], 'goes on': ['before'], 'is gone': null }[what]);
    expect(restarts(test, 'a')).toBe(what === 'is gone' ? null : 1);
  });

  it('can be started again under its name, whatever its restart type', async () => {
    for (const restart of ['transient', 'temporary'] as const) {
      const test = await startWorkers([{ id: 'a', restart }]);
      await told(test, 'a', 'finish');
      await test.shard.spawn(worker, 'a', { restart });
      expect([notes(test, 'a'), restarts(test, 'a')]).toEqual([[], 0]);
    }
  });
});

describe('several actions that throw in one epoch', () => {
  it('are one crash', async () => {
    const test = await startWorkers(['a'], { intensity: 1 });
    await Promise.all([tell(test, 'a', 'explode'), tell(test, 'a', 'explode'), tell(test, 'a', 'explode')]);
    await test.settle();
    expect(restarts(test, 'a')).toBe(1);
  });
});

describe('a restart from the last committed state', () => {
  it('DC-001, DC-005, CN-001: keeps the context of the child and the order of its mailbox', async () => {
    const test = await startWorkers(['a']);
    const said = ['one', 'two', 'three', 'four'].map((text) => tell(test, 'a', 'note', text));
    const explosion = tell(test, 'a', 'explode');
    await Promise.all([...said, explosion, tell(test, 'a', 'note', 'five'), tell(test, 'a', 'note', 'six')]);
    await test.settle();
    expect(notes(test, 'a')).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
    expect(restarts(test, 'a')).toBe(1);
  });

  it('keeps timers at their deadline', async () => {
    const test = await startWorkers(['a']);
    await told(test, 'a', 'alarm');
    await test.advance(600);
    await told(test, 'a', 'explode');
    expect(restarts(test, 'a')).toBe(1);
    await test.advance(399);
    expect(notes(test, 'a')).toEqual([]);
    await test.advance(1);
    expect(notes(test, 'a')).toEqual(['rang']);
  });

  it('does not touch a running promise', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'p', agent: 'promiser' }] } });
    await told(test, 'p', 'explode');
    expect([restarts(test, 'p'), pending.length, pending[0]!.signal.aborted]).toEqual([1, 1, false]);
    pending[0]!.resolve('done');
    await test.settle();
    expect(test.shard.snapshot('p')).toMatchObject({ value: 'rested', context: { result: 'done' } });
  });

  it('starts a failed promise again after a wait, because its failure was the failure of the child', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'p', agent: 'promiser' }] } });
    pending[0]!.reject(new Error('unreachable'));
    await test.settle();
    expect([restarts(test, 'p'), pending.length]).toEqual([1, 1]);
    await test.advance(1_200);
    expect([restarts(test, 'p'), pending.length]).toEqual([1, 2]);
    pending[1]!.resolve('done');
    await test.settle();
    expect(test.shard.snapshot('p')).toMatchObject({ value: 'rested', context: { result: 'done' } });
  });
});

describe('a restart from the initial state', () => {
  it('drops the context and the timers of the child, and keeps its mailbox', async () => {
    const test = await startWorkers([{ id: 'a', resume: 'initial' }]);
    await told(test, 'a', 'note', 'forgotten');
    await told(test, 'a', 'alarm');
    await told(test, 'a', 'explode');
    await Promise.all([tell(test, 'a', 'choke'), tell(test, 'a', 'note', 'after')]);
    await test.advance(2_000);
    expect(notes(test, 'a')).toEqual(['after']);
  });

  it('aborts a running promise and starts it again', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({
      agents: [agent],
      tree: { children: [{ id: 'p', agent: 'promiser', resume: 'initial' }] },
    });
    await told(test, 'p', 'explode');
    expect(pending.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    pending[0]!.resolve('late');
    pending[1]!.resolve('in time');
    await test.settle();
    expect(test.shard.snapshot('p')).toMatchObject({ context: { result: 'in time' } });
  });
});

describe('one_for_one', () => {
  it('does not disturb siblings, however often a child crashes', async () => {
    const test = await startWorkers(['stormy', 'calm'], { intensity: 100 });
    await told(test, 'calm', 'alarm');
    for (let crash = 0; crash < 100; crash++) await told(test, 'stormy', 'explode');
    await test.advance(1_000);
    await told(test, 'calm', 'note', 'undisturbed');
    expect([restarts(test, 'stormy'), restarts(test, 'calm')]).toEqual([100, 0]);
    expect(notes(test, 'calm')).toEqual(['rang', 'undisturbed']);
  });

  it('shows the last error of each child', async () => {
    const test = await startWorkers(['a', 'b']);
    await told(test, 'a', 'explode', 'out of ink');
    expect(test.shard.tree('a').lastError).toMatchObject({ name: 'Error', message: 'out of ink' });
    expect(test.shard.tree('b').lastError).toBe(undefined);
  });
});

describe('a child that cannot start', () => {
  it('a child that cannot start because its first turn throws makes a Boss with an intensity give up', async () => {
    const test = await startTestSystem({
      agents,
      tree: {
        intensity: 3,
        children: [
          { id: 'a', agent: 'worker' },
          { id: 'b', agent: 'stillborn' },
        ],
      },
    });
    const reason = await reasonOfClosing(test);
    expect(reason.code).toBe('BOSUN_INTENSITY_EXCEEDED');
    expect(reason.message).toContain(`b: `);
    expect(reason.message).toContain('no context');
    expect(test.store.writes).toBeLessThan(10);
  });

  it('a temporary child that cannot start ends without consequences for its Boss', async () => {
    const test = await startTestSystem({
      agents,
      tree: {
        children: [
          { id: 'a', agent: 'worker' },
          { id: 'b', agent: 'stillborn', restart: 'temporary' },
        ],
      },
    });
    expect([notes(test, 'a'), notes(test, 'b')]).toEqual([[], null]);
  });

  it('a child that cannot start waits between attempts if it has a backoff', async () => {
    const backoff = { minMs: 100, maxMs: 400, jitter: 0 };
    const test = await startTestSystem({
      agents,
      tree: { intensity: 10, children: [{ id: 'b', agent: 'stillborn', backoff }] },
    });
    expect(stateOf(test)).toBe('{"supervising":"backingOff"}');
    await test.advance(700);
    const { window } = test.shard.snapshot('root')!.context as { window: number[] };
    expect(window.slice(1).map((atMs, index) => window[index]! - atMs)).toEqual([400, 200]);
  });
});

describe('orders to a Boss', () => {
  async function hire(test: TestSystem, spec: Record<string, unknown>): Promise<void> {
    await test.shard.send('m', { type: 'hire', spec } as never);
    await test.settle();
  }

  async function dismiss(test: TestSystem, id: string): Promise<void> {
    await test.shard.send('m', { type: 'dismiss', id } as never);
    await test.settle();
  }

  function heard(test: TestSystem): readonly string[] {
    return (test.shard.snapshot('m')!.context as { heard: string[] }).heard;
  }

  const startManager = (store = faultyStore()): Promise<TestSystem> =>
    startTestSystem({ agents, store, tree: { intensity: 2, children: [{ id: 'm', agent: manager.name }] } });

  it('start a child once: a second order for the same id changes nothing', async () => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker' });
    await told(test, 'a', 'note', 'first');
    await hire(test, { id: 'a', agent: 'worker' });
    expect(notes(test, 'a')).toEqual(['first']);
  });

  it('end a child in any state, and notify the actor that waits for its end', async () => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker' });
    await dismiss(test, 'a');
    await dismiss(test, 'a');
    await dismiss(test, 'nobody');
    expect([notes(test, 'a'), heard(test)]).toEqual([null, ['a: shutdown']]);
  });

  it('end a child that waits for its delayed restart, which is dropped', async () => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker', backoff: { minMs: 100, jitter: 0 } });
    await told(test, 'a', 'explode');
    expect(stateOf(test)).toBe('{"supervising":"backingOff"}');
    await dismiss(test, 'a');
    expect(stateOf(test)).toBe('{"supervising":"running"}');
    await test.advance(60_000);
    expect([notes(test, 'a'), heard(test), restarts(test, 'm')]).toEqual([null, ['a: shutdown'], 0]);
  });

  it('end a child with a crash that the Boss has not yet decided about', async () => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker' });
    await Promise.all([tell(test, 'a', 'choke'), test.shard.send('m', { type: 'dismiss', id: 'a' } as never)]);
    await test.settle();
    expect([notes(test, 'a'), heard(test)]).toEqual([null, ['a: shutdown']]);
  });

  it('end a child whose failed start its Boss has not yet processed', async () => {
    const test = await startManager();
    const order = { id: 'x', agent: 'nobody' };
    await Promise.all([
      test.shard.send('m', { type: 'hire', spec: order } as never),
      test.shard.send('m', { type: 'dismiss', id: 'x' } as never),
    ]);
    await test.settle();
    expect([heard(test), stateOf(test)]).toEqual([['x: shutdown'], '{"supervising":"running"}']);
  });

  it('start a child again before its Boss has processed a failed first start, which is then ignored', async () => {
    const test = await startManager();
    const name = { agent: 'worker', systemId: 'only-one' };
    const order = (event: object) => test.shard.send('m', event as never);
    await Promise.all([
      order({ type: 'hire', spec: { ...name, id: 'a' } }),
      order({ type: 'hire', spec: { ...name, id: 'b' } }),
      order({ type: 'dismiss', id: 'a' }),
      order({ type: 'dismiss', id: 'b' }),
      order({ type: 'hire', spec: { ...name, id: 'b' } }),
    ]);
    await test.settle();
    expect([notes(test, 'a'), notes(test, 'b'), restarts(test, 'b'), heard(test)]).toEqual([
      null,
      [],
      0,
      ['a: shutdown', 'b: shutdown'],
    ]);
  });

  it.each([
    ['transient', 'finish', 'normal'],
    ['temporary', 'explode', 'error'],
  ])('are answered exactly once when the child has ended for good: %s, %s', async (restart, how, reason) => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker', restart });
    await told(test, 'a', how);
    await test.crash();
    await test.restart();
    expect(heard(test)).toEqual([`a: ${reason}`]);
  });

  it('are not answered when the child is only restarted', async () => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker', restart: 'permanent' });
    await told(test, 'a', 'explode');
    await told(test, 'a', 'finish');
    expect([heard(test), restarts(test, 'a')]).toEqual([[], 2]);
  });

  it('are answered when the child is lost together with its Boss', async () => {
    const team = { id: 'team', systemId: 'team', boss: { intensity: 0, children: [{ id: 'w', agent: 'worker' }] } };
    const test = await startTestSystem({ agents, tree: { children: [{ id: 'm', agent: manager.name }, team] } });
    await test.shard.send('m', { type: 'delegate', to: 'team', spec: { id: 'a', agent: 'worker' } } as never);
    await told(test, 'team/w', 'explode');
    expect([notes(test, 'team/w'), notes(test, 'team/a'), heard(test)]).toEqual([[], null, ['a: shutdown']]);
  });

  it('are answered with the failure of a Boss that gave up', async () => {
    const test = await startManager();
    const boss = { intensity: 0, children: [{ id: 'w', agent: 'worker' }] };
    await hire(test, { id: 'team', restart: 'temporary', boss });
    await told(test, 'team/w', 'explode');
    expect([test.shard.snapshot('team'), heard(test)]).toEqual([undefined, ['team: shutdown']]);
  });

  it('orders to a Boss that are invalid become dead letters, and the Boss goes on', async () => {
    const test = await startManager();
    await hire(test, { id: 'a', agent: 'worker', restart: 'sometimes' });
    // As deep as a message may be: the record of the child would be one level deeper.
    const deep = Array.from({ length: 29 }).reduce<object>((below) => ({ below }), {});
    await hire(test, { id: 'b', agent: 'worker', input: deep });
    expect(test.shard.deadLetters.list({ reason: 'refused' })).toMatchObject([
      {
        address: 'root',
        error: { code: 'BOSUN_CHILD_SPEC_INVALID', message: expect.stringContaining('restart') as string },
      },
      { address: 'root', error: { code: 'BOSUN_VALUE_REFUSED' } },
    ]);
    await hire(test, { id: 'c', agent: 'worker' });
    expect([notes(test, 'a'), notes(test, 'b'), notes(test, 'c')]).toEqual([null, null, []]);
  });
});

describe('an error too large or too deep to keep', () => {
  it('does not bring down the Boss', async () => {
    const test = await startWorkers(['a', 'b']);
    await told(test, 'a', 'explode', 'x'.repeat(3_000_000));
    await told(test, 'b', 'note', 'undisturbed');
    expect([restarts(test, 'a'), restarts(test, 'b'), notes(test, 'b')]).toEqual([1, 0, ['undisturbed']]);
  });
});
