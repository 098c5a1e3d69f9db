import { describe, expect, it } from 'vitest';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { agents, notes, reasonOfClosing, restarts, tell, told, worker } from '../support/supervisor/worker.ts';

const w = { id: 'w', agent: 'worker' };

function start(tree: BossOptions): Promise<TestSystem> {
  return startTestSystem({ agents, tree });
}

async function explodeTimes(test: TestSystem, address: string, times: number): Promise<void> {
  for (let crash = 0; crash < times; crash++) await told(test, address, 'explode');
}

describe('restarts', () => {
  it('may go on forever if no period holds more than the intensity', async () => {
    const test = await start({ intensity: 1, periodMs: 1_000, children: [w] });
    for (let crash = 0; crash < 4; crash++) {
      await told(test, 'w', 'explode');
      await test.advance(1_001);
    }
    expect(restarts(test, 'w')).toBe(4);
  });

  it('restarts at both ends of one period count in that period', async () => {
    const test = await start({ intensity: 1, periodMs: 1_000, children: [w] });
    await told(test, 'w', 'explode');
    await test.advance(1_000);
    await told(test, 'w', 'explode');
    expect(await reasonOfClosing(test)).toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
  });

  it('restarts of all children count together', async () => {
    const test = await start({ intensity: 2, children: ['a', 'b', 'c'].map((id) => ({ id, agent: 'worker' })) });
    for (const id of ['a', 'b', 'c']) await told(test, id, 'explode');
    expect(await reasonOfClosing(test)).toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: expect.stringContaining('c: explode') as string,
    });
  });

  it('restarts of a permanent child that finishes count too', async () => {
    const test = await start({ intensity: 2, children: [w] });
    for (let end = 0; end < 3; end++) await told(test, 'w', 'finish');
    expect(await reasonOfClosing(test)).toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
  });
});

describe('a Boss that gives up', () => {
  const team = (restart: 'permanent' | 'transient' | 'temporary') => ({
    id: 'team',
    restart,
    boss: { intensity: 0, children: [w, { id: 'v', agent: 'worker' }] },
  });

  it('is restarted from its initial state with its static children if it is permanent below a Boss', async () => {
    const test = await start({ children: [team('permanent')] });
    await told(test, 'team/w', 'note', 'forgotten');
    await test.shard.spawn(worker, 'dynamic', { under: 'team' });
    await told(test, 'team/v', 'explode');
    expect(['team/w', 'team/v', 'team/dynamic'].map((address) => notes(test, address))).toEqual([[], [], null]);
    expect(restarts(test, 'team')).toBe(1);
  });

  it('loses its dynamic children, whose names are then free', async () => {
    const test = await start({ children: [team('permanent')] });
    await test.shard.spawn(worker, 'dynamic', { under: 'team' });
    await told(test, 'team/dynamic', 'note', 'lost');
    await told(test, 'team/v', 'explode');
    await test.shard.spawn(worker, 'dynamic', { under: 'team' });
    expect(notes(test, 'team/dynamic')).toEqual([]);
  });

  it.each(['transient', 'temporary'] as const)(
    'is not restarted if it is %s, and ends with its children',
    async (restart) => {
      const test = await start({ intensity: 0, children: [team(restart), w] });
      await told(test, 'team/v', 'explode');
      expect(['team', 'team/w', 'team/v'].map((address) => test.shard.snapshot(address))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      await told(test, 'w', 'note', 'undisturbed');
      expect(notes(test, 'w')).toEqual(['undisturbed']);
    },
  );

  it('has a fresh window when it is restarted', async () => {
    const test = await start({ children: [{ id: 'team', boss: { intensity: 1, children: [w] } }] });
    await explodeTimes(test, 'team/w', 2);
    expect(restarts(test, 'team')).toBe(1);
    await told(test, 'team/w', 'explode');
    expect([restarts(test, 'team'), restarts(test, 'team/w')]).toEqual([1, 1]);
  });

  it('keeps orders that arrive in the meantime', async () => {
    const test = await start({ children: [team('permanent')] });
    await Promise.all([tell(test, 'team/v', 'explode'), test.shard.spawn(worker, 'dynamic', { under: 'team' })]);
    await test.settle();
    await Promise.allSettled([tell(test, 'team/v', 'choke'), test.shard.spawn(worker, 'late', { under: 'team' })]);
    await test.settle();
    expect(restarts(test, 'team')).toBe(2);
    expect(test.shard.tree('team').children.map(({ address }) => address)).toEqual(
      expect.arrayContaining(['team/w', 'team/v']),
    );
  });
});

describe('the root that gives up', () => {
  const deep: BossOptions = {
    intensity: 1,
    children: [
      { id: 'floor', boss: { intensity: 1, children: [{ id: 'room', boss: { intensity: 1, children: [w] } }] } },
      w,
    ],
  };

  it('gives up after the product of the intensities on the path, and names child and error', async () => {
    const test = await start(deep);
    await explodeTimes(test, 'floor/room/w', 7);
    expect([restarts(test, 'floor'), restarts(test, 'floor/room'), restarts(test, 'floor/room/w')]).toEqual([1, 1, 1]);
    await tell(test, 'floor/room/w', 'explode', 'no paper');
    expect(await reasonOfClosing(test)).toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: expect.stringContaining('the root Boss gave up: floor/room/w: no paper') as string,
    });
  });

  it('closes the system, which accepts no more events', async () => {
    const test = await start({ intensity: 0, children: [w] });
    await told(test, 'w', 'explode');
    await reasonOfClosing(test);
    await expect(tell(test, 'w', 'note')).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
  });

  it('gives the next start a fresh window, and keeps the context of its children', async () => {
    const test = await start({ intensity: 1, children: [w, { id: 'v', agent: 'worker' }] });
    await told(test, 'w', 'note', 'kept');
    await told(test, 'v', 'note', 'kept too');
    await test.shard.spawn(worker, 'dynamic');
    await explodeTimes(test, 'w', 2);
    await reasonOfClosing(test);
    await test.restart();
    expect(['w', 'v', 'dynamic'].map((address) => notes(test, address))).toEqual([['kept'], ['kept too'], []]);
    await told(test, 'w', 'explode');
    expect(restarts(test, 'w')).toBe(3);
    await told(test, 'w', 'explode');
    expect(await reasonOfClosing(test)).toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
  });

  it.each([
    ['', {}],
    [', also after a delay', { backoff: { minMs: 100, factor: 1, jitter: 0 } }],
  ])('lets the next start restart the failed child even if no restarts are allowed%s', async (_, options) => {
    const test = await start({ intensity: 0, children: [{ ...w, ...options }] });
    for (let run = 0; run < 3; run++) {
      await told(test, 'w', 'note', `run ${run}`);
      await told(test, 'w', 'explode');
      await reasonOfClosing(test);
      await test.restart();
      await test.advance(100);
    }
    expect(notes(test, 'w')).toEqual(['run 0', 'run 1', 'run 2']);
  });

  it('closes at every start as long as the cause remains', async () => {
    const test = await start({ intensity: 3, children: [{ id: 's', agent: 'stillborn' }] });
    for (let run = 0; run < 3; run++) {
      expect(await reasonOfClosing(test)).toMatchObject({
        code: 'BOSUN_INTENSITY_EXCEEDED',
        message: expect.stringContaining('the root Boss gave up: s: no context') as string,
      });
      await test.restart();
    }
    await reasonOfClosing(test);
    await test.restart({ tree: { children: [] } });
    expect(test.shard.tree().children).toEqual([]);
  });

  it('counts restarts from before a crash of the host', async () => {
    const test = await start({ intensity: 1, children: [w] });
    await told(test, 'w', 'explode');
    await test.crash();
    await test.restart();
    await told(test, 'w', 'explode');
    expect(await reasonOfClosing(test)).toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
  });
});
