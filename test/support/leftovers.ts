/**
 * The surroundings of the tests in their process, and the part of them that outlives a file. Many files run one after
 * the other in one process (`isolate: false`), in an order that differs from machine to machine, so none may leave
 * anything to the next.
 */
import { channel } from 'node:diagnostics_channel';
import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Worker } from 'node:worker_threads';
import { until } from './until.ts';

/** Begins the name of the temporary folder of a run (global-setup.ts). */
export const RUN_FOLDER = 'bosun-tests-';

/** Variables with settings of a person. Those of git name the repository in whose hook the tests run. */
const PERSONAL = /^(BOSUN_|GIT_|FORCE_COLOR$|NO_COLOR$)/;

/** Settings of git: none of a person, who may sign commits or have hooks. */
const GIT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** Variables among them that are for the tests themselves. */
const FOR_TESTS = /^BOSUN_(SEED|SOAK|TEST_|MUTATED_|CHROMIUM|NGINX)/;

/** Folders in which libraries keep compiled files for all processes. */
const CACHES = new Set(['jiti']);

/** Resources of Node that run on: child processes, servers, watched folders. Open connections end by themselves. */
const RUNNING = new Set(['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap', 'FSEventWrap', 'MessagePort']);

/** Functions of the host that tests replace. */
const REPLACED = ['Date', 'fetch', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] as const;

const STORES = Symbol.for('bosun.level-store.open-paths');

let isForgiving = false;

/** Threads that have not ended. Node has no list of them. */
const threads = new Set<Worker>();
process.on('worker', (thread) => {
  threads.add(thread);
  thread.once('exit', () => threads.delete(thread));
});

/** Facts of the process, each by the name under which it is reported. */
export type Surroundings = ReadonlyMap<string, unknown>;

/** The present state of the process. */
export function surroundings(): Surroundings {
  return new Map([...values(), ...listeners(), ...running(), ...temporary()]);
}

/** The names of the facts that have changed, appeared or gone. */
export function changesSince(before: Surroundings): string[] {
  const now = surroundings();
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
}

/** Ends the checks in this process: what a failed test has left may end at any time, in the midst of another file. */
export function forgive(): void {
  isForgiving = true;
}

/** Waits until the facts are as they were: what was told to end may be on its way. Rejects with what stays changed. */
export async function restored(before: Surroundings): Promise<void> {
  if (isForgiving) return;
  await until(
    () => changesSince(before).length === 0,
    () => `the end of what is left to the next test file: ${changesSince(before).join(', ')}`,
  );
}

/**
 * Gives this process surroundings of its own: none of the settings that a person has made for Bosun, for git and for
 * programs that print, and a temporary folder in that of the run, or nobody could tell who left a folder.
 */
export function useOwnSurroundings(): void {
  for (const name of Object.keys(process.env))
    if (PERSONAL.test(name) && !FOR_TESTS.test(name)) delete process.env[name];
  Object.assign(process.env, GIT);
  if (!basename(tmpdir()).startsWith(RUN_FOLDER)) return;
  process.env['TMPDIR'] = join(tmpdir(), String(process.pid));
  mkdirSync(tmpdir());
}

function* values(): Generator<[name: string, value: unknown]> {
  yield ['the working directory', process.cwd()];
  yield ['the exit code', process.exitCode];
  yield ['Error.stackTraceLimit', Error.stackTraceLimit];
  yield ['Error.prepareStackTrace', Error.prepareStackTrace];
  for (const name of REPLACED) yield [name, globalThis[name]];
  for (const [name, method] of Object.entries(console)) yield [`console.${name}`, method];
  for (const [name, value] of Object.entries(process.env)) yield [`the environment variable ${name}`, value];
}

function* listeners(): Generator<[name: string, value: unknown]> {
  yield ['listeners on the channel bosun:turn', channel('bosun:turn').hasSubscribers];
  for (const event of process.eventNames())
    for (const [index, listener] of process.rawListeners(event as never).entries())
      yield [`listener ${index} of process for ${String(event)}`, listener];
}

function* running(): Generator<[name: string, count: number]> {
  const counts = new Map<string, number>([['Worker', threads.size]]);
  for (const name of process.getActiveResourcesInfo())
    if (RUNNING.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, count] of counts) if (count > 0) yield [`running: ${name}`, count];
  const { [STORES]: stores } = globalThis as { [STORES]?: ReadonlySet<string> };
  for (const path of stores ?? []) yield [`the open store ${path}`, 1];
}

function* temporary(): Generator<[name: string, is: true]> {
  if (!basename(dirname(tmpdir())).startsWith(RUN_FOLDER)) return;
  for (const name of readdirSync(tmpdir())) if (!CACHES.has(name)) yield [`the temporary folder ${name}`, true];
}
