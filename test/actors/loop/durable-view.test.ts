/** Bosses, children, names and groups as readers see them, with all actors in memory and with few. */
import { createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { join, register } from '../../../src/actors/model/talk-actions.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { code } from '../../support/actors/account.ts';
import { peer, startPeers, tellPeer } from '../../support/actors/residents.ts';
import { started } from '../../support/actors/started.ts';
import { agentOf } from '../../support/actors/subject.ts';

const FOLDED = { journal: { fold: { windowEpochs: 1, sliceRecords: 100 } } };
const ids = (count: number) => Array.from({ length: count }, (_, n) => `peer-${n}`);
const childrenAt = (test: TestSystem, address = 'root') => test.shard.admin.getState(address).children;

/** Restarts the system, so that all actors rest, and wakes the named ones. */
async function awake(test: TestSystem, addresses: readonly string[], residentActors: number): Promise<void> {
  await test.shard.stop();
  await test.restart({ residentActors });
  for (const address of addresses) await tellPeer(test, address, 'UP');
}

describe('children', () => {
  it('are shown in order of birth, in whatever order they woke', async () => {
    const test = await startPeers(6, FOLDED);
    await awake(test, ['peer-4', 'peer-1'], 20);
    expect(childrenAt(test)).toEqual(ids(6));
    await test.shard.stop();
  });

  it('are woken if there is just room for all; those already in memory are not counted twice', async () => {
    const test = await startPeers(6, FOLDED);
    for (const [room, count] of [
      [7, 6],
      [6, 2],
    ] as const) {
      await awake(test, ['peer-4', 'peer-1'], room);
      expect(childrenAt(test)).toHaveLength(count);
    }
    await test.shard.stop();
  });

  it('children of nested Bosses are shown below them', async () => {
    const boss = (id: string, children: readonly object[]) => ({ id, boss: { children } }) as never;
    const tree = { children: [boss('outer', [boss('inner', [])])] };
    const test = await startPeers(6, { ...FOLDED, tree, under: 'outer/inner' });
    await awake(test, [], 20);
    const [inner] = test.shard.tree('outer').children;
    expect(inner).toMatchObject({ address: 'outer/inner' });
    expect(inner!.children.map(({ address }) => address)).toEqual(ids(6).map((id) => `outer/inner/${id}`));
    await test.shard.stop();
  });

  it('children that have ended are not listed, though their Boss keeps their specs', async () => {
    const children = ['p', 'q'].map((id) => ({ id, agent: 'peer', restart: 'transient' as const }));
    const test = await started({ agents: [peer], residentActors: 20, tree: { children } });
    await tellPeer(test, 'p', 'END');
    expect(test.shard.boss().countChildren()).toMatchObject({ specs: 2, active: 1 });
    expect(test.shard.tree()).toMatchObject({ children: [{ address: 'q' }] });
    expect(test.shard.tree().isPartial).toBeUndefined();
  });

  it('children of another Boss are unknown, and a tree whose actors are all in memory is complete', async () => {
    const team = { id: 'team', boss: { children: [] } };
    const test = await started({ agents: [peer], tree: { children: [team, { id: 'p', agent: 'peer' }] } });
    expect(() => test.shard.boss('team').getChildSpec('p')).toThrow(code('BOSUN_CHILD_UNKNOWN') as Error);
    expect(test.shard.tree().isPartial).toBeUndefined();
    await tellPeer(test, 'p', 'UP');
    expect(test.shard.boss().getChildSpec('p')).toMatchObject({ id: 'p', agent: 'peer' });
  });
});

describe('groups and names', () => {
  const joiner = agentOf(
    'joiner',
    createMachine({
      on: {
        JOIN: { actions: join(({ event }) => (event as unknown as { what: string }).what) },
        NAME: { actions: register(({ event }) => (event as unknown as { what: string }).what) },
      },
    }),
    ['JOIN', 'NAME'],
  );
  const long = 'a group with a name that is longer than the rest of its key';
  const children = ['a', 'b', 'c', 'd'].map((id) => ({ id, agent: 'joiner', systemId: `desk-${id}` }));

  it.each([undefined, 1])(
    'have exactly the members that joined them, in order of births (residents: %s)',
    async (residentActors) => {
      const test = await started({ agents: [joiner], residentActors, tree: { children } });
      for (const [address, what] of [
        ['c', long],
        ['b', 'short'],
        ['a', long],
        ['d', 'short'],
        // Names that begin as it does, and that are as long.
        ['a', 'short!er'],
        ['c', 'stout'],
      ] as const)
        await tellPeer(test, address, 'JOIN', { what });
      await tellPeer(test, 'b', 'NAME', { what: 'boatswain' });
      for (let time = 0; time < 2; time++) {
        expect([long, 'short', 'short!er', 'none'].map((group) => test.shard.members(group))).toEqual([
          ['a', 'c'],
          ['b', 'd'],
          ['a'],
          [],
        ]);
        expect(['boatswain', 'desk-c', 'nobody'].map((name) => test.shard.lookup(name)?.address)).toEqual([
          'b',
          'c',
          undefined,
        ]);
        await test.crash();
        await test.restart();
      }
    },
  );
});
