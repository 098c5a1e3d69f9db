/**
 * The command line as a function from arguments to an exit code. Each verb is a row of a table, carried out by a file
 * that is loaded on demand. It owns neither streams nor process, so programs can call it too; main.ts calls it for a
 * shell.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { messageOf } from '../errors.ts';
import { ADMINISTRATION_VERBS } from './system/administration-verbs.ts';
import { AGENTS_VERBS } from './agents/agents-verbs.ts';
import { ANSWER_VERBS } from './answers/answer-verbs.ts';
import { DELIVERY_VERBS } from './delivery/delivery-verbs.ts';
import { DESK_VERBS } from './desks/desk-verbs.ts';
import { type ErrorOutput, EXIT, type ExitCode, writeError } from './exit-codes.ts';
import { HUB_VERBS } from './hubs/hub-verbs.ts';
import { PLAN_VERBS } from './run/plan-verbs.ts';
import { SESSION_VERBS } from './sessions/session-verbs.ts';
import { SERVICE_VERBS } from './serve/service-verbs.ts';
import { SHELL_VERBS } from './shell-verbs.ts';
import { STORE_VERBS } from './store/store-verbs.ts';
import { hasColour, type Output, type Surroundings } from './surroundings.ts';
import { safe } from './terminal.ts';
import { addVerbs, examplesText, refuseOtherVerbs, type Verb, type VerbGroup } from './verb.ts';

/**
 * Carries out one command line.
 *
 * @param args The arguments after the program's name.
 * @returns The exit code, once all output is written and every store is closed. Never rejects: an internal error is
 * reported on `err`, with code 1. Where the arguments contain `--json`, all errors are lines of JSON.
 */
export async function commandLine(args: readonly string[], given: Surroundings): Promise<ExitCode> {
  const surroundings = { ...given, out: safe(given.out), err: safe(given.err) };
  const output = { err: surroundings.err, json: asksForJson(args) };
  let code: ExitCode = EXIT.completed;
  try {
    await program(surroundings, output, (result) => (code = result)).parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return misused(error, output);
    const stack = error instanceof Error ? error.stack : '';
    const message = `bosun: ${messageOf(error)}\nThis is an error in Bosun. Please report it with this stack: ${stack}`;
    writeError(output, 'BOSUN_INTERNAL', message);
    return EXIT.failed;
  }
}

/** Whether a caller expects JSON, even if the other arguments cannot be parsed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? args.length : end).includes('--json');
}

/** The exit code for arguments that were not carried out: a call for help, or a wrong one. */
function misused({ exitCode, code, message }: CommanderError, output: ErrorOutput): ExitCode {
  if (exitCode === 0) return EXIT.completed;
  // For people the parser has printed the error already, with the way to the help text.
  const said = code === 'commander.help' ? 'name a verb; bosun --help lists them' : message.replace(/^error: /, '');
  if (output.json) writeError(output, 'BOSUN_CALL_INVALID', said);
  return EXIT.badInput;
}

/** All verbs, by their heading in the help text. */
export const GROUPS: readonly (readonly [heading: string, rows: readonly (Verb | VerbGroup)[]])[] = [
  ['Plans:', [...PLAN_VERBS, ...DELIVERY_VERBS, HUB_VERBS, AGENTS_VERBS]],
  ['A system and its actors:', SERVICE_VERBS],
  ['Orders, which go on record:', ADMINISTRATION_VERBS],
  ['Questions and messages for people:', [...ANSWER_VERBS, ...DESK_VERBS]],
  ['A stopped store:', STORE_VERBS],
  ['Help:', [...SESSION_VERBS, ...SHELL_VERBS]],
];

function program(surroundings: Surroundings, { json }: ErrorOutput, exit: (code: ExitCode) => void): Command {
  const { out, err, env } = surroundings;
  const bosun = new Command('bosun')
    .description('Erlang/OTP for statecharts: runs plans of work by durable, supervised agents.')
    .version(versionOfPackage())
    // Every verb has options; repeating `[options]` in the list would leave no room for descriptions.
    .configureHelp({
      subcommandTerm: (command) => [command.name(), command.usage().replace('[options]', '').trim()].join(' ').trim(),
    })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', examplesText(['run plan.yaml', 'serve --config bosun.config.ts']))
    .addHelpText(
      'after',
      '\nMore verbs: schedule, call, runs, show, records, audit, post, batches, debates,\n' +
        'conformance, completion. Each has --help.',
    )
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void (json || err.write(text)),
      getOutHelpWidth: () => widthOf(out),
      getErrHelpWidth: () => widthOf(err),
      getOutHasColors: () => hasColour(out, env),
      getErrHasColors: () => hasColour(err, env),
    })
    .exitOverride();
  for (const [heading, rows] of GROUPS) addVerbs(bosun.commandsGroup(heading), rows, surroundings, exit);
  refuseOtherVerbs(bosun);
  return bosun.commandsGroup('Help:').helpCommand('help [command]', 'display help for command');
}

/** Width of the help text in columns; a terminal of unknown width reports 0. */
function widthOf({ isTTY, columns }: Output): number {
  return (isTTY === true && columns) || 80;
}

function versionOfPackage(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
}
