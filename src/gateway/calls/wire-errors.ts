/**
 * Errors as clients see them: a stable code and a message that says nothing of the inside. Never a stack, path or
 * cause.
 */
import { type z } from 'zod';
import { BosunError, ERROR_CODES, type ErrorCode, isBosunError } from '../../errors.ts';
import { type WireError } from '../protocol/frames.ts';

/** Their messages speak of what the caller said; those of all others are replaced by what the code means. */
const SPOKEN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'BOSUN_ACTOR_CHANGED',
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
  'BOSUN_KEY_CONFLICT',
  'BOSUN_MAILBOX_FULL',
  'BOSUN_MESSAGE_UNKNOWN',
  'BOSUN_ORDER_REFUSED',
  'BOSUN_OVERLOADED',
  'BOSUN_RATE_LIMITED',
  'BOSUN_SEQUENCE_GAP',
  'BOSUN_TIMEOUT',
  'BOSUN_UNAUTHENTICATED',
  'BOSUN_VALUE_REFUSED',
]);

/** Of `details`, what a client can do something with. */
const TOLD: readonly string[] = [
  'address',
  'accepts',
  'isGuarded',
  'expected',
  'sequence',
  'retryAfterMs',
  'scope',
  'unknownOutcome',
  'reference',
];

const MESSAGE_CHARS_MAX = 500;

/** @param reference Named to the client and in the log, for an error that says nothing. */
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
  const told = Object.fromEntries(TOLD.flatMap((key) => (details[key] === undefined ? [] : [[key, details[key]]])));
  const message = SPOKEN.has(code) ? plain(error.message) : ERROR_CODES[code].means;
  return { code, message, retryable, ...(Object.keys(told).length > 0 && { details: told }) };
}

/** Whether the error says nothing to its client, so that somebody has to look into the log. */
export function isOurs(error: unknown): boolean {
  return !isBosunError(error) || error.code === 'BOSUN_INTERNAL';
}

/** The caller's own words may be in it: nothing of them may move a cursor or begin a line in somebody's log. */
export function plain(text: string): string {
  const clean = [...text.slice(0, MESSAGE_CHARS_MAX)]
    .map((char) => (isControl(char.codePointAt(0)!) ? ' ' : char))
    .join('');
  return clean.toWellFormed();
}

/** C0, DEL and C1, line and paragraph separators, and marks that turn the direction of writing. */
function isControl(point: number): boolean {
  return (
    point < 0x20 ||
    (point >= 0x7f && point <= 0x9f) ||
    (point >= 0x2028 && point <= 0x202e) ||
    (point >= 0x2066 && point <= 0x2069)
  );
}

/** `p.event.type: what is wrong`. */
export function firstIssue({ issues }: z.ZodError, root: string): string {
  const [issue] = issues;
  return `${[root, ...(issue?.path ?? [])].map(String).join('.')}: ${issue?.message ?? 'not valid'}`;
}

export function invalid(what: string): BosunError {
  return new BosunError('BOSUN_CALL_INVALID', what);
}
