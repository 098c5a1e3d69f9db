/**
 * The frame of verbs that look at a stopped store, or leave an order in it: opens it on hold, and says what went wrong
 * by exit codes.
 */
import { existsSync } from 'node:fs';
import { type System } from '../system.ts';
import { hasStore, onHold, storeDirectory } from './data-directory.ts';
import { carriedOut, EXIT, type ExitCode } from './exit-codes.ts';
import { type DataCommand, logTo } from './surroundings.ts';

/** Exit codes of what means something else, or nothing more, where nothing runs. */
export const STOPPED_EXITS = {
  BOSUN_CONFIG_INVALID: EXIT.failed,
  BOSUN_EVENT_INVALID: EXIT.failed,
  BOSUN_MAILBOX_FULL: EXIT.failed,
  BOSUN_SYSTEM_CLOSED: EXIT.failed,
} as const;

/**
 * Resolves to 0, 1 where the store cannot be read or written, 2 for bad input or no store, 4 where it is in use, 5 for
 * what is refused. Rejects for faults of Bosun only.
 */
export async function withStoppedStore(
  command: DataCommand,
  work: (system: System) => void | Promise<void>,
): Promise<ExitCode> {
  const { err, env } = command;
  const directory = storeDirectory(command);
  if (!hasStore(directory)) {
    err.write(
      existsSync(directory.workers)
        ? `${directory.path} holds the stores of workers: name one, as --data ${directory.workers}/0\n`
        : `${directory.path} holds no store; bosun run or bosun serve begin one\n`,
    );
    return EXIT.badInput;
  }
  return carriedOut(err, () => onHold(directory, { log: logTo(err), env }, work), STOPPED_EXITS);
}

/** One line of `--json`: errors as name, code and message. */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return String(part);
    return part instanceof Error
      ? { name: part.name, code: (part as { code?: unknown }).code, message: part.message }
      : part;
  })}\n`;
}

/** What an error says, also one that came through a gateway; undefined where there is none. */
export function errorText(error: unknown): string | undefined {
  if (error === undefined || error === null) return undefined;
  const { message } = error as { readonly message?: unknown };
  return typeof message === 'string' ? message : String(error);
}

/** Kernel time for people, of what has a time. */
export function whenKnown(ms: number | null): string | null {
  return ms === null ? null : timeText(ms);
}

/** Kernel time for people. */
export function timeText(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : `${ms} ms`;
}
