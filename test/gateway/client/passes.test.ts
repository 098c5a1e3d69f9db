/**
 * Tickets: shown in an address in the place of a token, by pages that can set no header; good once, not for long, and
 * not elsewhere.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Caller } from '../../../src/gateway/client/callers.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { Tickets } from '../../../src/gateway/client/passes.ts';
import { TICKET_MS, TICKETS_PER_CALLER_MAX } from '../../../src/limits.ts';
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

describe('a ticket', () => {
  let clock: VirtualClock;
  let tickets: Tickets;
  beforeEach(() => {
    clock = new VirtualClock();
    tickets = new Tickets(clock);
  });

  it('is its caller, once', () => {
    const ada = caller('ada');
    const { ticket, expiresInMs } = tickets.issue(ada, PAGE);
    expect([ticket.length >= 43, expiresInMs]).toEqual([true, TICKET_MS]);
    expect(tickets.redeem(ticket, PAGE)).toBe(ada);
    expect(() => tickets.redeem(ticket, PAGE)).toThrow(refused);
    expect(() => tickets.redeem('made-up', undefined)).toThrow(refused);
  });

  it('is good until its last millisecond', async () => {
    const [first, second] = [tickets.issue(caller('ada'), undefined), tickets.issue(caller('ada'), undefined)];
    await clock.advance(TICKET_MS - 1, async () => {});
    expect(tickets.redeem(first.ticket, undefined).id).toBe('ada');
    await clock.advance(1, async () => {});
    expect(() => tickets.redeem(second.ticket, undefined)).toThrow(refused);
  });

  it('is not for a page of another origin, and spent when that tries', () => {
    const { ticket } = tickets.issue(caller('ada'), PAGE);
    expect(() => tickets.redeem(ticket, 'https://elsewhere.example')).toThrow(refused);
    expect(() => tickets.redeem(ticket, PAGE)).toThrow(refused);
    // A browser says no origin for a stream of the page's own.
    expect(tickets.redeem(tickets.issue(caller('ada'), PAGE).ticket, undefined).id).toBe('ada');
  });

  it('does not outlive the token that it was got with', async () => {
    const { ticket } = tickets.issue(caller('ada', clock.wallMs() + 1_000), undefined);
    await clock.advance(1_000, async () => {});
    expect(() => tickets.redeem(ticket, undefined)).toThrow(refused);
  });

  it(`is one of at most ${TICKETS_PER_CALLER_MAX} of a caller that nobody has used`, async () => {
    const issued = Array.from({ length: TICKETS_PER_CALLER_MAX }, () => tickets.issue(caller('ada'), undefined).ticket);
    expect(() => tickets.issue(caller('ada'), undefined)).toThrow(code('BOSUN_GATEWAY_FULL') as Error);
    tickets.issue(caller('bob'), undefined);
    tickets.redeem(issued[0]!, undefined);
    tickets.issue(caller('ada'), undefined);
    await clock.advance(TICKET_MS, async () => {});
    for (const _ of issued) tickets.issue(caller('ada'), undefined);
  });
});

describe('on a network', () => {
  const TOKEN = 'a-long-random-secret';
  let test: TestSystem;
  let gateway: Gateway;
  let url: string;
  beforeEach(async () => {
    test = await startTestSystem(shop());
    gateway = createGateway(test.system, {
      port: 0,
      origins: [PAGE, 'https://other.example'],
      tokens: [{ id: 'ada', token: TOKEN, scopes: ['actor:read'], addresses: ['visits'] }],
    });
    ({ url } = await gateway.listen());
  });
  afterEach(async () => {
    await gateway.close();
    await test.system.stop();
  });

  const post = (headers: Record<string, string>) => fetch(`${url}/v1/ticket`, { method: 'POST', headers });
  const ticket = async (origin?: string) =>
    (
      (await (
        await post({ Authorization: `Bearer ${TOKEN}`, ...(origin !== undefined && { Origin: origin }) })
      ).json()) as { ticket: string }
    ).ticket;

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

  it('is got with a token alone, and opens a socket with its rights', async () => {
    expect((await post({})).status).toBe(401);
    expect((await fetch(`${url}/v1/ticket`, { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(400);
    const got = await ticket(PAGE);
    expect(await opened(`?ticket=${got}`, PAGE)).toEqual({
      id: 'ada',
      mayDestroy: false,
      scopes: ['actor:read'],
      addresses: ['visits'],
    });
    expect(await opened(`?ticket=${got}`, PAGE)).toBe(4401);
    expect(await opened(`?ticket=${await ticket(PAGE)}`, 'https://other.example')).toBe(4401);
    expect(await opened(`?ticket=${await ticket(PAGE)}`, 'https://elsewhere.example')).toBe(403);
  });

  it('is all that an address of a socket may have', async () => {
    expect(await opened(`?token=${TOKEN}`)).toBe(404);
    expect(await opened(`?ticket=${await ticket()}&token=${TOKEN}`)).toBe(404);
    expect(await opened(`?ticket=${await ticket()}&ticket=x`)).toBe(404);
  });

  it('opens a stream of events once, and no other request', async () => {
    const get = (path: string) => fetch(`${url}${path}`);
    const got = await ticket();
    const stream = await get(`/v1/events?topic=actor/visits&ticket=${got}`);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await stream.body!.cancel();
    expect((await get(`/v1/events?topic=actor/visits&ticket=${got}`)).status).toBe(401);
    expect((await get(`/v1/events?topic=actor/till&ticket=${await ticket()}`)).status).toBe(403);
    expect((await get(`/v1/actors/visits?ticket=${await ticket()}`)).status).toBe(400);
  });
});
