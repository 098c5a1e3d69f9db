#!/usr/bin/env -S node --max-semi-space-size=64
/**
 * The launcher: runs the command line in this process and ends it with the exit code. No other file of `src/cli` ends a
 * process.
 */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { problemOfVersions, versionsHere } from '../needed-versions.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type ProtocolStreams } from './surroundings.ts';

const { stdout: out, stderr: err } = process;

// A reader that has gone (`bosun run plan.yaml | head`) is not an error.
for (const stream of [out, err]) stream.on('error', () => {});

// Output of agents goes to stderr: stdout is for data.
globalThis.console = new Console(err);

/** Makes the signal for interruption: the first Ctrl-C drains, a second one ends the process as without a handler. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/**
 * Reserves stdin and stdout for a protocol. All other output to stdout, including that of threads, goes to stderr,
 * since one foreign byte would break the protocol.
 */
function protocol(): ProtocolStreams {
  const write = out.write.bind(out);
  out.write = err.write.bind(err);
  const output = new Writable({
    write: (chunk: Uint8Array, _, done) => {
      write(chunk, done);
    },
  });
  return { input: process.stdin, output };
}

/** Waits until pipes are flushed: an exit would cut off their contents. */
async function leave(code: ExitCode): Promise<void> {
  process.exitCode = code;
  await Promise.all([out, err].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
  process.exit(code);
}

const unfit = problemOfVersions(versionsHere());
if (unfit !== undefined) {
  err.write(`${unfit}\n`);
  await leave(EXIT.badInput);
}
// Not before: what is too old may lack an export that one of its modules names.
const { commandLine } = await import('./command-line.ts');
const onUnawaited = (hear: (reason: unknown) => void) => void process.on('unhandledRejection', hear);
const surroundings = { out, err, env: process.env, cwd: process.cwd(), interruption, onUnawaited, protocol };
await leave(await commandLine(process.argv.slice(2), surroundings));
