import { assign, raise, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { agentOf } from '../support/actors/subject.ts';
import { agents, notes, reasonOfClosing, restarts, stateOf, tell, told } from '../support/supervisor/worker.ts';

const backoff = { minMs: 100, maxMs: 1_000, factor: 2, jitter: 0 };

function start(child: Record<string, unknown> = {}, intensity = 10): Promise<TestSystem> {
  const children = [
    { id: 'w', agent: 'worker', backoff, ...child },
    { id: 'v', agent: 'worker' },
  ] as never;
  return startTestSystem({ agents, tree: { intensity, periodMs: 60_000, children } });
}

/** Whether the child goes on exactly this long after it was told to crash. */
async function isBackAfter(test: TestSystem, ms: number): Promise<boolean> {
  const before = restarts(test, 'w')!;
  await told(test, 'w', 'explode');
  await test.advance(ms - 1);
  const isEarly = restarts(test, 'w') !== before;
  await test.advance(1);
  return !isEarly && restarts(test, 'w') === before + 1;
}

describe('a child with backoff', () => {
  it('is restarted after delays that grow up to the cap', async () => {
    const test = await start();
    for (const ms of [100, 200, 400, 800, 1_000, 1_000]) expect(await isBackAfter(test, ms)).toBe(true);
  });

  it('returns to minMs after the child ran for (minMs + maxMs) / 2', async () => {
    const test = await start();
    expect(await isBackAfter(test, 100)).toBe(true);
    expect(await isBackAfter(test, 200)).toBe(true);
    await test.advance(550);
    expect(await isBackAfter(test, 100)).toBe(true);
  });

  it('keeps its mailbox and its timers while it waits', async () => {
    const test = await start();
    await told(test, 'w', 'note', 'before');
    await told(test, 'w', 'explode');
    await tell(test, 'w', 'note', 'while waiting');
    await test.advance(99);
    expect([notes(test, 'w'), stateOf(test)]).toEqual([['before'], '{"supervising":"backingOff"}']);
    await test.advance(1);
    expect([notes(test, 'w'), stateOf(test)]).toEqual([['before', 'while waiting'], '{"supervising":"running"}']);
  });

  it('does not keep its siblings waiting', async () => {
    const test = await start();
    await told(test, 'w', 'explode');
    await told(test, 'v', 'explode');
    expect([restarts(test, 'w'), restarts(test, 'v')]).toEqual([0, 1]);
  });

  it('restarts from the initial state after a normal exit, even after the delay', async () => {
    const test = await start({ restart: 'permanent' });
    await told(test, 'w', 'note', 'forgotten');
    await told(test, 'w', 'finish');
    await test.advance(100);
    await told(test, 'w', 'note', 'anew');
    expect(notes(test, 'w')).toEqual(['anew']);
  });

  it('has no timers from before a normal exit, whether they were due during the delay or after it', async () => {
    const machine = setup({ types: {} as { context: { rang: number } } }).createMachine({
      context: { rang: 0 },
      initial: 'working',
      states: { working: { on: { FINISH: 'finished' } }, finished: { type: 'final' } },
      on: {
        ARM: { actions: [raise({ type: 'RING' }, { delay: 50 }), raise({ type: 'RING' }, { delay: 150 })] },
        RING: { actions: assign({ rang: ({ context }) => context.rang + 1 }) },
      },
    });
    const ringer = agentOf('ringer', machine, ['ARM', 'FINISH']);
    const test = await startTestSystem({
      agents: [ringer],
      tree: { children: [{ id: 'w', agent: 'ringer', restart: 'permanent', backoff }] },
    });
    for (const type of ['ARM', 'FINISH']) await test.shard.send('w', { type });
    await test.advance(200);
    expect(test.shard.snapshot('w')).toMatchObject({ value: 'working', context: { rang: 0 } });
    await test.shard.stop();
  });

  it('is not waited for if its restart is sure to exceed the intensity', async () => {
    const test = await start({}, 1);
    expect(await isBackAfter(test, 100)).toBe(true);
    await told(test, 'w', 'explode');
    expect(await reasonOfClosing(test)).toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: expect.stringContaining('w: explode') as string,
    });
  });

  it('may exceed the intensity at the time of its delayed restart', async () => {
    const test = await start({}, 1);
    await told(test, 'w', 'explode');
    await told(test, 'v', 'explode');
    await test.advance(100);
    expect(await reasonOfClosing(test)).toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: expect.stringContaining('the root Boss gave up: w: explode') as string,
    });
    await test.restart();
    await test.advance(100);
    expect([restarts(test, 'w'), restarts(test, 'v'), stateOf(test)]).toEqual([1, 1, '{"supervising":"running"}']);
  });
});

describe('a crash of the host while a child waits', () => {
  it("keeps the time of the child's restart", async () => {
    const test = await start();
    await told(test, 'w', 'explode');
    await test.advance(60);
    await test.crash();
    await test.restart();
    await test.advance(39);
    expect([restarts(test, 'w'), stateOf(test)]).toEqual([0, '{"supervising":"backingOff"}']);
    await test.advance(1);
    expect([restarts(test, 'w'), stateOf(test)]).toEqual([1, '{"supervising":"running"}']);
  });

  it("keeps the number of the child's restarts in a row", async () => {
    const test = await start();
    await told(test, 'w', 'explode');
    await test.crash();
    await test.restart();
    await test.advance(100);
    await test.crash();
    await test.restart();
    expect(await isBackAfter(test, 200)).toBe(true);
  });

  it('lets the next start restart a child whose time has passed', async () => {
    const test = await start();
    await told(test, 'w', 'note', 'kept');
    await told(test, 'w', 'explode');
    await test.crash();
    await test.advance(5_000);
    await test.restart();
    expect([restarts(test, 'w'), notes(test, 'w')]).toEqual([1, ['kept']]);
  });

  it('restarts a child whose name looks like that of a kernel timer', async () => {
    const children = [{ id: 'bosun.schedule.w', agent: 'worker', backoff }] as never;
    const test = await startTestSystem({ agents, tree: { intensity: 10, children } });
    await told(test, 'bosun.schedule.w', 'explode');
    await test.crash();
    await test.restart();
    await test.advance(100);
    expect(restarts(test, 'bosun.schedule.w')).toBe(1);
  });

  it('drops the delayed restart if the child is removed from the tree', async () => {
    const test = await start();
    await told(test, 'w', 'explode');
    await test.crash();
    await test.restart({ tree: { children: [{ id: 'v', agent: 'worker' }] } });
    await test.advance(1_000);
    expect([notes(test, 'w'), notes(test, 'v'), stateOf(test)]).toEqual([null, [], '{"supervising":"running"}']);
  });
});
