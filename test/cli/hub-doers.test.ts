/** Agents of a run that are coding agents by a preset, models of a module, and tools of MCP servers. */
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LineageEntry } from '../../src/machines/hub/handoff.ts';
import { type SessionEntry } from '../../src/machines/hub/session-records.ts';
import { CHAIN, writeHub } from '../support/cli/hub-files.ts';
import { seenBy, standIn } from '../support/cli/stand-ins.ts';
import { LONG, sample } from '../support/effort.ts';
import { Repository } from '../support/git/repository.ts';
import { linesOf, Workspace } from '../support/cli/workspace.ts';
import { isAlive } from '../support/spokes/live.ts';
import { until } from '../support/until.ts';

const SERVER = new URL('../support/fixtures/mcp/review-server.mjs', import.meta.url).pathname;
const DONE = { outcome: 'done', recommended: 'Reviewer', reason: 'the parser is mended' };
const ONCE = { limits: { spawns: 1, costUsd: 5 } };

let work: Workspace;
beforeEach(() => {
  work = new Workspace();
  new Repository({}, work.path);
});
afterEach(() => work[Symbol.asyncDispose]());

async function records<Entry>(name: string): Promise<Entry[]> {
  const { out } = await work.bosun(['records', 'work-plans/mend', name, '--json']);
  return linesOf(out).flatMap((line) => ('value' in line ? [line['value'] as Entry] : []));
}

const session = async () => (await records<SessionEntry>('sessions'))[0]!;
const handedOff = async () => (await records<LineageEntry>('lineage'))[0]!;

describe('a coding agent by its preset', () => {
  const WRITES = { files: ['src/**'] };

  it('does a session of Claude Code, whose tokens, cost and turns are on record', async () => {
    const env = standIn(work, { agent: 'claude', prints: 'claude-result.json', says: DONE });
    const own = { preset: 'claude', model: 'sonnet', args: ['--max-turns', '20'], writes: WRITES, costUsd: 2 };
    writeHub(work, { ...CHAIN, Executor: own }, { limits: { costUsd: 5 } });
    const keyed = { ...env, ANTHROPIC_API_KEY: 'sk-1234567890' };
    const { code, out, err } = await work.bosun(['hub', 'run', 'hub.json', '--json'], keyed);
    expect([code, linesOf(out).at(-1)]).toEqual([0, expect.objectContaining({ spentUsd: 0.1534 })]);
    expect(err).not.toContain('not set here');
    expect(await handedOff()).toMatchObject(DONE);
    expect(await session()).toMatchObject({
      outcome: 'done',
      summary: 'The parser is mended: an empty list is read as no value.',
      usage: { tokens: 71_725, costUsd: 0.1534, steps: 7 },
    });
    expect((await work.bosun(['hub', 'session', 'R-1-1'])).out).toMatch(/^used +71725 tokens, 0\.1534 \$, 7 steps$/m);
    const { args, keys } = seenBy(work, 'claude');
    expect(keys).toEqual(['ANTHROPIC_API_KEY']);
    expect(args.join(' ')).toMatch(/--permission-mode acceptEdits --model sonnet --max-turns 20$/);
    expect(args).toContainEqual(expect.stringMatching(/^Edit\(\/\/.+\.json\)$/));
  });

  it('does a session of Codex, which says no cost, without the key of the gateway', async () => {
    const env = standIn(work, { agent: 'codex', prints: 'codex-completed.jsonl', says: DONE });
    writeHub(work, { Executor: { preset: 'codex', args: ["it's"], writes: WRITES } }, ONCE);
    const failed = await work.bosun(['hub', 'check', 'hub.json'], env);
    expect(failed.code).toBe(0);
    writeHub(work, { Executor: { preset: 'codex', args: ['--skip-git-repo-check'], writes: WRITES } }, ONCE);
    await work.bosun(['hub', 'run', 'hub.json', '--serve', '--port', '0'], env);
    expect(await session()).toMatchObject({ outcome: 'done', usage: { tokens: 24_885, costUsd: 0, steps: 1 } });
    const { args, keys } = seenBy(work, 'codex');
    expect(keys).toEqual([]);
    expect(args.slice(0, 4)).toEqual(['exec', '--json', '--sandbox', 'workspace-write']);
    expect(args.slice(-2)).toEqual(['--skip-git-repo-check', '-']);
  });

  it('is told in its prompt how to hand off, with the outcomes of its role', async () => {
    const env = standIn(work, { agent: 'claude', prints: 'claude-result.json', says: DONE });
    writeHub(work, { Executor: { preset: 'claude' } }, ONCE);
    await work.bosun(['hub', 'run', 'hub.json'], env);
    const { prompt, args } = seenBy(work, 'claude');
    expect(prompt).toContain('{"to":"Coordinator","outcome":"done","recommended":"Reviewer",');
    expect(prompt).toContain('- tests-failed: Revisionist\n');
    // One without files that it may change is not let to edit.
    expect(args).not.toContain('--permission-mode');
  });

  const FAILURES = [
    ['claude', 'claude-error.json', 1, 'Invalid API key · Please run /login', 0],
    ['claude', 'claude-max-turns.json', 0, 'error_max_turns', 10_000],
    ['codex', 'codex-failed.jsonl', 1, "You've hit your usage limit.", 0],
  ] as const;

  it.each(sample(FAILURES, 3))('fails in its own words: %s, %s', async (agent, prints, exitCode, summary, tokens) => {
    const env = standIn(work, { agent, prints, exitCode });
    writeHub(work, { Executor: { preset: agent, attempts: 1 } }, ONCE);
    await work.bosun(['hub', 'run', 'hub.json'], env);
    const entry = await session();
    expect(entry).toMatchObject({ outcome: 'failed', usage: { tokens } });
    expect(entry.summary).toContain(summary);
  });

  it('counts as done with its hand-off, even if it failed behind it', LONG, async () => {
    const env = standIn(work, { agent: 'claude', prints: 'claude-max-turns.json', says: DONE, exitCode: 1 });
    writeHub(work, { Executor: { preset: 'claude', attempts: 1 } }, ONCE);
    await work.bosun(['hub', 'run', 'hub.json'], env);
    expect(await session()).toMatchObject({ outcome: 'done', usage: { costUsd: 0.61, steps: 20 } });
  });

  it.each([
    ['and ends well', 'claude-result.json', 0, { tokens: 71_725, steps: 7 }],
    ['and fails behind that', 'claude-max-turns.json', 1, { tokens: 10_000, steps: 20 }],
  ])('has its usage on record when it hands off by the gateway %s', LONG, async (_, prints, exitCode, usage) => {
    const calls = ['handoff', '--outcome', 'done', '--recommend', 'Reviewer', '--reason', 'by the gateway', '--json'];
    const env = standIn(work, { agent: 'claude', prints, calls, exitCode });
    writeHub(work, { Executor: { preset: 'claude' } }, ONCE);
    await work.bosun(['hub', 'run', 'hub.json', '--serve', '--port', '0'], env);
    expect((await records<LineageEntry>('lineage')).map(({ reason }) => reason)).toEqual(['by the gateway']);
    expect(await session()).toMatchObject({ outcome: 'done', isForced: false, usage });
  });

  it.each([
    ['check', 'claude', 'npm install --global @anthropic-ai/claude-code'],
    ['run', 'codex', 'npm install --global @openai/codex'],
  ])('is missed at its place by bosun hub %s if its program is not there', async (verb, preset, install) => {
    work.write('hub.yaml', `version: 1\nhub: a\ngoal: b\nagents:\n  Executor:\n    preset: ${preset}\n`);
    const { code, err } = await work.bosun(['hub', verb, 'hub.yaml'], { PATH: '/nowhere' });
    expect([code, err]).toEqual([
      2,
      `hub.yaml:6:13: agents.Executor.preset: there is no program "${preset}" in PATH: ${install}\n`,
    ]);
  });
});

describe('a model of a module', () => {
  it('hands off what it answers, and is told once what does not fit', async () => {
    work.write(
      'models.mjs',
      `export async function mender({ prompt, schema }) {
        const usage = { tokens: 100, costUsd: 0.25 };
        const recommended = prompt.includes('Mend these problems') ? schema.properties.recommended.enum[0] : 'Tester';
        return { handoff: { outcome: schema.properties.outcome.enum[0], recommended, reason: 'asked' }, usage };
      }`,
    );
    writeHub(work, { Executor: { model: 'mender' } }, { ...ONCE, module: 'models.mjs' });
    await work.bosun(['hub', 'run', 'hub.json']);
    expect(await handedOff()).toMatchObject({ outcome: 'done', recommended: 'Reviewer', reason: 'asked' });
    expect(await session()).toMatchObject({ outcome: 'done', usage: { tokens: 200, costUsd: 0.5 } });
  });

  it('is missed at its place if the module does not export it', async () => {
    work.write('models.mjs', 'export const mender = async () => ({});');
    writeHub(work, { Executor: { model: 'mendr' } }, { module: 'models.mjs' });
    expect((await work.bosun(['hub', 'check', 'hub.json'])).err).toContain(
      'agents.Executor.model: models.mjs exports no function "mendr"; did you mean "mender"?',
    );
  });
});

describe('a tool of an MCP server', () => {
  const run = `"${process.execPath}" "${SERVER}"`;
  const review = (mcp: object, more: object = {}) =>
    writeHub(work, { Reviewer: { mcp: { run, ...mcp }, attempts: 1, ...more } }, { ...ONCE, start: 'Reviewer' });

  it('hands off its structure, told what it declares and nothing else', async () => {
    review({ tool: 'review', arguments: { depth: 2 } });
    await work.bosun(['hub', 'run', 'hub.json']);
    expect(await handedOff()).toMatchObject({
      ...{ outcome: 'approved', recommended: 'Tester', reason: 'Reviewer to depth 2: true' },
    });
    expect(isAlive(Number(work.read('pid')))).toBe(false);
  });

  it('hands off the JSON of its text', LONG, async () => {
    review({ tool: 'write' });
    await work.bosun(['hub', 'run', 'hub.json']);
    expect(await handedOff()).toMatchObject({ outcome: 'approved', reason: 'in words' });
  });

  it('is called at a URL as well', LONG, async () => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'review', version: '1' });
      const said = { outcome: 'approved', recommended: 'Tester', reason: 'from afar' };
      server.registerTool('review', {}, () => ({ content: [{ type: 'text', text: JSON.stringify(said) }] }));
      return server;
    });
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const { method = 'GET' } = request;
      const headers = request.headers as Record<string, string>;
      const body = method === 'POST' ? await textOf(request) : null;
      const given = await handler.fetch(new Request('http://127.0.0.1/', { method, headers, body }));
      response.writeHead(given.status, Object.fromEntries(given.headers));
      response.end(await given.text());
    };
    const web = createServer((request, response) => void answer(request, response));
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
      writeHub(work, { Reviewer: { mcp: { url, tool: 'review' } } }, { ...ONCE, start: 'Reviewer' });
      await work.bosun(['hub', 'run', 'hub.json']);
      expect(await handedOff()).toMatchObject({ outcome: 'approved', reason: 'from afar' });
    } finally {
      web.closeAllConnections();
      web.close();
    }
  });

  it.each([
    ['refuse', 'the repository is too large'],
    ['chat', 'the result of the tool must be a JSON object'],
    ['revew', 'the server has no tool "revew"; it has review, write, refuse, chat, wait'],
  ])('fails its session in words: %s', LONG, async (tool, said) => {
    review({ tool });
    await work.bosun(['hub', 'run', 'hub.json']);
    const { outcome, summary } = await session();
    expect([outcome, summary]).toEqual(['failed', expect.stringContaining(said)]);
  });

  it('ends with its session, and with its host that is killed', LONG, async () => {
    review({ tool: 'wait' }, { timeoutMs: 60_000 });
    const running = work.spawn(['hub', 'run', 'hub.json']);
    await until(
      () => work.has('waiting'),
      () => `the call, after: ${running.out}${running.err}`,
    );
    const pid = Number(work.read('pid'));
    expect(isAlive(pid)).toBe(true);
    await running.end('SIGKILL');
    await until(
      () => !isAlive(pid),
      () => 'the end of the server',
    );
    review({ tool: 'wait' }, { timeoutMs: 2_000 });
    await work.bosun(['hub', 'run', 'hub.json', '--fresh']);
    expect(await session()).toMatchObject({ outcome: 'budgetExceeded' });
    expect(isAlive(Number(work.read('pid')))).toBe(false);
  });

  it('is missed at its place if the package of clients is not installed', async () => {
    vi.doMock('@modelcontextprotocol/client', () => {
      throw new Error('Cannot find package');
    });
    try {
      review({ tool: 'review' });
      const { code, err } = await work.bosun(['hub', 'check', 'hub.json']);
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/agents\.Reviewer\.mcp: .* npm install @modelcontextprotocol\/client\n$/),
      ]);
    } finally {
      vi.doUnmock('@modelcontextprotocol/client');
    }
  });
});

it.each([
  [{ run: 'make', preset: 'claude' }, 'an agent has one of "run", "preset", not both'],
  [{ preset: 'cursor' }, 'agents.Executor.preset'],
  [{ model: 'a', args: [] }, 'args: is for "preset": "run" has its own'],
  [{ preset: 'codex', handoff: 'exit' }, 'handoff: is for "run"'],
  [{ mcp: { tool: 'a' } }, 'mcp: has "run" or "url", one of them'],
  [{ mcp: { tool: 'a', url: 'file:///etc' } }, 'agents.Executor.mcp.url'],
  [{ mcp: { tool: 'a', run: 'b', argument: {} } }, 'did you mean "arguments"?'],
  [{}, 'needs one of "run", a shell command; "preset", a coding agent (claude, codex);'],
])('an agent %j is refused with its place', async (agent, said) => {
  writeHub(work, { Executor: agent });
  const { code, err } = await work.bosun(['hub', 'check', 'hub.json']);
  expect([code, err]).toEqual([2, expect.stringContaining(said)]);
});
