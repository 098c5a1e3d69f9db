/**
 * Turns over the gateway: the topic `trace/{address}`, `actor.turns` and `actor.history`: in order, resumed, bounded,
 * without secrets, and only for callers that may see them.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { SECRET_SHOWN } from '../../../src/actors/model/secret.ts';
import { TURNS_WHOLE_MAX } from '../../../src/gateway/limits.ts';
import { LONG } from '../../support/effort.ts';
import {
  type Frame,
  type GatewayTest,
  type MemoryClient,
  startGatewayTest,
} from '../../support/gateway/memory-client.ts';
import { counter, shop, till } from '../../support/gateway/shop.ts';

let test: GatewayTest;
afterEach(() => test.stop());

const tokens = [
  { id: 'all', token: 'a-token-for-everything' },
  { id: 'visits', token: 'a-token-for-the-visits', addresses: ['visits', 'back/**'] },
  { id: 'blind', token: 'a-token-without-reading', scopes: ['actor:send'] as const },
];
const start = async (options = {}) => (test = await startGatewayTest(options));
const turnsOf = (client: MemoryClient, id = 's') =>
  client.of('evt', id).map((frame) => frame['e'] as Record<string, unknown>);
const add = (by: number, tag?: string) => ({ type: 'add', by, ...(tag !== undefined && { tag }) });
const subscribe = async (client: MemoryClient, address: string, from?: unknown, id = 's') => {
  client.send({ t: 'sub', id, topic: `trace/${address}`, mode: 'events', from });
  await test.settle();
  return client.last('snap', id) ?? client.last('end', id);
};
const send = async (address: string, event: { type: string }) => {
  await test.test.shard.send(address, event);
  await test.settle();
};

describe('trace/{address}', () => {
  it('sends the complete turns of a subtree once they are durable', async () => {
    await start();
    const client = await test.client();
    expect(await subscribe(client, 'visits')).toMatchObject({ t: 'snap', recovered: false });
    await send('visits', add(2, 'x'));
    await send('back/visits', add(1));
    expect(turnsOf(client)).toMatchObject([
      {
        kind: 'transition',
        address: 'visits',
        agent: 'counter',
        event: add(2, 'x'),
        cause: null,
        change: { set: { count: 2, seen: ['x'] } },
        value: 'open',
        microsteps: [[{ edge: '(machine).open|add|0' }]],
        error: null,
      },
    ]);
    const held = test.test.store.hold('before');
    void test.test.shard.send('visits', add(1));
    await held.reached;
    await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    expect(turnsOf(client).length).toBe(1);
    held.release();
    await test.settle();
    expect(turnsOf(client).length).toBe(2);
  });

  it('resumes where a client left off, with only the names of the turns in between', async () => {
    await start();
    const first = await test.client();
    await subscribe(first, 'root');
    await send('visits', add(1, 'a'));
    const { at } = first.last('evt', 's') as Frame & { at: object };
    first.drop();
    await send('visits', add(2, 'b'));
    const second = await test.client();
    expect(await subscribe(second, 'root', at)).toMatchObject({ recovered: true, at });
    await send('visits', add(3, 'c'));
    expect(turnsOf(second).map(({ event, change }) => [event, change])).toEqual([
      [{ type: 'add' }, null],
      [add(3, 'c'), { set: { count: 6, seen: ['a', 'b', 'c'] } }],
    ]);
    expect(await subscribe(second, 'root', { epoch: 'another run', seq: 1 }, 'other')).toMatchObject({
      recovered: false,
    });
  });

  it('is not recovered for a client that was away for too many turns', LONG, async () => {
    await start();
    const client = await test.client();
    await subscribe(client, 'visits');
    await send('visits', add(1));
    const { at } = client.last('evt', 's') as Frame & { at: { epoch: string; seq: number } };
    for (let n = 0; n < 2; n++) {
      await Promise.all(Array.from({ length: 5_001 }, () => test.test.shard.send('visits', add(0))));
      await test.settle();
    }
    const other = await test.client();
    expect(await subscribe(other, 'visits', at)).toMatchObject({ recovered: false });
  });

  it(`keeps ${TURNS_WHOLE_MAX} complete turns for a client that does not read, and names of the rest`, async () => {
    await start();
    const client = await test.client();
    await subscribe(client, 'visits');
    const whole = async (count: number) => {
      client.isReading = false;
      client.buffered = 2 * 1024 * 1024;
      await send('visits', add(0));
      const before = turnsOf(client).length;
      await Promise.all(Array.from({ length: count }, () => test.test.shard.send('visits', add(0))));
      await test.settle();
      client.read();
      // Sixty-four at a time.
      for (let round = 0; round < 10; round++) await test.settle();
      const told = turnsOf(client).slice(before);
      return [told.length, told.filter(({ change }) => change !== null).length];
    };
    expect(await whole(TURNS_WHOLE_MAX)).toEqual([TURNS_WHOLE_MAX, TURNS_WHOLE_MAX]);
    expect(await whole(TURNS_WHOLE_MAX + 5)).toEqual([TURNS_WHOLE_MAX + 5, TURNS_WHOLE_MAX]);
  });

  it('hides secrets in events and in contexts', async () => {
    await start();
    const client = await test.client();
    await subscribe(client, 'till');
    await send('till', { type: 'pay', card: '4111-1111', amount: 3 } as { type: string });
    expect(turnsOf(client)).toMatchObject([
      {
        event: { type: 'pay', card: SECRET_SHOWN, amount: 3 },
        change: { set: { card: SECRET_SHOWN } },
        actions: ['emit pay'],
      },
    ]);
    expect(JSON.stringify(client.frames)).not.toContain('4111-1111');
  });

  it('needs the right to read, and shows only actors that the caller may reach', async () => {
    await start({ tokens });
    const visits = await test.client({ token: tokens[1]!.token });
    await subscribe(visits, 'root');
    await send('till', { type: 'pay', card: '4111-1111', amount: 3 } as { type: string });
    await send('visits', add(1));
    await send('back/visits', add(1));
    expect(turnsOf(visits).map(({ address }) => address)).toEqual(['visits', 'back/visits']);
    const blind = await test.client({ token: tokens[2]!.token });
    expect(await subscribe(blind, 'root')).toMatchObject({ t: 'end', e: { code: 'BOSUN_FORBIDDEN' } });
    expect(await test.call(visits, 'actor.turns', { address: 'till' })).toMatchObject({
      ok: false,
      e: { code: 'BOSUN_FORBIDDEN' },
    });
    expect(await test.call(visits, 'actor.history', { address: 'till' })).toMatchObject({
      ok: false,
      e: { code: 'BOSUN_FORBIDDEN' },
    });
  });
});

describe('actor.turns', () => {
  it('has the turns from before the first subscription', async () => {
    await start();
    await send('visits', add(1, 'x'));
    const client = await test.client();
    const { r } = (await test.call(client, 'actor.turns', { address: 'visits' })) as unknown as {
      r: { turns: { kind: string; event: unknown; change: unknown; number: number }[] };
    };
    expect(r.turns.map(({ kind, event, change }) => [kind, event, change])).toEqual([
      ['spawn', null, null],
      ['transition', { type: 'add' }, null],
    ]);
    expect(await test.call(client, 'actor.turns', { address: 'visits', after: r.turns.at(-1)!.number })).toMatchObject({
      r: { turns: [] },
    });
    expect(await test.call(client, 'actor.turns', { address: 'visits', limit: 1 })).toMatchObject({
      r: { turns: [{ kind: 'transition' }] },
    });
  });
});

describe('actor.history', () => {
  it('has the turns that an agent keeps, with contexts and without secrets, also after a crash', async () => {
    const { events, shown } = till;
    const keeping = defineAgent({ name: 'till', machine: till.machine, events, shown, trace: { keep: 3 } });
    test = await startGatewayTest(
      {},
      shop({
        agents: [counter, keeping],
        tree: {
          children: [
            { id: 'till', agent: 'till' },
            { id: 'visits', agent: 'counter' },
          ],
        },
      }),
    );
    await send('till', { type: 'pay', card: '4111-1111', amount: 3 } as { type: string });
    await test.crash();
    await test.restart();
    const client = await test.client();
    const answer = await test.call(client, 'actor.history', { address: 'till' });
    expect(answer).toMatchObject({
      r: {
        turns: [
          { kind: 'spawn', number: 1 },
          {
            event: { card: SECRET_SHOWN, amount: 3 },
            context: { card: SECRET_SHOWN, owner: { name: 'Ada', pin: SECRET_SHOWN }, notes: [] },
          },
        ],
      },
    });
    expect(JSON.stringify(answer)).not.toMatch(/4111|4711/);
    expect(await test.call(client, 'actor.history', { address: 'visits' })).toMatchObject({ r: { turns: [] } });
    expect(await test.call(client, 'actor.history', { address: 'nobody' })).toMatchObject({
      e: { code: 'BOSUN_ACTOR_UNKNOWN' },
    });
  });
});
