/**
 * The costs of supervision, which must not grow with unrelated children and restarts; mostly measured in bytes written.
 */
import { describe, expect, it } from 'vitest';
import { assign, emit, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { PREFIX } from '../../src/persistence/format/keys.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { plain, s, slow, w } from '../support/supervisor/otp/cast.ts';
import { restarts, told } from '../support/supervisor/worker.ts';

async function started(boss: BossOptions): Promise<{ test: TestSystem; written: () => number }> {
  const store = memoryStore();
  const write = store.write.bind(store);
  let bytes = 0;
  store.write = (writes, options) => {
    for (const { key, value } of writes) if (key.startsWith(PREFIX.epoch)) bytes += value?.length ?? 0;
    return write(writes, options);
  };
  const tree = { children: [{ id: 'sup', boss }] };
  const test = await startTestSystem({ agents: [plain, slow], store: store as never, tree });
  await test.settle();
  return { test, written: () => bytes };
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

/** Bytes that a Boss and its children write while they end in order. */
async function bytesOfAnEnd(count: number): Promise<number> {
  const { test, written } = await started({ children: ids(count).map((id) => s(id, 0)) });
  const before = written();
  const ended = test.shard.boss().terminateChild('sup');
  for (let n = 0; n < count; n++) await test.advance(1);
  await ended;
  expect(test.shard.tree().children).toEqual([]);
  return written() - before;
}

/** The bytes that a number of restarts write, one after the other. */
async function bytesOfRestarts(count: number, siblings: number): Promise<number> {
  const { test, written } = await started({
    intensity: 100_000,
    periodMs: 1_000_000,
    children: ids(siblings).map((id) => w(id)),
  });
  const before = written();
  for (let n = 0; n < count; n++) {
    await told(test, 'sup/c0', 'explode');
    await test.advance(7);
  }
  expect(restarts(test, 'sup/c0')).toBe(count);
  return written() - before;
}

const shouter = defineAgent({
  name: 'shouter',
  machine: setup({}).createMachine({
    id: 'shouter',
    on: {
      shout: { actions: emit({ type: 'shouted' }) },
      fall: {
        actions: assign(() => {
          throw new Error('fell');
        }),
      },
    },
  }),
  events: { shout: z.object({}), fall: z.object({}) },
});

describe('supervision', () => {
  it('writes bytes in proportion to the number of children that end', async () => {
    const few = await bytesOfAnEnd(50);
    expect((await bytesOfAnEnd(200)) / few).toBeLessThan(4.4);
  });

  it('writes no more bytes for a restart after 100 others in a period, or beside 100 siblings', async () => {
    const thirty = await bytesOfRestarts(30, 1);
    const more = await bytesOfRestarts(150, 1);
    expect(more / 150).toBeLessThan((thirty / 30) * 1.2);
    expect(await bytesOfRestarts(30, 100)).toBeLessThan(thirty * 1.1);
  });

  it('decides about a failure before other turns, so that simultaneous failures are not written twice', async () => {
    const test = await startTestSystem({
      agents: [shouter],
      tree: { intensity: 10, children: ids(3).map((id) => ({ id, agent: 'shouter' })) },
    });
    const heard: string[] = [];
    test.shard.onEmitted((address, { type }) => heard.push(`${address} ${type}`));
    await Promise.all([
      test.shard.send('c0', { type: 'fall' }),
      test.shard.send('c1', { type: 'shout' }),
      test.shard.send('c2', { type: 'shout' }),
    ]);
    await test.settle();
    expect(heard.slice(0, 4)).toEqual(['root child.failed', 'root child.restarted', 'c1 shouted', 'c2 shouted']);
  });
});
