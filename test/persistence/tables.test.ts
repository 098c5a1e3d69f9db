/** Tables in a store: pages that hold only live rows, damage, secrets, erasure, and actors at rest. */
import { assign, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/actors/api/define-agent.ts';
import { secret } from '../../src/actors/model/secret.ts';
import { tableSchema } from '../../src/actors/model/table-schema.ts';
import { PREFIX } from '../../src/persistence/format/keys.ts';
import { verify } from '../../src/persistence/upkeep/verify.ts';
import { leavesOf, table, type Table } from '../../src/table.ts';
import { type TestSystem, type TestSystemOptions } from '../../src/testing/test-system.ts';
import { crash, started } from '../support/actors/started.ts';
import { drawnBytes, randomOf } from '../support/chance.ts';
import { byEffort } from '../support/effort.ts';

interface Row {
  readonly text: string;
}

const options = {
  name: 'shelf',
  machine: setup({
    types: {} as {
      context: { items: Table<Row>; kept: { readonly old: Table<Row> } | null };
      events:
        | { type: 'keep' | 'undo' }
        | { type: 'put'; key: string; text: string }
        | { type: 'take'; key: string }
        | { type: 'clear' };
    },
  }).createMachine({
    context: { items: table(), kept: null },
    on: {
      keep: { actions: assign({ kept: ({ context }) => ({ old: context.items }) }) },
      undo: { actions: assign({ items: ({ context }) => context.kept!.old }) },
      put: { actions: assign({ items: ({ context, event: { key, text } }) => context.items.set(key, { text }) }) },
      take: { actions: assign({ items: ({ context, event }) => context.items.delete(event.key) }) },
      clear: { actions: assign({ items: () => table<Row>() }) },
    },
  }),
  events: {
    keep: z.object({}),
    undo: z.object({}),
    put: z.object({ key: z.string(), text: z.string() }),
    take: z.object({ key: z.string() }),
    clear: z.object({}),
  },
};
const shelf = defineAgent(options);

/** Folds all the time, a few records an epoch. */
const FOLDING = { journal: { fold: { windowEpochs: 2, windowBytes: 1_000, sliceRecords: 5 } } };

const start = (more: Partial<TestSystemOptions> = {}) =>
  started({
    agents: [shelf],
    tree: { children: ['a', 'b'].map((id) => ({ id, agent: 'shelf' })) },
    ...FOLDING,
    ...more,
  });

const itemsOf = (test: TestSystem, address = 'a') =>
  (test.shard.snapshot(address)!.context as { items: Table<Row> }).items;
const keysUnder = (test: TestSystem, prefix: string) =>
  test.store.entries().flatMap(([key]) => (key.startsWith(prefix) ? [key] : []));

async function put(test: TestSystem, address: string, keys: readonly string[], text = 'x'): Promise<void> {
  await Promise.all(keys.map((key) => test.shard.send(address, { type: 'put', key, text })));
  await test.settle();
}

const rows = (count: number) => Array.from({ length: count }, (_, n) => `row ${String(n).padStart(4, '0')}`);

/** Epochs that change nothing of `a`, until its last state has been folded. */
async function fold(test: TestSystem): Promise<void> {
  for (let n = 0; n < 60; n++) await put(test, 'b', ['tick'], String(n));
}

describe('the pages of a table', () => {
  it('are those of its leaves, and are deleted with its rows', async () => {
    const test = await start();
    await put(test, 'a', rows(500));
    await fold(test);
    const own = keysUnder(test, PREFIX.page).length - 1;
    expect(own).toBe(leavesOf(itemsOf(test)).length);
    await test.shard.send('a', { type: 'clear' });
    await fold(test);
    expect(keysUnder(test, PREFIX.page)).toHaveLength(1);
    await crash(test);
    expect(itemsOf(test).size).toBe(0);
    expect((await verified(test)).sound).toBe(true);
  });

  it('are rewritten only if a row has changed', async () => {
    const test = await start();
    await put(test, 'a', rows(500));
    await fold(test);
    const before = new Set(keysUnder(test, PREFIX.page));
    await put(test, 'a', ['row 0250'], 'new');
    await fold(test);
    const fresh = keysUnder(test, PREFIX.page).filter((key) => !before.has(key));
    // One page of the table, and the single page of the other actor.
    expect(fresh).toHaveLength(2);
  });

  it('are written again for a version that is restored after its pages were deleted', async () => {
    const test = await start();
    await put(test, 'a', rows(100));
    for (const type of ['keep', 'clear', 'undo'] as const) {
      await test.shard.send('a', { type });
      await fold(test);
    }
    await crash(test);
    expect([...itemsOf(test).keys()]).toEqual(rows(100));
    expect((await verified(test)).sound).toBe(true);
  });

  it('stay on disk for an actor at rest, and are read when it wakes', async () => {
    const random = randomOf('tables of actors at rest');
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const tree = { children: ids.map((id) => ({ id, agent: 'shelf' })) };
    const [whole, part] = [await start({ tree }), await start({ tree, residentActors: 2 })];
    for (let step = 0; step < byEffort({ quick: 150, ci: 1_500 }); step++) {
      const id = random.pick(ids);
      const key = random.pick(rows(90));
      const event = random.next() < 0.7 ? { type: 'put', key, text: String(step) } : { type: 'take', key };
      for (const test of [whole, part]) {
        await test.shard.send(id, event);
        await test.settle();
        if (step % 50 === 49) await crash(test);
      }
      expect([...itemsOf(part, id)]).toEqual([...itemsOf(whole, id)]);
    }
    for (const id of ids) expect([...itemsOf(part, id)]).toEqual([...itemsOf(whole, id)]);
  });
});

async function verified(test: TestSystem): Promise<Awaited<ReturnType<typeof verify>>> {
  await test.shard.stop();
  await test.store.open();
  try {
    return await verify(test.store);
  } finally {
    await test.store.close();
  }
}

describe('a page of a table', () => {
  const harms = {
    damaged: (test: TestSystem, key: string) => test.store.flip(key, 9),
    missing: (test: TestSystem, key: string) => test.store.lose(key),
  };

  it.each(Object.entries(harms))('withholds only its actor if it is %s', async (_what, harm) => {
    const test = await start();
    await put(test, 'a', rows(200));
    await fold(test);
    const lost = keysUnder(test, PREFIX.page)[2]!;
    await test.crash();
    harm(test, lost);
    await test.restart();
    expect(() => test.shard.snapshot('a')).toThrow(expect.objectContaining({ code: 'BOSUN_STORE_DAMAGED' }) as Error);
    const own = keysUnder(test, PREFIX.page).filter((key) => key.startsWith(lost.slice(0, -14)));
    expect(own.length).toBeGreaterThan(3);
    await put(test, 'b', ['more']);
    // The remaining pages of the table may be the only copy of its data.
    expect(keysUnder(test, PREFIX.page)).toEqual(expect.arrayContaining(own));
    expect(itemsOf(test, 'b').has('more')).toBe(true);
    const { findings } = await verified(test);
    expect(findings).toContainEqual(expect.objectContaining({ gravity: 'withholds', key: lost, address: 'a' }));
  });
});

describe('secret rows', () => {
  const TEXT = 'correct-horse-battery-staple';
  const vault = defineAgent({
    ...options,
    shown: { context: z.object({ items: tableSchema(z.object({ text: secret(z.string()) })) }) },
  });

  it('are in no record of the store in plain text, and are decoded with their key', async () => {
    const secretKey = drawnBytes(32, 'the key of secret rows').toString('base64');
    const test = await start({ agents: [vault], secretKey });
    await put(test, 'a', rows(100), TEXT);
    await fold(test);
    const holding = (text: string) =>
      test.store
        .entries()
        .filter(([, value]) => Buffer.from(value).includes(text))
        .map(([key]) => key);
    expect(holding(TEXT)).toEqual([]);
    expect(holding('row 0042')).not.toEqual([]);
    await crash(test);
    expect(itemsOf(test).get('row 0042')).toEqual({ text: TEXT });
    // A context that is given whole has its tables in one value.
    await test.shard.admin.suspend('a', { by: 'ada', reason: 'to look' });
    await test.shard.admin.replaceState('a', ({ context }) => ({ context: context as object }), {
      by: 'ada',
      reason: 'x',
    });
    await crash(test);
    expect(itemsOf(test).get('row 0042')).toEqual({ text: TEXT });
    expect(holding(TEXT)).toEqual([]);
  });
});

describe('an erased actor', () => {
  it('leaves no page and no row', async () => {
    const test = await start();
    await put(test, 'a', rows(300), 'Jane Doe');
    await fold(test);
    await test.shard.erase('a');
    await test.settle();
    expect(test.store.entries().filter(([, value]) => Buffer.from(value).includes('Jane Doe'))).toEqual([]);
    expect(keysUnder(test, PREFIX.page)).toHaveLength(1);
  });
});
