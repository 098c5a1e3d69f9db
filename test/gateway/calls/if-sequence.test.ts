/** Compare and set: a request that takes effect only if the actor is still as the client has seen it. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

interface Answer {
  readonly ok: boolean;
  readonly r?: { readonly taken?: boolean; readonly sequence?: number };
  readonly e?: { readonly code: string; readonly details?: { readonly sequence?: number } };
}

const add = (ifSequence: number, by = 1) => ({ address: 'visits', event: { type: 'add', by }, ifSequence });

async function start(): Promise<{
  test: GatewayTest;
  client: MemoryClient;
  call: (m: string, p?: object) => Promise<Answer>;
  view: () => Promise<{ sequence: number; context: { count: number } }>;
}> {
  const test = await startGatewayTest({ destructive: true });
  const client = await test.client();
  const call = async (m: string, p: object = {}) => (await test.call(client, m, p)) as unknown as Answer;
  return { test, client, call, view: async () => (await call('actor.get', { address: 'visits' })).r as never };
}

describe('a send with a sequence', () => {
  it('is taken if the actor is at that sequence, and is refused if the actor has moved on', async () => {
    const { test, call, view } = await start();
    const { sequence } = await view();
    expect(await call('actor.send', add(sequence))).toMatchObject({ ok: true, r: { taken: true } });
    expect(await call('actor.send', add(sequence))).toMatchObject({
      ok: false,
      e: { code: 'BOSUN_ACTOR_CHANGED', details: { address: 'visits', sequence: sequence + 1 } },
    });
    expect(await view()).toMatchObject({ sequence: sequence + 1, context: { count: 1 } });
    await test.stop();
  });

  it('counts once if several sends give the same sequence at once', async () => {
    const { test, call, view } = await start();
    const { sequence } = await view();
    const answers = await Promise.all(Array.from({ length: 10 }, () => call('actor.send', add(sequence))));
    expect(answers.filter(({ ok }) => ok).length).toBe(1);
    expect((await view()).context.count).toBe(1);
    await test.stop();
  });

  it('is checked against the state of the actor when its turn comes, also after a crash', async () => {
    const { test, client, view } = await start();
    const { shard: system } = test.test;
    const { sequence } = await view();
    await system.admin.suspend('visits', { by: 'ada' });
    for (const [id, at] of [
      ['1', sequence],
      ['2', sequence],
      ['3', sequence + 1],
    ] as const)
      client.send({ t: 'req', id, m: 'actor.send', p: add(at) });
    await test.settle();
    await test.test.crash();
    await test.test.restart();
    await test.test.shard.admin.resume('visits', { by: 'ada' });
    await test.settle();
    // The first and the third: the second has seen what was changed before its turn.
    expect(test.test.shard.snapshot('visits')!.context).toMatchObject({ count: 2 });
    await test.test.shard.stop();
  });

  it('keeps its condition in a repeat by key: with another condition it is a different request', async () => {
    const { test, client, view } = await start();
    const { sequence } = await view();
    const keyed = async (ifSequence: number) => {
      client.send({ t: 'req', id: `${client.frames.length}`, m: 'actor.send', p: add(ifSequence), key: 'k' });
      await test.settle();
      return client.frames.at(-1);
    };
    expect(await keyed(sequence)).toMatchObject({ ok: true, r: { taken: true } });
    expect(await keyed(sequence)).toMatchObject({ ok: true, replayed: true, r: { taken: null } });
    expect(await keyed(sequence + 1)).toMatchObject({ ok: false, e: { code: 'BOSUN_KEY_CONFLICT' } });
    await test.stop();
  });

  it('is answered with 412 over HTTP if the sequence is wrong', async () => {
    const { test, view } = await start();
    const { sequence } = await view();
    onTestFinished(() => test.stop());
    const gateway = createGateway(test.test.shard, { port: 0 });
    onTestFinished(() => gateway.close());
    const { url } = await gateway.listen();
    const { address: _, ...body } = add(sequence + 7);
    const sent = await fetch(`${url}/v1/actors/visits/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(sent.status).toBe(412);
  });
});

describe('a state that is replaced', () => {
  it('must belong to a suspended actor and be at the given sequence', async () => {
    const { test, call, view } = await start();
    const replace = (ifSequence?: number) =>
      call('actor.replace', {
        address: 'visits',
        context: { count: 40, seen: [] },
        reason: 'counted wrong',
        ...(ifSequence !== undefined && { ifSequence }),
      });
    expect(await replace()).toMatchObject({ e: { code: 'BOSUN_ORDER_REFUSED' } });
    const { sequence } = await view();
    await call('actor.send', add(sequence));
    await call('actor.suspend', { address: 'visits' });
    expect(await replace(sequence)).toMatchObject({
      e: { code: 'BOSUN_ACTOR_CHANGED', details: { sequence: sequence + 1 } },
    });
    expect(await replace(sequence + 1)).toMatchObject({ ok: true, r: { status: 'suspended', context: { count: 40 } } });
    expect(await call('actor.replace', { address: 'visits', value: 'nowhere' })).toMatchObject({
      e: { code: 'BOSUN_ORDER_REFUSED' },
    });
    await call('actor.resume', { address: 'visits' });
    expect((await view()).context.count).toBe(40);
    const { records } = (await call('audit.list')).r as unknown as {
      records: { order: string; outcome: string; reason: string | null }[];
    };
    expect(records.filter(({ order }) => order === 'replaceState').map(({ outcome }) => outcome)).toEqual([
      'BOSUN_ORDER_REFUSED',
      'done',
      'BOSUN_ACTOR_CHANGED',
      'BOSUN_ORDER_REFUSED',
    ]);
    await test.stop();
  });
});
