/** Windows with many watchers: read once for those who may see the same, and for nobody else. */
import { assign, setup } from 'xstate';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { procedure } from '../../../src/actors/api/procedure.ts';
import { window } from '../../../src/actors/api/window.ts';
import { BosunError } from '../../../src/errors.ts';
import { type WindowReader, WindowReaders } from '../../../src/gateway/calls/window-readers.ts';
import { table, type Table } from '../../../src/table.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const ROWS = 10;
const WATCHERS = 20;

const desk = defineAgent({
  name: 'desk',
  machine: setup({
    types: {} as { context: { items: Table<number> }; events: { type: 'put'; key: string; n: number } },
  }).createMachine({
    context: { items: table(Array.from({ length: ROWS }, (_, n) => [`item-${n}`, n])) },
    on: {
      put: {
        actions: assign({ items: ({ context, event: { key, n } }) => context.items.set(key, n) }),
      },
    },
  }),
  events: { put: z.object({ key: z.string(), n: z.number() }) },
});

/** Rows that were shown, and readings of procedures, since the test began. */
const counts = { rows: 0, readings: 0 };
let isBroken = false;

const row = z.object({ n: z.number() });
const page = { params: z.object({ least: z.int().default(0) }), row, of: { address: 'desk', table: 'items' } };
const example = { p: {}, r: { rows: {}, size: 0, next: null, isReverse: false } };
const plain = { means: 'A reading.', params: z.object({}), window: { address: 'desk' } };

const procedures = {
  'items.all': window({
    ...page,
    means: 'All items.',
    example,
    shows: (n: number, _, { least }) => {
      counts.rows += 1;
      if (isBroken) throw new BosunError('BOSUN_CALL_INVALID', 'the items cannot be shown');
      return n >= least ? { n } : undefined;
    },
  }),
  'items.guarded': window({
    ...page,
    means: 'All items, with what the vault holds.',
    example,
    shows: async (_: number, __, ___, reader) => ({ n: (await reader.actor('vault')).sequence }),
  }),
  'items.places': procedure({
    ...plain,
    means: 'The actors that the caller may reach.',
    result: z.object({ addresses: z.array(z.string()) }),
    example: { p: {}, r: { addresses: [] } },
    window: { address: 'desk', isShared: true },
    read: async (_, reader) => {
      counts.readings += 1;
      const addresses: string[] = [];
      for await (const { address } of reader.actors()) addresses.push(address);
      return { addresses };
    },
  }),
  'items.mine': procedure({
    ...plain,
    means: 'The name of the caller.',
    result: z.object({ id: z.string() }),
    example: { p: {}, r: { id: 'ada' } },
    read: (_, __, { id }) => ({ id }),
  }),
};

const tokenOf = (id: string) => `the-token-of-${id}`;
const everybody = Array.from({ length: WATCHERS }, (_, n) => `watcher-${n}`);
const tokens = [
  ...everybody.map((id) => ({ token: tokenOf(id), id })),
  { token: tokenOf('clerk'), id: 'clerk', addresses: ['desk'] },
  { token: tokenOf('hand'), id: 'hand' },
  { token: tokenOf('reader'), id: 'reader', scopes: ['actor:read'] as const },
];
const tree = {
  children: [
    { id: 'desk', agent: 'desk' },
    { id: 'vault', agent: 'desk' },
  ],
};

describe('a window with many watchers', () => {
  let test: GatewayTest;

  beforeEach(async () => {
    test = await startGatewayTest({ procedures, tokens }, { agents: [desk], tree });
    onTestFinished(() => test.stop());
    [counts.rows, counts.readings, isBroken] = [0, 0, false];
  });

  const enter = (id: string) => test.client({ token: tokenOf(id) });
  const watch = async (client: MemoryClient, topic: string) => {
    client.send({ t: 'sub', id: topic, topic });
    await test.settle();
  };
  const watching = async (id: string, topic = ALL) => {
    const client = await enter(id);
    await watch(client, topic);
    return client;
  };
  const ALL = 'window/items.all';
  const put = async (n: number, key = 'item-0') => {
    const client = await enter('hand');
    await test.call(client, 'actor.send', { address: 'desk', event: { type: 'put', key, n } });
    client.drop();
  };

  it(`is read once for each change, for all ${WATCHERS}`, async () => {
    const clients = await Promise.all(everybody.map(enter));
    for (const client of clients) await watch(client, ALL);
    await test.advance(1_000);
    counts.rows = 0;
    for (let change = 1; change <= 5; change++) {
      await put(100 + change);
      await test.advance(1_000);
      expect(counts.rows).toBe(change * ROWS);
    }
    for (const client of clients) {
      expect(client.view(ALL)).toMatchObject({ rows: { 'item-0': { n: 105 } } });
      expect(client.of('delta', ALL)).toEqual(clients[0]!.of('delta', ALL));
      expect(client.of('delta', ALL)).toHaveLength(5);
    }
  });

  it('is read once for those who join at the same time, and anew for one who joins later', async () => {
    const clients = await Promise.all(everybody.map(enter));
    for (const client of clients) client.send({ t: 'sub', id: ALL, topic: ALL });
    await test.settle();
    for (const client of clients) expect(client.of('snap', ALL)).toHaveLength(1);
    expect(counts.rows).toBeLessThanOrEqual(3 * ROWS);
    const [first, later] = [clients[0]!, await enter('reader')];
    await put(7);
    await watch(later, ALL);
    expect(later.last('snap', ALL)).toMatchObject({ d: { rows: { 'item-0': { n: 7 } } } });
    await test.advance(1_000);
    expect(first.view(ALL)).toEqual(later.view(ALL));
  });

  it('is another one for other parameters', async () => {
    const [all, some] = [await watching('watcher-0'), await watching('watcher-1', `${ALL}?least=5`)];
    await put(3, 'item-9');
    await test.advance(1_000);
    expect(Object.keys((all.view(ALL) as { rows: object }).rows)).toHaveLength(ROWS);
    expect(Object.keys((some.view(`${ALL}?least=5`) as { rows: object }).rows)).toHaveLength(4);
  });

  it('never shows one caller what only another may reach', async () => {
    const topic = 'window/items.places';
    const [owner, clerk, other] = [
      await watching('watcher-0', topic),
      await watching('clerk', topic),
      await watching('watcher-1', topic),
    ];
    expect(owner.view(topic)).toEqual({ addresses: expect.arrayContaining(['desk', 'vault']) as unknown });
    expect(clerk.view(topic)).toEqual({ addresses: ['desk'] });
    await test.advance(1_000);
    counts.readings = 0;
    await put(7);
    await test.advance(1_000);
    // Two with equal rights share a reading, and the third has its own.
    expect(counts.readings).toBe(2);
    expect(clerk.view(topic)).toEqual({ addresses: ['desk'] });
    expect(other.view(topic)).toEqual(owner.view(topic));
    const guarded = 'window/items.guarded';
    await watch(owner, guarded);
    await watch(clerk, guarded);
    expect(owner.last('snap', guarded)).toBeDefined();
    expect(clerk.last('end', guarded)).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    await put(8);
    await test.advance(1_000);
    expect(owner.of('end')).toEqual([]);
  });

  it('is read for each caller where its procedure does not promise that they are alike', async () => {
    const topic = 'window/items.mine';
    const [ada, bob] = [await watching('watcher-0', topic), await watching('watcher-1', topic)];
    await put(7);
    await test.advance(1_000);
    expect([ada.view(topic), bob.view(topic)]).toEqual([{ id: 'watcher-0' }, { id: 'watcher-1' }]);
  });

  it('goes on when watchers leave or are cut off, the first one too, and ends with the last', async () => {
    const [first, second, third] = [
      await watching('watcher-0'),
      await watching('watcher-1'),
      await watching('watcher-2'),
    ];
    first.send({ t: 'unsub', id: ALL });
    second.drop();
    await test.settle();
    for (let n = 1; n <= 3; n++) {
      await put(n * 10);
      await test.advance(1_000);
    }
    expect(third.view(ALL)).toMatchObject({ rows: { 'item-0': { n: 30 } } });
    expect(first.of('delta')).toEqual([]);
    third.send({ t: 'unsub', id: ALL });
    await test.settle();
    counts.rows = 0;
    await put(40);
    await test.advance(1_000);
    expect(counts.rows).toBe(0);
  });

  it('ends for all with the error of its reading, and begins anew for who subscribes again', async () => {
    const clients = [await watching('watcher-0'), await watching('watcher-1')];
    isBroken = true;
    await put(7);
    await test.advance(1_000);
    for (const client of clients) expect(client.last('end', ALL)).toBeDefined();
    isBroken = false;
    await watch(clients[0]!, ALL);
    expect(clients[0]!.last('snap', ALL)).toMatchObject({ d: { rows: { 'item-0': { n: 7 } } } });
  });
});

describe('the readers of a window', () => {
  const reader = (id: string, owes: { ms: number } = { ms: 0 }): WindowReader => ({
    caller: { id, scopes: new Set(), addresses: [], expiresAtMs: undefined },
    looks: { owesMs: () => owes.ms, charge: () => {} },
  });
  const nextOf = (readers: WindowReaders) => readers.next().caller.id;

  it('pay in turn', () => {
    const readers = new WindowReaders();
    const leave = ['a', 'b', 'c'].map((id) => readers.watch(reader(id)));
    expect(Array.from({ length: 4 }, () => nextOf(readers))).toEqual(['a', 'b', 'c', 'a']);
    leave[1]!();
    expect(Array.from({ length: 3 }, () => nextOf(readers))).toEqual(['c', 'a', 'c']);
  });

  it('pay as those who ask for a reading when they join, one for all who wait', () => {
    const readers = new WindowReaders();
    readers.watch(reader('a', { ms: 50 }));
    readers.join(reader('b'));
    readers.join(reader('c'));
    expect(readers.owesMs()).toBe(0);
    expect([nextOf(readers), nextOf(readers)]).toEqual(['b', 'a']);
  });

  it('pay nothing while they have overdrawn their budgets, unless all have', () => {
    const readers = new WindowReaders();
    const [first, second] = [{ ms: 90 }, { ms: 0 }];
    readers.watch(reader('a', first));
    readers.watch(reader('b', second));
    expect([readers.owesMs(), nextOf(readers), nextOf(readers)]).toEqual([0, 'b', 'b']);
    second.ms = 40;
    expect([readers.owesMs(), nextOf(readers)]).toEqual([40, 'b']);
  });
});
