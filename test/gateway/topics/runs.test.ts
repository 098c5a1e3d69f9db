/** Results of ended actors as clients get them: by address, at once or when they come, by page, and without secrets. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SECRET_SHOWN } from '../../../src/actors/model/secret.ts';
import { Placement } from '../../../src/actors/model/placement.ts';
import { RECORD_CHARS_SHOWN } from '../../../src/gateway/limits.ts';
import { type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { type RunPageView, type RunView } from '../../../src/gateway/protocol/run-view.ts';
import { orderAgent } from '../../support/actors/orders.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { type SpreadGatewayTest, startSpreadGateway } from '../../support/gateway/workers-kit.ts';
import { placedNames } from '../../support/workers/actors.ts';

type Front = GatewayTest | SpreadGatewayTest;

const AT = new Placement(2, new Set());
/** Addresses on the first of two workers, and on the second. */
const [here, there] = placedNames((address) => AT.homeOf(address) as number, { count: 3 }) as [string[], string[]];
const [A1, A2, A3] = [here[0]!, there[0]!, here[1]!];

const gateway: GatewayOptions = {
  destructive: true,
  tokens: [
    { id: 'all', token: 'a-token-for-everything' },
    { id: 'one', token: 'a-token-for-one-order', addresses: [A1] },
  ],
};
const system = (isSecret: boolean) => ({ agents: [orderAgent({ isSecret })], tree: { children: [] } });
const FRONTS: Readonly<Record<string, (isSecret: boolean) => Promise<Front>>> = {
  'one system': async (isSecret) => {
    const test = await startGatewayTest(gateway, system(isSecret));
    onTestFinished(() => test.stop());
    return test;
  },
  'two workers': (isSecret) => startSpreadGateway(gateway, system(isSecret)),
};

describe.each(Object.entries(FRONTS))('results, in front of %s', (_, start) => {
  let test: Front;
  let client: MemoryClient;

  const begin = async (isSecret = false) => {
    test = await start(isSecret);
    client = await test.client({ token: 'a-token-for-everything' });
  };
  beforeEach(() => begin());

  const answer = async (method: string, p: object, as = client) =>
    (await test.call(as, method, p)) as unknown as { r: unknown; e?: { code: string } };
  const call = async (method: string, p: object) => (await answer(method, p)).r;
  const spawn = (id: string, p: object = {}) =>
    call('actor.spawn', { agent: 'order', id, ...p }) as Promise<{ address: string; run: RunView | null }>;
  const ship = async (id: string, to = id) => {
    await spawn(id);
    await test.advance(1);
    await call('actor.send', { address: id, event: { type: 'ship', to } });
    await test.advance(1);
  };
  const get = async (address: string, p: object = {}) =>
    ((await call('run.get', { address, ...p })) as { run: RunView | null }).run;
  const list = (p: object = {}) => call('run.list', p) as Promise<RunPageView>;

  it('are given to who spawns an ended id, which starts nothing', async () => {
    expect(await spawn(A1)).toEqual({ address: A1, run: null });
    await ship(A1, 'Ada');
    const done = { status: 'done', output: { shippedTo: 'Ada' }, error: null, attempts: 1 };
    expect((await spawn(A1)).run).toMatchObject({ address: A1, agent: 'order', ...done });
    expect((await answer('actor.get', { address: A1 })).e).toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
    expect(await spawn(A1, { again: true })).toEqual({ address: A1, run: null });
    expect(await call('actor.get', { address: A1 })).toMatchObject({ status: 'active' });
  });

  it('are read by address: null for who lives, at once for who has ended, or when it ends', async () => {
    await spawn(A2);
    expect(await get(A2)).toBe(null);
    client.send({ t: 'req', id: 'later', m: 'run.get', p: { address: A2, wait: true } });
    await ship(A2, 'Eve');
    expect(client.last('res', 'later')).toMatchObject({ r: { run: { status: 'done', output: { shippedTo: 'Eve' } } } });
    expect(client.last('res', 'later')).toMatchObject({ r: { run: await get(A2) } });
    expect((await answer('run.get', { address: 'nobody' })).e).toMatchObject({ code: 'BOSUN_ACTOR_UNKNOWN' });
  });

  it('are listed by page in order of time, over all workers', async () => {
    for (const id of [A1, A2, A3]) await ship(id);
    const first = await list({ limit: 2 });
    expect(first.runs.map(({ address }) => address)).toEqual([A3, A2]);
    expect((await list({ from: first.next })).runs.map(({ address }) => address)).toEqual([A1]);
    expect((await list({ newestFirst: false })).runs.map(({ address }) => address)).toEqual([A1, A2, A3]);
    expect(await list({ status: 'failed' })).toEqual({ runs: [], next: null });
    expect((await answer('run.list', { from: 'x' })).e).toMatchObject({ code: 'BOSUN_CALL_INVALID' });
  });

  it('end a page early where they are long', async () => {
    const long = 'x'.repeat(Math.ceil(RECORD_CHARS_SHOWN * 0.6));
    for (const id of [A1, A2, A3]) await ship(id, long);
    const page = await list();
    expect(page.runs.map(({ address }) => address)).toEqual([A3]);
    expect((await list({ from: page.next })).runs.map(({ address }) => address)).toEqual([A2]);
  });

  it('hide secret output, and are listed for those only who may reach every address', async () => {
    await begin(true);
    await ship(A1, 'hush-hush');
    expect((await get(A1))!.output).toEqual({ shippedTo: SECRET_SHOWN });
    expect((await list()).runs[0]!.output).toEqual({ shippedTo: SECRET_SHOWN });
    const one = await test.client({ token: 'a-token-for-one-order' });
    expect((await answer('run.get', { address: A1 }, one)).r).toMatchObject({ run: { address: A1 } });
    for (const [method, p] of [
      ['run.list', {}],
      ['run.get', { address: A2 }],
    ] as const)
      expect((await answer(method, p, one)).e).toMatchObject({ code: 'BOSUN_FORBIDDEN' });
  });
});
