/** One gateway over several workers: its clients see one system. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startSpreadGateway } from '../../support/gateway/workers-kit.ts';

describe('calls', () => {
  it('reach each actor where it lives', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    for (const address of test.pair) {
      expect(await test.call(client, 'actor.send', { address, event: { type: 'add', by: 2 } })).toMatchObject({
        ok: true,
        r: { taken: null },
      });
      expect(
        await test.call(client, 'actor.send', { address, event: { type: 'add', by: 1 }, until: 'taken' }),
      ).toMatchObject({ ok: true, r: { taken: true } });
      expect(await test.call(client, 'actor.ask', { address, event: { type: 'count' } })).toMatchObject({
        ok: true,
        r: { reply: 3 },
      });
      expect(await test.call(client, 'actor.get', { address })).toMatchObject({
        ok: true,
        r: { address, agent: 'counter', context: { count: 3 }, accepts: ['add', 'close', 'count', 'fail'] },
      });
      expect(await test.call(client, 'actor.inspect', { address })).toMatchObject({
        ok: true,
        r: { address, mailbox: 0 },
      });
      expect(await test.call(client, 'machine.get', { name: address })).toMatchObject({
        ok: true,
        r: { agent: 'counter', active: [expect.any(String), expect.any(String)] },
      });
    }
  });

  it('give a limited caller the same answer for a hidden actor as for an unknown one (F11)', async () => {
    const token = 'token-of-ada-0123456789';
    const test = await startSpreadGateway({ tokens: [{ id: 'ada', token, addresses: ['desk/*'] }] });
    const client = await test.client({ token });
    const [other] = test.pair;
    for (const [method, key] of [
      ['actor.tree', 'address'],
      ['actor.list', 'under'],
      ['boss.children', 'address'],
    ] as const) {
      const [ofOther, ofNobody] = [
        await test.call(client, method, { [key]: other }),
        await test.call(client, method, { [key]: 'nobody' }),
      ];
      expect([ofOther['e'], ofOther['r']]).toEqual([ofNobody['e'], ofNobody['r']]);
    }
  });

  it('fail with the same codes as in a system of one worker', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [address] = test.pair;
    const code = async (method: string, params: object) =>
      ((await test.call(client, method, params))['e'] as { code: string }).code;
    expect(await code('actor.send', { address: 'nobody', event: { type: 'add', by: 1 } })).toBe('BOSUN_ACTOR_UNKNOWN');
    expect(await code('actor.send', { address: 'not an address', event: { type: 'add', by: 1 } })).toBe(
      'BOSUN_ADDRESS_INVALID',
    );
    expect(await code('actor.send', { address, event: { type: 'add', by: 'x' } })).toBe('BOSUN_EVENT_INVALID');
    expect(await code('actor.ask', { address, event: { type: 'forged' } })).toBe('BOSUN_EVENT_REFUSED');
    await test.call(client, 'actor.send', { address, event: { type: 'close' } });
    expect(
      await test.call(client, 'actor.send', { address, event: { type: 'add', by: 1 }, until: 'taken' }),
    ).toMatchObject({ e: { code: 'BOSUN_EVENT_NOT_TAKEN', details: { address, accepts: ['count'] } } });
    expect(await code('boss.children', { address })).toBe('BOSUN_ACTOR_UNKNOWN');
    expect(await code('actor.send', { address: 'root', event: { type: 'add', by: 1 } })).toBe('BOSUN_EVENT_REFUSED');
    expect(await code('machine.get', { name: 'no such agent!' })).toBe('BOSUN_ADDRESS_INVALID');
    expect(await test.call(client, 'machine.get', { name: 'counter' })).toMatchObject({
      r: { agent: 'counter', active: null },
    });
  });

  it('count once by their keys, also after the death of the worker', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [, address] = test.pair;
    const add = { address, event: { type: 'add', by: 1 } };
    expect(await test.call(client, 'actor.send', add, { key: 'k' })).not.toHaveProperty('replayed');
    expect(await test.call(client, 'actor.ask', { address, event: { type: 'count' } }, { key: 'q' })).toMatchObject({
      r: { reply: 1 },
    });
    test.test.crash(1);
    await test.restart(1);
    expect(await test.call(client, 'actor.send', add, { key: 'k' })).toMatchObject({ ok: true, replayed: true });
    await test.call(client, 'actor.send', add);
    expect(await test.call(client, 'actor.ask', { address, event: { type: 'count' } }, { key: 'q' })).toMatchObject({
      r: { reply: 1 },
    });
    expect(await test.countOf(address)).toBe(2);
  });

  it('wait for a worker that restarts, up to their deadline', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [, address] = test.pair;
    test.test.crash(1);
    const send = test.begin(client, 'actor.send', { address, event: { type: 'add', by: 1 } });
    const get = test.begin(client, 'actor.get', { address }, { deadlineMs: 500 });
    const ask = test.begin(client, 'actor.ask', { address, event: { type: 'count' } }, { deadlineMs: 500 });
    await test.advance(500);
    expect(client.last('res', get)).toMatchObject({ e: { code: 'BOSUN_TIMEOUT' } });
    expect(client.last('res', ask)).toBe(undefined);
    await test.advance(1_000);
    expect(client.last('res', ask)).toMatchObject({ e: { code: 'BOSUN_TIMEOUT', details: { unknownOutcome: true } } });
    expect(client.last('res', send)).toBe(undefined);
    await test.restart(1);
    expect(client.last('res', send)).toMatchObject({ ok: true });
    expect(await test.countOf(address)).toBe(1);
  });

  it('fail with an unknown outcome if their worker dies and they cannot be repeated', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const [, address] = test.pair;
    const held = test.test.stores[1]!.hold('before');
    const send = test.begin(client, 'actor.send', { address, event: { type: 'add', by: 1 } });
    await held.reached;
    test.test.crash(1);
    await new Promise<void>((resolve) => test.test.clock.defer(resolve));
    expect(client.last('res', send)).toMatchObject({
      e: { code: 'BOSUN_WORKER_DOWN', retryable: true, details: { unknownOutcome: true } },
    });
    await test.restart(1);
    expect(await test.countOf(address)).toBe(0);
  });

  it('start actors on the worker of their address, and wait for their states', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    for (const id of ['n0', 'n1', 'n2', 'n3'])
      expect(await test.call(client, 'actor.spawn', { agent: 'counter', id })).toMatchObject({
        ok: true,
        r: { address: id },
      });
    const wait = test.begin(client, 'actor.wait', { address: 'n1', value: 'closed' });
    await test.call(client, 'actor.send', { address: 'n1', event: { type: 'close' } });
    expect(client.last('res', wait)).toMatchObject({ ok: true, r: { value: 'closed' } });
    expect(await test.call(client, 'actor.wait', { address: 'n2', value: 'closed' }, { deadlineMs: 10 })).toBe(
      undefined,
    );
    await test.advance(20);
    expect(client.of('res').at(-1)).toMatchObject({ e: { code: 'BOSUN_TIMEOUT' } });
  });
});

describe('the view over all workers', () => {
  it('is one tree and one list, whole and in pages', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    const { r: tree } = (await test.call(client, 'actor.tree')) as unknown as {
      r: { children: { address: string }[] };
    };
    const addresses = tree.children.map(({ address }) => address).sort();
    expect(addresses).toEqual([
      'back/visits',
      'c0',
      'c1',
      'c2',
      'c3',
      'c4',
      'c5',
      'c6',
      'c7',
      'deaf',
      'till',
      'visits',
    ]);
    expect(await test.call(client, 'actor.tree', { depth: 0 })).toMatchObject({
      r: { address: 'root', boss: { strategy: 'one_for_one' } },
    });
    const paged: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await test.call(client, 'actor.tree', { limit: 4, ...(after !== undefined && { after }) });
      const { r } = page as unknown as { r: { children: { address: string }[]; next?: string } };
      expect(r.children.length).toBeLessThanOrEqual(4);
      paged.push(...r.children.map(({ address }) => address));
      after = r.next;
    }
    expect(paged.sort()).toEqual(addresses);
    const listed: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const { r } = (await test.call(client, 'actor.list', {
        agent: 'counter',
        limit: 3,
        ...(after !== undefined && { after }),
      })) as unknown as { r: { actors: { address: string }[]; next: string | null } };
      listed.push(...r.actors.map(({ address }) => address));
      after = r.next;
    }
    expect(listed).toEqual(addresses.filter((address) => !['deaf', 'till'].includes(address)));
    expect(await test.call(client, 'boss.children')).toMatchObject({
      r: { children: expect.objectContaining({ length: 12 }) },
    });
  });

  it('is one list of dead letters, each with a unique number by which it is redelivered', async () => {
    const test = await startSpreadGateway({ destructive: true });
    const client = await test.client();
    for (const address of test.pair) await test.call(client, 'actor.send', { address, event: { type: 'fail' } });
    await test.advance(5_000);
    const list = async (params: object = {}) =>
      (
        (await test.call(client, 'deadletter.list', params)) as unknown as {
          r: { letters: { number: number; address: string; reason: string }[] };
        }
      ).r.letters;
    const letters = await list();
    expect(letters.map(({ address }) => address).sort()).toEqual([...test.pair].sort());
    expect(letters.every(({ reason }) => reason === 'quarantined')).toBe(true);
    const [first, second] = letters.map(({ number }) => number) as [number, number];
    expect(second).toBeGreaterThan(first);
    expect((await list({ after: first })).map(({ number }) => number)).toEqual([second]);
    expect((await list({ limit: 1 })).map(({ number }) => number)).toEqual([first]);
    expect(
      await test.call(client, 'deadletter.redeliver', { number: first, event: { type: 'add', by: 5 } }),
    ).toMatchObject({ ok: true });
    expect(await test.countOf(letters[0]!.address)).toBe(5);
    expect(await test.call(client, 'deadletter.discard', { number: second })).toMatchObject({ ok: true });
    expect(await list()).toEqual([]);
    expect(await test.call(client, 'deadletter.discard', { number: second })).toMatchObject({
      e: { code: 'BOSUN_MESSAGE_UNKNOWN' },
    });
  });

  it('is one audit, newest first, and one list of waits', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    for (const address of test.pair)
      expect(await test.call(client, 'actor.suspend', { address, reason: 'looked into' })).toMatchObject({ ok: true });
    const audit = async (params: object = {}) =>
      (
        (await test.call(client, 'audit.list', params)) as unknown as {
          r: { records: { number: number; address: string; order: string; by: string }[] };
        }
      ).r.records;
    const records = await audit();
    expect(records.map(({ address, order, by }) => [address, order, by]).sort()).toEqual(
      test.pair.map((address) => [address, 'suspend', 'local']).sort(),
    );
    expect((await audit({ before: records[0]!.number })).map(({ number }) => number)).toEqual([records[1]!.number]);
    expect((await audit({ address: test.pair[1] })).map(({ address }) => address)).toEqual([test.pair[1]]);
    const { r } = (await test.call(client, 'wait.list')) as unknown as {
      r: { waits: { kind: string; address: string }[] };
    };
    expect(r.waits.map(({ kind, address }) => [kind, address]).sort()).toEqual(
      test.pair.map((address) => ['suspended', address]).sort(),
    );
    for (const address of test.pair)
      expect(await test.call(client, 'actor.resume', { address })).toMatchObject({ ok: true });
    expect(await test.call(client, 'wait.list')).toMatchObject({ r: { waits: [] } });
  });

  it('is one list of turns, numbered over all workers', async () => {
    const test = await startSpreadGateway();
    const client = await test.client();
    for (const address of test.pair) await test.call(client, 'actor.send', { address, event: { type: 'add', by: 1 } });
    const turns = async (params: object) =>
      (
        (await test.call(client, 'actor.turns', params)) as unknown as {
          r: { turns: { number: number; address: string; event: { type: string } | null }[] };
        }
      ).r.turns;
    const all = await turns({ address: 'root' });
    expect(
      all
        .filter(({ event }) => event?.type === 'add')
        .map(({ address }) => address)
        .sort(),
    ).toEqual([...test.pair].sort());
    expect(new Set(all.map(({ number }) => number)).size).toBe(all.length);
    const [own] = (await turns({ address: test.pair[1] })).slice(-1);
    expect(all).toContainEqual(own);
    expect(await turns({ address: test.pair[1], after: own!.number })).toEqual([]);
    expect(await turns({ address: test.pair[1], after: own!.number - 1 })).toEqual([own]);
  });
});

describe('orders', () => {
  it('stop, start and remove children on their workers', async () => {
    const test = await startSpreadGateway({ destructive: true });
    const client = await test.client();
    for (const address of test.pair) {
      await test.call(client, 'actor.send', { address, event: { type: 'add', by: 1 } });
      expect(await test.call(client, 'actor.restart', { address })).toMatchObject({ ok: true });
      expect(await test.countOf(address)).toBe(0);
      expect(await test.call(client, 'boss.terminateChild', { id: address })).toMatchObject({ ok: true });
      expect(await test.call(client, 'actor.get', { address })).toMatchObject({ e: { code: 'BOSUN_ACTOR_UNKNOWN' } });
      expect(await test.call(client, 'boss.restartChild', { id: address })).toMatchObject({ ok: true, r: { address } });
      expect(await test.call(client, 'actor.kill', { address })).toMatchObject({ ok: true });
      expect(await test.call(client, 'actor.erase', { address })).toMatchObject({ ok: true });
    }
    expect(await test.call(client, 'actor.kill', { address: 'root' })).toMatchObject({
      e: { code: 'BOSUN_ORDER_REFUSED' },
    });
  });

  it('replace the state of an actor if it is at the given sequence', async () => {
    const test = await startSpreadGateway({ destructive: true });
    const client = await test.client();
    const [, address] = test.pair;
    await test.call(client, 'actor.suspend', { address });
    const { sequence } = (await test.call(client, 'actor.get', { address }))['r'] as { sequence: number };
    expect(
      await test.call(client, 'actor.replace', { address, context: { count: 7, seen: [] }, ifSequence: sequence + 1 }),
    ).toMatchObject({ e: { code: 'BOSUN_ACTOR_CHANGED' } });
    expect(
      await test.call(client, 'actor.replace', { address, context: { count: 7, seen: [] }, ifSequence: sequence }),
    ).toMatchObject({ r: { context: { count: 7 } } });
    await test.call(client, 'actor.send', { address, event: { type: 'add', by: 1 } });
    expect(await test.call(client, 'actor.step', { address })).toMatchObject({ r: { event: 'add' } });
  });
});

describe('callers', () => {
  const TOKEN = 'token-of-ada-0123456789';

  it('reach their addresses on every worker, and see no others', async () => {
    const test = await startSpreadGateway({
      tokens: [{ id: 'ada', token: TOKEN, addresses: ['c0', 'c1'], scopes: ['actor:read', 'actor:send'] }],
    });
    const client = await test.client({ token: TOKEN });
    expect(await test.call(client, 'actor.get', { address: 'c0' })).toMatchObject({ ok: true });
    for (const address of ['c2', 'nobody', 'root'])
      expect(await test.call(client, 'actor.get', { address })).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    expect(await test.call(client, 'actor.suspend', { address: 'c0' })).toMatchObject({
      e: { code: 'BOSUN_FORBIDDEN' },
    });
    expect(await test.call(client, 'actor.tree')).toMatchObject({
      r: { address: 'root', hidden: true, children: expect.objectContaining({ length: 2 }) },
    });
    expect(await test.call(client, 'boss.children')).toMatchObject({
      r: { children: expect.objectContaining({ length: 2 }) },
    });
    await test.subscribe(client, 'actor/c2');
    expect(client.last('end', 'actor/c2')).toMatchObject({ e: { code: 'BOSUN_FORBIDDEN' } });
    await test.subscribe(client, 'tree');
    expect(client.view('tree')).toMatchObject({ address: 'root', hidden: true });
  });

  it('are shown no secrets of any worker', async () => {
    const test = await startSpreadGateway(
      {},
      { tree: { children: ['t0', 't1', 't2', 't3'].map((id) => ({ id, agent: 'till' })) } },
    );
    const client = await test.client();
    await test.subscribe(client, 'events/**', { mode: 'events' });
    await test.subscribe(client, 'trace/root', { mode: 'events' });
    for (const address of ['t0', 't1', 't2', 't3']) {
      await test.subscribe(client, `actor/${address}`);
      await test.call(client, 'actor.send', { address, event: { type: 'pay', card: '1234-5678', amount: 1 } });
      expect(await test.call(client, 'actor.get', { address })).toMatchObject({
        r: { context: { owner: { name: 'Ada' } } },
      });
      await test.call(client, 'actor.turns', { address });
    }
    await test.settle();
    expect(client.of('evt', 'events/**')).toHaveLength(4);
    expect(JSON.stringify(client.frames)).not.toMatch(/1234-5678|"4711"/);
  });
});

describe('a worker that is down', () => {
  it('is reported by health, readiness and metrics, and delays none of them', async () => {
    const test = await startSpreadGateway({ port: 0 });
    const { url } = await test.gateway.listen();
    const get = async (path: string) => {
      const answer = await fetch(`${url}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    const info = async () =>
      JSON.parse((await get('/v1/system')).text) as {
        outage: string | null;
        epoch: number;
        workers: { worker: number; isUp: boolean; epoch?: number }[];
      };
    expect((await get('/readyz')).status).toBe(200);
    expect(await info()).toMatchObject({
      outage: null,
      workers: [
        { worker: 0, isUp: true },
        { worker: 1, isUp: true },
      ],
    });
    test.test.crash(1);
    expect(await get('/readyz')).toEqual({ status: 503, text: '{"ready":false}' });
    expect((await get('/healthz')).status).toBe(200);
    const down = await info();
    expect(down).toMatchObject({
      outage: 'BOSUN_WORKER_DOWN',
      workers: [
        { worker: 0, isUp: true, epoch: expect.any(Number) },
        { worker: 1, isUp: false },
      ],
    });
    const lines = (await get('/metrics')).text.split('\n');
    expect(lines).toContain('bosun_worker_up{worker="0"} 1');
    expect(lines).toContain('bosun_worker_up{worker="1"} 0');
    expect(lines.filter((line) => line.startsWith('bosun_epochs_total{'))).toEqual([
      `bosun_epochs_total{worker="0"} ${down.workers[0]!.epoch}`,
    ]);
    expect(lines.filter((line) => line === '# TYPE bosun_event_loop_delay_seconds gauge')).toHaveLength(1);
    await test.test.restart(1, { isSettled: false });
    expect((await get('/readyz')).status).toBe(200);
  });
});

describe('a method that a system over workers does not have', () => {
  it('is refused with BOSUN_OVER_WORKERS: the receivers of Stately', async () => {
    const test = await startSpreadGateway({ port: 0 });
    const wire = {
      send: () => {},
      bufferedBytes: 0,
      pause: () => {},
      resume: () => {},
      close: () => {},
      terminate: () => {},
    };
    expect(() => test.gateway.inspect(wire)).toThrow(expect.objectContaining({ code: 'BOSUN_OVER_WORKERS' }) as Error);
    const { url } = await test.gateway.listen();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/inspect/stately`);
    const [error] = (await once(socket, 'error').catch((thrown: unknown) => [thrown])) as [Error];
    expect(error.message).toContain('501');
  });
});
