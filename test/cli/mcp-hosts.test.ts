/**
 * The configurations of hosts in docs/mcp.md: each has the form that its host documents, and what it starts is a server
 * with tools. With the hosts that are programs of npm the page says how far they were run.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { MAIN, Repository } from '../support/cli/mcp-process.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
const section = /^## Beside a coding agent\n([^]*?)^## /m.exec(page)![1]!;

const env = z.record(z.string(), z.string()).optional();
const start = { command: z.string(), args: z.array(z.string()), env };
const stdio = z.literal('stdio');

/** The form of code.claude.com/docs/en/mcp, which most hosts have taken over. */
const MCP_SERVERS = z.strictObject({
  mcpServers: z.strictObject({ bosun: z.strictObject({ type: stdio.optional(), ...start }) }),
});

/** The form of code.visualstudio.com/docs/agents/reference/mcp-configuration: it requires a type. */
const VS_CODE = z.strictObject({ servers: z.strictObject({ bosun: z.strictObject({ type: stdio, ...start }) }) });

/** The form of developers.openai.com/codex/mcp. */
const CODEX = z.strictObject({ 'mcp_servers.bosun': z.strictObject(start) });

/** The form of opencode.ai/v2/docs/mcp-servers: the command is a list. */
const OPENCODE = z.strictObject({
  mcp: z.strictObject({
    servers: z.strictObject({
      bosun: z.strictObject({ type: z.literal('local'), command: z.array(z.string()).min(1) }),
    }),
  }),
});

/** The form of zed.dev/docs/ai/mcp. */
const ZED = z.strictObject({ context_servers: z.strictObject({ bosun: z.strictObject(start) }) });

/** The forms by the files that the page names. */
const FORMS: Readonly<Record<string, z.ZodType>> = {
  '.mcp.json': MCP_SERVERS,
  '.cursor/mcp.json': MCP_SERVERS, // cursor.com/docs/mcp
  '.gemini/settings.json': MCP_SERVERS, // geminicli.com/docs/tools/mcp-server
  '.qwen/settings.json': MCP_SERVERS, // as `qwen mcp add` writes it
  '.vscode/mcp.json': VS_CODE,
  '~/.codex/config.toml': CODEX,
  '.codex/config.toml': CODEX,
  'opencode.json': OPENCODE,
  'claude_desktop_config.json': MCP_SERVERS, // modelcontextprotocol.io/quickstart/user
  '~/.codeium/windsurf/mcp_config.json': MCP_SERVERS, // docs.windsurf.com/windsurf/cascade/mcp
  'settings.json': ZED,
};

/** Reads TOML whose values are JSON too, which are all that the page has. */
function parsedToml(text: string): unknown {
  const [, table, lines] = /^\[([\w.]+)\]\n((?:\w+ = .+\n)+)$/.exec(text)!;
  const entries = lines!.matchAll(/^(\w+) = (.+)$/gm);
  return { [table!]: Object.fromEntries([...entries].map(([, key, value]) => [key, JSON.parse(value!) as unknown])) };
}

/** The blocks with the files that the paragraph before each names. */
const blocks = [...section.matchAll(/^([^\n]+)\n\n```(json|toml)\n([^]*?)^```$/gm)].map(
  ([, paragraph, language, text]) => ({
    files: [...paragraph!.matchAll(/`((?:~\/)?[\w./-]+\.(?:json|toml))`/g)].map(([, file]) => file!),
    told: language === 'toml' ? parsedToml(text!) : (JSON.parse(text!) as unknown),
  }),
);

/** The command line of the one server that a configuration has. */
function commandOf(told: unknown): readonly string[] {
  if (typeof told !== 'object' || told === null) throw new Error('no server');
  if (!('command' in told)) return commandOf(Object.values(told)[0]);
  const { command, args = [] } = told as { command: string | string[]; args?: string[] };
  return [command, args].flat();
}

const ALONE = ['npx', 'bosun', 'mcp'];
const JOINED = ['npx', '--prefix', '/path/to/repository', 'bosun', 'mcp', '--url', 'http://127.0.0.1:4180'];

/** The names of the tools of what a command line of the page starts, and what it says on stderr. */
async function served(work: Repository, command: readonly string[]) {
  const args = [MAIN, ...command.slice(command.indexOf('bosun') + 1)];
  const server = new StdioClientTransport({ command: process.execPath, args, cwd: work.path, stderr: 'pipe' });
  let err = '';
  server.stderr!.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const client = new Client({ name: 'host', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(server);
  const { tools } = await client.listTools();
  return { names: tools.map(({ name }) => name), said: () => err };
}

describe('docs/mcp.md', () => {
  it('has the configuration of each host in the form that the host documents', () => {
    expect(blocks.flatMap(({ files }) => files)).toEqual(Object.keys(FORMS));
    for (const { files, told } of blocks)
      for (const file of files) expect(() => FORMS[file]!.parse(told), file).not.toThrow();
  });

  it('has lines and configurations that start the same server, or join a desk that runs', () => {
    const lines = [...section.matchAll(/^ {4}\w+ mcp add bosun (?:-- )?(.+)$/gm)].map(([, line]) => line!.split(' '));
    expect(lines).toHaveLength(5);
    const all = [...lines, ...blocks.map(({ told }) => commandOf(told))].map((words) => words.join(' '));
    expect([...new Set(all)]).toEqual([ALONE.join(' '), JOINED.join(' ')]);
  });

  it('has command lines whose servers have tools', async () => {
    const work = new Repository();
    onTestFinished(() => work[Symbol.asyncDispose]());
    const { names, said } = await served(work, ALONE);
    const asking = expect.arrayContaining(['askQuestion', 'waitForAnswer']) as string[];
    expect(names).toEqual(asking);
    const url = await vi.waitFor(() => /runs answers about .* at (http:\S+),/.exec(said())![1]!);
    expect((await served(work, [...JOINED.slice(0, -1), url])).names).toEqual(asking);
  });
});
