/** Exit codes: their meaning, and the code for each error. */
import { type ErrorCode } from '../error-codes.ts';
import { isBosunError } from '../errors.ts';
import { plainLine } from '../plain-text.ts';
import { type DataCommand } from './surroundings.ts';

/** Exit codes of the command line. They are API. */
export const EXIT = {
  completed: 0,
  failed: 1,
  /** The input is invalid, or an actor, plan or store is missing. */
  badInput: 2,
  /** The plan is paused, or waits for people. */
  paused: 3,
  /** Another process without a gateway has the data directory open. */
  inUse: 4,
  /** The actor or the gateway refused the event or the call. */
  refused: 5,
  /** There was no answer in time. The call may still be carried out. */
  timeout: 6,
  /** Only a running system can do this, and none runs on the data directory. */
  notRunning: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

type Exits = { readonly [Code in ErrorCode]?: ExitCode };

/** Exit codes by error code; all other errors are `failed`. */
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
  BOSUN_KNOWLEDGE_FOLDER: EXIT.badInput,
  BOSUN_ORDER_REFUSED: EXIT.badInput,
  BOSUN_RECORDS_UNKNOWN: EXIT.badInput,
  BOSUN_PLAN_INVALID: EXIT.badInput,
  BOSUN_PROFILE_INVALID: EXIT.badInput,
  BOSUN_VALUE_REFUSED: EXIT.badInput,
  BOSUN_ACTOR_FAILING: EXIT.refused,
  BOSUN_ACTOR_SUSPENDED: EXIT.refused,
  BOSUN_STATE_SUSPECT: EXIT.refused,
  BOSUN_EVENT_INVALID: EXIT.refused,
  BOSUN_EVENT_NOT_TAKEN: EXIT.refused,
  BOSUN_EVENT_REFUSED: EXIT.refused,
  BOSUN_FORBIDDEN: EXIT.refused,
  BOSUN_MAILBOX_FULL: EXIT.refused,
  BOSUN_SPAWN_REFUSED: EXIT.refused,
  BOSUN_UNAUTHENTICATED: EXIT.refused,
  BOSUN_TIMEOUT: EXIT.timeout,
  BOSUN_STORE_LOCKED: EXIT.inUse,
  BOSUN_SYSTEM_CLOSED: EXIT.notRunning,
};

/** The stream for errors, and whether they are JSON. */
export type ErrorOutput = Pick<DataCommand, 'err' | 'json'>;

/** Prints an error of a verb on `err`: with `--json` as one line of JSON, else as its text, which is our own. */
export function writeError({ err, json }: ErrorOutput, code: ErrorCode, message: string): void {
  err.write(`${json ? JSON.stringify({ type: 'error', code, message: plainLine(message) }) : message}\n`);
}

/**
 * Carries out a verb. A refusal is printed on `err`, with `--json` as a line of JSON, and has its exit code. Rejects
 * for internal errors only.
 *
 * @param own Exit codes that differ for this verb.
 */
export async function carriedOut(
  output: ErrorOutput,
  work: () => Promise<ExitCode | void>,
  own: Exits = {},
): Promise<ExitCode> {
  try {
    return (await work()) ?? EXIT.completed;
  } catch (error) {
    if (!isBosunError(error)) throw error;
    writeError(output, error.code, plainLine(`${error.message}${hint(error.details)}`));
    return own[error.code] ?? EXITS[error.code] ?? EXIT.failed;
  }
}

/** A hint with the event types that the state accepts; none if a guard refused, since types do not help then. */
function hint({ accepts, isGuarded }: Readonly<Record<string, unknown>>): string {
  return Array.isArray(accepts) && isGuarded !== true ? `; it takes: ${accepts.join(', ') || 'nothing'}` : '';
}
