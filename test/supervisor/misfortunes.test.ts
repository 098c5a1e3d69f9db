/**
 * What befalls a system that runs for long, and how it ends (P5, P6): a poison message beside a long promise, a client
 * that sends nothing but poison, a permanent child that finishes, a child that cannot start. A Boss that throws has a
 * file of its own.
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
  ])('is not ended by poison messages meanwhile%s', async (_, options) => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({
      agents: [agent],
      tree: { children: [{ id: 'p', agent: 'promiser', ...options }] },
    });
    test.clock.setTimeout(() => pending[0]!.resolve('done'), 40 * MINUTE_MS);
    await test.advance(10 * MINUTE_MS);
    await told(test, 'p', 'choke');
    await test.advance(30 * MINUTE_MS - 1);
    expect([pending.length, pending[0]!.signal.aborted, test.system.snapshot('p')?.value]).toEqual([
      1,
      false,
      'working',
    ]);
    await test.advance(1);
    expect([
      pending.length,
      test.system.snapshot('p')?.value,
      (test.system.snapshot('p')!.context as { result: string }).result,
    ]).toEqual([1, 'rested', 'done']);
    expect([restarts(test, 'p'), test.system.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([1, 1]);
  });

  it('is not ended by one that comes in its last minute: its result waits with its agent', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({
      agents: [agent],
      tree: { children: [{ id: 'p', agent: 'promiser', backoff }] },
    });
    test.clock.setTimeout(() => pending[0]!.resolve('done'), 40 * MINUTE_MS);
    await test.advance(39.5 * MINUTE_MS);
    await told(test, 'p', 'choke');
    await test.advance(MINUTE_MS / 2);
    expect([test.system.tree('p').restartInMs, test.system.snapshot('p')?.value]).toEqual([MINUTE_MS / 2, 'working']);
    await test.crash();
    await test.restart();
    await test.advance(MINUTE_MS / 2);
    expect([pending.length, test.system.snapshot('p')?.value]).toEqual([1, 'rested']);
  });
});

describe('a client that sends poison only', () => {
  const FLOOD = 50;

  /** How the system stands, and who goes on in it. */
  function standing({ system }: TestSystem): unknown {
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

  it(
    'gets its receiver suspended after the second message, the rest kept, and nobody else; wherever the host ' +
      'crashes',
    async () => {
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
    },
  );

  it('does not keep others from their work, and its receiver goes on once somebody has looked', async () => {
    const test = await startTestSystem({ agents, tree: { children: [w, v] } });
    await Promise.all([
      ...Array.from({ length: 2 }, () => tell(test, 'w', 'choke')),
      tell(test, 'w', 'note', 'kept'),
      tell(test, 'v', 'note', 'undisturbed'),
    ]);
    await test.settle();
    expect([notes(test, 'w'), notes(test, 'v')]).toEqual([[], ['undisturbed']]);
    await test.system.resume('w');
    await test.settle();
    expect(notes(test, 'w')).toEqual(['kept']);
  });

  it('has its restarts counted, one a message: with good messages between them its Boss gives up', async () => {
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

describe('whatever clients send', () => {
  const CRASHES = 5;

  it.each(['choke', 'explode', 'finish'])(
    'counts against no intensity, be it %s between good messages; wherever the host crashes',
    async (type) => {
      const story: Story<unknown> = {
        options: () => ({ agents, tree: { intensity: 0, children: [w] } }),
        begin: async (test) => {
          const send = async (event: { type: string; text?: string }) => {
            await test.system.clientApi.deliver('w', event as never);
            await test.settle();
          };
          for (let n = 0; n < CRASHES; n++) {
            await send({ type, text: type });
            await send({ type: 'note', text: String(n) });
          }
        },
        unfoldMs: 1_000,
        outcome: ({ system }) => [
          system.snapshot('root')!.status,
          system.snapshot('w')!.status,
          system.tree('w').restarts,
        ],
      };
      expect((await withACrashAfterEveryEpoch(story)).outcome).toEqual(['active', 'active', CRASHES]);
    },
  );

  it('is told apart from what hosts send, over a crash too', async () => {
    const test = await startTestSystem({ agents, tree: { intensity: 0, children: [w] } });
    await test.system.clientApi.deliver('w', { type: 'finish' } as never);
    await test.crash();
    await test.restart();
    await test.settle();
    expect(test.system.snapshot('root')!.status).toBe('active');
    const closing = test.system.closed.catch((error: { code: string }) => error.code);
    await test.system.send('w', { type: 'finish' });
    expect(await closing).toBe('BOSUN_INTENSITY_EXCEEDED');
  });
});

describe('a permanent child that finishes again and again', () => {
  it('begins anew each time, which counts, until its Boss gives up; wherever the host crashes', async () => {
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

  it('is tried again as often as its Boss may, which then gives up over it; wherever the host crashes', async () => {
    const team = {
      id: 'team',
      restart: 'temporary' as const,
      boss: { intensity: 3, periodMs: 86_400_000, children: [w] },
    };
    const story: Story<unknown> = {
      options: () => ({ agents, tree: { children: [team, v] } }),
      begin: async (test) => {
        await tell(test, 'team/w', 'note');
        void test.system
          .boss()
          .startChild({ id: 'bad', restart: 'transient', boss: { intensity: 2, children: [broken] } } as never)
          .catch(() => {});
        await test.settle();
      },
      unfoldMs: 1_000,
      outcome: (test) => [
        notes(test, 'team/w'),
        test.system
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

  it('as a declared child of the root closes the system at each start, until the code has it no more', async () => {
    const test = await startTestSystem({ agents, tree: { children: [v, broken] } });
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

  it('by an order is the affair of who gave it: refused with the reason, counted nowhere, nothing left', async () => {
    const test = await startTestSystem({ agents, tree: { intensity: 0, children: [v] } });
    for (let n = 0; n < 5; n++) {
      await expect(test.system.boss().startChild(broken)).rejects.toMatchObject({
        code: 'BOSUN_START_FAILED',
        message: expect.stringContaining('no context') as string,
      });
    }
    await test.crash();
    await test.restart();
    expect([
      test.system
        .boss()
        .whichChildren()
        .map(({ id }) => id),
      test.system.snapshot('root')!.status,
    ]).toEqual([['v'], 'active']);
  });
});
