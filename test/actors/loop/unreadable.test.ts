/**
 * A store with damaged records under a running system: the actors that stop, the actors that go on, and the errors that
 * callers get (design P10).
 */
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { z } from 'zod';
import { type StoreEntry, KEYSPACE } from '../../../src/actors/model/ports.ts';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type BosunError } from '../../../src/errors.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { account, code, deposit } from '../../support/actors/account.ts';
import { numberIn, PREFIX } from '../../../src/persistence/format/keys.ts';

const part = setup({ types: {} as { context: { n: number } } }).createMachine({
  context: { n: 0 },
  on: { more: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
});
const whole = defineAgent({
  name: 'whole',
  machine: setup({ types: {} as { events: { type: 'poke' } }, actors: { part } }).createMachine({
    invoke: { src: 'part', id: 'part' },
    on: { poke: {} },
  }),
  events: { poke: z.object({}) },
});

const children = ['a', 'b'].map((id) => ({ id, agent: 'account' }));
const options = {
  agents: [account, whole],
  tree: {
    children: [
      ...children,
      { id: 'w', agent: 'whole' },
      { id: 'team', boss: { children: [{ id: 'c', agent: 'account' }] } },
    ],
  },
  journal: { fold: { windowEpochs: 1, sliceRecords: 1_000 } },
};

/** A stopped system whose actors have all been folded, and a function from an address to the key of its record. */
async function stopped(): Promise<{ test: TestSystem; recordOf: (address: string) => string }> {
  const test = await startTestSystem(options);
  for (const address of ['a', 'b', 'team/c']) await test.shard.send(address, deposit(10));
  for (const id of ['one', 'two', 'three']) await test.shard.send('b', deposit(1), { session: { id, sequence: 1 } });
  await test.settle();
  await test.shard.stop();
  const lives = new Map(
    test.store
      .entries()
      .flatMap(([key]: StoreEntry) => (key.startsWith(`${KEYSPACE.addresses}!`) ? [[key.slice(2), key] as const] : [])),
  );
  expect([...lives.keys()]).toEqual(expect.arrayContaining(['a', 'b', 'w', 'team', 'team/c']));
  const born = [...new Map(test.store.entries()).keys()]
    .filter((key) => key.startsWith(PREFIX.state) || key.startsWith(PREFIX.enrolled))
    .sort((a, b) => numberIn(a) - numberIn(b));
  // Births in the order of the declaration: the root, a, b, w, team, then their children.
  const order = ['root', 'a', 'b', 'w', 'team', 'w/part', 'team/c'];
  return { test, recordOf: (address) => born[order.indexOf(address)]! };
}

const balanceAt = (test: TestSystem, address: string) =>
  (test.shard.snapshot(address)?.context as { balance: number }).balance;
const addresses = (errors: readonly BosunError[]) => errors.map(({ details }) => details['address']);

describe('an actor whose record is damaged', () => {
  it.each([['state'], ['identity']])('does not run, is reported, and stops no other actor (%s)', async (part) => {
    const { test, recordOf } = await stopped();
    const key = recordOf('a');
    test.store.flip(key, part === 'state' ? new Map(test.store.entries()).get(key)!.length - 1 : 6);
    const damaged = test.store.entries().find(([found]) => found === key);
    await test.restart();
    expect(addresses(test.shard.unreadable())).toEqual(['a']);
    expect(test.shard.damage()).toEqual([
      expect.objectContaining({
        code: 'BOSUN_STORE_DAMAGED',
        details: expect.objectContaining({ key, address: 'a' }) as unknown,
      }),
    ]);
    expect(test.logged.flat()).toContainEqual(expect.objectContaining({ key, address: 'a' }));
    for (const ask of [
      () => test.shard.send('a', deposit(1)),
      async () => test.shard.actor('a').snapshot(),
      () => test.shard.spawn(account, 'a').then((handle) => handle.snapshot()),
    ]) {
      await expect(ask()).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
    }
    expect(test.shard.tree().children.map(({ address }) => address)).toEqual(
      part === 'state' ? ['a', 'b', 'w', 'team'] : ['b', 'w', 'team'],
    );
    await test.shard.send('b', deposit(1));
    await test.settle();
    expect(balanceAt(test, 'b')).toBe(14);
    // It stays so, and its record stays as it is, however much is folded.
    for (let n = 0; n < 5; n++) await test.shard.send('b', deposit(1));
    await test.crash();
    await test.restart();
    expect(addresses(test.shard.unreadable())).toEqual(['a']);
    expect(test.store.entries().find(([found]) => found === key)).toEqual(damaged);
    await test.shard.stop();
  });

  it('suspends its children, of a machine or of a Boss', async () => {
    for (const [address, below] of [
      ['w', 'w/part'],
      ['team', 'team/c'],
    ] as const) {
      const { test, recordOf } = await stopped();
      test.store.flip(recordOf(address), new Map(test.store.entries()).get(recordOf(address))!.length - 1);
      await test.restart();
      expect(addresses(test.shard.unreadable())).toEqual([address, below]);
      await expect(test.shard.send(below, deposit(1))).rejects.toMatchObject({
        code: 'BOSUN_STORE_DAMAGED',
        details: { address: below, parent: address },
      });
      expect(balanceAt(test, 'a')).toBe(10);
      await test.shard.stop();
    }
  });

  it('is suspended if the damaged record is its row in the child table of its Boss', async () => {
    const { test } = await stopped();
    const key = test.store
      .entries()
      .map(([found]) => found)
      .find((found) => found.startsWith(`${KEYSPACE.children}!`) && found.endsWith('!a'))!;
    test.store.flip(key, 6);
    await test.restart();
    expect(addresses(test.shard.unreadable())).toEqual(['a']);
    expect(balanceAt(test, 'b')).toBe(13);
    await test.shard.stop();
  });

  it('fails the start if it is the root', async () => {
    const { test, recordOf } = await stopped();
    test.store.flip(recordOf('root'), 6);
    await expect(test.restart()).rejects.toEqual(code('BOSUN_STORE_DAMAGED'));
  });
});

describe('a session whose record is damaged', () => {
  it('is refused, because its last sequence number is lost', async () => {
    const { test } = await stopped();
    test.store.flip(`${KEYSPACE.sessions}!one`, 6);
    await test.restart();
    await expect(test.shard.send('b', deposit(1), { session: { id: 'one', sequence: 2 } })).rejects.toEqual(
      code('BOSUN_STORE_DAMAGED'),
    );
    await test.shard.send('b', deposit(1), { session: { id: 'two', sequence: 2 } });
    await test.settle();
    expect(balanceAt(test, 'b')).toBe(14);
    await test.shard.stop();
  });
});
