/** `bosun mcp` in a process of its own, with a client of MCP on its streams. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { connected, type Era, type McpClient } from '../gateway/mcp-clients.ts';
import { showsBy } from '../shown-by.ts';

export const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A client whose server is a process. */
export interface McpProcess extends McpClient {
  /** Ends the server as the system does when memory runs out. */
  kill(): void;
  readonly err: string;
}

/** A repository of git in which coding agents work. */
export class Repository {
  readonly path: string;
  readonly #open = new Set<McpProcess>();

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'bosun-mcp-'));
    symlinkSync(NODE_MODULES, join(this.path, 'node_modules'));
    this.git('init', '--quiet', '--initial-branch=main', '.');
    this.write('.gitignore', 'node_modules\n');
    this.git('add', '-A');
    this.git('-c', 'user.name=ada', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '-m', 'begin');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.path, encoding: 'utf8' });
  }

  write(file: string, text: string): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Starts `bosun mcp` in a folder of the repository, and shakes hands with it. */
  async mcp(era: Era = 'of 2026', args: readonly string[] = [], folder = '.'): Promise<McpProcess> {
    showsBy('command line');
    const env = { ...process.env, npm_lifecycle_event: '' } as Record<string, string>;
    const params = { command: process.execPath, args: [MAIN, 'mcp', ...args], cwd: join(this.path, folder), env };
    const Transport = era === '1.32' ? OldTransport : StdioClientTransport;
    const transport = new Transport({ ...params, stderr: 'pipe' });
    const said = { err: '' };
    transport.stderr?.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
    const client = await connected(era, transport);
    const { pid } = transport;
    const made: McpProcess = {
      ...client,
      kill: () => void process.kill(pid!, 'SIGKILL'),
      get err() {
        return said.err;
      },
    };
    this.#open.add(made);
    return made;
  }

  /** Writes lines to the stdin of `bosun mcp`, closes it, and gives what came on stdout, and the exit code. */
  async raw(lines: readonly object[], args: readonly string[] = []): Promise<{ out: string; code: number | null }> {
    const child = spawn(process.execPath, [MAIN, 'mcp', ...args], { cwd: this.path, stdio: 'pipe' });
    let out = '';
    let answers = 0;
    const wanted = lines.filter((line) => 'id' in line).length;
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      answers = out.split('\n').length - 1;
      if (answers >= wanted) child.stdin.end();
    });
    for (const line of lines) child.stdin.write(`${JSON.stringify(line)}\n`);
    const [code] = (await once(child, 'close')) as [number | null];
    return { out, code };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#open) await one.close().catch(() => undefined);
    rmSync(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
