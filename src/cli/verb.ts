/**
 * A verb of the command line: its syntax, and a function that loads the file that carries it out, so that a command
 * loads no more than its own verb.
 */
import { type Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { type ToolProfile } from '../actors/api/procedure.ts';
import { messageOf } from '../errors.ts';
import { didYouMean } from '../near-names.ts';
import { dataAround, DEFAULT_DATA } from './default-data.ts';
import { type RecordKey } from '../actors/api/record-pages.ts';
import { type StopLevel } from '../machines/hub/stop-levels.ts';
import { type ExitCode } from './exit-codes.ts';
import { type DataCommand, type Environment, type RemoteGateway, type Surroundings } from './surroundings.ts';

export interface Verb {
  /** The verb with its arguments: `erase <address>`. */
  readonly usage: string;
  readonly says: string;
  /** Examples without `bosun`. */
  readonly examples: readonly string[];
  /** Lines of help after the examples. */
  readonly notes?: readonly string[];
  /** The parser of an argument. */
  readonly argument?: Argument;
  /** Options besides `--data` and `--json`. */
  readonly options?: readonly Option[];
  /** Whether the verb works on a data directory. Default true. */
  readonly hasData?: boolean;
  /** The default directory in words, if it is not ./data. */
  readonly home?: string;
  /** Whether the verb works on a data directory of this machine only, and so takes no `--url`. Default false. */
  readonly isLocal?: true;
  /** Whether the output is a text for another program, so that the verb takes no `--json`. Default false. */
  readonly isText?: true;
  /** Whether help leaves the verb out. Default false. */
  readonly isHidden?: true;
  /** Carries out the verb, with its arguments in order. */
  readonly run: (call: VerbCall, ...args: never[]) => Promise<ExitCode>;
}

/** Verbs under a common word: `deadletters list`. */
export interface VerbGroup {
  readonly name: string;
  readonly says: string;
  readonly examples?: readonly string[];
  /** Whether its verbs can also be called without the common word, for which help does not list them. Default false. */
  readonly isOptional?: true;
  /** Whether help leaves the group out. Default false. */
  readonly isHidden?: true;
  readonly verbs: readonly Verb[];
}

export interface VerbCall {
  /** The arguments of every verb that works on a data directory. */
  readonly data: DataCommand;
  readonly options: Options;
  readonly surroundings: Surroundings;
  readonly command: Command;
}

/** The options of an order, except its author. */
export interface DeskOptions {
  readonly reason?: string | undefined;
  /** The new deadline in milliseconds. */
  readonly until?: number;
  readonly concurrency?: number;
  readonly side?: 'challenger' | 'challenged';
  readonly right?: string;
  readonly statement?: string;
  /** A value, as the user wrote it. */
  readonly value?: string;
  readonly evidence?: readonly object[];
  readonly asRecommended?: boolean;
  /** A ticket's option. */
  readonly option?: string;
}

/** The formats of a chart. */
export type ChartFormat = 'svg' | 'mermaid' | 'json';

/** The parsed options of all verbs. */
export interface Options extends DeskOptions {
  readonly data: string;
  readonly json?: true;
  readonly address?: string;
  readonly as?: string;
  readonly asOperator?: true;
  readonly after?: number;
  readonly agent?: string;
  readonly agents?: string;
  readonly all?: true;
  /** A person. */
  readonly for?: string;
  readonly by?: string;
  readonly capability?: readonly string[];
  readonly category?: string;
  readonly confidence?: number;
  readonly config?: string;
  readonly exclude?: readonly string[];
  readonly explain?: true;
  readonly failed?: true;
  readonly force?: true;
  readonly format?: ChartFormat;
  readonly follow?: true;
  readonly fresh?: true;
  readonly from?: string;
  readonly host?: string;
  readonly in?: string;
  readonly includeDisabled?: true;
  readonly key?: RecordKey;
  readonly last?: number;
  readonly level?: StopLevel;
  readonly limit?: number;
  readonly max?: number;
  readonly mode?: string;
  readonly open?: true;
  readonly out?: string;
  readonly plan?: string;
  readonly port?: number;
  readonly priority?: number;
  readonly profile?: readonly ToolProfile[];
  readonly recoverTo?: number;
  readonly serve?: true;
  /** Time in milliseconds since 1970. */
  readonly since?: number;
  readonly status?: string;
  readonly svg?: string;
  readonly team?: string;
  readonly task?: string;
  readonly test?: string;
  readonly timeout?: number;
  readonly token?: string;
  readonly trace?: string;
  readonly trustWallClock?: true;
  readonly url?: string;
  readonly wait?: true;
  readonly waitSeconds?: number;
  readonly where?: Readonly<Record<string, RecordKey[1] | null>>;
  readonly yes?: true;
}

/**
 * Adds verbs.
 *
 * @param exit Called with the exit code once a verb has been carried out.
 */
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
    const group = parent.command(row.name, { hidden: row.isHidden === true }).description(row.says);
    if (row.examples !== undefined) group.addHelpText('after', examplesText(row.examples));
    addVerbs(group, row.verbs, surroundings, exit);
    refuseOtherVerbs(group);
    if (row.isOptional !== true) continue;
    for (const verb of row.verbs) addVerb(parent, { ...verb, isHidden: true }, surroundings, exit);
  }
}

/** Has a parent refuse a verb that it does not have, also with `--help`, which would show the help of the parent. */
export function refuseOtherVerbs(parent: Command): void {
  const refuse = ([verb = '', other = verb]: readonly string[]): string => {
    const name = verb === 'help' ? other : verb;
    if (/^(?:-|help$|$)/.test(name) || parent.commands.some((command) => command.name() === name)) return '';
    const shown = parent.createHelp().visibleCommands(parent);
    const verbs = shown.map((command) => command.name());
    const those = didYouMean(name, verbs) || `; the verbs here are ${verbs.join(', ')}`;
    return parent.error(`error: unknown command '${name}'${those}`, { code: 'commander.unknownCommand' });
  };
  parent.on('command:*', refuse);
  parent.addHelpText('before', () => refuse(parent.args));
}

function addVerb(
  parent: Command,
  { usage, says, examples, notes, argument, options = [], hasData = true, home, isLocal, isText, isHidden, run }: Verb,
  surroundings: Surroundings,
  exit: (code: ExitCode) => void,
): void {
  const command = parent.command(usage, { hidden: isHidden === true }).description(says);
  command.addHelpText('after', examplesText(examples));
  if (notes !== undefined) command.addHelpText('after', notes.map((note) => `  ${note}`).join('\n'));
  if (argument !== undefined) command.addArgument(argument);
  if (hasData) command.addOption(new Option('--data <dir>', 'directory of the state').default(DEFAULT_DATA, home));
  const isRemote = hasData && isLocal !== true;
  if (isRemote) for (const one of REMOTE_OPTIONS) command.addOption(one);
  if (isText !== true) command.option('--json', 'machine-readable output');
  for (const own of options) command.addOption(own);
  command.action(async () => {
    const given = command.opts<Options>();
    const { out, err, cwd, env } = surroundings;
    const remote = isRemote ? remoteOf(command, env) : undefined;
    const isNamed = command.getOptionValueSource('data') !== 'default';
    const directory = isNamed || !isRemote ? given.data : dataAround(cwd);
    const data = { data: directory, json: given.json === true, cwd, out, err, env, remote };
    const call = { data, options: given, surroundings, command };
    exit(await run(call, ...(command.processedArgs as never[])));
  });
}

/** The options of every verb that goes to a running system. */
export const REMOTE_OPTIONS = [
  option('--url <url>', 'gateway of a running system elsewhere (default: BOSUN_URL)', gatewayUrl),
  option('--token <token>', 'token for that gateway (default: BOSUN_TOKEN)', bearerToken),
];

/**
 * The gateway that a command line or the environment names. A named data directory takes precedence over the
 * environment.
 *
 * @param argument The URL as an argument of the verb, if it has one.
 */
export function remoteOf(command: Command, env: Environment, argument?: string): RemoteGateway | undefined {
  const { url, token } = command.opts<Options>();
  if (url !== undefined && argument !== undefined) command.error('name the URL as an argument or by --url, not both');
  const namesData = !['default', undefined].includes(command.getOptionValueSource('data'));
  if (url !== undefined && namesData) command.error('name a directory (--data) or a gateway (--url), not both');
  const variable = <Value>(name: string, read: (text: string) => Value) => variableOf(command, env[name], name, read);
  const known = argument ?? url ?? (namesData ? undefined : variable('BOSUN_URL', gatewayUrl));
  if (known !== undefined) return { url: known, token: token ?? variable('BOSUN_TOKEN', bearerToken) };
  // A token that is not used would look as if it had been checked.
  if (token !== undefined) command.error('--token is for a gateway: name it with --url or BOSUN_URL');
  return undefined;
}

/** The value of a variable of the environment; undefined if it is unset or empty. */
function variableOf<Value>(
  command: Command,
  text: string | undefined,
  name: string,
  read: (text: string) => Value,
): Value | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return read(text);
  } catch (error) {
    return command.error(`${name} is invalid. ${messageOf(error)}`);
  }
}

function gatewayUrl(text: string): string {
  const { protocol = '', username, password, search, hash, href } = URL.canParse(text) ? new URL(text) : { href: '' };
  if (!/^https?:$/.test(protocol))
    throw new InvalidArgumentError('Not the URL of a gateway, such as https://bosun.example.');
  if (`${username}${password}${search}${hash}` !== '')
    throw new InvalidArgumentError('The URL of a gateway has no user, query or fragment; a token is given by --token.');
  return href.replace(/\/+$/, '');
}

/** Checks the form of a token, since a header cannot carry every text. */
function bearerToken(text: string): string {
  if (!/^[\w.~+/=-]{1,8192}$/.test(text))
    throw new InvalidArgumentError('Not a token: letters, digits and the signs - . _ ~ + / = only.');
  return text;
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
  'trust the clock at this start, if it was refused (BOSUN_CLOCK_SUSPECT) or is behind',
);

/** Collects the values of an option that can be repeated. */
export function repeated(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Parses the urgency of a question. */
export function urgency(text: string): number {
  if (!/^[123]$/.test(text)) throw new InvalidArgumentError('Not an urgency: 1, 2 or 3.');
  return Number(text);
}
