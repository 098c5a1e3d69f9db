/** Verbs on the system of another program, whose gateway announces itself in the directory of its store (S7). */
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SharedSystem } from '../../src/cli/serve/shared-system.ts';
import { Announcement, announcedGateway } from '../../src/gateway/network/announcement.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/network/server.ts';
import { levelStore } from '../../src/persistence/store/level-store.ts';
import { memoryStore } from '../../src/persistence/store/memory-store.ts';
import { createSystem, type System } from '../../src/system.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { LONG } from '../support/effort.ts';
import { counter } from '../support/gateway/shop.ts';
import { until } from '../support/until.ts';
import { spread } from '../support/workers/spread-threads.ts';

interface Program {
  readonly system: System;
  readonly gateway: Gateway;
}

let work: Workspace;
let open: Program[];
beforeEach(() => {
  work = new Workspace();
  open = [];
});
afterEach(async () => {
  for (const program of open) await ended(program);
  await work[Symbol.asyncDispose]();
});

const FILE = 'bosun.gateway.json';
const TOKEN = 'a-long-random-secret';

async function ended({ system, gateway }: Program): Promise<void> {
  await gateway.close();
  await system.stop();
}

/** A program with its own system on a store, and a gateway that listens. */
async function program(data: string | undefined, options: GatewayOptions = {}): Promise<Program> {
  const store = data === undefined ? memoryStore() : levelStore(work.file(data));
  const system = createSystem({ agents: [counter], store, tree: { children: [{ id: 'visits', agent: 'counter' }] } });
  await system.start();
  return listening(system, options);
}

async function listening(system: System, options: GatewayOptions = {}): Promise<Program> {
  const gateway = createGateway(system, options.server === undefined ? { port: 0, ...options } : options);
  const made = { system, gateway };
  open.push(made);
  await gateway.listen();
  return made;
}

/** A server of the program's own. */
async function serverOn(host: string): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, host), 'listening');
  return server;
}

const announced = () => announcedGateway(work.file('shop'));
const verb = (...args: string[]) => work.bosun([...args, '--data', 'shop']);

const FOUND = { code: 0, err: '', out: expect.stringMatching(/^visits +counter/m) as string };

describe('a system embedded in a program', () => {
  it.each(['shop', 'shop/store'])('is found by verbs of the command line if its store is %s', async (data) => {
    const { system } = await program(data);
    expect(await verb('ps')).toMatchObject(FOUND);
    expect(await verb('send', 'visits', 'add', '{"by": 2}', '--wait')).toMatchObject({ code: 0, err: '' });
    expect((await verb('ask', 'visits', 'count')).out).toBe('2\n');
    expect((await system.snapshot('visits'))!.context).toMatchObject({ count: 2 });
  });

  it('takes orders of the operator, which go on record', async () => {
    const { system } = await program('shop');
    expect(await verb('kill', 'visits', '--by', 'ada')).toMatchObject({ code: 0, err: '' });
    expect(await system.admin.audit()).toMatchObject([{ by: 'ada', order: 'kill', address: 'visits' }]);
  });

  it.each(['127.0.0.1', '127.0.0.2', '0.0.0.0'])('is found on a server of the program at %s', async (host) => {
    await program('shop', { server: await serverOn(host), tokens: [{ id: 'ada', token: TOKEN }] });
    expect(await verb('ps')).toMatchObject(FOUND);
  });

  it.each(['0.0.0.0', ''])('is found by the name of this machine if it listens on all addresses: %o', async (host) => {
    await program('shop', { host, tokens: [{ id: 'ada', token: TOKEN }] });
    expect(await announced()).toMatchObject({ url: expect.stringMatching(/^http:\/\/localhost:\d+$/) as string });
    expect(await verb('ps')).toMatchObject(FOUND);
  });

  it('is joined by bosun mcp, which starts no other and waits for a program that starts again', async () => {
    const first = await program('shop');
    const said: string[] = [];
    const fail = (...told: unknown[]) => {
      throw new Error(told.join(' '));
    };
    const log = { info: (text: string) => said.push(text), error: fail, runtime: fail };
    const place = { root: work.path, data: work.file('shop'), remote: undefined, as: 'mcp:agent', env: {}, log };
    const shared = new SharedSystem(place);
    const gateway = await shared.gateway();
    expect((await gateway.rows()).tools.map(({ tool }) => tool)).toContain('send_event');
    expect(said).toEqual([expect.stringMatching(/^joined the system at http:.*, data in .*shop$/)]);

    await ended(first);
    await shared.lost(gateway);
    const next = shared.gateway();
    await program('shop');
    expect((await next).url).toBe((await announced())!.url);
    await shared.close();
    expect(await verb('ps')).toMatchObject(FOUND);
  });

  it('is found over workers, and gets no second system in their directory', LONG, async () => {
    const system = spread(work.file('shop'));
    await system.start();
    const one = await listening(system);
    expect((await verb('ps')).out).toMatch(/^a +counter/m);
    expect(await verb('serve')).toMatchObject({ code: 2 });
    await ended(one);
    expect((await verb('ps')).err).toContain('shop holds the stores of workers: name one of them');
    expect(work.has('shop/store')).toBe(false);
  });

  it.each(['run plan.yaml', 'serve', 'desk .'])('gets no second store within its own by bosun %s', async (line) => {
    await ended(await program('shop'));
    work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
    expect(await verb(...line.split(' '))).toMatchObject({
      code: 2,
      err: expect.stringContaining('shop is the store of another program: start that program with a gateway') as string,
    });
    expect(work.has('shop/store')).toBe(false);
  });
});

describe('a file that was left behind', () => {
  /** A stopped program whose file is still there, as kill -9 leaves it. */
  async function left(url?: string): Promise<void> {
    const one = await program('shop/store');
    await one.system.send('visits', { type: 'add', by: 2 });
    const address = (await announcedGateway(work.file('shop/store')))!;
    await ended(one);
    await new Announcement(work.file('shop/store'), address).make(url ?? address.url);
  }

  it('does not hide a stopped store', async () => {
    await left();
    expect(await verb('ps')).toMatchObject(FOUND);
  });

  it('leads neither to the gateway of another system that has the port, nor to another server', async () => {
    const memory = createGateway((await program(undefined)).system, { port: 0 });
    const { url } = await memory.listen();
    onTestFinished(() => memory.close());
    const asked: string[] = [];
    const other = await serverOn('127.0.0.1');
    other.on('request', ({ headers, url: path }, response) => {
      asked.push(`${path} ${headers.authorization}`);
      response.end('{}');
    });
    for (const at of [url, `http://127.0.0.1:${(other.address() as AddressInfo).port}`]) {
      await left(at);
      expect(await verb('ask', 'visits', 'count')).toMatchObject({ code: 7 });
    }
    expect(asked).toEqual(['/healthz undefined']);
  });
});

describe('the file of a gateway', () => {
  it('can be read by its owner only, as the store can, and goes with the gateway', async () => {
    mkdirSync(work.file('shop'), { mode: 0o755 });
    chmodSync(work.file('shop'), 0o755);
    writeFileSync(work.file(`shop/${FILE}.left-behind`), '', { mode: 0o666 });
    const one = await program('shop');
    expect(statSync(work.file(`shop/${FILE}`)).mode & 0o777).toBe(0o600);
    expect(statSync(work.file('shop')).mode & 0o777).toBe(0o700);
    await one.gateway.close();
    expect(work.has(`shop/${FILE}`)).toBe(false);
  });

  it('goes when the system stops', async () => {
    const { system } = await program('shop');
    await system.stop();
    await until(
      () => !work.has(`shop/${FILE}`),
      () => 'a file that goes',
    );
  });

  it('stays if another gateway has written it since, even with the same token and at the same moment', async () => {
    const operator = 'the-operator-of-the-shop';
    const { system, gateway } = await program('shop', { operator });
    const others = [1, 2, 3].map(() => createGateway(system, { port: 0, operator }));
    onTestFinished(async () => void (await Promise.all(others.map((other) => other.close()))));
    const urls = (await Promise.all(others.map((other) => other.listen()))).map(({ url }) => url);
    await gateway.close();
    const found = (await announced())!;
    expect(urls).toContain(found.url);
    expect(found.token).toBe(operator);
    const failed = createGateway(system, { port: Number(new URL(found.url).port), operator });
    await expect(failed.listen()).rejects.toMatchObject({ code: 'BOSUN_CONFIG_INVALID' });
    await failed.close();
    expect(await announced()).toEqual(found);
  });

  it('is not left behind by a gateway that is closed while it begins to listen', async () => {
    const { system, gateway } = await program('shop');
    await gateway.close();
    for (let rounds = 0; rounds < 10; rounds++) {
      const hasty = createGateway(system, { port: 0 });
      const begun = expect(hasty.listen()).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
      for (let turns = 0; turns < rounds / 3; turns++) await new Promise((resolve) => setImmediate(resolve));
      await hasty.close();
      await begun;
      expect(readdirSync(work.file('shop')).filter((name) => name.startsWith(FILE))).toEqual([]);
    }
  });

  it('is where the program wants it, or nowhere', async () => {
    work.write('plain', '');
    await program('shop', { announce: work.path });
    await program('other', { announce: false });
    await program(undefined);
    expect([work.has(FILE), work.has(`shop/${FILE}`), work.has(`other/${FILE}`)]).toEqual([true, false, false]);
    await expect(program('third', { announce: work.file('plain') })).rejects.toMatchObject({
      code: 'BOSUN_CONFIG_INVALID',
      message: expect.stringMatching(/plain\/bosun.gateway.json cannot be written: /) as string,
    });
    expect(() => createGateway(open[0]!.system, { announce: '' })).toThrow('announce: must be');
  });

  it('is not needed where the program has not asked for it: a gateway listens before the system starts', async () => {
    const system = createSystem({ agents: [counter], store: levelStore(work.file('new')) });
    const told: unknown[] = [];
    const gateway = createGateway(system, { port: 0, log: (...args) => told.push(args) });
    const { url } = await gateway.listen();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(JSON.stringify(told)).toContain(`${FILE} cannot be written`);
    expect(existsSync(work.file('new'))).toBe(false);
    await gateway.close();
  });
});
