/** Cases of other runtimes about what is kept, and about messages that wait: an actor is the storage of one value. */
import { type TestSystem } from '../../../../src/testing/test-system.ts';
import { keeper } from '../../../support/actors/keepers.ts';
import { codeOf, contextOf, type ParityCase, reboot } from '../../../support/actors/parity.ts';

const GRAIN = 'Orleans GrainStorage TestKit';
const NO_TAGS = 'there are no tags: an actor is the only writer of its state, and takes messages one after the other';

/** Keeps a value under a name. */
async function put(test: TestSystem, name: string, value: unknown): Promise<void> {
  await test.system.spawn(keeper, name);
  await test.system.ask(name, { type: 'put', value });
}

/** What is kept under a name, or what keeps it from being read. */
function get(test: TestSystem, name: string): Promise<unknown> {
  return test.system.ask(name, { type: 'get' }).catch((error: { code?: string }) => error.code);
}

async function clear(test: TestSystem, name: string): Promise<unknown> {
  return codeOf(test.system.boss().terminateChild(name));
}

/** Where the histories of all actors stand: what a tag of each would say. */
function tags(test: TestSystem): string {
  return JSON.stringify([...test.system.chains()]);
}

async function kept(test: TestSystem, name: string, value: unknown): Promise<unknown> {
  await put(test, name, value);
  await reboot(test);
  return get(test, name);
}

/** Whether the tag was another afterwards. */
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
    name: 'durable messages wait where the mailbox is full and over a restart; others are refused',
    source: 'Effect cluster',
    proofs: [
      ['test/actors/world/mailbox/arrived.test.ts', 'is taken after it (%s)'],
      ['test/actors/api/system.test.ts', 'refuses more than a mailbox holds, and takes more once it was read'],
    ],
    differs: 'all messages are durable: whoever sends from outside to a full mailbox is refused, and agents wait',
  },
  {
    number: 110,
    name: 'a failure that cannot be stored is a failure, and nobody hangs',
    source: 'Effect cluster',
    proofs: [
      ['test/actors/world/effects/effect-retry.test.ts', 'is a result that is not data'],
      [
        'test/actors/world/effects/effects.test.ts',
        'that sends what is not data fails by it, instead of throwing into whoever called it',
      ],
    ],
  },
  {
    number: 111,
    name: 'a malformed message in storage is put aside; the rest go on',
    source: 'Effect cluster',
    proofs: [['test/persistence/damage.test.ts', 'withholds a message and reports it']],
  },
  {
    number: 112,
    name: 'at most so many resident entities',
    source: 'Effect cluster',
    differs: 'all actors stay in memory; none is put to sleep to make room',
  },
  {
    number: 113,
    name: 'entities are interrupted when a lock is lost, and come back with it',
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
    shows: async (test) => [await get(test, 'k'), test.system.snapshot('k')],
    differs: 'who is not there has no state to be read; `spawn` gets or creates',
  },
  {
    number: 116,
    name: 'ReadNonExistentHasNonNullState',
    source: GRAIN,
    expected: 'nothing yet',
    shows: async (test) => {
      await test.system.spawn(keeper, 'k');
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
      await codeOf(test.system.spawn(keeper, 'ключ')),
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
    differs: 'what changes nothing is not written',
  },
  {
    number: 122,
    name: 'WriteDuplicate: two that write first',
    source: GRAIN,
    isDurable: true,
    expected: 'a conflict',
    instead: [2, [1, 2]],
    shows: async (test) => {
      await test.system.spawn(keeper, 'k');
      const [, last] = await Promise.all([1, 2].map((n) => test.system.ask('k', { type: 'append', n })));
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
        'born later under the address is never reached by an old reference, not after a restart either',
      ],
    ],
    differs: `${NO_TAGS}; what is old is a reference to an earlier life, and it reaches nobody`,
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
    differs: 'who was never there cannot be ended',
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
      await test.system.spawn(keeper, 'k');
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
      const write = test.system.ask('k', { type: 'put', value: 2 });
      const cleared = await clear(test, 'k');
      await write.catch(() => {});
      return [cleared, await get(test, 'k')];
    },
    differs: `${NO_TAGS}; an order to end it overtakes what waits`,
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
      await test.system.spawn(keeper, 'k');
      const pairs = Array.from(
        { length: 100 },
        (_, n) =>
          [
            test.system.ask<number>('k', { type: 'append', n }),
            test.system.ask<number[]>('k', { type: 'list' }),
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
    name: 'the second registration returns the first; only the same activation unregisters; nothing there is nothing',
    source: 'Orleans IGrainDirectory',
    isDurable: true,
    expected: [[1, 1], 'a', 'a', undefined],
    shows: async (test) => {
      const inputs = await Promise.all(
        [1, 2].map(async (input) => {
          await test.system.spawn(keeper, 'k', { input });
          return contextOf<{ input: number }>(test, 'k').input;
        }),
      );
      const holders: unknown[] = [];
      for (const [id, type] of [
        ['a', 'register'],
        ['b', 'register'],
        ['b', 'unregister'],
      ] as const) {
        await test.system.send(id, { type, what: 'n' } as never);
        await test.settle();
        await reboot(test);
        if (id === 'b') holders.push(test.system.lookup('n')?.address);
      }
      return [inputs, ...holders, test.system.lookup('nobody')];
    },
    proofs: [
      [
        'test/actors/world/talk/monitors.test.ts',
        'has one holder and a value that can change; it is free again in the epoch of the end',
      ],
    ],
  },
  {
    number: 136,
    name: 'many who first call one id: one activation',
    source: 'Orleans DuplicateActivations',
    expected: [1, 100],
    shows: async (test) => {
      const before = test.system.chains().size;
      await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          await test.system.spawn(keeper, 'k');
          await test.system.ask('k', { type: 'append', n });
        }),
      );
      return [test.system.chains().size - before, contextOf<{ list: number[] }>(test, 'k').list.length];
    },
  },
];
