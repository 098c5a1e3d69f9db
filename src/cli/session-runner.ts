/** Commands of the sessions of a hub's run: their environment, the files of their hand-offs, and their end. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type HubCrewOptions } from '../crew-hub.ts';
import { Commands } from '../spokes/command.ts';
import { LeftOvers } from '../spokes/processes.ts';
import { runSession } from '../spokes/session-command.ts';
import { type DataDirectory } from './data-directory.ts';
import { identityOf, withoutKeys } from './shell-task.ts';
import { type Environment } from './surroundings.ts';

export interface SessionRunner extends Required<Pick<HubCrewOptions, 'runCommand' | 'kill'>> {
  /** Ends commands that an earlier process left running. Call it only while holding the directory's store. */
  clear(): Promise<unknown>;
  /** Resolves when no command runs. After an abort this takes at most as long as the final signal. */
  ended(): Promise<void>;
}

/**
 * Makes the runner.
 *
 * @param directory An existing directory.
 */
export function sessionRunner(
  directory: DataDirectory,
  { env, workspace }: { readonly env: Environment; readonly workspace: string },
): SessionRunner {
  const store = identityOf(directory);
  const commands = new Commands({ store, cwd: workspace, env: () => withoutKeys(env) });
  return {
    runCommand({ run, byExit, session, round, role, prompt, problems }, effect, signal) {
      const command = { session, round, run, byExit, input: { session, role, prompt, problems } };
      return runSession(commands, handoffFolder(directory), command, { effect, signal });
    },
    kill: async (session) => void (await new LeftOvers(store).end(session)),
    clear: () => commands.clear(),
    ended: () => commands.ended(),
  };
}

/** Removes the files of hand-offs: sessions of a new store have the names of those of the old one. */
export async function dropHandoffs(directory: DataDirectory): Promise<void> {
  await rm(handoffFolder(directory), { recursive: true, force: true });
}

function handoffFolder({ path }: DataDirectory): string {
  return join(path, 'handoffs');
}
