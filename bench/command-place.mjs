/**
 * A directory in which `bosun run` carries out a plan of shell commands, or `bosun hub run` a hub whose sessions are
 * such, by one host process after the other: each is started, watched until its commands have begun, and killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { killWith, markOf, processesWith } from './command-processes.mjs';

const MAIN = join(import.meta.dirname, '../dist/cli/main.js');
const LOOP_WATCH = join(import.meta.dirname, 'loop-watch.mjs');

/** The file in which each command writes a line as it begins. */
export const BEGAN = 'began';

/** The beginning of every command. */
export const BEGIN = `echo $BOSUN_TASK $BOSUN_ATTEMPT >> ${BEGAN}; `;

/** Interval of readings of /proc, of which one takes 50 to 100 ms of a core beside 500 commands. */
const READING_MS = 50;

const POLL_MS = 5;
const PATIENCE_MS = 120_000;

/** Waits until a condition holds. Rejects after two minutes; `what` says for what it waited. */
export async function until(holds, what) {
  const startMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startMs > PATIENCE_MS) throw new Error(`waited ${PATIENCE_MS} ms for ${what()}`);
    await wait(POLL_MS);
  }
}

/** Milliseconds from kill -9 within which processes must be gone. */
export const WITHIN_MS = { listening: 1_000, groups: 3_000 };

/** The figures of a kill. */
export const KILLED_RATIOS = [
  {
    name: 'kill -9 to the end of commands that listen to SIGTERM',
    of: ({ killed }) => killed.listeningGoneMs,
    atMost: WITHIN_MS.listening,
    unit: ' ms',
  },
  {
    name: 'kill -9 to the end of all groups, leashes too',
    of: ({ killed }) => killed.groupsGoneMs,
    atMost: WITHIN_MS.groups,
    unit: ' ms',
  },
];

/** The figures of the event loop of a restart. */
export const LOOP_RATIOS = [
  {
    name: 'event-loop delay p99 of the restart',
    of: ({ restart }) => restart.loopP99Ms,
    atMost: 50,
    unit: ' ms',
  },
  {
    name: 'event-loop delay p99 of the restart since its first line',
    of: ({ restart }) => restart.openedLoopP99Ms,
    unit: ' ms',
  },
];

/** Waits until no process of a kind lives. Resolves with the milliseconds that took, and rejects if it takes longer. */
export async function gone(living, what, { withinMs, sinceMs = performance.now() }) {
  for (;;) {
    const left = living();
    const ms = performance.now() - sinceMs;
    if (left.length === 0) return ms;
    if (ms > withinMs) {
      const pids = left.map(({ pid }) => pid).join(' ');
      throw new Error(`${left.length} ${what} live after ${Math.round(ms)} ms: ${pids}`);
    }
    await wait(READING_MS);
  }
}

export class CommandPlace {
  #directory;
  #words;
  #host;
  #hostStartMs;
  #hostSaid;

  /** @param words What `bosun` is told to do. */
  constructor(directory, words = ['run', 'plan.json']) {
    this.#directory = directory;
    this.#words = words;
  }

  /** Writes the plan for the next start. */
  plan(tasks) {
    return this.write('plan.json', JSON.stringify({ version: 1, plan: 'commands', tasks }));
  }

  async write(file, text) {
    await mkdir(this.#directory, { recursive: true });
    await writeFile(join(this.#directory, file), text);
  }

  /**
   * Starts a host, with the flags for Node of this process. Resolves as soon as the host has said its first line, after
   * which it opens its store.
   */
  async start(...options) {
    this.#hostStartMs = performance.now();
    this.#hostSaid = '';
    const flags = [...process.execArgv, `--import=${LOOP_WATCH}`];
    this.#host = spawn(process.execPath, [...flags, MAIN, ...this.#words, '--json', '--data', this.#data, ...options], {
      cwd: this.#directory,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#host.stderr.on('data', (text) => (this.#hostSaid += text));
    await this.#whileRunning(
      () => this.#hostSaid !== '',
      () => 'the first line of a host',
    );
    // A host with little to do may have ended.
    this.#host.send('opened', () => {});
  }

  /** Waits until this attempt of so many commands has begun. Resolves with the milliseconds since the host's start. */
  async begun(attempt, commands) {
    let count = 0;
    const all = async () => {
      const text = await readFile(join(this.#directory, BEGAN), 'utf8').catch(() => '');
      count = text.split('\n').filter((line) => line.endsWith(` ${attempt}`)).length;
      return count === commands;
    };
    await this.#whileRunning(all, () => `attempt ${attempt} of ${commands} commands: ${count} have begun`);
    return performance.now() - this.#hostStartMs;
  }

  /** Waits until all commands have begun, and resolves with that time and the delays of the event loop. */
  async beginning(attempt, commands) {
    const ms = await this.begun(attempt, commands);
    return { ms, ...(await this.loopDelays()) };
  }

  /** Delays of the host's event loop: since its start, and since its first line. */
  async loopDelays() {
    this.#host.send('tell');
    const [delays] = await once(this.#host, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return delays;
  }

  /** Living processes that commands of any host here have started. */
  processes() {
    return processesWith(markOf(this.#data));
  }

  /** Kills the host with SIGKILL, unless it has ended. */
  async kill() {
    if (this.#host === undefined || hasEnded(this.#host)) return;
    const ended = once(this.#host, 'exit');
    this.#host.kill('SIGKILL');
    await ended;
  }

  /** Ends everything that was started here, and removes the directory. */
  async clear() {
    await this.kill();
    const mark = markOf(this.#data);
    if (mark !== undefined) killWith(mark);
    await rm(this.#directory, { recursive: true, force: true });
  }

  get #data() {
    return join(this.#directory, 'data');
  }

  #whileRunning(holds, what) {
    return until(async () => {
      if (await holds()) return true;
      if (hasEnded(this.#host)) throw new Error(`a host has ended before ${what()}; it said: ${this.#hostSaid}`);
      return false;
    }, what);
  }
}

function hasEnded({ exitCode, signalCode }) {
  return exitCode !== null || signalCode !== null;
}
