/**
 * Pages of actors: together they are the whole list, even if actors come and go between them, and they block no other
 * caller.
 */
import { describe, expect, it } from 'vitest';
import {
  ACTORS_EXAMINED_MAX,
  ACTORS_PAGE_MAX,
  LOOKED_BURST,
  PAGE_SLICE,
  SHOWN_ACTOR_COST,
} from '../../../src/gateway/limits.ts';
import { type PagedTree, type TreeBranch } from '../../../src/gateway/protocol/views.ts';
import { LONG } from '../../support/effort.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const FAST = { rate: { burst: 100_000, perSecond: 100_000 } };

type ListAnswer = { actors: { address: string }[]; next: string | null };

/** Counters under Bosses under the root, whose ids have slashes and whatever sorts before one. */
const TREE = {
  children: [
    { id: 'till', agent: 'till' },
    { id: 'a', agent: 'counter' },
    { id: 'a-b', agent: 'counter' },
    { id: 'a/c', agent: 'counter' },
    { id: 'team', boss: { children: ['z', 'y', 'x/w'].map((id) => ({ id, agent: 'counter' })) } },
    { id: 'team-2', boss: { children: [{ id: 'only', boss: { children: [{ id: 'deep', agent: 'counter' }] } }] } },
  ],
};

/** 20,000 actors of one agent, and one of another. */
const CROWD = {
  children: [
    ...Array.from({ length: 20_000 }, (_, n) => ({ id: `visits-${n}`, agent: 'counter' })),
    { id: 'till', agent: 'till' },
  ],
};

async function listed(test: GatewayTest, client: MemoryClient, params: object): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { r } = (await test.call(client, 'actor.list', { ...params, after })) as unknown as { r: ListAnswer };
    found.push(...r.actors.map(({ address }) => address));
    after = r.next;
  }
  return found;
}

function addressesIn(branch: TreeBranch): string[] {
  const below = (branch.children ?? []).flatMap(addressesIn);
  return branch.hidden === true ? below : [branch.address, ...below];
}

async function treePages(test: GatewayTest, client: MemoryClient, params: object): Promise<PagedTree[]> {
  const pages: PagedTree[] = [];
  for (let after: string | undefined; pages.length === 0 || after !== undefined; ) {
    const { r } = (await test.call(client, 'actor.tree', { ...params, after })) as unknown as { r: PagedTree };
    pages.push(r);
    after = r.next;
  }
  return pages;
}

function sizeOf(branch: TreeBranch): number {
  return (branch.children ?? []).reduce((size, child) => size + sizeOf(child), 1);
}

/** Counts the actors that are looked at from now on. */
function looksOf({ test: { shard: system } }: GatewayTest): { count: number } {
  const looked = { count: 0 };
  const listed = system.listed.bind(system);
  system.listed = function* (address, which) {
    for (const actor of listed(address, which)) {
      looked.count += 1;
      yield actor;
    }
  };
  return looked;
}

describe('pages of actors', () => {
  it.each([1, 2, 3, 100])('joined together, pages of %i actors are the whole list (F4)', async (limit) => {
    const test = await startGatewayTest(FAST, { tree: TREE });
    const client = await test.client();
    const all = addressesIn(test.test.shard.tree() as unknown as TreeBranch);
    const [root, ...others] = all;
    expect(await listed(test, client, { limit })).toEqual([root, ...others.sort()]);
    const pages = await treePages(test, client, { limit });
    expect(pages.flatMap(addressesIn).sort()).toEqual([...all].sort());
    expect(pages.every((page) => page.address === 'root' && addressesIn(page).length <= limit)).toBe(true);
    await test.stop();
  });

  it('limited to an actor, list its descendants and no address that merely begins with the same letters', async () => {
    const test = await startGatewayTest(FAST, { tree: TREE });
    const client = await test.client();
    expect(await listed(test, client, { under: 'a', limit: 1 })).toEqual(['a']);
    expect(await listed(test, client, { under: 'team', limit: 2 })).toEqual(['team', 'team/x/w', 'team/y', 'team/z']);
    expect((await treePages(test, client, { address: 'team-2', limit: 2 })).map(addressesIn)).toEqual([
      ['team-2', 'team-2/only'],
      ['team-2/only/deep'],
    ]);
    expect((await treePages(test, client, { address: 'team-2', depth: 1 })).map(addressesIn)).toEqual([
      ['team-2', 'team-2/only'],
    ]);
    await test.stop();
  });

  it('show siblings in the order in which they were started', async () => {
    const test = await startGatewayTest(FAST, { tree: TREE });
    const [page] = await treePages(test, await test.client(), { address: 'team' });
    expect(addressesIn(page!)).toEqual(['team', 'team/z', 'team/y', 'team/x/w']);
    await test.stop();
  });

  it('continue after an actor that was removed meanwhile, and show each remaining actor once', async () => {
    const test = await startGatewayTest(FAST, { tree: TREE });
    const client = await test.client();
    const first = (await test.call(client, 'actor.list', { limit: 3 })) as unknown as { r: ListAnswer };
    expect(first.r).toMatchObject({ next: 'a-b' });
    await test.test.shard.erase('a-b');
    await test.test.shard.boss().startChild({ id: 'a-a', agent: 'counter' });
    await test.test.shard.boss().startChild({ id: 'b', agent: 'counter' });
    const rest = (await test.call(client, 'actor.list', { after: 'a-b' })) as unknown as { r: ListAnswer };
    expect(rest.r.actors.map(({ address }) => address).slice(0, 3)).toEqual(['a/c', 'b', 'team']);
    await test.stop();
  });

  it(`have at most ${ACTORS_PAGE_MAX} actors`, async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    for (const method of ['actor.list', 'actor.tree'])
      expect(await test.call(client, method, { limit: ACTORS_PAGE_MAX + 1 })).toMatchObject({
        e: { code: 'BOSUN_CALL_INVALID' },
      });
    await test.stop();
  });

  it('read only the actors that they show and one more, however many actors there are (F4)', LONG, async () => {
    const addresses = ['visits-777', 'visits-9999/**', 'till/*'];
    const tokens = [{ token: 'token-of-one-limited', id: 'limited', addresses }];
    const test = await startGatewayTest({ ...FAST, tokens, operator: 'token-of-the-operator' }, { tree: CROWD });
    const client = await test.client({ token: 'token-of-the-operator' });
    const limited = await test.client({ token: 'token-of-one-limited' });
    const looked = looksOf(test);
    for (const [method, params, count] of [
      ['actor.list', { limit: 10 }, 11],
      ['actor.list', { limit: 10, after: 'visits-9' }, 11],
      ['actor.tree', { limit: 100 }, 101],
      ['actor.tree', { limit: 100, after: 'visits-5' }, 101],
      ['actor.list', { limit: 10, after: 'visits-9998' }, 1],
      ['actor.list', { limit: 10, agent: 'till' }, 1],
      ['actor.list', { limit: 10, agent: 'nobody' }, 0],
      ['actor.tree', { address: 'visits-7' }, 1],
      ['actor.tree', { depth: 0 }, 1],
    ] as const) {
      looked.count = 0;
      expect(await test.call(client, method, params)).toMatchObject({ ok: true });
      expect([method, params, looked.count]).toEqual([method, params, count]);
    }
    for (const method of ['actor.list', 'actor.tree']) {
      looked.count = 0;
      const { r } = (await test.call(limited, method, { limit: 10 })) as unknown as { r: PagedTree & ListAnswer };
      const shown = method === 'actor.list' ? r.actors.map(({ address }) => address) : addressesIn(r);
      // And the root, which comes before all others.
      expect([method, shown, looked.count]).toEqual([method, ['visits-777', 'visits-9999'], 3]);
    }
    expect(sizeOf((await treePages(test, client, {}))[0]!)).toBe(ACTORS_PAGE_MAX);
    await test.stop();
  });

  it('are read in slices if few actors pass the filter, with others served between (F4)', LONG, async () => {
    const test = await startGatewayTest({ ...FAST, operator: 'token-of-the-operator' }, { tree: CROWD });
    const client = await test.client({ token: 'token-of-the-operator' });
    const looked = looksOf(test);
    const slices: number[] = [];
    const pages: unknown[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const id = `page-${pages.length}`;
      client.send({ t: 'req', id, m: 'actor.list', p: { status: 'suspended', after } });
      let all = 0;
      while (client.last('res', id) === undefined) {
        slices.push(looked.count);
        all += looked.count;
        looked.count = 0;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      const { r } = client.last('res', id) as unknown as { r: ListAnswer };
      pages.push([r.actors.length, all + looked.count]);
      looked.count = 0;
      after = r.next;
    }
    // The root and its children: each page shows none, and the last one is what is left.
    expect(pages).toEqual([
      [0, ACTORS_EXAMINED_MAX],
      [0, ACTORS_EXAMINED_MAX],
      [0, 2],
    ]);
    expect(Math.max(...slices)).toBe(PAGE_SLICE / SHOWN_ACTOR_COST);
    await test.stop();
  });
});

it.each([
  ['boss.children', {}],
  ['wait.list', {}],
  ['actor.inspect', { address: 'root' }],
  ['actor.turns', { address: 'root', limit: 10_000 }],
])('%s is charged for the rows that it reads, and refused once they are spent (F4)', async (method, params) => {
  const test = await startGatewayTest(FAST, { tree: { children: CROWD.children.slice(0, 500) } });
  const client = await test.client();
  const codes: (string | undefined)[] = [];
  const most = (3 * LOOKED_BURST) / 500;
  while (codes.length < most && codes.at(-1) === undefined)
    codes.push(((await test.call(client, method, params))['e'] as { code: string } | undefined)?.code);
  expect(codes.at(-1)).toBe('BOSUN_RATE_LIMITED');
  expect(codes.length).toBeGreaterThan(30);
  await test.stop();
});
