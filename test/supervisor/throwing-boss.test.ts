import { createMachine } from 'xstate';
import { describe, expect, it, vi } from 'vitest';
import { type Random } from '../../src/actors/model/ports.ts';
import { DELIVERIES_MAX } from '../../src/limits.ts';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { Shard } from '../../src/shard.ts';
import { type FaultyStore, faultyStore } from '../../src/testing/faulty-store.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { agentOf } from '../support/actors/subject.ts';
import { agents, worker } from '../support/supervisor/worker.ts';

// The runtime draws a number of its own where a host's random source throws. Here the throw has to reach the Boss.
vi.mock('../../src/actors/api/reliable-random.ts', () => ({ reliable: (given: Random) => given }));

/** A random source that throws once when it is told to, and with it the Boss that draws from it. */
class FailingRandom implements Random {
  /** The number of the next draw that throws; 0 for none. */
  failsAt = 0;

  next(): number {
    if (this.failsAt === 0 || --this.failsAt > 0) return 0.5;
    throw new Error('out of dice');
  }
}

const w = { id: 'w', agent: 'worker' };

/** Is told before it ends, and does not end by that. */
const lingerer = agentOf('lingerer', createMachine({ on: { 'bosun.shutdown': {} } }));

async function start(
  tree: BossOptions,
  store: FaultyStore = faultyStore(),
  random = new FailingRandom(),
): Promise<{ system: Shard; random: FailingRandom; store: FaultyStore }> {
  const system = new Shard({
    agents: [...agents, lingerer],
    tree,
    store,
    random,
    clock: new VirtualClock(),
    log: () => {},
  });
  await system.start();
  await system.idle();
  return { system, random, store };
}

/** The Boss of the worker fails over its crash. */
async function failOver(address: string, { system, random }: { system: Shard; random: FailingRandom }): Promise<void> {
  await system.send(address, { type: 'note', text: 'before' });
  await system.idle();
  random.failsAt = 1;
  await system.send(address, { type: 'choke', text: 'choke' });
  await system.idle();
}

const notesAt = (system: Shard, address: string): unknown =>
  (system.snapshot(address)?.context as { notes: string[] } | undefined)?.notes;

describe('a Boss that throws', () => {
  it.each(['permanent', 'transient'] as const)(
    'ends its children, escalates, and is restarted from its initial state if it is %s',
    async (restart) => {
      const run = await start({
        children: [{ id: 'team', restart, boss: { children: [w, { id: 'v', agent: 'worker' }] } }, w],
      });
      const { system } = run;
      await system.spawn(worker, 'dynamic', { under: 'team' });
      await failOver('team/w', run);
      expect(system.tree('team')).toMatchObject({ restarts: 1, lastError: { message: 'out of dice' } });
      expect(system.tree('team').children.map(({ address, restarts }) => [address, restarts])).toEqual([
        ['team/w', 0],
        ['team/v', 0],
      ]);
      expect([
        notesAt(system, 'team/w'),
        system.tree('w').restarts,
        system.deadLetters.list({ reason: 'quarantined' }),
      ]).toEqual([[], 0, []]);
    },
  );

  it('ends with its children if it is temporary', async () => {
    const run = await start({ children: [{ id: 'team', restart: 'temporary', boss: { children: [w] } }] });
    await failOver('team/w', run);
    expect(run.system.tree().children).toEqual([]);
  });

  it('closes the system if it is the root; the next start decides what it failed to decide', async () => {
    const first = await start({ children: [w] });
    await failOver('w', first);
    await expect(first.system.closed).rejects.toMatchObject({
      code: 'BOSUN_INTENSITY_EXCEEDED',
      message: 'the root Boss gave up: out of dice',
    });
    const { system } = await start({ children: [w] }, first.store);
    await system.send('w', { type: 'note', text: 'after' });
    await system.idle();
    expect([notesAt(system, 'w'), system.deadLetters.list({ reason: 'quarantined' }).length]).toEqual([
      ['before', 'after'],
      1,
    ]);
  });

  it('forgets nothing even if it throws at every start: the first start without a throw decides', async () => {
    const { store, ...first } = await start({ children: [w] });
    await failOver('w', first);
    await first.system.closed.catch(() => {});
    for (let starts = 0; starts < DELIVERIES_MAX + 1; starts++) {
      const random = new FailingRandom();
      // The Boss draws for its resumption and its declaration first: the end of the worker is the third draw.
      random.failsAt = 3;
      const { system } = await start({ children: [w] }, store, random);
      await expect(system.closed).rejects.toMatchObject({ code: 'BOSUN_INTENSITY_EXCEEDED' });
    }
    const { system } = await start({ children: [w] }, store);
    await system.send('w', { type: 'note', text: 'after' });
    await system.idle();
    expect([notesAt(system, 'w'), system.deadLetters.list().map(({ address }) => address)]).toEqual([
      ['before', 'after'],
      ['w'],
    ]);
  });

  it('is unchanged after it throws over an order, and the order rejects with the error', async () => {
    const { system, random } = await start({ children: [w] });
    random.failsAt = 1;
    await expect(system.boss().startChild({ id: 'v', agent: 'worker' })).rejects.toThrow('out of dice');
    expect([system.tree().children.map(({ address }) => address), system.deadLetters.list()]).toEqual([['w'], []]);
    expect(await system.boss().startChild({ id: 'v', agent: 'worker' })).toBe('v');
  });

  it('ends with its children if it throws over the order to end', async () => {
    const { system, random } = await start({
      children: [{ id: 'team', boss: { children: [{ id: 'l', agent: 'lingerer' }] } }],
    });
    // The root draws for the order, and the team for being told to end.
    random.failsAt = 2;
    await system.boss().terminateChild('team');
    await system.idle();
    expect([random.failsAt, system.snapshot('team'), system.snapshot('team/l')]).toEqual([0, undefined, undefined]);
  });
});
