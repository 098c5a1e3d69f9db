/**
 * `bosun completion`: a script by which a shell completes verbs, options and their values. It is made from the
 * commands that the table of verbs has led to, and calls nothing when it completes.
 */
import { type Command, type Option } from 'commander';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Output } from './surroundings.ts';

/** Shells for which there is a script. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** A word and its meaning. */
interface Word {
  readonly text: string;
  readonly says: string;
}

interface Flag extends Word {
  /** The possible values of the option; empty if any value is allowed; undefined if the option has none. */
  readonly values: readonly string[] | undefined;
}

/** The words that may follow some verbs. */
interface Place {
  /** The verbs before these words: `deadletters list`, or nothing. */
  readonly verbs: string;
  readonly words: readonly Word[];
  readonly flags: readonly Flag[];
}

export function completionCommand(
  shell: Shell,
  { program, out }: { readonly program: Command; readonly out: Output },
): ExitCode {
  out.write(SCRIPTS[shell](placesIn(program)));
  return EXIT.completed;
}

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** All positions in a command line, the shortest first. */
function placesIn(command: Command, before: readonly string[] = []): Place[] {
  const below = command.commands;
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
  const words = [
    ...below.map((one) => ({ text: one.name(), says: one.description() })),
    ...(before.length === 0 ? [{ text: 'help', says: 'Display help for a command.' }] : []),
    ...values.map((text) => ({ text, says: '' })),
  ];
  const flags = [...command.options.map(flagOf), { text: '--help', says: 'display help', values: undefined }];
  const place = { verbs: before.join(' '), words, flags };
  const help = { verbs: 'help', words: words.filter(({ text }) => text !== 'help'), flags: [] };
  const deeper = below.flatMap((one) => placesIn(one, [...before, one.name()]));
  return [place, ...(before.length === 0 ? [help] : []), ...deeper];
}

function flagOf({ long, description, required, argChoices = [] }: Option): Flag {
  // Every option of Bosun has a long form.
  return { text: long!, says: description, values: required ? argChoices : undefined };
}

/** The options with a value, with the verbs before them, grouped by possible values. */
function valuesIn(places: readonly Place[]): { readonly at: string; readonly values: readonly string[] }[] {
  return places.flatMap(({ verbs, flags }) =>
    flags.flatMap(({ text, values }) => (values === undefined ? [] : [{ at: `${verbs} ${text}`, values }])),
  );
}

/** Patterns of verbs that have further words: `'deadletters'|'deadletters list'`. */
function patternOf(places: readonly Place[]): string {
  return places
    .filter(({ verbs }) => verbs !== '')
    .map(({ verbs }) => quoted(verbs))
    .join('|');
}

/** A text in single quotes. An apostrophe is replaced, since the three shells escape it differently. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}

function textsOf(words: readonly Word[]): string {
  return quoted(words.map(({ text }) => text).join(' '));
}

function bashScript(places: readonly Place[]): string {
  const values = valuesIn(places);
  const files = values.filter(({ values: some }) => some.length === 0).map(({ at }) => quoted(at));
  return `# Completion of bosun for bash, made by: bosun completion bash
_bosun() {
  local cur=\${COMP_WORDS[COMP_CWORD]} verbs= words= flags= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${verbs:+$verbs }\${COMP_WORDS[i]}" in
      ${patternOf(places)}) verbs="\${verbs:+$verbs }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$verbs \${COMP_WORDS[COMP_CWORD - 1]}" in
    ${files.join('|')}) return ;;
${choicesIn(values, (some) => `COMPREPLY=($(compgen -W ${quoted(some.join(' '))} -- "$cur")); return`)}
  esac
  case "$verbs" in
${places
  .map(({ verbs, words, flags }) => `    ${quoted(verbs)}) words=${textsOf(words)} flags=${textsOf(flags)} ;;`)
  .join('\n')}
  esac
  case "$cur" in
    -*) words=$flags ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
# Without a word of its own it completes files.
complete -o default -F _bosun bosun
`;
}

/** Branches of a shell's \`case\` for options with choices. */
function choicesIn(
  values: readonly { readonly at: string; readonly values: readonly string[] }[],
  then: (values: readonly string[]) => string,
): string {
  return values
    .filter(({ values: some }) => some.length > 0)
    .map(({ at, values: some }) => `    ${quoted(at)}) ${then(some)} ;;`)
    .join('\n');
}

function zshScript(places: readonly Place[]): string {
  const values = valuesIn(places);
  const files = values.filter(({ values: some }) => some.length === 0).map(({ at }) => quoted(at));
  const described = (words: readonly Word[]) =>
    words.map(({ text, says }) => quoted(says === '' ? text : `${text}:${says}`)).join(' ');
  return `#compdef bosun
# Completion of bosun for zsh, made by: bosun completion zsh
_bosun() {
  local verbs= word
  local -a below flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${verbs:+$verbs }$word" in
      ${patternOf(places)}) verbs="\${verbs:+$verbs }$word" ;;
    esac
  done
  case "$verbs \${words[CURRENT-1]}" in
    ${files.join('|')}) _files; return ;;
${choicesIn(values, (some) => `compadd -- ${some.map(quoted).join(' ')}; return`)}
  esac
  case "$verbs" in
${places
  .map(({ verbs, words, flags }) => `    ${quoted(verbs)}) below=(${described(words)}) flags=(${described(flags)}) ;;`)
  .join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option flags
  elif (( $#below )); then
    _describe verb below
  else
    _files
  fi
}
if [[ $funcstack[1] == _bosun ]]; then _bosun "$@"; else compdef _bosun bosun; fi
`;
}

function fishScript(places: readonly Place[]): string {
  const known = places.filter(({ verbs }) => verbs !== '').map(({ verbs }) => quoted(verbs));
  const saying = (says: string) => (says === '' ? '' : ` -d ${quoted(says)}`);
  const lines = places.flatMap(({ verbs, words, flags }) => {
    const at = `complete -c bosun -n ${quoted(`__bosun_after "${verbs}"`)}`;
    return [
      ...(words.length === 0 ? [] : [`${at} -f`]),
      ...words.map(({ text, says }) => `${at} -a ${text}${saying(says)}`),
      ...flags.map(({ text, says, values }) => {
        const some = values === undefined ? '' : values.length === 0 ? ' -r -F' : ` -x -a ${quoted(values.join(' '))}`;
        return `${at} -l ${text.slice(2)}${some}${saying(says)}`;
      }),
    ];
  });
  return `# Completion of bosun for fish, made by: bosun completion fish
set -g __bosun_places ${known.join(' ')}
function __bosun_after
  set -l verbs
  set -l given (commandline -opc)
  set -e given[1]
  for word in $given
    if contains -- (string join ' ' -- $verbs $word) $__bosun_places
      set -a verbs $word
    end
  end
  test "$verbs" = "$argv"
end
${lines.join('\n')}
`;
}
