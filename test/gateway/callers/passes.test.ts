/**
 * Passes: used in a URL instead of a token, by pages that can set no header; valid once, for a short time, and not
 * elsewhere.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Caller } from '../../../src/gateway/callers/callers.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { Passes } from '../../../src/gateway/callers/passes.ts';
import { PASS_MS, PASSES_PER_CALLER_MAX } from '../../../src/gateway/limits.ts';
import { startTestSystem, type TestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { code } from '../../support/actors/account.ts';
import { shop } from '../../support/gateway/shop.ts';

const caller = (id: string, expiresAtMs?: number): Caller => ({
  id,
  scopes: new Set(),
  addresses: ['**'],
  expiresAtMs,
});
const refused = code('BOSUN_UNAUTHENTICATED') as Error;
const PAGE = 'https://shop.example';

describe('a pass', () => {
  let clock: VirtualClock;
  let passes: Passes;
  beforeEach(() => {
    clock = new VirtualClock();
    passes = new Passes(clock);
  });

  it('identifies its caller, once', () => {
    const ada = caller('ada');
    const { pass, expiresInMs } = passes.issue(ada, PAGE);
    expect([pass.length >= 43, expiresInMs]).toEqual([true, PASS_MS]);
    expect(passes.redeem(pass, PAGE)).toBe(ada);
    expect(() => passes.redeem(pass, PAGE)).toThrow(refused);
    expect(() => passes.redeem('made-up', undefined)).toThrow(refused);
  });

  it('is valid until its last millisecond', async () => {
    const [first, second] = [passes.issue(caller('ada'), undefined), passes.issue(caller('ada'), undefined)];
    await clock.advance(PASS_MS - 1, async () => {});
    expect(passes.redeem(first.pass, undefined).id).toBe('ada');
    await clock.advance(1, async () => {});
    expect(() => passes.redeem(second.pass, undefined)).toThrow(refused);
  });

  it('is refused to a page of another origin, and is used up by the attempt', () => {
    const { pass } = passes.issue(caller('ada'), PAGE);
    expect(() => passes.redeem(pass, 'https://elsewhere.example')).toThrow(refused);
    expect(() => passes.redeem(pass, PAGE)).toThrow(refused);
    // A browser says no origin for a stream of the page's own.
    expect(passes.redeem(passes.issue(caller('ada'), PAGE).pass, undefined).id).toBe('ada');
  });

  it('does not outlive the token for which it was issued', async () => {
    const { pass } = passes.issue(caller('ada', clock.wallMs() + 1_000), undefined);
    await clock.advance(1_000, async () => {});
    expect(() => passes.redeem(pass, undefined)).toThrow(refused);
  });

  it(`is refused to a caller that already has ${PASSES_PER_CALLER_MAX} unused passes`, async () => {
    const issued = Array.from({ length: PASSES_PER_CALLER_MAX }, () => passes.issue(caller('ada'), undefined).pass);
    expect(() => passes.issue(caller('ada'), undefined)).toThrow(code('BOSUN_GATEWAY_FULL') as Error);
    passes.issue(caller('bob'), undefined);
    passes.redeem(issued[0]!, undefined);
    passes.issue(caller('ada'), undefined);
    await clock.advance(PASS_MS, async () => {});
    for (const _ of issued) passes.issue(caller('ada'), undefined);
  });
});

describe('a pass on a network', () => {
  const TOKEN = 'a-long-random-secret';
  let test: TestSystem;
  let gateway: Gateway;
  let url: string;
  beforeEach(async () => {
    test = await startTestSystem(shop());
    gateway = createGateway(test.shard, {
      port: 0,
      origins: [PAGE, 'https://other.example'],
      tokens: [{ id: 'ada', token: TOKEN, scopes: ['actor:read'], addresses: ['visits'] }],
    });
    ({ url } = await gateway.listen());
  });
  afterEach(async () => {
    await gateway.close();
    await test.shard.stop();
  });

  const post = (headers: Record<string, string>) => fetch(`${url}/v1/passes`, { method: 'POST', headers });
  const pass = async (origin?: string) =>
    (
      (await (
        await post({ Authorization: `Bearer ${TOKEN}`, ...(origin !== undefined && { Origin: origin }) })
      ).json()) as { pass: string }
    ).pass;

  /** The first frame, or the code of the close. */
  function opened(query: string, origin?: string): Promise<unknown> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws${query}`, {
      ...(origin !== undefined && { origin }),
    });
    return new Promise((resolve) => {
      socket.on('error', () => {});
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
      socket.on('open', () => socket.send('{"t":"hello","v":1}'));
      socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as { t: string; principal?: { id: string; scopes: string[] } };
        if (frame.t === 'welcome') {
          resolve(frame.principal);
          socket.close();
        }
      });
      socket.on('close', (closed) => resolve(closed));
    });
  }

  it('is issued only for a token, and opens a socket with the rights of that token', async () => {
    expect((await post({})).status).toBe(401);
    expect((await fetch(`${url}/v1/passes`, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(400);
    const got = await pass(PAGE);
    expect(await opened(`?pass=${got}`, PAGE)).toEqual({
      id: 'ada',
      mayDestroy: false,
      scopes: ['actor:read'],
      addresses: ['visits'],
    });
    expect(await opened(`?pass=${got}`, PAGE)).toBe(4401);
    expect(await opened(`?pass=${await pass(PAGE)}`, 'https://other.example')).toBe(4401);
    expect(await opened(`?pass=${await pass(PAGE)}`, 'https://elsewhere.example')).toBe(403);
  });

  it('is the only credential that the URL of a socket may contain', async () => {
    expect(await opened(`?token=${TOKEN}`)).toBe(404);
    expect(await opened(`?pass=${await pass()}&token=${TOKEN}`)).toBe(404);
    expect(await opened(`?pass=${await pass()}&pass=x`)).toBe(404);
  });

  it('opens a stream of events once, and no other request', async () => {
    const get = (path: string) => fetch(`${url}${path}`);
    const got = await pass();
    const stream = await get(`/v1/events?topic=actor/visits&pass=${got}`);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await stream.body!.cancel();
    expect((await get(`/v1/events?topic=actor/visits&pass=${got}`)).status).toBe(401);
    expect((await get(`/v1/events?topic=actor/till&pass=${await pass()}`)).status).toBe(403);
    expect((await get(`/v1/actors/visits?pass=${await pass()}`)).status).toBe(400);
  });
});
