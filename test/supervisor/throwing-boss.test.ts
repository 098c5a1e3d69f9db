import { createMachine } from 'xstate';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Bosses } from '../../src/actors/world/bosses.ts';
import { DELIVERIES_MAX } from '../../src/limits.ts';
import { type BossOptions } from '../../src/supervisor/child-spec.ts';
import { Shard } from '../../src/shard.ts';
import { type FaultyStore, faultyStore } from '../../src/testing/faulty-store.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { agentOf } from '../support/actors/subject.ts';
import { agents, worker } from '../support/supervisor/worker.ts';

/** A fault of the runtime that makes a Boss throw over an event: no option of a host can. */
class Fault {
  /** The number of the next event of a Boss that throws; 0 for none. */
  failsAt = 0;

  happen(): void {
    if (this.failsAt > 0 && --this.failsAt === 0) throw new Error('out of facts');
  }
}

/** The fault of the system that was started last. */
let fault = new Fault();

beforeEach(() => {
  const { withFacts } = Bosses.prototype;
  const spied = vi.spyOn(Bosses.prototype, 'withFacts').mockImplementation(function (this: Bosses, boss, event) {
    fault.happen();
    return withFacts.call(this, boss, event);
  });
  return () => spied.mockRestore();
});

const w = { id: 'w', agent: 'worker' };

/** Is told before it ends, and does not end by that. */
const lingerer = agentOf('lingerer', createMachine({ on: { 'bosun.shutdown': {} } }));

async function start(
  tree: BossOptions,
  store: FaultyStore = faultyStore(),
  own = new Fault(),
): Promise<{ system: Shard; fault: Fault; store: FaultyStore }> {
  fault = own;
  const system = new Shard({
    agents: [...agents, lingerer],
    tree,
    store,
    clock: new VirtualClock(),
    log: () => {},
  });
  await system.start();
  await system.idle();
  return { system, fault, store };
}

/** The Boss of the worker fails over its crash. */
async function failOver(address: string, { system, fault: own }: { system: Shard; fault: Fault }): Promise<void> {
  await system.send(address, { type: 'note', text: 'before' });
  await system.idle();
  own.failsAt = 1;
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
      expect(system.tree('team')).toMatchObject({ restarts: 1, lastError: { message: 'out of facts' } });
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
      message: 'the root Boss gave up: out of facts',
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
      const own = new Fault();
      // The Boss draws for its resumption and its declaration first: the end of the worker is the third draw.
      own.failsAt = 3;
      const { system } = await start({ children: [w] }, store, own);
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
    const { system, fault: own } = await start({ children: [w] });
    own.failsAt = 1;
    await expect(system.boss().startChild({ id: 'v', agent: 'worker' })).rejects.toThrow('out of facts');
    expect([system.tree().children.map(({ address }) => address), system.deadLetters.list()]).toEqual([['w'], []]);
    expect(await system.boss().startChild({ id: 'v', agent: 'worker' })).toBe('v');
  });

  it('ends with its children if it throws over the order to end', async () => {
    const { system, fault: own } = await start({
      children: [{ id: 'team', boss: { children: [{ id: 'l', agent: 'lingerer' }] } }],
    });
    // The root draws for the order, and the team for being told to end.
    own.failsAt = 2;
    await system.boss().terminateChild('team');
    await system.idle();
    expect([own.failsAt, system.snapshot('team'), system.snapshot('team/l')]).toEqual([0, undefined, undefined]);
  });
});
