/** Crowds of sockets: who gives way to whom. Strangers go before callers, and of a caller with too many its oldest. */
import { PassThrough } from 'node:stream';
import { type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CALLER_SOCKETS_MAX, STRANGER_SOCKETS_MAX, STRANGERS_MAX } from '../../../src/gateway/limits.ts';
import { OpenSockets } from '../../../src/gateway/network/open-sockets.ts';
import { createGateway } from '../../../src/gateway/network/server.ts';
import { startTestSystem } from '../../../src/testing/test-system.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { LONG } from '../../support/effort.ts';
import { frame, handshake, RawPeer } from '../../support/gateway/raw-peer.ts';
import { shop } from '../../support/gateway/shop.ts';

const TOKENS = ['ada', 'bob'].map((id) => ({ id, token: `token-of-${id}-0123456789` }));

/** Addresses of a crowd. All of 127.0.0.0/8 is this machine. */
const CROWD = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

function socketFrom(remoteAddress: string): Socket {
  return Object.assign(new PassThrough(), { remoteAddress }) as unknown as Socket;
}

/** Sockets that are counted, and how many had to give way. */
function counted() {
  const gone = { count: 0 };
  return { gone, open: new OpenSockets(new VirtualClock(), () => (gone.count += 1)) };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('sockets of strangers', () => {
  it(`number at most ${STRANGER_SOCKETS_MAX}, and the oldest of the address with most gives way (F5)`, () => {
    const { gone, open } = counted();
    const enter = (from: string) => {
      const socket = socketFrom(from);
      open.opened(socket);
      return socket;
    };
    const quiet = enter('192.0.2.1');
    const crowd = times(STRANGER_SOCKETS_MAX - 1, () => enter('192.0.2.2'));
    expect(gone.count).toBe(0);
    const newcomers = [enter('192.0.2.2'), enter('192.0.2.3')];
    expect([gone.count, crowd.filter(({ destroyed }) => destroyed)]).toEqual([2, crowd.slice(0, 2)]);
    expect([quiet, ...newcomers].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  });
});

describe('sockets of callers', () => {
  it(`number at most ${CALLER_SOCKETS_MAX}, and the longest idle of the caller with most gives way (F5)`, () => {
    const { gone, open } = counted();
    const enter = (caller: string) => {
      const socket = socketFrom('192.0.2.1');
      open.opened(socket);
      open.recognised(socket, caller);
      return socket;
    };
    const quiet = enter('bob');
    const crowd = times(CALLER_SOCKETS_MAX - 1, () => enter('ada'));
    // The first of them carries a request again, and is the newest then.
    open.recognised(crowd[0]!, 'ada');
    expect(gone.count).toBe(0);
    const newcomers = [enter('ada'), enter('cyd')];
    expect([gone.count, crowd.filter(({ destroyed }) => destroyed)]).toEqual([2, crowd.slice(1, 3)]);
    expect([quiet, ...newcomers].map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
  });
});

describe('strangers from several addresses', () => {
  it('keep no caller out, by WebSocket or by HTTP, and close no connection of one (F5)', LONG, async () => {
    const test = await startTestSystem(shop());
    onTestFinished(() => test.shard.stop());
    const connectRate = { burst: 1e9, perSecond: 1e9 };
    const gateway = createGateway(test.shard, { port: 0, tokens: TOKENS, connectRate, clock: new VirtualClock() });
    onTestFinished(() => gateway.abandon());
    const { port } = await gateway.listen();
    const peer = async (from: string, ...data: (string | Uint8Array)[]) => {
      const opened = await RawPeer.open(port, { from });
      onTestFinished(() => opened.destroy());
      for (const part of data) opened.write(part);
      return opened;
    };
    const welcomed = async (from: string, { token }: { readonly token: string }) => {
      const known = await peer(from, handshake(), frame(JSON.stringify({ t: 'hello', v: 1, token })));
      expect(await known.until((text) => text.includes('"t":"welcome"'))).toContain('"t":"welcome"');
      return known;
    };
    const flood = async () => {
      const upgraded = (from: string) =>
        Promise.all(times(STRANGERS_MAX, () => peer(from, handshake()).then((one) => one.status())));
      const silent = (from: string) => Promise.all(times(STRANGER_SOCKETS_MAX, () => peer(from)));
      await Promise.all(CROWD.flatMap((from) => [upgraded(from), silent(from)]));
    };
    await flood();
    // A caller comes from an address of its own, another one from an address of the crowd.
    const known = [await welcomed('127.0.0.1', TOKENS[0]!), await welcomed(CROWD[0]!, TOKENS[1]!)];
    await flood();
    known.push(await welcomed(CROWD[1]!, TOKENS[0]!));
    for (const [index, { token }] of TOKENS.entries()) {
      const asked = `GET /v1/actors/visits HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      expect(await (await peer(CROWD[index]!, asked)).status()).toBe(200);
    }
    expect(known.map(({ isOpen }) => isOpen)).toEqual([true, true, true]);
    expect([gateway.counts['closed.overloaded']! > 0, gateway.counts['turned away.crowd']! > 0]).toEqual([true, true]);
  });
});
