/** The verbs of the command line, read from its table: a new one is among them without being listed anywhere. */
import { Command } from 'commander';
import { GROUPS } from '../../../src/cli/command-line.ts';
import { type Surroundings } from '../../../src/cli/surroundings.ts';
import { addVerbs, type Verb } from '../../../src/cli/verb.ts';

/** A verb, and how it can be called. */
export interface OfferedVerb {
  /** The words by which it is called, such as `deadletters list`; several if its group may be left out. */
  readonly names: readonly string[];
  /** The options that it offers, such as `--url`. */
  readonly options: ReadonlySet<string>;
  readonly examples: readonly string[];
  /** The arguments of its first example. */
  readonly args: readonly string[];
}

/** All verbs, also those that help does not list. */
export function offeredVerbs(): readonly OfferedVerb[] {
  return GROUPS.flatMap(([, rows]) => rows).flatMap((row) => {
    if (!('verbs' in row)) return [offered(row, [''])];
    const groups = [`${row.name} `, ...(row.isOptional === true ? [''] : [])];
    return row.verbs.map((verb) => offered(verb, groups));
  });
}

function offered(verb: Verb, groups: readonly string[]): OfferedVerb {
  const parent = new Command();
  // Nothing is carried out.
  addVerbs(parent, [verb], {} as Surroundings, () => {});
  const command = parent.commands[0]!;
  const words = wordsOf(verb.examples[0]!);
  return {
    names: groups.map((group) => `${group}${command.name()}`),
    options: new Set(command.options.map(({ long }) => long!)),
    examples: verb.examples,
    args: words.slice(words.indexOf(command.name()) + 1),
  };
}

/** The words of an example as a shell reads them, without a redirection or a comment at the end. */
function wordsOf(example: string): string[] {
  const command = example.replace(/ +[>#] .*$/s, '');
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, ...forms]) => forms.find((one) => one !== undefined)!,
  );
}
