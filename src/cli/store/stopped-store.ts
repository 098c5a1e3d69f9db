/** Runs verbs that read a stopped store, or leave an order in it: opens it on hold, and maps errors to exit codes. */
import { BosunError, messageOf } from '../../errors.ts';
import { type Shard } from '../../shard.ts';
import { hasStore, type Held, onHold, storeDirectory } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from '../exit-codes.ts';
import { type DataCommand, logTo } from '../surroundings.ts';

/** Exit codes of errors that have a different meaning, or none, for a stopped store. */
export const STOPPED_EXITS = {
  BOSUN_CONFIG_INVALID: EXIT.failed,
  BOSUN_EVENT_INVALID: EXIT.failed,
  BOSUN_MAILBOX_FULL: EXIT.failed,
  BOSUN_SYSTEM_CLOSED: EXIT.failed,
} as const;

/**
 * Does work on a stopped store. Resolves to 0, 1 if the store cannot be read or written, 2 for invalid input or no
 * store, 4 if it is in use, 5 for a refusal. Rejects for internal errors only.
 */
export async function withStoppedStore(
  command: DataCommand,
  work: (system: Shard, held: Held) => void | Promise<void>,
): Promise<ExitCode> {
  const { err, env } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    const ofWorkers = [directory.workers, directory.path].find((path) => hasStore({ store: `${path}/0` }));
    const message =
      ofWorkers !== undefined
        ? `${directory.path} holds the stores of workers: name one of them, such as --data ${ofWorkers}/0`
        : `${directory.path} holds no store: name its directory with --data, or create one with bosun run or serve`;
    return carriedOut(command, () => Promise.reject(new BosunError('BOSUN_CONFIG_INVALID', message)));
  }
  return carriedOut(command, () => onHold(directory, { log: logTo(err), env }, work), STOPPED_EXITS);
}

/** The message of an error, including one from a gateway; undefined if there is none. */
export function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  const { message } = error as { readonly message?: unknown };
  return typeof message === 'string' ? message : messageOf(error);
}

/** Kernel time for people; null if there is none. */
export function whenKnown(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}

/** Kernel time for people. */
export function timeText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}
