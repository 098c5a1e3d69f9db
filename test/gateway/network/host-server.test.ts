/** A gateway on an HTTP server of the host: what is whose, under a path, and what is left when the gateway goes. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../../src/client/client.ts';
import { createGateway, type Gateway } from '../../../src/gateway/network/server.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { createSystem, type System } from '../../../src/system.ts';
import { shop } from '../../support/gateway/shop.ts';

const TOKEN = 'a-token-of-32-characters-0123456';

let system: System;
let server: Server;
let gateway: Gateway;
const upgradesOfHost: string[] = [];

beforeAll(async () => {
  system = await createSystem({ ...shop(), store: memoryStore(), durability: 'memory', log: () => {} }).start();
});
afterAll(() => system.stop());

beforeEach(() => {
  server = createServer((request, response) => response.end(`host: ${request.url}`));
  server.on('upgrade', (request, socket) => {
    upgradesOfHost.push(request.url!);
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
});
afterEach(async () => {
  await gateway.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function attached(path?: string): Promise<string> {
  gateway = createGateway(system, { server, ...(path !== undefined && { path }) });
  const listening = gateway.listen();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (await listening).url;
}

const originOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const text = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).text();

describe('a gateway on a server of the host', () => {
  it('answers below /bosun by default, and leaves every other path to the host', async () => {
    const url = await attached();
    expect(url).toBe(`${originOf()}/bosun`);
    expect(JSON.parse(await text(`${url}/healthz`))).toEqual({ ok: true });
    expect(JSON.parse(await text(`${url}/v1/actors/till?fields=value`))).toMatchObject({ address: 'till' });
    for (const path of ['/', '/healthz', '/bosuns', '/bosun-2/v1/system', '/v1/system'])
      expect(await text(originOf() + path)).toBe(`host: ${path}`);
  });

  it('serves clients and leaves WebSockets of other paths to the host', async () => {
    const url = await attached('/tools/agents');
    const client = createClient(url, { WebSocket });
    expect(await client.actor('visits').send({ type: 'add', by: 2 })).toEqual({ taken: null });
    client.close();
    const other = new WebSocket(`${originOf().replace('http', 'ws')}/live`);
    await new Promise((resolve) => other.once('error', resolve));
    expect(upgradesOfHost).toEqual(['/live']);
  });

  it('sends a browser from its path to the folder, relative to where the browser is', async () => {
    const url = await attached('/tools/agents');
    const { status, headers } = await fetch(`${url}?a=1`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, 'agents/?a=1']);
  });

  it('leaves the server and all its paths to the host when it closes', async () => {
    const url = await attached();
    await gateway.close();
    expect(await text(`${url}/healthz`)).toBe('host: /bosun/healthz');
  });

  it('takes the whole server for the path /', async () => {
    const url = await attached('/');
    expect(url).toBe(originOf());
    expect(JSON.parse(await text(`${url}/healthz`))).toEqual({ ok: true });
  });

  it('is refused without tokens where others can reach the server, and leaves its requests to the host', async () => {
    gateway = createGateway(system, { server });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    await expect(gateway.listen()).rejects.toMatchObject({
      code: 'BOSUN_CONFIG_INVALID',
      message: expect.stringContaining('can be reached by others: give it tokens') as string,
    });
    expect(await text(`${originOf()}/bosun/healthz`)).toBe('host: /bosun/healthz');
    gateway = createGateway(system, { server, tokens: [{ id: 'ada', token: TOKEN }] });
    await expect(gateway.listen()).resolves.toMatchObject({ host: '0.0.0.0' });
  });

  it.each([
    ['a path without a server', { path: '/bosun' }, 'give server'],
    ['a server that is none', { server: 1 as unknown as Server }, 'server: must be an HTTP server of Node'],
    ['a port beside a server', { server: createServer(), port: 1 }, 'leave port and host out'],
    ['a host beside a server', { server: createServer(), host: '::1' }, 'leave port and host out'],
    [
      'a path without a slash',
      { server: createServer(), path: 'bosun' },
      'path: must be a path that begins with a slash',
    ],
  ])('refuses %s', async (_, options, why) => {
    gateway = createGateway(system, { server });
    expect(() => createGateway(system, options)).toThrow(
      expect.objectContaining({
        code: 'BOSUN_CONFIG_INVALID',
        message: expect.stringContaining(why) as string,
      }) as Error,
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
});
