import { describe, expect, it } from 'vitest';
import { type AnyStateMachine } from 'xstate';
import { Kernel } from '../../src/actors/loop/kernel.ts';
import { type Logic } from '../../src/actors/loop/versions/roster.ts';
import { createJournal } from '../../src/persistence/journal.ts';
import { BOSS_VERSION, bossMachine } from '../../src/supervisor/boss.ts';
import { parseBossSpec } from '../../src/supervisor/child-spec.ts';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import { startTestSystem } from '../../src/testing/test-system.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { agents, notes, restarts, stateOf, told, worker } from '../support/supervisor/worker.ts';

const tree = {
  children: [
    { id: 'w', agent: 'worker' },
    { id: 'team', boss: { children: [{ id: 'x', agent: 'worker' }] } },
  ],
};

describe('a store in which Bosses are of version 1', () => {
  it('goes on with all their children, by the strategies of today', async () => {
    const store = faultyStore();
    const clock = new VirtualClock();
    const logics: Readonly<Record<string, Logic>> = {
      worker: { logic: worker.machine as AnyStateMachine, version: 1 },
      'bosun.boss': { logic: bossMachine as AnyStateMachine, version: 1 },
    };
    const parts = {
      clock,
      random: { next: () => 0 },
      logicOf: (name: string) => logics[name],
      root: parseBossSpec(tree),
      hold: false,
      trustWallClock: false,
      caution: false,
      outageMs: 0,
      log: () => {},
    };
    const kernel = new Kernel({ ...parts, journal: createJournal(store) }, () => {});
    await kernel.start();
    await kernel.ingress.send(kernel.cell('w'), { type: 'note', text: 'old' } as never, 10, undefined);
    await kernel.stop();
    const test = await startTestSystem({ agents, store, clock, tree: { ...tree, strategy: 'one_for_all' } });
    expect(BOSS_VERSION).toBe(3);
    expect([notes(test, 'w'), notes(test, 'team/x'), test.system.unreadable()]).toEqual([['old'], [], []]);
    await told(test, 'team/x', 'explode');
    await told(test, 'w', 'explode');
    expect([notes(test, 'w'), restarts(test, 'w'), restarts(test, 'team'), stateOf(test)]).toEqual([
      [],
      1,
      1,
      '{"supervising":"running"}',
    ]);
  });
});
