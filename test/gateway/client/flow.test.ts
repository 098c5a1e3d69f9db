/** The limits of a connection, each tested at its bound: silence, slow readers, rates, counts, deadlines, draining. */
import { assign, emit, setup } from 'xstate';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/actors/api/define-agent.ts';
import {
  CALL_MS,
  CALLS_WAITING_MAX,
  CONNECTIONS_MAX,
  EVENT_BYTES_KEPT_MAX,
  LOOKED_BURST,
  LOOKED_PER_SECOND,
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
  TREE_PAGE,
} from '../../../src/gateway/limits.ts';
import { flawOf } from '../../../src/gateway/protocol/values.ts';
import { Rates } from '../../../src/gateway/callers/rates.ts';
import { EventLog } from '../../../src/gateway/topics/event-log.ts';
import { ownerIn } from '../../../src/fair-shares.ts';
import { keyOf } from '../../../src/gateway/calls/repeats.ts';
import { KeyedAnswers } from '../../../src/gateway/calls/keyed-answers.ts';
import { ActorViews } from '../../../src/gateway/topics/actor-views.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { LONG } from '../../support/effort.ts';
import { textOfBytes, WIDE_CHARACTERS } from '../../support/text-of-bytes.ts';
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
  it(`closes a connection with 4408 after ${HELLO_MS} ms without a hello`, async () => {
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

  it(`gets a ping after ${PING_EVERY_MS} ms, and a close with 4504 after ${SILENCE_MS_MAX} ms`, async () => {
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
  it('is notified once, and later gets only the latest state and the number of skipped changes', async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    client.isReading = false;
    await test.test.shard.send('h', hoard(OUT_BYTES_HIGH + 1));
    await test.settle();
    expect([client.of('note').length, client.isPaused]).toEqual([1, true]);
    expect(client.last('note')).toMatchObject({ code: 'slow' });
    const before = client.of('delta').length;
    for (let n = 0; n < 10; n++) {
      await test.test.shard.send('h', hoard(n));
      await test.settle();
    }
    expect(client.of('delta').length).toBe(before);
    // At the low mark the client still counts as slow.
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

  it(`is closed with 4508 after ${SLOW_MS_MAX} ms, without an effect on other clients`, async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const [slow, other] = [await test.client(), await test.client()];
    for (const client of [slow, other]) client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    slow.isReading = false;
    await test.test.shard.send('h', hoard(OUT_BYTES_HIGH + 1));
    await test.settle();
    await test.advance(SLOW_MS_MAX - 1);
    other.send({ t: 'pong' });
    expect(slow.closed).toBe(undefined);
    await test.advance(1);
    expect(slow.closed?.code).toBe(4508);
    await test.test.shard.send('h', hoard(3));
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

  it(`loses events when more than ${EVENTS_KEPT_MAX} wait, and is told how many`, LONG, async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    client.send({ t: 'sub', id: 'e', topic: 'events/**', mode: 'events' });
    client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    client.isReading = false;
    await test.test.shard.send('h', hoard(OUT_BYTES_HIGH + 1));
    await test.settle();
    const before = client.of('evt').length;
    await Promise.all(
      Array.from({ length: EVENTS_KEPT_MAX + 5 }, () => test.test.shard.send('h', { type: 'burst', count: 1 })),
    );
    await test.settle();
    client.read();
    for (let round = 0; round < 30; round++) await test.settle();
    expect(client.last('lag', 'e')).toMatchObject({ skipped: 5 });
    expect(client.of('evt').length).toBe(before + EVENTS_KEPT_MAX);
    await test.stop();
  });

  it('gets an error instead of an answer that is larger than any client may receive', async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    await test.test.shard.send('h', { type: 'heap', chars: OUT_BYTES_MAX / 3 });
    await test.settle();
    expect(codeOf(await test.call(client, 'actor.get', { address: 'h' }))).toBe('BOSUN_GATEWAY_FULL');
    expect(await test.call(client, 'actor.list')).toMatchObject({ ok: true });
    expect(client.closed).toBe(undefined);
    await test.stop();
  });
});

describe('a subscription', () => {
  it('sends at most maxHz times a second, and tells how many changes it skipped', async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/visits', maxHz: 2 });
    for (let n = 0; n < 10; n++) {
      await test.test.shard.send('visits', { type: 'add', by: 1 });
      await test.advance(100);
    }
    expect(client.of('delta').length).toBe(3);
    await test.advance(500);
    expect(client.of('delta').length).toBe(3);
    expect(client.last('lag')).toMatchObject({ id: 's', skipped: 4 });
    expect(client.view('s')).toMatchObject({ context: { count: 10 } });
    await test.stop();
  });

  it(`sends a tree at most ${LISTING_HZ} times a second`, async () => {
    const test = await startGatewayTest(FAST);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'tree' });
    await test.settle();
    for (let n = 0; n < 20; n++) {
      await test.test.shard.send('visits', { type: n % 2 === 0 ? 'close' : 'add', by: 1 });
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
    await test.test.shard.erase('visits');
    await test.settle();
    expect(codeOf(client.last('end', 's'))).toBe('BOSUN_ACTOR_UNKNOWN');
    await test.stop();
  });

  it('sends the whole state if a patch would not be shorter', async () => {
    const test = await startGatewayTest(FAST, withHoarder);
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'actor/h' });
    await test.test.shard.send('h', hoard(5_000));
    await test.settle();
    expect(client.last('delta')).toMatchObject({ ops: [{ op: 'replace', path: '' }] });
    await test.stop();
  });
});

describe('the budget of reads', () => {
  const ACTORS = 2_000;
  const many = {
    tree: { children: Array.from({ length: ACTORS - 1 }, (_, n) => ({ id: `visits-${n}`, agent: 'counter' })) },
  };
  const tokens = ['ada', 'bob'].map((id) => ({ id, token: `token-of-${id}-0123456789` }));
  const operator = 'token-of-the-operator';
  const start = () => startGatewayTest({ ...FAST, tokens, operator }, many);
  /** A filter that no actor passes: all actors have to be read. */
  const ALL = { status: 'suspended' };
  const NONE = { r: { actors: [], next: null } };

  it('is charged only the rows of a page, wherever the page begins (F4)', async () => {
    const test = await start();
    const ada = await test.client({ token: tokens[0]!.token });
    const pages = Math.floor(LOOKED_BURST / (10 + 1));
    for (let n = 0; n < pages; n++) {
      const method = n % 2 === 0 ? 'actor.list' : 'actor.tree';
      expect(codeOf(await test.call(ada, method, { limit: 10, after: `visits-1${n % 100}` }))).toBe(undefined);
    }
    expect(codeOf(await test.call(ada, 'actor.list', { limit: 10 }))).toBe(undefined);
    expect(codeOf(await test.call(ada, 'actor.list', { limit: 10 }))).toBe('BOSUN_RATE_LIMITED');
    await test.stop();
  });

  it(`is ${LOOKED_PER_SECOND} rows a second per caller over all methods, and delays no other caller (F4)`, async () => {
    const test = await start();
    const [ada, bob] = [await test.client({ token: tokens[0]!.token }), await test.client({ token: tokens[1]!.token })];
    for (let n = 0; n < LOOKED_BURST / ACTORS; n++) expect(await test.call(ada, 'actor.list', ALL)).toMatchObject(NONE);
    for (const method of ['actor.list', 'actor.tree', 'deadletter.list'])
      expect(await test.call(ada, method)).toMatchObject({
        e: { code: 'BOSUN_RATE_LIMITED', details: { retryAfterMs: expect.any(Number) as number } },
      });
    expect(codeOf(await test.call(ada, 'actor.get', { address: 'visits-1' }))).toBe(undefined);
    expect(codeOf(await test.call(bob, 'actor.list'))).toBe(undefined);
    await test.advance(1);
    expect(await test.call(ada, 'actor.list', ALL)).toMatchObject(NONE);
    // That call was on credit.
    await test.advance((ACTORS / LOOKED_PER_SECOND) * 1_000 - 10);
    expect(codeOf(await test.call(ada, 'actor.list'))).toBe('BOSUN_RATE_LIMITED');
    await test.advance(10);
    expect(codeOf(await test.call(ada, 'actor.list'))).toBe(undefined);
    await test.stop();
  });

  it(
    'is shared by the subscriptions of a caller, which wait when it is spent; the operator has no bound (F4)',
    LONG,
    async () => {
      const test = await start();
      const [ada, runs] = [await test.client({ token: tokens[0]!.token }), await test.client({ token: operator })];
      const views = LOOKED_BURST / ACTORS;
      const pages = ACTORS / TREE_PAGE;
      for (let n = 0; n < views; n++) ada.send({ t: 'sub', id: `${n}`, topic: 'tree' });
      while (ada.of('delta').length < views * (pages - 1)) await test.settle();
      ada.send({ t: 'sub', id: 'more', topic: 'tree' });
      runs.send({ t: 'sub', id: 's', topic: 'tree' });
      while (runs.of('delta').length < pages - 1) await test.settle();
      expect(codeOf(ada.last('end', 'more'))).toBe('BOSUN_RATE_LIMITED');
      await test.test.shard.send('visits-1', { type: 'close' });
      while (runs.of('delta').length < pages) await test.settle();
      expect(ada.of('delta').length).toBe(views * (pages - 1));
      await test.advance((LOOKED_BURST / LOOKED_PER_SECOND) * 1_000);
      while (ada.of('delta').length < views * pages) await test.settle();
      await test.stop();
    },
  );
});

describe('the gateway', () => {
  it(`allows a connection ${CALLS_IN_FLIGHT_MAX} calls in flight`, async () => {
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

  it(`allows a connection ${SUBSCRIPTIONS_MAX} subscriptions`, async () => {
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

  it(`allows each caller ${CONNECTIONS_PER_CALLER_MAX} connections, independently of other callers`, async () => {
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

  it(`allows ${STRANGERS_MAX} connections without a hello, and closes the oldest for a new one (F5)`, async () => {
    const test = await startGatewayTest();
    const strangers = Array.from({ length: STRANGERS_MAX + 1 }, () => new MemoryClient(test.gateway));
    expect(strangers.map(({ closed }) => closed?.code)).toEqual([
      4503,
      ...Array.from({ length: STRANGERS_MAX }, () => undefined),
    ]);
    await test.stop();
  });

  it('shares the places for connections without a hello between network addresses (F5)', async () => {
    const test = await startGatewayTest();
    const quiet = new MemoryClient(test.gateway, { from: '192.0.2.1' });
    const crowd = Array.from(
      { length: STRANGERS_MAX + 50 },
      () => new MemoryClient(test.gateway, { from: '192.0.2.2' }),
    );
    expect(crowd.filter(({ closed }) => closed === undefined).length).toBe(STRANGERS_MAX - 1);
    expect([crowd[0]?.closed?.code, crowd.at(-1)?.closed, quiet.closed]).toEqual([4503, undefined, undefined]);
    quiet.hello();
    await test.settle();
    expect(quiet.last('welcome')).toBeDefined();
    await test.stop();
  });

  it('closes a connection without a hello, not one with a hello, to make room when it is full (F5)', async () => {
    const test = await startGatewayTest({ connections: 3 });
    const [known, ...strangers] = [await test.client(), new MemoryClient(test.gateway), new MemoryClient(test.gateway)];
    const newcomer = await test.client();
    expect([known.closed, ...strangers.map(({ closed }) => closed?.code), newcomer.closed]).toEqual([
      undefined,
      4503,
      undefined,
      undefined,
    ]);
    await test.stop();
  });

  it('refuses calls over the rate with a time to wait, and closes a client that keeps exceeding it', async () => {
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

  it('counts the rate over all connections of a caller', async () => {
    const test = await startGatewayTest({ rate: { burst: 3, perSecond: 1 } });
    const [one, two] = [await test.client(), await test.client()];
    const codes = [];
    for (const client of [one, two, one, two])
      codes.push(codeOf(await test.call(client, 'actor.get', { address: 'visits' })));
    expect(codes).toEqual([undefined, undefined, undefined, 'BOSUN_RATE_LIMITED']);
    await test.stop();
  });

  it(`allows each caller ${CALLS_WAITING_MAX} calls in progress, including those of dropped connections`, async () => {
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

  it(`allows ${CONNECTIONS_MAX} connections of all callers together`, async () => {
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

  it(`keeps ${EVENT_BYTES_KEPT_MAX} bytes of events, and drops the oldest`, () => {
    const log = new EventLog({ clock: new VirtualClock(), instance: 'i', shown: (_, event) => event as never });
    log.listen(() => {});
    const large = { type: 'x'.repeat(EVENT_BYTES_KEPT_MAX / 4 - 20) };
    for (let n = 0; n < 4; n++) log.record('a', large);
    expect(log.oldest).toBe(1);
    log.record('a', large);
    expect(log.oldest).toBe(2);
  });

  it.each(WIDE_CHARACTERS)(`B6: keeps ${EVENT_BYTES_KEPT_MAX} bytes of events of %s`, (character) => {
    const log = new EventLog({ clock: new VirtualClock(), instance: 'i', shown: (_, event) => event as never });
    log.listen(() => {});
    const around = JSON.stringify({ type: '' }).length;
    for (const more of [0, 0, 0, 0, 1])
      log.record('a', { type: textOfBytes(EVENT_BYTES_KEPT_MAX / 4 - around + more, character) });
    // Four of the five fit, but for the one byte that the last is larger.
    expect(log.oldest).toBe(3);
  });

  it(`remembers the rates of ${RATES_MAX} callers, and forgets the caller that was silent longest`, () => {
    const rates = new Rates({ burst: 1, perSecond: 0.001 }, RATES_MAX);
    for (let n = 0; n < RATES_MAX; n++) expect(rates.take(`${n}`, 0)).toBe(0);
    expect(rates.take('0', 0)).toBeGreaterThan(0);
    expect(rates.take('new', 0)).toBe(0);
    expect(rates.take('1', 0)).toBe(0);
    expect(rates.take('0', 0)).toBeGreaterThan(0);
  });

  it(`remembers ${KEYED_ANSWERS_MAX} answers for keys, and forgets the oldest`, async () => {
    const answers = new KeyedAnswers();
    const caller = { id: 'x', scopes: new Set<never>(), addresses: [], expiresAtMs: undefined };
    const call = async (key: number) =>
      (await answers.once(caller, `${key}`, key, () => Promise.resolve(key))).replayed;
    for (let n = 0; n < KEYED_ANSWERS_MAX; n++) await call(n);
    expect([await call(0), await call(KEYED_ANSWERS_MAX), await call(0)]).toEqual([true, false, false]);
  });

  it('shares the places for remembered answers, sends and asks with keys between callers (F3)', async () => {
    const answers = new KeyedAnswers();
    const callerOf = (id: string) => ({ id, scopes: new Set<never>(), addresses: [], expiresAtMs: undefined });
    const [greedy, modest] = [callerOf('greedy'), callerOf('modest')];
    const call = async (caller: typeof greedy, key: number) =>
      (await answers.once(caller, `${key}`, key, () => Promise.resolve(key))).replayed;
    await call(modest, 0);
    for (let n = 0; n <= KEYED_ANSWERS_MAX; n++) await call(greedy, n);
    expect([await call(modest, 0), await call(greedy, KEYED_ANSWERS_MAX), await call(greedy, 0)]).toEqual([
      true,
      true,
      false,
    ]);
    const owners = [keyOf(greedy, '1'), keyOf(greedy, '2'), keyOf(modest, '1')].map(ownerIn);
    expect([owners[0] === owners[1], owners[0] === owners[2]]).toEqual([true, false]);
  });

  it(`limits frames to ${FRAME_DEPTH_MAX} levels, ${FRAME_VALUES_MAX} values, ${FRAME_BYTES_MAX} bytes`, async () => {
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

  it(`ends a call after its deadline, or after ${CALL_MS} ms if it has none`, async () => {
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
    ['an ask without a reply', { m: 'actor.ask', p: { address: 'visits', event: { type: 'add', by: 1 } } }],
    [
      'a send to a suspended actor',
      { m: 'actor.send', p: { address: 'visits', event: { type: 'add', by: 1 }, ifSequence: 1 } },
    ],
  ])('ends %s at its deadline', async (_, call) => {
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
  it('is replaced by an internal error, and the connection goes on', async () => {
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
  it('notifies clients, answers calls in progress, refuses new ones, and closes with 4501', async () => {
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
    await test.test.shard.send('visits', { type: 'close' });
    await test.advance(1_000);
    expect(client.last('res', 'w')).toMatchObject({ ok: true });
    expect(client.closed?.code).toBe(4501);
    await drained;
    expect(new MemoryClient(test.gateway).closed?.code).toBe(4501);
    await test.stop();
  });

  it('shows subscribers the last changes of views that are read a few times a second', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    client.send({ t: 'sub', id: 's', topic: 'tree' });
    await test.settle();
    for (const type of ['add', 'close']) {
      await test.test.shard.send('visits', { type, ...(type === 'add' && { by: 1 }) });
      await test.settle();
    }
    const closed = { children: [{ address: 'visits', state: 'closed' }, {}, {}, {}] };
    const drained = test.gateway.drain();
    expect(client.view('s')).not.toMatchObject(closed);
    await test.advance(1_000);
    expect(client.closed?.code).toBe(4501);
    expect(client.view('s')).toMatchObject(closed);
    await drained;
    await test.stop();
  });

  it(`waits ${DRAIN_MS} ms for a call, and no longer`, async () => {
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

  it('starts by itself when the system stops', async () => {
    const test = await startGatewayTest();
    const client = await test.client();
    await test.test.shard.stop();
    await test.advance(1_000);
    expect(client.closed?.code).toBe(4501);
  });
});

it('a binary frame is refused with 4400', async () => {
  const test = await startGatewayTest();
  const client = await test.client();
  client.raw(undefined);
  expect(client.closed?.code).toBe(4400);
  expect(client.last('err')).toMatchObject({ e: { code: 'BOSUN_CALL_INVALID' } });
  await test.stop();
});
