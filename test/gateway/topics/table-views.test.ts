/** Tables of contexts as clients get them: a bounded view, further rows by page, changes row by row. */
import { assign, setup } from 'xstate';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { tableSchema } from '../../../src/actors/model/table-schema.ts';
import { secret } from '../../../src/actors/model/secret.ts';
import { TABLE_CHARS_SHOWN, TABLE_ROWS_SHOWN } from '../../../src/gateway/limits.ts';
import { tablePage, tableView } from '../../../src/gateway/topics/table-views.ts';
import { shown } from '../../../src/gateway/topics/wire-values.ts';
import { table, type Table, type TableView } from '../../../src/table.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { type SpreadGatewayTest, startSpreadGateway } from '../../support/gateway/workers-kit.ts';

interface Row {
  readonly n: number;
  readonly note: string;
}

const keyOf = (n: number) => `row ${String(n).padStart(6, '0')}`;

const desk = defineAgent({
  name: 'desk',
  machine: setup({
    types: {} as {
      context: { items: Table<Row>; lookalike: object };
      events: { type: 'fill'; count: number; note: string } | { type: 'put'; n: number } | { type: 'drop'; n: number };
    },
  }).createMachine({
    context: { items: table(), lookalike: { size: 7, rows: {}, next: 'a key' } },
    on: {
      fill: {
        actions: assign({
          items: ({ event: { count, note } }) =>
            table(Array.from({ length: count }, (_, n) => [keyOf(n), { n, note }])),
        }),
      },
      put: {
        actions: assign({ items: ({ context, event: { n } }) => context.items.set(keyOf(n), { n, note: 'put' }) }),
      },
      drop: { actions: assign({ items: ({ context, event: { n } }) => context.items.delete(keyOf(n)) }) },
    },
  }),
  events: {
    fill: z.object({ count: z.number(), note: z.string() }),
    put: z.object({ n: z.number() }),
    drop: z.object({ n: z.number() }),
  },
  shown: { context: z.object({ items: tableSchema(z.object({ n: z.number(), note: secret(z.string()) })) }) },
});

const selectors = {
  desk: {
    rows: ({ items }: { items: TableView }) => Object.keys(items.rows).length,
    lookalike: ({ lookalike }: { lookalike: object }) => lookalike,
  },
};

const system = { agents: [desk], tree: { children: [{ id: 'desk', agent: 'desk' }] } };
const FRONTS: Readonly<Record<string, () => Promise<GatewayTest | SpreadGatewayTest>>> = {
  'one system': async () => {
    const test = await startGatewayTest({ selectors, destructive: true }, system);
    onTestFinished(() => test.stop());
    return test;
  },
  'two workers': () => startSpreadGateway({ selectors, destructive: true }, system),
};

describe.each(Object.entries(FRONTS))('a table of a context, in front of %s', (_front, start) => {
  let test: GatewayTest | SpreadGatewayTest;
  let client: MemoryClient;

  beforeEach(async () => {
    test = await start();
    client = await test.client();
  });

  const call = async (method: string, p: object): Promise<unknown> => {
    const answer = (await test.call(client, method, p)) as unknown as { r: unknown };
    return answer.r;
  };
  const send = (event: object) => call('actor.send', { address: 'desk', event });
  const view = async () =>
    ((await call('actor.get', { address: 'desk' })) as { context: { items: TableView } }).context.items;
  const read = (page: object) => call('table.read', { address: 'desk', table: 'items', ...page }) as Promise<TableView>;

  it('is shown by its first rows with the key of the next row, and read further by page', async () => {
    await send({ type: 'fill', count: TABLE_ROWS_SHOWN + 5, note: '' });
    const { size, rows, next } = await view();
    const count = Object.keys(rows).length;
    expect([size, next]).toEqual([TABLE_ROWS_SHOWN + 5, keyOf(count)]);
    expect(count).toBeGreaterThan(TABLE_ROWS_SHOWN * 0.9);
    expect(count).toBeLessThanOrEqual(TABLE_ROWS_SHOWN);
    const rest = await read({ from: next });
    expect([rest.size, Object.keys(rest.rows).length, rest.next]).toEqual([size, size - count, null]);
    expect(await read({ from: keyOf(3), below: keyOf(9), limit: 2 })).toMatchObject({
      rows: { [keyOf(3)]: { n: 3 }, [keyOf(4)]: { n: 4 } },
      next: keyOf(5),
    });
  });

  it('is read in descending order too, with the number of rows in the range', async () => {
    await send({ type: 'fill', count: 20, note: '' });
    const seen: string[] = [];
    for (let cursor: string | undefined | null; cursor !== null; ) {
      const page = await read({ from: keyOf(3), below: keyOf(12), reverse: true, limit: 4, ...(cursor && { cursor }) });
      expect(page).toMatchObject({ size: 20, count: 9 });
      seen.push(...Object.keys(page.rows));
      cursor = page.next;
    }
    expect(seen).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3].map(keyOf));
    const rest = await read({ below: keyOf(12), cursor: keyOf(10), limit: 5 });
    expect(rest).toMatchObject({ count: 12, rows: { [keyOf(10)]: {}, [keyOf(11)]: {} }, next: null });
  });

  it('has the form of a view even if it has no row or one', async () => {
    expect(await view()).toEqual({ size: 0, rows: {}, next: null });
    await send({ type: 'put', n: 1 });
    expect(await view()).toMatchObject({ size: 1, rows: { [keyOf(1)]: { n: 1 } }, next: null });
  });

  it('hides the secrets of a row, on every page', async () => {
    await send({ type: 'put', n: 1 });
    expect(Object.values((await view()).rows)).toEqual([{ n: 1, note: '[secret]' }]);
    expect(Object.values((await read({})).rows)).toEqual([{ n: 1, note: '[secret]' }]);
  });

  it('is given whole to the selectors of the host', async () => {
    await send({ type: 'fill', count: 3 * TABLE_ROWS_SHOWN, note: '' });
    expect(await call('actor.select', { address: 'desk', selector: 'rows' })).toEqual({ value: 3 * TABLE_ROWS_SHOWN });
  });

  it('is distinguished from an object of the same form', async () => {
    const value = { size: 7, rows: {}, next: 'a key' };
    expect(await call('actor.select', { address: 'desk', selector: 'lookalike' })).toEqual({ value });
  });

  it('can be corrected row by row while its actor is suspended', async () => {
    await send({ type: 'fill', count: 2, note: '' });
    await call('actor.suspend', { address: 'desk' });
    const put = { address: 'desk', table: 'items', key: keyOf(7), row: { n: 7, note: '' } };
    expect(await call('table.put', put)).toMatchObject({ status: 'suspended', context: { items: { size: 3 } } });
    await call('table.delete', { address: 'desk', table: 'items', key: keyOf(0) });
    expect(Object.keys((await view()).rows)).toEqual([keyOf(1), keyOf(7)]);
    expect(await test.call(client, 'table.delete', { address: 'desk', table: 'items', key: 'x' })).toMatchObject({
      e: { code: 'BOSUN_ORDER_REFUSED' },
    });
  });

  it('is refused if it does not exist', async () => {
    for (const [address, name] of [
      ['desk', 'orders'],
      ['desk', 'constructor'],
      ['root', 'items'],
    ] as const)
      expect(await test.call(client, 'table.read', { address, table: name })).toMatchObject({
        ok: false,
        e: { code: 'BOSUN_TABLE_UNKNOWN' },
      });
  });

  it('is sent to subscribers as its changed rows, and shown only in part if its rows are long', async () => {
    await send({ type: 'fill', count: 10_000, note: 'x' });
    client.send({ t: 'sub', id: 's', topic: 'actor/desk' });
    await test.settle();
    const first = JSON.stringify(client.last('snap', 's')).length;
    expect(first).toBeLessThan(TABLE_CHARS_SHOWN);
    await send({ type: 'put', n: 7 });
    await send({ type: 'drop', n: 9 });
    const deltas = client.of('delta', 's');
    expect(deltas.length).toBeGreaterThan(0);
    for (const delta of deltas) expect(JSON.stringify(delta).length).toBeLessThan(2 * 1024);
    const { context } = client.view('s') as { context: { items: TableView } };
    expect(context.items).toEqual(await view());
  });

  it('is the same for a subscriber that applied all changes as in a new view, wherever the view ends', async () => {
    await send({ type: 'fill', count: TABLE_ROWS_SHOWN + 100, note: 'x' });
    client.send({ t: 'sub', id: 's', topic: 'actor/desk' });
    await test.settle();
    const shown = () => (client.view('s') as { context: { items: TableView } }).context.items;
    for (const event of [
      { type: 'drop', n: 3 },
      { type: 'drop', n: TABLE_ROWS_SHOWN },
      { type: 'put', n: 3 },
      { type: 'put', n: 5_000 },
      { type: 'drop', n: TABLE_ROWS_SHOWN - 1 },
      { type: 'fill', count: 40, note: 'y' },
      { type: 'fill', count: TABLE_ROWS_SHOWN + 50, note: 'z'.repeat(1_000) },
    ]) {
      await send(event);
      expect(shown()).toEqual(await view());
    }
  });
});

describe('a view of long rows', () => {
  const long = table(Array.from({ length: 200 }, (_, n) => [keyOf(n), { text: 'x'.repeat(4_000) }]));
  const asTheyAre = (row: unknown) => row;

  it.each([
    ['the first rows', () => tableView(long, asTheyAre)],
    ['a page', () => tablePage(long, asTheyAre, { from: keyOf(100) })],
  ])('ends before it exceeds its bound: %s', (_what, look) => {
    const { size, rows, next } = look();
    const chars = JSON.stringify(rows).length;
    expect(size).toBe(200);
    expect(next).not.toBe(null);
    expect(chars).toBeLessThan(TABLE_CHARS_SHOWN * 1.01);
    expect(chars).toBeGreaterThan(TABLE_CHARS_SHOWN / 2);
  });

  it('shares its bound with the other tables of its context (B5)', () => {
    const context = Object.freeze({ open: long, ended: long.delete(keyOf(0)), order: long.delete(keyOf(1)), count: 3 });
    const views = shown(context) as Readonly<Record<'open' | 'ended' | 'order', TableView>>;
    expect(JSON.stringify(views).length).toBeLessThan(TABLE_CHARS_SHOWN * 1.01);
    for (const { rows, next } of [views.open, views.ended, views.order]) {
      expect(JSON.stringify(rows).length).toBeGreaterThan(TABLE_CHARS_SHOWN / 4);
      expect(next).not.toBe(null);
    }
  });

  it('has at least one row', () => {
    const one = table([
      ['a', { text: 'x'.repeat(2 * TABLE_CHARS_SHOWN) }],
      ['b', { text: '' }],
    ]);
    for (const { rows, next } of [tableView(one, asTheyAre), tablePage(one, asTheyAre, {})])
      expect([Object.keys(rows), next]).toEqual([['a'], 'b']);
  });
});
