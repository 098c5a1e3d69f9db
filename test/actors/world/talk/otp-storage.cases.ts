/** Cases of other runtimes about storage and waiting messages: here an actor is the storage of one value. */
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { keeper } from '../../../support/actors/keepers.ts';
import { codeOf, contextOf, type ParityCase, reboot } from '../../../support/actors/parity.ts';

const GRAIN = 'Orleans GrainStorage TestKit';
const NO_TAGS = 'there are no tags: an actor is the only writer of its state, and takes messages one after the other';

/** Keeps a value under a name. */
async function put(test: TestSystem, name: string, value: unknown): Promise<void> {
  await test.shard.spawn(keeper, name);
  await test.shard.ask(name, { type: 'put', value });
}

/** The value under a name, or the code of the error if it cannot be read. */
function get(test: TestSystem, name: string): Promise<unknown> {
  return test.shard.ask(name, { type: 'get' }).catch((error: { code?: string }) => error.code);
}

async function clear(test: TestSystem, name: string): Promise<unknown> {
  return codeOf(test.shard.boss().terminateChild(name));
}

/** The positions of all actors' histories, in place of a tag of each. */
function tags(test: TestSystem): string {
  return JSON.stringify([...test.shard.chains()]);
}

async function kept(test: TestSystem, name: string, value: unknown): Promise<unknown> {
  await put(test, name, value);
  await reboot(test);
  return get(test, name);
}

/** Whether the tag differs after the change. */
async function changes(test: TestSystem, change: () => Promise<unknown>): Promise<boolean> {
  const before = tags(test);
  await change();
  await test.settle();
  return tags(test) !== before;
}

const EVERYTHING = {
  text: 'ü',
  list: [1, [2]],
  map: new Map([['k', new Set([1n, 2n])]]),
  date: new Date(0),
  bytes: new Uint8Array([1, 2]),
  none: null,
};

export const STORAGE_CASES: readonly ParityCase[] = [
  {
    number: 108,
    name: 'durable messages wait while the mailbox is full and over a restart; others are refused',
    source: 'Effect cluster',
    proofs: [
      ['test/actors/world/mailbox/arrived.test.ts', 'is taken after the restart (last event before: %s)'],
      [
        'test/actors/api/system.test.ts',
        'refuses more events than a mailbox holds, and accepts more once messages were read',
      ],
    ],
    differs: 'all messages are durable: a host that sends to a full mailbox is refused, and agents wait',
  },
  {
    number: 110,
    name: 'a failure that cannot be stored is still a failure, and no caller hangs',
    source: 'Effect cluster',
    proofs: [
      ['test/actors/world/effects/effect-retry.test.ts', 'is a result that is not data'],
      [
        'test/actors/world/effects/effects.test.ts',
        'a callback that sends something other than data fails, and its call to send back throws nothing',
      ],
    ],
  },
  {
    number: 111,
    name: 'a malformed message in storage is set aside; the others go on',
    source: 'Effect cluster',
    proofs: [['test/persistence/damage.test.ts', 'withholds a message and reports it']],
  },
  {
    number: 112,
    name: 'the number of resident entities is bounded',
    source: 'Effect cluster',
    differs: 'all actors stay in memory; none is put to sleep to make room',
  },
  {
    number: 113,
    name: 'entities are interrupted when a lock is lost, and resume when it is regained',
    source: 'Effect cluster',
    severalHosts: 'the locks are those of runners that share a database; here one process has the store, see 154',
  },
  {
    number: 114,
    name: 'every operation on a lock has a bound',
    source: 'Effect SqlRunnerStorage',
    severalHosts: 'no lock is asked for over a network',
  },
  {
    number: 115,
    name: 'ReadNonExistent',
    source: GRAIN,
    expected: 'the default',
    instead: ['BOSUN_ACTOR_UNKNOWN', undefined],
    shows: async (test) => [await get(test, 'k'), test.shard.snapshot('k')],
    differs: 'a missing actor has no state to be read; `spawn` gets or creates',
  },
  {
    number: 116,
    name: 'ReadNonExistentHasNonNullState',
    source: GRAIN,
    expected: 'nothing yet',
    shows: async (test) => {
      await test.shard.spawn(keeper, 'k');
      return get(test, 'k');
    },
  },
  {
    number: 117,
    name: 'WriteRead, a key that is text',
    source: GRAIN,
    isDurable: true,
    expected: { n: 1 },
    shows: (test) => kept(test, 'orders/AAPL', { n: 1 }),
  },
  {
    number: 118,
    name: 'WriteRead, a key that is a number',
    source: GRAIN,
    isDurable: true,
    expected: 1,
    shows: (test) => kept(test, '42', 1),
  },
  {
    number: 119,
    name: 'WriteRead, a key beyond ASCII',
    source: GRAIN,
    isDurable: true,
    expected: ['done', 1],
    instead: ['BOSUN_ADDRESS_INVALID', 1],
    shows: async (test) => [
      await codeOf(test.shard.spawn(keeper, 'ключ')),
      await kept(test, encodeURIComponent('ключ'), 1),
    ],
    differs: 'an address is ASCII: it is part of keys and URLs; percent-encoded, any key fits',
  },
  {
    number: 120,
    name: 'ETag changes on write',
    source: GRAIN,
    expected: true,
    shows: async (test) => {
      await put(test, 'k', 1);
      return changes(test, () => put(test, 'k', 2));
    },
  },
  {
    number: 121,
    name: 'ETag changes on write of the same value',
    source: GRAIN,
    expected: true,
    instead: false,
    shows: async (test) => {
      await put(test, 'k', 1);
      return changes(test, () => put(test, 'k', 1));
    },
    differs: 'a change of nothing is not written',
  },
  {
    number: 122,
    name: 'WriteDuplicate: two first writes',
    source: GRAIN,
    isDurable: true,
    expected: 'a conflict',
    instead: [2, [1, 2]],
    shows: async (test) => {
      await test.shard.spawn(keeper, 'k');
      const [, last] = await Promise.all([1, 2].map((n) => test.shard.ask('k', { type: 'append', n })));
      await reboot(test);
      return [last, contextOf<{ list: number[] }>(test, 'k').list];
    },
    differs: NO_TAGS,
  },
  {
    number: 123,
    name: 'WriteInconsistent: a write with an old tag',
    source: GRAIN,
    proofs: [
      [
        'test/actors/xstate/refs.test.ts',
        'never reaches a new actor born later under the same address, not after a restart either',
      ],
    ],
    differs: `${NO_TAGS}; a reference to an earlier life is old in this sense, and reaches no actor`,
  },
  {
    number: 124,
    name: 'WriteClearRead',
    source: GRAIN,
    isDurable: true,
    expected: ['done', 'nothing yet'],
    instead: ['done', 'BOSUN_ACTOR_UNKNOWN'],
    differs: 'as 115',
    shows: async (test) => {
      await put(test, 'k', 1);
      const cleared = await clear(test, 'k');
      await reboot(test);
      return [cleared, await get(test, 'k')];
    },
  },
  {
    number: 125,
    name: 'ClearBeforeWrite',
    source: GRAIN,
    isDurable: true,
    expected: ['done', 1],
    instead: ['BOSUN_CHILD_UNKNOWN', 1],
    shows: async (test) => [await clear(test, 'k'), await kept(test, 'k', 1)],
    differs: 'an actor that never existed cannot be ended',
  },
  {
    number: 126,
    name: 'ClearUpdatesETag',
    source: GRAIN,
    expected: true,
    shows: async (test) => {
      await put(test, 'k', 1);
      return changes(test, () => clear(test, 'k'));
    },
  },
  {
    number: 127,
    name: 'ReadAfterClear',
    source: GRAIN,
    isDurable: true,
    expected: 'nothing yet',
    shows: async (test) => {
      await put(test, 'k', 1);
      await clear(test, 'k');
      await reboot(test);
      await test.shard.spawn(keeper, 'k');
      return get(test, 'k');
    },
  },
  {
    number: 128,
    name: 'MultipleClear',
    source: GRAIN,
    isDurable: true,
    expected: ['done', 'done'],
    shows: async (test) => {
      await put(test, 'k', 1);
      const first = await clear(test, 'k');
      await reboot(test);
      return [first, await clear(test, 'k')];
    },
  },
  {
    number: 129,
    name: 'ClearInconsistent: a clear with an old tag',
    source: GRAIN,
    expected: 'a conflict',
    instead: ['done', 'BOSUN_ACTOR_UNKNOWN'],
    shows: async (test) => {
      await put(test, 'k', 1);
      const write = test.shard.ask('k', { type: 'put', value: 2 });
      const cleared = await clear(test, 'k');
      await write.catch(() => {});
      return [cleared, await get(test, 'k')];
    },
    differs: `${NO_TAGS}; an order to end an actor overtakes waiting messages`,
  },
  {
    number: 130,
    name: 'names are independent',
    source: GRAIN,
    isDurable: true,
    expected: ['BOSUN_ACTOR_UNKNOWN', 2, 3],
    shows: async (test) => {
      for (const [name, value] of [
        ['k', 1],
        ['k/k', 2],
        ['K', 3],
      ] as const)
        await put(test, name, value);
      await clear(test, 'k');
      await reboot(test);
      return [await get(test, 'k'), await get(test, 'k/k'), await get(test, 'K')];
    },
  },
  {
    number: 131,
    name: '100 writes side by side, read one by one',
    source: GRAIN,
    isDurable: true,
    expected: true,
    shows: async (test) => {
      const names = Array.from({ length: 100 }, (_, index) => `k${index}`);
      await Promise.all(names.map((name, index) => put(test, name, index)));
      await reboot(test);
      const values: unknown[] = [];
      for (const name of names) values.push(await get(test, name));
      return values.every((value, index) => value === index);
    },
  },
  {
    number: 132,
    name: '100 writes of one key side by side, and reads between them',
    source: GRAIN,
    isDurable: true,
    expected: [100, true],
    shows: async (test) => {
      await test.shard.spawn(keeper, 'k');
      const pairs = Array.from(
        { length: 100 },
        (_, n) =>
          [
            test.shard.ask<number>('k', { type: 'append', n }),
            test.shard.ask<number[]>('k', { type: 'list' }),
          ] as const,
      );
      const lengths = await Promise.all(pairs.map(([, list]) => list.then(({ length }) => length)));
      await reboot(test);
      return [
        contextOf<{ list: number[] }>(test, 'k').list.length,
        lengths.every((length, index) => length === index + 1),
      ];
    },
  },
  {
    number: 133,
    name: 'write, read, clear, again and again',
    source: GRAIN,
    isDurable: true,
    expected: [0, 1, 2, 3, 4],
    shows: async (test) => {
      const seen: unknown[] = [];
      for (let n = 0; n < 5; n++) {
        seen.push(await kept(test, 'k', n));
        await clear(test, 'k');
      }
      return seen;
    },
  },
  {
    number: 134,
    name: 'WriteRead, a value of every kind',
    source: GRAIN,
    isDurable: true,
    expected: EVERYTHING,
    shows: (test) => kept(test, 'k', EVERYTHING),
  },
  {
    number: 135,
    name: 'the second registration returns the first; only the same activation unregisters; a missing entry is none',
    source: 'Orleans IGrainDirectory',
    isDurable: true,
    expected: [[1, 1], 'a', 'a', undefined],
    shows: async (test) => {
      const inputs = await Promise.all(
        [1, 2].map(async (input) => {
          await test.shard.spawn(keeper, 'k', { input });
          return contextOf<{ input: number }>(test, 'k').input;
        }),
      );
      const holders: unknown[] = [];
      for (const [id, type] of [
        ['a', 'register'],
        ['b', 'register'],
        ['b', 'unregister'],
      ] as const) {
        await test.shard.send(id, { type, what: 'n' } as never);
        await test.settle();
        await reboot(test);
        if (id === 'b') holders.push(test.shard.lookup('n')?.address);
      }
      return [inputs, ...holders, test.shard.lookup('nobody')];
    },
    proofs: [
      [
        'test/actors/world/talk/monitors.test.ts',
        'has one holder and a value that can change, and is freed in the epoch in which its holder ends',
      ],
    ],
  },
  {
    number: 136,
    name: 'many concurrent first calls of one id: one activation',
    source: 'Orleans DuplicateActivations',
    expected: [1, 100],
    shows: async (test) => {
      const before = test.shard.chains().size;
      await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          await test.shard.spawn(keeper, 'k');
          await test.shard.ask('k', { type: 'append', n });
        }),
      );
      return [test.shard.chains().size - before, contextOf<{ list: number[] }>(test, 'k').list.length];
    },
  },
];
