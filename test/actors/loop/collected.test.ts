/** A stopped system without references to it leaves memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Shard } from '../../../src/shard.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { account, deposit } from '../../support/actors/account.ts';
import { until } from '../../support/until.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** On a store that holds something already: what reads it is what used to stay. */
async function stopped(): Promise<WeakRef<Shard>> {
  const store = memoryStore();
  for (let run = 0; ; run++) {
    const system = await new Shard({ agents: [account], store, durability: 'memory' }).start();
    const { address } = await system.spawn(account, 'a');
    await system.send(address, deposit(1));
    await system.stop();
    if (run === 1) return new WeakRef(system);
  }
}

describe('a stopped system', () => {
  it('is garbage-collected', async () => {
    const system = await stopped();
    // Whatever the stop has left on its way holds it until that has arrived, which a busy machine does later.
    await until(
      () => {
        collect();
        return system.deref() === undefined;
      },
      () => 'the end of the system in memory',
    );
    expect(system.deref()).toBe(undefined);
  });
});
