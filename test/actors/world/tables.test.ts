/** Tables in the context of actors: the changes of a turn are written by rows, and bounded. */
import { assign, enqueueActions, setup } from 'xstate';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import {
  TABLE_ROW_BYTES_MAX,
  TABLE_ROWS_MAX,
  TABLES_GIVEN_BYTES_MAX,
  TABLES_MAX,
  VALUE_BYTES_MAX,
} from '../../../src/limits.ts';
import { type Table, table } from '../../../src/table.ts';
import { type TestSystem } from '../../../src/testing/test-system.ts';
import { crash, started } from '../../support/actors/started.ts';
import { LONG } from '../../support/effort.ts';

interface Item {
  readonly title: string;
  readonly body?: unknown;
}

type Event =
  | { type: 'put'; key: string; body?: unknown }
  | { type: 'take'; key: string }
  | { type: 'fill' | 'many' | 'bulk'; count: number }
  | { type: 'clear' | 'move' | 'drop' | 'fail' | 'share' | 'odd' }
  | { type: 'given'; items: Table<Item> };

interface Context {
  readonly items: Table<Item>;
  readonly spare: Table<Item> | null;
}

const options = {
  name: 'shelf',
  machine: setup({
    types: {} as { context: Context; events: Event },
  }).createMachine({
    context: { items: table(), spare: null },
    on: {
      put: {
        actions: assign({
          items: ({ context, event }) => context.items.set(event.key, { title: event.key, body: event.body }),
        }),
      },
      fill: {
        actions: assign({
          items: ({ event }) =>
            table(Array.from({ length: event.count }, (_, n) => [`row ${String(n).padStart(6, '0')}`, { title: 'x' }])),
        }),
      },
      take: { actions: assign({ items: ({ context, event }) => context.items.delete(event.key) }) },
      bulk: {
        actions: assign({
          items: ({ context, event }) =>
            Array.from({ length: event.count }, (_, n) => `row ${n}`).reduce(
              (items, key) => items.set(key, { title: 'x'.repeat(TABLE_ROW_BYTES_MAX - 1_000) }),
              context.items,
            ),
        }),
      },
      odd: { actions: assign({ items: ({ context }) => context.items.set('a', { title: 'a', body: () => 1 }) }) },
      clear: { actions: assign({ items: () => table<Item>() }) },
      move: { actions: assign(({ context }) => ({ items: table<Item>(), spare: context.items })) },
      drop: { actions: assign({ spare: null }) },
      fail: {
        actions: [
          assign({ items: ({ context }) => context.items.set('lost', { title: 'lost' }) }),
          assign(() => {
            throw new Error('failed');
          }),
        ],
      },
      many: {
        actions: assign(({ context, event }) => ({
          ...context,
          ...Object.fromEntries(Array.from({ length: event.count }, (_, n) => [`table${n}`, table([['a', 1]])])),
        })),
      },
      share: {
        actions: enqueueActions(({ context, enqueue, system }) => {
          enqueue.sendTo(system.get('other'), { type: 'given', items: context.items } as never);
        }),
      },
      given: { actions: assign({ spare: ({ event }) => event.items }) },
    },
  }),
  events: {
    put: z.object({ key: z.string(), body: z.unknown().optional() }),
    take: z.object({ key: z.string() }),
    fill: z.object({ count: z.number() }),
    many: z.object({ count: z.number() }),
    bulk: z.object({ count: z.number() }),
    ...Object.fromEntries(['clear', 'move', 'drop', 'fail', 'share', 'odd'].map((type) => [type, z.object({})])),
    given: z.object({ items: z.custom<Table<Item>>() }),
  } as never,
};
const shelf = defineAgent(options);

const tree = {
  intensity: 1_000,
  children: [
    { id: 's', agent: 'shelf' },
    { id: 'o', agent: 'shelf', systemId: 'other' },
  ],
};

const contextOf = (test: TestSystem, address = 's') => test.shard.snapshot(address)!.context as Context;
const rowsOf = (test: TestSystem) => [...contextOf(test).items.keys()];

async function send(test: TestSystem, ...events: Event[]): Promise<void> {
  for (const event of events) await test.shard.send('s', event);
  await test.settle();
}

function written(test: TestSystem): number {
  return test.store.log.flatMap(({ writes }) => writes).reduce((bytes, { value }) => bytes + (value?.length ?? 0), 0);
}

describe.each(['plan', 'xstate'] as const)('a table in a context, on the %s engine', (stepEngine) => {
  const start = () => started({ agents: [shelf], tree, stepEngine });

  it('has the changes of its turns, also after a power cut', async () => {
    const test = await start();
    await send(test, { type: 'fill', count: 100 }, { type: 'put', key: 'b' }, { type: 'put', key: 'a' });
    await send(test, { type: 'take', key: 'row 000007' });
    const before = [...contextOf(test).items];
    expect(before).toHaveLength(101);
    await crash(test);
    expect([...contextOf(test).items]).toEqual(before);
    await send(test, { type: 'move' }, { type: 'put', key: 'c' });
    await crash(test);
    expect(rowsOf(test)).toEqual(['c']);
    expect([...contextOf(test).spare!]).toEqual(before);
    await send(test, { type: 'clear' }, { type: 'drop' });
    await crash(test);
    expect(contextOf(test)).toEqual({ items: table(), spare: null });
  });

  it('stays unchanged if its turn throws', async () => {
    const test = await start();
    await send(test, { type: 'put', key: 'a' }, { type: 'fail' });
    expect(rowsOf(test)).toEqual(['a']);
    await crash(test);
    expect(rowsOf(test)).toEqual(['a']);
  });

  it('is sent whole in an event', async () => {
    const test = await start();
    await send(test, { type: 'fill', count: 40 }, { type: 'share' });
    await crash(test);
    expect([...contextOf(test, 'o').spare!]).toEqual([...contextOf(test).items]);
  });
});

describe('a turn that changes rows', () => {
  it('writes only those rows, however large the table is', async () => {
    const test = await started({ agents: [shelf], tree });
    await send(test, { type: 'fill', count: 10_000 });
    const before = written(test);
    await send(test, { type: 'put', key: 'row 004711', body: 'new' });
    expect(written(test) - before).toBeLessThan(500);
  });

  it('raises the sequence of its actor', async () => {
    const test = await started({ agents: [shelf], tree });
    await send(test, { type: 'put', key: 'a' });
    const { sequence } = test.shard.snapshot('s')!;
    await send(test, { type: 'put', key: 'b' });
    expect(test.shard.snapshot('s')!.sequence).toBe(sequence + 1);
  });

  const refused = async (test: TestSystem, place: string) => {
    const [letter] = test.shard.deadLetters.list();
    expect(letter).toMatchObject({ error: { code: 'BOSUN_VALUE_REFUSED' } });
    expect((letter!.error as Error).message).toContain(place);
  };

  it.each([
    ['a row that is not data', { type: 'odd' }, 'context.items.a.body is a function'],
    [
      'a row too large',
      { type: 'put', key: 'a', body: 'x'.repeat(TABLE_ROW_BYTES_MAX) },
      `more than ${TABLE_ROW_BYTES_MAX} bytes`,
    ],
    ['one row too many', { type: 'fill', count: TABLE_ROWS_MAX + 1 }, `more than ${TABLE_ROWS_MAX} rows`],
    ['too many bytes in one turn', { type: 'bulk', count: 70 }, `more than ${VALUE_BYTES_MAX} bytes change`],
    ['one table too many', { type: 'many', count: TABLES_MAX }, `more than ${TABLES_MAX} tables`],
  ])('is refused with the place in the error: %s', async (_what, event, place) => {
    const test = await started({ agents: [shelf], tree });
    await test.shard.send('s', event as Event).catch(() => {});
    await test.settle();
    await refused(test, place);
    expect(rowsOf(test)).toEqual([]);
  });
});

describe('a kept turn', () => {
  it('has the rows that it changed, and the size of each table', async () => {
    const test = await started({ agents: [defineAgent({ ...options, trace: { keep: 100 } })], tree });
    await send(test, { type: 'fill', count: 1_000 });
    for (let n = 0; n < 40; n++) await send(test, { type: 'put', key: `row ${n}` });
    await send(test, { type: 'clear' });
    await crash(test);
    const kept = await test.shard.admin.history('s');
    expect(kept.at(-2)).toMatchObject({
      change: { rows: { items: { size: 1_040, set: [['row 39', { title: 'row 39' }]] } } },
      context: { items: { size: 1_040 }, spare: null },
    });
    expect(kept.at(-1)).toMatchObject({ context: { items: { size: 0 } } });
    const largest = Math.max(
      ...test.store.entries().flatMap(([key, value]) => (key.startsWith('j!') ? [value.length] : [])),
    );
    expect(largest).toBeLessThan(100_000);
  });
});

describe('a state that is replaced', () => {
  const as = { by: 'ada', reason: 'counted anew' };
  const suspended = async () => {
    const test = await started({ agents: [shelf], tree });
    await send(test, { type: 'put', key: 'a' }, { type: 'put', key: 'b' });
    await test.shard.admin.suspend('s', as);
    return test;
  };

  it('may have its tables given in the form of a view, or computed from the old tables', async () => {
    const test = await suspended();
    const view = { size: 1, rows: { c: { title: 'c' } }, next: null };
    await test.shard.admin.replaceState('s', { context: { items: view, spare: null } }, as);
    await crash(test);
    expect([...contextOf(test).items]).toEqual([['c', { title: 'c' }]]);
    const more = ({ context }: { context: unknown }) => {
      const { items } = context as Context;
      return { context: { items: items.set('d', { title: 'd' }), spare: items } };
    };
    await test.shard.admin.replaceState('s', more, as);
    await crash(test);
    expect([rowsOf(test), [...contextOf(test).spare!.keys()]]).toEqual([['c', 'd'], ['c']]);
  });

  it.each([
    ['a part of a table', { size: 2, rows: { c: {} }, next: 'd' }],
    ['too few rows', { size: 2, rows: { c: {} }, next: null }],
    ['a plain object', { c: {} }],
    ['null', null],
  ])('is refused with %s in place of a table', async (_what, items) => {
    const test = await suspended();
    await expect(test.shard.admin.replaceState('s', { context: { items, spare: null } }, as)).rejects.toMatchObject({
      code: 'BOSUN_ORDER_REFUSED',
    });
    expect(rowsOf(test)).toEqual(['a', 'b']);
  });

  it(`has at most ${TABLES_GIVEN_BYTES_MAX} bytes in a table that is given whole`, LONG, async () => {
    const test = await suspended();
    const body = 'x'.repeat(TABLE_ROW_BYTES_MAX - 1_000);
    const give = (count: number) =>
      test.shard.admin.replaceState(
        's',
        () => ({ context: { items: table(Array.from({ length: count }, (_, n) => [`${n}`, { body }])), spare: null } }),
        as,
      );
    const bound = Math.floor(TABLES_GIVEN_BYTES_MAX / TABLE_ROW_BYTES_MAX);
    await expect(give(bound + 100)).rejects.toMatchObject({
      code: 'BOSUN_VALUE_REFUSED',
      message: expect.stringContaining(`more than ${TABLES_GIVEN_BYTES_MAX} bytes`) as string,
    });
    expect(rowsOf(test)).toEqual(['a', 'b']);
    await give(bound);
    await crash(test);
    expect(rowsOf(test)).toHaveLength(bound);
  });
});

describe('an admin order that puts or deletes a row', () => {
  const as = { by: 'ada', reason: 'counted anew' };
  const at = (key: string) => ({ table: 'items', key });
  const suspended = async () => {
    const test = await started({ agents: [shelf], tree });
    await send(test, { type: 'put', key: 'a' }, { type: 'put', key: 'b' });
    await test.shard.admin.suspend('s', as);
    return test;
  };

  it('leaves other rows unchanged, survives a crash, and is in the audit log', async () => {
    const test = await suspended();
    await test.shard.admin.putRow('s', at('c'), { title: 'c' }, as);
    await test.shard.admin.putRow('s', at('a'), { title: 'A' }, as);
    await test.shard.admin.deleteRow('s', at('b'), as);
    await crash(test);
    expect([...contextOf(test).items]).toEqual([
      ['a', { title: 'A' }],
      ['c', { title: 'c' }],
    ]);
    expect((await test.shard.admin.audit({ address: 's', limit: 3 })).map((one) => [one.order, one.arguments])).toEqual(
      [
        ['deleteRow', '{"table":"items","key":"b"}'],
        ['putRow', '{"table":"items","key":"a","row":{"title":"A"}}'],
        ['putRow', '{"table":"items","key":"c","row":{"title":"c"}}'],
      ],
    );
    await test.shard.admin.resume('s', as);
    await send(test, { type: 'put', key: 'd' });
    expect(rowsOf(test)).toEqual(['a', 'c', 'd']);
  });

  it('is refused, without any change, for an unknown table, a bad row or an outdated sequence', async () => {
    const test = await suspended();
    const { admin } = test.shard;
    const { sequence } = test.shard.snapshot('s')!;
    for (const [order, code] of [
      [() => admin.putRow('s', { table: 'orders', key: 'a' }, {}, as), 'BOSUN_TABLE_UNKNOWN'],
      [() => admin.deleteRow('s', { table: 'spare', key: 'a' }, as), 'BOSUN_TABLE_UNKNOWN'],
      [() => admin.deleteRow('s', at('c'), as), 'BOSUN_ORDER_REFUSED'],
      [() => admin.putRow('s', at(''), {}, as), 'BOSUN_VALUE_REFUSED'],
      [() => admin.putRow('s', at('c'), { body: () => 1 }, as), 'BOSUN_VALUE_REFUSED'],
      [() => admin.putRow('s', at('c'), {}, as, { ifSequence: sequence + 1 }), 'BOSUN_ACTOR_CHANGED'],
      [() => admin.deleteRow('s', at('a'), as, { ifSequence: sequence + 1 }), 'BOSUN_ACTOR_CHANGED'],
    ] as const)
      await expect(order()).rejects.toMatchObject({ code });
    await admin.resume('s', as);
    await expect(admin.putRow('s', at('c'), {}, as)).rejects.toMatchObject({ code: 'BOSUN_ORDER_REFUSED' });
    expect(rowsOf(test)).toEqual(['a', 'b']);
  });
});
