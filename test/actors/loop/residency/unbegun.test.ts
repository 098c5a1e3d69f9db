/**
 * Actors that have to be in memory at a start: a child of a Boss is in the roll until its first turn
 * (docs/store-format.md).
 */
import { describe, expect, it } from 'vitest';
import { KEYSPACE } from '../../../../src/actors/model/ports.ts';
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { peer, tellPeer } from '../../../support/actors/residents.ts';
import { crash, started } from '../../../support/actors/started.ts';

const as = { by: 'ada' };

/** Two peers, of which one is suspended and has been restarted, so that it cannot begin. */
async function startUnbegun(): Promise<TestSystem> {
  const children = ['a', 'b'].map((id) => ({ id, agent: 'peer', resume: 'initial' as const }));
  const test = await started({
    agents: [peer],
    residentActors: 1,
    tree: { intensity: 100, children },
    journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } },
  });
  await test.shard.admin.suspend('a', as);
  await test.shard.admin.kill('a', as);
  return test;
}

/** The number of actors in the roll, once all is folded. */
async function enrolled(test: TestSystem): Promise<number> {
  for (let n = 0; n < 4; n++) await tellPeer(test, 'b', 'UP');
  return test.store.entries().filter(([key]) => key.startsWith(`${KEYSPACE.roll}!`)).length;
}

describe('a child of a Boss before its first turn', () => {
  it.each([
    ['', async () => {}],
    [', across a power cut', crash],
  ])('is in the roll, which every start reads, until its first turn%s', async (_, between) => {
    const test = await startUnbegun();
    expect(await enrolled(test)).toBe(1);
    await between(test);
    expect(await enrolled(test)).toBe(1);
    await test.shard.admin.resume('a', as);
    await test.settle();
    expect(test.shard.snapshot('a')).toMatchObject({ status: 'active', context: { count: 0 } });
    expect(await enrolled(test)).toBe(0);
  });

  it('leaves the roll when it is ended', async () => {
    const test = await startUnbegun();
    expect(await enrolled(test)).toBe(1);
    await test.shard.boss().terminateChild('a');
    expect(await enrolled(test)).toBe(0);
  });
});
