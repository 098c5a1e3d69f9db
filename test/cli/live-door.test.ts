/** Tools over a gateway that dies: which calls are made again at the next one, and which are not. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { procedure } from '../../src/actors/api/procedure.ts';
import { systemClock } from '../../src/clock.ts';
import { liveDoor } from '../../src/cli/serve/live-door.ts';
import { LiveGateway } from '../../src/cli/reach/live-gateway.ts';
import { BosunError } from '../../src/errors.ts';
import { MethodTable } from '../../src/gateway/calls/method-table.ts';
import { type ToolDoor } from '../../src/gateway/mcp/tool-door.ts';
import { PATIENCE_MS } from '../support/effort.ts';

const methods = new MethodTable({
  'bell.ring': procedure({
    means: 'Rings.',
    params: z.object({}),
    result: z.object({}),
    example: { p: {}, r: {} },
    mcp: { tool: 'ring', profiles: ['hub'] },
    port: () => ({}),
  }),
  'bell.look': procedure({
    means: 'Looks.',
    does: 'nothing',
    params: z.object({ priority_level: z.int().default(2) }),
    result: z.object({}),
    example: { p: {}, r: {} },
    mcp: { tool: 'look', profiles: ['hub'], retry: { attemptsMax: 2, baseSeconds: 5 } },
    port: () => ({}),
  }),
  'bell.watch': procedure({
    means: 'Looks, for those who cannot go on without.',
    does: 'nothing',
    params: z.object({ priority_level: z.int().default(1) }),
    result: z.object({}),
    example: { p: {}, r: {} },
    mcp: { tool: 'watch', profiles: ['hub'], isUrgent: true },
    port: () => ({}),
  }),
});
const TOOLS = { tools: methods.tools.map((row) => ({ ...row, http: methods.row(row.method)!.http })) };

const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A gateway that tells its tools, and treats calls as it is told. */
class Fake {
  readonly keys: (string | undefined)[] = [];
  readonly gateway: Promise<LiveGateway>;

  constructor(treat: (response: ServerResponse) => void) {
    const server = createServer((request, response) => {
      if (request.url === '/mcp/tools') return void response.end(JSON.stringify(TOOLS));
      this.keys.push(request.headers['idempotency-key'] as string | undefined);
      request.resume().on('end', () => treat(response));
    });
    servers.push(server);
    this.gateway = new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo;
        resolve(new LiveGateway({ url: `http://127.0.0.1:${port}`, token: undefined }));
      });
    });
  }
}

const dies = (response: ServerResponse) => void response.destroy();
const answers = (response: ServerResponse) => void response.end(JSON.stringify({ taken: null }));
const drains = (response: ServerResponse) => {
  response.writeHead(503);
  response.end(JSON.stringify({ error: { code: 'BOSUN_DRAINING', message: 'closing', retryable: true } }));
};

/** A door over gateways of which each is found when the one before is lost. */
function doorOver(...fakes: Fake[]): ToolDoor {
  let at = 0;
  const shared = {
    gateway: () => fakes[Math.min(at, fakes.length - 1)]!.gateway,
    lost: () => Promise.resolve(void at++),
  };
  return liveDoor(Promise.resolve(shared), { agent: 'mcp:a', isPerson: false, isProgram: true, log: () => {} });
}

const how = (more: object = {}) => ({
  key: undefined,
  timeoutMs: PATIENCE_MS,
  signal: new AbortController().signal,
  ...more,
});
const visits = { address: 'visits' };
const send = { ...visits, event: { type: 'add' } };

describe('a call whose gateway dies', () => {
  it.each(['actor.get', 'actor.wait', 'wait.list'])('is repeated if it only reads: %s', async (method) => {
    const [first, second] = [new Fake(dies), new Fake(answers)];
    expect(await doorOver(first, second).call(method, visits, how())).toEqual({ taken: null });
    expect([first.keys, second.keys]).toEqual([[undefined], [undefined]]);
  });

  it.each(['actor.send', 'actor.ask'])(
    'is repeated with its key if the store remembers the key: %s',
    async (method) => {
      const [first, second] = [new Fake(dies), new Fake(answers)];
      await doorOver(first, second).call(method, send, how());
      expect(first.keys[0]).toMatch(/^[0-9a-f-]{36}$/);
      expect(second.keys).toEqual(first.keys);
      const [third, fourth] = [new Fake(dies), new Fake(answers)];
      await doorOver(third, fourth).call(method, send, how({ key: 'mine' }));
      expect([third.keys, fourth.keys]).toEqual([['mine'], ['mine']]);
    },
  );

  it('waits for a gateway that has not started', async () => {
    const late = new Fake(answers);
    let looks = 0;
    const shared = {
      gateway: () =>
        ++looks < 3 ? Promise.reject(new BosunError('BOSUN_SYSTEM_CLOSED', 'no gateway answers')) : late.gateway,
      lost: () => Promise.resolve(),
    };
    const door = liveDoor(Promise.resolve(shared), { agent: 'mcp:a', isPerson: false, isProgram: true, log: () => {} });
    expect(await door.call('bell.ring', {}, how())).toEqual({ taken: null });
    expect([looks, late.keys.length]).toEqual([3, 1]);
  });

  it('is not repeated if it may have had an effect that nobody remembers', async () => {
    const [first, second] = [new Fake(dies), new Fake(answers)];
    await expect(doorOver(first, second).call('bell.ring', {}, how())).rejects.toMatchObject({
      code: 'BOSUN_SYSTEM_CLOSED',
    });
    expect([first.keys.length, second.keys.length]).toEqual([1, 0]);
  });

  it('is repeated, whatever it does, if the gateway was closing or had gone before the call', async () => {
    const [first, second, third] = [new Fake(drains), new Fake(answers), new Fake(answers)];
    await doorOver(first, second).call('bell.ring', {}, how());
    expect(second.keys).toHaveLength(1);
    const gone = new Fake(answers);
    const door = doorOver(gone, third);
    expect((await door.rows()).tools.length).toBeGreaterThan(10);
    await gone.gateway;
    const server = servers[3]!;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    await door.call('bell.ring', {}, how());
    expect([gone.keys.length, third.keys.length]).toEqual([0, 1]);
  });

  it.each([
    ['actor.get', visits, 3],
    ['actor.send', send, 3],
    ['bell.look', {}, 2],
    ['bell.look', { priority_level: 1 }, 3],
    ['bell.watch', {}, 1],
  ])('MX-119: reaches no more gateways than its tool has attempts: %s with %j', async (method, params, attempts) => {
    const always = new Fake(dies);
    await expect(doorOver(always).call(method, params, how())).rejects.toMatchObject({ code: 'BOSUN_SYSTEM_CLOSED' });
    expect(always.keys).toHaveLength(attempts);
  });

  it('MX-119: counts no attempt that its gateway refused as it closed', async () => {
    let calls = 0;
    const late = new Fake((response) => (++calls < 6 ? drains(response) : answers(response)));
    expect(await doorOver(late).call('bell.watch', {}, how())).toEqual({ taken: null });
    expect(calls).toBe(6);
  });

  it('fails with the reason when its time is over', async () => {
    let nowMs = 0;
    vi.spyOn(systemClock, 'monotonicMs').mockImplementation(() => nowMs);
    const always = new Fake((response) => {
      nowMs += 100;
      dies(response);
    });
    await expect(doorOver(always).call('actor.get', visits, how({ timeoutMs: 200 }))).rejects.toMatchObject({
      code: 'BOSUN_SYSTEM_CLOSED',
    });
    expect(always.keys).toHaveLength(2);
  });

  it('is not repeated if its caller has given it up, and its gateway stays in use', async () => {
    const gone = new AbortController();
    const [silent, second] = [new Fake(() => gone.abort()), new Fake(answers)];
    const door = doorOver(silent, second);
    await expect(door.call('actor.wait', visits, how({ signal: gone.signal }))).rejects.toThrow();
    expect([silent.keys.length, second.keys.length]).toEqual([1, 0]);
    await expect(door.call('actor.get', visits, how({ signal: gone.signal }))).rejects.toThrow();
    expect(second.keys.length).toBe(0);
  });

  it('is refused if the next system has no such method', async () => {
    await expect(doorOver(new Fake(answers)).call('shop.stock', {}, how())).rejects.toThrow('offers no shop.stock');
  });
});
