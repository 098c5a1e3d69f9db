/** A directory with plans and agents, and the built `bosun` run in it as a user would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Between two looks at what cannot be waited for. */
const POLL_MS = 10;

/** Longer than anything a test waits for, on a machine with much else to do. */
const PATIENCE_MS = 20_000;

/** A line of `--json`. */
export interface Line {
  readonly type: string;
  readonly task?: string;
  readonly item?: string;
  readonly effectId?: string;
  readonly attempt?: number;
  readonly error?: string;
  readonly reason?: string;
  readonly items?: readonly unknown[];
}

/** How a process ended, and all it said. */
export interface Ended {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** As another user than root. */
  readonly uid?: number;
}

/** A process under way. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out = '';
  err = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout!.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out: this.out, err: this.err }));
  }

  /** Waits until it has said something, on either stream. */
  async says(text: string): Promise<void> {
    await until(() => this.out.includes(text) || this.err.includes(text), () => `${text}, after: ${this.out}${this.err}`);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

export class Workspace {
  readonly path: string;
  readonly #running = new Set<Running>();

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'bosun-cli-'));
    // Agents of a plan import xstate from where the plan is.
    symlinkSync(NODE_MODULES, join(this.path, 'node_modules'));
  }

  write(file: string, text: string): void {
    writeFileSync(this.file(file), text);
  }

  read(file: string): string {
    return readFileSync(this.file(file), 'utf8');
  }

  has(file: string): boolean {
    return existsSync(this.file(file));
  }

  file(name: string): string {
    return join(this.path, name);
  }

  start(args: readonly string[], { env, uid }: RunOptions = {}): Running {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.path,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
      ...(uid !== undefined && { uid }),
    });
    const running = new Running(child);
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
    return running;
  }

  bosun(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** `bosun run FILE --json` with what it said in lines. */
  async run(file: string, ...options: string[]): Promise<Ended & { readonly lines: readonly Line[] }> {
    const ended = await this.bosun(['run', file, '--json', ...options]);
    return { ...ended, lines: linesOf(ended.out) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of [...this.#running]) await running.end('SIGKILL');
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Throws where a line is anything else than a JSON object. */
export function linesOf(out: string): Line[] {
  return out.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Line);
}

/** `started a`, `failed a 1`: what happened to tasks and items, in order. */
export function storyOf(lines: readonly Line[]): string[] {
  return lines.map(({ type, task, item, attempt }) => [type, item ?? task, type.startsWith('task.') ? attempt : undefined].filter((part) => part !== undefined).join(' '));
}

/** Waits for something that cannot be subscribed to. */
export async function until(isSo: () => boolean, what: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what()}`);
    await wait(POLL_MS);
  }
}
