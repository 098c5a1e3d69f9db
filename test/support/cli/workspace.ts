/**
 * A directory with plans and agents, and `bosun` called in it: as a function in this process, or started as a user
 * would start it, where the process is what matters.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../../../src/cli/command-line.ts';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

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

/** How a call ended, and all it said. */
export interface Ended {
  /** null where a signal ended the process. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Of a call with `--json`. */
export interface Told extends Ended {
  readonly lines: readonly Line[];
}

export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** As another user than root. */
  readonly uid?: number;
}

/** A call under way. */
abstract class Running {
  abstract readonly ended: Promise<Ended>;
  out = '';
  err = '';

  /** Waits until it has said something, on either stream. */
  async says(text: string): Promise<void> {
    await until(
      () => this.out.includes(text) || this.err.includes(text),
      () => `${text}, after: ${this.out}${this.err}`,
    );
  }
}

/** In this process. */
export class Call extends Running {
  readonly ended: Promise<Ended>;
  readonly #interruption = new AbortController();

  constructor(
    args: readonly string[],
    { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  ) {
    super();
    const code = commandLine(args, {
      out: { write: (text) => (this.out += text) },
      err: { write: (text) => (this.err += text) },
      env: { ...process.env, npm_lifecycle_event: undefined, ...env },
      cwd,
      interruption: () => this.#interruption.signal,
    });
    this.ended = code.then((ended) => ({ code: ended, out: this.out, err: this.err }));
  }

  /** As a first Ctrl-C does. */
  interrupt(): Promise<Ended> {
    this.#interruption.abort();
    return this.ended;
  }
}

/** In a process of its own. */
export class Process extends Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;

  constructor(child: ChildProcess) {
    super();
    this.child = child;
    child.stdout!.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out: this.out, err: this.err }));
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }
}

export class Workspace {
  readonly path: string;
  readonly #calls = new Set<Call>();
  readonly #processes = new Set<Process>();

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

  /**
   * Calls the command line in this process, which loads a module of agents once: to run a changed one takes a process
   * of its own.
   */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Call {
    const call = new Call(args, { cwd: this.path, env });
    this.#calls.add(call);
    void call.ended.then(() => this.#calls.delete(call));
    return call;
  }

  bosun(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
    return this.start(args, env).ended;
  }

  /** `bosun run FILE --json` with what it said in lines. */
  run(file: string, ...options: string[]): Promise<Told> {
    return told(this.start(['run', file, '--json', ...options]));
  }

  /** The same in a process of its own. */
  runProcess(file: string, ...options: string[]): Promise<Told> {
    return told(this.spawn(['run', file, '--json', ...options]));
  }

  /** Starts the built `bosun` in a process of its own. */
  spawn(args: readonly string[], { env, uid }: ProcessOptions = {}): Process {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.path,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_lifecycle_event: undefined, ...env },
      ...(uid !== undefined && { uid }),
    });
    const running = new Process(child);
    this.#processes.add(running);
    void running.ended.then(() => this.#processes.delete(running));
    return running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of [...this.#processes]) await running.end('SIGKILL');
    for (const call of [...this.#calls]) await call.interrupt();
    rmSync(this.path, { recursive: true, force: true });
  }
}

async function told(running: Running): Promise<Told> {
  const ended = await running.ended;
  return { ...ended, lines: linesOf(ended.out) };
}

/** Throws where a line is anything else than a JSON object. */
export function linesOf(out: string): Line[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** `started a`, `failed a 1`: what happened to tasks and items, in order. */
export function storyOf(lines: readonly Line[]): string[] {
  return lines.map(({ type, task, item, attempt }) =>
    [type, item ?? task, type.startsWith('task.') ? attempt : undefined].filter((part) => part !== undefined).join(' '),
  );
}

/** Waits for something that cannot be subscribed to. */
export async function until(isSo: () => boolean, what: () => string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what()}`);
    await wait(POLL_MS);
  }
}
