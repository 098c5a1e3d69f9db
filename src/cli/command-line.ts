/**
 * The command line as a function: arguments in, exit code out. Each verb is a row of a table, and is carried out by a
 * file of its own, which is loaded when it is called for. Owns neither streams nor process, so that a program can call
 * it too; main.ts calls it for a shell.
 */
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { messageOf } from '../errors.ts';
import { ADMINISTRATION_VERBS } from './administration-verbs.ts';
import { DESK_VERBS } from './desk-verbs.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { PLAN_VERBS } from './plan-verbs.ts';
import { SERVICE_VERBS } from './service-verbs.ts';
import { STORE_VERBS } from './store-verbs.ts';
import { hasColour, type Output, type Surroundings } from './surroundings.ts';
import { addVerbs, examplesText, type Verb, type VerbGroup } from './verb.ts';

/**
 * Carries out one line.
 *
 * @param args What comes after the name of the program.
 * @returns The exit code, once all is said and every store is closed. Never rejects: a fault of Bosun is told on
 *   `err`, code 1.
 */
export async function commandLine(args: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.completed;
  try {
    await program(surroundings, (result) => (code = result)).parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.completed : EXIT.badInput;
    const stack = error instanceof Error ? error.stack : '';
    surroundings.err.write(`bosun: ${messageOf(error)}\nThis is a fault of Bosun's; please report it with: ${stack}\n`);
    return EXIT.failed;
  }
}

/** All verbs, by the heading that help puts above them. */
const GROUPS: readonly (readonly [heading: string, rows: readonly (Verb | VerbGroup)[]])[] = [
  ['Plans:', PLAN_VERBS],
  ['A system and its actors:', SERVICE_VERBS],
  ['Orders, which go on record:', ADMINISTRATION_VERBS],
  ['What waits for people:', DESK_VERBS],
  ['A stopped store:', STORE_VERBS],
];

function program(surroundings: Surroundings, exit: (code: ExitCode) => void): Command {
  const { out, err, env } = surroundings;
  const bosun = new Command('bosun')
    .description('Erlang/OTP for statecharts: runs plans of work by durable, supervised agents.')
    .version(versionOfPackage())
    // Every verb has options; to say so of each leaves no room to say what it does.
    .configureHelp({
      subcommandTerm: (command) => [command.name(), command.usage().replace('[options]', '').trim()].join(' ').trim(),
    })
    .showHelpAfterError('(add --help for the options)')
    .addHelpText('after', examplesText(['run plan.yaml', 'serve --config bosun.config.ts']))
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      getOutHelpWidth: () => widthOf(out),
      getErrHelpWidth: () => widthOf(err),
      getOutHasColors: () => hasColour(out, env),
      getErrHasColors: () => hasColour(err, env),
    })
    .exitOverride();
  for (const [heading, rows] of GROUPS) addVerbs(bosun.commandsGroup(heading), rows, surroundings, exit);
  return bosun.commandsGroup('Help:').helpCommand('help [command]', 'display help for command');
}

/** Columns of help; a terminal that does not know its width says 0. */
function widthOf({ isTTY, columns }: Output): number {
  return (isTTY === true && columns) || 80;
}

function versionOfPackage(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
}
