/**
 * Damage outside the journal: the actors that it stops, the actors that it does not affect, and its memory after folds
 * (design P10).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { type Recovered, KEYSPACE } from '../../src/actors/model/ports.ts';
import { type StateChange } from '../../src/actors/model/state.ts';
import { type BosunError } from '../../src/errors.ts';
import { createJournal } from '../../src/persistence/journal/journal.ts';
import { configurationKeys, structureKeys } from '../../src/persistence/format/keys.ts';
import { FIRST_LEARNED_STRUCTURE } from '../../src/persistence/format/structures.ts';
import { faultyStore, type FaultyStore } from '../../src/testing/faulty-store.ts';
import { type Facts, NOTHING, references, type Step, written } from '../support/persistence/model.ts';

const INITIAL: StateChange = { status: 'active', configuration: 0, context: { value: { count: 0 } } };
const BIRTH: Step = { kind: 'birth', initial: INITIAL };
const count = (pick: number, value: number): Step => ({ kind: 'change', pick, change: { set: { count: value } } });
const MESSAGE: Step = { kind: 'arrival', keyspace: KEYSPACE.mailboxes, row: ['hello'] };
const CONFIGURATION: Step = { kind: 'configuration', definition: '4fe1', nodes: ['m.a'] };
const SHAPED: Step = { kind: 'change', pick: 0, change: { set: { order: { sku: 'A-1', amount: 2 } } } };
const fold = { windowEpochs: 2, sliceRecords: 100 };

let store: FaultyStore;
beforeEach(() => {
  store = faultyStore();
});

const write = (epochs: readonly (readonly Step[])[], facts: Facts = NOTHING) => written(store, epochs, { facts, fold });

async function reopened(): Promise<Recovered> {
  const journal = createJournal(store);
  try {
    return await journal.open(references);
  } finally {
    await journal.close();
  }
}

/** Two actors, folded: life 1 and life 2. */
const folded = () => write([[BIRTH, BIRTH, MESSAGE], [count(0, 1)], [], [], []]);

const keysOf = (damage: readonly BosunError[]) => damage.map(({ details }) => details['key']);

describe("damage in an actor's record", () => {
  it.each([5, 50])('stops only that actor: %s', async (at) => {
    const key = 's!00000000000001';
    await folded();
    store.flip(key, at);
    const { unreadable, damage, states, rows } = await reopened();
    expect([...unreadable]).toEqual([
      [1, expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED', details: { key, life: 1, address: 'crew/1' } })],
    ]);
    expect(keysOf(damage)).toEqual([key]);
    expect([...states.keys()]).toEqual([2]);
    expect([...(rows.get(KEYSPACE.mailboxes) ?? [])]).toHaveLength(1);
  });

  it("damage in an actor's record at any byte is never served", async () => {
    await folded();
    const length = store.entries().find(([key]) => key === 's!00000000000001')?.[1].length ?? 0;
    for (let i = 0; i < length; i++) {
      store.flip('s!00000000000001', i);
      const { states, unreadable } = await reopened();
      expect([[...states.keys()], [...unreadable.keys()]], `byte ${i}`).toEqual([[2], [1]]);
      store.flip('s!00000000000001', i);
    }
    expect((await reopened()).damage).toEqual([]);
  });

  it('includes a missing record to which an address leads', async () => {
    await folded();
    store.lose('s!00000000000001');
    expect((await reopened()).unreadable.get(1)?.details).toEqual({
      key: 's!00000000000001',
      life: 1,
      address: 'crew/1',
    });
  });

  it('includes a state that is older than the changes that follow it', async () => {
    await folded();
    const old = store.entries().find(([key]) => key === 's!00000000000001')?.[1] ?? null;
    await write([[count(0, 2)], [count(0, 3)], [], [], [count(0, 4)]], await facts());
    await store.open();
    await store.write([{ key: 's!00000000000001', value: old }], { sync: true });
    await store.close();
    const { unreadable } = await reopened();
    expect([...unreadable.values()].map(({ details }) => details)).toEqual([
      expect.objectContaining({ life: 1, address: 'crew/1', seq: expect.any(Number) as number }),
    ]);
  });

  it('is still known when the epochs that revealed it have been folded away', async () => {
    const before = await folded();
    const old = store.entries().find(([key]) => key === 's!00000000000001')?.[1] ?? null;
    const after = await write([[count(0, 2)], [count(0, 3)], [], [], [count(0, 4)]], before);
    await store.open();
    await store.write([{ key: 's!00000000000001', value: old }], { sync: true });
    await store.close();
    await write([[], [], [], [], [], []], after);
    const epochs = store
      .entries()
      .flatMap(([key]) => (key.startsWith('e!') ? [Number.parseInt(key.slice(2), 16)] : []));
    expect(Math.min(...epochs)).toBeGreaterThan(after.epoch);
    const { unreadable, states } = await reopened();
    expect([[...unreadable.keys()], [...states.keys()]]).toEqual([[1], [2]]);
    expect(store.entries().find(([key]) => key === 's!00000000000001')?.[1]).toEqual(old);
    store.flip('w!00000000000001', 7);
    expect([...(await reopened()).unreadable.keys()]).toEqual([1]);
  });

  it('is ignored after the actor has died', async () => {
    await write([[{ kind: 'death', pick: 0 }]], await folded());
    store.flip('s!00000000000001', 5);
    expect((await reopened()).damage).toEqual([]);
  });
});

describe('damage in a row', () => {
  it('withholds a message and reports it', async () => {
    await folded();
    store.flip('m!00000000000001', 6);
    const { rows, damage, unreadable } = await reopened();
    expect([rows.get(KEYSPACE.mailboxes)?.size, keysOf(damage), unreadable.size]).toEqual([0, ['m!00000000000001'], 0]);
  });

  it('is ignored if the journal has a later value', async () => {
    await write([[{ kind: 'rewrite', pick: 0, row: ['again'] }]], await folded());
    store.flip('m!00000000000001', 6);
    const { rows, damage } = await reopened();
    expect([[...(rows.get(KEYSPACE.mailboxes) ?? [])], damage]).toEqual([[['00000000000001', ['again']]], []]);
  });

  it('damage in a row of the address index is repaired from the identity', async () => {
    const facts = await folded();
    store.flip('a!crew/1', 5);
    const { rows, damage } = await reopened();
    expect([rows.get(KEYSPACE.addresses)?.get('crew/1'), keysOf(damage)]).toEqual([1, ['a!crew/1']]);
    await write([[], [], [], [], [], []], facts);
    expect((await reopened()).damage).toEqual([]);
  });
});

describe('damage in the dictionary', () => {
  it('damage in the dictionary of structures stops the actors written with that structure', async () => {
    await write([[BIRTH, BIRTH], [SHAPED], [SHAPED], [SHAPED], [SHAPED], [], [], []]);
    for (const key of structureKeys(FIRST_LEARNED_STRUCTURE)) store.flip(key, 7);
    const { unreadable, states, damage } = await reopened();
    expect([[...unreadable.keys()], [...states.keys()]]).toEqual([[1], [2]]);
    expect(keysOf(damage)).toEqual([structureKeys(FIRST_LEARNED_STRUCTURE)[1], 's!00000000000001']);
  });

  it('damage in the dictionary of configurations stops the actors in that configuration', async () => {
    // The model's identities name no definition, so no actor is in this configuration.
    await write([[BIRTH, CONFIGURATION], [{ kind: 'configuration', definition: '4fe1', nodes: ['m.b'] }]]);
    for (const key of configurationKeys('4fe1', 0)) store.lose(key);
    const { damage, configurations, unreadable } = await reopened();
    expect(keysOf(damage)).toEqual([configurationKeys('4fe1', 0)[0]]);
    expect(configurations.get('4fe1')?.[1]).toEqual({ nodes: ['m.b'] });
    expect(unreadable.size).toBe(0);
  });
});

async function facts(): Promise<Facts> {
  const { epoch, kernelTimeMs, counters, states, rows, configurations } = await reopened();
  const flat = [...rows].flatMap(([table, entries]) =>
    [...entries].map(([key, row]) => [`${table}!${key}`, row] as const),
  );
  return { epoch, kernelTimeMs, counters, states, rows: new Map(flat) as Facts['rows'], configurations };
}
