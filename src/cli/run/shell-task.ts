/** Tasks of a plan that are shell commands: their environment, and the store to which they belong. */
import { type Attempt } from '../../crew-work.ts';
import { Commands } from '../../spokes/command.ts';
import { withoutKeys } from '../../spokes/session-environment.ts';
import { type DataDirectory, identityOf } from '../store/data-directory.ts';
import { type Surroundings } from '../surroundings.ts';

export interface ShellCommands {
  readonly attempt: Attempt;
  /** Ends commands that an earlier process left running. Call it only while holding the directory's store. */
  clear(): Promise<unknown>;
  /**
   * Ends what commands have left in the background, and resolves when no command runs. After an abort this takes at
   * most as long as the final signal.
   */
  ended(): Promise<void>;
}

/**
 * Makes the commands.
 *
 * @param directory An existing directory.
 */
export function shellCommands(
  directory: DataDirectory,
  { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>,
): ShellCommands {
  const commands = new Commands({
    store: identityOf(directory),
    cwd,
    env: () => withoutKeys(env),
  });
  return {
    attempt: ({ task, input }, { signal }, effect, succeeded) =>
      commands.run(
        { name: task.id, run: task.run!, input, keepsBackground: task.background === 'keep' },
        { effect, signal, succeeded },
      ),
    clear: () => commands.clear(),
    ended: () => commands.ended(),
  };
}
