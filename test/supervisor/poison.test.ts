import { describe, expect, it } from 'vitest';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { agents, notes, promiser, reasonOfClosing, restarts, tell, told } from '../support/supervisor/worker.ts';

function start(tree: BossOptions = {}): Promise<TestSystem> {
  return startTestSystem({ agents, tree: { intensity: 1, children: [{ id: 'w', agent: 'worker' }], ...tree } });
}

describe('a message that crashes its agent', () => {
  it('is delivered three times, quarantined with its error, and the agent goes on', async () => {
    const test = await start();
    await Promise.all([
      tell(test, 'w', 'note', 'before'),
      tell(test, 'w', 'choke', 'poison'),
      tell(test, 'w', 'note', 'after'),
    ]);
    await test.settle();
    expect(notes(test, 'w')).toEqual(['before', 'after']);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toMatchObject([
      { address: 'w', error: { message: 'poison' } },
    ]);
  });

  it('counts once against the intensity, whatever its number of deliveries', async () => {
    const test = await start({ intensity: 1 });
    await told(test, 'w', 'choke');
    expect(restarts(test, 'w')).toBe(1);
    await told(test, 'w', 'choke');
    expect(await reasonOfClosing(test)).toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
  });

  it('closes a system that allows no restarts, and is quarantined by the next start', async () => {
    const test = await start({ intensity: 0 });
    await told(test, 'w', 'choke');
    expect(await reasonOfClosing(test)).toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
    await test.restart();
    await told(test, 'w', 'note', 'after');
    expect([
      notes(test, 'w'),
      test.shard.deadLetters.list({ reason: 'quarantined' }).length,
      restarts(test, 'w'),
    ]).toEqual([['after'], 1, 1]);
  });

  it('ends a temporary child at the first crash, together with its mailbox', async () => {
    const test = await start({ children: [{ id: 'w', agent: 'worker', restart: 'temporary' }] });
    await Promise.all([tell(test, 'w', 'choke'), tell(test, 'w', 'note')]);
    await test.settle();
    expect([notes(test, 'w'), test.shard.deadLetters.list({ reason: 'quarantined' })]).toEqual([null, []]);
  });

  it('is delayed by the backoff only once, not between its deliveries', async () => {
    const backoff = { minMs: 100, maxMs: 1_000, jitter: 0 };
    const test = await start({ children: [{ id: 'w', agent: 'worker', backoff }] });
    await told(test, 'w', 'choke');
    await test.advance(99);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toEqual([]);
    await test.advance(1);
    expect(test.shard.deadLetters.list({ reason: 'quarantined' })).toHaveLength(1);
  });

  it('does not end a running promise', async () => {
    const { agent, pending } = promiser();
    const test = await startTestSystem({ agents: [agent], tree: { children: [{ id: 'p', agent: 'promiser' }] } });
    await told(test, 'p', 'choke');
    expect([
      test.shard.deadLetters.list({ reason: 'quarantined' }).length,
      pending.length,
      pending[0]!.signal.aborted,
    ]).toEqual([1, 1, false]);
    pending[0]!.resolve('done');
    await test.settle();
    expect([pending.length, test.shard.snapshot('p')?.value]).toEqual([1, 'rested']);
  });

  it('keeps its number of deliveries over a crash of the host', async () => {
    const backoff = { minMs: 100, maxMs: 1_000, jitter: 0 };
    const test = await start({ children: [{ id: 'w', agent: 'worker', backoff }] });
    await told(test, 'w', 'choke');
    await test.crash();
    await test.restart();
    await test.advance(100);
    expect([test.shard.deadLetters.list({ reason: 'quarantined' }).length, restarts(test, 'w')]).toEqual([1, 1]);
  });
});
