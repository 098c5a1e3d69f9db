/**
 * Pages of actors: together they are the whole list, even if actors come and go between them, and they block no other
 * caller.
 */
import { describe, expect, it } from 'vitest';
import { ACTORS_PAGE_MAX, PAGE_SLICE, SHOWN_ACTOR_COST } from '../../../src/gateway/limits.ts';
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
  system.listed = function* (address, after) {
    for (const actor of listed(address, after)) {
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
    const children = Array.from({ length: 20_000 }, (_, n) => ({ id: `visits-${n}`, agent: 'counter' }));
    const test = await startGatewayTest({ ...FAST, operator: 'token-of-the-operator' }, { tree: { children } });
    const client = await test.client({ token: 'token-of-the-operator' });
    const looked = looksOf(test);
    for (const [method, params, count] of [
      ['actor.list', { limit: 10 }, 11],
      ['actor.list', { limit: 10, after: 'visits-9' }, 11],
      ['actor.tree', { limit: 100 }, 101],
      ['actor.tree', { limit: 100, after: 'visits-5' }, 101],
      ['actor.tree', { address: 'visits-7' }, 1],
    ] as const) {
      looked.count = 0;
      expect(await test.call(client, method, params)).toMatchObject({ ok: true });
      expect([method, params, looked.count]).toEqual([method, params, count]);
    }
    expect(sizeOf((await treePages(test, client, {}))[0]!)).toBe(ACTORS_PAGE_MAX);
    await test.stop();
  });

  it('are read in slices if few actors pass the filter, with others served between (F4)', LONG, async () => {
    const children = Array.from({ length: 20_000 }, (_, n) => ({ id: `visits-${n}`, agent: 'counter' }));
    const test = await startGatewayTest({ ...FAST, operator: 'token-of-the-operator' }, { tree: { children } });
    const client = await test.client({ token: 'token-of-the-operator' });
    const looked = looksOf(test);
    const slices: number[] = [];
    client.send({ t: 'req', id: 'all', m: 'actor.list', p: { status: 'suspended' } });
    while (client.last('res', 'all') === undefined) {
      slices.push(looked.count);
      looked.count = 0;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(client.last('res', 'all')).toMatchObject({ r: { actors: [], next: null } });
    expect(Math.max(...slices)).toBe(PAGE_SLICE / SHOWN_ACTOR_COST);
    await test.stop();
  });
});
