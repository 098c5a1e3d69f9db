/**
 * Misfortunes of a system that runs for a long time, and their outcomes (P5, P6): a poison message beside a long
 * promise, a client that sends only poison, a permanent child that finishes, a child that cannot start. A Boss that
 * throws has a separate file.
 */
import { describe, expect, it } from 'vitest';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { type Story, withACrashAfterEveryEpoch } from '../support/supervisor/every-epoch.ts';
import { agents, notes, promiser, reasonOfClosing, restarts, tell, told } from '../support/supervisor/worker.ts';

const MINUTE_MS = 60_000;

const w = { id: 'w', agent: 'worker' } as const;
const v = { id: 'v', agent: 'worker' } as const;

describe('a promise of 40 minutes', () => {
  const backoff = { minMs: MINUTE_MS, maxMs: MINUTE_MS, jitter: 0 };

  it.each([
    ['', {}],
    [', also where its agent waits for its restart', { backoff }],
  ])('is not ended by earlier poison messages%s', async (_, options) => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({
      agents: [agent],
      tree: { children: [{ id: 'p', agent: 'promiser', ...options }] },
    });
    test.clock.setTimeout(() => pending[0]!.resolve('done'), 40 * MINUTE_MS);
    await test.advance(10 * MINUTE_MS);
    await told(test, 'p', 'choke');
    await test.advance(30 * MINUTE_MS - 1);
    expect([pending.length, pending[0]!.signal.aborted, test.shard.snapshot('p')?.value]).toEqual([
      1,
      false,
      'working',
    ]);
    await test.advance(1);
    expect([
      pending.length,
      test.shard.snapshot('p')?.value,
      (test.shard.snapshot('p')!.context as { result: string }).result,
    ]).toEqual([1, 'rested', 'done']);
    expect([restarts(test, 'p'), test.shard.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([1, 1]);
  });

  it('is not ended by a poison message in its last minute: its result waits until its agent is restarted', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({
      agents: [agent],
      tree: { children: [{ id: 'p', agent: 'promiser', backoff }] },
    });
    test.clock.setTimeout(() => pending[0]!.resolve('done'), 40 * MINUTE_MS);
    await test.advance(39.5 * MINUTE_MS);
    await told(test, 'p', 'choke');
    await test.advance(MINUTE_MS / 2);
    expect([test.shard.tree('p').restartInMs, test.shard.snapshot('p')?.value]).toEqual([MINUTE_MS / 2, 'working']);
    await test.crash();
    await test.restart();
    await test.advance(MINUTE_MS / 2);
    expect([pending.length, test.shard.snapshot('p')?.value]).toEqual([1, 'rested']);
  });
});

describe('a client that sends only poison', () => {
  const FLOOD = 50;

  /** The state of the system, and the actors that still work. */
  function standing({ shard: system }: TestSystem): unknown {
    const { status, mailbox, restarts, lastError } = system.tree('w');
    const letters = system.deadLetters.list().map(({ address, reason }) => `${address} ${reason}`);
    return {
      root: system.snapshot('root')!.status,
      status,
      mailbox,
      restarts,
      code: (lastError as { code?: string }).code,
      letters,
      v: system.tree('v').restarts,
    };
  }

  it('has only its receiver suspended, after the second message, wherever the host crashes', async () => {
    const flood: Story<unknown> = {
      options: () => ({ agents, tree: { periodMs: 86_400_000, children: [w, v] } }),
      begin: async (test) =>
        void (await Promise.all(Array.from({ length: FLOOD }, (_, n) => tell(test, 'w', 'choke', `${n}`)))),
      unfoldMs: 10_000,
      outcome: standing,
    };
    const { outcome, crashes } = await withACrashAfterEveryEpoch(flood);
    expect(outcome).toEqual({
      root: 'active',
      status: 'suspended',
      mailbox: FLOOD - 2,
      restarts: 2,
      code: 'BOSUN_STATE_SUSPECT',
      letters: ['w quarantined', 'w quarantined'],
      v: 0,
    });
    expect(crashes).toBeGreaterThan(3);
  });

  it('does not stop other actors, and its receiver goes on once an administrator resumes it', async () => {
    const test = await startTestSystem({ agents, tree: { children: [w, v] } });
    await Promise.all([
      ...Array.from({ length: 2 }, () => tell(test, 'w', 'choke')),
      tell(test, 'w', 'note', 'kept'),
      tell(test, 'v', 'note', 'undisturbed'),
    ]);
    await test.settle();
    expect([notes(test, 'w'), notes(test, 'v')]).toEqual([[], ['undisturbed']]);
    await test.shard.resume('w');
    await test.settle();
    expect(notes(test, 'w')).toEqual(['kept']);
  });

  it('makes the Boss give up if good messages come between, as each poison message counts one restart', async () => {
    const team = { id: 'team', boss: { intensity: 2, periodMs: 60_000, children: [w] } };
    const test = await startTestSystem({ agents, tree: { children: [team, v] } });
    for (let n = 0; n < 2; n++) {
      await told(test, 'team/w', 'choke');
      await told(test, 'team/w', 'note', `${n}`);
    }
    expect([restarts(test, 'team'), restarts(test, 'team/w'), notes(test, 'team/w')]).toEqual([0, 2, ['0', '1']]);
    await told(test, 'team/w', 'choke');
    expect([restarts(test, 'team'), restarts(test, 'team/w'), notes(test, 'team/w'), restarts(test, 'v')]).toEqual([
      1,
      0,
      [],
      0,
    ]);
  });
});

describe('bad messages of clients', () => {
  const CRASHES = 5;

  it.each(['choke', 'explode', 'finish'])(
    'count against no intensity (%s between good messages), wherever the host crashes',
    async (type) => {
      const story: Story<unknown> = {
        options: () => ({ agents, tree: { intensity: 0, children: [w] } }),
        begin: async (test) => {
          const send = async (event: { type: string; text?: string }) => {
            await test.shard.clientApi.deliver('w', event as never);
            await test.settle();
          };
          for (let n = 0; n < CRASHES; n++) {
            await send({ type, text: type });
            await send({ type: 'note', text: String(n) });
          }
        },
        unfoldMs: 1_000,
        outcome: ({ shard: system }) => [
          system.snapshot('root')!.status,
          system.snapshot('w')!.status,
          system.tree('w').restarts,
        ],
      };
      expect((await withACrashAfterEveryEpoch(story)).outcome).toEqual(['active', 'active', CRASHES]);
    },
  );

  it('are told apart from messages of hosts, over a crash too', async () => {
    const test = await startTestSystem({ agents, tree: { intensity: 0, children: [w] } });
    await test.shard.clientApi.deliver('w', { type: 'finish' } as never);
    await test.crash();
    await test.restart();
    await test.settle();
    expect(test.shard.snapshot('root')!.status).toBe('active');
    const closing = test.shard.closed.catch((error: { code: string }) => error.code);
    await test.shard.send('w', { type: 'finish' });
    expect(await closing).toBe('BOSUN_INTENSITY_EXCEEDED');
  });
});

describe('a permanent child that finishes again and again', () => {
  it('is restarted each time, which counts, until its Boss gives up; wherever the host crashes', async () => {
    const team = {
      id: 'team',
      restart: 'transient' as const,
      boss: { intensity: 2, periodMs: 86_400_000, children: [w, v] },
    };
    const finishes = (times: number): Story<unknown> => ({
      options: () => ({ agents, tree: { children: [team, v] } }),
      begin: async (test) => {
        for (let n = 1; n < times; n++) await told(test, 'team/w', 'finish');
        await tell(test, 'team/w', 'finish');
      },
      unfoldMs: 1_000,
      outcome: (test) => [
        restarts(test, 'team/w'),
        restarts(test, 'team/v'),
        restarts(test, 'team'),
        restarts(test, 'v'),
      ],
    });
    expect((await withACrashAfterEveryEpoch(finishes(2))).outcome).toEqual([2, 0, 0, 0]);
    expect((await withACrashAfterEveryEpoch(finishes(3))).outcome).toEqual([null, null, null, 0]);
  });
});

describe('a child that cannot start', () => {
  const broken = { id: 's', agent: 'stillborn' } as const;

  it('is retried up to the intensity of its Boss, which then gives up; wherever the host crashes', async () => {
    const team = {
      id: 'team',
      restart: 'temporary' as const,
      boss: { intensity: 3, periodMs: 86_400_000, children: [w] },
    };
    const story: Story<unknown> = {
      options: () => ({ agents, tree: { children: [team, v] } }),
      begin: async (test) => {
        await tell(test, 'team/w', 'note');
        void test.shard
          .boss()
          .startChild({ id: 'bad', restart: 'transient', boss: { intensity: 2, children: [broken] } } as never)
          .catch(() => {});
        await test.settle();
      },
      unfoldMs: 1_000,
      outcome: (test) => [
        notes(test, 'team/w'),
        test.shard
          .boss()
          .whichChildren()
          .map(({ id, status }) => `${id} ${status}`),
      ],
    };
    expect((await withACrashAfterEveryEpoch(story)).outcome).toEqual([
      ['note'],
      ['team running', 'v running', 'bad ended'],
    ]);
  });

  it('closes the system at each start until the tree no longer declares the child', async () => {
    const test = await startTestSystem({ agents, tree: { intensity: 3, children: [v, broken] } });
    for (let run = 0; run < 2; run++) {
      expect(await reasonOfClosing(test)).toMatchObject({
        code: 'BOSUN_INTENSITY_EXCEEDED',
        message: expect.stringContaining('s: no context') as string,
      });
      await test.restart();
    }
    await reasonOfClosing(test);
    await test.restart({ tree: { children: [v] } });
    await told(test, 'v', 'note');
    expect([notes(test, 'v'), notes(test, 's')]).toEqual([['note'], null]);
  });

  it('fails the order to start it with the reason; nothing is counted, and nothing of the child remains', async () => {
    const test = await startTestSystem({ agents, tree: { intensity: 0, children: [v] } });
    for (let n = 0; n < 5; n++) {
      await expect(test.shard.boss().startChild(broken)).rejects.toMatchObject({
        code: 'BOSUN_START_FAILED',
        message: expect.stringContaining('no context') as string,
      });
    }
    await test.crash();
    await test.restart();
    expect([
      test.shard
        .boss()
        .whichChildren()
        .map(({ id }) => id),
      test.shard.snapshot('root')!.status,
    ]).toEqual([['v'], 'active']);
  });
});
