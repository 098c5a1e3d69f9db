/** Errors of tools as coding agents read them: the code, what is wrong, whether to try again, and the way out. */
import { ERROR_CODES, type ErrorCode } from '../../error-codes.ts';
import { type WireError } from '../protocol/frames.ts';

/** The error of a tool, as its result states it. */
export interface ErrorEnvelope {
  readonly code: string;
  readonly message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly wayOut: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Advice for errors that differs for tools from the table of codes. */
const WAYS_OUT: { readonly [Code in ErrorCode]?: string } = {
  BOSUN_ACTOR_UNKNOWN: 'Call list_actors for the addresses of those that live.',
  BOSUN_CALL_INVALID: 'Compare the arguments with the input schema of the tool, and call it again.',
  BOSUN_CHART_UNKNOWN: 'Only machines have charts: call inspect_actor, or name another actor or an agent.',
  BOSUN_EVENT_INVALID: 'Call list_agents for the schema of the event, and send it again.',
  BOSUN_EVENT_NOT_TAKEN: 'Call inspect_actor: `accepts` has the events that its current state takes.',
  BOSUN_EVENT_REFUSED: 'Call list_agents for the events that its agent takes from outside.',
  BOSUN_FORBIDDEN:
    'The rights of this connection do not allow it. Ask the person whom you work for: people answer with bosun gates ' +
    'answer, administer on the command line, or start bosun mcp --as-operator.',
  BOSUN_KEY_CONFLICT: 'Take a new idempotencyKey for other arguments.',
  BOSUN_RATE_LIMITED: 'Wait for details.retryAfterMs, and call the tool again.',
  BOSUN_SYSTEM_CLOSED: 'Call the tool again: the system may be starting. What was durable is kept.',
  BOSUN_TIMEOUT:
    'Call the tool again with the same arguments to go on waiting; to repeat a change, give both calls one ' +
    'idempotencyKey.',
};

/** The error with advice on how to correct it. */
export function envelopeOf({ code, message, retryable, details }: WireError): ErrorEnvelope {
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_INTERNAL';
  const wayOut = WAYS_OUT[known] ?? ERROR_CODES[known].means;
  return { code, message, retryable, wayOut, ...(details !== undefined && { details }) };
}
