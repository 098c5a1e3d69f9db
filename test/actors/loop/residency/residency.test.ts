/** Passivation: who leaves memory, who wakes by what, and that nobody can tell the difference. */
import { describe, expect, it } from 'vitest';
import { type System } from '../../../../src/system.ts';
import { peer, startPeers, tellPeer } from '../../../support/actors/residents.ts';
import { PREFIX } from '../../../../src/persistence/keys.ts';

/** How many actors are in memory: only the kernel knows. */
function residents(system: System): number {
  return system.residents;
}

describe('an actor that rests', () => {
  it('has left memory, and no more are there than should be', async () => {
    const test = await startPeers(20);
    expect(residents(test.system)).toBeLessThanOrEqual(3);
    await test.system.stop();
  });

  it('leaves memory for want of room alone: as many stay as should be, or all where there are fewer', async () => {
    for (const residentActors of [3, 8, 20]) {
      const test = await startPeers(10, { residentActors });
      // The Boss of them all is in memory too.
      expect(residents(test.system)).toBe(Math.min(residentActors, 11));
      await test.system.stop();
    }
  });

  it('wakes by a message, as it was', async () => {
    const test = await startPeers(10);
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    for (let n = 0; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    for (let n = 0; n < 10; n++) expect(test.system.snapshot(`peer-${n}`)?.context).toMatchObject({ count: 2 });
    await test.system.stop();
  });

  it('wakes by its timer, also after a crash', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-0', 'LATER');
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.advance(2_000);
    expect(test.system.snapshot('peer-0')?.context).toMatchObject({ ticks: 1 });
    await tellPeer(test, 'peer-0', 'LATER');
    await test.crash();
    await test.restart();
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await test.advance(2_000);
    expect(test.system.snapshot('peer-0')?.context).toMatchObject({ ticks: 2 });
    await test.system.stop();
  });

  it("is in nobody's way: after a start it is not read", async () => {
    const test = await startPeers(50);
    for (let n = 0; n < 20; n++) await tellPeer(test, 'peer-0', 'UP');
    await test.system.stop();
    test.store.reads = [];
    await test.restart();
    expect(test.store.reads.filter((key) => key.startsWith(PREFIX.state)).length).toBeLessThanOrEqual(3);
    expect(residents(test.system)).toBeLessThanOrEqual(3);
    await tellPeer(test, 'peer-49', 'UP');
    expect(test.system.snapshot('peer-49')?.context).toMatchObject({ count: 1 });
    expect(test.system.snapshot('peer-0')?.context).toMatchObject({ count: 20 });
    await test.system.stop();
  });

  it('wakes with its children', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-0', 'PARENT');
    await tellPeer(test, 'peer-0', 'TELL');
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    expect(residents(test.system)).toBeLessThanOrEqual(3);
    expect(test.system.snapshot('peer-0/kid')?.context).toEqual({ told: 1 });
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await tellPeer(test, 'peer-0', 'TELL');
    expect(test.system.snapshot('peer-0/kid')?.context).toEqual({ told: 2 });
    await test.crash();
    await test.restart();
    expect(test.system.snapshot('peer-0/kid')?.context).toEqual({ told: 2 });
    await tellPeer(test, 'peer-0', 'CHILDLESS');
    expect(test.system.snapshot('peer-0/kid')).toBeUndefined();
    await test.system.stop();
  });

  it('is the one that a reference in the context of another means, and there is one reference to it', async () => {
    const test = await startPeers(10, { journal: { fold: { windowEpochs: 1, sliceRecords: 100 } } });
    await tellPeer(test, 'peer-1', 'NAME', { what: 'friend' });
    await tellPeer(test, 'peer-0', 'MEET', { what: 'friend' });
    await tellPeer(test, 'peer-0', 'LATER');
    for (let n = 2; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    // Its timer has the one read at the start, and the other one not.
    await test.crash();
    await test.restart();
    const { sequence } = test.system.snapshot('peer-0')!;
    await tellPeer(test, 'peer-1', 'UP');
    await tellPeer(test, 'peer-0', 'MEET', { what: 'friend' });
    expect(test.system.snapshot('peer-0')).toMatchObject({ sequence });
    await tellPeer(test, 'peer-0', 'PASS');
    expect(test.system.snapshot('peer-1')?.context).toMatchObject({ count: 2 });
    await test.system.stop();
  });

  it('is found by spawn, and shown by the tree where there is room for all', async () => {
    const test = await startPeers(10, { journal: { fold: { windowEpochs: 1, sliceRecords: 100 } } });
    const handle = await test.system.spawn(peer, 'peer-4');
    expect(handle.snapshot().context).toMatchObject({ count: 0 });
    expect(test.system.boss().countChildren()).toMatchObject({ specs: 10, active: 10 });
    // There is no room for all at once.
    expect(test.system.tree()).toMatchObject({ isPartial: true });
    await test.system.stop();
    await test.restart({ residentActors: 20 });
    expect(test.system.residents).toBeLessThan(10);
    expect(test.system.tree().children).toHaveLength(10);
    expect(test.system.tree().isPartial).toBeUndefined();
    await test.system.stop();
  });

  it('crashes, is restarted and ends as any other', async () => {
    const test = await startPeers(10);
    await tellPeer(test, 'peer-0', 'UP');
    for (let n = 1; n < 10; n++) await tellPeer(test, `peer-${n}`, 'UP');
    await tellPeer(test, 'peer-0', 'CRASH');
    expect(test.system.snapshot('peer-0')).toMatchObject({ status: 'active', context: { count: 1 } });
    await tellPeer(test, 'peer-1', 'END');
    expect(test.system.snapshot('peer-1')).toBeUndefined();
    await test.system.boss().terminateChild('peer-2');
    expect(test.system.snapshot('peer-2')).toBeUndefined();
    await expect(test.system.send('peer-2', { type: 'UP' })).rejects.toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    await test.system.stop();
  });
});
