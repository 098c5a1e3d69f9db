import { describe, expect, it } from 'vitest';

import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { type TestSystem } from '../../src/testing/test-system.ts';
import { type Story, withACrashAfterEveryEpoch } from '../support/supervisor/every-epoch.ts';
import { agents, notes, reasonOfClosing, tell } from '../support/supervisor/worker.ts';

/** Long enough that time passing between epochs does not matter. */
const PERIOD_MS = 86_400_000;

const w = { id: 'w', agent: 'worker' } as const;
const v = { id: 'v', agent: 'worker' } as const;

/** The outcome, which must not depend on crashes of the host. */
interface Outcome {
  readonly closed: string | null;
  readonly children: Record<string, unknown>;
  readonly quarantined: number;
}

async function outcome(test: TestSystem): Promise<Outcome> {
  const root = test.shard.snapshot('root')!;
  const isOpen = root.status === 'active';
  const closed = isOpen ? null : (await reasonOfClosing(test)).message;
  const children: Record<string, unknown> = {};
  for (const node of below(test.shard.tree())) {
    const { address, restarts, lastError, status } = node;
    children[address] = {
      notes: node.agent === 'boss' ? null : notes(test, address),
      status,
      restarts,
      lastError: (lastError as Error | undefined)?.message,
    };
  }
  return { closed, children, quarantined: test.shard.deadLetters.list({ reason: 'quarantined' }).length };
}

function below(node: ReturnType<TestSystem['shard']['tree']>): (typeof node)[] {
  return node.children.flatMap((child) => [child, ...below(child)]);
}

function story(tree: BossOptions, begin: (test: TestSystem) => Promise<unknown>): Story<Outcome> {
  return {
    options: () => ({ agents, tree: { periodMs: PERIOD_MS, ...tree } }),
    begin: async (test) => void (await begin(test)),
    unfoldMs: 10_000,
    outcome,
  };
}

describe('a crash of the host after any epoch changes nothing about', () => {
  const backoff = { minMs: 100, maxMs: 400, jitter: 0 };

  it('a restart from the initial state after a normal exit', async () => {
    const said = (test: TestSystem) =>
      Promise.all([tell(test, 'w', 'note', 'one'), tell(test, 'w', 'finish'), tell(test, 'w', 'note', 'two')]);
    const { outcome: end } = await withACrashAfterEveryEpoch(story({ children: [w] }, said));
    expect(end.children).toMatchObject({ w: { notes: ['two'], restarts: 1 } });
  });

  it('the end of transient and temporary children', async () => {
    const children = [
      { ...w, restart: 'transient' },
      { ...v, restart: 'temporary' },
    ] as const;
    const said = (test: TestSystem) => Promise.all([tell(test, 'w', 'finish'), tell(test, 'v', 'choke')]);
    const { outcome: end } = await withACrashAfterEveryEpoch(story({ children: [...children] }, said));
    expect(end.children).toEqual({});
  });

  it('a message that crashes its agent: context, deliveries, the single restart, quarantine', async () => {
    const said = (test: TestSystem) =>
      Promise.all([tell(test, 'w', 'note', 'before'), tell(test, 'w', 'choke'), tell(test, 'w', 'note', 'after')]);
    const { outcome: end, crashes } = await withACrashAfterEveryEpoch(story({ intensity: 1, children: [w, v] }, said));
    expect(end).toMatchObject({
      closed: null,
      quarantined: 1,
      children: { w: { notes: ['before', 'after'], restarts: 1, lastError: 'choke' }, v: { restarts: 0 } },
    });
    expect(crashes).toBeGreaterThan(5);
  });

  it('delayed restarts', async () => {
    const said = (test: TestSystem) =>
      Promise.all([tell(test, 'w', 'note', 'one'), tell(test, 'w', 'choke'), tell(test, 'w', 'note', 'two')]);
    const { outcome: end } = await withACrashAfterEveryEpoch(story({ children: [{ ...w, backoff }] }, said));
    expect(end.children).toMatchObject({ w: { notes: ['one', 'two'], restarts: 1 } });
  });

  it('a delayed restart after a normal exit', async () => {
    const said = (test: TestSystem) =>
      Promise.all([tell(test, 'w', 'note', 'one'), tell(test, 'w', 'finish'), tell(test, 'w', 'note', 'two')]);
    const { outcome: end } = await withACrashAfterEveryEpoch(story({ children: [{ ...w, backoff }] }, said));
    expect(end.children).toMatchObject({ w: { notes: ['two'], restarts: 1 } });
  });

  it('an escalation to a Boss that restarts from its initial state', async () => {
    const team = { id: 'team', boss: { intensity: 0, periodMs: PERIOD_MS, children: [w, v] } };
    const said = (test: TestSystem) =>
      Promise.all([tell(test, 'team/v', 'note', 'forgotten'), tell(test, 'team/w', 'choke')]);
    const { outcome: end, crashes } = await withACrashAfterEveryEpoch(story({ children: [team] }, said));
    expect(end.children).toEqual({
      team: { notes: null, status: 'active', restarts: 1, lastError: 'choke' },
      'team/w': { notes: [], status: 'active', restarts: 0, lastError: undefined },
      'team/v': { notes: [], status: 'active', restarts: 0, lastError: undefined },
    });
    expect(crashes).toBeGreaterThan(3);
  });

  it('the single notification to an actor that waits for the end of a child', async () => {
    const said = async (test: TestSystem) => {
      await test.shard.send('m', { type: 'hire', spec: { id: 'a', agent: 'worker', restart: 'temporary' } } as never);
      await test.settle();
      await tell(test, 'a', 'choke');
    };
    const heard = (test: TestSystem) => (test.shard.snapshot('m')!.context as { heard: string[] }).heard;
    const waited = { ...story({ children: [{ id: 'm', agent: 'manager' }] }, said), outcome: heard };
    expect((await withACrashAfterEveryEpoch(waited)).outcome).toEqual(['a: error']);
  });

  it('the second chance and the suspension of a child that fails at each start (S5)', async () => {
    const alone: Story<unknown> = {
      options: () => ({ agents, tree: { children: [{ id: 's', agent: 'stillborn' }, v] } }),
      begin: (test) => tell(test, 'v', 'note', 'well'),
      unfoldMs: 10_000,
      outcome: (test) => {
        const { status, restarts } = test.shard.tree('s');
        return { s: [status, restarts], v: [notes(test, 'v'), test.shard.tree('v').restarts] };
      },
    };
    const { outcome: end, crashes } = await withACrashAfterEveryEpoch(alone);
    expect(end).toEqual({ s: ['suspended', 7], v: [['well'], 0] });
    expect(crashes).toBeGreaterThan(5);
  });

  it('the end of a Boss that is not restarted', async () => {
    const team = { id: 'team', restart: 'transient' as const, boss: { intensity: 0, children: [w] } };
    const { outcome: end } = await withACrashAfterEveryEpoch(
      story({ children: [team, v] }, (test) => tell(test, 'team/w', 'choke')),
    );
    expect(Object.keys(end.children)).toEqual(['v']);
  });
});

describe('a crash of the host between the failure and the closing of the system', () => {
  /**
   * Given up, or still to be given up over: an undisturbed run closes, and so does one after any crash but the last.
   */
  it('closes the system at the next start, or finds it closed and begins with a fresh window', async () => {
    const tree = { intensity: 0, periodMs: PERIOD_MS, children: [w] };
    const ends: string[] = [];
    const told: Story<string> = {
      options: () => ({ agents, tree }),
      begin: (test) => tell(test, 'w', 'choke'),
      unfoldMs: 0,
      outcome: (test) => {
        const { window } = test.shard.snapshot('root')!.context as { window: number[] };
        ends.push(test.shard.snapshot('root')!.status);
        return `${window.length} counted`;
      },
    };
    await withACrashAfterEveryEpoch(told);
    expect(ends.at(-1)).toBe('active');
    expect(ends.slice(0, -1).every((status) => status === 'error')).toBe(true);
    expect(ends.length).toBeGreaterThan(2);
  });
});
