/**
 * The kept stores, which every later build has to open: where they are, when they were written, and the trees of their
 * systems. The writer of the stores and the test that opens them share this file.
 */
import { join } from 'node:path';
import { levelStore, type Store, type StoreEntry, type SystemOptions } from 'bosun';
import { faultyStore, type FaultyStore } from 'bosun/testing';

/** The folder of the stores of one format. */
export const storesOf = (format: number) => join(import.meta.dirname, `../fixtures/stores/format-${format}`);

/** The stores of a folder, each a directory of LevelDB. */
export const STORES = ['single', 'secret', 'worker-0', 'worker-1', 'mended', 'ending'] as const;

/** Kernel time at which the stores begin, and at which they end: a test starts its clock at the end. */
export const BEGUN_AT_MS = Date.UTC(2026, 0, 1);
export const KEPT_AT_MS = BEGUN_AT_MS + 120_000;

/** The key of the store with secrets. */
export const SECRET_KEY = Buffer.alloc(32, 6).toString('base64');

/**
 * The Bosses with one actor of each agent below them. What was done below the first is folded; what was done below the
 * second, by the same acts, is in the journal alone.
 */
export const HOMES = ['folded', 'unfolded'] as const;

type Child = NonNullable<NonNullable<SystemOptions['tree']>['children']>[number];

/** The spec of one of {@link HOMES}. */
export function homeOf(id: string): Child {
  const child = (name: string, agent: string, rest: object = {}) => ({ id: name, agent, ...rest });
  const input = { home: id };
  const backoff = { minMs: 3_600_000, maxMs: 3_600_000, factor: 1, jitter: 0 };
  return {
    id,
    boss: {
      intensity: 100,
      children: [
        child('ledger', 'ledger'),
        child('inbox', 'reader'),
        child('checked', 'reader'),
        child('waker', 'waker'),
        child('courier', 'courier'),
        child('clerk', 'clerk'),
        child('asker', 'asker', { input }),
        child('door', 'door'),
        child('gate', 'door'),
        child('hall', 'hall', { input }),
        child('friend', 'friend', { input }),
        child('spouse', 'friend', { input }),
        child('mortal', 'ticker', { restart: 'transient' }),
        child('fragile', 'fragile'),
        child('shaken', 'fragile'),
        child('planner', 'fragile'),
        child('lame', 'fragile', { backoff, resume: 'initial' }),
        {
          id: 'row',
          boss: { strategy: 'rest_for_one', children: [child('first', 'ticker'), child('second', 'ticker')] },
        },
        { id: 'pool', boss: { strategy: 'dynamic', template: { agent: 'ticker', restart: 'temporary' } } },
      ],
    },
  };
}

/** The tree of the single system. The second of {@link HOMES} was started by order, so no tree names it. */
export const TREE: NonNullable<SystemOptions['tree']> = {
  intensity: 10,
  children: [{ id: 'ticker', agent: 'ticker' }, homeOf(HOMES[0])],
};

/** The tree of the system with secrets: the first vault is folded, the second in the journal alone. */
export const VAULTS = ['vault-1', 'vault-2'] as const;
export const SECRET_TREE: NonNullable<SystemOptions['tree']> = {
  intensity: 100,
  children: [{ id: 'ticker', agent: 'ticker' }, ...VAULTS.map((id) => ({ id, agent: 'vault' }))],
};

/** The tree of the system over two workers. The first ticker lives on the first worker with the writer. */
export const TICKERS = ['ticker', 'ticker-1'] as const;
export const SPREAD_TREE: NonNullable<SystemOptions['tree']> = {
  children: ['writer', 'post', ...TICKERS].map((id) => ({ id, agent: id.startsWith('ticker') ? 'ticker' : id })),
};

/** The tree of the system whose store was damaged: the second child is the one that cannot be read. */
export const MENDED_TREE: NonNullable<SystemOptions['tree']> = {
  children: ['well', 'ill'].map((id) => ({ id, agent: 'ticker' })),
};

/** The tree of the system in which an actor with many records has just ended. */
export const ENDING_TREE: NonNullable<SystemOptions['tree']> = { children: [{ id: 'ticker', agent: 'ticker' }] };

/** Every entry of a store in a directory. */
export async function entriesIn(directory: string): Promise<StoreEntry[]> {
  const store = levelStore(directory, { createIfMissing: false });
  await store.open();
  const entries: StoreEntry[] = [];
  for await (const batch of store.scan({ gte: ' ', lt: '\x7f' })) entries.push(...batch);
  await store.close();
  return entries;
}

/** A closed store in memory with these entries. */
export async function holding(entries: readonly StoreEntry[]): Promise<FaultyStore> {
  const store = faultyStore();
  await put(store, entries);
  await store.close();
  return store;
}

/** Opens a store and writes entries into it. */
export async function put(store: Store, entries: readonly StoreEntry[]): Promise<void> {
  await store.open();
  await store.write(
    entries.map(([key, value]) => ({ key, value })),
    { sync: true },
  );
}
