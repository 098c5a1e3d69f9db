/** `verify`: the findings about a store on which no system runs. */
import { beforeEach, describe, expect, it } from 'vitest';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { enrolledKey, epochKey, PREFIX, stateKey } from '../../src/persistence/format/keys.ts';
import { type Finding, type Verification, verify } from '../../src/persistence/upkeep/verify.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { account, deposit } from '../support/actors/account.ts';
import { folded, notes, send, start as startScribes, storedKeys } from '../support/actors/scribe.ts';
import { LONG } from '../support/effort.ts';

let test: TestSystem;

/** A stopped store with a folded part and a journal behind it. */
beforeEach(async () => {
  test = await startTestSystem({
    agents: [account],
    tree: {
      children: [
        { id: 'a', agent: 'account' },
        { id: 'team', boss: { children: [{ id: 'b', agent: 'account' }] } },
      ],
    },
    journal: { fold: { windowEpochs: 8, sliceRecords: 1_000 } },
  });
  for (let n = 0; n < 10; n++) {
    await test.shard.send('a', deposit(1), { session: { id: 'client', sequence: n + 1 } });
    await test.shard.send('team/b', deposit(1));
  }
  await test.settle();
  await test.shard.stop();
});

async function verified(): Promise<Verification> {
  await test.store.open();
  try {
    return await verify(test.store);
  } finally {
    await test.store.close();
  }
}

const keys = (prefix: string) => test.store.entries().flatMap(([key]) => (key.startsWith(prefix) ? [key] : []));
const lifeOf = (address: string) =>
  test.store
    .entries()
    .filter(([key]) => key.startsWith(PREFIX.state) || key.startsWith(PREFIX.enrolled))
    .findIndex((_, n) => ['root', 'a', 'team', 'team/b'][n] === address) + 1;

describe('verify', () => {
  it('finds a store sound after a stop, after a crash or before any use, and changes nothing', async () => {
    const before = test.store.entries();
    expect(await verified()).toMatchObject({
      sound: true,
      epoch: expect.any(Number) as number,
      actors: 4,
      findings: [],
      aside: 0,
      recoverable: null,
    });
    expect(test.store.entries()).toEqual(before);
    await test.restart();
    await test.shard.send('a', deposit(1));
    await test.crash();
    expect(await verified()).toMatchObject({ sound: true });
    for (const key of keys('')) test.store.lose(key);
    expect(await verified()).toMatchObject({ sound: true, epoch: 0, records: 0 });
  });

  it('names agent, address and key of damage in the record of an actor', async () => {
    const [life] = [lifeOf('team/b')];
    const key = stateKey(life);
    test.store.flip(key, test.store.entries().find(([found]) => found === key)![1].length - 1);
    const { sound, findings } = await verified();
    expect(sound).toBe(false);
    expect(findings).toEqual([
      expect.objectContaining<Partial<Finding>>({
        gravity: 'withholds',
        key,
        life,
        address: 'team/b',
        agent: 'account',
      }),
    ]);
  });

  it('says that damage of the root stops everything', async () => {
    test.store.flip(enrolledKey(1), 7);
    expect((await verified()).findings).toEqual([
      expect.objectContaining<Partial<Finding>>({ gravity: 'stops', address: 'root', life: 1 }),
    ]);
  });

  it('names the change in the journal that does not continue a stale record', async () => {
    const key = stateKey(lifeOf('a'));
    const stale = test.store.entries().find(([found]) => found === key)![1];
    await test.restart();
    for (let n = 0; n < 12; n++) await test.shard.send('a', deposit(1));
    await test.settle();
    await test.shard.stop();
    await test.store.open();
    await test.store.write([{ key, value: stale }], { sync: true });
    await test.store.close();
    const [finding] = (await verified()).findings;
    expect(finding).toMatchObject({
      gravity: 'withholds',
      address: 'a',
      sequence: expect.any(Number) as number,
      epoch: expect.any(Number) as number,
    });
  });

  it('names every bad epoch, and the last epoch for a recovery', async () => {
    const epochs = keys(PREFIX.epoch).map((key) => Number.parseInt(key.slice(2), 16));
    const last = epochs.at(-1)!;
    test.store.flip(epochKey(last), 40);
    test.store.flip(epochKey(last - 2), 40);
    const { findings, recoverable, epoch } = await verified();
    expect(findings.map(({ gravity, epoch }) => [gravity, epoch])).toEqual([
      ['stops', last - 2],
      ['reports', last],
    ]);
    expect([recoverable?.to, epoch]).toEqual([last - 3, last - 3]);
    await test.restart({ recoverTo: last - 3 });
    expect(test.logged.flat()).toContainEqual([
      `l!0001!${epochKey(last - 2)}`,
      `l!0001!${epochKey(last - 1)}`,
      `l!0001!${epochKey(last)}`,
    ]);
    await test.shard.stop();
    expect(await verified()).toMatchObject({ sound: true, aside: 3 });
  });

  it('finds rows of the address index that disagree with the identities', async () => {
    test.store.lose('a!team/b');
    expect((await verified()).findings).toEqual([
      expect.objectContaining({ gravity: 'reports', key: 'a!team/b', address: 'team/b', agent: 'account' }),
    ]);
  });

  it('finds damage of any byte of any record', LONG, async () => {
    for (const [key, value] of test.store.entries()) {
      // Every byte of the small ones, some of the others.
      for (let byte = 0; byte < value.length; byte += 1 + Math.floor(value.length / 40)) {
        test.store.flip(key, byte);
        const { sound } = await verified();
        test.store.flip(key, byte);
        expect(sound, `${key} at ${byte}`).toBe(false);
      }
    }
  });

  it('finds damage of rows that no start reads', async () => {
    const records = await startScribes();
    await send(records, ...notes('a', 'b'));
    await folded(records);
    await records.shard.stop();
    const [key] = storedKeys(records, KEYSPACE.records);
    records.store.flip(key!, 20);
    await records.store.open();
    expect(await verify(records.store)).toMatchObject({ sound: false, findings: [{ gravity: 'reports', key }] });
    await records.store.close();
  });
});
