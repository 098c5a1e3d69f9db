/** Exit codes: what they mean, and which one an error leads to. */
import { type ErrorCode, isBosunError } from '../errors.ts';
import { type Output } from './surroundings.ts';

/** What the command line's exit codes mean. They are API. */
export const EXIT = {
  completed: 0,
  failed: 1,
  /** Also what is not there: an actor, a plan, a store. */
  badInput: 2,
  /** Paused, or waiting for someone. */
  paused: 3,
  /** Another process has the data directory open, and has no gateway that could be asked. */
  inUse: 4,
  /** The actor or the gateway refused the event or the call. */
  refused: 5,
  /** No answer in time. What was asked may still happen. */
  timeout: 6,
  /** Only a running system can do this, and none runs on the data directory. */
  notRunning: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

type Exits = { readonly [Code in ErrorCode]?: ExitCode };

/** By error; of every other one it is `failed`. */
const EXITS: Exits = {
  BOSUN_ACTOR_UNKNOWN: EXIT.badInput,
  BOSUN_ADDRESS_INVALID: EXIT.badInput,
  BOSUN_AGENT_INVALID: EXIT.badInput,
  BOSUN_AGENT_UNKNOWN: EXIT.badInput,
  BOSUN_CALL_INVALID: EXIT.badInput,
  BOSUN_CHART_UNKNOWN: EXIT.badInput,
  BOSUN_TABLE_UNKNOWN: EXIT.badInput,
  BOSUN_CHILD_UNKNOWN: EXIT.badInput,
  BOSUN_CONFIG_INVALID: EXIT.badInput,
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

/**
 * Carries out a verb. What is refused is said on `err`, and has its exit code. Rejects for faults of Bosun only.
 *
 * @param own Exit codes that are other ones with this verb.
 */
export async function carriedOut(
  err: Output,
  work: () => Promise<ExitCode | void>,
  own: Exits = {},
): Promise<ExitCode> {
  try {
    return (await work()) ?? EXIT.completed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    err.write(`${error.message}${hint(error.details)}\n`);
    return own[error.code] ?? EXITS[error.code] ?? EXIT.failed;
  }
}

/** What the state would take instead; where a guard has decided, its types are no help. */
function hint({ accepts, isGuarded }: Readonly<Record<string, unknown>>): string {
  return Array.isArray(accepts) && isGuarded !== true ? `; it takes: ${accepts.join(', ') || 'nothing'}` : '';
}
