/** Errors under `--json`: each is one line of JSON on stderr, whatever is wrong, and nothing is printed around it. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';
import { Workspace } from '../support/cli/workspace.ts';

const work = new Workspace();
afterAll(() => work[Symbol.asyncDispose]());

interface ErrorLine {
  readonly type: string;
  readonly code: string;
  readonly message: string;
}

/** The exit code and the errors of a call with `--json`. */
async function called(args: readonly string[], env?: Record<string, string>) {
  const { code: exit, out, err } = await work.bosun(args.includes('--json') ? args : [...args, '--json'], env);
  expect(err).toMatch(/\n$/);
  const errors = err
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as ErrorLine);
  for (const error of errors) {
    expect(Object.keys(error)).toEqual(['type', 'code', 'message']);
    expect([error.type, error.message]).toEqual(['error', expect.not.stringMatching(/^error:|\n|^$/)]);
  }
  return { exit, out, errors: errors.map(({ code, message }) => ({ code, message })) };
}

/** The end of a call that prints one error and nothing else. */
const refused = (exit: number, code: string, message: string | RegExp) => ({
  exit,
  out: '',
  errors: [{ code, message: (typeof message === 'string' ? message : expect.stringMatching(message)) as string }],
});

const misused = (message: string | RegExp) => refused(2, 'BOSUN_CALL_INVALID', message);

const HERE = 'http://127.0.0.1:9';

describe('a wrong call with --json is one line of JSON, and ends with 2:', () => {
  it.each<readonly [what: string, args: readonly string[], message: string | RegExp]>([
    ['an unknown verb', ['runn'], `unknown command 'runn'; did you mean "run"?`],
    ['an unknown verb of a group', ['gates', 'shw'], `unknown command 'shw'; did you mean "show"?`],
    ['a group without a verb', ['gates'], "unknown option '--json'"],
    ['help for an unknown verb', ['help', 'nothing'], /^unknown command 'nothing'; the verbs here are run, /],
    ['help of an unknown verb', ['gates', 'shw', '--help'], `unknown command 'shw'; did you mean "show"?`],
    ['an unknown option', ['tree', '--dta'], "unknown option '--dta' (Did you mean --data?)"],
    ['an option without its value', ['tree', '--json', '--data'], "option '--data <dir>' argument missing"],
    ['a missing option', ['pauses', 'extend', 'A'], "required option '--until <date>' not specified"],
    ['a missing argument', ['send', 'visits'], "missing required argument 'type'"],
    ['an excess argument', ['tree', 'visits'], /^too many arguments/],
    ['a value that an option refuses', ['serve', '--port', 'high'], /'high' is invalid\. Not a port/],
    ['a value that is not one of a choice', ['inspect', 'a', '--format', 'png'], /Allowed choices are svg, mermaid/],
    ['a value that an argument refuses', ['deadletters', 'discard', 'one'], /'one' is invalid.*Not a whole number\.$/],
    ['a URL that is none', ['ps', '--url', 'here'], /Not the URL of a gateway/],
    ['a directory and a URL', ['ps', '--url', HERE, '--data', 'd'], /not both$/],
    ['agent files and a URL', ['agents', 'list', '--url', HERE, '--from', 'd'], /not both$/],
    ['a URL as argument and option', ['conformance', HERE, '--url', HERE], /not both$/],
    ['a URL that is missing', ['conformance'], 'name the server: its URL, --url or BOSUN_URL'],
    ['a token without a gateway', ['ps', '--token', 'token-of-ada-0123456789'], /^--token is for a gateway/],
    ['options that exclude each other', ['tail', 'visits', '--trace', 'visits'], /not both$/],
    ['options that need another', ['records', 'notes', '--agent', 'ledger'], '--agent needs --key'],
    ['a verb that prints a text', ['completion', 'bash'], "unknown option '--json'"],
    ['a verb that speaks a protocol', ['mcp'], "unknown option '--json'"],
  ])('%s', async (_, args, message) => {
    expect(await called(args)).toEqual(misused(message));
  });

  it('a variable of the environment that cannot be read', async () => {
    expect(await called(['ps'], { BOSUN_URL: 'here' })).toEqual(misused(/^BOSUN_URL is invalid\. Not the URL/));
  });
});

describe('--json', () => {
  it('does not turn help into an error', async () => {
    for (const args of [['--help'], ['tree', '--help'], ['help', 'tree'], ['--version']])
      expect(await work.bosun([...args, '--json'])).toMatchObject({ code: 0, err: '' });
  });

  it('is no option behind --', async () => {
    const { code, out, err } = await work.bosun(['tree', '--', '--json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^error: too many arguments.*\n\(add --help for the options\)\n$/);
  });
});

describe('a refusal with --json is one line of JSON:', () => {
  work.write('broken.json', '{');
  work.write('plan.yaml', '{ version: 1, plan: p, tasks: [{ id: a, run: "true" }] }');
  work.write('a-file', '');
  it.each<readonly [args: string, exit: number, code: string, message: RegExp]>([
    ['send visits add broken', 2, 'BOSUN_CALL_INVALID', /^the fields of an event must be a JSON object/],
    ['ask visits count [1]', 2, 'BOSUN_CALL_INVALID', /^the fields .* not \[1\]$/],
    ['call visits.count {', 2, 'BOSUN_CALL_INVALID', /^parameters must be a JSON object/],
    ['post broken.json', 2, 'BOSUN_CALL_INVALID', /^broken\.json holds no envelopes: /],
    ['schedule nowhere.yaml', 2, 'BOSUN_PLAN_INVALID', /^nowhere\.yaml: cannot be read: no such file$/],
    ['schedule plan.yaml --svg no/where', 2, 'BOSUN_CONFIG_INVALID', /no\/where cannot be written/],
    ['run nowhere.yaml', 2, 'BOSUN_PLAN_INVALID', /^nowhere\.yaml: cannot be read: no such file$/],
    ['run plan.yaml --data a-file', 2, 'BOSUN_CONFIG_INVALID', /a file is in the way$/],
    ['run plan.yaml --recover-to 1 --data none', 2, 'BOSUN_CONFIG_INVALID', /holds no store to recover$/],
    ['serve nowhere.yaml', 2, 'BOSUN_PLAN_INVALID', /^nowhere\.yaml: cannot be read: no such file$/],
    ['desk nowhere', 2, 'BOSUN_KNOWLEDGE_FOLDER', /nowhere/],
    ['check nowhere.yaml --data none', 2, 'BOSUN_CONFIG_INVALID', /holds no store$/],
    ['verify --data none', 2, 'BOSUN_CONFIG_INVALID', /holds no store$/],
    ['backup copy --data none', 2, 'BOSUN_CONFIG_INVALID', /holds no store$/],
    ['restore none', 2, 'BOSUN_CONFIG_INVALID', /holds no store$/],
    ['erase visits --data none', 2, 'BOSUN_CONFIG_INVALID', /holds no store$/],
    ['inspect nobody', 2, 'BOSUN_ACTOR_UNKNOWN', /no agent/],
    ['agents list --from nowhere', 2, 'BOSUN_PROFILE_INVALID', /^nowhere: no such file or folder$/],
    ['agents export --out no/where', 2, 'BOSUN_CONFIG_INVALID', /where cannot be written/],
    ['conformance file:///etc', 2, 'BOSUN_CONFIG_INVALID', /is not the address of a gateway/],
    ['tail --data none', 7, 'BOSUN_SYSTEM_CLOSED', /no system with a gateway runs/],
  ])('bosun %s', async (line, exit, code, message) => {
    expect(await called(line.split(' '))).toEqual(refused(exit, code, message));
  });

  it('a line for each agent file that is wrong, and the agents of the others', async () => {
    mkdirSync(work.file('agents'));
    work.write('agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews code.\n---\nReview it.\n');
    work.write('agents/worse.md', 'no agent\n');
    const wrong = [
      { code: 'BOSUN_PROFILE_INVALID', message: expect.stringMatching(/^agents\/worse\.md:1: /) as string },
    ];
    const listed = await called(['agents', 'list', '--from', 'agents']);
    expect(listed).toMatchObject({ exit: 0, out: expect.stringContaining('"reviewer"') as string, errors: wrong });
    expect(await called(['agents', 'import', 'agents'])).toMatchObject({ exit: 1, errors: wrong });
  });

  it('records that cannot be read', async () => {
    const page = { life: 1, last: 2, next: null, records: [], missing: 2 };
    const server = createServer((asked, answer) =>
      answer.end(JSON.stringify(asked.url === '/healthz' ? { ok: true } : page)),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const message = '2 cannot be read because the store is damaged; bosun verify shows where';
    expect(await called(['records', 'till', 'sales', '--url', url])).toEqual(
      refused(0, 'BOSUN_STORE_DAMAGED', message),
    );
    server.closeAllConnections();
    server.close();
  });
});

describe('an internal error with --json', () => {
  it('is one line of JSON with its stack', async () => {
    let err = '';
    const out = {
      write: () => {
        throw new Error('no room for a word');
      },
    };
    const code = await commandLine(['schedule', 'plan.yaml', '--json'], {
      out,
      err: { write: (text) => (err += text) },
      env: {},
      cwd: work.path,
      interruption: () => new AbortController().signal,
    });
    expect([code, err.split('\n').slice(1)]).toEqual([1, ['']]);
    expect(JSON.parse(err)).toEqual({
      type: 'error',
      code: 'BOSUN_INTERNAL',
      message: expect.stringMatching(
        /^bosun: no room for a word This is an error in Bosun.*stack: Error.* at /,
      ) as string,
    });
  });
});
