/** Verbs on the system of another program, whose gateway announces itself in the directory of its store (S7). */
import { statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { announcedGateway, announceGateway } from '../../src/gateway/network/announcement.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/network/server.ts';
import { SharedSystem } from '../../src/cli/shared-system.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { levelStore } from '../../src/persistence/level-store.ts';
import { createSystem, type System } from '../../src/system.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';
import { counter } from '../support/gateway/shop.ts';
import { spread } from '../support/workers/spread-threads.ts';

let work: Workspace;
let open: { readonly system: System; readonly gateway: Gateway }[];
beforeEach(() => {
  work = new Workspace();
  open = [];
});
afterEach(async () => {
  for (const { system, gateway } of open) {
    await gateway.close();
    await system.stop();
  }
  await work[Symbol.asyncDispose]();
});

const FILE = 'bosun.gateway.json';

/** A program with its own system on a store, and a gateway. */
async function program(data: string | undefined, options: GatewayOptions = {}): Promise<System> {
  const store = data === undefined ? memoryStore() : levelStore(work.file(data));
  const system = createSystem({ agents: [counter], store, tree: { children: [{ id: 'visits', agent: 'counter' }] } });
  await system.start();
  const gateway = createGateway(system, options.server === undefined ? { port: 0, ...options } : options);
  open.push({ system, gateway });
  await gateway.listen();
  return system;
}

function fail(...told: unknown[]): never {
  throw new Error(told.join(' '));
}

const verb = (...args: string[]) => work.bosun([...args, '--data', 'shop']);

describe('a system embedded in a program', () => {
  it.each(['shop', 'shop/store'])('is found by verbs of the command line if its store is %s', async (data) => {
    const system = await program(data);
    expect(await verb('ps')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^visits +counter/m) as string,
    });
    expect(await verb('send', 'visits', 'add', '{"by": 2}', '--wait')).toMatchObject({ code: 0, err: '' });
    expect((await verb('ask', 'visits', 'count')).out).toBe('2\n');
    expect((await system.snapshot('visits'))!.context).toMatchObject({ count: 2 });
  });

  it('takes orders of the operator, which go on record', async () => {
    const system = await program('shop');
    expect(await verb('kill', 'visits', '--by', 'ada')).toMatchObject({ code: 0, err: '' });
    expect(await system.admin.audit()).toMatchObject([{ by: 'ada', order: 'kill', address: 'visits' }]);
  });

  it('is found on an HTTP server of the program', async () => {
    const server: Server = createServer();
    await program('shop', { server: server.listen(0, '127.0.0.1') });
    expect((await verb('ps')).out).toMatch(/^visits +counter/m);
    server.close();
  });

  it('is found by the name of this machine if it listens on all addresses', async () => {
    await program('shop', { host: '::', tokens: [{ id: 'ada', token: 'a-long-random-secret' }] });
    expect(await announcedGateway(work.file('shop'))).toMatchObject({
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/) as string,
    });
    expect((await verb('ps')).out).toMatch(/^visits +counter/m);
  });

  it('is joined by bosun mcp, which starts no other', async () => {
    await program('shop');
    const said: string[] = [];
    const log = { info: (text: string) => said.push(text), error: fail, runtime: fail };
    const place = { root: work.path, data: work.file('shop'), remote: undefined, as: 'mcp:agent', env: {}, log };
    const shared = new SharedSystem(place);
    const tools = await (await shared.gateway()).tools();
    expect(tools.map(({ tool }) => tool)).toContain('send_event');
    expect(said).toEqual([expect.stringMatching(/^joined the system at http:.*, data in .*shop$/)]);
    await shared.close();
    expect((await verb('ps')).code).toBe(0);
    const { system, gateway } = open.pop()!;
    await gateway.close();
    await system.stop();
    await expect(new SharedSystem(place).gateway()).rejects.toThrow('is the store of another program');
  });

  it('is found over workers', LONG, async () => {
    const system = spread(work.file('shop'));
    await system.start();
    const gateway = createGateway(system, { port: 0 });
    open.push({ system, gateway });
    await gateway.listen();
    expect((await verb('ps')).out).toMatch(/^a +counter/m);
  });

  it.each(['run plan.yaml', 'serve', 'desk .'])('gets no second store within its own by bosun %s', async (line) => {
    const system = await program('shop');
    await open.pop()!.gateway.close();
    await system.stop();
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    expect(await verb(...line.split(' '))).toMatchObject({
      code: 2,
      err: expect.stringContaining('shop is the store of another program: start that program, or use') as string,
    });
    expect(work.has('shop/store')).toBe(false);
  });

  it('is read from its store when it has stopped, even if the file of its gateway is still there', async () => {
    const system = await program('shop/store');
    await system.send('visits', { type: 'add', by: 2 });
    const left = (await announcedGateway(work.file('shop/store')))!;
    await system.stop();
    await open.pop()!.gateway.close();
    await announceGateway(work.file('shop/store'), left);
    expect(await verb('ps')).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^visits/m) as string });
  });
});

describe('the file of a gateway', () => {
  it('can be read by its owner only, as the store can, and goes with the gateway', async () => {
    const system = await program('shop');
    expect(statSync(work.file(`shop/${FILE}`)).mode & 0o777).toBe(0o600);
    await open.pop()!.gateway.close();
    expect(work.has(`shop/${FILE}`)).toBe(false);
    await system.stop();
    expect(statSync(work.file('shop')).mode & 0o777).toBe(0o700);
  });

  it('goes when the system stops, and leaves that of a later gateway', async () => {
    await program('shop');
    const [first] = open as [(typeof open)[number]];
    const later = createGateway(first.system, { port: 0 });
    const { url } = await later.listen();
    await first.gateway.close();
    expect(await announcedGateway(work.file('shop'))).toMatchObject({ url });
    await first.system.stop();
    await later.drain();
    expect(work.has(`shop/${FILE}`)).toBe(false);
  });

  it('holds the operator that the program names', async () => {
    const operator = 'the-operator-of-the-shop';
    await program('shop', { operator });
    expect(await announcedGateway(work.file('shop'))).toMatchObject({ token: operator });
  });

  it('is where the program wants it, or nowhere', async () => {
    work.write('plain', '');
    await program('shop', { announce: work.path });
    await program('other', { announce: false });
    await program(undefined);
    expect([work.has(FILE), work.has(`shop/${FILE}`), work.has(`other/${FILE}`)]).toEqual([true, false, false]);
    await expect(program('third', { announce: work.file('plain') })).rejects.toMatchObject({
      code: 'BOSUN_CONFIG_INVALID',
      message: expect.stringMatching(/plain\/bosun.gateway.json cannot be written: .*Name another directory/) as string,
    });
    expect(() => createGateway(open[0]!.system, { announce: '' })).toThrow('announce: must be');
  });
});
