/** The command that the user entered, and its options, for commands that can be copied. Formatting only. */
import { DEFAULT_DATA } from './default-data.ts';
import { type Environment } from './surroundings.ts';

/** How the user started Bosun, and how to repeat it. */
export interface Invocation {
  readonly bosun: string;
  /** The command that was entered, with one more option. */
  again(option: string): string;
}

/**
 * The invocation under npx or an npm script, where `bosun` is not in the user's PATH, and npm consumes options that are
 * not after `--`.
 */
export function invocationOf({ npm_lifecycle_event: script = '' }: Environment): Invocation {
  const bosun = script === '' ? 'bosun' : 'npx bosun';
  if (script === '' || script === 'npx') return { bosun, again: (option) => `the same command with ${option}` };
  return { bosun, again: (option) => `npm ${script === 'start' ? script : `run ${script}`} -- ${option}` };
}

/** The command that was entered, with one more option, for a sentence. */
export function commandWith(option: string, env: Environment): string {
  return invocationOf(env).again(option);
}

/** The option `--data` for a command to copy; empty for the default. */
export function dataOption(data: string): string {
  return data === DEFAULT_DATA ? '' : ` --data ${/^[\w./~@:+-]+$/.test(data) ? data : JSON.stringify(data)}`;
}
