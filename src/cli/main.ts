#!/usr/bin/env -S node --max-semi-space-size=64
/**
 * The launcher: hands the process to the command line, and ends it with the exit code. Nothing else of `src/cli` ends a
 * process.
 */
import { Console } from 'node:console';
import { commandLine } from './command-line.ts';
import { type ExitCode } from './exit-codes.ts';

const { stdout: out, stderr: err } = process;

// A reader that has gone (`bosun run plan.yaml | head`) is no fault of ours.
for (const stream of [out, err]) stream.on('error', () => {});

// What agents print is talk: stdout is for data.
globalThis.console = new Console(err);

/** The first Ctrl-C drains; a second one ends the process as if there were no handler. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}

/** Waits until a pipe has taken everything: an exit would cut it off. */
async function leave(code: ExitCode): Promise<void> {
  process.exitCode = code;
  await Promise.all([out, err].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))));
  process.exit(code);
}

await leave(await commandLine(process.argv.slice(2), { out, err, env: process.env, cwd: process.cwd(), interruption }));
