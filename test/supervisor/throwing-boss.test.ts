import { describe, expect, it } from 'vitest';
import { type Random } from '../../src/actors/model/ports.ts';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { createSystem, type System } from '../../src/system.ts';
import { type FaultyStore, faultyStore } from '../../src/testing/faulty-store.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { agents, worker } from '../support/supervisor/worker.ts';

/** Chance fails when told to, once, and with it the Boss that asks for it next. */
class FailingRandom implements Random {
  fails = false;

  next(): number {
    if (!this.fails) return 0.5;
    this.fails = false;
    throw new Error('out of dice');
  }
}

const w = { id: 'w', agent: 'worker' };

async function start(
  tree: BossOptions,
  store: FaultyStore = faultyStore(),
): Promise<{ system: System; random: FailingRandom; store: FaultyStore }> {
  const random = new FailingRandom();
  const system = createSystem({ agents, tree, store, random, clock: new VirtualClock(), log: () => {} });
  await system.start();
  await system.idle();
  return { system, random, store };
}

/** The Boss of the worker fails over its crash. */
async function failOver(address: string, { system, random }: { system: System; random: FailingRandom }): Promise<void> {
  await system.send(address, { type: 'note', text: 'before' });
  await system.idle();
  random.fails = true;
  await system.send(address, { type: 'choke', text: 'choke' });
  await system.idle();
}

const notesAt = (system: System, address: string): unknown =>
  (system.snapshot(address)?.context as { notes: string[] } | undefined)?.notes;

describe('a Boss that throws', () => {
  it.each(['permanent', 'transient'] as const)(
    'ends its children, escalates, and begins anew when it is %s',
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

  it('is gone with its children when it is temporary', async () => {
    const run = await start({ children: [{ id: 'team', restart: 'temporary', boss: { children: [w] } }] });
    await failOver('team/w', run);
    expect(run.system.tree().children).toEqual([]);
  });

  it('closes the system when it is the root; the next start decides what it could not', async () => {
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
});
