/**
 * The rules for reconnecting (when a client does it, after which wait, with which token) and the connection that
 * follows them.
 */
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { afterBreak, type ConnectionBreak } from '../../src/client/reconnect.ts';
import { type ClientStatus } from '../../src/client/client-connection.ts';
import { type Client, type ClientOptions } from '../../src/client/client.ts';
import { type Socket } from '../../src/client/platform.ts';
import { CLOSES } from '../../src/gateway/protocol/protocol.ts';
import { type ClientTest, startClientTest, watched } from '../support/client/client-kit.ts';

const LONG_MS = 31_000;
const broken: ConnectionBreak = { code: 1006, reason: '', tries: 0, random: 0.5, canRenew: false, windowMs: undefined };

describe('the reconnect rules', () => {
  it('wait with full jitter: a random part of 250 ms, which doubles with each try up to 30 s', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 2_000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (tries, random) => {
          const { then, waitMs } = afterBreak({ ...broken, tries, random });
          expect(then).toBe('reconnect');
          expect(waitMs).toBeCloseTo(random * Math.min(30_000, 250 * 2 ** tries), 6);
        },
      ),
    );
  });

  it.each(Object.entries(CLOSES))('follow the protocol after close %s', (_, { code, then }) => {
    expect(afterBreak({ ...broken, code, canRenew: true }).then).toBe(then);
    expect(afterBreak({ ...broken, code, canRenew: false }).then).toBe(then === 'authenticate' ? 'stop' : then);
  });

  it.each([
    [1001, 'reconnect'],
    [1006, 'reconnect'],
    [1008, 'stop'],
    [1009, 'stop'],
    [1011, 'reconnect'],
    [4403, 'stop'],
    [4599, 'reconnect'],
  ] as const)('react to close code %i: %s', (code, then) => {
    expect(afterBreak({ ...broken, code }).then).toBe(then);
  });

  it('wait as long as the gateway asks for, and longer if it is overloaded', () => {
    expect(afterBreak({ ...broken, code: 4429, reason: 'rate_limited;retryAfterMs=700' }).waitMs).toBe(700 + 125);
    expect(afterBreak({ ...broken, code: 4501, windowMs: [200, 10_200] }).waitMs).toBe(5_200);
    expect(afterBreak({ ...broken, code: 4503 }).waitMs).toBe(500);
  });
});

function statuses(client: Client<never>): ClientStatus[] {
  const seen: ClientStatus[] = [client.status.get()];
  client.status.subscribe((status) => seen.push(status));
  return seen;
}

/** Ends a connection as its other side would. */
const endedWith = (socket: Socket | undefined, code: number) =>
  (socket?.onclose as unknown as ((event: object) => void) | null)?.({ code, reason: '' });

/** Opens sockets whose other side is played by the test. */
function scripted(): { sockets: (Socket & { sent: object[] })[]; WebSocket: new () => Socket } {
  const sockets: (Socket & { sent: object[] })[] = [];
  class Scripted implements Socket {
    onopen = null;
    onmessage = null;
    onclose: ((event: never) => void) | null = null;
    onerror = null;
    sent: object[] = [];
    constructor() {
      sockets.push(this);
    }
    send(data: string): void {
      this.sent.push(JSON.parse(data) as object);
    }
    close(): void {}
  }
  return { sockets, WebSocket: Scripted };
}

const say = (socket: Socket | undefined, frame: object) =>
  (socket?.onmessage as ((event: unknown) => void) | null)?.({ data: JSON.stringify(frame) });
const WELCOME = {
  t: 'welcome',
  session: { resumed: false, sequence: 0 },
  heartbeat: { everyMs: 25_000, timeoutMs: 10_000 },
  limits: { inFlight: 64, perSecond: 50, burst: 100 },
};

async function scriptedClient(): Promise<{
  test: ClientTest;
  client: Client<never>;
  script: ReturnType<typeof scripted>;
}> {
  const test = await startClientTest();
  const script = scripted();
  return {
    test,
    script,
    client: test.client({ WebSocket: script.WebSocket, random: { next: () => 0.999 } }) as unknown as Client<never>,
  };
}

describe('a connection', () => {
  it('reports each status from the first try to the close', async () => {
    const test = await startClientTest();
    const client = test.client();
    const seen = statuses(client as unknown as Client<never>);
    await test.settle();
    test.cut();
    await test.advance(1_000);
    client.close();
    client.close();
    expect(seen).toEqual(['connecting', 'live', 'offline', 'connecting', 'live', 'closed']);
    expect(client.failure?.code).toBe('BOSUN_CLIENT_CLOSED');
    expect(test.socket.lines.size).toBe(0);
    await test.stop();
  });

  it('waits longer after each try, and resets the wait once it has stayed up for ten seconds', async () => {
    const { test, script, client } = await scriptedClient();
    const breakOff = () =>
      (script.sockets.at(-1)!.onclose as unknown as (event: object) => void)({ code: 1006, reason: '' });
    const waits: number[] = [];
    const waitMs = async () => {
      const before = script.sockets.length;
      for (let ms = 0; ms < 40_000; ms += 25) {
        if (script.sockets.length > before) return ms;
        await test.host.test.clock.advance(25, async () => {});
      }
      return Infinity;
    };
    for (let n = 0; n < 9; n++) {
      breakOff();
      waits.push(await waitMs());
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 29_975, 29_975]);
    say(script.sockets.at(-1), WELCOME);
    await test.host.test.clock.advance(9_999, async () => {});
    breakOff();
    expect(await waitMs()).toBe(29_975);
    say(script.sockets.at(-1), WELCOME);
    expect(client.status.get()).toBe('live');
    await test.host.test.clock.advance(10_000, async () => {});
    breakOff();
    expect(await waitMs()).toBe(250);
    breakOff();
    client.retry();
    expect(client.status.get()).toBe('connecting');
    await test.stop();
  });

  it('is closed after 35 s of silence, or if no welcome comes within 15 s', async () => {
    const { test, script, client } = await scriptedClient();
    await test.host.test.clock.advance(14_999, async () => {});
    expect(client.status.get()).toBe('connecting');
    await test.host.test.clock.advance(1, async () => {});
    expect(client.status.get()).toBe('offline');
    await test.host.test.clock.advance(1_000, async () => {});
    say(script.sockets.at(-1), WELCOME);
    await test.host.test.clock.advance(30_000, async () => {});
    say(script.sockets.at(-1), { t: 'ping' });
    expect(script.sockets.at(-1)!.sent).toEqual([{ t: 'pong' }]);
    await test.host.test.clock.advance(34_999, async () => {});
    expect(client.status.get()).toBe('live');
    await test.host.test.clock.advance(1, async () => {});
    expect(client.status.get()).toBe('offline');
    await test.stop();
  });

  it('is closed if the answer is not a frame of the protocol', async () => {
    const { test, script, client } = await scriptedClient();
    (script.sockets.at(-1)!.onmessage as unknown as (event: object) => void)({ data: '<html>' });
    expect(client.status.get()).toBe('offline');
    await test.stop();
  });

  it('holds calls back while the gateway drains, and reconnects in the time window that the gateway gave', async () => {
    const test = await startClientTest();
    const client = await test.live();
    const seen = statuses(client as unknown as Client<never>);
    // Something under way, so that the gateway does not close at once.
    const ask = watched(client.actor('deaf', 'deaf').ask({ type: 'hear' }));
    await test.settle();
    const drained = test.host.gateway.drain({ graceMs: 2_000 });
    await test.settle();
    expect(client.status.get()).toBe('draining');
    const sent = watched(client.actor('visits', 'counter').send({ type: 'add', by: 1 }));
    test.isDown = true;
    await test.advance(1_900);
    expect([client.status.get(), sent]).toEqual(['draining', {}]);
    await test.advance(1_000);
    await drained;
    expect(ask.error?.code).toBe('BOSUN_CONNECTION_LOST');
    await test.host.test.shard.stop();
    await test.restart();
    await test.advance(LONG_MS);
    expect(sent.value).toEqual({ taken: null });
    expect(seen.slice(0, 3)).toEqual(['live', 'draining', 'offline']);
    expect(seen.at(-1)).toBe('live');
    await test.stop();
  });

  it('closes for good when a newer connection takes over its session', async () => {
    const test = await startClientTest();
    const storage = {
      getItem: () => JSON.stringify({ session: 'a-session-of-22-chars-', sends: [] }),
      setItem: () => {},
    };
    const first = await test.live({ storage });
    const second = await test.live({ storage });
    await test.advance(LONG_MS);
    expect([first.status.get(), second.status.get()]).toEqual(['closed', 'live']);
    expect(first.failure).toMatchObject({ code: 'BOSUN_CLIENT_CLOSED', details: { closeCode: 4409 } });
    await expect(first.actor('visits', 'counter').send({ type: 'close' })).rejects.toMatchObject({
      code: 'BOSUN_CLIENT_CLOSED',
    });
    await test.stop();
  });
});

/** A client with a session that a scripted gateway has welcomed. */
async function welcomedClient() {
  const { test, script, client } = await scriptedClient();
  onTestFinished(() => test.stop());
  await test.settle();
  const [socket] = script.sockets;
  say(socket, WELCOME);
  return { test, client, socket, visits: client.actor('visits') };
}

describe('a send that waits for its turn longer than the gateway does', () => {
  it('is repeated with its number, and holds up no other', async () => {
    const { test, client, socket, visits } = await welcomedClient();
    const sends = [
      watched(visits.send({ type: 'add' } as never, { until: 'taken', timeoutMs: Infinity })),
      watched(visits.send({ type: 'add' } as never, { timeoutMs: 2 ** 31 })),
    ];
    expect(socket!.sent).toMatchObject([
      { id: '1', seq: 1, deadlineMs: 600_000 },
      { id: '2', seq: 2, deadlineMs: 600_000 },
    ]);
    say(socket, { t: 'res', id: '1', ok: false, e: { code: 'BOSUN_TIMEOUT', message: '', retryable: true } });
    expect(socket!.sent.at(-1)).toMatchObject({ id: '3', seq: 1 });
    void visits.send({ type: 'add' } as never);
    expect(socket!.sent.at(-1)).toMatchObject({ id: '4', seq: 3 });
    say(socket, { t: 'res', id: '3', ok: true, r: { taken: true } });
    say(socket, { t: 'ack', seq: 3 });
    await test.settle();
    expect(sends.map(({ value }) => value)).toEqual([{ taken: true }, { taken: null }]);
    client.close();
  });
});

describe('a send after others whose outcome is open', () => {
  it('never gets a number that the gateway has acknowledged: it would be taken for a repeat (F17)', async () => {
    const { test, client, socket, visits } = await welcomedClient();
    const sends = [1, 2, 3].map(() => watched(visits.send({ type: 'add' } as never)));
    const numbers = () => socket!.sent.flatMap((frame) => (frame as { seq?: number }).seq ?? []);
    expect(numbers()).toEqual([1, 2, 3]);
    const late = { code: 'BOSUN_TIMEOUT', message: '', retryable: true };
    say(socket, { t: 'res', id: '1', ok: false, e: late });
    say(socket, { t: 'ack', seq: 3 });
    sends.push(watched(visits.send({ type: 'add' } as never)));
    await test.advance(LONG_MS);
    expect(sends.map(({ value }) => value)).toEqual([undefined, { taken: null }, { taken: null }, undefined]);
    expect(numbers()).toEqual([1, 2, 3, 1, 4]);
    client.close();
  });

  it('keeps behind acknowledged ones if the gateway reports a gap before it acknowledges them (F17)', async () => {
    const { client, socket, visits } = await welcomedClient();
    const sends = [1, 2, 3].map(() => watched(visits.send({ type: 'add' } as never)));
    const gap = { code: 'BOSUN_SEQUENCE_GAP', message: '', retryable: true, details: { expected: 1 } };
    say(socket, { t: 'res', id: '3', ok: false, e: gap });
    say(socket, { t: 'ack', seq: 2 });
    expect(sends).toHaveLength(3);
    expect(socket!.sent.flatMap((frame) => (frame as { seq?: number }).seq ?? [])).toEqual([1, 2, 3, 3]);
    client.close();
  });
});

describe('subscriptions', () => {
  it('are sent until 32 of them are unanswered, and one more with each answer', async () => {
    const { test, script, client } = await scriptedClient();
    onTestFinished(() => test.stop());
    await test.settle();
    const [socket] = script.sockets;
    say(socket, { ...WELCOME, limits: { ...WELCOME.limits, subscriptions: 4_096 } });
    for (let n = 0; n < 40; n++) client.actor(`actor-${n}`).subscribe({ error: () => {} });
    const subs = () => (socket!.sent as { id: string; topic?: string }[]).filter(({ topic }) => topic !== undefined);
    expect(subs()).toHaveLength(32);
    const forbidden = { code: 'BOSUN_FORBIDDEN', message: '', retryable: false };
    say(socket, { t: 'end', id: subs()[0]!.id, e: forbidden });
    expect(subs()).toHaveLength(33);
    client.close();
  });
});

describe('a client that cannot connect', () => {
  const token = 'a-token-of-16-characters';
  const failing = () => Promise.reject(new Error('no network'));
  const stranger = CLOSES.unauthenticated.code;
  const doubled = [250, 500, 1_000, 2_000, 4_000, 8_000];

  it.each<[string, ClientOptions, (socket: Socket, n: number) => void, number[]]>([
    ['a function gives no token', { token: failing }, () => {}, doubled],
    ['the socket is refused', {}, (socket) => endedWith(socket, 1006), doubled],
    ['the gateway is full', {}, (socket) => endedWith(socket, CLOSES.overloaded.code), doubled.map((ms) => 4 * ms)],
    [
      'each token expires as soon as it is taken',
      { token, onUnauthorized: () => token },
      (socket) => {
        say(socket, WELCOME);
        endedWith(socket, CLOSES.token_expired.code);
      },
      doubled,
    ],
    [
      'its token is refused and cannot be renewed',
      { token, onUnauthorized: failing },
      (socket) => endedWith(socket, stranger),
      doubled,
    ],
    [
      'each new token is out of date after a break',
      { token, onUnauthorized: () => token },
      (socket, n) => endedWith(socket, n % 2 === 0 ? stranger : 1006),
      doubled,
    ],
  ])('waits twice as long each time, where %s', async (_, options, play, waits) => {
    const test = await startClientTest();
    onTestFinished(() => test.stop());
    const { clock } = test.host.test;
    const script = scripted();
    const client = test.client({
      ...options,
      WebSocket: script.WebSocket,
      random: { next: () => 1 - 1e-9 },
      log: () => {},
    });
    const waited: number[] = [];
    let offlineMs = NaN;
    client.status.subscribe((status) => {
      if (status === 'offline') offlineMs = clock.monotonicMs();
      if (status === 'connecting') waited.push(Math.round(clock.monotonicMs() - offlineMs));
    });
    let played = 0;
    await clock.advance(120_000, async () => {
      await test.settle();
      for (; played < script.sockets.length; played++) play(script.sockets[played]!, played);
    });
    const asLong = waits.map((ms) => Math.min(30_000, ms));
    expect(waited.slice(0, asLong.length)).toEqual(asLong);
    expect(client.status.get()).not.toBe('closed');
    client.close();
  });
});

describe('a token', () => {
  const tokens = [{ id: 'ada', token: 'right-token-0123456789' }];

  it('is renewed once when it is refused; refused again, the client stops', async () => {
    const test = await startClientTest({ tokens });
    let asked = 0;
    const onUnauthorized = (token: string) => () => {
      asked += 1;
      return Promise.resolve(token);
    };
    const healed = await test.live({
      token: 'wrong-token-0123456789',
      onUnauthorized: onUnauthorized('right-token-0123456789'),
    });
    await test.advance(LONG_MS);
    expect([healed.status.get(), asked]).toEqual(['live', 1]);
    const lost = await test.live({
      token: 'wrong-token-0123456789',
      onUnauthorized: onUnauthorized('wrong-again-0123456789'),
    });
    await test.advance(LONG_MS);
    expect([lost.status.get(), lost.failure?.code, asked]).toEqual(['closed', 'BOSUN_UNAUTHENTICATED', 2]);
    const bare = await test.live();
    await test.settle();
    expect([bare.status.get(), bare.failure?.code]).toEqual(['closed', 'BOSUN_UNAUTHENTICATED']);
    await test.stop();
  });

  it('may come from a function that is called for each try', async () => {
    const test = await startClientTest({ tokens });
    const given = ['wrong-token-0123456789', 'right-token-0123456789'];
    const client = await test.live({ token: () => given.shift() ?? 'none' });
    const sent = watched(client.actor('visits', 'counter').send({ type: 'add', by: 1 }));
    await test.advance(LONG_MS);
    expect([client.status.get(), sent.value]).toEqual(['live', { taken: null }]);
    await test.stop();
  });

  it('is renewed when it expires, and the client goes on', async () => {
    const { SignJWT } = await import('jose');
    const key = new TextEncoder().encode('a secret of at least thirty-two bytes');
    const test = await startClientTest({ jwt: { key, issuer: 'test', audience: 'bosun' } });
    const signed = (seconds: number) =>
      new SignJWT({ scope: 'actor:read actor:send', bosun_addresses: ['**'] })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('ada')
        .setIssuer('test')
        .setAudience('bosun')
        .setIssuedAt(test.host.test.clock.wallMs() / 1_000)
        .setExpirationTime(test.host.test.clock.wallMs() / 1_000 + seconds)
        .sign(key);
    let renewals = 0;
    const client = test.client({
      token: await signed(60),
      onUnauthorized: () => {
        renewals += 1;
        return signed(600);
      },
    });
    // A signature is checked in a thread of its own, which no settling waits for.
    const until = async (status: ClientStatus) => {
      for (let round = 0; round < 20_000 && client.status.get() !== status; round++) await test.settle();
      expect(client.status.get()).toBe(status);
    };
    await until('live');
    await test.advance(61_000);
    await until('live');
    expect(renewals).toBe(1);
    const sent = watched(client.actor('visits', 'counter').send({ type: 'add', by: 1 }));
    await test.settle();
    expect(sent.value).toEqual({ taken: null });
    await test.stop();
  });
});
