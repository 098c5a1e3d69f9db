/**
 * What a verb of the command line is: a row that says how it is written, and a function that loads the file that
 * carries it out, so that a line loads no more than its own verb.
 */
import { type Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_DATA } from './default-data.ts';
import { type DeskOptions } from './desk-row.ts';
import { type ExitCode } from './exit-codes.ts';
import type { ChartFormat } from './inspect-command.ts';
import { type DataCommand, type Surroundings } from './surroundings.ts';

export interface Verb {
  /** With its arguments: `erase <address>`. */
  readonly usage: string;
  readonly says: string;
  /** Without `bosun`. */
  readonly examples: readonly string[];
  /** An argument that has to be read. */
  readonly argument?: Argument;
  /** Beside `--data` and `--json`. */
  readonly options?: readonly Option[];
  /** Whether it is about a data directory. Default true. */
  readonly hasData?: boolean;
  /** Carries it out, with its arguments in their order. */
  readonly run: (call: VerbCall, ...args: never[]) => Promise<ExitCode>;
}

/** Verbs under a word of their own: `deadletters list`. */
export interface VerbGroup {
  readonly name: string;
  readonly says: string;
  readonly examples?: readonly string[];
  readonly verbs: readonly Verb[];
}

export interface VerbCall {
  /** What every verb on a data directory is given. */
  readonly data: DataCommand;
  readonly options: Options;
  readonly surroundings: Surroundings;
  readonly command: Command;
}

/** The options of all verbs, as they have been read. */
export interface Options extends DeskOptions {
  readonly data: string;
  readonly json?: true;
  readonly address?: string;
  readonly agent?: string;
  readonly agents?: string;
  readonly all?: true;
  readonly by?: string;
  readonly config?: string;
  readonly force?: true;
  readonly format?: ChartFormat;
  readonly fresh?: true;
  readonly from?: string;
  readonly host?: string;
  readonly limit?: number;
  readonly out?: string;
  readonly plan?: string;
  readonly port?: number;
  readonly recoverTo?: number;
  readonly serve?: true;
  readonly status?: string;
  readonly svg?: string;
  readonly timeout?: number;
  readonly token?: string;
  readonly trace?: string;
  readonly trustWallClock?: true;
  readonly wait?: true;
}

/** @param exit Called with the exit code once a verb has been carried out. */
export function addVerbs(
  parent: Command,
  rows: readonly (Verb | VerbGroup)[],
  surroundings: Surroundings,
  exit: (code: ExitCode) => void,
): void {
  for (const row of rows) {
    if (!('verbs' in row)) {
      addVerb(parent, row, surroundings, exit);
      continue;
    }
    const group = parent.command(row.name).description(row.says);
    if (row.examples !== undefined) group.addHelpText('after', examplesText(row.examples));
    addVerbs(group, row.verbs, surroundings, exit);
  }
}

function addVerb(
  parent: Command,
  { usage, says, examples, argument, options = [], hasData = true, run }: Verb,
  surroundings: Surroundings,
  exit: (code: ExitCode) => void,
): void {
  const command = parent.command(usage).description(says).addHelpText('after', examplesText(examples));
  if (argument !== undefined) command.addArgument(argument);
  if (hasData) command.addOption(new Option('--data <dir>', 'where the state is kept').default(DEFAULT_DATA));
  command.option('--json', 'machine-readable output');
  for (const own of options) command.addOption(own);
  command.action(async () => {
    const given = command.opts<Options>();
    const { out, err, cwd, env } = surroundings;
    const data = { data: given.data, json: given.json === true, cwd, out, err, env };
    const call = { data, options: given, surroundings, command };
    exit(await run(call, ...(command.processedArgs as never[])));
  });
}

export function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ bosun ${example}`).join('\n')}\n`;
}

export function option(flags: string, says: string, read?: (text: string) => unknown): Option {
  const made = new Option(flags, says);
  return read === undefined ? made : made.argParser(read);
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Not a whole number.');
  return Number(text);
}

export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Not a port: a whole number from 0 to 65535.');
  return Number(text);
}

/** The flag of `run` and `serve`. */
export const TRUST_WALL_CLOCK = option(
  '--trust-wall-clock',
  'believe the clock at this start, where it was refused (BOSUN_CLOCK_SUSPECT) or is behind',
);
