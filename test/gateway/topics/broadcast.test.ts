/**
 * Many subscribers of one actor: the work that they share, the turns of the scheduler, and the bounds of connections.
 */
import { describe, expect, it, vi } from 'vitest';
import { frameText } from '../../../src/gateway/client/frame-text.ts';
import { type ServerFrame } from '../../../src/gateway/protocol/frames.ts';
import { Scheduler } from '../../../src/gateway/topics/scheduler.ts';
import { ActorViews } from '../../../src/gateway/topics/actor-views.ts';
import { CONNECTIONS_PER_CALLER_MAX, PUMP_SLICE_MS } from '../../../src/gateway/limits.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { type MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const MANY = { connections: 60, connectionsPerCaller: 60, rate: { burst: 1e6, perSecond: 1e6 } };

describe('subscribers of one actor', () => {
  it('share one view of each change, which every subscriber gets under its own id', async () => {
    const test = await startGatewayTest(MANY);
    const clients: MemoryClient[] = [];
    for (let n = 0; n < 50; n++) clients.push(await test.client());
    clients.forEach((client, n) => client.send({ t: 'sub', id: `s${n}`, topic: 'actor/visits' }));
    await test.settle();
    const looks = vi.spyOn(ActorViews.prototype, 'actor');
    for (let by = 1; by <= 3; by++) {
      await test.call(clients[0]!, 'actor.send', { address: 'visits', event: { type: 'add', by } });
      expect(looks.mock.calls.length).toBe(by);
    }
    looks.mockRestore();
    for (const [n, client] of clients.entries()) {
      expect(client.view(`s${n}`)).toMatchObject({ context: { count: 6 } });
      expect(client.of('delta').map(({ id }) => id)).toEqual([`s${n}`, `s${n}`, `s${n}`]);
    }
    await test.stop();
  });

  it('may come and go, and the last one that leaves ends the subscription', async () => {
    const test = await startGatewayTest(MANY);
    const [first, second] = [await test.client(), await test.client()];
    first.send({ t: 'sub', id: 's', topic: 'actor/visits' });
    second.send({ t: 'sub', id: 's', topic: 'actor/visits' });
    await test.settle();
    first.send({ t: 'unsub', id: 's' });
    await test.call(second, 'actor.send', { address: 'visits', event: { type: 'add', by: 1 } });
    expect([first.of('delta').length, second.of('delta').length]).toEqual([0, 1]);
    second.drop();
    const third = await test.client();
    third.send({ t: 'sub', id: 's', topic: 'actor/visits' });
    await test.call(third, 'actor.send', { address: 'visits', event: { type: 'add', by: 1 } });
    expect([third.view('s'), second.of('delta').length]).toMatchObject([{ context: { count: 2 } }, 1]);
    await test.stop();
  });
});

describe('a frame', () => {
  it.each<ServerFrame>([
    {
      t: 'delta',
      id: 'a "quoted" id',
      prev: 1,
      at: { epoch: '2.ff', seq: 2 },
      ops: [
        { op: 'replace', path: '/context/text', value: 'ü\u2028"' },
        { op: 'remove', path: '' },
      ],
    },
    { t: 'evt', id: 's', at: { epoch: 'x.0', seq: 9 }, address: 'a/b', e: { type: 'told', text: 'ü\u2028"' } },
    { t: 'pong' },
  ])('a frame of the kind $t has the text of its JSON, also when it is encoded a second time', (frame) => {
    for (const _ of [1, 2]) expect(frameText(frame)).toBe(JSON.stringify(frame));
  });
});

describe('the scheduler', () => {
  it(`yields the event loop after ${PUMP_SLICE_MS} ms, and keeps the order of tasks`, () => {
    const clock = new VirtualClock();
    let nowMs = 0;
    const turns: (() => void)[] = [];
    const scheduler = new Scheduler(
      Object.assign(Object.create(clock) as VirtualClock, {
        monotonicMs: () => nowMs,
        defer: (turn: () => void) => void turns.push(turn),
      }),
    );
    const order: number[] = [];
    const pump = (n: number) => () => {
      order.push(n);
      nowMs += 1;
      if (n === 0) scheduler.later(pump(100));
    };
    for (let n = 0; n < 12; n++) scheduler.later(pump(n));
    const seen: number[] = [];
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      turn();
      seen.push(order.length);
    }
    expect(seen).toEqual([PUMP_SLICE_MS, 2 * PUMP_SLICE_MS, 13]);
    expect(order).toEqual([...Array.from({ length: 12 }, (_, n) => n), 100]);
  });
});

describe('connections', () => {
  it('are bounded per caller and in total', async () => {
    const test = await startGatewayTest({
      connections: 5,
      connectionsPerCaller: 3,
      tokens: ['ada', 'bob'].map((id) => ({ id, token: `token-of-${id}-0123456789` })),
    });
    const connect = async (id: string) => (await test.client({ token: `token-of-${id}-0123456789` })).closed?.code;
    expect([await connect('ada'), await connect('ada'), await connect('ada'), await connect('ada')]).toEqual([
      undefined,
      undefined,
      undefined,
      4429,
    ]);
    // The refused connection is not closed yet, and gives way: five are open with those of bob.
    expect([await connect('bob'), await connect('bob'), await connect('bob')]).toEqual([undefined, undefined, 4503]);
    await test.stop();
  });

  it('make room for new ones of their caller when they are closed', async () => {
    const test = await startGatewayTest();
    const clients: MemoryClient[] = [];
    for (let n = 0; n < CONNECTIONS_PER_CALLER_MAX; n++) clients.push(await test.client());
    const refused = await test.client();
    expect(refused.closed?.code).toBe(4429);
    refused.drop();
    clients[0]!.drop();
    clients[0]!.drop();
    expect((await test.client()).closed).toBe(undefined);
    expect((await test.client()).closed?.code).toBe(4429);
    await test.stop();
  });
});
