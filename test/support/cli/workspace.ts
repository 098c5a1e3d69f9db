/**
 * A directory with plans and agents, in which `bosun` is called: as a function in this process, or as a process of its
 * own if the process matters.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from '../../../src/cli/command-line.ts';
import { showsBy } from '../shown-by.ts';
import { until } from '../until.ts';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const AS_NOBODY = fileURLToPath(new URL('bosun-as-nobody.mjs', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Output of a call whose gateway can be found in its data directory. */
const SERVING = /"serving"|bosun serves |^Live while it runs: /m;

/** A line of output under `--json`. */
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

/** The exit of a call and all its output. */
export interface Ended {
  /** The exit code; null if a signal ended the process. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The exit of a call with `--json`. */
export interface Told extends Ended {
  readonly lines: readonly Line[];
}

export interface ProcessOptions {
  /** The working directory, within the workspace. */
  readonly within?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A call under way. */
abstract class Running {
  abstract readonly ended: Promise<Ended>;
  out = '';
  err = '';
  /** Whether its output has ended. */
  protected hasEnded = false;

  /** Waits until either stream contains a text. Rejects if the call ends without it. */
  async says(text: string): Promise<void> {
    const what = () => `${text}, after: ${this.out}${this.err}`;
    const isSaid = () => this.out.includes(text) || this.err.includes(text);
    await until(() => isSaid() || this.hasEnded, what);
    if (!isSaid()) throw new Error(`ended without ${what()}`);
  }

  /**
   * Waits until other verbs find the gateway, or the call has ended. Its reports of work may come earlier than that.
   */
  async serves(): Promise<this> {
    await until(
      () => this.hasEnded || SERVING.test(this.out) || SERVING.test(this.err),
      () => `a gateway, after: ${this.out}${this.err}`,
    );
    return this;
  }
}

/** A call in this process. */
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
    this.ended = code
      .then((ended) => ({ code: ended, out: this.out, err: this.err }))
      .finally(() => (this.hasEnded = true));
  }

  /** Interrupts the call, as a first Ctrl-C does. */
  interrupt(): Promise<Ended> {
    this.#interruption.abort();
    return this.ended;
  }
}

/** A call in a process of its own. */
export class Process extends Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;

  constructor(child: ChildProcess) {
    super();
    this.child = child;
    child.stdout!.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = once(child, 'close')
      .then(([code]) => ({ code: code as number | null, out: this.out, err: this.err }))
      .finally(() => (this.hasEnded = true));
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
    // Agents of a plan import xstate from the plan's directory.
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
   * Calls the command line in this process, which loads a module of agents only once: running a changed one takes a
   * process of its own.
   */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Call {
    showsBy('command line');
    const call = new Call(args, { cwd: this.path, env });
    this.#calls.add(call);
    void call.ended.then(() => this.#calls.delete(call));
    return call;
  }

  bosun(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended> {
    return this.start(args, env).ended;
  }

  /** Repeats a verb until its output has what is awaited: one desk may hear an epoch later than another. */
  async looks(args: readonly string[], hasIt: (ended: Ended) => boolean): Promise<Ended> {
    let ended: Ended | undefined;
    await until(
      async () => hasIt((ended = await this.bosun(args))),
      () => `what bosun ${args.join(' ')} has not said: ${ended?.out}${ended?.err}`,
    );
    return ended!;
  }

  /** Runs `bosun run FILE --json` and parses its output into lines. */
  run(file: string, ...options: string[]): Promise<Told> {
    return told(this.start(['run', file, '--json', ...options]));
  }

  /** Runs `bosun run FILE --json` in a process of its own. */
  runProcess(file: string, ...options: string[]): Promise<Told> {
    return told(this.spawn(['run', file, '--json', ...options]));
  }

  /** Starts the built `bosun` in a process of its own. */
  spawn(args: readonly string[], options?: ProcessOptions): Process {
    return this.#spawn(MAIN, args, options);
  }

  /** The same as a user who may not read what belongs to root, for tests that run as root. */
  spawnAsNobody(args: readonly string[]): Process {
    return this.#spawn(AS_NOBODY, args);
  }

  #spawn(program: string, args: readonly string[], { env, within = '.' }: ProcessOptions = {}): Process {
    showsBy('command line');
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.file(within),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, npm_lifecycle_event: undefined, ...env },
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

/** Parses output lines. Throws if a line is not a JSON object. */
export function linesOf(out: string): Line[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** Events of tasks and items in order: `started a`, `failed a 1`. */
export function storyOf(lines: readonly Line[]): string[] {
  return lines.map(({ type, task, item, attempt }) =>
    [type, item ?? task, type.startsWith('task.') ? attempt : undefined].filter((part) => part !== undefined).join(' '),
  );
}
