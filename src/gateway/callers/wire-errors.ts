/** Errors as clients see them: a stable code and a message that reveals no internals. Never a stack, path or cause. */
import { type z } from 'zod';
import { refusalsIn } from '../../actors/api/refused-sends.ts';
import { ERROR_CODES, type ErrorCode } from '../../error-codes.ts';
import { BosunError, isBosunError } from '../../errors.ts';
import { plainLine } from '../../plain-text.ts';
import { type WireError } from '../protocol/frames.ts';

/** Codes whose messages concern the caller's own input. All other messages are replaced by the meaning of the code. */
const SPOKEN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BOSUN_ACTOR_CHANGED',
  'BOSUN_ACTOR_SUSPENDED',
  'BOSUN_ACTOR_UNKNOWN',
  'BOSUN_ADDRESS_INVALID',
  'BOSUN_AGENT_UNKNOWN',
  'BOSUN_CALL_CANCELLED',
  'BOSUN_CALL_INVALID',
  'BOSUN_CHILD_DYNAMIC',
  'BOSUN_CHILD_PRESENT',
  'BOSUN_CHILD_RESTARTING',
  'BOSUN_CHILD_RUNNING',
  'BOSUN_CHILD_SPEC_INVALID',
  'BOSUN_CHILD_UNKNOWN',
  'BOSUN_CHILDREN_FULL',
  'BOSUN_CHILDREN_UNREAD',
  'BOSUN_DRAINING',
  'BOSUN_EVENT_INVALID',
  'BOSUN_EVENT_NOT_TAKEN',
  'BOSUN_EVENT_REFUSED',
  'BOSUN_FORBIDDEN',
  'BOSUN_GATEWAY_FULL',
  'BOSUN_HOST_FAILED',
  'BOSUN_INPUT_TOO_LARGE',
  'BOSUN_KEY_CONFLICT',
  'BOSUN_MAILBOX_FULL',
  'BOSUN_MESSAGE_UNKNOWN',
  'BOSUN_ORDER_REFUSED',
  'BOSUN_OVERLOADED',
  'BOSUN_RATE_LIMITED',
  'BOSUN_RECORDS_UNKNOWN',
  'BOSUN_SEQUENCE_GAP',
  'BOSUN_SPAWN_REFUSED',
  'BOSUN_TIMEOUT',
  'BOSUN_UNAUTHENTICATED',
  'BOSUN_VALUE_REFUSED',
]);

/** The fields of `details` that are useful to a client. */
const TOLD: readonly string[] = [
  'address',
  'accepts',
  'because',
  'isGuarded',
  'expected',
  'sequence',
  'retryAfterMs',
  'scope',
  'method',
  'unknownOutcome',
  'reference',
];

const MESSAGE_CHARS_MAX = 500;

/**
 * The error as its client sees it.
 *
 * @param reference Makes the reference that the client and the log get for an error whose cause the client is not told.
 */
export function wireError(error: unknown, reference: () => string): WireError {
  if (!isBosunError(error) || error.code === 'BOSUN_INTERNAL') {
    return {
      code: 'BOSUN_INTERNAL',
      message: ERROR_CODES.BOSUN_INTERNAL.means,
      retryable: false,
      details: { reference: reference() },
    };
  }
  const { code, details, retryable } = error;
  const told: Record<string, unknown> = Object.fromEntries(
    TOLD.flatMap((key) => (details[key] === undefined ? [] : [[key, details[key]]])),
  );
  if (code === 'BOSUN_HOST_FAILED') told['reference'] = reference();
  const refused = refusalsIn(error);
  if (refused !== undefined)
    told['refused'] = refused.map(({ index, error: why }) => ({ index, error: wireError(why, reference) }));
  // The message may quote the caller's input: it must not move a cursor or begin a new line in a log.
  const message = SPOKEN.has(code) ? plainLine(error.message.slice(0, MESSAGE_CHARS_MAX)) : ERROR_CODES[code].means;
  return { code, message, retryable, ...(Object.keys(told).length > 0 && { details: told }) };
}

/** Whether the error is internal, so that only the log has its cause. */
export function isOurs(error: unknown): boolean {
  return !isBosunError(error) || error.code === 'BOSUN_INTERNAL';
}

/** The first problem as text: `p.event.type: what is wrong`. */
export function firstIssue({ issues }: z.ZodError, root: string): string {
  const [issue] = issues;
  return `${[root, ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message ?? 'not valid'}`;
}

/** The error of a caller that may call again after a time, in milliseconds. */
export function rateLimited(what: string, retryAfterMs: number): BosunError {
  return new BosunError('BOSUN_RATE_LIMITED', what, { details: { retryAfterMs } });
}

export function invalid(what: string): BosunError {
  return new BosunError('BOSUN_CALL_INVALID', what);
}
