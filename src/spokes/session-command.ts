/**
 * Commands that do the work of a session and hand off by a file. A command writes its hand-off beside the file that
 * `$BOSUN_HANDOFF` names and renames it, so that it is there whole or not at all. A start that finds the file does not
 * run the command again: it had handed off before its host ended.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { BosunError, messageOf } from '../errors.ts';
import { type CommandEffect, type Commands } from './command.ts';

/** Bytes of a hand-off file that are read. */
const FILE_BYTES_MAX = 256 * 1024;

/** A command of a session. */
export interface SessionCommand {
  /** The session, of which one command runs at a time. */
  readonly session: string;
  /** The try: each has a file of its own. */
  readonly round: number;
  /** The script for `/bin/sh -c`. */
  readonly run: string;
  /** Whether the exit code is the hand-off; otherwise the command writes the file. */
  readonly byExit: boolean;
  /** Passed as JSON on stdin. */
  readonly input: unknown;
}

/**
 * Runs the command of a session, and returns what its file says: for a command by exit code `{ exitCode }`, null where
 * it wrote none. Rejects with BOSUN_VALUE_REFUSED for a file that is too large or no JSON.
 *
 * @param folder Absolute path of the directory of the files.
 */
export async function runSession(
  commands: Commands,
  folder: string,
  command: SessionCommand,
  { effect, signal }: { readonly effect: CommandEffect; readonly signal: AbortSignal },
): Promise<unknown> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = `${folder}/${command.session}-${command.round}.json`;
  const before = read(file);
  if (before !== undefined) return before;
  const { session: name, input } = command;
  await commands.run({ name, run: scriptOf(command, file), input }, { effect, signal });
  return read(file) ?? null;
}

/** The script with its environment. A command by exit code runs in a shell of its own, whose code is written down. */
function scriptOf({ run, byExit }: SessionCommand, file: string): string {
  const environment = `export BOSUN_SPOKE=1 BOSUN_HANDOFF=${quoted(file)}`;
  if (!byExit) return `${environment}\n${run}`;
  const write = `printf '{"exitCode":%d}' "$code" >"$BOSUN_HANDOFF.new" && mv "$BOSUN_HANDOFF.new" "$BOSUN_HANDOFF"`;
  return `${environment}\n/bin/sh -c ${quoted(run)}\ncode=$?\n${write}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The contents of a file; undefined if there is none. */
function read(file: string): unknown {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  if (facts.size > FILE_BYTES_MAX)
    throw new BosunError(
      'BOSUN_VALUE_REFUSED',
      `${file} has more than ${FILE_BYTES_MAX} bytes: name a file for the rest`,
    );
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new BosunError('BOSUN_VALUE_REFUSED', `${file} is no JSON: ${messageOf(error)}`, { cause: error });
  }
}
