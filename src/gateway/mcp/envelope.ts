/**
 * Errors of tools as coding agents read them (MX-117): what is wrong, how bad that is, whether and when to try again,
 * what else to do, and which call of whom it was.
 */
import { systemClock } from '../../clock.ts';
import { ERROR_CODES, type ErrorCode } from '../../error-codes.ts';
import { type WireError } from '../protocol/frames.ts';
import { LOG_LEVELS, type Severity, TOOL_ERRORS, type ToolErrorCode } from './error-table.ts';
import { policyFor, type RetriedTool, toldPolicy, urgencyIn } from './retry-policy.ts';

/** The effect of an error on the work for which the tool was called. */
export type PriorityImpact = 'NONE' | 'P3_IGNORABLE' | 'P2_DELAYED' | 'P1_BLOCKED';

/** The error of a tool, as its result states it. */
export interface ErrorEnvelope {
  readonly success: false;
  readonly error: {
    readonly code: ToolErrorCode;
    /** The code in Bosun's own table (docs/errors.md). */
    readonly bosun_code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
    readonly severity: Severity;
    /** Whether the same call may succeed later. */
    readonly retryable: boolean;
    /** Seconds before the next attempt: as the error says, else the base delay; null if not retryable. */
    readonly retry_after_seconds: number | null;
    /** How often in all and with which delays the call may be made; null if not retryable. */
    readonly retry: ReturnType<typeof toldPolicy> | null;
    /** The next step of the caller, in words. */
    readonly fallback_suggested: string;
    readonly priority_impact: PriorityImpact;
    readonly log_level: (typeof LOG_LEVELS)[Severity];
  };
  readonly context: {
    readonly task_id: string | null;
    readonly agent_name: string;
    /** ISO 8601. */
    readonly timestamp: string;
  };
}

/** The call that failed. */
export interface FailedCall {
  /** The name of the caller. */
  readonly agent: string;
  /** The tool; undefined if there is none, or if it is not known. */
  readonly tool?: RetriedTool | undefined;
  readonly given?: Readonly<Record<string, unknown>>;
  /** The code to state instead of that of the table. */
  readonly code?: ToolErrorCode;
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
  BOSUN_RATE_LIMITED: 'Wait for retry_after_seconds, and call the tool again.',
  BOSUN_SYSTEM_CLOSED: 'Call the tool again: the system may be starting. What was durable is kept.',
  BOSUN_TIMEOUT:
    'Call the tool again with the same arguments to go on waiting; to repeat a change, give both calls one ' +
    'idempotencyKey.',
};

/** Codes after which the same call may succeed for clients of MCP alone, whose server finds or starts the system. */
const RETRIED: ReadonlySet<string> = new Set<ErrorCode>(['BOSUN_SYSTEM_CLOSED']);

/** Advice where the answer of a tool is missing without which the caller cannot go on (MX-115). */
const URGENT_WAY_OUT = 'Do not call the tool again: ask the person whom you work for.';

const IMPACTS: Readonly<Record<number, PriorityImpact>> = { 1: 'P1_BLOCKED', 2: 'P2_DELAYED', 3: 'P3_IGNORABLE' };

/** The error with its severity, advice on what to do, and the call. */
export function envelopeOf({ code, message, retryable, details = {} }: WireError, call: FailedCall): ErrorEnvelope {
  const { agent, tool, given = {} } = call;
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'BOSUN_INTERNAL';
  const row = TOOL_ERRORS[known];
  const isUrgent = tool?.isUrgent === true;
  // A call that was wrong in itself may be corrected: that does not repeat it.
  const wayOut = isUrgent && row.severity !== 'LOW' ? URGENT_WAY_OUT : (WAYS_OUT[known] ?? ERROR_CODES[known].means);
  const isRetryable = (retryable || RETRIED.has(known)) && row.severity !== 'CRITICAL' && !isUrgent;
  const policy = policyFor(tool, given);
  const { retryAfterMs } = details;
  const afterSeconds = typeof retryAfterMs === 'number' ? Math.ceil(retryAfterMs / 1_000) : policy.baseSeconds;
  return {
    success: false,
    error: {
      code: call.code ?? row.code,
      bosun_code: code,
      message,
      details,
      severity: row.severity,
      retryable: isRetryable,
      retry_after_seconds: isRetryable ? afterSeconds : null,
      retry: isRetryable ? toldPolicy(policy) : null,
      fallback_suggested: wayOut,
      priority_impact: isUrgent ? 'P1_BLOCKED' : (IMPACTS[urgencyIn(given, tool)] ?? 'NONE'),
      log_level: LOG_LEVELS[row.severity],
    },
    context: {
      task_id: typeof given['task_id'] === 'string' ? given['task_id'] : null,
      agent_name: agent,
      timestamp: new Date(systemClock.wallMs()).toISOString(),
    },
  };
}
