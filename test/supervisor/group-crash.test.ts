import { describe, expect, it } from 'vitest';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { type TestSystem } from '../../src/testing/test-system.ts';
import { LONG } from '../support/effort.ts';
import { type Story, withACrashAfterEveryEpoch } from '../support/supervisor/every-epoch.ts';
import { plain, s, slow, w } from '../support/supervisor/otp/cast.ts';
import { tell } from '../support/supervisor/worker.ts';

/** Long enough that time passing between epochs does not matter. */
const PERIOD_MS = 86_400_000;

/** The living actors with their notes or state, and the number of their restarts. */
function outcome({ shard: system }: TestSystem): Record<string, string> {
  const seen: Record<string, string> = {};
  const visit = (node: ReturnType<TestSystem['shard']['tree']>): void => {
    const { notes } = (system.snapshot(node.address)?.context ?? {}) as { notes?: string[] };
    seen[node.address] = `${node.restarts ?? '-'} restarts, ${notes?.join() ?? JSON.stringify(node.state)}`;
    node.children.forEach(visit);
  };
  visit(system.tree());
  return seen;
}

function story(tree: BossOptions, begin: (test: TestSystem) => Promise<unknown>): Story<Record<string, string>> {
  return {
    options: () => ({ agents: [plain, slow], tree: { periodMs: PERIOD_MS, intensity: 10, ...tree } }),
    begin: async (test) => void (await begin(test)),
    unfoldMs: 30_000,
    outcome,
  };
}

describe('a crash of the host after any epoch changes nothing about', () => {
  it(
    'a group restart in which one child is slow to end, one exceeds its time to end, and one is temporary',
    LONG,
    async () => {
      const children = [s('a', 100), w('b'), s('c', 60_000, { shutdownMs: 500 }), w('t', { restart: 'temporary' })];
      const told = story({ strategy: 'one_for_all', children }, async (test) => {
        for (const id of ['a', 'b', 'c']) await tell(test, id, 'note');
        await Promise.all([tell(test, 'b', 'choke'), tell(test, 'a', 'note', 'late')]);
      });
      const { outcome: end, crashes } = await withACrashAfterEveryEpoch(told);
      expect(end).toMatchObject({
        root: '- restarts, {"supervising":"running"}',
        a: '3 restarts, ',
        b: '1 restarts, ',
        c: '3 restarts, ',
      });
      expect(end).not.toHaveProperty('t');
      expect(crashes).toBeGreaterThan(5);
    },
  );

  it('a rest_for_one restart, which leaves the first child alone and keeps a mailbox', async () => {
    const told = story({ strategy: 'rest_for_one', children: [w('a'), w('b'), s('c', 50)] }, async (test) => {
      await tell(test, 'a', 'note');
      await Promise.all([tell(test, 'b', 'choke'), tell(test, 'b', 'note', 'kept in the mailbox')]);
    });
    const { outcome: end } = await withACrashAfterEveryEpoch(told);
    expect(end).toMatchObject({ a: '0 restarts, note', b: '1 restarts, kept in the mailbox', c: '3 restarts, ' });
  });

  it('a Boss that gives up while its children are slow to end', async () => {
    const boss = { intensity: 0, periodMs: PERIOD_MS, children: [s('slow', 1_000), w('bad')] };
    const { outcome: end, crashes } = await withACrashAfterEveryEpoch(
      story({ children: [{ id: 'team', boss }] }, (test) => tell(test, 'team/bad', 'choke')),
    );
    expect(end).toMatchObject({
      team: '1 restarts, {"supervising":"running"}',
      'team/slow': '0 restarts, ',
      'team/bad': '0 restarts, ',
    });
    expect(crashes).toBeGreaterThan(4);
  });

  it('an ordered end that exceeds its time, and an order that arrives meanwhile', async () => {
    const boss = { children: [s('first', 60_000, { shutdownMs: 2_000 }), s('second', 100)] };
    const told = story({ children: [w('w'), { id: 'team', restart: 'transient', boss } as never] }, async (test) => {
      void test.shard
        .boss()
        .terminateChild('team')
        .catch(() => {});
      void test.shard
        .boss()
        .startChild({ id: 'n', agent: 'plain' })
        .catch(() => {});
      await test.settle();
      await tell(test, 'w', 'note');
    });
    const { outcome: end } = await withACrashAfterEveryEpoch(told);
    expect(Object.keys(end)).toEqual(['root', 'w', 'n']);
  });

  it('automatic shutdown', async () => {
    const boss = {
      autoShutdown: 'all_significant' as const,
      children: [w('a', { restart: 'transient', significant: true }), s('b', 200)],
    };
    const told = story({ children: [{ id: 'team', restart: 'transient', boss } as never, w('w')] }, (test) =>
      test.shard.send('team/a', { type: 'finish' }),
    );
    expect(Object.keys((await withACrashAfterEveryEpoch(told)).outcome)).toEqual(['root', 'w']);
  });
});
