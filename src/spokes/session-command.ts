/**
 * Commands that do the work of a session and hand off by a file or by their exit code. A command writes its hand-off
 * beside the file that `$BOSUN_HANDOFF` names and renames it, so that it is there whole or not at all. A start that
 * finds it, or finds the exit code, does not run the command again: it had ended before its host did. Only what it
 * printed goes through its host, and may be lost with it: a command whose report that is runs again.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../errors.ts';
import { OUTPUT_HEAD_BYTES } from './limits.ts';
import { type CommandEffect, type Commands } from './command.ts';
import { type Outputs } from './outputs.ts';
import { type CodingAgent, type CommandEnd, type Reader, type Report } from '../machines/hub/report.ts';
import { readUsage, type Told } from './coding-agents.ts';
import { readReport } from './readers/report.ts';

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
  /** Whether its exit code is the hand-off if it writes no file. */
  readonly byExit: boolean;
  /** The reader of its report, with the file in the workspace, or null for what it prints; null: it has none. */
  readonly report: { readonly reader: Reader; readonly file: string | null } | null;
  /** The coding agent whose output says what it has used; absent: no other program says that. */
  readonly usage?: CodingAgent | undefined;
  readonly prompt: string;
  /** Passed as JSON on stdin. */
  readonly input: unknown;
  /** Whether its session has handed off elsewhere: then what is left of it ends, and it does not begin again. */
  readonly isOver?: boolean;
}

/** The files of a session's try, absolute paths. */
export interface SessionFiles {
  readonly handoff: string;
  readonly prompt: string;
}

/** The place of a session's commands. */
export interface SessionPlace {
  readonly commands: Commands;
  readonly outputs: Outputs;
  /** The directory of the session. */
  readonly workspace: string;
  /** Makes that directory for a command that begins; absent: it is there. */
  readonly begin?: () => Promise<void>;
  /** Files of the try: nobody who does not know the name can write its hand-off. */
  readonly files: SessionFiles;
  /** Variables of the command beside those of every command of the host. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the command of a session. Rejects if it fails without a hand-off. */
export async function runSession(
  command: SessionCommand,
  place: SessionPlace,
  { effect, signal }: { readonly effect: CommandEffect; readonly signal: AbortSignal },
): Promise<CommandEnd> {
  const { session, round, run, byExit, input, prompt } = command;
  const { commands, outputs, files, env } = place;
  // What outlives its host hands off until it is ended, so nothing can be said before that.
  await commands.alone(session, effect, signal);
  const before = command.report?.file === null ? saidIn(files.handoff) : await outcomeOf(command, place);
  if (before !== undefined) return endOf(before, await toldBy(command, place));
  if (command.isOver === true) return { said: null };
  await place.begin?.();
  mkdirSync(resolve(files.handoff, '..'), { recursive: true, mode: 0o700 });
  const output = await outputs.begin({ session, round });
  writeFileSync(files.prompt, prompt, { mode: 0o600 });
  // The exit code of an earlier start is none of this one.
  rmSync(exitFileOf(files), { force: true });
  try {
    const script = byExit ? codeKept(run, exitFileOf(files)) : run;
    await commands.run({ name: session, run: script, input, env, cwd: place.workspace }, { effect, signal, output });
  } catch (error) {
    // A hand-off that is there counts, however its command ends.
    signal.throwIfAborted();
    await output.close();
    const told = await toldBy(command, place);
    const said = await outcomeOf(command, place);
    if (said === undefined && told === null) throw error;
    return endOf(said, told, messageOf(error));
  } finally {
    await output.close();
  }
  return endOf(await outcomeOf(command, place), await toldBy(command, place));
}

/**
 * The end of a command by its hand-off and by what its coding agent told of it. A hand-off that is there counts.
 *
 * @param error Why the command has failed.
 */
function endOf(said: CommandEnd | undefined, told: Told | null, error?: string): CommandEnd {
  const { failed = error, ...more } = told ?? {};
  return { ...(said ?? (failed === undefined ? { said: null } : { failed })), ...more };
}

/** The end of a try as its coding agent has printed it; null if there is none, or that cannot be read. */
async function toldBy({ usage, session, round }: SessionCommand, { outputs }: SessionPlace): Promise<Told | null> {
  if (usage === undefined) return null;
  const text = await outputs.stdoutOf({ session, round }).catch(() => undefined);
  return text === undefined ? null : readUsage(usage, text);
}

/** The script in a shell of its own, whose exit code is written down as a line, for which no process begins. */
function codeKept(run: string, file: string): string {
  return `/bin/sh -c ${quoted(run)}\necho "$?" >${quoted(file)}`;
}

function exitFileOf({ handoff }: SessionFiles): string {
  return `${handoff}.exit`;
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The end of a command by the files of its try; undefined if its command has not ended with a hand-off. */
async function outcomeOf(command: SessionCommand, place: SessionPlace): Promise<CommandEnd | undefined> {
  const { files } = place;
  const said = saidIn(files.handoff);
  if (said !== undefined) return said;
  const exit = exitFileOf(files);
  const code = command.byExit && existsSync(exit) ? readFileSync(exit, 'utf8') : '';
  // A line without its end is that of a shell that was killed in between.
  if (!code.endsWith('\n')) return undefined;
  const exitCode = Number(code);
  return { exitCode, ...(command.report !== null && (await reportOf(command, place, command.report))) };
}

async function reportOf(
  { session, round }: SessionCommand,
  { outputs, workspace, files }: SessionPlace,
  { reader, file }: NonNullable<SessionCommand['report']>,
): Promise<{ readonly report: Report } | { readonly unread: string }> {
  try {
    const text = file === null ? await outputs.stdoutOf({ session, round }) : reportIn(workspace, file, files);
    if (text !== undefined) return { report: readReport(reader, text, { workspace }) };
    return { unread: `it has more than ${OUTPUT_HEAD_BYTES} bytes${file === null ? ': write it to a file' : ''}` };
  } catch (error) {
    return { unread: messageOf(error) };
  }
}

/** The text of a report in the workspace; undefined if it is too long. Throws if there is none of this start. */
function reportIn(workspace: string, file: string, { prompt }: SessionFiles): string | undefined {
  const path = resolve(workspace, file);
  const facts = statSync(path);
  // The prompt was written just before the command began.
  if (facts.mtimeMs < statSync(prompt).mtimeMs) throw new Error(`${file} is of before the command began`);
  return facts.size > OUTPUT_HEAD_BYTES ? undefined : readFileSync(path, 'utf8');
}

/** The hand-off in a file; undefined if there is none. */
function saidIn(file: string): CommandEnd | undefined {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  if (facts.size > FILE_BYTES_MAX)
    return { flaw: `the file of the hand-off has more than ${FILE_BYTES_MAX} bytes: name a file for the rest` };
  try {
    return { said: JSON.parse(readFileSync(file, 'utf8')) as unknown };
  } catch (error) {
    return { flaw: `the file of the hand-off is no JSON: ${messageOf(error)}` };
  }
}
