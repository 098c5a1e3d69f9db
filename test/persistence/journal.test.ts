import { beforeEach, describe, expect, it } from 'vitest';
import { type StateChange } from '../../src/actors/model/state.ts';
import { KEYSPACE } from '../../src/actors/model/ports.ts';
import { createJournal, type JournalOptions } from '../../src/persistence/journal/journal.ts';
import { configurationKeys, epochKey, segmentKey, structureKeys } from '../../src/persistence/format/keys.ts';
import { FIRST_LEARNED_STRUCTURE } from '../../src/persistence/format/structures.ts';
import { faultyStore, type FaultyStore } from '../../src/testing/faulty-store.ts';
import { expected, found, nextEpoch, NOTHING, references, type Step, written } from '../support/persistence/model.ts';

const INITIAL: StateChange = { status: 'active', configuration: 0, context: { value: { count: 0 } } };
const BIRTH: Step = { kind: 'birth', initial: INITIAL };
const COUNT: Step = { kind: 'change', pick: 0, change: { set: { count: 1 } } };
const SHAPED: Step = { kind: 'change', pick: 0, change: { set: { order: { sku: 'A-1', amount: 2 } } } };
const FIRST_STRUCTURE = structureKeys(FIRST_LEARNED_STRUCTURE);

let store: FaultyStore;
beforeEach(() => {
  store = faultyStore();
});

const write = (epochs: readonly (readonly Step[])[], options: JournalOptions = {}) => written(store, epochs, options);

async function reopened(): Promise<unknown> {
  const journal = createJournal(store);
  const recovered = await journal.open(references);
  await journal.close();
  return found(recovered);
}

function damageAt(key: string): unknown {
  return expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED', details: expect.objectContaining({ key }) as unknown });
}

describe('a commit', () => {
  it('is one write, which is synced only at durability "disk"', async () => {
    for (const [durability, sync] of [
      ['disk', true],
      ['process', false],
      ['memory', false],
    ] as const) {
      store = faultyStore();
      await write([[BIRTH], [COUNT]], { durability });
      expect(store.log.map((batch) => batch.sync)).toEqual([true, sync, sync]);
    }
  });

  it('writes each new structure and configuration twice, no later than its first use', async () => {
    const configuration: Step = { kind: 'configuration', definition: '4fe1', nodes: ['m.a'] };
    await write([[BIRTH, configuration], [SHAPED], [SHAPED], [SHAPED], [SHAPED]]);
    const keys = store.log.map(({ writes }) => writes.map(({ key }) => key));
    expect(keys[1]).toEqual([epochKey(1), ...configurationKeys('4fe1', 0)]);
    const shared = keys.findIndex((batch) => batch.includes(FIRST_STRUCTURE[0]));
    expect(keys[shared]).toEqual(expect.arrayContaining([epochKey(shared), ...FIRST_STRUCTURE]));
    expect(keys.flat().filter((key) => key.startsWith('x!s!')).length % 2).toBe(0);
  });

  it('rejects out of order', async () => {
    const journal = createJournal(store);
    await journal.open(references);
    const { epoch } = nextEpoch({ ...NOTHING, epoch: 1 }, [], journal.codec);
    await expect(journal.commit(epoch)).rejects.toMatchObject({ code: 'BOSUN_INTERNAL' });
  });

  it('rejects with BOSUN_STORE_FAILED if the write fails, and so do all commits until a reopen', async () => {
    const journal = createJournal(store);
    await journal.open(references);
    const { epoch, after } = nextEpoch(NOTHING, [BIRTH], journal.codec);
    store.failWrites(1);
    for (let i = 0; i < 3; i++)
      await expect(journal.commit(epoch)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    await journal.close();
    expect((await journal.open(references)).epoch).toBe(0);
    await journal.commit(nextEpoch(NOTHING, [BIRTH], journal.codec).epoch);
    await journal.close();
    expect(await reopened()).toEqual(expected(after));
  });
});

describe('a failed commit that is retried', () => {
  it.each([false, true])(
    'is in the store once, followed by the next commit (first write on the medium all the same: %s)',
    async (applied) => {
      const journal = createJournal(store);
      await journal.open(references);
      const first = nextEpoch(NOTHING, [BIRTH, SHAPED], journal.codec);
      // Encoded before the first epoch is durable, with the structures that the first has taught the codec.
      const second = nextEpoch(first.after, [COUNT], journal.codec);
      store.failWrites(1, { applied });
      await expect(journal.commit(first.epoch)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
      await journal.retry();
      await journal.commit(second.epoch);
      await journal.close();
      expect(await reopened()).toEqual(expected(second.after));
    },
  );

  it('may fail several times', async () => {
    const journal = createJournal(store);
    await journal.open(references);
    const { epoch, after } = nextEpoch(NOTHING, [BIRTH], journal.codec);
    store.failWrites(3);
    await expect(journal.commit(epoch)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    for (let i = 0; i < 2; i++) await expect(journal.retry()).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    await journal.retry();
    await journal.close();
    expect(await reopened()).toEqual(expected(after));
  });

  it('also compacts the medium if the commit was a purge', async () => {
    let compactions = 0;
    const journal = createJournal(Object.assign(store, { compact: () => Promise.resolve(void (compactions += 1)) }));
    await journal.open(references);
    store.failWrites(1);
    await expect(journal.purge(nextEpoch(NOTHING, [BIRTH], journal.codec).epoch)).rejects.toMatchObject({
      code: 'BOSUN_STORE_FAILED',
    });
    expect(compactions).toBe(0);
    await journal.retry();
    expect(compactions).toBe(1);
    await journal.close();
  });

  it('is refused if the medium has lost durable data', async () => {
    const journal = createJournal(store);
    await journal.open(references);
    const first = nextEpoch(NOTHING, [BIRTH], journal.codec);
    await journal.commit(first.epoch);
    const second = nextEpoch(first.after, [COUNT], journal.codec);
    store.failWrites(1);
    await expect(journal.commit(second.epoch)).rejects.toMatchObject({ code: 'BOSUN_STORE_FAILED' });
    store.lose(epochKey(1));
    await expect(journal.retry()).rejects.toThrow(damageAt(epochKey(1)) as Error);
    await journal.close();
  });
});

describe('a new store', () => {
  it('is at epoch 0 and gets a manifest, synced', async () => {
    expect(await write([], { durability: 'memory' })).toBe(NOTHING);
    expect(store.log).toMatchObject([{ sync: true, writes: [{ key: 'v!' }] }]);
    expect(await reopened()).toEqual(expected(NOTHING));
  });
});

describe('open', () => {
  it('refuses a store with data but without a manifest', async () => {
    await write([[BIRTH]]);
    store.lose('v!');
    await expect(reopened()).rejects.toThrow(damageAt('v!') as Error);
  });

  it('leaves the store closed when it refuses it', async () => {
    await write([[BIRTH]]);
    store.flip('v!', 8);
    await expect(reopened()).rejects.toThrow(damageAt('v!') as Error);
    store.flip('v!', 8);
    await expect(reopened()).resolves.toBeDefined();
  });

  it('fails with BOSUN_STORE_LOCKED if the store is open elsewhere', async () => {
    await store.open();
    await expect(reopened()).rejects.toMatchObject({ code: 'BOSUN_STORE_LOCKED' });
  });

  it('names the epoch whose value is damaged, at every byte', async () => {
    await write([[BIRTH, SHAPED], [COUNT], [COUNT]]);
    const length = store.entries().find(([key]) => key === epochKey(2))?.[1].length ?? 0;
    for (let i = 0; i < length; i++) {
      store.flip(epochKey(2), i);
      await expect(reopened(), `byte ${i}`).rejects.toThrow(damageAt(epochKey(2)) as Error);
      store.flip(epochKey(2), i);
    }
    await expect(reopened()).resolves.toBeDefined();
  });

  it('names a missing epoch between others', async () => {
    await write([[BIRTH], [COUNT], [COUNT]]);
    store.lose(epochKey(2));
    await expect(reopened()).rejects.toThrow(damageAt(epochKey(2)) as Error);
  });

  it('detects an epoch of another history', async () => {
    await write([[BIRTH], [COUNT], [COUNT]]);
    const stranger = faultyStore();
    [store] = [stranger];
    await write([[BIRTH], [{ kind: 'change', pick: 0, change: { set: { count: 2 } } }], [COUNT]]);
    const [, value] = stranger.entries().find(([key]) => key === epochKey(3)) ?? [];
    store = faultyStore();
    await write([[BIRTH], [COUNT], [COUNT]]);
    await store.open();
    await store.write([{ key: epochKey(3), value: value ?? null }], { sync: true });
    await store.close();
    await expect(reopened()).rejects.toThrow(damageAt(epochKey(3)) as Error);
  });

  it('needs only one good copy of a structure or a configuration, and writes the other again', async () => {
    const configuration: Step = { kind: 'configuration', definition: '4fe1', nodes: ['m.a'] };
    const facts = await write([[BIRTH, configuration], [SHAPED], [SHAPED], [SHAPED], [SHAPED]]);
    const copies = [FIRST_STRUCTURE, configurationKeys('4fe1', 0)];
    for (const [a] of copies) store.flip(a, 9);
    expect(await reopened()).toEqual(expected(facts));
    const journal = createJournal(store);
    await journal.open(references);
    await journal.commit(nextEpoch(facts, [], journal.codec).epoch);
    await journal.close();
    for (const [, b] of copies) store.lose(b);
    expect(await reopened()).toMatchObject({ epoch: 6 });
  });
});

describe('a folded store', () => {
  const fold = { windowEpochs: 2, sliceRecords: 100 };
  const message: Step = { kind: 'arrival', keyspace: KEYSPACE.mailboxes, row: ['hello'] };

  it('has a journal that begins after the cut', async () => {
    const facts = await write([[BIRTH, message], [COUNT], [COUNT], [COUNT], [COUNT], []], { fold });
    expect(store.entries().filter(([key]) => key.startsWith('e!')).length).toBeLessThanOrEqual(3);
    expect(await reopened()).toEqual(expected(facts));
  });

  it('needs only one copy of its cut', async () => {
    const facts = await write([[BIRTH, message], [COUNT], [COUNT], [COUNT], []], { fold });
    store.lose('c!a');
    expect(await reopened()).toEqual(expected(facts));
    store.flip('c!b', 9);
    await expect(reopened()).rejects.toMatchObject({ code: 'BOSUN_STORE_DAMAGED' });
    store.lose('c!b');
    await expect(reopened()).rejects.toThrow(damageAt(epochKey(1)) as Error);
  });

  it('is damaged if the epochs after its cut are missing', async () => {
    await write([[BIRTH], [COUNT], [COUNT]], { fold });
    for (const [key] of store.entries()) if (key.startsWith('e!')) store.lose(key);
    await expect(reopened()).rejects.toThrow(damageAt(epochKey(3)) as Error);
  });

  it('contains nothing of a message that was read from its segment, once the message is purged', async () => {
    const journal = createJournal(store, { fold });
    await journal.open(references);
    let facts = NOTHING;
    const commit = async (steps: readonly Step[], how: 'commit' | 'purge' = 'commit') => {
      const { epoch, after } = nextEpoch(facts, steps, journal.codec);
      await journal[how](epoch);
      facts = after;
    };
    const secret: Step = { ...message, row: ['Jane Doe'] };
    await commit([{ ...message, times: 99 }, secret, { ...message, times: 99 }]);
    for (let n = 0; n < 6; n++) await commit([]);
    const inStore = () =>
      store.entries().flatMap(([key, value]) => (`${Buffer.from(value)}`.includes('Jane') ? [key] : []));
    expect(inStore()).toEqual([segmentKey(1)]);
    await commit([{ kind: 'removal', pick: 99, net: false }]);
    await commit([], 'purge');
    expect(inStore()).toEqual([]);
    await journal.close();
    expect(await reopened()).toEqual(expected(facts));
  });
});
