/** The inspection of one actor by a client, its chart, its last step, and the state of the system. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import { type Drawing } from '../../../src/gateway/charts/drawing.ts';
import { chartOf } from '../../../src/gateway/charts/model.ts';
import { BosunError } from '../../../src/errors.ts';
import { INSPECTED_MESSAGES_MAX } from '../../../src/limits.ts';
import { LISTING_HZ } from '../../../src/gateway/limits.ts';
import { type GatewayTest, type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';
import { counter } from '../../support/gateway/shop.ts';

/** A machine with children: a machine, and a promise. */
const line = setup({ types: {} as { events: { type: 'pack' } } }).createMachine({
  id: 'line',
  initial: 'empty',
  states: { empty: {}, full: {} },
});
const depot = defineAgent({
  name: 'depot',
  machine: setup({
    types: {} as { events: { type: 'open' } | { type: 'close' } },
    actors: { line, wait: fromPromise<void>(() => new Promise(() => {})) },
  }).createMachine({
    id: 'depot',
    initial: 'shut',
    states: {
      shut: { on: { open: 'working' } },
      working: {
        invoke: [
          { id: 'line', src: 'line' },
          { id: 'wait', src: 'wait' },
        ],
        on: { close: 'shut' },
      },
    },
  }),
  events: { open: z.object({}), close: z.object({}) },
});

let test: GatewayTest;
let client: MemoryClient;

beforeEach(async () => {
  test = await startGatewayTest(
    {
      tokens: [
        { id: 'ada', token: 'a-token-of-ada-00', addresses: ['root', 'visits', 'depot', 'depot/**'] },
        { id: 'eve', token: 'a-token-of-eve-00', scopes: ['actor:read'], addresses: ['till'] },
      ],
    },
    {
      agents: [counter, depot],
      tree: {
        children: [
          { id: 'visits', agent: 'counter' },
          { id: 'depot', agent: 'depot' },
        ],
      },
    },
  );
  client = await test.client({ token: 'a-token-of-ada-00' });
});
afterEach(() => test.stop());

const send = (address: string, type: string, fields: object = {}) => test.test.shard.send(address, { type, ...fields });
const result = async (m: string, p: object) => (await answer(client, m, p)).r!;
const refusal = async (as: MemoryClient, m: string, p: object) => (await answer(as, m, p)).e?.code;

let calls = 0;

async function answer(as: MemoryClient, m: string, p: object) {
  const id = `own-${++calls}`;
  as.send({ t: 'req', id, m, p });
  // A chart is laid out in a thread of its own, which no settling waits for.
  do await test.settle();
  while (as.last('res', id) === undefined);
  return as.last('res', id) as unknown as {
    readonly r?: Record<string, unknown>;
    readonly e?: { readonly code: string };
  };
}

describe('actor.inspect', () => {
  it('shows unread messages by type and sender, oldest first, without contents', async () => {
    await test.test.shard.admin.suspend('visits', { by: 'ada', reason: 'stock taking' });
    await send('visits', 'add', { by: 7 });
    await test.call(client, 'actor.send', { address: 'visits', event: { type: 'close' } });
    await test.advance(500);
    const seen = await result('actor.inspect', { address: 'visits' });
    expect(seen).toMatchObject({
      address: 'visits',
      agent: 'counter',
      kind: 'machine',
      parent: 'root',
      suspended: { by: 'ada', reason: 'stock taking' },
      mailbox: 2,
      unread: [
        { kind: 'event', event: 'add', from: 'host', deliveries: 0 },
        { kind: 'event', event: 'close', from: 'client', deliveries: 0 },
      ],
      last: null,
    });
    expect(JSON.stringify(seen)).not.toContain('7}');
  });

  it(`names at most ${INSPECTED_MESSAGES_MAX} messages`, async () => {
    await test.test.shard.admin.suspend('visits', { by: 'ada' });
    for (let n = 0; n <= INSPECTED_MESSAGES_MAX; n++) await send('visits', 'add', { by: n });
    const { mailbox, unread } = await result('actor.inspect', { address: 'visits' });
    expect([mailbox, (unread as unknown[]).length]).toEqual([INSPECTED_MESSAGES_MAX + 1, INSPECTED_MESSAGES_MAX]);
  });

  it('is refused to callers that may not reach the actor', async () => {
    const eve = await test.client({ token: 'a-token-of-eve-00' });
    expect([
      await refusal(eve, 'actor.inspect', { address: 'visits' }),
      await refusal(client, 'actor.inspect', { address: 'depot/nobody' }),
    ]).toEqual(['BOSUN_FORBIDDEN', 'BOSUN_ACTOR_UNKNOWN']);
  });
});

describe('chart.get', () => {
  it('draws the machine of an actor with its active states, and omits a drawing that the client has', async () => {
    const { hash, machine, active, drawing } = (await result('chart.get', { address: 'visits' })) as unknown as {
      hash: string;
      machine: string;
      active: string[];
      drawing: Drawing;
    };
    const chart = chartOf(counter.machine);
    expect([hash, machine, active]).toEqual([chart.hash, '(machine)', ['(machine)', '(machine).open']]);
    expect(drawing.states.map(({ id }) => id)).toEqual(chart.states.map(({ id }) => id));
    expect(drawing.edges.map(({ id }) => id)).toEqual(chart.transitions.map(({ id }) => id));
    expect(await result('chart.get', { address: 'visits', known: hash })).toEqual({
      hash,
      machine,
      active,
      drawing: null,
    });
  });

  it('knows the machines of Bosses and of children of machines, and refuses other logic', async () => {
    await send('depot', 'open');
    await test.settle();
    expect(await result('chart.get', { address: 'root' })).toMatchObject({
      machine: expect.stringMatching(/boss/i) as string,
    });
    expect(await result('chart.get', { address: 'depot/line' })).toMatchObject({
      machine: 'line',
      active: ['line', 'line.empty'],
    });
    expect(await refusal(client, 'chart.get', { address: 'depot/wait' })).toBe('BOSUN_CHART_UNKNOWN');
    expect(await refusal(client, 'chart.get', { address: 'depot/nobody' })).toBe('BOSUN_ACTOR_UNKNOWN');
  });
});

describe('the topic inspection', () => {
  it('shows the last step with its edge in the chart, while there is a subscriber', async () => {
    client.send({ t: 'sub', id: 's', topic: 'inspection/visits' });
    await test.settle();
    expect(client.view('s')).toMatchObject({ last: null });
    await send('visits', 'add', { by: 1 });
    await test.advance(1_000 / LISTING_HZ);
    await send('visits', 'close');
    await test.advance(1_000 / LISTING_HZ);
    expect(client.view('s')).toMatchObject({
      last: { event: 'close', edges: ['(machine).open|close|0'], sequence: 3 },
    });
    client.send({ t: 'unsub', id: 's' });
    await test.settle();
    expect(await result('actor.inspect', { address: 'visits' })).toMatchObject({ last: null });
  });

  it('ends with the actor, and is refused for an address without one', async () => {
    client.send({ t: 'sub', id: 'a', topic: 'inspection/depot/nobody' });
    client.send({ t: 'sub', id: 'b', topic: 'inspection/depot' });
    await test.settle();
    expect(client.last('end', 'a')).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
    await test.test.shard.boss('root').terminateChild('depot');
    await test.advance(1_000 / LISTING_HZ);
    expect(client.last('end', 'b')).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
  });
});

describe('a welcome', () => {
  it('says whether the caller may use destructive methods', async () => {
    const may = async (options: Parameters<typeof startGatewayTest>[0], hello: object = {}) => {
      const other = await startGatewayTest(options);
      const { principal } = (await other.client(hello)).last('welcome') as unknown as {
        principal: { mayDestroy: boolean };
      };
      await other.stop();
      return principal.mayDestroy;
    };
    const operator = 'the-operators-token';
    const reader = { id: 'eve', token: 'a-token-of-eve-00', scopes: ['actor:read'] as const };
    expect([
      await may({}),
      await may({ destructive: true }),
      await may({ operator }),
      await may({ operator }, { token: operator }),
      await may({ destructive: true, tokens: [reader] }, { token: reader.token }),
    ]).toEqual([false, true, false, true, false]);
  });
});

describe('system.info', () => {
  it('answers during an outage in which the store is closed (F7)', async () => {
    const { store, shard: system } = test.test;
    store.bytes = () => Promise.reject(new BosunError('BOSUN_STORE_FAILED', 'the store is not open'));
    store.failWrites(() => true);
    void system.send('visits', { type: 'add', by: 1 }).catch(() => {});
    await test.settle();
    expect(await result('system.info', {})).toMatchObject({ outage: 'BOSUN_STORE_UNAVAILABLE', storeBytes: null });
  });

  it('reports the state of the system; a store in memory has no size', async () => {
    expect(await result('system.info', {})).toMatchObject({
      outage: null,
      damaged: 0,
      unreadable: 0,
      deadLetters: 0,
      storeBytes: null,
      gateway: { 'connections.open': 1 },
    });
  });
});
