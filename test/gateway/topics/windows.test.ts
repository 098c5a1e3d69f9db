/** Windows: pages of a durable table in its own order, within one budget, kept current for whoever watches. */
import { assign, setup } from 'xstate';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { window, WINDOW_BYTES_MAX, WINDOW_READ_MAX, WINDOW_ROWS_MAX } from '../../../src/actors/api/window.ts';
import { LISTING_HZ, LOOKED_BURST } from '../../../src/gateway/limits.ts';
import { rowsInOrder, type WindowPage } from '../../../src/gateway/protocol/window-page.ts';
import { table, type Table } from '../../../src/table.ts';
import {
  type Frame,
  type GatewayTest,
  type MemoryClient,
  startGatewayTest,
} from '../../support/gateway/memory-client.ts';
import { type SpreadGatewayTest, startSpreadGateway } from '../../support/gateway/workers-kit.ts';

interface Item {
  readonly n: number;
  readonly note: string;
}

const keyOf = (n: number) => String(n).padStart(6, '0');

const desk = defineAgent({
  name: 'desk',
  machine: setup({
    types: {} as {
      context: { items: Table<Item> };
      events: { type: 'fill'; count: number; note: string } | { type: 'put'; n: number; note: string };
    },
  }).createMachine({
    context: { items: table() },
    on: {
      fill: {
        actions: assign({
          items: ({ event: { count, note } }) =>
            table(Array.from({ length: count }, (_, n) => [keyOf(n), { n, note }])),
        }),
      },
      put: {
        actions: assign({ items: ({ context, event: { n, note } }) => context.items.set(keyOf(n), { n, note }) }),
      },
    },
  }),
  events: {
    fill: z.object({ count: z.number(), note: z.string() }),
    put: z.object({ n: z.number(), note: z.string() }),
  },
});

const item = z.object({ n: z.number(), note: z.string() });
const none = { rows: {}, size: 0, next: null, isReverse: false };
const about = { params: z.object({}), row: item, example: { p: {}, r: none } };

const procedures = {
  'items.all': window({
    ...about,
    means: 'All items.',
    of: { address: 'desk', table: 'items' },
    shows: (row: Item) => row,
  }),
  'items.latest': window({
    ...about,
    means: 'The items, the last first.',
    http: { verb: 'GET', path: '/v1/items' },
    of: { address: 'desk', table: 'items', reverse: true },
    shows: (row: Item) => row,
  }),
  'items.some': window({
    means: 'Every so manieth item from a number on.',
    params: z.object({ every: z.int().min(1), first: z.int().default(0), isLoud: z.boolean().default(false) }),
    row: item,
    of: { address: 'desk', table: 'items' },
    range: ({ first }) => ({ from: keyOf(first) }),
    shows: ({ n, note }: Item, _, { every, isLoud }) =>
      n % every === 0 ? { n, note: isLoud ? note.toUpperCase() : note } : undefined,
    example: { p: { every: 2 }, r: none },
  }),
  'items.second': procedure({
    means: 'The second of the system.',
    params: z.object({}),
    result: z.object({ second: z.number() }),
    example: { p: {}, r: { second: 0 } },
    window: { address: 'desk', everyMs: 2_000 },
    read: (_, { nowMs }) => ({ second: Math.floor(nowMs / 1_000) }),
  }),
  'items.plain': procedure({
    means: 'Nothing to watch.',
    params: z.object({}),
    result: z.object({}),
    example: { p: {}, r: {} },
    read: () => ({}),
  }),
  'items.owned': window({
    ...about,
    means: 'All items, for those who see the whole system.',
    scope: 'system:read',
    of: { address: 'desk', table: 'items' },
    shows: (row: Item) => row,
  }),
  'items.lost': window({
    ...about,
    means: 'Items of a desk that is not there.',
    of: { address: 'attic', table: 'items' },
    shows: (row: Item) => row,
  }),
};

const tokens = [
  { token: 'a'.repeat(16), id: 'reader', scopes: ['actor:read', 'actor:send'] as const },
  { token: 'b'.repeat(16), id: 'stranger', addresses: ['visits'] },
  { token: 'c'.repeat(16), id: 'owner' },
];
const OWNER = { token: 'c'.repeat(16) };

const system = { agents: [desk], tree: { children: [{ id: 'desk', agent: 'desk' }] } };
const options = { procedures, tokens };
const FRONTS: Readonly<Record<string, () => Promise<GatewayTest | SpreadGatewayTest>>> = {
  'one system': async () => {
    const test = await startGatewayTest(options, system);
    onTestFinished(() => test.stop());
    return test;
  },
  'two workers': () => startSpreadGateway(options, system),
};

type Page = WindowPage<Item>;
const numbersOf = (page: Page) => rowsInOrder(page).map(({ n }) => n);

describe.each(Object.entries(FRONTS))('a window, in front of %s', (_front, start) => {
  let test: GatewayTest | SpreadGatewayTest;
  let client: MemoryClient;

  beforeEach(async () => {
    test = await start();
    client = await test.client(OWNER);
  });

  const call = async <Answer = Page>(method: string, p: object = {}): Promise<Answer> => {
    const answer = (await test.call(client, method, p)) as unknown as { r: Answer; e: Answer };
    return answer.r ?? answer.e;
  };
  const send = (event: object) => call('actor.send', { address: 'desk', event });
  const fill = (count: number, note = '') => send({ type: 'fill', count, note });
  const subscribe = async (topic: string, by = client): Promise<Frame> => {
    by.send({ t: 'sub', id: topic, topic });
    await test.settle();
    return by.frames.findLast((frame) => 'id' in frame && frame.id === topic)!;
  };

  async function allOf(method: string, p: object): Promise<{ numbers: number[]; pages: Page[] }> {
    const pages: Page[] = [];
    for (let after: string | null | undefined; after !== null; after = pages.at(-1)!.next)
      pages.push(await call(method, { ...p, ...(after !== undefined && { after }) }));
    return { numbers: pages.flatMap(numbersOf), pages };
  }

  it('shows a table by page in its order, with the number of all rows', async () => {
    expect(await call('items.all')).toEqual(none);
    await fill(250);
    const { numbers, pages } = await allOf('items.all', {});
    expect(numbers).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(pages.map(({ size, rows }) => [size, Object.keys(rows).length])).toEqual([
      [250, WINDOW_ROWS_MAX],
      [250, WINDOW_ROWS_MAX],
      [250, 50],
    ]);
    const { numbers: last } = await allOf('items.latest', { limit: 90 });
    expect(last).toEqual(numbers.toReversed());
    expect(await call('items.all', { limit: WINDOW_ROWS_MAX + 1 })).toMatchObject({ code: 'BOSUN_CALL_INVALID' });
  });

  it('ends a page at its bytes as UTF-8, and has at least one row on each', async () => {
    await fill(10, 'é'.repeat(10_000));
    const { numbers, pages } = await allOf('items.all', {});
    expect(numbers).toHaveLength(10);
    expect(pages.map(({ rows }) => Object.keys(rows).length)).toEqual([3, 3, 3, 1]);
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(WINDOW_BYTES_MAX);
    await send({ type: 'put', n: 4, note: 'é'.repeat(WINDOW_BYTES_MAX / 2) });
    expect((await allOf('items.all', {})).numbers).toHaveLength(10);
  });

  it('leaves rows out, reads a bounded number for a page, and gives a short page then', async () => {
    await fill(3 * WINDOW_READ_MAX, 'a');
    const { numbers, pages } = await allOf('items.some', { every: 900, first: 5, isLoud: true });
    expect(numbers).toEqual([900, 1800, 2700]);
    expect(pages[0]).toMatchObject({ size: 3 * WINDOW_READ_MAX - 5, next: keyOf(WINDOW_READ_MAX + 5) });
    expect(rowsInOrder(pages[0]!)).toEqual([{ n: 900, note: 'A' }]);
    const few = await allOf('items.some', { every: 2, limit: 3, first: 2_990 });
    expect(few.pages.map(numbersOf)).toEqual([
      [2990, 2992, 2994],
      [2996, 2998],
    ]);
  });

  it('counts the rows that it reads against the budget of its caller', async () => {
    await fill(2 * WINDOW_READ_MAX);
    const sparse = () => call<{ code?: string }>('items.some', { every: 5_000, first: 1 });
    const codes: (string | undefined)[] = [];
    for (let time = 0; time < LOOKED_BURST / WINDOW_READ_MAX + 2; time++) codes.push((await sparse()).code);
    expect(codes.at(0)).toBe(undefined);
    expect(codes.at(-1)).toBe('BOSUN_RATE_LIMITED');
  });

  it('is patched for its watchers after changes of the desk, and only then', async () => {
    await fill(200, 'as before');
    await subscribe('window/items.some?every=1&first=5&limit=20');
    const [id, view] = ['window/items.some?every=1&first=5&limit=20', () => client.view(id) as Page];
    expect(numbersOf(view())).toEqual(Array.from({ length: 20 }, (_, n) => n + 5));
    await send({ type: 'put', n: 7, note: 'new' });
    await send({ type: 'put', n: 300, note: 'beyond the page' });
    await test.advance(1_000);
    expect(view()).toMatchObject({ rows: { [keyOf(7)]: { note: 'new' } }, size: 196 });
    expect(view()).toEqual(await call('items.some', { every: 1, first: 5, limit: 20 }));
    const frames = client.of('delta', id);
    for (const frame of frames) expect(JSON.stringify(frame).length).toBeLessThan(500);
    await call('actor.send', { address: 'visits', event: { type: 'add', by: 1 } });
    await test.advance(5_000);
    expect(client.of('delta', id)).toEqual(frames);
  });

  it(`is read at most ${LISTING_HZ} times a second`, async () => {
    await fill(1);
    await subscribe('window/items.all');
    for (let n = 0; n < 40; n++) {
      await send({ type: 'put', n, note: '' });
      await test.advance(50);
    }
    await test.advance(1_000);
    expect(client.of('delta', 'window/items.all').length).toBeLessThanOrEqual(2 * LISTING_HZ + 2);
    expect((client.view('window/items.all') as Page).size).toBe(40);
  });

  it('is read less often for a caller whose windows read more than its budget, and not refused', async () => {
    await fill(WINDOW_READ_MAX - 50);
    const topics = Array.from({ length: 18 }, (_, n) => `window/items.some?every=5000&first=${n}`);
    for (const topic of topics) expect(await subscribe(topic)).toMatchObject({ t: 'snap' });
    // Eighteen windows of a thousand rows each have used up the burst; ten of them can be read in each second.
    for (let n = 0; n < 12; n++) {
      await send({ type: 'put', n: n * 5_000, note: 'new' });
      await test.advance(250);
    }
    const read = client.of('delta').length;
    expect(read).toBeGreaterThan(topics.length / 2);
    expect(read).toBeLessThan(3 * topics.length);
    expect(client.of('end')).toEqual([]);
    await test.advance(10_000);
    for (const topic of topics)
      expect(client.view(topic)).toMatchObject({ rows: { [keyOf(55_000)]: { note: 'new' } } });
  });

  it('is read again as time passes, where it says so', async () => {
    await subscribe('window/items.second');
    const { second } = client.view('window/items.second') as { second: number };
    for (let passed = 0; passed < 5; passed++) await test.advance(1_000);
    const later = client.view('window/items.second') as { second: number };
    expect(later.second).toBeGreaterThanOrEqual(second + 4);
  });

  it('costs nobody anything once it is left', async () => {
    await subscribe('window/items.all');
    client.send({ t: 'unsub', id: 'window/items.all' });
    await fill(3);
    await test.advance(1_000);
    expect(client.of('delta')).toEqual([]);
  });

  it('has the rights of the call: its scope, and the addresses of the caller', async () => {
    const reader = await test.client({ token: 'a'.repeat(16) });
    const stranger = await test.client({ token: 'b'.repeat(16) });
    expect(await subscribe('window/items.owned', reader)).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    expect(await subscribe('window/items.all', stranger)).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    expect(await subscribe('window/items.all', reader)).toMatchObject({ t: 'snap', d: none });
  });

  it('is refused for what has none, for wrong parameters, and for a desk that is not there', async () => {
    for (const [topic, code] of [
      ['window/items.plain', 'BOSUN_CALL_INVALID'],
      ['window/actor.get?address=desk', 'BOSUN_CALL_INVALID'],
      ['window/items.none', 'BOSUN_CALL_INVALID'],
      ['window/items.some', 'BOSUN_CALL_INVALID'],
      ['window/items.some?every=0', 'BOSUN_CALL_INVALID'],
      ['window/items.lost', 'BOSUN_ACTOR_UNKNOWN'],
    ] as const)
      expect(await subscribe(topic), topic).toMatchObject({ t: 'end', e: { code } });
    client.send({ t: 'sub', id: 'events', topic: 'window/items.all', mode: 'events' });
    await test.settle();
    expect(client.last('end', 'events')).toMatchObject({ e: { code: 'BOSUN_CALL_INVALID' } });
  });
});

describe('a procedure', () => {
  it('has a window only where it reads', () => {
    const row = { means: 'a', params: z.object({}), result: z.object({}), example: { p: {}, r: {} } };
    const ask = () => ({ address: 'desk', event: { type: 'fill' } });
    expect(() => procedure({ ...row, ask, window: { address: 'desk' } })).toThrow('only a procedure with read');
  });
});

/** Compiled, never run. */
function misuses(): void {
  const of = { address: 'desk', table: 'items' };
  const row = {
    means: 'a',
    params: z.object({ every: z.number() }),
    row: item,
    of,
    example: { p: { every: 1 }, r: none },
  };
  window({ ...row, shows: (one: Item, _, { every }) => (one.n % every === 0 ? one : undefined) });
  window({ ...row, shows: (one: Item) => Promise.resolve(one) });
  // @ts-expect-error a row without a field of its schema
  window({ ...row, shows: ({ n }: Item) => ({ n }) });
  // @ts-expect-error a field of another type
  window({ ...row, shows: ({ n }: Item) => ({ n, note: n }) });
  // @ts-expect-error a promise of something else
  window({ ...row, shows: () => Promise.resolve('row') });
  // @ts-expect-error a parameter that the window does not have
  window({ ...row, shows: (one: Item, _, { first }) => (first ? one : undefined) });
  // @ts-expect-error a range of numbers
  window({ ...row, shows: (one: Item) => one, range: ({ every }) => ({ from: every }) });
  // @ts-expect-error no table
  window({ ...row, of: { address: 'desk' }, shows: (one: Item) => one });
}

describe('misuse of a window', () => {
  it('does not compile', () => {
    expect(misuses).toBeTypeOf('function');
  });
});
