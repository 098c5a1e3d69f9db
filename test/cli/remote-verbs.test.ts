/** Every verb that goes to a running system, called from elsewhere: where nobody answers, and by a wrong token. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway/network/server.ts';
import { startTestSystem, type TestSystem } from '../../src/testing/test-system.ts';
import { deserted } from '../support/cli/deserted.ts';
import { offeredVerbs } from '../support/cli/verbs.ts';
import { Workspace } from '../support/cli/workspace.ts';
import { shop } from '../support/gateway/shop.ts';

/** Verbs of a directory or of a session, whose state no gateway has, and one that prints a text of its own. */
const LOCAL = [
  ...['run', 'schedule', 'serve', 'desk', 'completion', 'hub run', 'hub check'],
  ...['handoff', 'session complete', 'session tool'],
  ...['store check', 'store verify', 'store backup', 'store restore', 'store erase'],
];

const LIVE = offeredVerbs()
  .filter(({ options }) => options.has('--url') && options.has('--json'))
  // The argument of the example of `conformance` is a URL too, and only one is allowed.
  .flatMap(({ names, args }) => names.map((name) => [name, name === 'conformance' ? [] : args] as const));

const work = new Workspace();
let test: TestSystem;
let gateway: Gateway;
let url: string;
let nobody: string;

beforeAll(async () => {
  test = await startTestSystem(shop());
  gateway = createGateway(test.shard, { port: 0, tokens: [{ id: 'ada', token: 'token-of-ada-0123456789' }] });
  ({ url } = await gateway.listen());
  nobody = await deserted();
  // The files that examples name.
  work.write('pause.json', '{"message_type": "PAUSE_REQUEST"}');
  work.write('plan.json', '{"name": "shop", "tasks": [{"title": "Login form", "minutes": 35}]}');
  mkdirSync(work.file('.claude/agents'), { recursive: true });
  work.write('.claude/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews code.\n---\nReview it.\n');
});
afterAll(async () => {
  await work[Symbol.asyncDispose]();
  await gateway.close();
  await test.shard.stop();
});

describe('every verb', () => {
  it('takes --url and --token, unless it is one of a directory', () => {
    const without = offeredVerbs().filter(({ options }) => !options.has('--url') || !options.has('--token'));
    expect(without.map(({ names }) => names[0]).sort()).toEqual([...LOCAL].sort());
    expect(without.filter(({ options }) => options.has('--url') || options.has('--token'))).toEqual([]);
  });

  it('takes --json, unless its output is for another program', () => {
    const without = offeredVerbs().filter(({ options }) => !options.has('--json'));
    expect(without.map(({ names }) => names[0]).sort()).toEqual(['completion', 'mcp']);
  });
});

describe.each(LIVE)('bosun %s', (name, args) => {
  /** The end of a call by options, and of one by the environment. */
  async function ends(place: string, token: string) {
    const called = [...name.split(' '), ...args, '--json'];
    const ended = await Promise.all([
      work.bosun([...called, '--url', place, '--token', token]),
      work.bosun(called, { BOSUN_URL: place, BOSUN_TOKEN: token }),
    ]);
    return ended.map(({ err, ...rest }) => ({
      ...rest,
      errors: err
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    }));
  }

  /** The end of a call that prints nothing but a line of JSON on stderr. */
  const refused = (exit: number, code: string) => ({
    code: exit,
    out: '',
    errors: [{ type: 'error', code, message: expect.stringMatching(/./) as string }],
  });

  it('ends with 7 and a line of JSON where nobody answers', async () => {
    const end = refused(7, 'BOSUN_SYSTEM_CLOSED');
    expect(await ends(nobody, 'token-of-ada-0123456789')).toEqual([end, end]);
  });

  it('ends with 5 and a line of JSON by a wrong token', async () => {
    const end = refused(5, 'BOSUN_UNAUTHENTICATED');
    expect(await ends(url, 'token-of-nobody-0123')).toEqual([end, end]);
  });
});
