/** Verbs on a running system that is named by its URL and a token, in place of a data directory. */
import { once } from 'node:events';
import { createServer, type RequestListener, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway/network/server.ts';
import { gateAgents, gateChildren } from '../../src/machines/people/gates/gate-desk.ts';
import { DESKS } from '../../src/machines/desks.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { deserted } from '../support/cli/deserted.ts';
import { type Ended, linesOf, Workspace } from '../support/cli/workspace.ts';
import { diary } from '../support/gateway/ledgers.ts';
import { procedures } from '../support/gateway/procedures.ts';
import { shop } from '../support/gateway/shop.ts';

const TOKEN = 'token-of-ada-0123456789';
const READER = 'token-of-a-reader-0123456789';
const tokens = [
  { id: 'ada', token: TOKEN },
  { id: 'eve', token: READER, scopes: ['actor:read'] as const },
];
const GATE = {
  type: 'gate.open',
  id: 'rate',
  kind: 'k',
  title: 'Which rate?',
  package: {},
  audience: ['*'],
  form: {},
  deadlineMs: null,
};

const work = new Workspace();
const servers: { close(): unknown }[] = [];
let test: TestSystem;
let url: string;

beforeAll(async () => {
  const { agents, tree } = shop();
  const children = [...tree!.children!, { id: 'diary', agent: 'diary' }, ...gateChildren()];
  test = await startTestSystem({ agents: [...agents!, diary, ...gateAgents], tree: { ...tree, children } });
  ({ url } = await opened().listen());
  await test.shard.send(DESKS.gates, GATE);
  await test.shard.send('diary', { type: 'write', text: 'rain' });
  await test.settle();
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  for (const server of servers) await server.close();
  await test.shard.stop();
});

function opened(): Gateway {
  const gateway = createGateway(test.shard, { port: 0, tokens, procedures });
  servers.push(gateway);
  return gateway;
}

/** A server of the test's own. @returns Its URL. */
async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  servers.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A reverse proxy that takes `/bosun` off the path; 502 where nobody is behind it. */
function proxyTo(target: () => string): Promise<string> {
  return served((asked, answer) => {
    const path = /^\/bosun(\/.*)$/.exec(asked.url!)?.[1];
    if (path === undefined) return void answer.writeHead(404).end('<h1>not here</h1>');
    const { method, headers } = asked;
    const to = new URL(path, target());
    const onward = request(to, { method, headers: { ...headers, host: to.host } }, (got) => {
      answer.writeHead(got.statusCode!, got.headers);
      got.pipe(answer);
      got.on('error', () => answer.destroy());
    });
    onward.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end('<h1>down</h1>')));
    asked.pipe(onward);
    answer.on('close', () => onward.destroy());
    return undefined;
  });
}

const by = (...args: string[]): Promise<Ended> => work.bosun([...args, '--url', url, '--token', TOKEN]);
const byEnvironment = (...args: string[]): Promise<Ended> => work.bosun(args, { BOSUN_URL: url, BOSUN_TOKEN: TOKEN });

/** The refusal that a call with `--json` prints. */
async function refusal(args: readonly string[], env?: Record<string, string>) {
  const { code: exit, out, err } = await work.bosun([...args, '--json'], env);
  expect(out).toBe('');
  return { exit, ...(linesOf(err)[0] as unknown as { type: string; code: string; message: string }) };
}

describe.each([
  ['--url and --token', by],
  ['BOSUN_URL and BOSUN_TOKEN', byEnvironment],
])('a system named by %s', (_, bosun) => {
  it('is shown by ps and tree', async () => {
    expect((await bosun('ps', '--agent', 'counter')).out).toMatch(/^visits +counter +active/m);
    expect((await bosun('tree')).out).toMatch(/^├─ visits {2}counter, open/m);
  });

  it('takes events, and answers', async () => {
    expect(await bosun('send', 'back/visits', 'add', '{"by": 0}', '--wait')).toEqual({
      code: 0,
      out: 'add was taken by back/visits\n',
      err: '',
    });
    expect(await bosun('ask', 'back/visits', 'count', '--json')).toMatchObject({
      code: 0,
      out: '{"type":"reply","address":"back/visits","reply":0}\n',
    });
  });

  it('allows reading its records, questions and charts', async () => {
    expect((await bosun('records', 'diary', 'pages')).out).toMatch(/ {2}1 {2}\{"text":"rain"\}\n$/);
    expect((await bosun('gates', 'list')).out).toMatch(/^rate +.*Which rate\?$/m);
    expect(JSON.parse((await bosun('inspect', 'visits', '--format', 'json')).out)).toMatchObject({
      active: expect.arrayContaining([expect.stringContaining('open')]) as string[],
    });
  });

  it('allows calls of its methods and procedures', async () => {
    expect(await bosun('call', 'visits.count', '{"name": "back/visits"}')).toEqual({ code: 0, out: '0\n', err: '' });
    expect((await bosun('call')).out).toMatch(/^actor\.get +address +actor:read/m);
  });

  it('takes orders, which go on record by the name of the token', async () => {
    expect(await bosun('suspend', 'till')).toEqual({ code: 0, out: 'till is suspended\n', err: '' });
    expect(await bosun('send', 'till', 'pay', '{"card": "4711", "amount": 1}', '--wait')).toMatchObject({ code: 5 });
    expect((await bosun('actor', 'resume', 'till')).out).toBe('till is resumed\n');
    expect((await bosun('audit', '--address', 'till', '--limit', '1')).out).toMatch(/Z {2}ada {2}resume till$/m);
    expect(await bosun('suspend', 'till', '--by', 'eve')).toMatchObject({
      code: 5,
      err: 'only the operator may give orders in the name of others\n',
    });
    expect(linesOf((await bosun('suspend', 'deaf', '--json')).out)).toEqual([
      { type: 'suspend', address: 'deaf', by: null, durable: true },
    ]);
    expect(await bosun('deadletters', 'list')).toMatchObject({ code: 0 });
  });
});

describe('bosun send and ask to a suspended actor', () => {
  it('print the reason at once, and exit as refused (S4)', async () => {
    await test.shard.admin.suspend('back/visits', { by: 'ada', reason: 'review' });
    expect(await by('ask', 'back/visits', 'count')).toEqual({
      code: 5,
      out: '',
      err: 'back/visits: suspended by ada: review\n',
    });
    expect(await by('send', 'back/visits', 'add', '{"by": 0}')).toMatchObject({ code: 0 });
    await test.shard.resume('back/visits');
    for (let n = 0; n < 2; n++) {
      await test.shard.send('visits', { type: 'fail' });
      await test.settle();
    }
    const err = 'visits: crashed by messages until they were quarantined; last error: cannot\n';
    for (const args of [
      ['send', 'visits', 'add', '{"by": 0}'],
      ['send', 'visits', 'add', '{"by": 0}', '--wait'],
      ['ask', 'visits', 'count'],
    ])
      expect(await by(...args)).toEqual({ code: 5, out: '', err });
    expect(await refusal(['ask', 'visits', 'count'], { BOSUN_URL: url, BOSUN_TOKEN: TOKEN })).toMatchObject({
      exit: 5,
      code: 'BOSUN_STATE_SUSPECT',
    });
    await test.shard.resume('visits');
  });
});

describe('bosun tail of a system elsewhere', () => {
  it('prints events until it is interrupted', async () => {
    const tail = work.start(['tail', 'visits', '--url', url, '--token', TOKEN]);
    await tail.says(`${url}: listening`);
    await by('send', 'visits', 'add', '{"by": 1}');
    await tail.says('visits  counted');
    expect(await tail.interrupt()).toMatchObject({ code: 130 });
  });

  it('waits when the gateway behind a proxy closes, and continues with the next gateway', async () => {
    const first = opened();
    let target = (await first.listen()).url;
    const front = await proxyTo(() => target);
    const tail = work.start(['tail', 'visits', '--json', '--url', `${front}/bosun`, '--token', TOKEN]);
    await tail.says('listening');
    await first.close();
    await tail.says('waiting for the next one');
    target = url;
    await tail.says('listening; some of what happened since then may be lost');
    await by('send', 'visits', 'add', '{"by": 1, "tag": "late"}');
    await tail.says('"counted"');
    expect(await tail.interrupt()).toMatchObject({ code: 130 });
  });

  it('ends with 7 if no server, or no gateway, answers at the beginning', async () => {
    // A common form of a probe, and nothing else of a gateway.
    const probed = await served((asked, answer) =>
      asked.url === '/healthz' ? answer.end('{"ok":true}') : answer.end('<h1>shop</h1>'),
    );
    for (const place of [await deserted(), probed])
      expect(await refusal(['tail', '--url', place])).toMatchObject({ exit: 7, code: 'BOSUN_SYSTEM_CLOSED' });
  });
});

describe('a URL', () => {
  it('may have a path, and slashes at the end', async () => {
    const front = await proxyTo(() => url);
    for (const path of ['/bosun', '/bosun/', '/bosun//'])
      expect(await work.bosun(['ask', 'back/visits', 'count', '--url', front + path, '--token', TOKEN])).toEqual({
        code: 0,
        out: '0\n',
        err: '',
      });
    expect(await refusal(['ps', '--url', front])).toMatchObject({
      exit: 7,
      message: `what answers at ${front} is not a gateway of Bosun (HTTP status 404)`,
    });
  });

  it('is refused with a message if it is invalid, or has parts beyond host and path', async () => {
    for (const [wrong, words] of [
      ['bosun.example', 'Not the URL of a gateway, such as https://bosun.example.'],
      ['ws://bosun.example', 'Not the URL of a gateway'],
      ['https://ada:secret@bosun.example', 'has no user, query or fragment'],
      ['https://bosun.example/?tenant=1', 'has no user, query or fragment'],
    ] as const) {
      const { code, err } = await work.bosun(['ps', '--url', wrong]);
      expect([code, err]).toEqual([2, expect.stringContaining(words)]);
      const known = await work.bosun(['ps'], { BOSUN_URL: wrong });
      expect([known.code, known.err]).toEqual([2, expect.stringContaining(`BOSUN_URL is invalid.`)]);
      expect(known.err).toContain(words);
    }
  });

  it('gives exit code 7 and the reason if nobody is there', async () => {
    const nobody = await deserted();
    expect(await refusal(['ps', '--url', nobody])).toEqual({
      exit: 7,
      type: 'error',
      code: 'BOSUN_SYSTEM_CLOSED',
      message: `the gateway at ${nobody} does not answer: ECONNREFUSED`,
    });
    expect(await work.bosun(['ps'], { BOSUN_URL: nobody })).toMatchObject({ code: 7, out: '' });
  });

  it('is reported as not a gateway if another server answers', async () => {
    const page = await served((_, answer) => void answer.end('<h1>shop</h1>'));
    const moved = await served((_, answer) => void answer.writeHead(301, { Location: 'https://b.example/' }).end());
    const json = await served((_, answer) => void answer.writeHead(404).end('{"error":"not found"}'));
    for (const [place, words] of [
      [page, `what answers at ${page} is not a gateway of Bosun (HTTP status 200)`],
      [json, `what answers at ${json} is not a gateway of Bosun (HTTP status 404)`],
      [moved, `${moved} redirects to https://b.example/; name the URL at which the gateway itself answers`],
    ] as const)
      expect(await refusal(['send', 'visits', 'close', '--url', place])).toMatchObject({ exit: 7, message: words });
  });

  it('is reported as not a gateway at the next request if only the health probe matches', async () => {
    const place = await served((asked, answer) =>
      asked.url === '/healthz' ? answer.end('{"ok":true}') : answer.end(asked.method === 'GET' ? '<h1>' : 'null'),
    );
    for (const args of [['ps'], ['call'], ['tree'], ['inspect', 'visits']])
      expect(await refusal([...args, '--url', place])).toMatchObject({ exit: 7, code: 'BOSUN_SYSTEM_CLOSED' });
  });

  it('is named in place of a directory by a plan order that finds no plan', async () => {
    for (const order of ['pause', 'resume'])
      expect((await by('plan', order, 'AAPL')).err).toBe(`${url} holds no plan\n`);
  });

  it('answers for actors that inspect does not find, without a look at a directory', async () => {
    const { code, err } = await by('inspect', 'nobody', '--format', 'json');
    expect([code, err]).toEqual([2, expect.stringContaining('nobody')]);
    expect(err).not.toContain(work.path);
  });
});

describe('a token', () => {
  it('gives exit code 5 if it is unknown, missing or too weak', async () => {
    const ask = ['ask', 'visits', 'count', '--url', url];
    expect(await refusal([...ask, '--token', 'token-of-nobody-0123'])).toMatchObject({
      exit: 5,
      code: 'BOSUN_UNAUTHENTICATED',
    });
    expect(await refusal(ask, { BOSUN_TOKEN: '' })).toMatchObject({ exit: 5, code: 'BOSUN_UNAUTHENTICATED' });
    expect(await refusal(['tail', '--url', url])).toMatchObject({ exit: 5, code: 'BOSUN_UNAUTHENTICATED' });
    expect(await refusal(ask, { BOSUN_TOKEN: READER })).toMatchObject({ exit: 5, code: 'BOSUN_FORBIDDEN' });
  });

  it('takes precedence over BOSUN_TOKEN', async () => {
    const env = { BOSUN_URL: url, BOSUN_TOKEN: READER };
    expect(await work.bosun(['ask', 'visits', 'count', '--token', TOKEN], env)).toMatchObject({ code: 0 });
  });

  it('is refused with an explanation if no header can carry it; one from the environment is not shown', async () => {
    const given = await work.bosun(['ps', '--url', url, '--token', 'two words']);
    expect([given.code, given.err]).toEqual([2, expect.stringContaining('Not a token')]);
    const known = await work.bosun(['ps', '--url', url], { BOSUN_TOKEN: 'secret words' });
    expect([known.code, known.err]).toEqual([2, expect.stringContaining('BOSUN_TOKEN is invalid. Not a token')]);
    expect(known.err).not.toContain('secret');
  });

  it('is refused without a gateway', async () => {
    for (const args of [
      ['--token', TOKEN],
      ['--token', TOKEN, '--data', 'shop'],
    ]) {
      const { code, err } = await work.bosun(['ps', ...args]);
      expect([code, err]).toEqual([2, expect.stringContaining('--token is for a gateway')]);
    }
  });
});

describe('--data', () => {
  it('takes precedence over BOSUN_URL, and cannot be combined with --url', async () => {
    const { code, err } = await work.bosun(['ps', '--data', 'shop'], { BOSUN_URL: url, BOSUN_TOKEN: TOKEN });
    expect([code, err]).toEqual([2, expect.stringContaining(`${work.file('shop')} holds no store`)]);
    const both = await by('ps', '--data', 'shop');
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('not both')]);
  });

  it('is refused in JSON too if it holds no store', async () => {
    expect(await refusal(['ps', '--data', 'shop'])).toMatchObject({ exit: 2, code: 'BOSUN_CONFIG_INVALID' });
  });
});

describe('verbs of a directory', () => {
  it.each([
    ['verify'],
    ['store', 'verify'],
    ['backup', 'there'],
    ['restore', 'there'],
    ['erase', 'visits'],
    ['check'],
    ['run', 'plan.yaml'],
    ['serve'],
    ['schedule', 'plan.yaml'],
  ])('%s %s takes no --url, and ignores BOSUN_URL', async (...args) => {
    const { code, err } = await work.bosun([...args, '--url', url]);
    expect([code, err]).toEqual([2, expect.stringContaining("unknown option '--url'")]);
    // A URL that is no URL is an error of those verbs alone that read it.
    if (args[0] !== 'serve') expect((await work.bosun(args, { BOSUN_URL: 'wrong' })).err).not.toContain('BOSUN_URL');
  });
});
