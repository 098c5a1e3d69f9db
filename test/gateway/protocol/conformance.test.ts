/**
 * `bosun conformance`: our own server passes every row, and a server that breaks the protocol in one way is found out,
 * rule by rule.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway, type GatewayOptions } from '../../../src/gateway/network/server.ts';
import { conformanceProbe } from '../../../src/testing/gateway-conformance/probe.ts';
import { type ConformanceOptions, gatewayConformance } from '../../../src/testing/gateway-conformance/run.ts';
import { commandLine } from '../../../src/cli/command-line.ts';
import { Shard } from '../../../src/shard.ts';
import { memoryStore } from '../../../src/persistence/store/memory-store.ts';
import { LONG, PATIENCE_MS, sample } from '../../support/effort.ts';
import { code } from '../../support/actors/account.ts';
import { BrokenServer, type Sabotage } from '../../support/gateway/broken-server.ts';

/** Rates so high that the table runs at full speed. */
const RATES = { rate: { burst: 1e6, perSecond: 1e6 }, connectRate: { burst: 1e6, perSecond: 1e6 } };
const TOKEN = 'a-long-random-secret';

let system: Shard;
let gateway: Gateway;
let url: string;
beforeAll(async () => {
  system = await new Shard({
    agents: [conformanceProbe],
    store: memoryStore(),
    durability: 'memory',
    tree: { intensity: 1_000 },
    log: () => {},
  }).start();
  gateway = createGateway(system, { port: 0, ...RATES });
  ({ url } = await gateway.listen());
});
afterAll(async () => {
  await gateway.close();
  await system.stop();
});

const failures = async (at: string, options?: ConformanceOptions) =>
  (await gatewayConformance(at, options)).rows.filter(({ outcome }) => outcome === 'failed');

async function withGateway<T>(options: GatewayOptions, work: (at: string) => Promise<T>): Promise<T> {
  const other = createGateway(system, { port: 0, ...RATES, ...options });
  try {
    return await work((await other.listen()).url);
  } finally {
    await other.close();
  }
}

describe('our own server', () => {
  it('DC-008: passes every row, and has the same actors afterwards', async () => {
    const report = await gatewayConformance(url, { patienceMs: PATIENCE_MS });
    expect(report.rows.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(report).toMatchObject({ failed: 0, notApplicable: 2, passed: report.rows.length - 2 });
    expect(report.passed).toBeGreaterThan(55);
    await system.idle();
    expect(system.tree().children).toEqual([]);
  });

  it('passes the rows about tokens too if it has tokens', LONG, async () => {
    await withGateway({ tokens: [{ id: 'tester', token: TOKEN }] }, async (at) => {
      const report = await gatewayConformance(at.replace('http', 'ws'), { token: TOKEN, patienceMs: PATIENCE_MS });
      expect([report.rows.filter(({ outcome }) => outcome !== 'passed'), report.failed]).toEqual([[], 0]);
      await expect(gatewayConformance(at)).rejects.toEqual(code('BOSUN_UNAUTHENTICATED'));
    });
  });

  it('passes them below a path of a server of its host, which the URL names', LONG, async () => {
    const server = createServer((_, answer) => answer.writeHead(404).end());
    const below = createGateway(system, { server, ...RATES });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { url: at } = await below.listen();
    expect(new URL(at).pathname).toBe('/bosun');
    for (const name of [`${at}/`, `${at.replace('http', 'ws')}/v1/ws`])
      expect(await failures(name, { patienceMs: PATIENCE_MS })).toEqual([]);
    await below.close();
    server.close();
  });

  it('skips the rows that it does not support, with the reason', LONG, async () => {
    await withGateway({ tokens: [{ id: 'eye', token: TOKEN, scopes: ['actor:read', 'system:read'] }] }, async (at) => {
      const { rows, failed } = await gatewayConformance(at, { token: TOKEN });
      expect([failed, rows.find(({ outcome }) => outcome === 'not applicable')?.reason]).toEqual([
        0,
        'the token lacks actor:send, actor:admin',
      ]);
    });
    const bare = await new Shard({ agents: [], store: memoryStore(), durability: 'memory', log: () => {} }).start();
    const other = createGateway(bare, { port: 0, ...RATES });
    const { rows, failed, passed } = await gatewayConformance((await other.listen()).url);
    expect([failed, passed > 15, rows.find(({ outcome }) => outcome === 'not applicable')?.reason]).toEqual([
      0,
      true,
      'the server has no agent bosun-conformance (conformanceProbe of bosun/testing)',
    ]);
    await other.close();
    await bare.stop();
  });

  it('passes with a rate limit, which the check respects', LONG, async () => {
    await withGateway({ rate: { burst: 100, perSecond: 400 } }, async (at) =>
      expect(await failures(at, { patienceMs: PATIENCE_MS })).toEqual([]),
    );
  });
});

const without = (name: string) => (frame: object) => [
  Object.fromEntries(Object.entries(frame).filter(([key]) => key !== name)),
];

/** Faults of a server, each with a rule that finds it. */
const SABOTAGES: readonly (readonly [string, string, Sabotage])[] = [
  ['keys are ignored', 'a key makes a repeat count once', { fromClient: without('key') }],
  [
    'sequences are ignored',
    'a send of a session that is repeated counts once, also on another connection',
    { fromClient: without('seq') },
  ],
  [
    'a send is acknowledged and dropped',
    'a send is answered when it is durable',
    {
      fromClient: (frame, { answer }) => {
        if (frame['m'] !== 'actor.send') return [frame];
        answer({ t: 'res', id: frame.id!, ok: true, r: { taken: null } });
        return [];
      },
    },
  ],
  [
    'acknowledgements by number are lost',
    'sends may be answered by number, and the refused ones by themselves',
    { fromServer: (frame) => (frame.t === 'ack' ? [] : [frame]) },
  ],
  [
    'refusals of many sends are left out',
    'many sends are answered once, with those that were refused by index',
    {
      fromServer: (frame) => [
        (frame['e'] as { code?: string } | undefined)?.code === 'BOSUN_SENDS_REFUSED'
          ? { t: 'res', id: frame.id!, ok: true, r: {} }
          : frame,
      ],
    },
  ],
  [
    'answers have the id of another call',
    'calls are answered each by its own id',
    { fromServer: (frame) => [frame.t === 'res' && frame.id === '1' ? { ...frame, id: '2' } : frame] },
  ],
  [
    'errors have codes outside the protocol',
    'a method that is not there is refused',
    {
      fromServer: (frame) => [
        frame.t === 'res' && frame['ok'] === false
          ? { ...frame, e: { code: 'NO', message: 'no', retryable: false } }
          : frame,
      ],
    },
  ],
  [
    'a delta is lost',
    'deltas add up to the view, each after the one before',
    {
      fromServer: (frame, memory) => {
        if (frame.t !== 'delta' || memory['lost'] === true) return [frame];
        memory['lost'] = true;
        return [];
      },
    },
  ],
  [
    'every view is said to be recovered',
    'a view that has changed is not recovered, and is sent',
    { fromServer: (frame) => [frame.t === 'snap' ? { ...frame, recovered: true } : frame] },
  ],
  [
    'events come in the wrong order',
    'events come in order, each with its cursor',
    {
      fromServer: (frame, memory) => {
        if (frame.t !== 'evt') return [frame];
        const held = memory['held'] as typeof frame | undefined;
        memory['held'] = held === undefined ? frame : undefined;
        return held === undefined ? [] : [frame, held];
      },
    },
  ],
  ['cursors are ignored', 'events that were missed follow, once and in order', { fromClient: without('from') }],
  [
    'the end of a subscription is ignored',
    'a subscription that was ended sends nothing',
    { fromClient: (frame) => (frame.t === 'unsub' ? [] : [frame]) },
  ],
  [
    'cancelled calls go on',
    'a wait can be taken back',
    { fromClient: (frame) => (frame.t === 'cancel' ? [] : [frame]) },
  ],
  [
    'deadlines are ignored',
    'a call that takes longer than its deadline is answered',
    { fromClient: without('deadlineMs') },
  ],
  ['every close is a normal one', 'a frame of an unknown kind closes', { closes: () => 1000 }],
  [
    'secrets are shown',
    'a secret is shown nowhere',
    { fromServer: (frame) => [JSON.parse(JSON.stringify(frame).replaceAll('[secret]', 'swordfish')) as typeof frame] },
  ],
  [
    'frames come twice',
    'a call is answered by its id',
    { fromServer: (frame) => (frame.t === 'res' && frame.id === '1' ? [frame, frame] : [frame]) },
  ],
  [
    'tokens in URLs are accepted',
    'a token in an address is refused',
    { request: (path) => path.replace(/\?token=.*/, '') },
  ],
  [
    'pages of any origin may connect',
    'a page of a foreign origin is turned away',
    { request: (path, headers) => (delete headers['origin'], path) },
  ],
  [
    'errors are answered with 200',
    'an error has its status, its code and whether trying again makes sense',
    { response: (_, body) => ({ status: 200, body }) },
  ],
  [
    'server-sent events have no ids',
    'server-sent events are a subscription, and their ids are cursors',
    { response: (status, body) => ({ status, body: body.replace(/^id: .*\n/m, '') }) },
  ],
];

describe('a server in which', () => {
  it.each(sample(SABOTAGES, 6))('%s fails the row: %s', async (_, rule, sabotage) => {
    const broken = await BrokenServer.before(url, sabotage);
    try {
      // Short for rows that fail by a timeout, longer for rows that pass on a busy machine.
      const found = await failures(broken.url, { patienceMs: 1_000, only: [rule] });
      expect(found.map((row) => row.rule)).toEqual([rule]);
      expect(await failures(broken.url, { patienceMs: PATIENCE_MS, only: ['unknown fields are ignored'] })).toEqual([]);
    } finally {
      await broken.close();
    }
  });

  it('nothing is broken passes every row through the same proxy', LONG, async () => {
    const whole = await BrokenServer.before(url, {});
    try {
      expect(await failures(whole.url, { patienceMs: PATIENCE_MS })).toEqual([]);
    } finally {
      await whole.close();
    }
  });
});

describe('bosun conformance', () => {
  async function called(...args: string[]): Promise<{ exit: number; out: string; err: string }> {
    const said = { out: '', err: '' };
    const to = (stream: 'out' | 'err', isTTY = false) => ({
      isTTY,
      write: (text: string) => void (said[stream] += text),
    });
    const exit = await commandLine(['conformance', ...args], {
      out: to('out'),
      err: to('err', !args.includes('--json')),
      env: {},
      cwd: '/',
      interruption: () => new AbortController().signal,
    });
    return { exit, ...said };
  }

  it('prints each rule, shows its progress on a terminal, and exits with 0', LONG, async () => {
    const { exit, out, err } = await called(url);
    expect([exit, out.includes('FAILED'), out.includes('ok      a send is answered when it is durable\n')]).toEqual([
      0,
      false,
      true,
    ]);
    expect(err).toMatch(/1 of \d+.*\d+ passed, 0 failed, 2 not applicable\n$/s);
  });

  it('prints lines of JSON, and exits with 1 if a rule does not hold', LONG, async () => {
    const broken = await BrokenServer.before(url, { fromClient: without('key') });
    const { exit, out, err } = await called(broken.url, '--json');
    await broken.close();
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; outcome?: string; failed?: number });
    expect([exit, err, lines.at(-1)]).toEqual([
      1,
      '',
      expect.objectContaining({ type: 'report', failed: lines.filter(({ outcome }) => outcome === 'failed').length }),
    ]);
    expect(lines.at(-1)!.failed).toBeGreaterThan(0);
  });

  it('exits with 2 for an invalid URL, 5 without the token, and 7 if no gateway answers', async () => {
    expect((await called('file:///etc')).exit).toBe(2);
    expect((await called('127.0.0.1:9')).exit).toBe(7);
    await withGateway({ tokens: [{ id: 'tester', token: TOKEN }] }, async (at) => {
      expect((await called(at)).exit).toBe(5);
      expect((await called(at, '--token', 'not-a-token-of-anybody')).exit).toBe(5);
    });
  });
});
