/**
 * The frame of verbs on a data directory: through the gateway of the system that runs on it, or on its stopped store
 * where that makes sense; and what went wrong as exit codes.
 */
import { type ErrorCode, isBosunError } from '../errors.ts';
import { type System } from '../system.ts';
import { dataDirectory } from './data-directory.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { LiveGateway } from './live-gateway.ts';
import { withStoppedStore } from './stopped-store.ts';
import { type DataCommand } from './surroundings.ts';

export interface Ways {
  live(gateway: LiveGateway): Promise<ExitCode | void>;
  /** Left out by what only a running system can do. */
  stopped?(system: System): void | Promise<void>;
}

const EXITS: { readonly [Code in ErrorCode]?: ExitCode } = {
  BOSUN_ACTOR_UNKNOWN: EXIT.badInput,
  BOSUN_ADDRESS_INVALID: EXIT.badInput,
  BOSUN_AGENT_UNKNOWN: EXIT.badInput,
  BOSUN_CALL_INVALID: EXIT.badInput,
  BOSUN_CHILD_UNKNOWN: EXIT.badInput,
  BOSUN_MESSAGE_UNKNOWN: EXIT.badInput,
  BOSUN_ORDER_REFUSED: EXIT.badInput,
  BOSUN_PLAN_INVALID: EXIT.badInput,
  BOSUN_VALUE_REFUSED: EXIT.badInput,
  BOSUN_EVENT_INVALID: EXIT.refused,
  BOSUN_EVENT_NOT_TAKEN: EXIT.refused,
  BOSUN_EVENT_REFUSED: EXIT.refused,
  BOSUN_FORBIDDEN: EXIT.refused,
  BOSUN_MAILBOX_FULL: EXIT.refused,
  BOSUN_UNAUTHENTICATED: EXIT.refused,
  BOSUN_TIMEOUT: EXIT.timeout,
  BOSUN_STORE_LOCKED: EXIT.inUse,
  BOSUN_SYSTEM_CLOSED: EXIT.notRunning,
};

/** Rejects for faults of Bosun only. */
export async function withData(command: DataCommand, { live, stopped }: Ways): Promise<ExitCode> {
  const { err } = command;
  const directory = dataDirectory(command);
  const gateway = await LiveGateway.of(directory);
  if (gateway === undefined && stopped !== undefined) return withStoppedStore(command, stopped);
  if (gateway === undefined) {
    err.write(`no system with a gateway runs on ${directory.path}: start one by bosun serve\n`);
    return EXIT.notRunning;
  }
  try {
    return (await live(gateway)) ?? EXIT.completed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    err.write(`${error.message}${hint(error.details)}\n`);
    return exitOf(error.code);
  }
}

export function exitOf(code: ErrorCode): ExitCode {
  return EXITS[code] ?? EXIT.failed;
}

/** What the state would take instead; where a guard has decided, its types are no help. */
function hint({ accepts, isGuarded }: Readonly<Record<string, unknown>>): string {
  return Array.isArray(accepts) && isGuarded !== true ? `; it takes: ${accepts.join(', ') || 'nothing'}` : '';
}
