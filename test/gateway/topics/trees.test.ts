/** A tree with a subscriber: it comes by page, follows changes, and blocks no other client, however large it is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Caller } from '../../../src/gateway/callers/callers.ts';
import { LISTED_MAX, PAGE_SLICE, SHOWN_ACTOR_COST, TREE_PAGE } from '../../../src/gateway/limits.ts';
import { patched, type PatchOp } from '../../../src/gateway/protocol/patch.ts';
import { type ListedActor, type PagedTree, type TreeBranch } from '../../../src/gateway/protocol/views.ts';
import { TreePage } from '../../../src/gateway/topics/actor-pages.ts';
import { ShownTree } from '../../../src/gateway/topics/shown-tree.ts';
import { byEffort, LONG } from '../../support/effort.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const FAST = { rate: { burst: 1e9, perSecond: 1e9 } };
const OPERATOR = { ...FAST, operator: 'token-of-the-operator' };
const counters = (count: number) => ({
  children: Array.from({ length: count }, (_, n) => ({ id: `visits-${n}`, agent: 'counter' })),
});

type Shown = PagedTree & { readonly children: readonly TreeBranch[] };

function sizeOf({ children = [] }: { readonly children?: readonly TreeBranch[] | undefined }): number {
  return children.reduce((size, child) => size + sizeOf(child), 1);
}

async function watched(test: GatewayTest, options: object = {}): Promise<MemoryClient> {
  const client = await test.client({ token: OPERATOR.operator });
  client.send({ t: 'sub', id: 's', topic: 'tree', ...options });
  return client;
}

const viewOf = (client: MemoryClient) => client.view('s') as Shown;

/** Waits until the view has as many actors. */
async function grown(test: GatewayTest, client: MemoryClient, size: number): Promise<void> {
  while (client.last('snap', 's') === undefined || sizeOf(viewOf(client)) < size) await test.settle();
}

describe('a subscribed tree', () => {
  it(`comes by page, ${TREE_PAGE} actors in a frame`, async () => {
    const test = await startGatewayTest(OPERATOR, { tree: counters(600) });
    const client = await watched(test);
    await grown(test, client, 601);
    const [snap, ...deltas] = client.frames.filter(({ t }) => t === 'snap' || t === 'delta');
    expect(sizeOf((snap as unknown as { d: Shown }).d)).toBe(TREE_PAGE);
    expect((snap as unknown as { d: Shown }).d.next).toEqual(expect.any(String));
    const added = deltas.map(({ ops }) => (ops as readonly PatchOp[]).filter(({ op }) => op === 'add').length);
    expect(added).toEqual([101]);
    expect(viewOf(client).next).toBe(undefined);
    const addresses = viewOf(client).children.map(({ address }) => address);
    expect(addresses.sort()).toEqual(
      counters(600)
        .children.map(({ id }) => id)
        .sort(),
    );
    await test.stop();
  });

  it('is made in slices, one per round of the event loop', async () => {
    const test = await startGatewayTest(OPERATOR, { tree: counters(600) });
    const made = nodesOf(test);
    const client = await watched(test);
    const rounds: number[] = [];
    const watch = async (isOver: () => boolean) => {
      while (!isOver()) {
        made.count = 0;
        await new Promise<void>((resolve) => setImmediate(resolve));
        rounds.push(made.count);
      }
    };
    await watch(() => client.of('snap').length > 0 && sizeOf(viewOf(client)) > 600);
    await test.test.shard.send('visits-7', { type: 'close' });
    await test.settle();
    void test.advance(1_000);
    await watch(() => viewOf(client).children.some((child) => child.hidden !== true && child.state === 'closed'));
    expect(Math.max(...rounds)).toBe(PAGE_SLICE / SHOWN_ACTOR_COST);
    await test.stop();
  });

  it('follows new, changed and removed actors on any of its pages; new actors come last', async () => {
    const test = await startGatewayTest(OPERATOR, { tree: counters(600) });
    const client = await watched(test);
    await grown(test, client, 601);
    const { shard: system } = test.test;
    await system.boss().startChild({ id: 'a', agent: 'counter' });
    await system.boss().startChild({ id: 'z', boss: { children: [{ id: 'below', agent: 'counter' }] } });
    for (const id of ['visits-0', 'visits-99']) await system.send(id, { type: 'close' });
    for (const id of ['visits-1', 'visits-98']) await system.erase(id);
    await test.advance(1_000);
    const { children } = viewOf(client);
    const closed = children.filter((child) => child.hidden !== true && child.state === 'closed');
    expect(closed.map(({ address }) => address)).toEqual(['visits-0', 'visits-99']);
    expect(children.filter(({ address }) => ['visits-1', 'visits-98'].includes(address))).toEqual([]);
    expect(children.slice(-2)).toMatchObject([{ address: 'a' }, { address: 'z', children: [{ address: 'z/below' }] }]);
    expect(sizeOf(viewOf(client))).toBe(601 + 3 - 2);
    await test.stop();
  });

  it('is recovered if it is one page and has not changed', async () => {
    const test = await startGatewayTest(OPERATOR);
    const from = async (before?: object) => {
      const client = await watched(test, { ...(before && { from: before }) });
      await test.settle();
      const { at, recovered } = client.last('snap')! as unknown as { at: object; recovered: boolean };
      client.drop();
      return { at, recovered };
    };
    const first = await from();
    expect(await from(first.at)).toEqual({ at: first.at, recovered: true });
    await test.test.shard.send('visits', { type: 'close' });
    expect(await from(first.at)).toMatchObject({ recovered: false });
    await test.stop();
  });

  it('is sent again as a whole if it has several pages', LONG, async () => {
    const test = await startGatewayTest(OPERATOR, { tree: counters(600) });
    const client = await watched(test);
    await grown(test, client, 601);
    const { at } = client.last('delta')!;
    const other = await watched(test, { from: at });
    await grown(test, other, 601);
    expect(other.last('snap')).toMatchObject({ recovered: false });
    await test.stop();
  });

  it(`has the first ${LISTED_MAX} actors, and says where the remaining actors begin`, LONG, async () => {
    const test = await startGatewayTest(OPERATOR, { tree: counters(LISTED_MAX + TREE_PAGE) });
    const client = await watched(test);
    await grown(test, client, LISTED_MAX);
    const { next } = viewOf(client);
    await test.test.shard.erase('visits-0');
    while (viewOf(client).next === next) await test.advance(1_000);
    expect([sizeOf(viewOf(client)), viewOf(client).next! > next!]).toEqual([LISTED_MAX, true]);
    await test.stop();
  });

  it('ends when its actor is removed', async () => {
    const test = await startGatewayTest(OPERATOR);
    const client = await watched(test, { topic: 'tree/visits' });
    await test.settle();
    await test.test.shard.erase('visits');
    await test.advance(1_000);
    expect(client.last('end', 's')).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    await test.stop();
  });
});

/** Counts the actors that are made from now on. */
function nodesOf({ test: { shard: system } }: GatewayTest): { count: number } {
  const made = { count: 0 };
  const listed = system.listed.bind(system);
  system.listed = function* (address, which) {
    for (const actor of listed(address, which)) {
      if (actor === undefined) continue;
      const node = actor.node.bind(actor);
      actor.node = () => {
        made.count += 1;
        return node();
      };
      yield actor;
    }
  };
  return made;
}

/** A population as the kernel lists it: an actor by its path, with a state. */
type Population = ReadonlyMap<string, number>;

const ALL: Caller = { id: 'all', scopes: new Set(), addresses: ['**'], expiresAtMs: undefined };

function actorOf(address: string, state: number): ListedActor {
  const cut = address.lastIndexOf('/');
  const parent = address === 'root' ? undefined : actorOf(cut < 0 ? 'root' : address.slice(0, cut), 0);
  const node = () => ({ address, state, lastError: null }) as unknown as ReturnType<ListedActor['node']>;
  const row = () => ({ ...node(), startedAtMs: null });
  return { address, agent: 'a', life: state, parent, row, node };
}

function pageOf(population: Population, after: string | undefined, limit: number): PagedTree {
  const page = new TreePage(ALL, 'root', { depth: Infinity, after, limit });
  const actors = [...population].filter(([address]) => after === undefined || after === 'root' || address > after);
  actors.sort(([a], [b]) => (a < b ? -1 : 1));
  if (after === undefined) page.take(actorOf('root', 0));
  for (const [address, state] of actors) {
    if (page.isFull) break;
    page.take(actorOf(address, state));
  }
  return page.result();
}

/** Addresses with states, in any order. */
function flat(branch: TreeBranch): (readonly [string, unknown])[] {
  const own = branch.hidden === true ? [] : [[branch.address, branch.state] as const];
  return [...own, ...(branch.children ?? []).flatMap(flat)];
}

describe('a tree as a client has it', () => {
  /** A random set of these actors, each with its ancestors. */
  const addresses = ['a', 'a/b', 'a/b/c', 'a/d', 'b', 'b/x', 'b/y', 'b/y/z', 'c'];
  const population = fc
    .dictionary(fc.constantFrom(...addresses), fc.nat({ max: 3 }))
    .map((given) => new Map(Object.entries(given).filter(([address]) => isWhole(address, given))));

  it('equals the actors that exist after each round of changes, and is reproduced by its patches', () => {
    fc.assert(
      fc.property(
        fc.array(population, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 4 }),
        (all, limit) => {
          const first = pageOf(all[0]!, undefined, limit);
          const tree = new ShownTree(first);
          let view: unknown = first;
          const take = (page: PagedTree) =>
            (view = patched(view, JSON.parse(JSON.stringify(tree.take(page))) as PatchOp[]));
          for (const [round, present] of all.entries()) {
            if (round > 0) take(pageOf(present, undefined, limit));
            while (tree.after !== undefined) take(pageOf(present, tree.after, limit));
            expect(view).toEqual(tree.view);
            expect(new Map(flat(view as TreeBranch))).toEqual(new Map([['root', 0], ...present]));
          }
        },
      ),
      { numRuns: byEffort({ quick: 25, ci: 2_000 }) },
    );
  });
});

function isWhole(address: string, given: Readonly<Record<string, number>>): boolean {
  const cut = address.lastIndexOf('/');
  return cut < 0 || (address.slice(0, cut) in given && isWhole(address.slice(0, cut), given));
}
