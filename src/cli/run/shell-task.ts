/** Tasks of a plan that are shell commands: their environment, and the store to which they belong. */
import { type Attempt } from '../../crew-work.ts';
import { Commands } from '../../spokes/command.ts';
import { withoutKeys } from '../../spokes/session-environment.ts';
import { type Surroundings } from '../surroundings.ts';

/** The shell commands of a plan's tasks. Their `clear()` is to be called only while holding the directory's store. */
export class ShellCommands extends Commands {
  /** Makes the commands of a data directory, which has the identity `store`. */
  constructor(store: string, { env, cwd }: Pick<Surroundings, 'env' | 'cwd'>) {
    super({ store, cwd, env: () => withoutKeys(env) });
  }

  readonly attempt: Attempt = ({ task, input }, { signal }, effect, succeeded) =>
    this.run(
      { name: task.id, run: task.run!, input, keepsBackground: task.background === 'keep' },
      { effect, signal, succeeded },
    );
}
