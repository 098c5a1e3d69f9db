/** Passivation: which actors leave memory and what wakes them, without a visible difference. */
import { describe, expect, it } from 'vitest';
import { type Shard } from '../../../../src/shard.ts';
import { peer, startPeers, tellPeer } from '../../../support/actors/residents.ts';
import { PREFIX } from '../../../../src/persistence/format/keys.ts';

/** How many actors are in memory: only the kernel knows. */
function residents(system: Shard): number {
  return system.residents;
}

describe('an actor that rests', () => {
  it('has left memory, so that no more actors are resident than the limit', async () => {
    const test = await startPeers(20);
    expect(residents(test.shard)).toBeLessThanOrEqual(3);
    await test.shard.stop();
  });

  it('leaves memory only above the limit: as many stay as the limit allows, or all if there are fewer', async () => {
    for (const residentActors of [3, 8, 20]) {
      const test = await startPeers(10, { residentActors });
      // The Boss of them all is in memory too.
      expect(residents(test.shard)).toBe(Math.min(residentActors, 11));
      await test.shard.stop();
    }
  });

  it('stays while a message that crashed it is counted against it, and leaves after a successful turn', async () => {
    const test = await startPeers(10);
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'CRASH');
    expect(residents(test.shard)).toBe(11);
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect(residents(test.shard)).toBeLessThanOrEqual(3);
    await test.shard.stop();
  });

  it('wakes by a message, in the state in which it left memory', async () => {
    const test = await startPeers(10);
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    for (let n = 0; n < 10; n++) expect(test.shard.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 2 });
    await test.shard.stop();
  });

  it('wakes by its timer, also after a crash', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-0', 'LATER');
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.advance(2_000);
    expect(test.shard.snapshot('peer-0')?.context).toMatchObject({ ticks: 1 });
    await tellPeer(test, 'peer-0', 'LATER');
    await test.crash();
    await test.restart();
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.advance(2_000);
    expect(test.shard.snapshot('peer-0')?.context).toMatchObject({ ticks: 2 });
    await test.shard.stop();
  });

  it('is not read by a start', async () => {
    const test = await startPeers(50);
    for (let n = 0; n < 20; n++) await tellPeer(test, 'peer-0', 'UP');
    await test.shard.stop();
    test.store.reads = [];
    await test.restart();
    expect(test.store.reads.filter((key) => key.startsWith(PREFIX.state)).length).toBeLessThanOrEqual(3);
    expect(residents(test.shard)).toBeLessThanOrEqual(3);
    await tellPeer(test, 'peer-49', 'UP');
    expect(test.shard.snapshot('peer-49')?.context).toMatchObject({ count: 1 });
    expect(test.shard.snapshot('peer-0')?.context).toMatchObject({ count: 20 });
    await test.shard.stop();
  });

  it('wakes with its children', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-0', 'PARENT');
    await tellPeer(test, 'peer-0', 'TELL');
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect(residents(test.shard)).toBeLessThanOrEqual(3);
    expect(test.shard.snapshot('peer-0/kid')?.context).toEqual({ told: 1 });
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await tellPeer(test, 'peer-0', 'TELL');
    expect(test.shard.snapshot('peer-0/kid')?.context).toEqual({ told: 2 });
    await test.crash();
    await test.restart();
    expect(test.shard.snapshot('peer-0/kid')?.context).toEqual({ told: 2 });
    await tellPeer(test, 'peer-0', 'CHILDLESS');
    expect(test.shard.snapshot('peer-0/kid')).toBeUndefined();
    await test.shard.stop();
  });

  it('is reached by a reference in the context of another actor, and that reference stays the only one', async () => {
    const test = await startPeers(10, { journal: { fold: { windowEpochs: 1, sliceRecords: 100 } } });
    await tellPeer(test, 'peer-1', 'NAME', { what: 'friend' });
    await tellPeer(test, 'peer-0', 'MEET', { what: 'friend' });
    await tellPeer(test, 'peer-0', 'LATER');
    for (let n = 2; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    // The timer of peer-0 has the reference that was read at the start, and its context does not.
    await test.crash();
    await test.restart();
    const { sequence } = test.shard.snapshot('peer-0')!;
    await tellPeer(test, 'peer-1', 'UP');
    await tellPeer(test, 'peer-0', 'MEET', { what: 'friend' });
    expect(test.shard.snapshot('peer-0')).toMatchObject({ sequence });
    await tellPeer(test, 'peer-0', 'PASS');
    expect(test.shard.snapshot('peer-1')?.context).toMatchObject({ count: 2 });
    await test.shard.stop();
  });

  it('is found by spawn, and shown by the tree if there is room for all', async () => {
    const test = await startPeers(10, { journal: { fold: { windowEpochs: 1, sliceRecords: 100 } } });
    const handle = await test.shard.spawn(peer, 'peer-4');
    expect(handle.snapshot().context).toMatchObject({ count: 0 });
    expect(test.shard.boss().countChildren()).toMatchObject({ specs: 10, active: 10 });
    // There is no room for all at once.
    expect(test.shard.tree()).toMatchObject({ isPartial: true });
    await test.shard.stop();
    await test.restart({ residentActors: 20 });
    expect(test.shard.residents).toBeLessThan(10);
    expect(test.shard.tree().children).toHaveLength(10);
    expect(test.shard.tree().isPartial).toBeUndefined();
    await test.shard.stop();
  });

  it('crashes, is restarted and ends like any other actor', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-0', 'UP');
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await tellPeer(test, 'peer-0', 'CRASH');
    expect(test.shard.snapshot('peer-0')).toMatchObject({ status: 'active', context: { count: 1 } });
    await tellPeer(test, 'peer-1', 'END');
    expect(test.shard.snapshot('peer-1')).toBeUndefined();
    await test.shard.boss().terminateChild('peer-2');
    expect(test.shard.snapshot('peer-2')).toBeUndefined();
    await expect(test.shard.send('peer-2', { type: 'UP' })).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    await test.shard.stop();
  });
});
