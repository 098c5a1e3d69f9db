/**
 * A child that cannot be born because its name is taken: the reaction of its Boss, and reports of it that are outdated.
 */
import { describe, expect, it } from 'vitest';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { agents, restarts, told } from '../support/supervisor/worker.ts';

const backoff = { minMs: 1_000, maxMs: 60_000, jitter: 0 };
const holder = { id: 'holder', agent: 'worker', systemId: 'desk', restart: 'temporary' } as const;
const late = { id: 'late', agent: 'worker', systemId: 'desk', backoff } as const;

describe('a child whose name is taken', () => {
  it('is retried after its backoff, and starts once the name is free', async () => {
    const test = await startTestSystem({ agents, tree: { children: [holder, late] } });
    expect(test.shard.snapshot('late')).toBeUndefined();
    await test.advance(999);
    await told(test, 'holder', 'finish');
    expect(test.shard.snapshot('late')).toBeUndefined();
    await test.advance(1);
    expect([test.shard.snapshot('late')?.status, restarts(test, 'late')]).toEqual(['active', 1]);
    await test.shard.stop();
  });

  it('has no restart counted for its refused start if an order starts it again without the name', async () => {
    const test = await startTestSystem({ agents, tree: { children: [holder] } });
    const boss = test.shard.boss();
    const [refused, , started] = await Promise.allSettled([
      boss.startChild({ id: 'late', agent: 'worker', systemId: 'desk', restart: 'temporary' }),
      boss.terminateChild('late'),
      boss.startChild({ id: 'late', agent: 'worker' }),
    ]);
    await test.settle();
    expect([refused, started]).toMatchObject([{ reason: { code: 'BOSUN_CHILD_SPEC_INVALID' } }, { value: 'late' }]);
    expect([test.shard.snapshot('late')?.status, restarts(test, 'late')]).toEqual(['active', 0]);
    await test.shard.stop();
  });
});
