/**
 * The pace of a connection and its bounds, each at its bound: silence, slowness, rates, numbers, deadlines, the end.
 */
import { assign, emit, setup } from 'xstate';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import {
  CALL_MS,
  CALLS_WAITING_MAX,
  CONNECTIONS_MAX,
  EVENT_BYTES_KEPT_MAX,
  LISTED_MAX,
  CALLS_IN_FLIGHT_MAX,
  CONNECTIONS_PER_CALLER_MAX,
  DRAIN_MS,
  EVENTS_KEPT_MAX,
  FRAME_BYTES_MAX,
  FRAME_DEPTH_MAX,
  FRAME_VALUES_MAX,
  HELLO_MS,
  KEYED_ANSWERS_MAX,
  LISTING_HZ,
  OUT_BYTES_HIGH,
  OUT_BYTES_LOW,
  OUT_BYTES_MAX,
  PING_EVERY_MS,
  RATES_MAX,
  SILENCE_MS_MAX,
  SLOW_MS_MAX,
  STRANGERS_MAX,
  SUBSCRIPTIONS_MAX,
} from '../../../src/limits.ts';
import { flawOf } from '../../../src/gateway/protocol/values.ts';
import { Rates } from '../../../src/gateway/client/rates.ts';
import { EventLog } from '../../../src/gateway/topics/event-log.ts';
import { KeyedAnswers } from '../../../src/gateway/calls/keyed-answers.ts';
import { ActorViews } from '../../../src/gateway/topics/actor-views.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { LONG } from '../../support/effort.ts';
import { MemoryClient, startGatewayTest } from '../../support/gateway/memory-client.ts';

const FAST = { rate: { burst: 1e9, perSecond: 1e9 } };
const codeOf = (frame: unknown) => (frame as { e?: { code?: string } } | undefined)?.e?.code;
const waiting = (id: string) => ({ t: 'req', id, m: 'actor.wait', p: { address: 'visits', value: 'closed' } });

/** Holds as much as it is told, and says so in an event. */
const hoarder = defineAgent({
  name: 'hoarder',
  machine: setup({
    types: {} as {
      context: { text: string; more: string; most: string; n: number };
      events: { type: 'hoard' | 'heap'; chars: number } | { type: 'burst'; count: number };
    },
  }).createMachine({
    context: { text: '', more: '', most: '', n: 0 },
    on: {
      hoard: { actions: assign({ text: ({ event }) => 'x'.repeat(event.chars), n: ({ context }) => context.n + 1 }) },
      heap: {
        actions: assign(({ event }) => ({
          text: 'x'.repeat(event.chars),
          more: 'y'.repeat(event.chars),
          most: 'z'.repeat(event.chars),
        })),
      },
      burst: {
        actions: [
          assign({ n: ({ context }) => context.n + 1 }),
          emit(({ context }) => ({ type: 'beat', n: context.n })),
        ],
      },
    },
  }),
  events: {
    hoard: z.object({ chars: z.number() }),
    heap: z.object({ chars: z.number() }),
    burst: z.object({ count: z.number() }),
  },
});
const withHoarder = { agents: [hoarder], tree: { children: [{ id: 'h', agent: 'hoarder' }] } };
const hoard = (chars: number) => ({ type: 'hoard', chars });

describe('silence', () => {
  it(`of ${HELLO_MS} ms before hello closes with 4408`, async () => {
    const test = await startGatewayTest();
    const client = new MemoryClient(test.gateway);
    await test.advance(HELLO_MS - 1);
    expect(client.closed).toBe(undefined);
    await test.advance(1);
    expect(client.closed?.code).toBe(4408);
    await test.advance(1_000);
    expect(client.isCut).toBe(true);
    await test.stop();
  });

  it(`of ${PING_EVERY_MS} ms gets a ping, of ${SILENCE_MS_MAX} ms a close with 4504; any frame ends it`, async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    await test.advance(PING_EVERY_MS);
    expect(client.of('ping').length).toBe(1);
    client.send({ t: 'pong' });
    await test.advance(SILENCE_MS_MAX - 1);
    expect([client.of('ping').length, client.closed]).toEqual([2, undefined]);
    await test.advance(1);
    expect(client.closed?.code).toBe(4504);
    expect(test.gateway.counts['closed.silent']).toBe(1);
    await test.stop();
  });
});

describe('a client that does not read', () => {
  it('is told once, gets only the latest when it reads again, and a word of what it missed', async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    client.isReading = false;
    await test.test.system.send('h', hoard(OUT_BYTES_HIGH + 1));
    await test.settle();
    expect([client.of('note').length, client.isPaused]).toEqual([1, true]);
    expect(client.last('note')).toMatchObject({ code: 'slow' });
    const before = client.of('delta').length;
    for (let n = 0; n < 10; n++) {
      await test.test.system.send('h', hoard(n));
      await test.settle();
    }
    expect(client.of('delta').length).toBe(before);
    // What is above the low mark is not well yet.
    client.buffered = OUT_BYTES_LOW;
    client.connection.drained();
    expect(client.isPaused).toBe(true);
    client.read();
    expect(client.isPaused).toBe(false);
    await test.settle();
    expect(client.of('delta').length).toBe(before + 1);
    expect(client.last('lag')).toMatchObject({ id: 's', skipped: expect.any(Number) as number });
    expect(client.view('s')).toMatchObject({ context: { text: 'x'.repeat(9) } });
    await test.stop();
  });

  it(`is closed with 4508 after ${SLOW_MS_MAX} ms, and nobody else notices`, async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const [slow, other] = [await test.client(), await test.client()];
    for (const client of [slow, other]) client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    slow.isReading = false;
    await test.test.system.send('h', hoard(OUT_BYTES_HIGH + 1));
    await test.settle();
    await test.advance(SLOW_MS_MAX - 1);
    other.send({ t: 'pong' });
    expect(slow.closed).toBe(undefined);
    await test.advance(1);
    expect(slow.closed?.code).toBe(4508);
    await test.test.system.send('h', hoard(3));
    await test.settle();
    expect(other.view('s')).toMatchObject({ context: { text: 'xxx' } });
    expect(test.gateway.counts['closed.slow_consumer']).toBe(1);
    await test.stop();
  });

  it(`is closed when more than ${OUT_BYTES_MAX} bytes wait for it`, async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    client.isReading = false;
    client.buffered = OUT_BYTES_MAX;
    client.send({ t: 'ping' });
    expect(client.closed).toBe(undefined);
    client.send({ t: 'ping' });
    expect(client.closed?.code).toBe(4508);
    await test.stop();
  });

  it(`misses events when more than ${EVENTS_KEPT_MAX} have come, and is told`, LONG, async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    client.send({ t: 'sub', id: 'e', topic: 'events/**', mode: 'events' });
    client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    client.isReading = false;
    await test.test.system.send('h', hoard(OUT_BYTES_HIGH + 1));
    await test.settle();
    const before = client.of('evt').length;
    await Promise.all(
      Array.from({ length: EVENTS_KEPT_MAX + 5 }, () => test.test.system.send('h', { type: 'burst', count: 1 })),
    );
    await test.settle();
    client.read();
    for (let round = 0; round < 30; round++) await test.settle();
    expect(client.last('lag', 'e')).toMatchObject({ skipped: 5 });
    expect(client.of('evt').length).toBe(before + EVENTS_KEPT_MAX);
    await test.stop();
  });

  it('gets an error in place of what is larger than any client could take', async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    await test.test.system.send('h', { type: 'heap', chars: OUT_BYTES_MAX / 3 });
    await test.settle();
    expect(codeOf(await test.call(client, 'actor.get', { address: 'h' }))).toBe('BOSUN_GATEWAY_FULL');
    expect(await test.call(client, 'actor.list')).toMatchObject({ ok: true });
    expect(client.closed).toBe(undefined);
    await test.stop();
  });
});

describe('a subscription', () => {
  it('with maxHz sends no more often, and tells what it left out', async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/visits', maxHz: 2 });
    for (let n = 0; n < 10; n++) {
      await test.test.system.send('visits', { type: 'add', by: 1 });
      await test.advance(100);
    }
    expect(client.of('delta').length).toBe(3);
    await test.advance(500);
    expect(client.of('delta').length).toBe(3);
    expect(client.last('lag')).toMatchObject({ id: 's', skipped: 4 });
    expect(client.view('s')).toMatchObject({ context: { count: 10 } });
    await test.stop();
  });

  it(`to a tree sends at most ${LISTING_HZ} times a second`, async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'tree' });
    for (let n = 0; n < 20; n++) {
      await test.test.system.send('visits', { type: n % 2 === 0 ? 'close' : 'add', by: 1 });
      await test.advance(50);
    }
    expect(client.of('delta').length).toBeLessThanOrEqual(LISTING_HZ + 1);
    await test.advance(1_000);
    expect(client.view('s')).toMatchObject({ children: [{ address: 'visits', state: 'closed' }, {}, {}, {}] });
    await test.stop();
  });

  it('ends when its actor is removed', async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/visits' });
    await test.test.system.erase('visits');
    await test.settle();
    expect(codeOf(client.last('end', 's'))).toBe('BOSUN_ACTOR_UNKNOWN');
    await test.stop();
  });

  it('sends the whole where a patch would not be shorter', async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    await test.test.system.send('h', hoard(5_000));
    await test.settle();
    expect(client.last('delta')).toMatchObject({ ops: [{ op: 'replace', path: '' }] });
    await test.stop();
  });
});

describe('a bound', () => {
  it(`of ${CALLS_IN_FLIGHT_MAX} calls in flight`, async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    for (let n = 0; n <= CALLS_IN_FLIGHT_MAX; n++) client.send(waiting(`${n}`));
    await test.settle();
    expect(client.of('res').map((frame) => [frame['id'], codeOf(frame)])).toEqual([
      [`${CALLS_IN_FLIGHT_MAX}`, 'BOSUN_GATEWAY_FULL'],
    ]);
    client.send({ t: 'cancel', id: '0' });
    await test.settle();
    client.send(waiting('more'));
    await test.settle();
    expect(client.last('res', 'more')).toBe(undefined);
    await test.stop();
  });

  it(`of ${SUBSCRIPTIONS_MAX} subscriptions`, async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    for (let n = 0; n <= SUBSCRIPTIONS_MAX; n++) client.send({ t: 'sub', id: `${n}`, topic: 'actor/visits' });
    expect(client.of('snap').length).toBe(SUBSCRIPTIONS_MAX);
    expect(codeOf(client.last('end', `${SUBSCRIPTIONS_MAX}`))).toBe('BOSUN_GATEWAY_FULL');
    client.send({ t: 'unsub', id: '0' });
    client.send({ t: 'sub', id: 'more', topic: 'actor/visits' });
    expect(client.last('snap', 'more')).toBeDefined();
    await test.stop();
  });

  it(`of ${CONNECTIONS_PER_CALLER_MAX} connections of one caller, and another one's are its own`, async () => {
    const token = (id: string) => ({ id, token: `token-of-${id}-0123456789` });
    const test = await startGatewayTest({ tokens: [token('ada'), token('bob')] });
    const clients = [];
    for (let n = 0; n < CONNECTIONS_PER_CALLER_MAX; n++) clients.push(await test.client({ token: token('ada').token }));
    expect((await test.client({ token: token('ada').token })).closed?.code).toBe(4429);
    expect((await test.client({ token: token('bob').token })).closed).toBe(undefined);
    clients[0]!.drop();
    expect((await test.client({ token: token('ada').token })).closed).toBe(undefined);
    await test.stop();
  });

  it(`of ${STRANGERS_MAX} connections that have not said hello`, async () => {
    const test = await startGatewayTest();
    const strangers = Array.from({ length: STRANGERS_MAX + 1 }, () => new MemoryClient(test.gateway));
    expect(strangers.map(({ closed }) => closed?.code)).toEqual([
      ...Array.from({ length: STRANGERS_MAX }, () => undefined),
      4503,
    ]);
    await test.stop();
  });

  it('of calls a second: refused with a time to wait, then let in, then closed for going on', async () => {
    const test = await startGatewayTest({ rate: { burst: 5, perSecond: 10 } });
    const client = await test.client();
    for (let n = 0; n < 6; n++) client.send({ t: 'req', id: `${n}`, m: 'actor.get', p: { address: 'visits' } });
    await test.settle();
    expect(client.of('res').filter((frame) => frame['ok'] === true).length).toBe(5);
    expect(client.last('res', '5')).toMatchObject({
      e: { code: 'BOSUN_RATE_LIMITED', retryable: true, details: { retryAfterMs: 100 } },
    });
    await test.advance(100);
    expect(await test.call(client, 'actor.get', { address: 'visits' })).toMatchObject({ ok: true });
    for (let n = 0; n < 200; n++) client.send({ t: 'ping' });
    expect(client.closed).toMatchObject({
      code: 4429,
      reason: expect.stringMatching(/^rate_limited;retryAfterMs=\d+$/) as string,
    });
    await test.stop();
  });

  it('of calls a second is one for all connections of a caller', async () => {
    const test = await startGatewayTest({ rate: { burst: 3, perSecond: 1 } });
    const [one, two] = [await test.client(), await test.client()];
    const codes = [];
    for (const client of [one, two, one, two])
      codes.push(codeOf(await test.call(client, 'actor.get', { address: 'visits' })));
    expect(codes).toEqual([undefined, undefined, undefined, 'BOSUN_RATE_LIMITED']);
    await test.stop();
  });

  it(`of ${CALLS_WAITING_MAX} calls under way of one caller, also those that nobody waits for any more`, async () => {
    const test = await startGatewayTest(FAST);
    for (let left = CALLS_WAITING_MAX; left > 0; ) {
      const client = await test.client();
      for (let n = Math.min(left, CALLS_IN_FLIGHT_MAX); n > 0; n--)
        client.send({ t: 'req', id: `${left--}`, m: 'actor.ask', p: { address: 'deaf', event: { type: 'hear' } } });
      await test.settle();
      expect(client.of('res')).toEqual([]);
      client.drop();
    }
    const client = await test.client();
    expect(codeOf(await test.call(client, 'actor.get', { address: 'visits' }))).toBe('BOSUN_GATEWAY_FULL');
    await test.stop();
  });

  it(`of ${CONNECTIONS_MAX} connections of all callers`, async () => {
    const tokens = Array.from({ length: CONNECTIONS_MAX / CONNECTIONS_PER_CALLER_MAX + 1 }, (_, n) => ({
      id: `${n}`,
      token: `token-of-${n}-0123456789`,
    }));
    const test = await startGatewayTest({ tokens });
    const connect = async (token: string) => {
      const clients = Array.from({ length: CONNECTIONS_PER_CALLER_MAX }, () => new MemoryClient(test.gateway));
      for (const client of clients) client.hello({ token });
      await new Promise<void>((resolve) => test.test.clock.defer(resolve));
      return clients;
    };
    for (const { token } of tokens.slice(0, -1))
      expect((await connect(token)).every(({ closed }) => closed === undefined)).toBe(true);
    expect((await connect(tokens.at(-1)!.token))[0]?.closed?.code).toBe(4503);
    await test.stop();
  });

  it(`of ${LISTED_MAX} actors in a tree, and of ${EVENT_BYTES_KEPT_MAX} bytes of events`, () => {
    const node = (n: number) => ({ address: `a${n}`, agent: 'a', status: 'active', children: [] });
    const views = (count: number) =>
      new ActorViews({
        tree: () => ({ ...node(0), children: Array.from({ length: count - 1 }, (_, n) => node(n + 1)) }),
      } as never);
    const caller = { id: 'x', scopes: new Set<never>(), addresses: ['**'], expiresAtMs: undefined };
    expect(views(LISTED_MAX).tree(caller, 'a0', Infinity).children?.length).toBe(LISTED_MAX - 1);
    expect(() => views(LISTED_MAX + 1).tree(caller, 'a0', Infinity)).toThrow(
      expect.objectContaining({ code: 'BOSUN_GATEWAY_FULL' }),
    );
    const log = new EventLog({ clock: new VirtualClock(), instance: 'i', shown: (_, event) => event as never });
    log.listen(() => {});
    const large = { type: 'x'.repeat(EVENT_BYTES_KEPT_MAX / 4 - 20) };
    for (let n = 0; n < 4; n++) log.record('a', large);
    expect(log.oldest).toBe(1);
    log.record('a', large);
    expect(log.oldest).toBe(2);
  });

  it(`of ${RATES_MAX} callers whose rates are remembered: the one silent longest is forgotten`, () => {
    const rates = new Rates({ burst: 1, perSecond: 0.001 }, RATES_MAX);
    for (let n = 0; n < RATES_MAX; n++) expect(rates.take(`${n}`, 0)).toBe(0);
    expect(rates.take('0', 0)).toBeGreaterThan(0);
    expect(rates.take('new', 0)).toBe(0);
    expect(rates.take('1', 0)).toBe(0);
    expect(rates.take('0', 0)).toBeGreaterThan(0);
  });

  it(`of ${KEYED_ANSWERS_MAX} answers remembered for keys: the oldest is forgotten`, async () => {
    const answers = new KeyedAnswers();
    const caller = { id: 'x', scopes: new Set<never>(), addresses: [], expiresAtMs: undefined };
    const call = async (key: number) =>
      (await answers.once(caller, `${key}`, key, () => Promise.resolve(key))).replayed;
    for (let n = 0; n < KEYED_ANSWERS_MAX; n++) await call(n);
    expect([await call(0), await call(KEYED_ANSWERS_MAX), await call(0)]).toEqual([true, false, false]);
  });

  it(`of a frame: ${FRAME_DEPTH_MAX} levels, ${FRAME_VALUES_MAX} values, ${FRAME_BYTES_MAX} bytes`, async () => {
    const bounds = { depthMax: FRAME_DEPTH_MAX, valuesMax: FRAME_VALUES_MAX };
    const deep = (levels: number): unknown => (levels === 0 ? 0 : [deep(levels - 1)]);
    expect([flawOf(deep(FRAME_DEPTH_MAX), bounds), flawOf(deep(FRAME_DEPTH_MAX + 1), bounds)]).toEqual([
      undefined,
      expect.stringContaining('nested'),
    ]);
    const wide = (count: number) => Array.from({ length: count - 1 }, () => 0);
    expect([flawOf(wide(FRAME_VALUES_MAX), bounds), flawOf(wide(FRAME_VALUES_MAX + 1), bounds)]).toEqual([
      undefined,
      expect.stringContaining('values'),
    ]);
    for (const [bytes, code] of [
      [FRAME_BYTES_MAX, undefined],
      [FRAME_BYTES_MAX + 1, 4400],
    ] as const) {
      const test = await startGatewayTest();
      const client = await test.client();
      client.raw(`{"t":"ping","x":"${'x'.repeat(bytes - 19)}"}`);
      expect(client.closed?.code).toBe(code);
      await test.stop();
    }
  });

  it(`of a call's time, ${CALL_MS} ms unless it says otherwise`, async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send(waiting('long'));
    client.send({ ...waiting('short'), deadlineMs: 100 });
    await test.advance(100);
    expect(codeOf(client.last('res', 'short'))).toBe('BOSUN_TIMEOUT');
    await test.advance(CALL_MS - 10_000);
    client.send({ t: 'pong' });
    expect(client.last('res', 'long')).toBe(undefined);
    await test.advance(10_000);
    expect(codeOf(client.last('res', 'long'))).toBe('BOSUN_TIMEOUT');
    await test.stop();
  });

  it.each([
    ['an ask that nobody answers', { m: 'actor.ask', p: { address: 'visits', event: { type: 'add', by: 1 } } }],
    [
      'a send that nobody takes',
      { m: 'actor.send', p: { address: 'visits', event: { type: 'add', by: 1 }, until: 'taken' } },
    ],
  ])("of a call's time, also of %s", async (_, call) => {
    const test = await startGatewayTest();
    const client = await test.client();
    if (call.m === 'actor.send') await test.call(client, 'actor.suspend', { address: 'visits' });
    client.send({ t: 'req', id: 'c', ...call, deadlineMs: 100 });
    await test.advance(99);
    expect(client.last('res', 'c')).toBe(undefined);
    await test.advance(1);
    expect(client.last('res', 'c')).toMatchObject({
      ok: false,
      e: { code: 'BOSUN_TIMEOUT', details: { unknownOutcome: true } },
    });
    await test.stop();
  });
});

describe('an answer that cannot be put into a frame', () => {
  it('is a failure of the gateway that its caller is told of', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    const look = vi.spyOn(ActorViews.prototype, 'actor').mockReturnValue({ more: 1n } as never);
    expect(codeOf(await test.call(client, 'actor.get', { address: 'visits' }))).toBe('BOSUN_INTERNAL');
    look.mockRestore();
    expect(await test.call(client, 'actor.get', { address: 'visits' })).toMatchObject({ ok: true });
    await test.stop();
  });
});

describe('draining', () => {
  it('tells, answers what is under way, refuses what is new, and closes with 4501', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send(waiting('w'));
    const drained = test.gateway.drain();
    expect(client.last('note')).toMatchObject({
      code: 'draining',
      reconnectInMs: [expect.any(Number), expect.any(Number)],
    });
    expect(codeOf(await test.call(client, 'actor.get', { address: 'visits' }))).toBe('BOSUN_DRAINING');
    expect(client.closed).toBe(undefined);
    await test.test.system.send('visits', { type: 'close' });
    await test.advance(1_000);
    expect(client.last('res', 'w')).toMatchObject({ ok: true });
    expect(client.closed?.code).toBe(4501);
    await drained;
    expect(new MemoryClient(test.gateway).closed?.code).toBe(4501);
    await test.stop();
  });

  it(`waits ${DRAIN_MS} ms for a call, no longer`, async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send(waiting('w'));
    await test.settle();
    const drained = test.gateway.drain();
    await test.advance(DRAIN_MS - 1_000);
    expect(client.closed).toBe(undefined);
    await test.advance(2_000);
    expect(client.closed?.code).toBe(4501);
    await drained;
    await test.stop();
  });

  it('begins by itself when the system ends', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    await test.test.system.stop();
    await test.advance(1_000);
    expect(client.closed?.code).toBe(4501);
  });
});

it('a frame of bytes is refused: frames are text', async () => {
  const test = await startGatewayTest();
  const client = await test.client();
  client.raw(undefined);
  expect(client.closed?.code).toBe(4400);
  expect(client.last('err')).toMatchObject({ e: { code: 'BOSUN_CALL_INVALID' } });
  await test.stop();
});
