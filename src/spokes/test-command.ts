/**
 * The tests of a repository by its own command, on a leash and one run at a time. What a run prints is kept in memory
 * while it is read.
 */
import { Writable } from 'node:stream';
import { systemClock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { Commands } from './command.ts';
import { OUTPUT_HEAD_BYTES } from './limits.ts';
import { type TestRun } from './readers/test-run.ts';
import { testsIn } from './readers/tests.ts';
import { withoutKeys } from './session-environment.ts';

/** Characters of the end of each stream, which tells why a command failed. */
const END_CHARS_MAX = 1_500;

export interface TestCommand {
  readonly cwd: string;
  /** The script for `/bin/sh -c`. */
  readonly run: string;
  /** The longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Identifies the host over all of its starts. */
  readonly store: string;
  /** Default: the environment of the process. The keys of the store are left out. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A run that has ended, and why its command failed, with the end of its output; null if it did not. */
export type EndedRun = TestRun & { readonly problem: string | null };

/**
 * Makes the function that runs the tests for a task when the runs before have ended. It rejects when the signal is
 * aborted, when the time is over, and when tests pass without anybody being able to tell which.
 */
export function testRuns({ cwd, store, env = process.env, run, timeoutMs }: TestCommand) {
  const commands = new Commands({ cwd, store, env: () => withoutKeys(env), endsStrays: true });
  let last: Promise<unknown> = Promise.resolve();
  const runFor = async (task: string, outer: AbortSignal): Promise<EndedRun> => {
    const over = new AbortController();
    const late = new Error(`the tests (${run}) have not ended within ${timeoutMs / 1_000} s`);
    const cancel = systemClock.setTimeout(() => over.abort(late), timeoutMs);
    const signal = AbortSignal.any([outer, over.signal]);
    const [stdout, stderr] = [keeper(), keeper()];
    const effect = { effectId: `check ${task}`, attempt: 1, checkpointed: undefined, checkpoint: async () => {} };
    // The command has its name as BOSUN_TASK.
    const command = { name: task, run, input: null };
    const ended = commands.run(command, { effect, signal, output: { stdout: stdout.stream, stderr: stderr.stream } });
    const problem = await ended.then(
      () => null,
      (error: Error) => error,
    );
    cancel();
    signal.throwIfAborted();
    // One that has not begun has no exit.
    if (problem !== null && problem.cause === undefined) throw problem;
    return readRun({ stdout: stdout.text(), stderr: stderr.text() }, problem);
  };
  return (task: string, signal: AbortSignal): Promise<EndedRun> => {
    const ended = last.then(() => runFor(task, signal));
    last = ended.catch(() => {});
    return ended;
  };
}

/** The tests of an output. A report that is not whole is a failure of its command, if that has failed. */
function readRun(output: Readonly<Record<'stdout' | 'stderr', string>>, failure: Error | null): EndedRun {
  const said = failure === null ? [] : [messageOf(failure), output.stdout, output.stderr];
  const problem = failure && said.map((text) => text.trim().slice(-END_CHARS_MAX)).join('\n');
  try {
    return { ...testsIn(output), problem };
  } catch (error) {
    if (problem !== null) return { passed: [], failed: [], skipped: [], problem };
    throw new Error(`the report of the tests cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Keeps the beginning of a stream. */
function keeper() {
  const chunks: Buffer[] = [];
  let room = OUTPUT_HEAD_BYTES;
  const write = (chunk: Buffer, _: unknown, done: () => void) => {
    chunks.push(chunk.subarray(0, Math.max(0, room)));
    room -= chunk.length;
    done();
  };
  const text = () => {
    if (room >= 0) return Buffer.concat(chunks).toString('utf8').toWellFormed();
    throw new Error(`the tests print more than ${OUTPUT_HEAD_BYTES} bytes: have them print less`);
  };
  return { stream: new Writable({ write }), text };
}
